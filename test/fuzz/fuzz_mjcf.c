// Fuzz target: any bytes as a scene give a scene or an error, never a crash; a scene makes a tree that moves, and every
// value of it can be overridden.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check_numbers(int n, const double* x)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) abort();
}

static void check_rotation(const double* q)
{
  if (!(fabs(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3] - 1) < 1e-9)) abort();
}

// No NaN and no infinity leaves the reader, and rotations are rotations
static void check_scene(const ss_scene* s)
{
  for (int i = 0; i < s->n_geom; i++) {
    check_numbers(3, s->geom[i].size);
    check_numbers(3, s->geom[i].position);
    check_numbers(1, &s->geom[i].mass);
    check_rotation(s->geom[i].rotation);
  }
  for (int i = 0; i < s->n_site; i++) {
    check_numbers(3, s->site[i].position);
    check_rotation(s->site[i].rotation);
  }
  for (int i = 0; i < s->n_equality; i++) {
    check_numbers(3, s->equality[i].point_a);
    check_numbers(3, s->equality[i].point_b);
    check_rotation(s->equality[i].rotation);
  }
  for (int i = 0; i < s->n_key; i++) {
    check_numbers(s->nq, s->key[i].qpos);
    check_numbers(s->nv, s->key[i].qvel);
    check_numbers(s->n_actuator, s->key[i].ctrl);
  }
}

static void move(const ss_scene* scene)
{
  ss_error error;
  ss_tree* tree = ss_tree_create(&scene->tree, &error);
  if (!tree) abort();  // a scene is valid
  ss_tree_work* work = ss_tree_work_create(tree, &error);
  double* q = malloc(sizeof(double)*((size_t)scene->nq + 2*(size_t)scene->nv + 1));
  if (work && q) {
    double *u = q + scene->nq, *du = u + scene->nv;
    ss_scene_initial(scene, scene->run.key, q, u);
    ss_tree_set_position(work, q);
    ss_tree_set_velocity(work, u);
    ss_tree_forward(work, NULL, du);
  }
  free(q);
  ss_tree_work_destroy(work);
  ss_tree_destroy(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
  ss_error error;
  ss_scene* scene = ss_scene_parse((const char*)data, size, "fuzz", 0, NULL, &error);
  if (!scene) return 0;
  check_scene(scene);
  if (scene->nv < 1000) move(scene);
  for (int i = 0; i < scene->n_parameter && i < 3; i++) {
    ss_override o = {scene->parameter[i].path, "1 2 x"};
    ss_scene_destroy(ss_scene_parse((const char*)data, size, "fuzz", 1, &o, &error));
  }
  ss_scene_destroy(scene);
  return 0;
}

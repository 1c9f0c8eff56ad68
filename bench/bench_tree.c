// Trees of bodies: forward dynamics of chains of hinges by articulated bodies and by the mass matrix, stage by stage,
// and the operational-space matrix over bodies and contacts. Processor time, the first decile: what a busy machine
// does to the rest is not ours. `bench_tree N` repeats forward dynamics of a chain of N links 1000 times and nothing
// else, to be counted by callgrind.
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/tree.h>
#include "clock.h"

#define REPEATS 41

typedef struct chain {
  ss_tree* tree;
  ss_tree_work* work;
  ss_tree_mass* mass;
  double *q, *u, *x, *h;
  ss_tree_node* node;
  int n, n_node;
  ss_tree_delassus_method method;
  ss_arena* arena;
  double* G;
} chain;

// n links of 1 m, every third axis across the others
static chain make(int n, bool with_mass)
{
  chain c = {.n = n};
  ss_body_def* body = calloc((size_t)n, sizeof *body);
  ss_joint_def* joint = calloc((size_t)n, sizeof *joint);
  for (int b = 0; b < n; b++) {
    body[b] = (ss_body_def){.parent = b - 1, .position = {0, 0, b ? -1 : 0}, .mass = 1, .com = {0, 0, -0.5},
                            .inertia = {1.0/12, 1.0/12, 0.01}};
    joint[b] = (ss_joint_def){.kind = SS_JOINT_HINGE, .body = b, .axis = {b%3 == 2, b%3 != 2, 0}, .damping = 0.1};
  }
  ss_tree_def def = {.n_body = n, .body = body, .n_joint = n, .joint = joint, .gravity = {0, 0, -9.81}};
  ss_error error;
  c.tree = ss_tree_create(&def, &error);
  c.work = ss_tree_work_create(c.tree, &error);
  if (with_mass) c.mass = ss_tree_mass_create(c.tree, &error);
  c.q = calloc((size_t)n, sizeof(double));
  c.u = calloc((size_t)n, sizeof(double));
  c.x = calloc((size_t)n, sizeof(double));
  c.h = calloc((size_t)n, sizeof(double));
  for (int i = 0; i < n; i++) c.q[i] = 0.3*((i*7)%5 - 2), c.u[i] = 0.1*((i*3)%7 - 3);
  free(body);
  free(joint);
  return c;
}

static void destroy(chain* c)
{
  ss_tree_mass_destroy(c->mass);
  ss_tree_work_destroy(c->work);
  ss_tree_destroy(c->tree);
  free(c->q), free(c->u), free(c->x), free(c->h);
}

static void position(chain* c) { ss_tree_set_position(c->work, c->q); }
static void velocity(chain* c) { ss_tree_set_velocity(c->work, c->u); }
static void force(chain* c) { ss_tree_force(c->work, c->h); }
static void factor(chain* c) { ss_tree_factor(c->work); }
static void solve(chain* c) { ss_tree_solve(c->work, c->h, c->x); }

static void articulated(chain* c)
{
  ss_tree_set_position(c->work, c->q);
  ss_tree_set_velocity(c->work, c->u);
  ss_tree_forward(c->work, NULL, c->x);
}

static void by_mass(chain* c)
{
  ss_tree_set_position(c->work, c->q);
  ss_tree_set_velocity(c->work, c->u);
  ss_tree_force(c->work, c->h);
  ss_tree_mass_update(c->mass, c->work);
  ss_tree_mass_factor(c->mass);
  ss_tree_mass_solve(c->mass, c->h, c->x);
}

static void delassus(chain* c) { ss_tree_delassus(c->work, c->method, c->n_node, c->node, c->arena, c->G); }

// Microseconds per call
static double measure(chain* c, void (*run)(chain*))
{
  double time[REPEATS], once = 0;
  int inner = 1;
  for (; inner < 1000000; inner *= 2) {
    double start = cpu_seconds();
    for (int i = 0; i < inner; i++) run(c);
    once = cpu_seconds() - start;
    if (once > 5e-4) break;
  }
  for (int k = 0; k < REPEATS; k++) {
    double start = cpu_seconds();
    for (int i = 0; i < inner; i++) run(c);
    time[k] = (cpu_seconds() - start)/inner*1e6;
    if (once > 0.05 && k >= 2) return time[k];
  }
  qsort(time, REPEATS, sizeof *time, ascending);
  return time[REPEATS/10];
}

static void dynamics(void)
{
  printf("forward dynamics of chains, us per evaluation\n%6s %10s %9s |%9s %9s %9s %9s %9s | %12s\n", "links", "all",
         "per link", "position", "velocity", "force", "factor", "solve", "mass matrix");
  for (int n = 1; n <= 1000; n *= 10) {
    chain c = make(n, true);
    double all = measure(&c, articulated);
    printf("%6d %10.3f %9.4f |%9.3f %9.3f %9.3f %9.3f %9.3f |", n, all, all/n, measure(&c, position),
           measure(&c, velocity), measure(&c, force), measure(&c, factor), measure(&c, solve));
    printf(" %12.3f\n", measure(&c, by_mass));
    destroy(&c);
  }
}

// k contacts of three rows each with the ground, spread over the chain
static void contacts(chain* c, int k)
{
  int m = 3*k;
  c->n_node = k;
  c->node = calloc((size_t)k, sizeof *c->node);
  for (int i = 0; i < k; i++) {
    c->node[i] = (ss_tree_node){.body_a = SS_WORLD, .body_b = (int)(((long)c->n*(i + 1) - 1)/k),
                                .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0}, .rows = 3};
    ss_tree_pose(c->work, c->node[i].body_b, c->node[i].point_b, NULL, NULL);
  }
  c->arena = ss_arena_create(ss_tree_delassus_size(c->tree, m));
  c->G = calloc((size_t)m*(size_t)m, sizeof(double));
}

static void operational(void)
{
  const int links[] = {1, 2, 5, 10, 20, 50, 100, 300, 1000}, nodes[] = {1, 4, 16, 64};
  printf("\noperational-space matrix, us: recursion / by the factors / chosen\n%6s", "links");
  for (int k = 0; k < 4; k++) printf(" %20d contacts", nodes[k]);
  printf("\n");
  for (int i = 0; i < 9; i++) {
    printf("%6d", links[i]);
    for (int k = 0; k < 4; k++) {
      chain c = make(links[i], false);
      position(&c);
      factor(&c);
      contacts(&c, nodes[k]);
      c.method = SS_DELASSUS_RECURSION;
      printf(" %9.2f", measure(&c, delassus));
      c.method = SS_DELASSUS_FACTOR;
      printf("/%9.2f", measure(&c, delassus));
      c.method = SS_DELASSUS_AUTO;
      printf("/%9.2f", measure(&c, delassus));
      ss_arena_destroy(c.arena);
      free(c.G);
      free(c.node);
      destroy(&c);
    }
    printf("\n");
  }
}

int main(int argc, char** argv)
{
  if (argc > 1) {
    chain c = make(atoi(argv[1]), false);
    for (int i = 0; i < 1000; i++) articulated(&c);
    destroy(&c);
    return 0;
  }
  dynamics();
  operational();
  return 0;
}

// Makes a tree ready: numbers its joints and velocities, turns every body into its principal frame.
#include "multibody/tree.h"
#include <stdio.h>
#include <string.h>
#include "base/arena.h"
#include "math/principal.h"
#include "multibody/check.h"
#include "multibody/dynamics.h"

static const int q_of_kind[] = {1, 1, 4, 7, 0}, v_of_kind[] = {1, 1, 3, 6, 0}, joints_of_kind[] = {1, 1, 1, 4, 0};

int ss_joint_velocities(ss_joint_kind kind) { return v_of_kind[kind]; }

// ---- memory --------------------------------------------------------------------------------------------------------

typedef struct counts { size_t bodies, joints, nq, nv, springs, text; } counts;

// What a name takes: itself, or "joint" and a number
static size_t name_size(const char* name) { return name ? strlen(name) + 1 : 16; }

static counts count(const ss_tree_def* def)
{
  counts n = {.bodies = (size_t)def->n_body + 1};
  for (int b = 0; b < def->n_body; b++) n.text += name_size(def->body[b].name);
  for (int j = 0; j < def->n_joint; j++) {
    const ss_joint_def* joint = def->joint + j;
    n.text += name_size(joint->name);
    n.joints += (size_t)joints_of_kind[joint->kind];
    n.nq += (size_t)q_of_kind[joint->kind];
    n.nv += (size_t)v_of_kind[joint->kind];
    n.springs += joint->stiffness > 0;
  }
  return n;
}

// The arrays of a tree, from its arena; with a NULL arena, the bytes that they need
static size_t take_all(ss_tree* tree, ss_arena* arena, const counts* n)
{
  size_t bytes = 0, defs = (size_t)tree->def.n_joint;
#define TAKE(field, number)                                                                         \
  (arena ? (void)(tree->field = ss_arena_take(arena, sizeof *tree->field*((number) + 1)))            \
         : (void)(bytes += ss_arena_bytes(sizeof *tree->field*((number) + 1))))
  TAKE(body, n->bodies);
  TAKE(joint, n->joints);
  TAKE(body_of, n->nv);
  TAKE(parent_of, n->nv);
  TAKE(depth, n->nv);
  TAKE(joint_of, n->nv);
  TAKE(armature, n->nv);
  TAKE(damping, n->nv);
  TAKE(spring, n->springs);
  TAKE(gather, n->bodies);
  TAKE(massless, n->bodies);
  TAKE(turn_of, n->bodies);
  TAKE(turn, n->bodies);
  TAKE(hinge_iq, n->joints);
  TAKE(hinge_ref, n->joints);
  TAKE(joint_iq, defs);
  TAKE(joint_iv, defs);
  TAKE(joint_head, n->bodies);
  TAKE(names, n->text);
  TAKE(body_defs, n->bodies);
  TAKE(joint_defs, defs);
#undef TAKE
  return bytes + ss_arena_bytes(sizeof *tree);
}

static ss_tree* allocate(const ss_tree_def* def, const counts* n)
{
  ss_tree shape = {.def = *def};
  ss_arena* arena = ss_arena_create(take_all(&shape, NULL, n));
  if (!arena) return NULL;
  ss_tree* tree = ss_arena_array(arena, ss_tree, 1);
  *tree = (ss_tree){.def = *def, .arena = arena, .gravity = ss_vec3_from(def->gravity)};
  take_all(tree, arena, n);
  tree->n_body = (int)n->bodies;
  tree->n_joint = (int)n->joints;
  tree->nq = (int)n->nq;
  tree->nv = (int)n->nv;
  tree->def.body = tree->body_defs;
  tree->def.joint = tree->joint_defs;
  return tree;
}

// ---- copies --------------------------------------------------------------------------------------------------------

static const char* copy_name(const char* name, const char* what, int number, char** at)
{
  char* text = *at;
  if (name)
    strcpy(text, name);
  else
    snprintf(text, 16, "%s%d", what, number);
  *at += name_size(name);
  return text;
}

static void copy_definition(const ss_tree_def* def, ss_tree* tree)
{
  char* at = tree->names;
  for (int b = 0; b < def->n_body; b++) {
    ss_body_def* body = tree->body_defs + b;
    *body = def->body[b];
    body->name = copy_name(body->name, "body", b, &at);
    ss_quat_to(ss_quat_normalized(ss_quat_from(body->rotation)), body->rotation);
  }
  for (int j = 0; j < def->n_joint; j++) {
    ss_joint_def* joint = tree->joint_defs + j;
    *joint = def->joint[j];
    joint->name = copy_name(joint->name, "joint", j, &at);
    if (joint->kind > SS_JOINT_SLIDE) continue;
    ss_vec3 a = ss_vec3_from(joint->axis);
    ss_vec3_to(ss_scale(1/ss_norm(a), a), joint->axis);
  }
}

// ---- joints --------------------------------------------------------------------------------------------------------

// One hinge, slide or ball more
static void add_joint(ss_tree* tree, int b, int source, ss_joint_kind kind, ss_vec3 axis, int iq, int iv)
{
  const ss_joint_def* def = tree->def.joint + source;
  ss_tree_body* body = tree->body + b;
  ss_tree_joint* joint = tree->joint + body->joint + body->n_joint++;
  *joint = (ss_tree_joint){.kind = kind, .source = source, .iq = iq, .iv = iv, .nv = v_of_kind[kind], .axis = axis};
  if (def->kind != SS_JOINT_FREE && kind != SS_JOINT_SLIDE) joint->anchor = ss_vec3_from(def->anchor);
  if (def->kind <= SS_JOINT_SLIDE) joint->ref = def->ref;
  if (def->stiffness > 0) tree->spring[tree->n_spring++] = (int)(joint - tree->joint);
  for (int i = iv; i < iv + joint->nv; i++) {
    int previous = i - 1;  // of the same body; else the last one of the nearest body below that has any
    if (i == body->iv) {
      int p = body->parent;
      while (p > 0 && tree->body[p].nv == 0) p = tree->body[p].parent;
      previous = p > 0 ? tree->body[p].iv + tree->body[p].nv - 1 : -1;
    }
    tree->body_of[i] = b;
    tree->parent_of[i] = previous;
    tree->depth[i] = previous < 0 ? 0 : tree->depth[previous] + 1;
    tree->joint_of[i] = source;
    tree->armature[i] = def->armature;
    tree->damping[i] = def->damping;
  }
  body->nv += joint->nv;
}

static void add_definition(ss_tree* tree, int b, int source, int* iq, int* iv)
{
  const ss_joint_def* def = tree->def.joint + source;
  tree->joint_iq[source] = *iq;
  tree->joint_iv[source] = *iv;
  if (def->kind == SS_JOINT_FREE) {
    const ss_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) add_joint(tree, b, source, SS_JOINT_SLIDE, axes[k], *iq + k, *iv + k);
    add_joint(tree, b, source, SS_JOINT_BALL, axes[0], *iq + 3, *iv + 3);
  } else if (def->kind != SS_JOINT_FIXED) {
    add_joint(tree, b, source, def->kind, ss_vec3_from(def->axis), *iq, *iv);
  }
  *iq += q_of_kind[def->kind];
  *iv += v_of_kind[def->kind];
}

// Numbers joints and velocities body by body. The joints of the definition are first sorted by body into lists, order
// kept; the links stand where the numbers of q will be.
static void add_joints(ss_tree* tree)
{
  int *head = tree->joint_head, *next = tree->joint_iq, iq = 0, iv = 0, ij = 0;
  for (int b = 0; b < tree->n_body; b++) head[b] = -1;
  for (int j = tree->def.n_joint - 1; j >= 0; j--) {
    next[j] = head[tree->def.joint[j].body + 1];
    head[tree->def.joint[j].body + 1] = j;
  }
  for (int b = 0; b < tree->n_body; b++) {
    ss_tree_body* body = tree->body + b;
    body->joint = ij;
    body->iv = iv;
    for (int j = head[b]; j >= 0;) {
      int following = next[j];
      add_definition(tree, b, j, &iq, &iv);
      j = following;
    }
    ij += body->n_joint;
  }
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// A body in its principal frame, and how its body frame lies in the principal frame of its parent
static void place_body(const ss_body_def* def, const ss_tree_body* parent, ss_tree_body* body)
{
  const double* I = def->inertia;
  ss_sym3 A = {I[0], I[1], I[2], I[3], I[4], I[5]};
  ss_vec3 p = ss_sym3_principal(&A, &body->axes);
  body->principal = (ss_vec3){fmax(p.x, 0), fmax(p.y, 0), fmax(p.z, 0)};
  body->mass = def->mass;
  body->massless = def->mass == 0;
  body->com = ss_vec3_from(def->com);
  body->origin = ss_quat_rotate(ss_quat_conjugate(body->axes), ss_scale(-1, body->com));
  ss_quat to_principal = ss_quat_conjugate(parent->axes);
  body->position = ss_quat_rotate(to_principal, ss_sub(ss_vec3_from(def->position), parent->com));
  body->rotation = ss_quat_normalized(ss_quat_mul(to_principal, ss_quat_from(def->rotation)));
}

static void multiply_out_hinge(const ss_tree_joint* joint, ss_tree_body* body)
{
  ss_tree_hinge* hinge = &body->hinge;
  ss_quat to_principal = ss_quat_conjugate(body->axes), axis = {0, joint->axis.x, joint->axis.y, joint->axis.z};
  hinge->cosine = ss_quat_normalized(ss_quat_mul(body->rotation, body->axes));
  hinge->sine = ss_quat_normalized(ss_quat_mul(ss_quat_mul(body->rotation, axis), body->axes));
  hinge->axis = ss_quat_rotate(to_principal, joint->axis);
  hinge->to_anchor = ss_add(body->position, ss_quat_rotate(body->rotation, joint->anchor));
  hinge->from_anchor = ss_quat_rotate(to_principal, ss_sub(body->com, joint->anchor));
}

static void place_bodies(ss_tree* tree)
{
  tree->body[0] = (ss_tree_body){.rotation = {1, 0, 0, 0}, .axes = {1, 0, 0, 0}, .massless = true};
  for (int b = 1; b < tree->n_body; b++) {
    const ss_body_def* def = tree->def.body + b - 1;
    tree->body[b] = (ss_tree_body){.parent = def->parent + 1};
    place_body(def, tree->body + def->parent + 1, tree->body + b);
  }
}

// Lists of the bodies that need memory of their own in the sweeps to the root
static void find_gathering(ss_tree* tree)
{
  tree->body[0].gathers = true;
  for (int b = 1; b < tree->n_body; b++)
    if (tree->body[b].parent != b - 1) tree->body[tree->body[b].parent].gathers = true;
  for (int b = 0; b < tree->n_body; b++) {
    if (tree->body[b].gathers) tree->gather[tree->n_gather++] = b;
    if (tree->body[b].massless) tree->massless[tree->n_massless++] = b;
  }
}

static void finish_bodies(ss_tree* tree)
{
  for (int b = 1; b < tree->n_body; b++) {
    ss_tree_body* body = tree->body + b;
    const ss_tree_joint* joint = tree->joint + body->joint;
    body->is_hinge = body->n_joint == 1 && joint->kind == SS_JOINT_HINGE;
    if (body->is_hinge) {
      multiply_out_hinge(joint, body);
      tree->hinge_iq[tree->n_hinge] = joint->iq;
      tree->hinge_ref[tree->n_hinge++] = joint->ref;
    }
    if (body->n_joint == 4 && tree->def.joint[joint->source].kind == SS_JOINT_FREE) {  // q is the pose in the world
      body->position = (ss_vec3){0, 0, 0};
      body->rotation = (ss_quat){1, 0, 0, 0};
    }
  }
}

// Inertia that closed forms need no care for: no principal moment is next to nothing beside the others, or beside what
// the body has about its origin
static bool is_regular(const ss_tree_body* body)
{
  ss_vec3 p = body->principal;
  double least = fmin(p.x, fmin(p.y, p.z)), most = fmax(p.x, fmax(p.y, p.z));
  return body->mass > 0 && least > 1e-10*fmax(most, body->mass*ss_dot3(body->com, body->com));
}

// Bodies that are a tree by themselves and can move in every way
static void find_alone(ss_tree* tree)
{
  for (int b = 1; b < tree->n_body; b++) {
    ss_tree_body* body = tree->body + b;
    const ss_tree_joint* joint = tree->joint + body->joint;
    body->alone = body->parent == 0 && body->nv == 6 && tree->def.joint[joint->source].kind == SS_JOINT_FREE &&
                  is_regular(body);
    for (int i = body->iv; i < body->iv + body->nv; i++)
      body->alone = body->alone && tree->armature[i] == 0 && tree->damping[i] == 0;
    tree->body[body->parent].alone = false;
    if (!body->alone) continue;
    body->mass_root = 1/sqrt(body->mass);
    body->inertia_root = (ss_vec3){1/sqrt(body->principal.x), 1/sqrt(body->principal.y), 1/sqrt(body->principal.z)};
  }
}

// ---- creation ------------------------------------------------------------------------------------------------------

// M singular wherever one looks: at the reference and away from it (a mechanism may be singular at a single pose)
static ss_status check_regular(const ss_tree* tree, ss_error* error)
{
  ss_tree_work* work = ss_tree_work_create(tree, error);
  if (!work) return SS_ERR_MEMORY;
  ss_status status = SS_ERR_NUMERIC;
  double* q = work->q;
  for (int attempt = 0; attempt < 3 && status < 0; attempt++) {
    ss_tree_reference(tree, q);
    for (int i = 0; i < tree->nv; i++) work->u[i] = attempt*sin(1 + 0.7*i + attempt);
    ss_tree_advance(tree, q, work->u, 1, q);
    ss_tree_set_position(work, q);
    status = ss_tree_factor(work);
  }
  int j = work->singular;
  ss_tree_work_destroy(work);
  if (status >= 0) return SS_OK;
  const ss_joint_def* joint = tree->def.joint + j;
  return ss_error_set(error, SS_ERR_INPUT,
                      "joint '%s' of body '%s' moves no mass of its own; give the body mass and inertia, or the joint "
                      "an armature",
                      joint->name, tree->def.body[joint->body].name);
}

ss_tree* ss_tree_create(const ss_tree_def* def, ss_error* error)
{
  if (ss_tree_check(def, error) < 0) return NULL;
  counts n = count(def);
  ss_tree* tree = allocate(def, &n);
  if (!tree) {
    ss_error_set(error, SS_ERR_MEMORY, "no memory for a tree of %d bodies", def->n_body);
    return NULL;
  }
  copy_definition(def, tree);
  place_bodies(tree);
  add_joints(tree);
  finish_bodies(tree);
  find_gathering(tree);
  find_alone(tree);
  ss_tree_find_turning(tree);
  if (check_regular(tree, error) < 0) {
    ss_tree_destroy(tree);
    return NULL;
  }
  return tree;
}

void ss_tree_destroy(ss_tree* tree)
{
  if (tree) ss_arena_destroy(tree->arena);
}

const ss_tree_def* ss_tree_get(const ss_tree* tree) { return &tree->def; }
int ss_tree_nq(const ss_tree* tree) { return tree->nq; }
int ss_tree_nv(const ss_tree* tree) { return tree->nv; }

void ss_tree_joint_at(const ss_tree* tree, int joint, int* iq, int* iv)
{
  if (iq) *iq = tree->joint_iq[joint];
  if (iv) *iv = tree->joint_iv[joint];
}

// Masses and inertias: of shapes in closed form, of bodies as sums over their shapes; bounds, balance, total mass.
#include <math.h>
#include <stdlib.h>
#include "io/mjcf.h"
#include "math/principal.h"

#define PI 3.14159265358979323846

// Capsule of radius r and half length h: a cylinder, and the two halves of a sphere with centres of mass 3r/8 beyond
// the ends. About an axis across, with sphere mass s:  s (2/5 r^2 + h^2 + 3/4 r h) + c (r^2/4 + h^2/3).
static ss_mj_solid capsule(double r, double h)
{
  double s = 4.0/3*PI*r*r*r, c = 2*PI*r*r*h;
  double across = s*(0.4*r*r + h*h + 0.75*r*h) + c*(r*r/4 + h*h/3), along = 0.4*s*r*r + 0.5*c*r*r;
  return (ss_mj_solid){.volume = s + c, .inertia = {across, across, along, 0, 0, 0}};
}

ss_mj_solid ss_mj_shape_solid(ss_scene_shape shape, const double size[3])
{
  double a = size[0], b = size[1], c = size[2], f = 0, V = 0;
  switch (shape) {
  case SS_SCENE_SPHERE: b = c = a; V = 4.0/3*PI*a*a*a; f = 0.2; break;
  case SS_SCENE_ELLIPSOID: V = 4.0/3*PI*a*b*c; f = 0.2; break;
  case SS_SCENE_BOX: V = 8*a*b*c; f = 1.0/3; break;
  case SS_SCENE_CAPSULE: return capsule(a, b);
  case SS_SCENE_CYLINDER: {
    double r2 = a*a, h2 = b*b;
    V = 2*PI*r2*b;
    return (ss_mj_solid){.volume = V, .inertia = {V*(r2/4 + h2/3), V*(r2/4 + h2/3), V*r2/2, 0, 0, 0}};
  }
  default: break;
  }
  return (ss_mj_solid){.volume = V, .inertia = {V*f*(b*b + c*c), V*f*(a*a + c*c), V*f*(a*a + b*b), 0, 0, 0}};
}

// R A R^T
static ss_sym3 turned(const ss_mat3* R, const ss_sym3* A)
{
  ss_quat axes;
  ss_vec3 p = ss_sym3_principal(A, &axes);
  ss_mat3 P = ss_quat_matrix(axes), T = {ss_mul(R, P.x), ss_mul(R, P.y), ss_mul(R, P.z)};
  return ss_sym3_rotated(&T, p);
}

static void add_inertia(double* I, const ss_sym3* A)
{
  const double a[6] = {A->xx, A->yy, A->zz, A->xy, A->xz, A->yz};
  for (int i = 0; i < 6; i++) I[i] += a[i];
}

// m (|d|^2 1 - d d^T): a point mass at d
static ss_sym3 point_inertia(double m, ss_vec3 d)
{
  return (ss_sym3){m*(d.y*d.y + d.z*d.z), m*(d.x*d.x + d.z*d.z), m*(d.x*d.x + d.y*d.y), -m*d.x*d.y, -m*d.x*d.z,
                   -m*d.y*d.z};
}

static ss_mj_solid solid_of(const ss_mjcf* r, const ss_scene_geom* g)
{
  return g->shape == SS_SCENE_MESH ? r->out->info[g->mesh].solid : ss_mj_shape_solid(g->shape, g->size);
}

static bool from_geoms(const ss_mjcf* r, int b)
{
  return b >= 0 && (r->inertiafromgeom == 1 || (r->inertiafromgeom == 2 && !r->mass[b].inertial));
}

static bool counts(const ss_mjcf* r, const ss_scene_geom* g)
{
  return from_geoms(r, g->body) && g->group >= r->inertiagroup[0] && g->group <= r->inertiagroup[1] && g->mass > 0;
}

// Sums over the geoms: masses and first moments, then inertias about the centre of mass
static void sum_geoms(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  for (int b = 0; b < s->scene.tree.n_body; b++)
    if (from_geoms(r, b)) {
      s->body[b].mass = 0;
      for (int i = 0; i < 3; i++) s->body[b].com[i] = 0;
      for (int i = 0; i < 6; i++) s->body[b].inertia[i] = 0;
    }
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < s->scene.n_geom; i++) {
      const ss_scene_geom* g = s->geom + i;
      if (!counts(r, g)) continue;
      ss_body_def* body = s->body + g->body;
      ss_mj_solid solid = solid_of(r, g);
      if (!(solid.volume > 0)) continue;
      ss_mat3 R = ss_quat_matrix(ss_quat_from(g->rotation));
      ss_vec3 at = ss_add(ss_vec3_from(g->position), ss_mul(&R, solid.centre));
      if (turn == 0) {
        ss_vec3_to(ss_add(ss_vec3_from(body->com), ss_scale(g->mass, at)), body->com);
        body->mass += g->mass;
        continue;
      }
      double density = g->mass/solid.volume;
      const ss_sym3 A = solid.inertia;
      ss_sym3 own = {density*A.xx, density*A.yy, density*A.zz, density*A.xy, density*A.xz, density*A.yz};
      own = turned(&R, &own);
      ss_sym3 shifted = point_inertia(g->mass, ss_sub(at, ss_vec3_from(body->com)));
      add_inertia(body->inertia, &own);
      add_inertia(body->inertia, &shifted);
    }
    for (int b = 0; turn == 0 && b < s->scene.tree.n_body; b++)
      if (from_geoms(r, b) && s->body[b].mass > 0)
        ss_vec3_to(ss_scale(1/s->body[b].mass, ss_vec3_from(s->body[b].com)), s->body[b].com);
  }
}

// Least mass and moments, and moments that no body has made equal
static void bound(const ss_mjcf* r, ss_body_def* body)
{
  ss_quat axes;
  const double* I = body->inertia;
  ss_sym3 A = {I[0], I[1], I[2], I[3], I[4], I[5]};
  ss_vec3 p = ss_sym3_principal(&A, &axes);
  double sum = p.x + p.y + p.z, most = fmax(fmax(p.x, p.y), p.z);
  if (r->balance && 2*most > sum) p = (ss_vec3){sum/3, sum/3, sum/3};
  p = (ss_vec3){fmax(p.x, r->boundinertia), fmax(p.y, r->boundinertia), fmax(p.z, r->boundinertia)};
  ss_mat3 R = ss_quat_matrix(axes);
  A = ss_sym3_rotated(&R, p);
  for (int i = 0; i < 6; i++) body->inertia[i] = 0;
  add_inertia(body->inertia, &A);
  body->mass = fmax(body->mass, r->boundmass);
}

// Planes stay; a body that moves needs its mass, and that of a mesh in a file is not known
static ss_status check_known(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  for (int g = 0; g < s->scene.n_geom; g++) {
    const ss_xml_node at = {.line = s->geom[g].line};
    if (s->geom[g].shape == SS_SCENE_PLANE && s->geom[g].body >= 0 && r->mass[s->geom[g].body].moves)
      return ss_mj_error_at(r, &at, "geom: a plane belongs to the world or to a body that does not move");
  }
  for (int b = 0; b < s->scene.tree.n_body; b++) {
    int g = r->mass[b].mesh_geom;
    if (g < 0 || !from_geoms(r, b) || !r->mass[b].moves) continue;
    const ss_scene_mesh* mesh = s->geom[g].mesh >= 0 ? s->mesh + s->geom[g].mesh : NULL;
    const ss_xml_node at = {.line = s->geom[g].line};
    if (!mesh)
      return ss_mj_error_at(r, &at, "body '%.60s' takes its mass from the geom '%.60s', whose shape (%s) is not read; "
                            "give the body an inertial", s->body[b].name, s->geom[g].name,
                            ss_scene_shape_name(s->geom[g].shape));
    if (s->info[s->geom[g].mesh].failed) return ss_mj_mesh_failed(r, s->geom[g].mesh);
    return ss_mj_error_at(r, &at, "body '%.60s' takes its mass from the mesh '%.60s', which has no volume; give the "
                          "body an inertial", s->body[b].name, mesh->name);
  }
  return SS_OK;
}

// A surface with holes has no inside
static ss_status tell_open(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  for (int i = 0; i < s->scene.n_geom; i++) {
    const ss_scene_geom* g = s->geom + i;
    if (g->shape != SS_SCENE_MESH || s->info[g->mesh].surface != SS_MESH_OPEN || !counts(r, g)) continue;
    ss_status st = ss_mj_notice(r, SS_SCENE_APPROXIMATED, "geom", "mesh",
                                "its surface has holes, or triangles turned against one another: mass of its convex "
                                "hull", g->line, 1);
    if (st < 0) return st;
  }
  return SS_OK;
}

static void scale_total(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  double total = 0;
  for (int b = 0; b < s->scene.tree.n_body; b++) total += s->body[b].mass;
  if (!(total > 0) || !(r->settotalmass > 0)) return;
  double f = r->settotalmass/total;
  for (int b = 0; b < s->scene.tree.n_body; b++) {
    s->body[b].mass *= f;
    for (int i = 0; i < 6; i++) s->body[b].inertia[i] *= f;
  }
}

static ss_status tell_sources(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  s->mass_from = calloc((size_t)s->scene.tree.n_body + 1, sizeof *s->mass_from);
  if (!s->mass_from) return ss_mj_memory(r);
  for (int b = 0; b < s->scene.tree.n_body; b++) s->mass_from[b].inertial = r->mass[b].inertial && !from_geoms(r, b);
  for (int i = 0; i < s->scene.n_geom; i++) {
    const ss_scene_geom* g = s->geom + i;
    if (!counts(r, g) || !(solid_of(r, g).volume > 0)) continue;
    ss_scene_mass* m = s->mass_from + g->body;
    if (!g->by_density) m->n_given++;
    else if (g->shape != SS_SCENE_MESH) m->n_density++;
    else if (s->info[g->mesh].surface == SS_MESH_OPEN) m->n_hull++;
    else m->n_mesh++;
  }
  return SS_OK;
}

ss_status ss_mj_masses(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  ss_status st = check_known(r);
  if (st < 0 || (st = tell_open(r)) < 0 || (st = tell_sources(r)) < 0) return st;
  sum_geoms(r);
  for (int b = 0; b < s->scene.tree.n_body; b++) {
    s->mass_from[b].adjusted = s->body[b].mass < r->boundmass || (r->settotalmass > 0 && s->body[b].mass > 0);
    if (r->balance || r->boundinertia > 0 || r->boundmass > 0) bound(r, s->body + b);
  }
  scale_total(r);
  return SS_OK;
}

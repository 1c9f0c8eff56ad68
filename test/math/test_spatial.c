// Rotations, principal axes and spatial matrices against their definitions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "math/principal.h"
#include "math/spatial.h"
#include "matrices.h"

static uint64_t seed = 7;

static ss_vec3 random_vec3(void)
{
  double x = uniform(&seed), y = uniform(&seed);
  return (ss_vec3){x, y, uniform(&seed)};
}

static ss_quat random_quat(void)
{
  ss_vec3 v = random_vec3();
  return ss_quat_normalized((ss_quat){uniform(&seed), v.x, v.y, v.z});
}

static ss_spatial random_spatial(void)
{
  ss_vec3 w = random_vec3();
  return (ss_spatial){.w = w, .v = random_vec3()};
}

static void near3(ss_vec3 a, ss_vec3 b, double tol)
{
  double d = ss_norm(ss_sub(a, b));
  if (!(d <= tol)) fail_msg("(%g, %g, %g) and (%g, %g, %g) differ by %g", a.x, a.y, a.z, b.x, b.y, b.z, d);
}

// A turn by the angle a about the axis n, by Rodrigues' formula
static void test_turns(void** state)
{
  (void)state;
  for (int k = 0; k < 200; k++) {
    ss_vec3 n = random_vec3(), x = random_vec3();
    n = ss_scale(1/ss_norm(n), n);
    double a = k < 100 ? 3.1*uniform(&seed) : pow(10, -0.2*(k - 100));  // small angles too
    ss_vec3 expected = ss_add(ss_add(ss_scale(cos(a), x), ss_scale(sin(a), ss_cross(n, x))),
                              ss_scale(2*sin(0.5*a)*sin(0.5*a)*ss_dot3(n, x), n));
    ss_quat q = ss_quat_exp(ss_scale(a, n));
    ss_mat3 R = ss_quat_matrix(q);
    near3(ss_quat_rotate(q, x), expected, 1e-15*10);
    near3(ss_mul(&R, x), expected, 1e-15*10);
    near3(ss_mul_transposed(&R, ss_mul(&R, x)), x, 1e-15*10);
    near3(ss_quat_log(q), ss_scale(a, n), 1e-15*30);
    if (k > 100) near3(ss_scale(1/a, ss_quat_log(q)), n, 1e-14);  // to full relative precision
  }
}

static void test_products(void** state)
{
  (void)state;
  for (int k = 0; k < 100; k++) {
    ss_quat a = random_quat(), b = random_quat();
    ss_vec3 x = random_vec3();
    near3(ss_quat_rotate(ss_quat_mul(a, b), x), ss_quat_rotate(a, ss_quat_rotate(b, x)), 1e-14);
    near3(ss_quat_rotate(ss_quat_conjugate(a), ss_quat_rotate(a, x)), x, 1e-14);
    ss_quat off = {a.w*(1 + 1e-9), a.x*(1 + 1e-9), a.y*(1 + 1e-9), a.z*(1 + 1e-9)}, back = ss_quat_renormalized(off);
    assert_true(fabs(back.w*back.w + back.x*back.x + back.y*back.y + back.z*back.z - 1) < 1e-15);
  }
  ss_quat none = ss_quat_normalized((ss_quat){0, 0, 0, 0});
  assert_true(none.w == 1 && none.x == 0);
}

// A = R diag(p) R^T; diagonal matrices keep their axes, equal moments are no problem
static void test_principal(void** state)
{
  (void)state;
  for (int k = 0; k < 200; k++) {
    ss_mat3 R = ss_quat_matrix(random_quat());
    ss_vec3 p = {1 + uniform(&seed), k%3 ? 1 + uniform(&seed) : 1, k%3 == 2 ? 1e-9 : 1};
    ss_sym3 A = ss_sym3_rotated(&R, p);
    ss_quat axes;
    ss_vec3 found = ss_sym3_principal(&A, &axes);
    ss_mat3 Q = ss_quat_matrix(axes);
    ss_sym3 B = ss_sym3_rotated(&Q, found);
    const double* a = &A.xx;
    const double* b = &B.xx;
    for (int i = 0; i < 6; i++) assert_true(fabs(a[i] - b[i]) < 1e-14);
  }
  ss_sym3 diagonal = {3, 1, 2, 0, 0, 0};
  ss_quat axes;
  ss_vec3 p = ss_sym3_principal(&diagonal, &axes);
  assert_true(axes.w == 1 && p.x == 3 && p.y == 1 && p.z == 2);
}

// The kernels of 6 x 6 matrices: applied to motions, the shifted inertia gives the shifted force of the shifted motion
static void test_inertia(void** state)
{
  (void)state;
  for (int k = 0; k < 50; k++) {
    ss_mat3 R = ss_quat_matrix(random_quat());
    ss_sym3 J = ss_sym3_rotated(&R, (ss_vec3){1, 2, 2.5});
    ss_spatial_matrix I, to;
    ss_inertia_set(1.7, &J, &I);
    ss_spatial a = random_spatial(), V = random_spatial(), f, g, zero = {.w = {0, 0, 0}};
    ss_spatial_rank_one(-0.01, &a, &a, &I);  // no longer that of a rigid body
    ss_spatial_rank_one(0.02, &V, &V, &I);
    ss_inertia_set(0, &(ss_sym3){0}, &to);
    ss_vec3 d = random_vec3();
    ss_inertia_add_shifted(&I, d, &to);
    ss_spatial there = ss_motion_shifted(&V, d);
    ss_spatial_apply(&I, &there, &f);
    ss_force_add_shifted(&f, d, &zero);
    ss_spatial_apply(&to, &V, &g);
    near3(g.w, zero.w, 1e-13);
    near3(g.v, zero.v, 1e-13);
    double power = ss_spatial_dot(&f, &there);
    assert_true(fabs(ss_spatial_dot(&g, &V) - power) < 1e-13*fmax(1, fabs(power)));
  }
}

// V x V = 0; the cross product is the rate of change of a motion carried along: Jacobi's identity
static void test_cross(void** state)
{
  (void)state;
  ss_spatial a = random_spatial(), b = random_spatial(), c = random_spatial();
  ss_spatial aa = ss_motion_cross(&a, &a);
  near3(aa.w, (ss_vec3){0, 0, 0}, 1e-16);
  near3(aa.v, (ss_vec3){0, 0, 0}, 1e-15);
  ss_spatial bc = ss_motion_cross(&b, &c), ca = ss_motion_cross(&c, &a), ab = ss_motion_cross(&a, &b);
  ss_spatial sum = ss_motion_cross(&a, &bc), second = ss_motion_cross(&b, &ca), third = ss_motion_cross(&c, &ab);
  ss_spatial_axpy(1, &second, &sum);
  ss_spatial_axpy(1, &third, &sum);
  near3(sum.w, (ss_vec3){0, 0, 0}, 1e-15);
  near3(sum.v, (ss_vec3){0, 0, 0}, 1e-14);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_turns),   cmocka_unit_test(test_products), cmocka_unit_test(test_principal),
    cmocka_unit_test(test_inertia), cmocka_unit_test(test_cross),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

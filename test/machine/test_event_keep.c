// What a state remembers where contacts come and go: a copy goes on in another workspace bit for bit, at any step; a
// state that was moved since, or that remembers nothing, starts from q and u; one that was damaged is refused.
#include "play.h"
#include <sys/wait.h>
#include <unistd.h>

static const char cubes[] =
  "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='0 0 1' friction='0.4'/>"
  "<body name='a' pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1' friction='0.4'/></body>"
  "<body name='b' pos='1 0 0.3'><freejoint/><geom type='sphere' size='0.1' mass='1' friction='0.4'/></body>"
  "<body name='c' pos='-1 0 0.5'><joint name='hinge' type='hinge' axis='0 1 0' limited='true' range='-40 40'/>"
  "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02' mass='0.3'/></body></worldbody>"
  "<keyframe><key name='k' qpos='0 0 0.1 1 0 0 0 1 0 0.3 1 0 0 0 0' qvel='1 0.5 0 0 0 0 2 0 0 0 0 0 0'/></keyframe>"
  "<stickslip until='1' key='k' scheme='event'/></mujoco>";

static void expect_same(const ss_state* a, const ss_state* b)
{
  assert_int_equal(a->step, b->step);
  assert_memory_equal(&a->t, &b->t, sizeof a->t);
  assert_memory_equal(a->q, b->q, sizeof(double)*(size_t)a->nq);
  assert_memory_equal(a->u, b->u, sizeof(double)*(size_t)a->nv);
  assert_int_equal(a->n_memory, b->n_memory);
  assert_memory_equal(a->memory, b->memory, sizeof(double)*(size_t)a->n_memory);
}

static void go_steps(play* p, int steps)
{
  for (long end = p->s->step + steps; p->s->step < end;) step(p, NULL);
}

static void test_copies_go_on(void** state)
{
  (void)state;
  play p = start_text(cubes);
  for (int part = 0; part < (LESS > 1 ? 3 : 9); part++) {
    play other = start_text(cubes);
    go_steps(&p, 7 + 13*part);
    assert_int_equal(ss_state_copy(other.s, p.s), SS_OK);
    go_steps(&p, 40);
    go_steps(&other, 40);
    expect_same(p.s, other.s);
    stop(&other);
  }
  stop(&p);
}

// From where they are, as a new simulation would
static void test_moved_and_empty(void** state)
{
  (void)state;
  for (int empty = 0; empty < 2; empty++) {
    play p = start_text(cubes), fresh = start_text(cubes);
    go_steps(&p, 30);
    p.s->q[2] += 0.25;  // it no longer touches the floor
    if (empty) p.s->n_memory = 0;
    memcpy(fresh.s->q, p.s->q, sizeof(double)*(size_t)p.s->nq);
    memcpy(fresh.s->u, p.s->u, sizeof(double)*(size_t)p.s->nv);
    fresh.s->t = fresh.s->t_step = p.s->t;
    fresh.s->step = p.s->step;
    go_steps(&p, 1);
    go_steps(&fresh, 1);
    assert_true(p.s->u[2] < -0.015);  // falls
    assert_memory_equal(p.s->q, fresh.s->q, sizeof(double)*(size_t)p.s->nq);
    stop(&p);
    stop(&fresh);
  }
}

static void test_damage_is_told(void** state)
{
  (void)state;
  play p = start_text(cubes);
  go_steps(&p, 30);
  for (int i = 1; i < p.s->n_memory; i += LESS > 1 ? 97 : 7) {  // the first number is the sum of q and u
    play other = start_text(cubes);
    assert_int_equal(ss_state_copy(other.s, p.s), SS_OK);
    other.s->memory[i] = i%2 ? NAN : p.s->memory[i] == 1 ? 2 : 1;
    assert_int_equal(ss_step(other.system, &other.def, other.s, other.w), SS_ERR_ARGUMENT);
    assert_non_null(strstr(ss_work_message(other.w), "damaged"));
    stop(&other);
  }
  stop(&p);
}

// Once more with kernels of BLAS that sum in an order which depends on where numbers lie in memory: OpenBLAS takes
// these by itself on processors that it does not know
static void with_other_kernels(char** argv)
{
  if (getenv("OPENBLAS_CORETYPE")) return;
  pid_t id = fork();
  if (id == 0) {
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    execv("/proc/self/exe", argv);
    _exit(127);
  }
  int status = -1;
  if (id < 0 || waitpid(id, &status, 0) != id || status != 0) exit(1);
}

int main(int argc, char** argv)
{
  (void)argc;
  with_other_kernels(argv);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_copies_go_on),
    cmocka_unit_test(test_moved_and_empty),
    cmocka_unit_test(test_damage_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

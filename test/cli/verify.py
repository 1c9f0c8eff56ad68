# `stickslip verify`: runs of all integrators pass; a run that was tampered with does not, and the place is told.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import LESS, main, some
from verdict import VerdictTest

import h5py

ROLL = """<mujoco model="roll">
  <option timestep="1e-3"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" friction=".5 .01 .02" condim="6"/>
    <body name="ball" pos="0 0 .1">
      <freejoint/>
      <geom name="ball" type="sphere" size=".1" friction=".5 .01 .02" condim="6"/>
    </body>
    <body name="slab" pos="1 0 .1"><freejoint/><geom name="slab" type="box" size=".1 .1 .1"/></body>
  </worldbody>
  <contact><pair geom1="slab" geom2="floor" friction=".3 .6 .01 .001 .001" condim="3"/></contact>
  <keyframe><key name="k" qpos="0 0 .1 1 0 0 0 1 0 .1 1 0 0 0" qvel="1 .3 0 0 0 5 1 1 0 0 0 0"/></keyframe>
  <stickslip until="0.1" key="k"/>
</mujoco>
"""


class Verify(VerdictTest):
    def run_of(self, *args):
        self.tool("run", *args, "-q", "-o", "run.h5")

    def test_all_integrators_pass(self):
        for args in (("--integrator", "moreau"), ("--integrator", "euler"), ("--integrator", "jean"),
                     ("--integrator", "event"), ("--impact", "poisson")):
            self.run_of("woodpecker", "--until", "0.3", *args)
            v = self.verdict()
            self.assertTrue(v["pass"])
            self.assertIn("momentum", v)
            self.assertEqual("arcs" in v, "event" in args)

    def test_other_models_pass(self):
        for args in (("belt", "--until", "1"), ("impact-oscillator", "--until", "1"), ("painleve",), ("three-masses",)):
            self.run_of(*args)
            self.assertTrue(self.verdict()["pass"], args)

    # Friction that turns around within steps, of an element and of a contact, beside contacts that lose nothing
    def test_losses_of_friction_that_turns_around(self):
        self.write("turns.yaml", """coordinates: [x, y, z]
kinetic: (x'^2 + y'^2 + z'^2)/2
potential: 2000*x^2 + 2000*y^2 + 10*z
contacts: {f: {slide: x', bound: 1}, c: {gap: z, slide: y', bound: 1}}
initial: {x: 0.1, y: 0.07}
run: {dt: 1e-2, until: 1}
""")
        self.run_of("turns.yaml")
        with h5py.File(self.path("run.h5")) as f:
            friction, normal = f["energy/loss_friction"][:], f["energy/loss_normal"][:]
        self.assertTrue((friction[1:] >= friction[:-1]).all())
        self.assertLess((normal[1:] - normal[:-1]).min(), -1e-3)
        self.assertGreater(self.verdict()["losses"]["checks"], 100)
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["energy/loss_normal"][50:] += 1e-3
        self.assertGreater(self.verdict(1)["losses"]["worst"], 1e-5)

    def tamper(self, change):
        self.run_of("woodpecker", "--until", "0.2")
        with h5py.File(self.path("run.h5"), "r+") as f:
            change(f)
        return self.verdict(1)

    def test_what_was_changed_is_found(self):
        def velocity(f):
            f["u"][1000, 2] += 1e-5

        def position(f):
            f["q"][1000, 0] += 1e-8

        v = self.tamper(velocity)
        self.assertGreater(v["momentum"]["worst"], 1e-8)
        self.assertAlmostEqual(v["momentum"]["t"], 0.1, 3)
        v = self.tamper(position)
        self.assertGreater(v["position"]["worst"], 1e-8)

    # Everything that a run of time-stepping holds, one number at a time
    def test_each_data_set_of_steps_is_looked_at(self):
        def event(name, change):
            def do(f):
                e = f["events"][2]
                e[name] = change(e[name])
                f["events"][2] = e
            return do

        def number(name, at, change):
            def do(f):
                f[name][at] = change(f[name][at])
            return do

        changes = [("times", number("t", 1500, lambda x: x + 5e-5)),
                   ("kinematics", number("gap", (1500, 0), lambda x: x + 1)),
                   ("kinematics", number("gamma", (1500, 0, 1), lambda x: x + 1)),
                   ("contact states", number("state", (1500, 2), lambda x: 2)),
                   ("residuals", number("residual", 1500, lambda x: 0.5)),
                   ("momentum", number("Lambda", (1500, 0, 0), lambda x: x + 1)),
                   ("counts", number("step", 1500, lambda x: x + 1)),
                   ("events", number("events_q", (2, 0), lambda x: x + 1e-6)),
                   ("events", number("events_u", (2, 0), lambda x: x + 1e-6)), ("counts", event("t", lambda x: x + 1))]
        changes += [("counts", number("counts/" + name, 1500, lambda x: x + 1))
                    for name in ("steps", "events", "impacts", "not_solved", "max_residual", "several_forces",
                                 "several_motions", "as_found", "not_examined")]
        changes += [("counts", number("choice", 1500, lambda x: 2)), ("counts", number("choice", 0, lambda x: 1))]
        changes += [("events", event(name, lambda x: x + 0.01))
                    for name in ("gamma_after_N", "gamma_before_N", "gamma_after_T", "Lambda_N", "Lambda_T",
                                 "energy_before", "energy_after")]
        changes += [("events", event("contact", lambda x: 0 if x else 1)),
                    ("events", event("kind", lambda x: 0 if x else 2)),
                    ("events", event("state", lambda x: 0 if x else 2))]
        self.run_of("woodpecker", "--until", "0.2")
        self.keep()
        for found, change in some(changes, 8):
            self.restore()
            with h5py.File(self.path("run.h5"), "r+") as f:
                change(f)
            v = self.verdict(1)
            self.assertGreater(v[found]["worst"], 1e-8, (found, changes.index((found, change)), v))

    # A step that missed its tolerance, and is told so in the file, does not pass, however right its row looks
    def test_missed_steps_do_not_pass(self):
        self.run_of("woodpecker", "--until", "0.2")
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["status"][1500] = 4
            f["counts/not_solved"][1500:] += 1
        v = self.verdict(1)
        self.assertEqual(v["not_solved"], 1)
        self.assertLess(v["counts"]["worst"], 1e-8)
        self.assertIn("1 step missed the tolerance", self.tool("verify", "run.h5")[1])

    def test_runs_that_failed_say_so(self):
        self.write("kick.yaml", "coordinates: [y]\nkinetic: 1/2*y'^2\npotential: 9.81*y\n"
                   "contacts: {f: {gap: 'y - max(0, t - 0.0105)'}}\nrun: {dt: 1e-3, until: 0.1}\n")
        self.assertEqual(self.tool("run", "kick.yaml", "--integrator", "rattle", "-q", "-o", "run.h5")[0], 3)
        self.assertIn("the run did not reach it: failed", self.tool("verify", "run.h5")[1])

    # Whether a plate on 81 feet that slides has several motions is too large a question: run and verify say so
    def test_islands_too_large_for_a_choice(self):
        for side, told in ((9, True), (8, False)):
            feet = "".join(f'<geom type="sphere" size="0.01" pos="{0.1*i} {0.1*k} 0" friction="0.3" mass="0.1"/>'
                           for i in range(side) for k in range(side))
            self.write("feet.xml", '<mujoco><option timestep="1e-3"/><worldbody><geom type="plane" size="0 0 1" '
                       f'friction="0.3"/><body pos="0 0 0.01"><freejoint/>{feet}</body></worldbody><keyframe>'
                       '<key name="k" qvel="1 0 0 0 0 0"/></keyframe></mujoco>')
            for integrator in ("moreau", "jean", "euler"):
                said = self.good("run", "feet.xml", "--integrator", integrator, "--key", "k", "--until", "3e-3",
                                 "-o", "run.h5")
                v = self.verdict(0)
                self.assertEqual((v["not_examined"], "not looked for" in said), (3, True) if told else (0, False))
                self.assertEqual("whether motions are unique in 3 steps" in self.good("verify", "run.h5"), told)

    # Files from before steps told whether they leave a choice pass, and say what they lack
    def test_files_without_choices(self):
        self.run_of("woodpecker", "--until", "0.02")
        self.assertEqual([t for t in self.verdict()["left_out"] if "choice" in t], [])
        with h5py.File(self.path("run.h5"), "r+") as f:
            for name in ("choice", "counts/several_forces", "counts/several_motions", "counts/as_found",
                         "counts/not_examined", "counts/max_limit_error"):
                del f[name]
        v = self.verdict()
        self.assertEqual(len([t for t in v["left_out"] if "choice" in t]), 1, v)

    # ... and what an event-driven one holds: forces, impacts and the motion between them follow from the model.
    def test_each_data_set_of_events_is_looked_at(self):
        self.run_of("woodpecker", "--until", "0.16", "--integrator", "event", "--dt", "1e-3")
        self.keep()
        with h5py.File(self.path("run.h5")) as f:
            events = f["events"][:]
        hit = [i for i, e in enumerate(events) if e["kind"] == 0 and e["Lambda_N"] > 1e-4][1]

        def number(name, at, change):
            def do(f):
                f[name][at] = change(f[name][at])
            return do

        def event(name, change):
            def do(f):
                e = f["events"][hit]
                e[name] = change(e[name])
                f["events"][hit] = e
            return do

        changes = [number("Lambda", (100, 0, 0), lambda x: x + 1e-3),
                   number("Lambda", (100, 0, 1), lambda x: x + 1e-3), number("t", 100, lambda x: x + 5e-4),
                   number("t", 100, lambda x: 0.01),
                   number("gap", (100, 0), lambda x: x - 1), number("gamma", (100, 0, 0), lambda x: x + 1),
                   number("q", (100, 0), lambda x: x + 1e-6), number("u", (100, 1), lambda x: x + 1e-6),
                   number("state", (100, 0), lambda x: 1 if x != 1 else 2), number("residual", 100, lambda x: 0.5),
                   number("counts/events", 100, lambda x: x + 1), number("events_q", (hit, 0), lambda x: x + 1e-9),
                   number("events_u", (hit, 0), lambda x: x + 100), event("t", lambda x: 0.001),
                   event("contact", lambda x: 0 if x else 1), event("kind", lambda x: 2), event("step", lambda x: 7)]
        changes += [number("energy/" + name, 100, lambda x: x + 1e-4)
                    for name in ("kinetic", "potential", "work_forces", "loss_normal", "loss_friction")]
        changes += [event(name, lambda x: x + 0.2)
                    for name in ("gamma_before_N", "gamma_after_N", "gamma_before_T", "gamma_after_T", "Lambda_N",
                                 "Lambda_T", "energy_before", "energy_after")]
        changes += [event(name, lambda x: 1 if x != 1 else 2) for name in ("state", "state_before")]
        for change in some(changes, 8):
            self.restore()
            with h5py.File(self.path("run.h5"), "r+") as f:
                change(f)
            code, out, err = self.tool("verify", "run.h5")
            self.assertEqual(code, 1, (changes.index(change), out, err))

    # What is no number cannot hide behind the numbers of later rows.
    def test_numbers_that_are_none_are_found(self):
        for integrator in ("moreau", "event"):
            self.run_of("woodpecker", "--until", "0.2", "--integrator", integrator)
            self.keep()
            for name, at in (("q", (500, 0)), ("u", (500, 1)), ("Lambda", (500, 0, 0)), ("energy/kinetic", (500,))):
                self.restore()
                with h5py.File(self.path("run.h5"), "r+") as f:
                    f[name][at] = float("nan")
                code, out, err = self.tool("verify", "run.h5")
                self.assertEqual(code, 1, (integrator, name, out, err))
                self.assertIn("NOT PASSED", out)

    def test_steps_that_are_not_there(self):
        self.run_of("ball", "--until", "0.2", "--every", "10")
        v = self.verdict()
        self.assertGreater(v["not_checked"], 100)
        self.assertNotIn("momentum", v)

    def test_scenes_and_planar_bodies_pass(self):
        for args in (("billiards",), ("stack10",), ("pendulum12", "--until", "0.3"), ("humanoid",), ("four-bar",),
                     ("billiards", "--impact", "poisson"), ("quadruped", "--integrator", "jean"),
                     ("dominoes", "--integrator", "euler"), ("two-balls", "--integrator", "event"),
                     ("woodpecker4-polygons", "--integrator", "moreau"), ("rockfall", "--every", "1"),
                     ("brush", "--every", "1", "--until", "0.01" if LESS == 1 else "0.003"),
                     ("gear-rattle", "--every", "1", "--until", "0.02" if LESS == 1 else "0.004")):
            self.run_of(*args, *(() if "--until" in args else ("--until", "0.1" if LESS == 1 else "0.03")))
            v = self.verdict()
            self.assertTrue(v["pass"], args)
            self.assertIn("arcs" if "event" in args else "momentum", v, args)

    def test_laws_of_friction_pass(self):
        for gravity, law in (("4 3 -9.81", "friction='.2 .45' friction-direction='1 0 0'"),
                             ("4 3 -9.81", "friction-polygon='.6 0 0 .3 -.2 0 0 -.3'"),
                             ("2 0 -9.81", "condim='6' friction='.1 .1 .02 .02 .01'"),
                             ("4 0 -9.81", "friction='.2 .2' friction-static='.5' friction-bound='.1'"),
                             ("4 0 -9.81", "friction='.2 .2' friction-law='mu + 0.1*exp(-v)'")):
            with open(self.path("laws.xml"), "w") as f:
                f.write(f"<mujoco><option timestep='1e-3' gravity='{gravity}'/><worldbody><geom name='a' type='plane' "
                        "size='0 0 1'/><body pos='0 0 .05'><freejoint/><geom name='b' type='box' size='.2 .2 .05'/>"
                        f"</body></worldbody><contact><pair geom1='a' geom2='b' {law}/></contact></mujoco>")
            self.run_of("laws.xml", "--until", "0.2")
            v = self.verdict()
            self.assertTrue(v["pass"], (law, v))
            self.assertIn("friction law", v)

    def test_what_a_scene_leaves_out_is_told(self):
        self.run_of("slider-crank", "--until", "0.05")
        self.assertIn("loops", " ".join(self.verdict()["left_out"]))
        self.run_of("stack10", "--until", "0.05", "--compliance", "1e-3")
        self.assertIn("compliance", " ".join(self.verdict()["left_out"]))

    def test_what_was_changed_in_a_scene_is_found(self):
        def change(name, column, by):
            def do(f):
                rows = f["touch_end"][:]
                at = int(rows[len(rows)//2]) - 1 if name.startswith("touch/") else len(f["t"])//2
                f[name][at, column] += by*abs(f[name][:]).max()
            return do

        self.run_of("billiards", "--until", "0.06")
        self.keep()
        for name, column, by, found in (("u", 7, 1e-5, "momentum"), ("q", 0, 1e-5, "position"),
                                        ("touch/Lambda", 0, 1e-4, "momentum"), ("touch/gamma", 1, 1e-4, "kinematics"),
                                        ("touch/point", 0, 1e-3, "momentum")):
            self.restore()
            with h5py.File(self.path("run.h5"), "r+") as f:
                change(name, column, by)(f)
            self.assertGreater(self.verdict(1)[found]["worst"], 1e-8, name)

    # After steps that overlap is removed from, positions are within what that can have done: no farther than the step
    # itself and the overlap, and what nothing is near to stays.
    def test_positions_after_projections(self):
        def off(row, column, by):
            with h5py.File(self.path("run.h5"), "r+") as f:
                f["q"][row:, column] += by
            v = self.verdict(1)
            self.assertGreater(v["position"]["worst"], 1e-4)
            with h5py.File(self.path("run.h5"), "r+") as f:
                self.assertAlmostEqual(v["position"]["t"], f["t"][row], delta=1e-12)
                f["q"][row:, column] -= by

        self.run_of("billiards", "--until", "0.04")
        v = self.verdict()
        self.assertGreater(v["positions_bounded"], 0)
        self.assertIn("positions after %d steps with overlap removed" % v["positions_bounded"],
                      self.good("verify", "run.h5"))
        off(384, 7, 0.01)  # the ball that was hit in this step
        off(384, 22, 1e-3)  # another one, that stands where it did
        self.write("slope.yaml", """gravity: 9.81
bodies:
  ground: {ground: [[-2, 0], [2, 0]]}
  ball: {circle: [0, 0, 0.1], mass: 1, free: [0, 0.101, 0], mu: 0.5}
  other: {circle: [0, 0, 0.1], mass: 1, free: [1, 0.5, 0]}
run: {dt: 1e-3, until: 0.1}
""")
        self.run_of("slope.yaml")
        self.assertGreater(self.verdict()["positions_bounded"], 0)
        off(80, 0, 1e-3)  # the ball at rest
        off(80, 3, 1e-3)  # the one in the air
        self.run_of("slope.yaml", "--project", "off")
        self.assertEqual(self.verdict()["positions_bounded"], 0)

    def test_positions_of_text_models_with_projection_are_told(self):
        self.run_of("ball", "--until", "0.1", "--project", "on")
        self.assertIn("positions of text models with projection", self.verdict()["left_out"])

    # Outlines against each other, point by point: concave, open, round, of one body; moved into each other by 1e-6 m
    def test_constraints_of_a_step_in_parts(self):
        self.write("rope.yaml", """coordinates: [s, p]
kinetic: 1/2*2*s'^2 + 1/2*p'^2
potential: 2*9.81*s + 9.81*p
constraints: {rope: s + sin(p)}
contacts: {stop: {gap: 9 - p}}
initial: {p: 0.3, s: -sin(0.3)}
bodies:
  plate: {polygon: [[-1, -0.01], [1, -0.01], [1, 0.01], [-1, 0.01]]}
  ball: {circle: [0, 0, 0.02], free: [0, 0.2, 0], velocity: [0, -50, 0], mass: 1, eps_n: 1}
run: {dt: 1e-2, until: 0.05}
""")
        self.good("run", "rope.yaml", "-q", "-o", "run.h5")
        whole = self.verdict()["steps in parts"]
        self.assertEqual((whole["tol"], whole["checks"]), (1e-2, 2))
        self.assertTrue(0 < whole["worst"] < 1e-2)
        with h5py.File(self.path("run.h5"), "r+") as f:
            in_parts = f["counts/in_parts"][...]
            self.assertEqual((in_parts[0], in_parts[1], in_parts[-1]), (0, 1, 1))  # the first step alone
            f["Lambda_bilateral"][1] /= 2  # that of its last part
        status, out, _ = self.tool("verify", "run.h5")
        self.assertEqual(status, 1)
        self.assertIn("steps in parts  OFF", out)
        self.assertIn("(2 checks, to 0.01)", out)
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["Lambda_bilateral"][1] *= 2*1.005
        worse = self.verdict()["steps in parts"]["worst"]
        self.assertGreater(worse, whole["worst"])
        self.assertLess(worse, 1e-2)
        self.good("run", "rope.yaml", "--set", "contacts.stop.gap=0.3 - p", "-q", "-o", "run.h5")
        v = self.verdict()
        self.assertNotIn("steps in parts", v)
        self.assertIn("constraints of steps in parts in which contacts without bodies push", v["left_out"])

    def test_overlaps_of_bodies(self):
        with open(self.path("rest.yaml"), "w") as f:
            f.write("gravity: 9.81\nbodies:\n"
                    "  valley: {ground: [[-2, 0.5], [-1, 0], [1, 0], [2, 0.5]]}\n"
                    "  ell: {polygon: [[0, 0], [0.4, 0], [0.4, 0.1], [0.1, 0.1], [0.1, 0.4], [0, 0.4]], mass: 1,\n"
                    "    free: [0, 0.13571428571428573, 0], mu: 0.5}\n"
                    "  ball: {circle: [0, 0, 0.1], mass: 1, free: [-0.5, 0.1, 0]}\n"
                    "  ear: {circle: [0.2, 0, 0.1], mass: 1, with: ball}\nrun: {dt: 1e-2, until: 0.1}\n")
        for integrator in ("moreau", "event"):
            self.run_of("rest.yaml", "--integrator", integrator)
            self.keep()
            v = self.verdict()
            self.assertGreater(v["overlaps"]["checks"], 20)
            for column, size in ((1, 0.4*2**0.5), (4, 0.2*2**0.5)):  # heights of both bodies
                self.restore()
                with h5py.File(self.path("run.h5"), "r+") as f:
                    f["q"][:, column] -= 1e-6
                self.assertAlmostEqual(self.verdict(1)["overlaps"]["worst"], 1e-6/size, delta=1e-9)

    def test_resistance_and_directions_of_friction_pass(self):
        self.write("roll.xml", ROLL)
        self.run_of("roll.xml")
        v = self.verdict()
        self.assertTrue(v["pass"])
        self.assertGreaterEqual(v["friction law"]["checks"], 14*100)  # five contacts, spin, rolling: laws and cones

    def test_a_body_that_nothing_acts_on_passes(self):
        self.write("free.xml", """<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/>
          <geom type="box" size=".1 .2 .3"/></body></worldbody><keyframe><key name="k" qvel="1 2 3 0 .1 2"/></keyframe>
          <stickslip until="0.1" key="k"/></mujoco>""")
        self.run_of("free.xml")
        self.assertTrue(self.verdict()["pass"])

    # The momentum of bodies at rest is kept whatever friction impulses cancel: the law tells.
    def test_impulses_outside_of_the_cone_are_found(self):
        self.run_of("gripper-hold", "--until", "0.05")
        with h5py.File(self.path("run.h5"), "r+") as f:
            last = int(f["touch_end"][30])
            f["touch/Lambda"][last - 2:last, 0] *= 0.01
        self.assertGreater(self.verdict(1)["friction law"]["worst"], 1e-4)

    def scene_of_files(self):
        os.mkdir(self.path("scene"))
        ends = (-.1, .1)
        self.write("scene/cube.obj", "".join(f"v {x} {y} {z}\n" for x in ends for y in ends for z in ends))
        self.write("scene/floor.xml", '<mujoco><geom name="floor" type="plane" size="0 0 1"/></mujoco>')
        self.write("scene/ball.xml", """<mujoco><worldbody><body name="ball"><freejoint/><geom size=".1"/></body>
          </worldbody></mujoco>""")
        self.write("scene/all.xml", """<mujoco><asset><mesh name="cube" file="cube.obj"/>
          <model name="m" file="ball.xml"/></asset><worldbody><include file="floor.xml"/>
          <body pos="0 0 .1"><freejoint/><geom type="mesh" mesh="cube"/></body>
          <frame pos="1 0 .1"><attach model="m" body="ball" prefix="a-"/></frame></worldbody>
          <stickslip until="0.05"/></mujoco>""")

    # Files that the model names are found from anywhere, as long as they are where they were or beside the run.
    def test_files_of_the_model_are_found(self):
        self.scene_of_files()
        self.run_of("scene/all.xml")
        self.assertTrue(self.verdict()["pass"])
        self.good("forces", "run.h5")
        self.good("run", "--resume", "run.h5", "--until", "0.06", "-q")
        self.assertTrue(self.verdict()["pass"])
        os.rename(self.path("scene"), self.path("kept"))
        says = (os.path.join("scene", "floor.xml"), "where the model was", "beside the run", "current folder")
        self.bad(4, "verify", "run.h5", says=says)
        self.bad(4, "run", "--resume", "run.h5", "--until", "0.07", says=says)
        os.rename(self.path("run.h5"), self.path("kept/run.h5"))
        self.good("verify", "kept/run.h5")
        with h5py.File(self.path("kept/run.h5"), "r+") as f:  # as of earlier versions
            del f["model"].attrs["folder"]
        self.good("verify", "kept/run.h5")

    def test_what_needs_no_files_needs_no_folder(self):
        os.mkdir(self.path("scene"))
        self.write("scene/roll.xml", ROLL)
        self.run_of("scene/roll.xml")
        os.remove(self.path("scene/roll.xml"))
        os.rmdir(self.path("scene"))
        self.assertTrue(self.verdict()["pass"])


main()

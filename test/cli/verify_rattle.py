# `stickslip verify` of runs by rattle: they pass, and what was changed in them is found, stage by stage.
import os
import sys
from math import cos, hypot, pi, sin

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import LESS, main, some
from verdict import VerdictTest

import h5py

RATTLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "rattle")
DISK = os.path.join(RATTLE, "disk.xml")
LADDER = os.path.join(RATTLE, "ladder.yaml")

TENDON = """<mujoco><option timestep="1e-3" gravity="0 0 -9.81"/><worldbody>
  <body><joint name="a" type="slide" axis="0 0 1" frictionloss="1"/><geom size="0.05" mass="1" contype="0"/></body>
  <body pos="1 0 0"><joint name="b" type="slide" axis="0 0 1"/><geom size="0.05" mass="1" contype="0"/></body>
</worldbody><tendon><fixed limited="true" range="0 0.1"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed>
</tendon><keyframe><key name="go" qvel="-1 -1"/></keyframe><stickslip key="go"/></mujoco>
"""
SQUARE = "{polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], mu: 0.904, mass: 1, "
PRESSED = f"""bodies:
  a: {SQUARE} free: [0.0, 0.0, 2.0943951023931953], velocity: [0.08660254037844387, 0.04999999999999999, 0.0]}}
  b: {SQUARE} free: [0.17320508075688773, 0.09999999999999998, 5.235987755982989]}}
  c: {SQUARE} free: [0.34641016151377546, 0.19999999999999996, 2.0943951023931953],
      velocity: [-0.08660254037844387, -0.04999999999999999, 0.0]}}
run: {{dt: 0.001, until: 0.2}}
"""


STOPS = """<mujoco><option timestep="1e-3"/><worldbody><body><joint name="a" type="slide" axis="1 0 0" limited="true"
  range="0 0.3" frictionloss="0.3"/><geom size="0.03" pos="0.1 0 0" mass="0.3" contype="0"/><body pos="0.2 0 0">
  <joint name="b" type="slide" axis="1 0 0" limited="true" range="0 0.3" frictionloss="0.3"/><geom size="0.03"
  pos="0.1 0 0" mass="1" contype="0"/><body pos="0.2 0 0"><joint name="c" type="slide" axis="1 0 0" limited="true"
  range="0 1e-9" frictionloss="0.3"/><geom size="0.03" pos="0.1 0 0" mass="0.3" contype="0"/></body></body></body>
</worldbody><keyframe><key name="go" qvel="-1 0.5 -1"/></keyframe><stickslip key="go"/></mujoco>
"""

BRICK = "{polygon: [[-A, -B], [A, -B], [A, B], [-A, B]], free: [%s, %s, %s], mass: 1, mu: 1}"
BRICK = BRICK.replace("A", "0.9743413066449585").replace("B", "0.4871706533224793")
BRICKS = ((0, 1, 0), (2, 1, 3.141592653589793), (1, 3, 0), (3, 3, 0), (0, 5, 3.141592653589793), (2, 5, 0), (4, 5, 0))
TILES = "".join("  t%d: {polygon: [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]], at: [%s, -0.05, %s]}\n"
                % (i, 0.1*i, (3.141592653589793, 1.5707963267948966, 1.5707963267948966)[i]) for i in range(3))
BOX = "  box: {polygon: [[-A, -B], [A, -B], [A, B], [-A, B]], free: [0.05, B, 0], velocity: [0.3, 0, 0], mass: 2}\n"
BOX = BOX.replace("A", "0.075").replace("B", "0.025")


def tiles(width, count):
    """A cube of 1 kg thrown at 4 m/s over boxes that lie flush, mu = 0.5, g = 10: stops at 1.6 m, nothing else."""
    boxes = "".join(f'<geom type="box" size="{width/2} 1 0.1" pos="{(i - 10)*width} 0 -0.1" friction="0.5"/>' for i in range(count))
    return ('<mujoco><option timestep="5e-3" gravity="0 0 -10"/><worldbody>' + boxes + '<body pos="0 0 0.1"><freejoint/>'
            '<geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.5"/></body></worldbody><keyframe>'
            '<key name="go" qvel="4 0 0 0 0 0"/></keyframe><stickslip key="go" until="1"/></mujoco>')


def smooth_tiles(angle):
    """A smooth box thrown at 3 m/s over smooth tiles that lie flush, at an angle, with gravity across them."""
    c, s = cos(angle), sin(angle)
    square = "polygon: [[-A, -A], [A, -A], [A, A], [-A, A]], mu: 0, "
    lie = lambda x, y, turn: f"[{x*c - y*s}, {x*s + y*c}, {angle + turn}]"
    tile = "  t%d: {" + square.replace("A", "0.5") + "at: %s}\n"
    return (f"gravity: [{9.81*s}, {-9.81*c}]\nbodies:\n"
            + "".join(tile%(i, lie(i, -0.5, turn)) for i, turn in enumerate((0, pi, pi/2)))
            + "  box: {" + square.replace("A", "0.25")
            + f"free: {lie(0.3, 0.25, 0)}, velocity: [{3*c}, {3*s}, 0], mass: 1}}\nrun: {{dt: 0.001, until: 0.16}}\n")


class VerifyRattle(VerdictTest):
    def run_of(self, *args):
        self.tool("run", *args, "--integrator", "rattle", "--every", "1", "-q", "-o", "run.h5")

    def test_runs_pass(self):
        runs = ((DISK, "--until", "0.05"), (LADDER, "--until", "0.1", "--dt", "1e-3"), ("woodpecker", "--until", "0.2"),
                ("belt", "--until", "0.5"), ("billiards", "--until", "0.1"), ("slider-crank", "--until", "0.3"),
                ("dominoes", "--until", "0.1"), ("gear-rattle", "--until", "0.01"), ("cartpole", "--until", "0.2"),
                ("brush", "--until", "0.001"), ("quadruped", "--until", "0.02"))
        for args in some(runs, 6):
            self.run_of(*args)
            v = self.verdict(why=args[0])
            self.assertGreater(v["momentum"]["checks"], 20, args)

    # Other laws of impacts than Newton's, all at once
    def test_other_laws_of_impacts_pass(self):
        for args in (("woodpecker4", "--until", "0.2"), ("two-balls", "--multiple-impacts", "sequential", "--until", "0.3"),
                     ("billiards", "--energy-limited", "on", "--until", "0.1")):
            self.run_of(*args)
            self.verdict(why=args[0])

    # Limits of friction that depend on time: each stage has its own
    def test_a_bound_that_varies_passes(self):
        with open(self.path("brake.yaml"), "w") as f:
            f.write("coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\n"
                    "contacts:\n  brake: {slide: x', bound: '3*max(0, sin(30*t))'}\n"
                    "initial: {x: 0.3}\nrun: {dt: 1e-3, until: 0.3}\n")
        self.run_of(self.path("brake.yaml"))
        self.verdict()

    # What flies against a wall that it touches is stopped by the first stage: the second has round-off of both alone
    def test_an_impact_of_the_first_stage_passes(self):
        with open(self.path("wall.yaml"), "w") as f:
            f.write("coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\n"
                    "contacts:\n  wall: {gap: x, eps_n: 0}\n  table: {slide: x', bound: '0.5'}\n"
                    "initial: {x': -1}\nrun: {dt: 1e-3, until: 0.01}\n")
        self.run_of(self.path("wall.yaml"))
        self.verdict()

    # What a coarse tolerance lets open within a step is no impulse at a distance
    def test_coarse_tolerances_pass(self):
        self.run_of("pile200", "--until", "0.005" if LESS == 1 else "0.001")
        self.verdict()

    # Contacts of a step in parts may be where an earlier part has ended
    def test_steps_in_parts_pass(self):
        self.run_of("jenga", "--until", "0.03")
        self.verdict()

    # A limit of a tendon behind dry friction of a joint: lists are not in the order of their keys
    def test_limits_behind_dry_friction_hold(self):
        with open(self.path("tendon.xml"), "w") as f:
            f.write(TENDON)
        self.run_of(self.path("tendon.xml"), "--dt", "1e-3", "--until", "0.05")
        with h5py.File(self.path("run.h5")) as f:
            self.assertGreater((f["q"][:, 0] + f["q"][:, 1]).min(), -1e-15)
            self.assertEqual(f["counts/not_solved"][-1], 0)
        self.verdict()

    # Two capsules at rest a nanometre apart, the first of which is hit: the velocities at the start do not reach so far
    def test_contacts_that_nobody_foresaw_hold(self):
        body = ('<body pos="{} 0 0"><freejoint/><geom type="capsule" size="0.05 0.05" mass="1"/></body>')
        with open(self.path("row.xml"), "w") as f:
            f.write('<mujoco><option timestep="1e-3" gravity="0 0 0"/><worldbody>' + body.format(0) +
                    body.format(0.100000001) + body.format(0.200000002) + '</worldbody><keyframe><key name="go" qvel="'
                    '0.05 0.05' + 16*' 0' + '"/></keyframe><stickslip until="0.01" key="go"/></mujoco>')
        self.run_of(self.path("row.xml"))
        with h5py.File(self.path("run.h5")) as f:
            self.assertLess(f["counts/max_penetration"][-1], 1e-15)
            self.assertEqual(f["counts/not_solved"][-1] + f["counts/in_parts"][-1], 0)
        self.verdict()

    # Squares that touch, pressed together once, without weight: after that all velocities are round-off
    def test_round_off_at_rest_is_no_motion(self):
        with open(self.path("pressed.yaml"), "w") as f:
            f.write(PRESSED)
        self.run_of(self.path("pressed.yaml"))
        with h5py.File(self.path("run.h5")) as f:
            self.assertEqual(f["counts/not_solved"][-1] + f["counts/in_parts"][-1], 0)
        self.verdict()

    # Joints that hit their limits at zero, and have dry friction: gaps of round-off after that are none in any round,
    # friction would be asked to hold against them
    def test_limits_and_dry_friction_come_to_rest(self):
        with open(self.path("stops.xml"), "w") as f:
            f.write(STOPS)
        self.run_of(self.path("stops.xml"), "--until", "0.3")
        with h5py.File(self.path("run.h5")) as f:
            self.assertEqual(f["counts/not_solved"][-1] + f["counts/in_parts"][-1], 0)
        self.verdict()

    # Gaps of redundant contacts are round-off of the coordinates, and would contradict one another
    def test_a_wall_at_rest_is_solved_at_once(self):
        with open(self.path("wall.yaml"), "w") as f:
            f.write("gravity: [0, -9.81]\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 1}\n" + "".join(
                f"  b{i}: {BRICK % (0.9743413066449585*x, 0.4871706533224793*y, phi)}\n"
                for i, (x, y, phi) in enumerate(BRICKS)))
        self.run_of(self.path("wall.yaml"), "--dt", "5e-4", "--until", "0.02")
        with h5py.File(self.path("run.h5")) as f:
            self.assertLess(f["iterations"][1:].max(), 1000)
            self.assertEqual(f["counts/not_solved"][-1] + f["counts/in_parts"][-1], 0)
        self.verdict()

    # A corner that slides off a tile, whose own corner holds the box from there on: the contact has another name
    def test_contacts_of_the_plane_are_renamed(self):
        with open(self.path("tiles.yaml"), "w") as f:
            f.write("gravity: [0, -9.81]\nbodies:\n" + TILES + BOX)
        self.run_of(self.path("tiles.yaml"), "--dt", "1e-3", "--until", "0.3")
        with h5py.File(self.path("run.h5")) as f:
            self.assertLess(abs(f["q"][:, 1] - 0.025).max(), 1e-14)
            self.assertEqual(f["counts/not_solved"][-1], 0)
        self.verdict()

    # Contacts go on under other names, with other directions: what a stage has done along these stays where it was
    def test_directions_of_renamed_contacts(self):
        self.write("tiles.xml", tiles(0.05, 60))
        self.run_of("tiles.xml")
        with h5py.File(self.path("run.h5")) as f:
            for k, at in enumerate((1.6, 0, 0.1, 1, 0, 0, 0)):
                self.assertAlmostEqual(f["q"][-1, k], at, delta=1e-12)
        self.assertNotIn("names", " ".join(self.verdict()["left_out"]))
        with h5py.File(self.path("run.h5"), "r+") as f:  # as if turned by a right angle
            first = f["touch/Lambda_1"][...]
            first[:, [1, 2]] = first[:, [2, 1]]
            f["touch/Lambda_1"][...] = first
        self.verdict(1)

    # name of a data set, where in it, by how much, and what must find it
    def found(self, args, changes):
        self.run_of(*args)
        self.keep()
        for name, at, by, check in some(changes, 3):
            self.restore()
            with h5py.File(self.path("run.h5"), "r+") as f:
                f[name][at] += by
            v = self.verdict(1, name)
            self.assertGreater(v[check]["worst"], v[check]["tol"], f"{name}: {check}")

    def test_changes_of_a_text_model_are_found(self):
        self.found((LADDER, "--until", "0.05", "--dt", "1e-3"),
                   (("q", (20, 0), 1e-9, "momentum"), ("u", (20, 1), 1e-6, "momentum"),
                    ("Lambda", (20, 0, 0), 1e-6, "momentum"), ("Lambda_1", (20, 0, 0), 1e-6, "momentum"),
                    ("Lambda_1", (20, 1, 1), 1e-6, "friction law"), ("Lambda", (20, 0, 1), 1e-6, "friction law"),
                    ("gap", (20, 1), 1e-6, "kinematics"), ("gamma", (20, 1, 1), 1e-5, "kinematics"),
                    ("energy/loss_friction", 20, 1e-4, "losses")))

    def test_changes_of_a_scene_are_found(self):
        self.found((DISK, "--until", "0.05", "--dt", "1e-3"),
                   (("q", (20, 1), 1e-9, "momentum"), ("u", (20, 4), 1e-5, "momentum"),
                    ("touch/Lambda", (20, 0), 1e-6, "momentum"), ("touch/Lambda_1", (20, 1), 1e-6, "momentum"),
                    ("touch/Lambda_1", (20, 2), 1e-6, "momentum"), ("touch/gap", 20, 1e-6, "kinematics"),
                    ("touch/frame", (20, 4), 1e-6, "kinematics"), ("touch/point", (20, 0), 1e-6, "kinematics")))

    # Impulses that are moved from one stage to the other keep their sum
    def test_shares_of_the_stages_are_found(self):
        self.run_of(LADDER, "--until", "0.05", "--dt", "1e-3")
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["Lambda_1"][:] = 0
        v = self.verdict(1)
        self.assertGreater(v["momentum"]["worst"], 1e-3)

    def test_what_it_refuses(self):
        self.bad(2, "run", "ball", "--integrator", "rattle", "--project", "on", says="--project")

    # A cylinder that falls onto a capsule: the normal tilts within a step, and the tangents with it
    def test_normals_that_tilt(self):
        self.write("rim.xml", '<mujoco><option timestep="1e-3"/><worldbody><geom type="plane" size="0 0 1" friction="0.5"/>'
                   '<body pos="0 0 0.075" quat="0.476 -0.669 -0.571 0.028"><freejoint/><geom type="capsule" size="0.025 0.025"'
                   ' mass="3" friction="0.5"/></body><body pos="0 0 0.196" quat="0.841 -0.089 0.524 0.101"><freejoint/>'
                   '<geom type="cylinder" size="0.05 0.05" mass="2" friction="0.5"/></body></worldbody><keyframe>'
                   '<key name="go" qvel="0 0 0 0 0 0 0 0 0 0 0 -10"/></keyframe><stickslip key="go" until="0.2"/></mujoco>')
        self.run_of("rim.xml")
        self.verdict()

    # Far from the origin coordinates have few digits left for the velocity that is their difference
    def test_far_from_the_origin(self):
        self.write("far.xml", '<mujoco><option timestep="5e-3"/><worldbody><geom type="plane" size="0 0 1" friction="0.3"/>'
                   '<body pos="1e5 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.3"/></body>'
                   '</worldbody><keyframe><key name="go" qpos="1e5 0 0.1 1 0 0 0" qvel="2 0 0 0 0 0"/></keyframe>'
                   '<stickslip key="go" until="0.5"/></mujoco>')
        self.run_of("far.xml")
        self.verdict()

    # At rest after a motion gaps, coordinates and impulses may all be round-off of zero
    def test_round_off_of_zero(self):
        self.write("rest.yaml", """coordinates: [x0, x1]
kinetic: x0'^2 + 1/2*x1'^2
potential: 50*x0^2 + 50*(x1 - 0.2)^2
contacts:
  wall: {gap: x0}
  stop1: {gap: x1 - x0}
  table0: {slide: x0', bound: "3*max(0, sin(5*t))"}
  table1: {slide: x1', bound: 2}
initial: {x0: 0.0, x1: 0.2, x0': 1.367850625030289}
run: {dt: 1e-3, until: 1}
""")
        self.run_of("rest.yaml")
        self.verdict()

    # Nothing acts along the tiles. Where a corner of the box comes to the end of a tile they touch from the side, at
    # right angles to the normal that carried: the impulse of the first stage was taken back along it, or not, as
    # round-off of the angle had it.
    def test_a_smooth_box_keeps_its_speed_over_tiles(self):
        for turn in some((2, 10, 13, 26, 47)):
            self.write("tiles.yaml", smooth_tiles(2*pi*turn/48))
            self.run_of("tiles.yaml")
            with h5py.File(self.path("run.h5")) as f:
                self.assertAlmostEqual(hypot(*f["u"][-1][:2]), 3, delta=1e-12, msg=f"turned by {turn}/48")

    # Two cubes face on face, corner on corner, one of which spins: from the first step on their faces have eight corners
    # in common, some far from the four before. What overlaps there has a contact to go on from, and no step is taken in
    # parts, or missed.
    def test_faces_that_turn_on_each_other(self):
        cube = '<freejoint/><geom type="box" size="0.5 0.5 0.5" friction="0.054" mass="%s"/></body>'
        self.write("cubes.xml", '<mujoco><option timestep="1e-3" gravity="0 0 0"/><worldbody><body>' + cube%1.076
                   + '<body pos="0 1.000000001 0" quat="1 0 0 1">' + cube%2 + '</worldbody><keyframe><key name="go" '
                   'qvel="0 0.5 0 0 0 0 0 0 0 5 0 3"/></keyframe><stickslip key="go" until="0.01"/></mujoco>')
        self.works("run", "cubes.xml", "--integrator", "rattle", "-q", "-o", "run.h5")
        self.verdict()
        with h5py.File(self.path("run.h5")) as f:
            self.assertEqual(f["counts/in_parts"][-1], 0)
            self.assertAlmostEqual(1.076*f["u"][-1][1] + 2*f["u"][-1][7], 1.076*0.5, delta=1e-14)

    # What fails where a step begins is told, as where it ends
    def test_opposite_contacts_stay_shut(self):
        """A slot without play holds what is in it: round-off of the gaps does not add up until a step lets it slip."""
        self.write("slot.yaml", """coordinates: [x, y]
definitions: {s: x*0.8130747990017272 + y*0.5821592318501021, n: y*0.8130747990017272 - x*0.5821592318501021}
kinetic: x'^2/2 + y'^2/2
potential: 9.81*y
contacts: {bottom: {gap: n, slide: s', mu: 0.469}, top: {gap: 0 - n, slide: s', mu: 0}}
run: {dt: 0.001, until: 1}
""")
        self.works("run", "slot.yaml", "--integrator", "rattle", "-q", "-o", "run.h5")
        self.works("verify", "run.h5")

    def test_constraints_that_nothing_loads(self):
        """A tendon at its limit of zero carries all of the weight, and the equality beside it none: all numbers are zero."""
        self.write("m.xml", """<mujoco><option timestep="0.001"/><worldbody>
            <body><joint name="a" type="slide" axis="0 0 1" stiffness="50"/><geom type="sphere" size="0.05" mass="0.3"/></body>
            <body pos="1 0 0"><joint name="b" type="slide" axis="0 0 1" damping="1"/><geom type="sphere" size="0.05" mass="0.3"/>
            </body></worldbody><tendon><fixed limited="true" range="0 0.1"><joint joint="a" coef="0.5"/>
            <joint joint="b" coef="0.5"/></fixed></tendon>
            <equality><joint joint1="a" joint2="b" polycoef="0 0.5 1 0 0"/></equality></mujoco>""")
        self.works("run", "m.xml", "--integrator", "rattle", "--until", "0.3", "-q", "-o", "run.h5")
        self.works("verify", "run.h5")

    def test_reasons_are_told(self):
        self.write("root.yaml", "coordinates: {x: m}\nkinetic: x'^2/2\nforces: {x: \"1 + 1e-9*sqrt(0.5 - x')\"}\n"
                   "initial: {x: 0}\nrun: {dt: 1e-2, until: 2}\n")
        self.bad(3, "run", "root.yaml", "--integrator", "rattle", "-q", says="the acceleration of 'x' is not finite")

    # A run that goes on is the run in one go
    def test_resumed_run(self):
        for model in ("billiards", "woodpecker"):
            self.good("run", model, "--integrator", "rattle", "--until", "0.06", "--dt", "1e-3", "-q", "-o", "whole.h5")
            self.good("run", model, "--integrator", "rattle", "--until", "0.03", "--dt", "1e-3", "-q", "-o", "part.h5")
            self.good("run", "--resume", "part.h5", "--until", "0.06", "-q")
            with h5py.File(self.path("whole.h5")) as a, h5py.File(self.path("part.h5")) as b:
                for name in ("t", "q", "u", "energy/defect"):
                    self.assertEqual(a[name][:].tobytes(), b[name][:].tobytes(), f"{model}: {name}")


main()

# `stickslip verify` finds contacts that are missing, a start that is not that of the model, and files without rows. The
# model text in a run is changed after the run, so that the run is one of another model.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main, some
from verdict import VerdictTest

import h5py
import numpy

INTEGRATORS = ("moreau", "jean", "euler", "rattle", "event")

FALL = """<mujoco model="fall"><option timestep="2e-3"/><worldbody>
<geom name="floor" FLOOR contype="0" conaffinity="0"/>
<body name="b" pos="0 0 0.3"><freejoint/><geom name="b" SHAPE mass="1"/></body></worldbody>
<stickslip until="0.4"/></mujoco>
"""

SLIDE = """<mujoco model="slide"><option timestep="2e-3"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction="0.3" pos="0 0 0"/>
<body name="b" pos="0 0 0.1"><freejoint/><geom name="b" type="box" size="0.2 0.1 0.1" mass="1" friction="0.3"/></body>
<body name="s" pos="1 0 0.1"><freejoint/><geom name="s" type="sphere" size="0.1" mass="1" friction="0.3"/></body>
</worldbody><keyframe><key name="k" qpos="0 0 0.1 1 0 0 0 1 0 0.1 1 0 0 0" qvel="2 0 0 0 0 1 0 0 0 0 0 0"/></keyframe>
<stickslip until="0.1" key="k"/></mujoco>
"""

BLOCKS = """gravity: [0, -9.81]
bodies:
  floor: {halfplane: [0, 0, 0, 1], mu: 0.5}
  low: {polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], free: [0, 0.1, 0], density: 1000, group: g}
  high: {polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], free: [0, 0.3, 0], density: 1000, group: g}
run: {dt: 2e-3, until: 0.1}
"""


class Missing(VerdictTest):
    # A body of each shape falls through floors of each shape that did not touch, and are made solid afterwards.
    def test_what_falls_through_a_floor_is_found(self):
        shapes = ('type="sphere" size=".1"', 'type="box" size=".1 .1 .1"', 'type="capsule" size=".05 .1"',
                  'type="cylinder" size=".1 .05"', 'type="ellipsoid" size=".1 .05 .1"')
        floors = ('type="plane" size="0 0 1"', 'type="box" size="1 1 .1" pos="0 0 -.1"',
                  'type="cylinder" size="1 .05" pos="0 0 -.05"')
        for k, (shape, floor) in some(enumerate((s, f) for s in shapes for f in floors), 6):
            self.write("fall.xml", FALL.replace("SHAPE", shape).replace("FLOOR", floor))
            self.good("run", "fall.xml", "--integrator", INTEGRATORS[k % len(INTEGRATORS)], "-q", "-o", "run.h5")
            self.assertTrue(self.verdict()["pass"])
            self.rewrite('contype="0" conaffinity="0"', "")
            self.assertGreater(self.verdict(1)["overlaps"]["worst"], 0.01, (shape, floor))

    # A normal that no edge has there; corners that meet exactly may have any between those of their edges
    def test_turned_normals_of_planar_bodies_are_found(self):
        self.write("blocks.yaml", BLOCKS.replace("group: g", "mu: 0.3"))
        for integrator in ("moreau", "jean", "euler"):
            for angle in some((0, 0.3, 1.5707963267948966, 3.141592653589793)):
                self.works("run", "blocks.yaml", "--integrator", integrator, "-q", "-o", "run.h5")
                with h5py.File(self.path("run.h5"), "r+") as f:
                    at = len(f["touch/frame"])//2
                    frame = f["touch/frame"][at].reshape(3, 3)
                    c, s = numpy.cos(angle), numpy.sin(angle)
                    frame[:, :2] = frame[:, :2] @ numpy.array([[c, s], [-s, c]])
                    f["touch/frame"][at] = frame.reshape(f["touch/frame"][at].shape)
                v = self.verdict(1 if angle else 0)
                if angle: self.assertGreater(v["kinematics"]["worst"], 1e-8, (integrator, angle))

    def test_a_bullet_through_a_wall_is_found(self):
        self.write("bullet.xml", """<mujoco><option timestep="1e-3" gravity="0 0 0"/><worldbody>
          <geom name="wall" type="box" size=".01 1 1" contype="0" conaffinity="0"/>
          <body name="b" pos="-.5 0 0"><freejoint/><geom name="b" size=".01" mass="1"/></body></worldbody>
          <keyframe><key name="k" qvel="300 0 0 0 0 0"/></keyframe><stickslip until="0.004" key="k"/></mujoco>""")
        for integrator in some(INTEGRATORS, 3):
            self.good("run", "bullet.xml", "--integrator", integrator, "-q", "-o", "run.h5")
            self.assertTrue(self.verdict()["pass"])
            self.rewrite('contype="0" conaffinity="0"', "")
            self.assertGreater(self.verdict(1)["overlaps"]["worst"], 0.01, integrator)

    def test_a_bullet_through_a_plate_in_the_plane_is_found(self):
        self.write("bullet.yaml", """name: bullet
gravity: [0, 0]
bodies:
  wall: {polygon: [[0, -1], [0.02, -1], [0.02, 1], [0, 1]], group: g}
  ball: {polygon: [[-0.01, -0.01], [0.01, -0.01], [0.01, 0.01], [-0.01, 0.01]], density: 1000, free: [-0.5, 0, 0],
         velocity: [300, 0, 0], group: g}
run: {dt: 1e-3, until: 0.004}
""")
        for integrator in some(INTEGRATORS, 3):
            self.works("run", "bullet.yaml", "--integrator", integrator, "-q", "-o", "run.h5")
            self.assertTrue(self.verdict()["pass"], integrator)
            self.rewrite("group: g", "mu: 0")
            self.assertGreater(self.verdict(1)["overlaps"]["worst"], 0.01, integrator)

    # The floor higher, turned, upside down; another start; another mass
    def test_another_model_is_found(self):
        changes = (('pos="0 0 0"', 'pos="0 0 1"'), ('pos="0 0 0"', 'pos="0 0 .01"'), ('pos="0 0 0"', 'euler="0 30 0"'),
                   ('pos="0 0 0"', 'euler="180 0 0"'), ('qvel="2 0', 'qvel="2.1 0'),
                   ('size="0.2 0.1 0.1" mass="1"', 'size="0.2 0.1 0.1" mass="2"'))
        self.write("slide.xml", SLIDE)
        for integrator in some(INTEGRATORS, 3):
            code, _, err = self.tool("run", "slide.xml", "--integrator", integrator, "-q", "-o", "kept.h5")
            self.assertEqual(code, 0, err)  # it may tell of choices
            for old, new in (("", ""),) + changes:
                shutil.copy(self.path("kept.h5"), self.path("run.h5"))
                self.rewrite(old, new)
                self.verdict(1 if new else 0)

    # Congruent squares that pass through one another, corner on corner; groups kept them apart
    def test_a_stop_by_expressions_beside_bodies(self):
        text = """coordinates: {x: m}
kinetic: x'^2/2
contacts: {stop: {gap: 9.05 - x}}
initial: {x': 1}
bodies:
  floor: {halfplane: [0, 0, 0, 1]}
  box: {polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], free: [0, 0.1, 0], mass: 1}
gravity: 9.81
run: {dt: 1e-3, until: 0.2}
"""
        self.write("stop.yaml", text)
        for integrator in some(INTEGRATORS, 3):
            self.works("run", "stop.yaml", "--integrator", integrator, "-q", "-o", "run.h5")
            self.verdict(0)
            self.rewrite("9.05", "0.05")
            self.verdict(1)

    def test_bodies_that_coincide_are_found(self):
        for tilt in (0, 0.7853981633974483):
            self.write("blocks.yaml", BLOCKS.replace("[0, -9.81]", f"[{9.81*numpy.sin(tilt)}, {-9.81*numpy.cos(tilt)}]")
                       .replace("[0, 0.3, 0]", "[0, 0.3, 0], velocity: [0, -2, 0]")
                       .replace("[0, 0.1, 0]", "[0, 0.1, 0], velocity: [0, 0, 0]"))
            for integrator in some(INTEGRATORS, 3):
                self.works("run", "blocks.yaml", "--integrator", integrator, "-q", "-o", "run.h5")
                self.assertTrue(self.verdict()["pass"], integrator)
                self.rewrite("group: g", "mu: 0")
                self.assertGreater(self.verdict(1)["overlaps"]["worst"], 0.01, (tilt, integrator))

    def test_the_start_is_that_of_the_model(self):
        self.write("b.yaml", "coordinates: {x: m}\nkinetic: x'^2/2\ninitial: {x: 0.2, x': 1}\nrun: {until: 0.01}\n")
        for integrator in some(INTEGRATORS, 3):
            self.good("run", "b.yaml", "--integrator", integrator, "--set", "initial.x=0.3", "-q", "-o", "run.h5")
            self.assertEqual(self.verdict()["start"]["worst"], 0)
            self.rewrite("x': 1", "x': 1.0000001")
            self.assertGreater(self.verdict(1)["start"]["worst"], 5e-8)

    def test_a_model_of_another_size_is_refused(self):
        self.good("run", "ball", "--until", "0.01", "-q", "-o", "run.h5")
        with h5py.File(self.path("run.h5"), "r+") as f:
            del f["model"].attrs["text"]
            f["model"].attrs["text"] = numpy.bytes_(b"coordinates: {z: m}\nkinetic: z'^2/2\n")
        self.bad(2, "verify", "run.h5", says="not those of its model")

    def test_a_run_without_rows_does_not_pass(self):
        self.good("run", "ball", "--until", "0.01", "-q", "-o", "run.h5")
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["t"].resize((0,))
        code, out, err = self.tool("verify", "run.h5")
        self.assertNotEqual(code, 0)
        self.assertIn("no rows", err)

    # A writer that was killed may have stored events of rows that are not there.
    def test_what_a_killed_writer_leaves_passes(self):
        for integrator in some(INTEGRATORS, 3):
            self.works("run", "woodpecker", "--until", "0.1", "--integrator", integrator, "-q", "-o", "run.h5")
            with h5py.File(self.path("run.h5"), "r+") as f:
                n = len(f["t"])//2
                f["t"].resize((n,))
                f.attrs.modify("run_status", numpy.bytes_(b"running"))
            self.assertTrue(self.verdict()["pass"], integrator)


main()

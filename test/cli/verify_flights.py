# `stickslip verify` integrates event-driven scenes and planar bodies again between their rows: what is right passes, and a run of another model is found, whatever was changed in it afterwards: gravity, masses, inertia,
# springs, dampers, drives, friction, restitution.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py

# A thrown box without contacts, a pendulum with a spring, a damper and a motor, a sphere that slides and then rolls, one
# that bounces
SCENE = """<mujoco><compiler angle="radian"/><option timestep="5e-3" gravity="0 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction="0.3" pos="0 0 0"/>
<body name="b" pos="5 0 3"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 2 3"/></body>
<body name="p" pos="0 5 3"><joint name="h" type="hinge" axis="0 1 0" stiffness="4" damping="0.1"/>
 <geom name="p" type="capsule" fromto="0 0 0 0.3 0 -0.4" size="0.05" mass="2" contype="0" conaffinity="0"/>
 <body name="p2" pos="0.3 0 -0.4"><joint name="h2" type="ball"/>
 <geom type="box" pos="0.1 0.1 -0.2" size=".05 .1 .2" mass="1.5" contype="0" conaffinity="0"/></body></body>
<body name="s" pos="0 0 0.1"><freejoint/><geom name="s" type="sphere" size="0.1" mass="1" friction="0.3"/></body>
<body name="r" pos="2 0 0.15"><freejoint/><geom name="r" type="sphere" size="0.1" mass="0.7" friction="0.2"/></body>
</worldbody><actuator><motor joint="h" gear="2" ctrlrange="-1 1"/></actuator>
<contact><pair geom1="r" geom2="floor" friction="0.2 0.2" restitution="0.4"/></contact>
<keyframe><key name="k" ctrl="0.5" qvel="1 0 2 3 .1 .2  0.4 1 2 .5  1 .5 0 0 0 3  0 1 0 2 0 0"/></keyframe>
<stickslip until="0.2" key="k"/></mujoco>
"""

# A body thrown against a wall beside one that slides on a plane
PLANAR = """gravity: [0, -9.81]
bodies:
  floor: {halfplane: [0, 0, 0, 1], mu: 0.3}
  low: {polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], free: [0, 0.1, 0], velocity: [1, 0, 0], density: 1000, mu: 0.3}
  high: {polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], free: [2, 0.4, 0.3], velocity: [0, 0, 2], density: 1000, mu: 0.3, eps_n: 0.3}
run: {integrator: event, dt: 5e-3, until: 0.25}
"""


class Flights(VerdictTest):
    def run_model(self, name, text):
        self.write(name, text)
        code, _, err = self.tool("run", name, "--integrator", "event", "-q", "-o", "kept.h5")
        self.assertEqual(code, 0, err)
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        verdict = self.verdict(0)
        self.assertGreater(verdict["arcs"]["checks"], 100)
        self.assertIn(verdict["left_out"], ([], ["1 arcs with a rough part, beyond what the method used here can tell of it"]))  # up to rolling

    # what: the check that must notice it; any if none is named
    def found(self, changes):
        for old, new, *what in changes:
            shutil.copy(self.path("kept.h5"), self.path("run.h5"))
            self.rewrite(old, new)
            verdict = self.verdict(1, (old, new))
            for check in what:
                self.assertGreater(verdict[check]["worst"], 1e-8, (old, new))

    def test_another_scene_is_found(self):
        self.run_model("scene.xml", SCENE)
        self.found((
            ("0 0 -9.81", "0 0 -9.81001", "arcs"), ("0 0 -9.81", "1e-4 0 -9.81", "arcs"),
            ('diaginertia="1 2 3"', 'diaginertia="1 2 2.99999"', "arcs"), ('stiffness="4"', 'stiffness="4.00001"', "arcs"),
            ('damping="0.1"', 'damping="0.10001"', "arcs"), ('gear="2"', 'gear="2.00001"', "arcs"),
            ('size="0.05" mass="2"', 'size="0.05" mass="2.00001"', "arcs"), ('mass="1.5"', 'mass="1.50001"', "arcs"),
            ('pos="0.1 0.1 -0.2"', 'pos="0.1 0.10001 -0.2"', "arcs"), ('axis="0 1 0"', 'axis="1e-5 1 0"', "arcs"),
            ('size="0.1" mass="1"', 'size="0.1" mass="1.00001"', "momentum"),
            ('friction="0.2 0.2"', 'friction="0.20001 0.20001"'),
            ('pos="0 0 0"', 'pos="0 0 -1e-6"'), ('restitution="0.4"', 'restitution="0.40001"', "normal law")))

    def test_other_bodies_in_the_plane_are_found(self):
        self.run_model("planar.yaml", PLANAR)
        self.found((("[0, -9.81]", "[0, -9.81001]", "arcs"), ("density: 1000, mu: 0.3}", "density: 1000.01, mu: 0.3}"),
                    ("eps_n: 0.3", "eps_n: 0.30001", "normal law"), ("mu: 0.3", "mu: 0.30001")))

    # Numbers of the rows: a velocity, an impulse, the works
    def test_other_rows_are_found(self):
        self.run_model("scene.xml", SCENE)
        with h5py.File(self.path("kept.h5")) as f:
            row = len(f["t"])//2
        for name, column, check in (("u", 7, "arcs"), ("q", 7, "arcs"), ("energy/work_forces", None, "works"),
                                    ("energy/work_drive", None, "works"), ("energy/loss_friction", None, "losses")):
            shutil.copy(self.path("kept.h5"), self.path("run.h5"))
            with h5py.File(self.path("run.h5"), "r+") as f:
                if column is None:
                    f[name][row:] += 1e-5
                else:
                    f[name][row, column] += 1e-5
            self.assertGreater(self.verdict(1)[check]["worst"], 1e-8, name)

    # Keys of contacts that the model does not have: an error, no crash
    def test_other_keys_are_refused(self):
        self.run_model("scene.xml", SCENE)
        for key in (0, 1, 7, 2**20 - 1, 2**40 + 3, 2**63 - 1):
            shutil.copy(self.path("kept.h5"), self.path("run.h5"))
            with h5py.File(self.path("run.h5"), "r+") as f:
                first = f["contacts"][0]
                first["key"] = key
                f["contacts"][0] = first
            code, _, err = self.tool("verify", "run.h5")
            self.assertIn(code, (1, 3, 4), (key, err))

    def test_a_start_alone_is_no_motion(self):
        self.write("b.xml", """<mujoco><worldbody><geom type="box" size="1 1 .1" pos="0 0 -.1"/><body pos="0 0 .1">
          <freejoint/><geom type="cylinder" size=".1 .1"/></body></worldbody></mujoco>""")
        self.assertEqual(self.tool("run", "b.xml", "--integrator", "event", "-q", "-o", "run.h5")[0], 3)
        self.assertIn("NOT checked: any motion", self.tool("verify", "run.h5")[1])


main()

# `stickslip verify`: what is rough, held or heavy in one part of a system hides nothing of the others.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py

INTEGRATORS = ("moreau", "jean", "euler", "rattle", "event")

# A ball and a box that slide to rest while they turn, and an arm by itself
ROUGH = """<mujoco><compiler angle="radian"/><option timestep="5e-3"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction="0.5"/>
<body name="ball" pos="0 0 0.12"><freejoint/>
<geom name="ball" type="sphere" size="0.1" friction="0.5" restitution="0.3"/></body>
<body name="box" pos="0.5 0 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" friction="0.3"/></body>
<body name="arm" pos="0 1 1"><joint name="h" axis="0 1 0" damping="0.1"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></worldbody>
<keyframe><key name="k" qpos="0 0 0.12 1 0 0 0 0.5 0 0.1 1 0 0 0 0" qvel="0.2 0 0 0 3 0 0.5 0.1 0 0 0 1 0"/></keyframe>
<stickslip until="0.2" key="k"/></mujoco>
"""

# A pendulum by a constraint, and a block that slides by itself
HELD = """coordinates: [x, y, z, s]
kinetic: 1/2*(x'^2 + y'^2 + z'^2 + s'^2)
potential: 9.81*y + 9.81*z
constraints: {c: x^2 + y^2 - 1}
contacts: {w: {gap: z, slide: s', mu: 0.3, eps_n: 0.5}}
initial: {x: 1, "s'": 1}
run: {dt: 1e-3, until: 0.1}
"""

# The same with a series of impacts that ends, or a kink
SERIES = """coordinates: [x, y]
kinetic: x'^2/2 + y'^2/2
potential: 9.81*y + 50*x^2
contacts: {f: {gap: y, eps_n: 0.2}}
initial: {x: 0.1, y: 0.01}
run: {dt: 1e-2, until: 0.3}
"""
KINK = """coordinates: [x, y]
kinetic: x'^2/2 + y'^2/2
potential: 20*abs(y) + 50*x^2
initial: {x: 0.1, y: 0.1}
run: {dt: 1e-2, until: 0.3}
"""


class Islands(VerdictTest):
    def run_of(self, name, text, integrator):
        self.write(name, text)
        code, _, err = self.tool("run", name, "--integrator", integrator, "-q", "-o", "kept.h5")
        self.assertEqual(code, 0, err)  # it may tell of choices
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        return self.verdict(0, integrator)

    def found(self, name, at, by, why):
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        with h5py.File(self.path("run.h5"), "r+") as f:
            f[name][at] += by
        self.verdict(1, (name, at, why))

    # ... while others are rough; and those in turn are looked at as closely as it is known
    def test_rough_arcs_hide_nothing_else(self):
        v = self.run_of("rough.xml", ROUGH, "event")
        self.assertEqual([t.split()[1:3] for t in v["left_out"] if "rough" in t][0], ["arcs", "with"])
        with h5py.File(self.path("kept.h5")) as f:
            rows = len(f["t"])
        for row in range(1, rows - 1, rows//4):
            self.found("q", (row, 14), 1e-6, "arm")
            self.found("u", (row, 12), 1e-6, "arm")
            self.found("q", (row, 0), 1e-2, "ball")

    def test_series_of_impacts_and_kinks_hide_nothing_else(self):
        for name, text, what in (("series.yaml", SERIES, "series"), ("kink.yaml", KINK, "across a kink")):
            v = self.run_of(name, text, "event")
            self.assertEqual(len([t for t in v["left_out"] if what in t]), 1, v["left_out"])
            with h5py.File(self.path("kept.h5")) as f:
                rows = len(f["t"])
            for row in range(1, rows - 1, rows//5):
                self.found("u", (row, 0), 1e-6, what)

    def test_constraints_hide_nothing_else(self):
        for integrator in INTEGRATORS:
            self.run_of("held.yaml", HELD, integrator)
            self.found("q", (50, 3), 1e-6, integrator)
            self.found("u", (50, 3), 1e-6, integrator)
            self.found("Lambda", (50, 0, 1), 1e-6, integrator)
            self.found("state", (50, 0), 1, integrator)
            for column in (0, 1):  # what the constraint holds
                self.found("q", (50, column), 1e-6, integrator)
                self.found("u", (50, column), 1e-6, integrator)

    # A mote beside a mass of many tons
    def test_what_is_heavy_hides_nothing_light(self):
        text = """coordinates: [x, y]
kinetic: 1e6*x'^2 + 1e-3*y'^2
potential: 1e8*x^2 + 1e-1*y^2
initial: {x: 1, y: 0.01}
run: {dt: 1e-3, until: 0.1}
"""
        for integrator in INTEGRATORS:
            self.run_of("heavy.yaml", text, integrator)
            self.found("u", (50, 1), 1e-5, integrator)


main()

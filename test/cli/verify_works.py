# `stickslip verify` computes works itself: of forces without a potential, of moving supports and belts, of supports that
# kick, of projections. What is right passes; a ledger that books one work as another is found, though its balance holds.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py

INTEGRATORS = ("moreau", "jean", "euler", "rattle", "event")

# A damped mass on a belt that pulls it along, a support that shakes
BELT = """parameters: {k: 20, c: 0.5, A: 0.1, om: 7}
coordinates: {x: m, y: m}
kinetic: x'^2/2 + y'^2/2
potential: k/2*x^2 + k/2*(y - A*sin(om*t))^2
damping: c/2*x'^2 + c/2*y'^2
contacts: {belt: {slide: x' - 0.3, bound: 1.5}}
initial: {x': 0.1}
run: {dt: 2e-3, until: 0.4}
"""

# A pendulum whose support is kicked upwards again and again, between stops
KICKED = """definitions: {ys: 'PULSE', xp: sin(th), yp: ys - cos(th)}
coordinates: {th: rad}
kinetic: 1/2*(xp'^2 + yp'^2)
potential: 9.81*yp
damping: 0.025*th'^2
contacts: {right: {gap: 0.6 - th, eps_n: 0.8}, left: {gap: 0.6 + th, eps_n: 0.8}}
initial: {th: 0.4}
run: {dt: 1e-3, until: 1}
"""
PULSES = ("0.05*max(0, sin(10*t))", "0.05*abs(sin(10*t + 1))", "if(t < 0.3, 0, 0.2*(t - 0.3))")

SCENE = """<mujoco><option timestep="2e-3"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body pos="0 0 .1"><freejoint/><geom name="b" type="box" size=".1 .1 .1" mass="1"/></body>
<body pos="0 1 1"><joint name="h" type="hinge" axis="0 1 0" damping=".2"/><geom type="capsule" fromto="0 0 0 .3 0 0"
size=".05" mass="1"/></body></worldbody><actuator><motor joint="h" gear="3"/></actuator>
<keyframe><key name="k" ctrl="1" qvel="0 0 -10 0 1 0 2"/></keyframe><stickslip until=".2" key="k"/></mujoco>
"""


class Works(VerdictTest):
    def run_of(self, name, text, *args):
        self.write(name, text)
        code, _, err = self.tool("run", name, *args, "-q", "-o", "run.h5")
        self.assertEqual(code, 0, err)
        shutil.copy(self.path("run.h5"), self.path("kept.h5"))

    # One work grows by what another lacks, from the middle on
    def moved(self, one, other, why):
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        with h5py.File(self.path("run.h5"), "r+") as f:
            half = len(f["t"])//2
            f[f"energy/{one}"][half:] += 1e-4
            f[f"energy/{other}"][half:] -= 1e-4
        verdict = self.verdict(1, why)
        self.assertGreater(verdict["works"]["worst"], 1e-8, why)
        self.assertLess(verdict["energy balance"]["worst"], 1e-8, why)

    def test_forces_and_drives(self):
        for integrator in INTEGRATORS:
            self.run_of("belt.yaml", BELT, "--integrator", integrator)
            self.assertGreater(self.verdict(0, integrator)["works"]["checks"], 200)
            self.moved("work_forces", "work_drive", integrator)

    def test_scenes(self):
        for integrator in INTEGRATORS:
            self.run_of("scene.xml", SCENE, "--integrator", integrator)
            self.assertGreater(self.verdict(0, integrator)["works"]["checks"], 150)
            self.moved("work_forces", "work_drive", integrator)
            if integrator != "event":
                self.moved("work_forces", "work_projection", integrator)

    def test_supports_that_kick(self):
        for pulse in PULSES:
            for integrator in ("moreau", "jean", "euler", "event"):  # rattle refuses them
                self.run_of("kicked.yaml", KICKED.replace("PULSE", pulse), "--integrator", integrator)
                verdict = self.verdict(0, (pulse, integrator))
                self.assertGreater(verdict["works"]["checks"], 500)
                kinks = [text for text in verdict["left_out"] if "across a kink" in text]
                self.assertEqual(len(kinks), integrator == "event", verdict["left_out"])


main()

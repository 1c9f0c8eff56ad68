# What turns by a large angle between two rows: `stickslip verify` follows its turn, and tells a pole that is in no one's
# way from one that something has passed through.
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

INTEGRATORS = ("moreau", "jean", "euler", "rattle")


def scene(spin, velocity, shape, pole, more=""):
    return (f'<mujoco><option timestep="1e-3" gravity="0 0 0"/><worldbody><geom name="pole" {pole}/><body><freejoint/>'
            f'<geom name="r" {shape} mass="1" friction="0.001" restitution="1"/>{more}</body></worldbody>'
            f'<keyframe><key name="k" qvel="{velocity[0]!r} {velocity[1]!r} 0 0 0 {spin!r}"/></keyframe></mujoco>')


ROD = 'type="capsule" size="0.01" fromto="0 -1 0 0 1 0"'
BAR = 'type="box" size="0.01 1 0.01"'
POLE = 'type="capsule" size="0.01" fromto="0.6 0 -1 0.6 0 1" restitution="1" friction="0.001"'
POST = 'type="box" size="0.01 0.01 1" pos="0.6 0 0"'


class Spin(VerdictTest):
    def passes(self, text, integrator, until):
        self.write("m.xml", text)
        code, _, err = self.tool("run", "m.xml", "--integrator", integrator, "--key", "k", "--until", until, "-q",
                                 "-o", "run.h5")
        self.assertEqual(code, 0, err)
        self.verdict(0, (integrator, text))

    def test_bounces_off_a_pole(self):
        for integrator in INTEGRATORS + ("event",):
            self.passes(scene(300.0, (0.0, 0.0), ROD, POLE), integrator, "0.03")
        for integrator in INTEGRATORS:
            self.passes(scene(100.0, (0.0, 0.0), BAR, POST), integrator, "0.05")

    # Any spin, any place: rods and bars that hit, miss, and pass by
    def test_any_spin(self):
        rng = random.Random(5)
        for _ in range(8):
            spin, angle, far = rng.choice((-1, 1))*10**rng.uniform(1.3, 2.9), rng.uniform(0, 2*math.pi), rng.uniform(0.3, 1.2)
            x, y = far*math.cos(angle), far*math.sin(angle)
            pole = rng.choice((POLE.replace("0.6 0 -1 0.6 0 1", f"{x!r} {y!r} -1 {x!r} {y!r} 1"),
                               POST.replace("0.6 0 0", f"{x!r} {y!r} 0")))
            text = scene(spin, (rng.uniform(-5, 5), rng.uniform(-5, 5)), rng.choice((ROD, BAR)), pole)
            for integrator in ("moreau", "euler", "rattle"):
                self.passes(text, integrator, "0.02")

    # A pole that the run did not know of
    def test_what_has_passed_through(self):
        for spin in (95.0, 300.0, 700.0):  # no row has it in the pole
            for shape in (ROD, BAR):
                for pole in (POLE, POST):
                    self.passes(scene(spin, (0.0, 0.0), shape, pole + ' contype="0" conaffinity="0"'), "moreau", "0.02")
                    self.rewrite(' contype="0" conaffinity="0"', "")
                    self.assertGreater(self.verdict(1, (spin, shape, pole))["overlaps"]["worst"], 1e-3)


main()

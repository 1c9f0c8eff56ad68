# `stickslip verify`: friction of joints and tendons, and against spin and rolling, that the file knows nothing of.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main, some
from verdict import VerdictTest

INTEGRATORS = ("moreau", "jean", "euler", "event")

ARM = """<mujoco><compiler angle="radian"/><option timestep="5e-3"/><worldbody>
<body pos="0 0 1"><joint name="a" JOINT damping="0.01"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
</worldbody>TENDON<stickslip until="0.1"/></mujoco>
"""
TENDON = '<tendon><fixed name="t" frictionloss="F"><joint joint="a" coef="2"/></fixed></tendon>'

BALL = """<mujoco><option timestep="2e-3"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction=".5 .01 .02" condim="3"/>
<body pos="0 0 .1"><freejoint/><geom name="ball" type="sphere" size=".1" friction=".5 .01 .02" condim="3"/></body>
</worldbody><keyframe><key name="k" qpos="0 0 .1 1 0 0 0" qvel="1 .3 0 0 0 5"/></keyframe>
<stickslip until="0.1" key="k"/></mujoco>
"""

BESIDE = """coordinates: {x: m}
kinetic: x'^2/2
contacts: {f: {slide: x', bound: 1}}
initial: {x': 1}
bodies:
  floor: {halfplane: [0, 0, 0, 1], mu: 0.3}
  box: {polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], free: [0, 0.1, 0], mass: 1}
gravity: 9.81
run: {dt: 1e-3, until: 0.05}
"""


class Dry(VerdictTest):
    def run_of(self, name, text, integrator):
        self.write(name, text)
        code, _, err = self.tool("run", name, "--integrator", integrator, "-q", "-o", "kept.h5")
        self.assertEqual(code, 0, err)
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        self.verdict(0, (text, integrator))

    def changed(self, old, new, status, why):
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        self.rewrite(old, new)
        return self.verdict(status, (why, new))

    # The arm moves without friction, or with little; a tenth less is found. 50 N m hold it, and so do 40.
    def test_frictionloss_of_joints_and_tendons(self):
        cases = []
        for joint, more, integrators in (('axis="0 1 0" frictionloss="F"', "", INTEGRATORS),
                                         ('type="slide" axis="0 0 1" frictionloss="F"', "", ("jean", "event")),
                                         ('type="ball" frictionloss="F"', "", ("euler", "event")),
                                         ('axis="0 1 0"', TENDON, ("moreau", "event"))):
            text, little = ARM.replace("JOINT", joint).replace("TENDON", more), "0.2" if more else "0.5"
            cases += [(text, integrator, *change) for integrator in integrators for change in (
                ("0", ((little, 1), ("50", 1))), (little, (("0", 1), (f"{0.9*float(little)}", 1))),
                ("50", (("0.1", 1), ("40", 0))))]
        for text, integrator, has, others in some(cases, 8):
            self.run_of("arm.xml", text.replace('"F"', f'"{has}"'), integrator)
            for other, status in others:
                self.changed(f'loss="{has}"', f'loss="{other}"', status, (text, integrator))

    def test_spin_and_rolling(self):
        for integrator in INTEGRATORS:
            self.run_of("ball.xml", BALL, integrator)
            for condim in ("4", "6"):
                v = self.changed('condim="3"', f'condim="{condim}"', 1, integrator)
                self.assertGreater(v["friction law"]["worst"], 1e-4)

    def test_an_element_beside_bodies(self):
        for integrator in INTEGRATORS:
            self.run_of("beside.yaml", BESIDE.replace("bound: 1", "bound: 0"), integrator)
            self.changed("bound: 0", "bound: 1", 1, integrator)
            self.run_of("beside.yaml", BESIDE, integrator)
            self.changed("bound: 1", "bound: 0", 1, integrator)


main()

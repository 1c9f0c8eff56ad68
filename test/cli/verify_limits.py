# `stickslip verify`: limits of joints and tendons that the file has no contact for.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

INTEGRATORS = ("moreau", "jean", "euler", "rattle", "event")

ARM = """<mujoco><compiler angle="radian"/><option timestep="5e-3"/><worldbody>
<body pos="0 0 1"><joint name="a" JOINT damping="0.01"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
</worldbody>TENDON<stickslip until="0.3"/></mujoco>
"""


class Limits(VerdictTest):
    def run_of(self, name, text, integrator):
        self.write(name, text)
        code, _, err = self.tool("run", name, "--integrator", integrator, "-q", "-o", "kept.h5")
        self.assertEqual(code, 0, err)
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        self.verdict(0, (text, integrator))

    # The range is narrowed afterwards, so that the motion goes through it
    def test_limits_without_a_contact(self):
        tendon = '<tendon><fixed name="t" limited="true" range="-1 9"><joint joint="a" coef="2"/></fixed></tendon>'
        for joint, more, old, new in (('axis="0 1 0" limited="true" range="-0.5 5"', "", "-0.5 5", "-0.5 0.2"),
                                      ('type="slide" axis="0 0 1" limited="true" range="-5 5"', "", "-5 5", "-0.1 5"),
                                      ('type="ball" limited="true" range="0 3"', "", "0 3", "0 0.2"),
                                      ('axis="0 1 0"', tendon, "-1 9", "-1 0.4")):
            for integrator in INTEGRATORS:
                self.run_of("arm.xml", ARM.replace("JOINT", joint).replace("TENDON", more), integrator)
                self.rewrite(old, new)
                self.assertGreater(self.verdict(1)["gaps"]["worst"], 1e-3, (joint, integrator))

    # Overlap of one limit is removed at the cost of another one, by less than free motion in a step
    def test_limits_that_share_an_overlap(self):
        links = "".join(f'<body pos="{x} 0 0"><joint name="j{i}" axis="0 1 0" {more}/><geom type="capsule" fromto="0.03 0 0 0.17 0 0" '
                        'size="0.02" mass="0.5"/>' for i, (x, more) in enumerate((
                            (0, 'limited="true" range="0 0.5"'), (0.2, 'damping="0.02"'),
                            (0.2, 'frictionloss="0.05" limited="true" range="0 0.5"'))))
        text = (f'<mujoco><compiler angle="radian"/><option timestep="1e-3"/><default><geom restitution="0.5"/></default><worldbody>{links}'
                '</body></body></body></worldbody><stickslip until="0.2"/></mujoco>')
        for integrator in INTEGRATORS:
            self.run_of("chain.xml", text, integrator)


main()

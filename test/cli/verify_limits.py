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


main()

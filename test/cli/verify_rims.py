# `stickslip verify` of event-driven runs with rims and ellipsoids: what rolls passes, in steps of any length, and another
# shape, another place or another normal of a contact is found.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py

SCENE = """<mujoco><compiler angle="radian"/><option timestep="0.01" gravity="0 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction="100"/>
%s</worldbody><keyframe><key name="k" qpos="%s" qvel="%s"/></keyframe><stickslip until="%s" key="k"/></mujoco>
"""

# Euler's disk; a rattleback, in rows of 0.1 s too, between which it rocks three times
DISK = SCENE % ('<body name="d" pos="0 0 0.02"><freejoint/><geom type="cylinder" size="0.04 0.003" mass="0.4" friction="100"/></body>',
                "0 0.036561644401459328 0.016499883595384474 0.98480775301220802 0.17364817766693036 0 0",
                "0.042951759256845717 0 0 0 18.317253085615238 0.29999999999999999", 0.5)
STONE = SCENE % ('<body name="s"><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="0.0002 0.0016 0.0017 -2e-05 0 0"/>'
                 '<geom type="ellipsoid" size="0.2 0.03 0.02" pos="0 0 0.01" friction="100"/></body>',
                 "0 0.00030541005304244104 0.010001332651978832 0.9999904807207346 0.0043633092847465711 0 0",
                 "0.0019633770419099474 0 0 0 0 -5", 4)
# An ellipsoid that bounces on another one, and rolls on
EGGS = """<mujoco><option timestep="0.01"/><worldbody><geom name="egg" type="ellipsoid" size="0.2 0.3 0.25" pos="0 0 0.1"/>
<body pos="0.03 -0.15 0.6" euler="30 40 10"><freejoint/><geom name="f" type="ellipsoid" size="0.05 0.08 0.06" friction="2"/></body>
</worldbody><stickslip until="0.35"/></mujoco>
"""


class Rims(VerdictTest):
    def run_model(self, text, *args):
        self.write("m.xml", text)
        code, _, err = self.tool("run", "m.xml", "--integrator", "event", "-q", "-o", "kept.h5", *args)
        self.assertEqual(code, 0, err)
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        return self.verdict(0, text)

    def test_what_rolls_passes(self):
        for text, args in ((DISK, ()), (STONE, ()), (STONE, ("--dt", "0.1")), (EGGS, ())):
            verdict = self.run_model(text, *args)
            self.assertGreater(verdict["kinematics"]["checks"], 100)

    def test_other_shapes_are_found(self):
        for text, old, new in ((DISK, "0.04 0.003", "0.040001 0.003"), (DISK, "0.04 0.003", "0.04 0.003001"),
                               (STONE, "0.2 0.03 0.02", "0.2 0.030001 0.02"), (STONE, "0 0 0.01\"", "0 1e-6 0.01\""),
                               (EGGS, "0.2 0.3 0.25", "0.2 0.3 0.250001"), (EGGS, "0.05 0.08 0.06", "0.05 0.080001 0.06")):
            self.run_model(text)
            self.rewrite(old, new)
            self.verdict(1, (old, new))

    def test_other_rows_are_found(self):
        for text in (DISK, STONE, EGGS):
            self.run_model(text)
            with h5py.File(self.path("kept.h5")) as f:
                closed = [i for i, state in enumerate(f["touch/state"][:]) if state]
            at = closed[len(closed)//2]
            for name, where, by in (("touch/point", (at, 0), 1e-6), ("touch/frame", (at, 1), 1e-6), ("touch/gap", at, 1e-6),
                                    ("touch/Lambda", (at, 0), 1e-6), ("touch/force", (at, 0), 1e-4)):
                shutil.copy(self.path("kept.h5"), self.path("run.h5"))
                with h5py.File(self.path("run.h5"), "r+") as f:
                    f[name][where] += by
                self.verdict(1, (name, text[:300]))
            for name in ("q", "u"):
                shutil.copy(self.path("kept.h5"), self.path("run.h5"))
                with h5py.File(self.path("run.h5"), "r+") as f:
                    f[name][len(f["t"])//2, 1] += 1e-5
                self.verdict(1, (name, text[:300]))


if __name__ == "__main__":
    main()

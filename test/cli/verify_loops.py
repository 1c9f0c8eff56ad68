# `stickslip verify`: a loop in a scene hides nothing of what it does not act on; places and states of contacts.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py

# Two arms that a loop ties together, a box that slides and an arm with friction by themselves
LOOP = """<mujoco><compiler angle="radian"/><option timestep="5e-3"/><worldbody>
<geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
<body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" contype="0" conaffinity="0"/>
<body name="b" pos="0.3 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.02" contype="0" conaffinity="0"/></body></body>
<body name="c" pos="0.6 0 1.4"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" contype="0" conaffinity="0"/></body>
<body name="box" pos="0 2 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" friction="0.3"/></body>
<body name="d" pos="0 4 1"><joint name="d" axis="0 1 0" frictionloss="0.1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body>
</worldbody><equality><connect body1="b" body2="c" anchor="0.3 0 0.1"/></equality>
<keyframe><key name="k" qvel="0 0 0 1 0 0 0 0 0 0"/></keyframe><stickslip until="0.1" key="k"/></mujoco>
"""

PLANE = """gravity: 9.81
bodies:
  floor: {halfplane: [0, 0, 0, 1], mu: 0.4}
  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [0, 0.05, 0], velocity: [1, 0, 0], density: 100, mu: 0.3}
run: {dt: 5e-3, until: 0.05}
"""


class Loops(VerdictTest):
    def run_of(self, name, text, integrator):
        self.write(name, text)
        code, _, err = self.tool("run", name, "--integrator", integrator, "-q", "-o", "kept.h5")
        self.assertEqual(code, 0, err)
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        return self.verdict(0, integrator)

    def changed(self, change, check, why):
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        with h5py.File(self.path("run.h5"), "r+") as f:
            change(f)
        self.assertGreater(self.verdict(1, why)[check]["worst"], 1e-8, why)

    def test_loops_hide_nothing_else(self):
        def number(name, at, by):
            def do(f):
                f[name][at] += by
            return do

        for integrator in ("moreau", "jean", "euler", "rattle"):
            v = self.run_of("loop.xml", LOOP, integrator)
            rattle = integrator == "rattle"  # which holds loops itself: velocities lead from row to row
            self.assertEqual("parts with loops" in " ".join(v["left_out"]), not rattle)
            self.changed(number("q", (10, 3), 1e-6), "momentum" if rattle else "position", integrator)
            self.changed(number("q", (10, 10), 1e-6), "momentum" if rattle else "position", integrator)
            self.changed(number("u", (10, 9), 1e-4), "momentum", integrator)
            self.changed(number("touch/gamma", (-5, 1), 1e-5), "kinematics", integrator)
            for old, new in (('friction="0.3"', 'friction="0.29"'), ('loss="0.1"', 'loss="0.09"'), ('loss="0.1"', 'loss="0"')):
                shutil.copy(self.path("kept.h5"), self.path("run.h5"))
                self.rewrite(old, new)
                self.verdict(1, (integrator, new))
            self.run_of("loop.xml", LOOP.replace('loss="0.1"', 'loss="0"'), integrator)
            self.rewrite('loss="0"', 'loss="0.1"')
            self.verdict(1, integrator)

    # Stick 1, slip 5 (in space), slip+ 2, slip- 3: one state alone, of a box that slides
    def test_states(self):
        for name, text, others in (("loop.xml", LOOP.replace("<connect", "<!--").replace('0.1"/></equality>', '--></equality>'), (1, 4)),
                                   ("plane.yaml", PLANE, (1, 4, None))):
            for integrator in ("moreau", "jean", "euler", "rattle"):
                self.run_of(name, text, integrator)
                for state in others:
                    def change(f):
                        at = [i for i, s in enumerate(f["touch/state"][:]) if s in (2, 3, 5) and f["touch/frame"][i].any()]
                        at = at[len(at)//2]
                        f["touch/state"][at] = state or 5 - f["touch/state"][at]  # the other way
                    self.changed(change, "contact states", (name, integrator, state))

    def test_places_in_the_plane(self):
        for integrator in ("moreau", "jean", "euler", "rattle"):
            self.run_of("plane.yaml", PLANE, integrator)
            for k in range(2):
                def change(f):
                    f["touch/point"][len(f["touch/point"])//2, k] += 1e-5
                self.changed(change, "kinematics", (integrator, k))


main()

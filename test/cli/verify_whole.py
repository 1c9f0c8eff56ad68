# `stickslip verify`: rows that were cut out of a file, at its start, in the middle, at its end, all else adapted.
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, main, some
from verdict import VerdictTest

import h5py
import numpy

INTEGRATORS = ("moreau", "jean", "euler", "event")
SCENE = """<mujoco><option timestep="2e-3"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body pos="0 0 .12"><freejoint/><geom name="ball" size=".1" restitution=".5"/></body></worldbody>
<stickslip until="0.2"/></mujoco>
"""
AT_REST = """coordinates: [x]
kinetic: x'^2/2
run: {dt: 1e-3, until: 0.1}
"""


def cut(f, keep):
    """Keeps these rows (indices), and the contacts and events that belong to them."""
    n = len(f["t"])
    touch = f["touch_end"][:] if "touch_end" in f else None
    for name in list(f) + [f"{g}/{k}" for g in ("energy", "counts") for k in f[g]]:
        data = f[name]
        if not isinstance(data, h5py.Dataset) or data.shape[0] != n or name.startswith("events"): continue
        kept = data[:][keep]
        data[:len(keep)] = kept
        data.resize(len(keep), axis=0)
    if touch is not None:  # the lists of the rows that are left, one behind the other
        of = [range(touch[i - 1] if i else 0, touch[i]) for i in keep]
        order = [k for r in of for k in r]
        for name in f["touch"]:
            kept = f["touch"][name][:][order]
            f["touch"][name][:len(order)] = kept
            f["touch"][name].resize(len(order), axis=0)
        f["touch_end"][:] = numpy.cumsum([len(r) for r in of])
    past = f["events"][:]["t"] <= f["t"][-1]
    for name in ("events", "events_q", "events_u") + (("events_T2",) if "events_T2" in f else ()):
        kept = f[name][:][past]
        f[name].resize(len(kept), axis=0)
        f[name][:] = kept


class Whole(VerdictTest):
    def cut_out(self, keep):
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        with h5py.File(self.path("run.h5"), "r+") as f:
            cut(f, [i for i in range(len(f["t"])) if keep(i, len(f["t"]))])

    def run_of(self, name, *args):
        self.good("run", name, *args, "-q", "-o", "kept.h5")
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))
        self.verdict(0, args)

    def test_rows_that_are_cut_out(self):
        self.write("ball.yaml", BALL)
        self.write("scene.xml", SCENE)
        self.write("rest.yaml", AT_REST)
        ways = (("end", lambda i, n: i < n//2), ("last", lambda i, n: i < n - 1), ("start", lambda i, n: i > 0),
                ("begin", lambda i, n: i > n//2), ("one", lambda i, n: i != n//2),
                ("every other", lambda i, n: i % 2 == 0))
        cases = [(name, integrator, *way) for name in ("ball.yaml", "scene.xml", "rest.yaml") for integrator in INTEGRATORS
                 for way in ways]
        of = None
        for name, integrator, why, keep in some(cases, 13):
            if of != (name, integrator):
                self.run_of(name, "--integrator", integrator)
                of = name, integrator
            self.cut_out(keep)
            code, _, err = self.tool("verify", "run.h5")
            self.assertIn(code, (1, 4), (name, integrator, why, err))

    # A run that was interrupted may end early
    def test_what_is_interrupted_passes(self):
        self.write("ball.yaml", BALL)
        for integrator in INTEGRATORS:
            self.run_of("ball.yaml", "--integrator", integrator)
            self.cut_out(lambda i, n: i < n//4)
            with h5py.File(self.path("run.h5"), "r+") as f:
                f.attrs.modify("run_status", numpy.bytes_(b"interrupted"))
            self.verdict(0, integrator)

    def test_rows_of_events(self):
        self.write("ball.yaml", BALL)
        self.run_of("ball.yaml", "--integrator", "event", "--every", "7")
        with h5py.File(self.path("kept.h5")) as f:
            side = f["side"][:]
        before = [i for i, s in enumerate(side) if s == -1][2]
        for gone in ((before,), (before + 1,), (before, before + 1)):
            self.cut_out(lambda i, n: i not in gone)
            self.verdict(1, gone)

    def test_steps_between_rows_and_ends_that_are_no_steps(self):
        self.write("ball.yaml", BALL)
        for integrator in INTEGRATORS:
            for more in some((("--every", "7"), ("--every", "1000"), ("--until", "0.1234567"), ("--dt", "7e-4"))):
                self.tool("run", "ball.yaml", "--integrator", integrator, *more, "-q", "-o", "run.h5")
                self.verdict(0, (integrator, more))
            self.tool("run", "ball.yaml", "--integrator", integrator, "--until", "0.1", "--every", "7", "-q", "-o", "run.h5")
            self.tool("run", "--resume", "run.h5", "--until", "0.21", "-q")
            self.verdict(0, integrator)

    def test_orbits(self):
        self.tool("cycle", "belt", "--method", "iteration", "--integrator", "moreau", "-o", "run.h5")
        self.verdict(0)


main()

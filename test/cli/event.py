# `stickslip run --integrator event`: rows at events, event table, going on, options.
import csv
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, ToolTest, main

import h5py
import numpy as np


class Event(ToolTest):
    def run_event(self, name, *more):
        self.works("run", "woodpecker", "-q", "--integrator", "event", "--dt", "0.01", "-o", name, *more)
        return h5py.File(self.path(name), "r")

    def test_rows(self):
        """Rows at the multiples of dt and after every event; the energy balance closes in each."""
        with self.run_event("run.h5", "--until", "0.5") as f:
            t, events = f["t"][:], f["events"][:]
            grid = np.arange(51)*0.01
            self.assertTrue(np.all(np.diff(t) >= 0))
            self.assertEqual(sorted(set(np.round(t, 9)) - set(np.round(events["t"], 9))),
                             sorted(set(np.round(grid, 9)) - set(np.round(events["t"], 9))))
            self.assertTrue(set(events["t"]) <= set(t))
            self.assertLess(np.max(np.abs(f["energy/defect"][:])), 1e-9*np.max(f["energy/kinetic"][:]))
            self.assertEqual(f["settings"].attrs["event_rtol"], 1e-10)

    def test_table(self):
        self.run_event("run.h5", "--until", "0.5").close()
        out = self.works("events", "run.h5")
        for word in ("open -> slip+", "slip- -> stick", "stick -> slip-", "N comp.", "N exp."):
            self.assertIn(word, out)
        for e in json.loads(self.works("events", "run.h5", "--json"))["events"]:
            self.assertIn("state_before", e)
            self.assertIsNone(e["solutions"])
        rows = list(csv.DictReader(self.works("events", "run.h5", "--csv").splitlines()))
        self.assertEqual(rows[0]["state_before"], "slip-")

    def test_accumulation(self):
        out = self.works("run", "ball", "--integrator", "event", "--dt", "0.5")
        self.assertIn("1 accumulation", out)

    def test_goes_on(self):
        """The same events, within the tolerance, also from a row of an event."""
        with self.run_event("whole.h5", "--until", "0.6", "--every", "7") as f:
            whole, t = f["events"][:], f["t"][:]
        self.run_event("part.h5", "--until", "0.3", "--every", "7").close()
        self.works("run", "-q", "--resume", "part.h5", "--until", "0.6")
        with h5py.File(self.path("part.h5"), "r") as f:
            part, t_part = f["events"][:], f["t"][:]
        self.assertEqual(len(whole), len(part))
        self.assertEqual(list(whole["kind"]), list(part["kind"]))
        self.assertLess(np.max(np.abs(whole["t"] - part["t"])), 1e-9)
        self.assertEqual(len(t), len(t_part))
        self.assertLess(np.max(np.abs(t - t_part)), 1e-9)

    def test_uniqueness(self):
        status, _, err = self.tool("run", "painleve", "-q", "--integrator", "event", "--dt", "0.1", "--watch",
                                   "uniqueness", "-o", "rod.h5")
        self.assertEqual(status, 0)
        self.assertIn("no motion without a jump", err)
        events = json.loads(self.works("events", "rod.h5", "--json"))["events"]
        self.assertEqual([e["solutions"] for e in events][:1], [0])
        self.assertAlmostEqual(events[0]["Lambda"][0], 0.3, 10)

    def test_options(self):
        self.write("ball.yaml", BALL)
        for options in (("--rtol", "1e-8"), ("--on-multiple", "stop"), ("--watch", "uniqueness")):
            status, _, err = self.tool("run", "ball.yaml", *options)
            self.assertEqual(status, 2)
            self.assertIn("--integrator event only", err)
        for options in (("--rtol", "1.5"), ("--dump-problems", "folder")):
            self.assertEqual(self.tool("run", "ball.yaml", "--integrator", "event", *options)[0], 2)


if __name__ == "__main__":
    main()

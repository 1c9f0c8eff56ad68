# `stickslip verify`: runs of all integrators pass; a run that was tampered with does not, and the place is told.
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import ToolTest, main

import h5py


class Verify(ToolTest):
    def run_of(self, *args):
        self.tool("run", *args, "-q", "-o", "run.h5")

    def verdict(self, status=0):
        code, out, err = self.tool("verify", "run.h5", "--json")
        self.assertEqual(code, status, out + err)
        return json.loads(out)

    def test_all_integrators_pass(self):
        for args in (("--integrator", "moreau"), ("--integrator", "euler"), ("--integrator", "jean"),
                     ("--integrator", "event"), ("--impact", "poisson")):
            self.run_of("woodpecker", "--until", "0.3", *args)
            v = self.verdict()
            self.assertTrue(v["pass"])
            self.assertEqual("momentum" in v, "event" not in args)

    def test_other_models_pass(self):
        for args in (("belt", "--until", "1"), ("impact-oscillator", "--until", "1"), ("painleve",), ("three-masses",)):
            self.run_of(*args)
            self.assertTrue(self.verdict()["pass"], args)

    def tamper(self, change):
        self.run_of("woodpecker", "--until", "0.2")
        with h5py.File(self.path("run.h5"), "r+") as f:
            change(f)
        return self.verdict(1)

    def test_what_was_changed_is_found(self):
        def velocity(f):
            f["u"][1000, 2] += 1e-5

        def position(f):
            f["q"][1000, 0] += 1e-8

        v = self.tamper(velocity)
        self.assertGreater(v["momentum"]["worst"], 1e-8)
        self.assertAlmostEqual(v["momentum"]["t"], 0.1, 3)
        v = self.tamper(position)
        self.assertGreater(v["position"]["worst"], 1e-8)

    def test_steps_that_are_not_there(self):
        self.run_of("ball", "--until", "0.2", "--every", "10")
        v = self.verdict()
        self.assertGreater(v["not_checked"], 100)
        self.assertNotIn("momentum", v)

    def test_scenes_are_refused(self):
        self.run_of("sphere-plane", "--until", "0.05")
        self.assertEqual(self.tool("verify", "run.h5")[0], 2)


main()

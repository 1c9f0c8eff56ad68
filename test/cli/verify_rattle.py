# `stickslip verify` of runs by rattle: they pass, and what was changed in them is found, stage by stage.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py

RATTLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "rattle")
DISK = os.path.join(RATTLE, "disk.xml")
LADDER = os.path.join(RATTLE, "ladder.yaml")


class VerifyRattle(VerdictTest):
    def run_of(self, *args):
        self.tool("run", *args, "--integrator", "rattle", "--every", "1", "-q", "-o", "run.h5")

    def test_runs_pass(self):
        for args in ((DISK, "--until", "0.05"), (LADDER, "--until", "0.1", "--dt", "1e-3"), ("woodpecker", "--until", "0.2"),
                     ("belt", "--until", "0.5"), ("billiards", "--until", "0.1"), ("slider-crank", "--until", "0.3"),
                     ("dominoes", "--until", "0.1"), ("gear-rattle", "--until", "0.01"), ("cartpole", "--until", "0.2"),
                     ("brush", "--until", "0.001"), ("quadruped", "--until", "0.02")):
            self.run_of(*args)
            v = self.verdict(why=args[0])
            self.assertGreater(v["momentum"]["checks"], 20, args)

    # name of a data set, where in it, by how much, and what must find it
    def found(self, args, changes):
        for name, at, by, check in changes:
            self.run_of(*args)
            with h5py.File(self.path("run.h5"), "r+") as f:
                f[name][at] += by
            v = self.verdict(1, name)
            self.assertGreater(v[check]["worst"], v[check]["tol"], f"{name}: {check}")

    def test_changes_of_a_text_model_are_found(self):
        self.found((LADDER, "--until", "0.05", "--dt", "1e-3"),
                   (("q", (20, 0), 1e-9, "momentum"), ("u", (20, 1), 1e-6, "momentum"),
                    ("Lambda", (20, 0, 0), 1e-6, "momentum"), ("Lambda_1", (20, 0, 0), 1e-6, "momentum"),
                    ("Lambda_1", (20, 1, 1), 1e-6, "friction law"), ("Lambda", (20, 0, 1), 1e-6, "friction law"),
                    ("gap", (20, 1), 1e-6, "kinematics"), ("gamma", (20, 1, 1), 1e-5, "kinematics"),
                    ("energy/loss_friction", 20, 1e-4, "losses")))

    def test_changes_of_a_scene_are_found(self):
        self.found((DISK, "--until", "0.05", "--dt", "1e-3"),
                   (("q", (20, 1), 1e-9, "momentum"), ("u", (20, 4), 1e-5, "momentum"),
                    ("touch/Lambda", (20, 0), 1e-6, "momentum"), ("touch/Lambda_1", (20, 1), 1e-6, "momentum"),
                    ("touch/Lambda_1", (20, 2), 1e-6, "momentum"), ("touch/gap", 20, 1e-6, "kinematics"),
                    ("touch/frame", (20, 4), 1e-6, "kinematics"), ("touch/point", (20, 0), 1e-6, "kinematics")))

    # Impulses that are moved from one stage to the other keep their sum
    def test_shares_of_the_stages_are_found(self):
        self.run_of(LADDER, "--until", "0.05", "--dt", "1e-3")
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["Lambda_1"][:] = 0
        v = self.verdict(1)
        self.assertGreater(v["momentum"]["worst"], 1e-3)

    def test_what_it_refuses(self):
        self.bad(2, "run", "ball", "--integrator", "rattle", "--project", "on", says="--project")
        self.bad(2, "run", "ball", "--integrator", "rattle", "--impact", "poisson", says="Newton's law alone")

    # A run that goes on is the run in one go
    def test_resumed_run(self):
        for model in ("billiards", "woodpecker"):
            self.good("run", model, "--integrator", "rattle", "--until", "0.06", "--dt", "1e-3", "-q", "-o", "whole.h5")
            self.good("run", model, "--integrator", "rattle", "--until", "0.03", "--dt", "1e-3", "-q", "-o", "part.h5")
            self.good("run", "--resume", "part.h5", "--until", "0.06", "-q")
            with h5py.File(self.path("whole.h5")) as a, h5py.File(self.path("part.h5")) as b:
                for name in ("t", "q", "u", "energy/defect"):
                    self.assertEqual(a[name][:].tobytes(), b[name][:].tobytes(), f"{model}: {name}")


main()

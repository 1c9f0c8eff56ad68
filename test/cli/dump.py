# `stickslip run --dump-problems`: which problems are saved, what they say, and that solving them gives the impulses of
# the steps.
import json
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, ToolTest, main

BEAD = """\
name: bead
coordinates: {x: m, y: m}
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
constraints: {wire: y - 0.5*x}
contacts:
  belt: {gap: y, slide: x' - 1, mu: 0.4, eps_n: 0.3}
  damper: {slide: x', bound: 0.2}
initial: {x: 0.2, y: 0.1}
run: {dt: 1e-3, until: 0.5}
"""


class Dump(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)
        self.write("bead.yaml", BEAD)

    def problems(self, folder="d"):
        return sorted(os.listdir(self.path(folder)))

    def test_all_and_their_impulses(self):
        for project in ("off", "on"):
            folder = "d" + project
            out = self.good("run", "bead.yaml", "--dump-problems", folder, "--when", "all", "--project", project)
            self.assertIn(f"problems     500 saved in {folder}", out)
            for name in self.problems(folder)[::50] + self.problems(folder)[-1:]:
                step = json.loads(self.read(os.path.join(folder, name)))
                answer = self.json("solve", os.path.join(folder, name), "--json")
                self.assertEqual(answer["status"], "solved")
                self.assertEqual(answer["Lambda"], step["Lambda"])
                self.assertIn("model 'bead'", step["notes"])
                self.assertIn(f"step {int(name[5:13])} ", step["notes"])
                self.assertLessEqual(set(step["contacts"]), {"belt", "damper"})
                self.assertEqual(step["bilateral"], 1)
            # an independent method finds the same velocities
            cone = self.json("solve", os.path.join(folder, name), "--json", "--solver", "newton", "--tol", "1e-11")
            for a, b in zip(cone["xi"], answer["xi"]):
                self.assertAlmostEqual(a, b, places=8)

    def test_every_nth(self):
        out = self.json("run", "bead.yaml", "--dump-problems", "d", "--when", "100", "--json")
        self.assertEqual(out["problems"], {"folder": "d", "saved": 5, "left_out": 0})
        self.assertEqual(self.problems(), [f"step-{k:08d}.json" for k in range(100, 501, 100)])

    def test_steps_without_contacts_have_no_problem(self):
        self.good("run", "ball.yaml", "--until", "0.05", "--dump-problems", "d", "--when", "all")
        self.assertEqual(self.problems(), [])

    def test_failed_is_the_default(self):
        self.assertIn("0 saved in d", self.good("run", "ball.yaml", "--dump-problems", "d"))
        status, out, err = self.tool("run", "bead.yaml", "--dump-problems", "d", "--tol", "1e-300")
        saved = len(self.problems())
        self.assertEqual(status, 1)
        self.assertIn(f"{saved} saved in d", out)
        self.assertIn(f"{saved} of 500 steps missed the tolerance", err)
        self.assertGreater(saved, 0)
        step = json.loads(self.read("d/" + self.problems()[0]))
        self.assertIn("tolerance 1e-300", step["notes"])

    def test_limit(self):
        out = self.works("run", "bead.yaml", "--dump-problems", "d", "--when", "all", "--dump-limit", "7")
        self.assertIn("7 saved in d, 493 left out", out)
        self.assertEqual(len(self.problems()), 7)

    def test_folders(self):
        self.good("run", "bead.yaml", "--dump-problems", "d", "--when", "100")
        self.bad(2, "run", "bead.yaml", "--dump-problems", "d", says="problems of another run")
        self.bad(4, "run", "bead.yaml", "--dump-problems", "no/such", says=("no/such", "No such file"))
        self.bad(4, "run", "bead.yaml", "--dump-problems", "bead.yaml", says="Not a directory")

    def test_resume(self):
        self.good("run", "bead.yaml", "-o", "r.h5", "--until", "0.2", "--dump-problems", "d", "--when", "100")
        self.good("run", "--resume", "r.h5", "--until", "0.4", "--dump-problems", "d", "--when", "100")
        self.assertEqual(len(self.problems()), 4)

    def test_usage(self):
        self.bad(2, "run", "bead.yaml", "--when", "all", says="--dump-problems")
        for when in ("sometimes", "0", "-3", "1.5", "10x", ""):
            self.bad(2, "run", "bead.yaml", "--dump-problems", "d", "--when", when, says="failed, all or a number")
        self.assertFalse(os.path.exists(self.path("d")))

    def test_full_disk(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        self.bad(4, "run", "bead.yaml", "--dump-problems", "d", "--when", "all", preexec_fn=limit,
                 says=("d/step-00000001.json", "cannot be written"))
        self.assertEqual(self.problems(), [])


if __name__ == "__main__":
    main()

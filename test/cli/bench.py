# `stickslip bench solvers`: tables and profiles over a folder, broken files, limits, interruption.
import csv
import json
import os
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import PATIENCE, ToolTest, main

LCP = '{"type": "lcp", "A": [[2, 1], [1, 2]], "b": [-5, -6]}'
PAINLEVE = '{"type": "lcp", "A": [[-1]], "b": [-1]}'
MIXED = '{"type": "mlcp", "A": [[2, 1], [1, 2]], "b": [-5, -6], "lower": [null, 0], "upper": [null, null]}'
CONTACT = '{"type": "contact", "dim": 2, "G": [[1, 0], [0, 1]], "b": [-1, 0.1], "mu": [0.5]}'


class Bench(ToolTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("p/deep"))
        for name, text in (("p/a.json", LCP), ("p/none.json", PAINLEVE), ("p/deep/m, n.json", MIXED),
                           ("p/deep/c.json", CONTACT)):
            self.write(name, text)

    def rows(self, name):
        with open(self.path(name), newline="") as f:
            return list(csv.DictReader(f))

    def solvers(self, name):
        return [s["name"] for s in self.json("solvers", "--json")["solvers"]
                if name in s["accepts"] and not s["name"].startswith("(")]

    def test_one_row_per_problem_and_solver(self):
        out = self.good("bench", "solvers", "p", "-o", "out", "--plot", "none", "--repeat", "2")
        rows = self.rows("out/times.csv")
        accepting = {c: set(self.solvers(c)) for c in ("lcp", "mlcp", "contact")}
        for problem, kind in (("a.json", "lcp"), ("none.json", "lcp"), ("deep/m, n.json", "mlcp"),
                              ("deep/c.json", "contact")):
            mine = [r for r in rows if r["problem"] == problem]
            self.assertEqual({r["solver"] for r in mine}, accepting[kind])
            self.assertEqual(len(mine), len(accepting[kind]))
            self.assertEqual({r["class"] for r in mine}, {kind})
            for r in mine:
                self.assertEqual(r["status"] == "solved", problem != "none.json")
                self.assertGreater(float(r["seconds"]), 0)
                if r["status"] == "solved":
                    self.assertLessEqual(float(r["residual"]), 1e-8)
        for part in ("lcp: 2 problems", "1 solved by no solver", "median ratio", "contact: 1 problem "):
            self.assertIn(part, out)

    def test_profile_is_that_of_dolan_and_more(self):
        self.good("bench", "solvers", "p", "-o", "out", "--plot", "none")
        times = [r for r in self.rows("out/times.csv") if r["class"] == "lcp"]
        solved = {(r["problem"], r["solver"]): float(r["seconds"]) for r in times if r["status"] == "solved"}
        profile = self.rows("out/profile-lcp.csv")
        self.assertEqual(float(profile[0]["tau"]), 1)
        best = min(solved.values())  # of a.json; the other problem has no solution
        for row in profile:
            tau = float(row.pop("tau"))
            for solver, part in row.items():
                ratio = solved["a.json", solver]/best
                if abs(ratio - tau) > 1e-3*tau:  # times.csv is rounded
                    self.assertEqual(float(part), 0.5 if ratio <= tau else 0, (solver, tau, ratio))
        self.assertEqual(set(profile[-1].values()), {"0.5"})

    def test_json(self):
        result = self.json("bench", "solvers", "p", "--json", "--cpu")
        self.assertEqual((result["problems"], result["broken"], result["complete"]), (4, 0, True))
        lcp = result["classes"][0]
        self.assertEqual((lcp["class"], lcp["problems"], lcp["solved_by_none"], lcp["tolerance"]), ("lcp", 2, 1, 1e-10))
        self.assertTrue(all(s["solved"] == 1 and s["median_ratio"] >= 1 for s in lcp["solvers"]))
        self.assertGreaterEqual(sum(s["fastest"] for s in lcp["solvers"]), 1)

    def test_broken_files_are_counted(self):
        self.write("p/broken.json", '{"type": "lcp", "A": [[1, 2]], "b": [1]}')
        self.write("p/broken.hdf5", "no HDF5")
        self.write("p/notes.txt", "not looked at")
        status, out, err = self.tool("bench", "solvers", "p")
        self.assertEqual(status, 1)
        self.assertIn("2 files could not be read as problems", out)
        self.assertIn("broken.json:1:23: A[0] has 2 numbers", err)
        self.assertIn("broken.hdf5", err)
        self.assertIn("lcp: 2 problems", out)

    def test_nothing_to_do(self):
        os.mkdir(self.path("empty"))
        self.bad(2, "bench", "solvers", "empty", says="holds no problems")
        self.write("empty/x.json", "{}")
        self.bad(2, "bench", "solvers", "empty", says="holds no problems that can be read")
        self.bad(4, "bench", "solvers", "missing", says="missing")
        self.bad(2, "bench", "solvers", says="DIR is missing")
        self.bad(2, "bench", "sundry", "p", says="it can be solvers")
        self.bad(2, "bench", "sundry", says="solvers or pendulum12")
        self.assertIn("bench solvers DIR", self.good("bench"))
        self.bad(4, "bench", "solvers", "p", "-o", "p/a.json", says="p/a.json")

    def test_second_form_and_size(self):
        data = os.path.join(os.environ.get("SS_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "../..")),
                            "test/data/contact")
        for end in ("json", "hdf5"):
            shutil.copy(f"{data}/gen_squeeze2d.{end}", self.path("p"))
        out = self.good("bench", "solvers", "p", "--max-size", "3")
        self.assertIn("1 JSON file beside HDF5", out)
        self.assertIn("1 with more than 3 unknowns left out", out)

    def test_solvers_that_crash_are_told(self):
        for name in ("p/none.json", "p/deep/m, n.json", "p/deep/c.json"):
            os.remove(self.path(name))
        A = [[2.0*(i == j) - (abs(i - j) == 1) for j in range(40)] for i in range(40)]
        self.write("p/a.json", json.dumps({"type": "lcp", "A": A, "b": [-1.0]*40}))
        run = self.start("bench", "solvers", "p", "-o", "out", "--plot", "none", "--repeat", "1000000",
                         "--time-limit", str(PATIENCE))
        solvers = set(self.solvers("lcp"))
        killed = set()
        while len(killed) < len(solvers) and run.poll() is None:
            # Every solver is alone in a process, which repeats until it is ended here. A child that comes after the
            # last of them is the leak sanitizer's, at the exit of the tool itself.
            with open(f"/proc/{run.pid}/task/{run.pid}/children") as f:
                children = set(f.read().split())
            for child in children - killed:
                try:
                    os.kill(int(child), signal.SIGABRT)
                except ProcessLookupError:
                    pass
            killed |= children
            time.sleep(0.01)
        out, err = run.communicate()
        self.assertEqual(run.returncode, 1, err)
        self.assertEqual({r["status"] for r in self.rows("out/times.csv")}, {"crashed"})
        self.assertIn(f"{len(solvers)} solves crashed", out)
        for solver in solvers:
            self.assertIn(f"a.json: {solver} crashed: signal 6", err)

    def test_pendulum(self):
        rows = self.json("bench", "pendulum12", "--until", "0.3", "--json")["solvers"]
        self.assertEqual([r["name"] for r in rows], ["mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm", "mncp-rlm",
                                                     "mncp-plm", "auto"])
        for r in rows:
            self.assertEqual((r["missed"], r["contacts"], r["within_1e-6_until"]), (0, 1, None))
            self.assertAlmostEqual(r["first_impact"], 0.215)
        self.assertIn("22.78", self.good("bench", "pendulum12", "--until", "0.01"))
        self.bad(2, "bench", "pendulum12", "p", says="it can be solvers")
        self.bad(2, "bench", "pendulum12", "--until", "1e-9", says="--until")

    def test_time_limit(self):
        n = 220
        A = [[1.0/(1 + abs(i - j)) - 2*(i == j) for j in range(n)] for i in range(n)]
        self.write("p/large.json", json.dumps({"type": "lcp", "A": A, "b": [(-1)**i*1.0 for i in range(n)]}))
        self.tool("bench", "solvers", "p", "-o", "out", "--plot", "none", "--time-limit", "1e-3")
        rows = [r for r in self.rows("out/times.csv") if r["problem"] == "large.json"]
        self.assertIn("time_limit", {r["status"] for r in rows})
        self.assertEqual({r["solver"] for r in rows}, set(self.solvers("lcp")))

    def test_ctrl_c_keeps_what_is_there(self):
        for i in range(2000):
            self.write(f"p/{i}.json", LCP)
        run = self.start("bench", "solvers", "p", "-o", "out", "--plot", "none")
        table = self.path("out/times.csv")
        self.wait_until(run, lambda: os.path.exists(table) and os.path.getsize(table) > 5000)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 3, err)
        self.assertIn("interrupted after", err)
        self.assertIn("median ratio", out)
        rows = self.rows("out/times.csv")
        self.assertGreater(len(rows), 20)
        self.assertTrue(all(r["seconds"] for r in rows))
        self.assertTrue(self.rows("out/profile-lcp.csv"))

    def test_plot(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        self.good("bench", "solvers", "p", "-o", "out")
        for kind in ("lcp", "mlcp", "contact"):
            picture = self.read(f"out/profile-{kind}.svg")
            self.assertTrue(picture.rstrip().endswith("</svg>"))
            for solver in self.solvers(kind):
                self.assertIn(solver, picture)


if __name__ == "__main__":
    main()

# `stickslip solvers`: every solver that the library has, each with what it is.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import ToolTest, main

CLASSES = {
    "lcp": '{"type": "lcp", "A": [[2, 1], [1, 2]], "b": [-5, -6]}',
    "mlcp": '{"type": "mlcp", "A": [[2, 1], [1, 2]], "b": [-5, -6], "lower": [null, 0], "upper": [null, null]}',
    "contact": '{"type": "contact", "dim": 2, "G": [[1, 0], [0, 1]], "b": [-1, 0.1], "mu": [0.5]}',
}


class Solvers(ToolTest):
    def solvers(self, *more):
        return self.json("solvers", *more, "--json")["solvers"]

    def test_every_solver_is_described(self):
        everything = self.solvers()
        out = self.good("solvers")
        for s in everything:
            self.assertTrue(s["method"], f"{s['name']} has no row in src/solve/about.c")
            self.assertTrue(s["limits"], s["name"])
            self.assertTrue(s["source"] or s["name"] == "auto", s["name"])
            self.assertIn(s["name"], out)
            self.assertIn(s["method"], out)
        self.assertFalse(any(line != line.rstrip() for line in out.splitlines()))

    def test_every_solver_solves_what_it_accepts(self):
        for name, text in CLASSES.items():
            self.write("p.json", text)
            table = self.json("solve", "p.json", "--solver", "all", "--json")["solvers"]
            listed = {s["name"] for s in self.solvers() if name in s["accepts"] and not s["name"].startswith("(")}
            if name == "contact":  # it is planar: also as an LCP
                listed |= {s["name"] for s in self.solvers("lcp") if s["accepts"][0] == "lcp" and s["name"][0] != "("}
            self.assertEqual({r["solver"] for r in table if r["solver"] != "enumerate"}, listed)
            for solver in listed:
                self.good("solve", "p.json", "--solver", solver)

    def test_a_class_alone(self):
        self.assertEqual({s["accepts"][0] for s in self.solvers("contact")}, {"contact"})
        self.assertEqual(self.solvers("mlcp")[0]["accepts"], ["mlcp", "lcp"])
        self.bad(2, "solvers", "sundry", says="no class of problems")

    def test_completion_knows_them(self):
        text = self.good("completion", "bash")
        for s in self.solvers():
            if not s["name"].startswith("("):
                self.assertIn(f" {s['name']} ", text.replace("'", " "))


if __name__ == "__main__":
    main()

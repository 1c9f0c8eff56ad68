# `stickslip solve`: what it prints, its exit status, and what it says about files that hold no problem.
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import ToolTest, main

SOLVABLE = '{"type": "lcp", "name": "pair", "A": [[2, 1], [1, 2]], "b": [-5, -6]}'
MIXED = ('{"type": "mlcp", "name": "relay", "A": [[1, -1], [1, 0]], "b": [-3, 0], "lower": [null, -1], '
         '"upper": [null, 1]}')
PAINLEVE = '{"type": "lcp", "A": [[-1]], "b": [-1]}'


class Solve(ToolTest):
    def test_solved(self):
        self.write("p.json", SOLVABLE)
        out = self.good("solve", "p.json")
        for part in ("pair", "unknowns  2", "solved", "residual", "iterations", "1.333333333", "2.333333333"):
            self.assertIn(part, out)

    def test_json(self):
        self.write("p.json", SOLVABLE)
        result = json.loads(self.good("solve", "p.json", "--json", "--repeat", "5"))
        self.assertEqual((result["type"], result["name"], result["status"]), ("lcp", "pair", "solved"))
        self.assertLessEqual(result["residual"], 1e-15)
        self.assertAlmostEqual(result["x"][0], 4/3, places=14)
        self.assertAlmostEqual(result["x"][1], 7/3, places=14)
        self.assertEqual(len(result["y"]), 2)
        self.assertGreater(result["iterations"], 0)
        self.assertNotIn("ray", result)

    def test_no_solution_is_status_3_with_the_ray(self):
        self.write("p.json", PAINLEVE)
        status, out, _ = self.tool("solve", "p.json")
        self.assertEqual(status, 3)
        self.assertIn("ray", out)
        status, out, _ = self.tool("solve", "p.json", "--json")
        self.assertEqual(status, 3)
        result = json.loads(out)
        self.assertEqual((result["status"], result["ray"]), ("ray", [1]))
        self.assertTrue(result["infeasible"])

    def test_sparse_problems_stay_sparse(self):
        n = 20000  # 3.2 GB as a dense matrix
        entries = [[i, j, 2 if i == j else -1] for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n]
        b = [-1e-3 if i % 500 < 20 else 1e-3 for i in range(n)]
        self.write("p.json", json.dumps({"type": "lcp", "A": {"rows": n, "cols": n, "entries": entries}, "b": b}))
        status, out, _ = self.tool("solve", "p.json", "--json")
        result = json.loads(out)
        self.assertEqual((status, result["status"], result["solver"]), (0, "solved", "newton-min"))
        x = result["x"]
        y = [b[i] + 2*x[i] - (x[i - 1] if i else 0) - (x[i + 1] if i < n - 1 else 0) for i in range(n)]
        self.assertLess(max(abs(min(x[i], y[i])) for i in range(n)), 1e-12)
        self.assertTrue(any(x) and not all(x))
        status, out, _ = self.tool("solve", "p.json", "--solver", "lemke")
        self.assertEqual(status, 3)
        self.assertIn("too large for this solver", out)

    def test_auto_tells_what_it_has_tried(self):
        n = 14  # matching pennies of two players with 7 strategies each: Lemke's method ends on rays
        k = n//2
        A = [[0.0]*n for _ in range(n)]
        for i in range(k):
            for j in range(k):
                A[i][k + j] = 1 + ((3*i + 5*j) % 11)/11
                A[k + i][j] = 1 + ((7*i + 2*j) % 13)/13
        self.write("p.json", json.dumps({"type": "lcp", "A": A, "b": [-1]*n}))
        _, out, _ = self.tool("solve", "p.json", "--json")
        tried = json.loads(out)["tried"]
        self.assertEqual((tried[0]["solver"], tried[0]["status"]), ("lemke", "ray"))
        self.assertGreater(len(tried), 1)
        _, out, _ = self.tool("solve", "p.json")
        self.assertRegex(out, r"tried +lemke +ray .*iterations +\(fewer than 64 unknowns\)")

    def test_missed_tolerance_is_status_1(self):
        n = 13  # too large to try every basis
        A = [[1.0/(1 + abs(i - j)) for j in range(n)] for i in range(n)]
        self.write("p.json", json.dumps({"type": "lcp", "A": A, "b": [-1 - 0.1*i for i in range(n)]}))
        status, out, _ = self.tool("solve", "p.json", "--solver", "lemke", "--tol", "1e-30")
        self.assertEqual(status, 1)
        self.assertIn("above the tolerance", out)
        status, out, _ = self.tool("solve", "p.json", "--solver", "lemke", "--max-iter", "1", "--json")
        self.assertEqual(status, 1)
        self.assertEqual(json.loads(out)["status"], "not_converged")

    def test_large_problems_are_cut(self):
        n = 30
        A = [[float(i == j) for j in range(n)] for i in range(n)]
        self.write("p.json", json.dumps({"type": "lcp", "A": A, "b": [-1.0]*n}))
        self.assertIn("10 more; --all prints them", self.good("solve", "p.json"))
        self.assertNotIn("more", self.good("solve", "p.json", "--all"))

    def test_bad_files(self):
        cases = [
            ('{"type": "lcp", "A": [[1, 2]], "b": [1]}', 2, "p.json:1:23: A[0] has 2 numbers"),
            ('{"type": "contact"}', 2, 'p.json:1:1: the field "mu" is missing'),
            ('{"type": "mlcp", "A": [[1]], "b": [1], "lower": [1], "upper": [0]}', 2, "is above upper[0]"),
            ('{\n"type": "lcp",\n}', 2, "p.json:3:1: '}' does not belong here"),
            ("", 2, "empty"),
            ('{"type": "lcp", "A": [[1e308, 1e308], [1, 1]], "b": [-1, -1]}', 3, None),
        ]
        for text, wanted, says in cases:
            self.write("p.json", text)
            status, out, err = self.tool("solve", "p.json")
            self.assertEqual(status, wanted, text)
            self.assertIn(says or "overflow", err if says else out)
        status, _, err = self.tool("solve", "missing.json")
        self.assertEqual(status, 4)
        self.assertIn("missing.json", err)
        self.assertEqual(self.tool("solve", ".")[0], 4)
        self.assertEqual(self.tool("solve")[0], 2)

    def test_mixed(self):
        self.write("p.json", MIXED)
        out = self.good("solve", "p.json")
        for part in ("relay", "unknowns  2: 1 free, 0 with one bound, 1 with two, 0 fixed", "status    solved", "auto"):
            self.assertIn(part, out)
        result = json.loads(self.good("solve", "p.json", "--json"))
        self.assertEqual((result["type"], result["name"], result["status"]), ("mlcp", "relay", "solved"))
        self.assertEqual((result["z"], result["w"]), ([2, -1], [0, 2]))

    def test_all_solvers_of_a_mixed_problem_in_a_table(self):
        self.write("p.json", MIXED)
        out = self.good("solve", "p.json", "--solver", "all", "--repeat", "3")
        for name in ("auto", "mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm", "median time"):
            self.assertIn(name, out)
        rows = json.loads(self.good("solve", "p.json", "--solver", "all", "--json"))["solvers"]
        self.assertEqual([r["status"] for r in rows], ["solved"]*4)
        self.assertTrue(all(r["residual"] <= 1e-15 for r in rows))
        for name in ("auto", "mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm"):
            rows = json.loads(self.good("solve", "p.json", "--solver", name, "--json"))["solvers"]
            self.assertEqual([r["solver"] for r in rows], [name])
        self.assertEqual(self.tool("solve", "p.json", "--solver", "path")[0], 2)
        status, _, err = self.tool("solve", "p.json", "--solver", "lemke")
        self.assertEqual(status, 2)
        self.assertIn("is for LCPs", err)

    def test_words_where_there_is_nothing_to_do(self):
        self.write("p.json", '{"type": "lcp", "A": [], "b": []}')
        self.assertNotIn("(lemke)", self.good("solve", "p.json", "--solver", "all"))
        self.write("p.json", '{"type": "contact", "dim": 3, "G": [[1,0,0],[0,1,0],[0,0,1]], "b": [1,0,0], "mu": [0.5]}')
        out = self.good("solve", "p.json")
        self.assertIn("no iteration was needed", out)
        self.assertNotIn("0 sweeps", out)

    def test_the_head_of_an_hdf5_file_is_no_problem(self):
        with open(self.path("p.h5"), "wb") as f:
            f.write(b"\x89HDF\r\n\x1a\n")
        self.bad(4, "solve", "p.h5", says=("'p.h5' is not a contact problem (FCLIB)", "ends within the head"))
        self.bad(4, "events", "p.h5", says=("'p.h5' is not a run file", "ends within the head"))

    def test_all_solvers_of_an_lcp_in_a_table(self):
        names = ["auto", "lemke", "pgs", "newton-min", "newton-fb", "block-pivot"]
        self.write("p.json", SOLVABLE)
        out = self.good("solve", "p.json", "--solver", "all", "--repeat", "3")
        for part in names + ["median time", "1.333333333"]:
            self.assertIn(part, out)
        result = json.loads(self.good("solve", "p.json", "--solver", "all", "--json"))
        found, others = [r["solver"] for r in result["solvers"]], ["mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm"]
        self.assertEqual(found, names + others + ["enumerate"])
        self.assertEqual(result["solvers"][-1]["solutions"], 1)
        self.assertTrue(all(r["status"] == "solved" and r["residual"] <= 1e-10 for r in result["solvers"]))
        self.assertAlmostEqual(result["x"][0], 4/3, places=12)
        for name in names[1:]:
            result = json.loads(self.good("solve", "p.json", "--solver", name, "--json"))
            self.assertEqual((result["solver"], result["status"]), (name, "solved"))
        rows = json.loads(self.good("solve", "p.json", "--solver", "mlcp-path", "--json"))["solvers"]
        self.assertEqual([r["solver"] for r in rows], ["mlcp-path"])
        self.write("p.json", PAINLEVE)
        status, out, _ = self.tool("solve", "p.json", "--solver", "all")
        self.assertEqual(status, 3)
        for part in ("ended on a ray", "iteration limit", "has no solution", "0 of 10 solvers met the tolerance 1e-10"):
            self.assertIn(part, out)
        # a bimatrix game with two pure and one mixed equilibrium; Gauss-Seidel does not solve it: status 1
        game = [[0, 0, 1, 2], [0, 0, 2, 1], [1, 2, 0, 0], [2, 1, 0, 0]]
        self.write("p.json", json.dumps({"type": "lcp", "A": game, "b": [-1]*4}))
        status, out, _ = self.tool("solve", "p.json", "--solver", "all", "--json")
        rows = {r["solver"]: r for r in json.loads(out)["solvers"]}
        self.assertEqual((status, rows["lemke"]["status"], rows["enumerate"]["solutions"]), (1, "solved", 3))
        self.assertNotEqual(rows["pgs"]["status"], "solved")

    def test_solution_count_of_a_continuum(self):
        self.write("p.json", '{"type": "lcp", "A": [[1, -1], [-1, 1]], "b": [0, 0]}')
        status, out, _ = self.tool("solve", "p.json", "--solver", "all", "--json")
        self.assertEqual(json.loads(out)["solvers"][-1]["solutions"], "infinite")

    def test_solutions_of_contact_problems(self):
        examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/")
        out = self.good("solve", examples + "three-motions.json", "--solutions")
        self.assertIn("solutions  3", out)
        r = self.json("solve", examples + "three-motions.json", "--solutions", "--json")
        self.assertEqual((r["count"], [p["states"] for p in r["pieces"]]), ("finite", [["open"], ["stick"], ["slip-"]]))
        for p, Lambda, xi in zip(r["pieces"], ([0, 0], [1.55, 2.9], [1.25, 2.5]), ([1, -8], [0, 0], [0, -1])):
            for found, expected in zip(p["vertices"][0] + p["xi"][0], Lambda + xi):
                self.assertAlmostEqual(found, expected, 12)
        ma = examples + "ma-pendulum.json"
        self.assertEqual(self.json("solve", ma, "--solutions", "--json")["count"], "finite")
        r = self.json("solve", ma, "--solutions", "--json", "--form", "short")
        self.assertEqual((r["count"], r["x"], r["pieces"][0]["rays"]),
                         ("infinite", ["Lambda_N", "Lambda_R", "xi_L"], [[0, 0, 1]]))
        r = self.json("solve", ma, "--solutions", "--json", "--form", "enhanced")
        self.assertEqual((r["count"], r["pieces"]), ("finite", [{"vertices": [[0, 0, 0]], "rays": []}]))
        self.assertIn("ray ", self.good("solve", ma, "--solutions", "--form", "long"))

    def test_solutions_of_contact_problems_refused(self):
        self.write("spatial.json", '{"type": "contact", "dim": 3, "G": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], '
                                   '"b": [-1, 0, 0], "mu": [0.5]}')
        self.write("p.json", '{"type": "lcp", "A": [[1]], "b": [-1]}')
        for line, words in ((["spatial.json", "--solutions"], "this one is spatial"),
                            (["p.json", "--form", "short"], "--form goes with --solutions"),
                            (["p.json", "--solutions", "--form", "short"], "--form is for planar contact problems")):
            status, out, err = self.tool("solve", *line)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(words, err)
        self.write("none.json", '{"type": "contact", "dim": 2, "G": [[0, 0], [0, 0]], "b": [-1, 0], "mu": [0.5]}')
        status, out, err = self.tool("solve", "none.json", "--solutions")
        self.assertEqual(status, 3)
        self.assertIn("solutions  none", out)

    def test_solutions(self):
        self.write("p.json", '{"type": "lcp", "A": [[-1]], "b": [1]}')
        self.assertIn("solutions  2", self.good("solve", "p.json", "--solutions"))
        result = json.loads(self.good("solve", "p.json", "--solutions", "--json"))
        self.assertEqual((result["count"], result["complete"]), ("finite", True))
        self.assertEqual([p["vertices"] for p in result["pieces"]], [[[0]], [[1]]])
        # the ray of Ma et al.: only the difference of the last two enters
        self.write("p.json", '{"type": "lcp", "A": [[1, 0, 0], [0, 1, -1], [0, -1, 1]], "b": [-1, 0, 0]}')
        self.assertIn("infinitely many", self.good("solve", "p.json", "--solutions"))
        result = json.loads(self.good("solve", "p.json", "--solutions", "--json"))
        self.assertEqual(result["count"], "infinite")
        self.assertEqual([(p["vertices"], p["rays"]) for p in result["pieces"]], [([[1, 0, 0]], [[0, 1, 1]])])
        self.write("p.json", PAINLEVE)
        status, out, _ = self.tool("solve", "p.json", "--solutions")
        self.assertEqual(status, 3)
        self.assertIn("none", out)
        for text in (MIXED, json.dumps({"type": "lcp", "A": [[1]*21]*21, "b": [1]*21})):
            self.write("p.json", text)
            status, _, err = self.tool("solve", "p.json", "--solutions")
            self.assertEqual(status, 2)
            self.assertIn("at most 20 unknowns", err)

    def test_contradiction_is_status_3_with_the_witness(self):
        self.write("p.json", '{"type": "mlcp", "A": [[1, 1], [1, 1]], "b": [1, 2], "lower": [null, null], '
                             '"upper": [null, null]}')
        status, out, _ = self.tool("solve", "p.json", "--json")
        self.assertEqual(status, 3)
        result = json.loads(out)
        self.assertEqual((result["status"], sorted(result["ray"])), ("ray", [-1, 1]))

    def test_contact_problems(self):
        block = {"type": "contact", "name": "block", "dim": 3, "G": [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]],
                 "b": [-2, 3, -4], "mu": [0.5]}
        self.write("p.json", json.dumps(block))
        self.assertIn("solved", self.good("solve", "p.json"))
        for method in ("auto", "nsgs", "newton", "ipm", "admm"):
            answer = json.loads(self.good("solve", "p.json", "--solver", method, "--json"))
            self.assertEqual((answer["status"], answer["contacts"], answer["form"]), ("solved", 1, "local"))
            self.assertLessEqual(answer["residual"], 1e-8)
            for found, wanted in zip(answer["Lambda"], (4, -1.2, 1.6)):
                self.assertAlmostEqual(found, wanted, places=6)
        self.assertEqual(self.tool("solve", "p.json", "--solver", "lemke")[0], 2)
        soft = json.loads(self.good("solve", "p.json", "--kappa", "1", "--json"))
        self.assertAlmostEqual(soft["Lambda"][0], 1, places=6)  # 0.5 + 1.5 instead of 0.5
        self.write("p.json", json.dumps({**block, "mu": [-1]}))
        status, _, err = self.tool("solve", "p.json")
        self.assertEqual(status, 2)
        self.assertIn("mu[0] is -1", err)

    def test_all_solvers_of_a_contact_problem_in_a_table(self):
        names = [s["name"] for s in self.json("solvers", "contact", "--json")["solvers"]]
        self.write("p.json", json.dumps({"type": "contact", "dim": 2, "G": [[0.5, 0], [0, 0.5]], "b": [-2, 3],
                                         "mu": [0.5]}))
        result = self.json("solve", "p.json", "--solver", "all", "--json")
        names += ["lemke", "pgs", "newton-min", "newton-fb", "block-pivot"]  # it is planar: also as an LCP
        self.assertEqual([r["solver"] for r in result["solvers"]], names)
        self.assertTrue(all(r["status"] == "solved" and r["residual"] <= 1e-8 for r in result["solvers"]))
        for found, wanted in zip(result["Lambda"], (4, -2)):
            self.assertAlmostEqual(found, wanted, places=6)
        out = self.good("solve", "p.json", "--solver", "all")
        for part in ("contacts  1, planar, local form", "Lambda_N", f"{len(names)} of {len(names)} solvers met"):
            self.assertIn(part, out)

    def test_one_auto_for_a_planar_problem(self):
        # two bilateral rows that contradict each other, xi_1 = xi_2 + 1: no solver can do better than 0.5 of 2
        problem = {"type": "contact", "bilateral": 2, "kinds": ["planar"], "mu": [0.5], "b": [-1, -2, -1, 0.1],
                   "G": [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}
        for b, solved in (([-1, -2, -1, 0.1], False), ([-1, -1, -1, 0.1], True)):
            self.write("p.json", json.dumps({**problem, "b": b}))
            alone = json.loads(self.tool("solve", "p.json", "--json")[1])
            table = json.loads(self.tool("solve", "p.json", "--json", "--solver", "all")[1])
            row = table["solvers"][0]
            self.assertEqual((row["solver"], row["status"]), ("auto", alone["status"]))
            self.assertEqual(alone["status"] == "solved", solved)
            self.assertAlmostEqual(alone["residual"], row["residual"], places=12)
            if not solved:
                self.assertAlmostEqual(alone["residual"], 0.25, places=6)
                self.assertEqual([a["solver"] for a in alone["tried"]][:3], ["lemke", "nsgs", "newton"])
            lemke = json.loads(self.tool("solve", "p.json", "--json", "--solver", "lemke")[1])
            rows = {r["solver"]: r for r in table["solvers"]}
            self.assertAlmostEqual(lemke["residual"], rows["lemke"]["residual"], places=12)

    def test_what_does_not_go_together(self):
        self.write("lcp.json", '{"type": "lcp", "A": [[1]], "b": [-1]}')
        self.write("p.json", json.dumps({"type": "contact", "dim": 2, "G": [[0.5, 0], [0, 0.5]], "b": [-2, 3],
                                         "mu": [0.5]}))
        for line, words in ((["lcp.json", "--kappa", "1"], "--kappa is for contact problems"),
                            (["lcp.json", "--solutions", "--solver", "pgs"], "do not go with --solutions"),
                            (["p.json", "--solutions", "--solver", "nsgs"], "do not go with --solutions"),
                            (["p.json", "--solutions", "--certify"], "do not go with --solutions")):
            status, _, err = self.tool("solve", *line)
            self.assertEqual(status, 2)
            self.assertIn(words, err)

    def test_facets_that_stay(self):
        g = [[0.5, 0, 0], [0, 1.75, 0], [0, 0, 1.75]]  # a sphere of mass 2 that slides along T1
        self.write("p.json", json.dumps({"type": "contact", "dim": 3, "G": g, "b": [-1, 5, 0], "mu": [0.1]}))
        fixed = ["--cone", "polyhedral", "--cone-align", "off", "--cone-angle"]

        def impulses(*options):  # of the polyhedral law: the exact one is missed, which is no failure
            return json.loads(self.tool("solve", "p.json", "--json", *options)[1])["Lambda"]

        for x, y in zip(impulses("--cone", "polyhedral") + impulses(*fixed, "30"),
                        [2, -0.2, 0, 2, -0.2*math.cos(math.pi/6), -0.1]):
            self.assertAlmostEqual(x, y, places=12)
        for line, words in ((["--cone-align", "off"], "--cone-align is for --cone polyhedral"),
                            (["--cone", "polyhedral", "--cone-angle", "30"], "with --cone-align off"),
                            (["--cone", "polyhedral", "--cone-align", "perhaps"], "off"),
                            ([*fixed, "x"], "finite number")):
            status, _, err = self.tool("solve", "p.json", *line)
            self.assertEqual(status, 2)
            self.assertIn(words, err)

    def test_verdicts_that_were_wrong(self):
        unit = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        self.write("mu.json", json.dumps({"type": "contact", "dim": 3, "G": unit, "b": [-1, 0.3, 0], "mu": [1e9]}))
        answer = self.json("solve", "mu.json", "--json")
        self.assertGreater(answer["xi"][0], -1e-8)
        self.write("small.json", '{"type": "contact", "kinds": ["normal"], "G": [[1e300]], "b": [-1e-300], "mu": [0]}')
        self.assertEqual(self.tool("solve", "small.json", "--certify")[0], 1)  # Lambda = 1e-600 is no double
        self.write("poly.json", json.dumps({"type": "contact", "kinds": ["spatial"], "bound": [1e10], "mu": [0.5],
                                            "G": unit, "b": [-1e-300, 1e-301, 0]}))
        self.assertEqual(self.tool("solve", "poly.json", "--cone", "polyhedral")[0], 3)

    def test_contact_problem_without_solution_is_status_1(self):
        squeeze = {"type": "contact", "dim": 2, "G": [[1, 0, -1, 0], [0, 1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, 1]],
                   "b": [-1, 0, -1, 0], "mu": [0.3, 0.3]}  # xi_N1 + xi_N2 = -2 whatever the impulses
        self.write("p.json", json.dumps(squeeze))
        status, out, _ = self.tool("solve", "p.json", "--json")
        self.assertEqual((status, json.loads(out)["status"]), (1, "not_converged"))
        self.assertGreater(json.loads(out)["residual"], 0.1)

    def test_empty_problem(self):
        self.write("m.json", '{"type": "mlcp", "A": [], "b": [], "lower": [], "upper": []}')
        self.assertIn("solved", self.good("solve", "m.json"))
        self.write("p.json", '{"type": "lcp", "A": [], "b": []}')
        self.assertIn("solved", self.good("solve", "p.json"))


if __name__ == "__main__":
    main()

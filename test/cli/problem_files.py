# Problem files on the command line: conversion, kinds and bounds, warnings, what is refused; FCLIB files in h5py.
import json
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import ToolTest, main

try:
    import h5py
except ImportError:
    h5py = None

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/")
STEP = {"type": "contact", "name": "step", "kinds": ["planar", "normal", "friction"], "bilateral": 1,
        "contacts": ["foot", "stop", "belt"], "mu": [0.5, 0, 0], "bound": [0, 0, 0.1],
        "G": {"rows": 5, "cols": 5, "entries": [[0, 0, 1], [1, 1, 2], [2, 2, 3], [3, 3, 1], [4, 4, 1],
                                                [0, 1, 0.5], [1, 0, 0.5]]},
        "b": [0.1, -1, 0.2, -3, 1]}


def data(name):
    return os.path.join(DATA, name)


def example(name):
    with open(EXAMPLES + name) as f:
        return f.read()


def load(name):
    with open(data(name)) as f:
        return json.load(f)


class OtherLaws(ToolTest):
    # On the ellipse E^T xi = (0.3, 0.4), so Lambda_T = -(0.3*0.6, 0.8*0.8); polygons answer with a corner
    ANISOTROPIC = [1, -0.18, -0.64, 1, 0.8, 0, 1, -0.5, -0.5, 1, -0.3, -0.4]

    def close(self, found, wanted, places=7):
        self.assertEqual(len(found), len(wanted))
        for a, b in zip(found, wanted):
            self.assertAlmostEqual(a, b, places)

    def test_sets_by_every_method(self):
        file = EXAMPLES + "anisotropic.json"
        for solver in ("auto", "mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm", "mncp-rlm", "mncp-plm"):
            r = self.json("solve", file, "--solver", solver, "--json")
            self.assertEqual((r["status"], r["law"], r["contacts"]), ("solved", "sets", 4))
            self.assertLessEqual(r["residual"], 1e-8)
            self.close(r["Lambda"], self.ANISOTROPIC)
            self.close(r["xi"], [0, 1, 0.5, 0, -1.2, 0.1, 0, 1.5, 0.2, 0, 2.7, 3.6])
        r = self.json("solve", file, "--solver", "all", "--json")
        self.assertEqual([(s["solver"], s["status"]) for s in r["solvers"]],
                         [(s, "solved") for s in ("auto", "mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm", "mncp-rlm",
                                                  "mncp-plm")])
        self.close(r["Lambda"], self.ANISOTROPIC)
        self.assertIn("maximal dissipation", self.good("solve", file))
        self.assertIn("6 of 6 solvers", self.good("solve", file, "--solver", "all"))

    def test_sets_are_kept_and_never_ignored(self):
        file = EXAMPLES + "anisotropic.json"
        self.good("solve", file, "--save", "a.json")
        self.good("solve", "a.json", "--save", "b.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.assertEqual(self.json("solve", file, "--json")["Lambda"], self.json("solve", "a.json", "--json")["Lambda"])
        for solver in ("nsgs", "newton", "ipm", "admm", "lemke"):
            self.bad(2, "solve", file, "--solver", solver, says=['cannot honour the "sets"', "mlcp-path", "mncp-plm"])
        self.bad(2, "solve", file, "--certify", says='"sets"')
        self.bad(2, "solve", file, "--solutions", says="spatial")
        self.bad(2, "solve", file, "--save", "a.hdf5", says="no place for sets")
        # in the polyhedral law the directions of ellipse and disk stay, the polygons are exact
        r = self.json("solve", file, "--cone", "polyhedral", "--facets", "8", "--json")
        self.assertLessEqual(r["mlcp_residual"], 1e-8)
        self.assertGreater(r["residual"], 1e-3)
        self.close(r["Lambda"][3:9], self.ANISOTROPIC[3:9])
        # kappa adds 0.1*3 to every diagonal entry: impulses shrink by 1.3
        r = self.json("solve", file, "--kappa", "0.1", "--json")
        self.close(r["Lambda"], [x/1.3 for x in self.ANISOTROPIC])

    def test_sets_in_the_global_form(self):
        p = json.loads(example("anisotropic.json"))
        p["M"] = p["H"] = p.pop("G")
        p["w"], p["f"] = p.pop("b"), [0]*12
        self.write("p.json", json.dumps(p))
        self.close(self.json("solve", "p.json", "--json")["Lambda"], self.ANISOTROPIC)

    def test_plain_disks_and_zeros_are_coulombs_law(self):
        p = {"type": "contact", "dim": 3, "mu": [0.5], "G": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "b": [-1, 3, 4]}
        self.write("p.json", json.dumps(dict(p, sets=[None], slide=[0])))
        r = self.json("solve", "p.json", "--solver", "nsgs", "--json")
        self.assertEqual(r["law"], "Coulomb")
        self.close(r["Lambda"], [1, -0.3, -0.4])

    def test_painleve(self):
        none, two = EXAMPLES + "painleve-none.json", EXAMPLES + "painleve-two.json"
        status, out, _ = self.tool("solve", none, "--solutions", "--json")
        self.assertEqual((status, json.loads(out)["count"], json.loads(out)["pieces"]), (3, "none", []))
        self.assertEqual(self.tool("solve", none)[0], 3)
        self.assertIn("solutions  2", self.good("solve", two, "--solutions"))
        r = self.json("solve", two, "--solutions", "--json")
        self.assertEqual((r["count"], [p["states"] for p in r["pieces"]]), ("finite", [["open"], ["slip-"]]))
        for p, Lambda, xi in zip(r["pieces"], ([0, 0], [3.5, 7]), ([2.8, 9.6], [0, 25])):
            self.close(p["vertices"][0] + p["xi"][0], Lambda + xi, 12)

    def test_slide_is_honoured_by_lcp_solvers_and_certificates(self):
        # the rod sliding to the right with mu = 1/2 and omega = 1: Lambda_N = 9.2/2.8
        p = {"type": "contact", "dim": 2, "mu": [0.5], "slide": [1], "G": [[2.08, -1.44], [-1.44, 2.92]],
             "b": [-9.2, 0.6]}
        self.write("p.json", json.dumps(p))
        for solver in ("auto", "lemke", "pgs", "newton-min", "newton-fb", "block-pivot"):
            r = self.json("solve", "p.json", "--solver", solver, "--json", "--certify")
            self.assertEqual((r["status"], r["law"], r["states"]), ("solved", "sliding", ["slip+"]))
            self.close(r["Lambda"] + r["xi"], [9.2/2.8, -4.6/2.8, 0, -8.9285714286], 9)
            self.assertLessEqual(r["certificate"]["residual"], 1e-10)
        r = self.json("solve", "p.json", "--solver", "all", "--json", "--certify")
        self.assertEqual([s["status"] for s in r["solvers"]], ["solved"]*6)
        self.assertLessEqual(r["certificate"]["residual"], 1e-10)
        for solver in ("nsgs", "mlcp-path", "mncp-rlm"):
            self.bad(2, "solve", "p.json", "--solver", solver, says=['cannot honour the "slide"', "lemke"])
        self.bad(2, "solve", "p.json", "--kappa", "0.1", says="rigid")
        self.bad(2, "solve", "p.json", "--kappa", "0.1", "--solutions", says="rigid")
        self.bad(2, "solve", "p.json", "--cone", "polyhedral", says='"slide"')
        self.bad(2, "solve", "p.json", "--save", "p.hdf5", says="slide already")
        self.good("solve", "p.json", "--save", "q.json")
        self.assertEqual(json.loads(self.read("q.json"))["slide"], [1])

    def test_options_that_do_not_go_together(self):
        self.write("p.json", json.dumps(STEP))
        for option in (["--cone", "polyhedral"], ["--certify"]):
            self.bad(2, "solve", "p.json", "--solutions", *option, says="--solutions")
        self.bad(2, "solve", "p.json", "--kappa", "1", "--save", "q.json", says="--save")
        self.write("none.json", '{"type": "contact", "dim": 2, "mu": [], "G": [], "b": []}')
        self.bad(2, "solve", "none.json", "--solutions", "--form", "long", says="no contacts")
        # compliance adds to G: of one contact with G = 1, kappa = 1 the impulse 1 becomes 1/3 (trace 2)
        self.write("one.json", '{"type": "contact", "dim": 2, "mu": [0], "G": [[1, 0], [0, 1]], "b": [-1, 0]}')
        r = self.json("solve", "one.json", "--solutions", "--kappa", "1", "--json")
        self.assertAlmostEqual(r["pieces"][0]["vertices"][0][0], 1/3, 12)

    def test_bench_leaves_other_laws_out(self):
        os.mkdir(self.path("set"))
        for name in ("anisotropic.json", "painleve-two.json"):
            self.write("set/" + name, example(name))
        r = self.json("bench", "solvers", "set", "--json")
        self.assertEqual((r["problems"], r["other_laws"]), (0, 2))


class ProblemFiles(ToolTest):
    def test_planar_problem_with_kinds_and_bounds(self):
        self.write("p.json", json.dumps(STEP))
        out = self.good("solve", "p.json")
        for part in ("foot", "belt", "slip+", "bilateral row", "as an LCP"):
            self.assertIn(part, out)
        answer = self.json("solve", "p.json", "--json")
        # xi_0 = Lambda_0 + Lambda_1/2 + 0.1 = 0, xi_1 = Lambda_0/2 + 2 Lambda_1 - 1 = 0; |Lambda_2| < 0.3 sticks
        for found, wanted in zip(answer["Lambda"], (-0.4, 0.6, -0.2/3, 3, -0.1)):
            self.assertAlmostEqual(found, wanted, places=12)
        self.assertEqual(answer["states"], ["stick", "closed", "slip+"])
        self.assertLessEqual(answer["residual"], 1e-14)

    def test_lemke_and_the_cone_agree_in_the_plane(self):
        by_lemke = self.json("solve", data("contact/gen_planar_k3_d2_s0.json"), "--solver", "lemke", "--json")
        by_cone = self.json("solve", data("contact/gen_planar_k3_d2_s0.json"), "--json", "--tol", "1e-12")
        self.assertEqual((by_lemke["status"], by_cone["status"]), ("solved", "solved"))
        for a, b in zip(by_lemke["xi"], by_cone["xi"]):
            self.assertAlmostEqual(a, b, places=9)
        self.bad(2, "solve", data("contact/gen_single_mu0.json"), "--solver", "lemke", says="spatial")

    def test_save_converts_and_converts_back(self):
        for name, ending in (("lcp/gen_spd_n8_s0.json", "json"), ("mlcp/gen_box_n7_s0.json", "json"),
                             ("contact/gen_squeeze3d_ok.json", "hdf5"), ("contact/gen_squeeze2d.hdf5", "json"),
                             ("contact/gen_pyramid4_r1_mu0.3_global.hdf5", "json")):
            self.assertIn("written", self.good("solve", data(name), "--save", "one." + ending))
            self.good("solve", "one." + ending, "--save", "two.json")
            if name.endswith(".json"):
                one, two = load(name), json.loads(self.read("two.json"))
                for field in ("A", "b", "lower", "upper", "mu", "dim"):
                    self.assertEqual(one.get(field), two.get(field), (name, field))
            for file in os.listdir(self.folder):
                os.remove(self.path(file))

    def test_saved_fclib_files_open_in_h5py(self):
        if not h5py:
            self.skipTest("no h5py")
        text = load("contact/gen_squeeze3d_ok.json")
        self.good("solve", data("contact/gen_squeeze3d_ok.json"), "--save", "local.h5")
        with h5py.File(self.path("local.h5"), "r") as f:
            group = f["fclib_local"]
            W = group["W"]
            self.assertEqual((W["m"][0], W["n"][0], W["nz"][0], group["spacedim"][0]), (6, 6, -2, 3))
            dense = [[0.0]*6 for _ in range(6)]
            for i in range(6):
                for e in range(W["p"][i], W["p"][i + 1]):
                    dense[i][W["i"][e]] = W["x"][e]
            self.assertEqual(dense, text["G"])
            self.assertEqual(W["nzmax"][0], len(W["x"]))
            self.assertEqual(list(group["vectors/q"]), text["b"])
            self.assertEqual(list(group["vectors/mu"]), text["mu"])
            self.assertEqual(group["info/title"][()], b"gen_squeeze3d_ok")
        self.good("solve", data("contact/gen_pyramid4_r1_mu0.3_global.hdf5"), "--save", "global.h5")
        with h5py.File(data("contact/gen_pyramid4_r1_mu0.3_global.hdf5"), "r") as a, \
                h5py.File(self.path("global.h5"), "r") as b:
            a, b = a["fclib_global"], b["fclib_global"]
            self.assertEqual(b["M/nz"][0], -1)
            self.assertEqual((b["H/m"][0], b["H/n"][0]), (a["H/m"][0], a["H/n"][0]))
            for vector in ("f", "w", "mu"):
                self.assertEqual(list(a["vectors"][vector]), list(b["vectors"][vector]))

    def test_saving_that_cannot_be(self):
        self.write("p.json", json.dumps(STEP))
        self.bad(2, "solve", "p.json", "--save", "p.json", says="the file that is read")
        self.bad(2, "solve", "p.json", "--save", "q.txt", says="must end in .json")
        self.bad(2, "solve", "p.json", "--save", "q.hdf5", says="all planar or all spatial")
        self.bad(4, "solve", "p.json", "--save", "missing/q.json", says=("missing/q.json", "No such file"))
        self.write("q.hdf5", "")
        self.good("solve", data("contact/gen_squeeze2d.json"), "--save", "q.h5")
        self.bad(2, "solve", data("contact/gen_squeeze2d.json"), "--save", "q.h5", says="would replace an HDF5 file")

    def test_full_disk(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        self.bad(4, "solve", data("contact/gen_tower4_r10000_mu0.3.json"), "--save", "q.json", preexec_fn=limit,
                 says=("q.json", "cannot be written"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_warnings(self):
        odd = {"type": "contact", "dim": 2, "mu": [0.5], "G": [[2, 0.5], [0, 2]], "b": [-1, 0], "kapa": 1}
        self.write("p.json", json.dumps(odd))
        status, out, err = self.tool("solve", "p.json", "--json")
        self.assertEqual(status, 0)
        self.assertIn('warning: p.json: line 1: the field "kapa" is not known', err)
        self.assertIn("G is not symmetric: |G - its transpose| is up to 2.5e-01", err)
        self.assertEqual(len(json.loads(out)["warnings"]), 2)
        for kind in ("lcp", "mlcp"):
            self.write("p.json", json.dumps({"type": kind, "A": [[1]], "b": [-1], "x": 1,
                                             **({"lower": [0], "upper": [None]} if kind == "mlcp" else {})}))
            for more in ((), ("--solver", "all")):
                status, out, err = self.tool("solve", "p.json", "--json", *more)
                self.assertIn('"x" is not known', json.loads(out)["warnings"][0])
                self.assertIn('"x" is not known', err)

    def test_bad_contact_files(self):
        cases = [
            ({"mu": [-1]}, "p.json:2:7: mu[0] is -1"),
            ({"G": [[1]]}, "G has 1 rows; it must have 2"),
            ({"b": [1]}, "b has 1 numbers"),
            ({"dim": 4}, "dim must be 2"),
            ({"bound": [-1]}, "bound[0] is -1"),
        ]
        for change, says in cases:
            good = {"type": "contact", "dim": 2, "mu": [0.5], "G": [[2, 0], [0, 2]], "b": [-1, 0], **change}
            text = ",\n".join(f"\"{k}\":{json.dumps(v)}" for k, v in sorted(good.items(), key=lambda x: x[0] != "mu"))
            self.write("p.json", "{\n" + text + "}")
            self.bad(2, "solve", "p.json", says=says)
        self.write("p.json", '{"type": "contact", "dim": 2, "mu": [0.5], "G": [[NaN, 0], [0, 1]], "b": [0, 0]}')
        self.bad(2, "solve", "p.json", says="NaN and infinity cannot be entries")

    def test_certify(self):
        for name, more in (("lcp/gen_spd_n8_s0.json", ()), ("mlcp/gen_box_n7_s0.json", ()),
                           ("lcp/gen_spd_n8_s0.json", ("--solver", "all")), ("contact/gen_pyramid1_mu1.json", ()),
                           ("contact/gen_pyramid4_r1_mu0.3_global.hdf5", ()),
                           ("contact/gen_planar_k3_d2_s0.json", ("--solver", "lemke")),
                           ("contact/gen_pyramid1_mu1.json", ("--solver", "all"))):
            status, out, err = self.tool("solve", data(name), "--certify", "--json", *more)
            self.assertIn(status, (0, 1), (name, err))
            answer = json.loads(out)
            certificate = answer["certificate"]
            self.assertAlmostEqual(certificate["residual"], answer["residual"], delta=1e-14, msg=name)
            self.assertLessEqual(certificate["difference"], 1e-14)
            self.assertNotIn("certificate", json.loads(self.tool("solve", data(name), "--json", *more)[1]))
            self.assertIn("with twice the digits", self.tool("solve", data(name), "--certify", *more)[1])

    def test_certificate_has_the_last_word(self):
        # 3 x - 1 with x = 1/3 rounded is -2^-54; in double precision it is 0
        self.write("p.json", '{"type": "lcp", "A": [[3]], "b": [-1]}')
        status, out, err = self.tool("solve", "p.json", "--certify", "--json", "--tol", "1e-17")
        answer = json.loads(out)
        self.assertEqual((answer["status"], answer["residual"]), ("solved", 0))
        self.assertAlmostEqual(answer["certificate"]["residual"]*2**55, 1, places=12)
        self.assertEqual(status, 1)
        self.assertIn("the certified residual 2.78e-17 is above the tolerance", err)

    def test_empty_contact_problems(self):
        for text in ('{"type": "contact", "dim": 3, "mu": [], "G": [], "b": []}',
                     '{"type": "contact", "kinds": [], "mu": [], "G": [], "b": []}'):
            self.write("p.json", text)
            self.assertIn("solved", self.good("solve", "p.json"))

    def test_problems_from_a_pipe(self):
        done = self.good("solve", "/dev/stdin", input='{"type": "lcp", "A": [[2]], "b": [-1]}')
        self.assertIn("0.5", done)


if __name__ == "__main__":
    main()

# `stickslip models`, `check` and `events`: what is in the catalogue, in a model, in a run.
import csv
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, LESS, TOOL, ToolTest, main

import subprocess


class Models(ToolTest):
    def test_list(self):
        models = self.json("models", "--json")["models"]
        names = [m["name"] for m in models]
        self.assertIn("ball", names)
        self.assertIn("woodpecker", names)
        text = self.good("models")
        for m in models:
            self.assertTrue(m["description"])
            self.assertIn(m["name"], text)

    def test_a_printed_model_is_the_same_model(self):
        for m in self.json("models", "--json")["models"][::LESS]:
            with self.subTest(model=m["name"]):
                text = self.good("models", m["name"])
                self.assertEqual(self.json("models", m["name"], "--json"), {"name": m["name"], "text": text})
                self.write("copy.yaml", text)
                self.assertEqual(self.json("check", m["name"], "--json"), self.json("check", "copy.yaml", "--json"))


class Check(ToolTest):
    def test_says_what_will_be_simulated(self):
        self.write("ball.yaml", BALL)
        c = self.json("check", "ball.yaml", "--json", "--set", "mu=0.4", "--set", "initial.y=0")
        self.assertEqual(c["name"], "my ball")
        self.assertEqual(c["coordinates"][0], {"name": "x", "unit": "m", "q": 0, "u": 0.5})
        self.assertEqual(c["parameters"], {"m": 1, "g": 9.81, "e": 0.5, "mu": 0.4})
        floor = c["contacts"][0]
        self.assertEqual((floor["name"], floor["kind"], floor["mu"], floor["eps_n"]),
                         ("floor", "planar friction", 0.4, 0.5))
        self.assertEqual((floor["gap"], floor["closed"]), (0, True))
        self.assertEqual(c["mass_matrix"], {"constant": True, "rcond": 1})
        self.assertEqual(c["energy"], {"kinetic": 0.125, "potential": 0})
        self.assertEqual((c["run"]["dt"], c["run"]["until"]), (1e-3, 0.5))
        text = self.good("check", "ball.yaml")
        for word in ("my ball", "Coordinates", "x'", "m/s", "Parameters", "floor", "planar friction", "open",
                     "condition number", "moreau"):
            self.assertIn(word, text)

    def test_every_model_of_the_catalogue(self):
        for m in self.json("models", "--json")["models"]:
            self.assertIn("Coordinates", self.works("check", m["name"]))

    def test_constraints_and_overlaps(self):
        self.write("rod.yaml", "name: rod\ncoordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
                               "contacts: {wall: {gap: x - 0.5}}\nconstraints: {length: x^2 + y^2 - 1}\n"
                               "initial: {x: 0.25, y: 0.75}\n")
        status, out, err = self.tool("check", "rod.yaml", "--json")
        self.assertEqual(status, 0, err)
        c = json.loads(out)
        self.assertEqual(c["constraints"][0]["name"], "length")
        self.assertEqual(c["constraints"][0]["error"], 0.25**2 + 0.75**2 - 1)
        self.assertEqual((c["contacts"][0]["kind"], c["contacts"][0]["gap"]), ("frictionless", -0.25))
        self.assertTrue(c["contacts"][0]["closed"])
        self.assertTrue(any("wall" in w for w in c["warnings"]), c["warnings"])

    def test_a_mass_matrix_that_cannot_be(self):
        self.write("bad.yaml", "name: bad\ncoordinates: [x, y]\nkinetic: x'^2/2\n")
        status, out, err = self.tool("check", "bad.yaml")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("bad.yaml", err)


class Events(ToolTest):
    def setUp(self):
        super().setUp()
        self.works("run", "woodpecker", "-q", "-o", "run.h5", "--events", "events.csv", "--until", "3")

    def test_table_csv_and_json_agree(self):
        as_csv = self.good("events", "run.h5", "--csv")
        self.assertEqual(as_csv, self.read("events.csv"))
        rows = list(csv.DictReader(io.StringIO(as_csv)))
        events = self.json("events", "run.h5", "--json")["events"]
        lines = self.good("events", "run.h5").splitlines()
        self.assertEqual(len(lines), 2 + len(rows))
        self.assertIn("Lambda_N", lines[0])
        self.assertIn("N s", lines[1])
        self.assertEqual(len(rows), len(events))
        for row, event, line in zip(rows, events, lines[2:]):
            self.assertEqual((float(row["t"]), row["contact"], row["kind"]),
                             (event["t"], event["contact"], event["kind"]))
            self.assertEqual(line.split()[1:3], [event["contact"], event["kind"]])
            force = [None, None] if event["kind"] == "impact" else [v/1e-4 for v in event["Lambda"]]
            self.assertEqual(event["F"], force)

    def test_selection(self):
        every = self.json("events", "run.h5", "--json")["events"]
        some = self.json("events", "run.h5", "--json", "--contact", "beak", "--kind", "impact", "--from", "1", "--to",
                         "2")["events"]
        self.assertEqual(some, [e for e in every
                                if e["contact"] == "beak" and e["kind"] == "impact" and 1 <= e["t"] <= 2])
        self.assertGreater(len(some), 3)
        self.bad(2, "events", "run.h5", "--contact", "peak", says="did you mean 'beak'?")
        self.bad(2, "events", "run.h5", "--contact", "xxxxxxxx", says="the run has beak, sleeve_lower, sleeve_upper")

    def test_last_cycle(self):
        # the limit cycle of the woodpecker: about 0.146 s and 19.4 mm per cycle
        out = self.good("events", "run.h5", "--last-cycle", "--from", "1")
        self.assertIn("cycles between t = 1 s and 3 s", out)
        self.assertRegex(out, r"period: 0\.14[5-7]\d{4} s \(single")
        self.assertRegex(out, r"drift per cycle: y -19\.\d* mm, phi_M ")
        c = self.json("events", "run.h5", "--last-cycle", "--from", "1", "--section", "beak:impact", "--json")
        self.assertEqual((c["cycle"]["contact"], c["cycle"]["kind"]), ("beak", "impact"))
        self.assertAlmostEqual(c["cycle"]["period"], 0.146, delta=0.002)
        self.assertAlmostEqual(c["cycle"]["drift"]["y"], -0.0194, delta=0.0005)
        first = c["events"][0]
        self.assertEqual((first["contact"], first["kind"]), ("beak", "impact"))
        self.assertEqual(sum((e["contact"], e["kind"]) == ("beak", "impact") for e in c["events"]), 1)
        span = c["events"][-1]["t"] - first["t"]
        self.assertLess(span, c["cycle"]["period"] + c["cycle"]["spread"])
        self.bad(2, "events", "run.h5", "--last-cycle", "--section", "beak", says="CONTACT:KIND")
        self.bad(2, "events", "run.h5", "--last-cycle", "--section", "beak:hit", says="impact, detach, stick, slip")
        self.bad(2, "events", "run.h5", "--last-cycle", "--section", "peak:impact", says="did you mean 'beak'?")
        self.bad(3, "events", "run.h5", "--last-cycle", "--to", "0.05",
                 says=["no cycle: between t = 0.025 s and 0.05 s", "from 0 s to 3 s", "--from", "--section"])

    def test_last_cycle_skips_the_transient(self):
        c = self.json("events", "run.h5", "--last-cycle", "--json")
        self.assertEqual((c["cycle"]["from"], c["cycle"]["to"]), (1.5, 3))
        self.assertEqual(c["cycle"], self.json("events", "run.h5", "--last-cycle", "--json", "--from", "1.5")["cycle"])
        self.assertIn("between t = 1.5 s and 3 s", self.good("events", "run.h5", "--last-cycle"))

    def test_loss_is_that_of_the_contact(self):
        # two unlike balls that land in the same step, while a force works on them: the drive is not lost, and each
        # takes its own part, m (1 - e^2) v^2/2
        self.write("two.yaml", "name: two\nparameters: {e: 0.5}\ncoordinates: {x: m, y: m}\n"
                               "kinetic: (x'^2 + 3*y'^2)/2\nforces: {x: -10, y: -30}\n"
                               "contacts: {a: {gap: x, eps_n: e}, b: {gap: y, eps_n: e}}\n"
                               "initial: {x: 0.2, y: 0.2}\nrun: {dt: 1e-4, until: 0.22}\n")
        self.good("run", "two.yaml", "-q", "-o", "two.h5")
        a, b = [e for e in self.json("events", "two.h5", "--json")["events"] if e["kind"] == "impact"][:2]
        self.assertEqual((a["contact"], b["contact"], a["t"]), ("a", "b", b["t"]))
        self.assertAlmostEqual(a["loss"], 0.5*0.75*a["gamma_before"][0]**2, delta=3e-3)  # up to m v g dt
        self.assertAlmostEqual(b["loss"], 3*a["loss"], places=12)
        total = self.json("run", "two.yaml", "--json")["energy"]["loss_normal"]
        self.assertAlmostEqual(a["loss"] + b["loss"], total, places=12)

    def test_a_run_without_energies(self):
        self.write("ball.yaml", BALL)
        self.good("run", "ball.yaml", "-q", "-o", "ball.h5", "--no-energy")
        event = self.json("events", "ball.h5", "--json")["events"][0]
        self.assertIsNone(event["energy_before"])
        self.assertIsNone(event["energy_after"])
        self.assertGreater(event["loss"], 0)
        self.assertEqual(self.good("events", "ball.h5").splitlines()[2].split()[-3:-1], ["-", "-"])

    def test_a_run_without_events(self):
        self.write("ball.yaml", BALL)
        self.good("run", "ball.yaml", "-q", "-o", "fall.h5", "--until", "0.05")
        self.assertEqual(len(self.good("events", "fall.h5").splitlines()), 2)
        self.assertEqual(self.json("events", "fall.h5", "--json")["events"], [])
        self.bad(3, "events", "fall.h5", "--last-cycle", says="no cycle")

    def test_reader_that_goes_away(self):
        p = subprocess.run(f"'{TOOL}' events run.h5 --csv | head -1; echo ${{PIPESTATUS[0]}}", shell=True,
                           executable="/bin/bash", cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(p.stderr, "")
        self.assertIn(p.stdout.splitlines()[-1], ("0", "4"))  # 0 if all fitted into the pipe


if __name__ == "__main__":
    main()

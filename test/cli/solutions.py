# `stickslip solutions`: states from the command line and from runs, text, JSON, bad input.
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, ToolTest, main


class Solutions(ToolTest):
    def test_painleve(self):
        out = self.good("solutions", "painleve")
        for word in ("solutions  none", "inconsistent", "a = -0.8", "closed, slides -"):
            self.assertIn(word, out)
        o = self.json("solutions", "painleve", "--json")
        self.assertEqual((o["count"], o["solutions"], o["motions"], o["pieces"]), ("none", 0, 0, []))
        self.assertEqual(o["painleve"]["case"], "inconsistent")
        self.assertAlmostEqual(o["painleve"]["a"], -0.8, 12)

    def test_two_motions(self):
        """theta' lifts the end: it may stay or leave."""
        at = "theta'=5, y'=l/2*cos(theta0)*5, x'=-5 - l/2*sin(theta0)*5"
        o = self.json("solutions", "painleve", "--at", at, "--json")
        self.assertEqual((o["count"], o["solutions"], o["motions"]), ("finite", 2, 2))
        self.assertEqual(o["painleve"]["case"], "indeterminate")
        self.assertEqual([p["states"]["tip"] for p in o["pieces"]], ["open", "slip-"])
        b = 0.5*math.sin(math.atan(2))*25 - 9.81  # y_c'' without force
        self.assertAlmostEqual(o["painleve"]["b"], b, 12)
        self.assertAlmostEqual(o["pieces"][1]["vertices"][0]["Lambda"]["tip"][0], b/0.8, 10)
        self.assertAlmostEqual(o["pieces"][0]["vertices"][0]["motion"]["y"], -9.81, 12)

    def test_impact(self):
        self.write("ball.yaml", BALL)
        o = self.json("solutions", "ball.yaml", "--at", "y = 0, y' = -1", "--json")
        self.assertEqual((o["level"], o["impact"], o["solutions"]), ("impact", "newton", 1))
        self.assertTrue(o["contacts"][0]["hits"])
        v = o["pieces"][0]["vertices"][0]
        self.assertAlmostEqual(v["Lambda"]["floor"][0], 1.5, 12)
        self.assertAlmostEqual(v["motion"]["y"], 0.5, 12)
        self.assertAlmostEqual(v["motion"]["x"], 0.5 - 0.2*1.5, 12)
        o = self.json("solutions", "ball.yaml", "--at", "y=0", "--at", "y'=-1", "--impact", "poisson", "--json")
        self.assertAlmostEqual(o["pieces"][0]["vertices"][0]["Lambda_C"]["floor"][0], 1, 12)
        o = self.json("solutions", "ball.yaml", "--at", "y=0, y'=-1", "--level", "acceleration", "--json")
        self.assertEqual((o["level"], o["pieces"][0]["states"]), ("acceleration", {}))

    def test_at_is_an_expression(self):
        self.write("ball.yaml", BALL)
        o = self.json("solutions", "ball.yaml", "--set", "g=3", "--at", "x=max(1, 2), y=g*mu", "--json")
        self.assertEqual((o["q"]["x"], o["u"]["x"]), (2, 0.5))
        self.assertAlmostEqual(o["q"]["y"], 0.6, 15)

    def test_run(self):
        """A state of a record: forces of the step are those of the problem of accelerations."""
        self.works("run", "brick", "-q", "--until", "0.5", "-o", "run.h5")
        o = self.json("solutions", "--run", "run.h5", "--time", "0.3", "--json")
        self.assertAlmostEqual(o["t"], 0.3, 6)
        self.assertEqual((o["solutions"], o["contacts"][0]["slide"]), (1, 1))
        plane = o["contacts"][0]["name"]
        self.assertEqual(o["pieces"][0]["states"][plane], "slip+")
        more = self.json("solutions", "--run", "run.h5", "--set", "mu=0", "--json")
        self.assertAlmostEqual(more["t"], 0.5, 6)
        self.assertEqual(more["pieces"][0]["vertices"][0]["Lambda"][plane][1], 0)

    def test_families(self):
        self.write("block.yaml", """\
parameters: {F: 3, mu: 0.5}
coordinates: {x: m, y: m, phi: rad}
kinetic: (x'^2 + y'^2 + phi'^2/3)/2
forces: {x: F, y: -10}
contacts:
  left: {gap: y - phi, slide: "x' + phi'/2", mu: mu}
  right: {gap: y + phi, slide: "x' + phi'/2", mu: mu}
""")
        out = self.good("solutions", "block.yaml")
        for word in ("infinitely many, in 1 piece; 1 motion", "vertex", "closed, rests"):
            self.assertIn(word, out)
        o = self.json("solutions", "block.yaml", "--json")
        self.assertEqual((o["count"], o["solutions"], o["motions"]), ("infinite", None, 1))
        self.assertEqual(len(o["pieces"][0]["vertices"]), 2)
        self.assertTrue(o["pieces"][0]["one_motion"])

    def test_bodies(self):
        """Contacts found from outlines: a box that slides, its friction turns weight from the back to the front."""
        self.write("box.yaml", "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1]}\n"
                               "  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [0, 0.05, 0],"
                               " velocity: [1, 0, 0], mass: 2, mu: 0.1}\nrun: {dt: 0.001, until: 0.1}\n")
        self.works("run", "box.yaml", "-o", "run.h5", "--integrator", "event")
        for where in (("box.yaml",), ("--run", "run.h5")):
            o = self.json("solutions", *where, "--json")
            self.assertEqual((o["solutions"], o["level"]), (1, "acceleration"))
            Lambda = o["pieces"][0]["vertices"][0]["Lambda"]
            self.assertAlmostEqual(Lambda["box p1 - floor"][0], 9.81 - 0.1*19.62*0.05/0.2, 9)
            self.assertAlmostEqual(Lambda["box p2 - floor"][0], 9.81 + 0.1*19.62*0.05/0.2, 9)
        o = self.json("solutions", "box.yaml", "--at", "box_y'=-1", "--json")
        self.assertEqual(o["level"], "impact")

    def test_bad_input(self):
        for args, says in (((), "MODEL is missing"), (("ball", "--at", "z=1"), "no coordinate 'z'"),
                           (("ball", "--at", "y"), "NAME=VALUE"), (("ball", "--at", ""), "NAME=VALUE"),
                           (("ball", "--at", "y=,x=1"), "NAME=VALUE"), (("ball", "--at", "y=1/"), "initial.y"),
                           (("ball", "--run", "x.h5"), "cannot both"), (("ball", "--level", "x"), "level"),
                           (("painleve", "--at", "thet=1"), "did you mean 'theta'")):
            self.bad(2, "solutions", *args, says=says)
        self.bad(4, "solutions", "--run", "none.h5")
        self.works("run", "ball", "-q", "--until", "0.1", "-o", "run.h5")
        self.bad(2, "solutions", "--run", "run.h5", "--time", "-1", says="no row")
        self.bad(2, "solutions", "--run", "run.h5", "--at", "x=1", says="cannot both")


if __name__ == "__main__":
    main()

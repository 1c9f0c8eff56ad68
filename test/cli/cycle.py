# `stickslip cycle` of models whose contacts come and go, and options that all commands that simulate share.
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import ToolTest, main

# A block on a belt, held by a spring: sliding for three quarters of 2 pi/10 s, sticking for 0.2 s
BELT = """<mujoco model="belt"><option timestep="1e-3" gravity="0 0 -10"/><worldbody>
<body name="belt"><inertial pos="0 0 0" mass="1e13" diaginertia="1 1 1"/><joint name="belt" type="slide" axis="1 0 0"/>
  <geom name="belt" type="box" size="500 1 .1" pos="0 0 -.1"/></body>
<body pos="0 0 .1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <joint name="x" type="slide" axis="1 0 0" stiffness="100"/><joint name="z" type="slide" axis="0 0 1"/>
  <geom name="block" size=".1"/></body></worldbody>
<contact><pair geom1="belt" geom2="block" friction=".3 .3" friction-static=".5"/></contact>
<keyframe><key name="go" qvel=".2 .2 0"/></keyframe></mujoco>
"""
PERIOD = 0.6712388980384690


class Cycle(ToolTest):
    def test_multipliers_that_are_zero_are_no_alarm(self):
        c = self.json("cycle", "belt", "--check", "--json")
        self.assertLess(c["check"], 1e-6)
        self.assertLess(max(abs(m["re"]) for m in c["multipliers"]), 1e-7)

    def test_scene(self):
        self.write("belt.xml", BELT)
        c = self.json("cycle", "belt.xml", "--key", "go", "--max-step", "0.01", "--check", "-o", "orbit.h5", "--json")
        self.assertEqual((c["contact"], c["method"], c["returns"], c["events"]), ("belt - block", "shooting", 1, 2))
        self.assertAlmostEqual(c["period"], PERIOD, delta=1e-9)
        self.assertAlmostEqual(c["drift"]["belt"], 0.2*PERIOD, delta=1e-9)
        self.assertAlmostEqual(c["multipliers"][0]["re"], 1, delta=1e-6)
        self.assertLess(c["check"], 1e-6)
        self.assertIn("slip", self.good("events", "orbit.h5"))
        self.assertIn("pass", self.good("verify", "orbit.h5").splitlines()[-1])
        out = self.good("cycle", "belt.xml", "--key", "go", "--section", "belt - block:slip", "--max-step", "0.01")
        self.assertRegex(out, r"period +0\.67123889")
        self.assertIn("as far as can be told; it attracts in the others", out)
        c = self.json("cycle", "belt.xml", "--key", "go", "--method", "iteration", "--integrator", "jean", "--json")
        self.assertAlmostEqual(c["period"], PERIOD, delta=2e-3)

    def test_what_is_wrong(self):
        self.write("belt.xml", BELT)
        self.bad(3, "cycle", "belt.xml", says="no section: there is no contact event until t = 100 s")  # from rest
        self.bad(3, "cycle", "belt.xml", "--key", "go", "--section", "belt:slip",
                 says=["no slip of 'belt'", "'belt - block'"])
        self.bad(2, "cycle", "belt.xml", "--section", "belt:slips", says="CONTACT:KIND")
        self.bad(2, "cycle", "belt", "--period", "0", says="--period 0: ")
        self.bad(2, "cycle", "woodpecker", "--section", "peak:impact", says="CONTACT:KIND")
        self.bad(2, "cycle", "belt.xml", "--integrator", "moreau", says="--method iteration")

    # Newton's method must not run away to where a change of 0.2 m is small beside the state, and call that a cycle.
    def test_what_does_not_close_is_no_cycle(self):
        self.write("falls.yaml", "coordinates: {x: m}\nkinetic: x'^2/2\nforces: {x: \"1 + 0.1*sin(x)\"}\n")
        status, _, err = self.tool("cycle", "falls.yaml", "--period", "1")
        self.assertEqual(status, 1)
        self.assertIn("not closed", err)
        self.assertIn("does not depend on time", err)

    # The mass slides in the balance of spring and friction, x = 0.03: of any period. Beside it is a swing of 10 rad/s,
    # multipliers exp(+-10i), although the motion itself asks for no short steps.
    def test_balance_is_neutral(self):
        status, out, _ = self.tool("cycle", "belt", "--period", "1")
        self.assertEqual(status, 0)
        self.assertIn("-0.83907", out)
        self.assertIn("0.5440", out)
        self.assertIn("neutral", out)

    # Shifted in time the orbit is an orbit again: one multiplier is 1, whatever round-off makes of it.
    def test_neutral_is_not_attracting(self):
        status, out, _ = self.tool("cycle", "belt", "--period", "0.671238898043")
        self.assertEqual(status, 0)
        self.assertIn("neutral in 1 direction", out)
        self.write("free.yaml", "coordinates: {x: m}\nkinetic: x'^2/2\npotential: 1.5*x^2\nforces: {x: sin(t)}\n"
                                "initial: {x: 0.3}\nrun: {dt: 1e-2, until: 1}\n")
        self.assertIn("it is neutral", self.good("cycle", "free.yaml", "--period", "2*pi"))


class Shared(ToolTest):
    def test_options_of_steps_are_everywhere(self):
        names = ["impact", "energy-limited", "multiple-impacts", "project", "theta", "rtol", "max-step", "on-multiple",
                 "solver", "cone", "facets", "cone-align", "cone-angle", "compliance", "key", "coordinates",
                 "integrator", "dt", "set"]
        for command in ["run", "sweep", "cycle", "view"]:
            text = self.good(command, "--help")
            for name in names:
                self.assertIn("--%s " % name, text, command)

    # Three masses in a row: the last one gets all the speed if hits come one by one, two thirds if they come at once
    def test_they_are_read(self):
        for order, speed in [("simultaneous", 2/3), ("sequential", 1)]:
            self.good("sweep", "three-masses", "--observe", "u_x3", "--multiple-impacts", order,
                      "--integrator", "event", "-o", order + ".csv", "-q")
            row = self.read(order + ".csv").splitlines()[1].split(",")
            self.assertAlmostEqual(float(row[-1]), speed, places=6)
        for limited in ["on", "off"]:
            self.works("cycle", "woodpecker", "--energy-limited", limited, "--multiple-impacts", "simultaneous")

    # Sticking lasts (2 mu_s - 2 mu_k) N/(k v), sliding 2 (pi - atan((mu_s - mu_k) N/(v sqrt(k m))))/10 s
    def test_sections_of_scenes_in_sweeps(self):
        self.write("belt.xml", BELT)
        self.good("sweep", "belt.xml", "--key", "go", "-p", "pair.#0.friction-static=0.5,0.4", "--section",
                  "belt - block:slip", "--integrator", "event", "--max-step", "0.01", "--skip", "2", "--points", "1",
                  "-o", "s.csv", "-q")
        rows = [line.split(",") for line in self.read("s.csv").splitlines()]
        at = rows[0].index("interval")
        for row, rise in zip(rows[1:], (2, 1)):
            period = 0.1*rise + 2*(math.pi - math.atan(rise/2))/10
            self.assertAlmostEqual(float(row[at]), period, delta=1e-8)

    def test_what_nobody_reads_is_a_mistake(self):
        for command in ["run", "cycle", "sweep"]:
            more = ["-o", "x.csv"] if command == "sweep" else []
            moreau = ["--integrator", "moreau"] + (["--method", "iteration"] if command == "cycle" else [])
            self.bad(2, command, "woodpecker", *more, *moreau, "--rtol", "1e-8", says="--integrator event only")
            self.bad(2, command, "woodpecker", *more, *moreau, "--theta", "0.7", says="--integrator jean only")
            self.bad(2, command, "woodpecker", *more, "--key", "home", says="--key is for scenes")


if __name__ == "__main__":
    main()

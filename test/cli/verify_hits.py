# `stickslip verify` looks at restitution by Poisson's law, with energy limited and in sequences: of contacts that hit
# with none beside them the law itself, of several that they give no energy. Runs without energies are told.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main, some
from verdict import VerdictTest

import h5py
import numpy

LAWS = (("--impact", "poisson"), ("--energy-limited", "on"), ("--multiple-impacts", "sequential"),
        ("--impact", "poisson", "--multiple-impacts", "sequential"), ("--impact", "poisson", "--energy-limited", "on"))

BALL = """coordinates: {x: m, y: m}
kinetic: 1/2*(x'^2 + y'^2)
potential: 10*y
contacts: {floor: {gap: y, slide: x', mu: 0.3, eps_n: 0.5}}
initial: {y: 0.1, x': 1}
run: {dt: 2e-3, until: 0.3}
"""

# Friction turns it, and takes part in the velocity of its tip
ROD = """parameters: {l: 1}
definitions: {xt: x + l/2*sin(th), yt: y - l/2*cos(th)}
coordinates: {x: m, y: m, th: rad}
kinetic: 1/2*(x'^2 + y'^2 + th'^2/12)
potential: 10*y
contacts: {tip: {gap: yt, slide: "xt'", mu: 0.2, eps_n: 0.5}}
initial: {y: 0.55, th: 0.6, x': 0.5}
run: {dt: 1e-3, until: 0.25}
"""

SCENE = """<mujoco><option timestep="2e-3" gravity="0 0 -10"/><worldbody>
<geom type="plane" size="0 0 1" restitution="0.5"/>
<body pos="0 0 .2"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody>
<stickslip until="0.3"/></mujoco>
"""

PAIR = """coordinates: {a: m, b: m}
kinetic: 1/2*(a'^2 + b'^2)
contacts: {low: {gap: a, eps_n: 1}, high: {gap: b - a, eps_n: 1}}
initial: {a: 0.01, b: 0.01, "a'": -1, "b'": -1}
run: {dt: 1e-3, until: 0.02}
"""


class Hits(VerdictTest):
    def set_eps(self, old, eps):
        self.rewrite(old.replace("EPS", "0.5"), old.replace("EPS", str(eps)))
        with h5py.File(self.path("run.h5"), "r+") as f:
            if not old.startswith("restitution"):
                f["model"].attrs["contact_eps_n"] = numpy.array([float(eps)])

    def find_other_restitution(self, text, old, least):
        name = "m.xml" if text.startswith("<") else "m.yaml"
        self.write(name, text)
        cases = [(law, integrator) for law in LAWS for integrator in ("moreau", "jean", "euler")]
        for law, integrator in some(cases, 7):  # each law and each integrator
            self.good("run", name, "--integrator", integrator, "-q", "-o", "run.h5", *law)
            self.assertTrue(self.verdict(0, law)["pass"])
            self.keep()
            for eps in some(least):
                self.restore()
                self.set_eps(old, eps)
                self.assertGreater(self.verdict(1, (law, integrator, eps))["normal law"]["worst"], 1e-3)

    def test_one_contact(self):
        self.find_other_restitution(BALL, "eps_n: EPS", (0, 0.4, 0.6, 1))
        self.find_other_restitution(SCENE, 'restitution="EPS"', (0, 0.4, 0.6, 1))

    # Poisson's law leaves an interval for what friction does
    def test_a_rod(self):
        self.write("rod.yaml", ROD)
        for law in LAWS:
            self.good("run", "rod.yaml", "--integrator", "moreau", "-q", "-o", "run.h5", *law)
            self.assertTrue(self.verdict(0, law)["pass"])
            self.set_eps("eps_n: EPS", 0)
            self.assertGreater(self.verdict(1, law)["normal law"]["worst"], 1e-3)

    # Two that hit together leave with more than they came with: momentum is right, energy is not
    def test_several_contacts_give_no_energy(self):
        self.write("pair.yaml", PAIR)
        for law in (("--impact", "poisson"), ("--energy-limited", "on")):
            self.good("run", "pair.yaml", "--integrator", "moreau", "-q", "-o", "run.h5", *law)
            self.assertTrue(self.verdict(0, law)["pass"])
            with h5py.File(self.path("run.h5"), "r+") as f:
                row = int(numpy.flatnonzero(f["Lambda"][:, 0, 0])[0])
                Lambda, u = f["Lambda"][:], f["u"][:]
                Lambda[row, :, 0] *= 2
                u[row] = u[row - 1] + [Lambda[row, 0, 0] - Lambda[row, 1, 0], Lambda[row, 1, 0]]
                f["Lambda"][...], f["u"][...] = Lambda, u
            v = self.verdict(1, law)
            self.assertGreater(v["normal law"]["worst"], 0.1)

    # An impact without restitution cannot be one that ends a series if there was none
    def test_an_end_without_a_series(self):
        self.write("ball.yaml", BALL.replace("0.5}", "0}"))
        self.good("run", "ball.yaml", "--integrator", "event", "-q", "-o", "run.h5")
        self.assertTrue(self.verdict()["pass"])
        self.rewrite("eps_n: 0}", "eps_n: 0.8}")
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["model"].attrs["contact_eps_n"] = numpy.array([0.8])
            events = f["events"][:]
            events["kind"][events["kind"] == 0] = 4
            events["count"] = 50
            f["events"][...] = events
        self.assertEqual(self.verdict(1)["events"]["worst"], 1)

    def test_runs_without_energies_are_told(self):
        self.write("ball.yaml", BALL)
        self.good("run", "ball.yaml", "--no-energy", "-q", "-o", "run.h5")
        self.assertTrue(any("no account" in s for s in self.verdict()["left_out"]))


if __name__ == "__main__":
    main()

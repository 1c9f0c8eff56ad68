# The energy that each part of a system has kept: a step of the potential that a time-stepping integrator passes without
# noticing, and forces too stiff for any step, are errors however much energy there is elsewhere; exit status 1, and
# `verify` finds them from the rows. Sources of energy are none.
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import ToolTest, main

LADDER = """
coordinates: [x, y, phi]
definitions: {xa: x - 0.5*cos(phi), ya: y + 0.5*sin(phi), xb: x + 0.5*cos(phi), yb: y - 0.5*sin(phi)}
kinetic: x'^2/2 + y'^2/2 + phi'^2/24
potential: 9.81*y
contacts:
  wall: {gap: xa, slide: ya', mu: 1}
  ground: {gap: yb, slide: xb', mu: 1}
initial: {x: 0.35355339059327384, y: 0.3535533905932738, phi: 0.7853981633974483}
run: {dt: DT, until: 0.1}
"""
STEPPING = ("moreau", "jean", "euler")
STEPS = ("if({s} < 0.1*{l}, 0, {V})", "if(0.1*{l} < {s}, {V}, 0)", "{V}/2*sign({s} - 0.1*{l})",
         "if({s} < 0.1*{l}, 0, if({s} < 0.2*{l}, {V}, 2*{V}))", "{V}*(if({s} < 0.1*{l}, 1, 2) + {s}/(100*{l}))")

BODY = """gravity: 9.81
bodies:
  a: {polygon: [[-0.1,-0.1],[0.1,-0.1],[0.1,0.1],[-0.1,0.1]], free: [0,0.1,0], velocity: [10,0,0], mass: 10}
"""

STOP = """parameters: {{m: 1, k: {k:.9g}, d: {d:.9g}}}
coordinates: {{x: m}}
kinetic: m/2*x'^2
potential: {potential}
forces: {{x: "{force}"}}
contacts: {{stop: {{gap: 0.05 - x, eps_n: {e}}}}}
initial: {{x': 2}}
run: {{dt: 1e-4, until: 0.02}}
"""


FLY = """<mujoco><compiler angle="radian"/><option timestep="1" gravity="0 0 -9.81"/><worldbody>
<body name="p"><joint name="p" type="hinge" axis="0 1 0"/>
  <inertial pos="0 0 -1" mass="0.01" diaginertia="1e-12 1e-12 1e-12"/></body>
<body name="w" pos="5 0 0"><joint name="w" type="hinge" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="1000" diaginertia="500 500 1000"/></body></worldbody>
<keyframe><key name="k" qpos="2 0" qvel="0 300"/></keyframe><stickslip until="100" key="k"/></mujoco>
"""


class EnergyKept(ToolTest):
    def model(self, text):
        path = self.path("kept.yaml")
        with open(path, "w") as f:
            f.write(text)
        return path

    # Exit status of the run, what it says, and what verify finds of the energy kept
    def judge(self, text, integrator):
        status, _, said = self.tool("run", self.model(text), "--integrator", integrator, "--quiet", "-o", "kept.h5")
        return status, said, json.loads(self.tool("verify", "--json", "kept.h5")[1])["energy kept"]

    # A step of V in the way of s, m s'^2/2 < V, among parts with energies 1e3 times as large, in any order
    def stepped(self, rng, step):
        m, l, v = (10**rng.uniform(-6, 6) for _ in range(3))
        names = ["s", "r", "w"]
        rng.shuffle(names)
        big = 1e3*m*v*v
        spring = big*(v/l)**2
        T = {"s": f"{m:.9g}*s'^2", "r": f"{big:.9g}*r'^2", "w": f"{big:.9g}*w'^2"}
        V = step.format(s="s", l=f"{l:.9g}", V=f"{2*m*v*v:.9g}") if step else f"{m*v*v/10:.9g}*s/({l:.9g})"
        form = rng.randrange(2)  # one sum, or a factor times a sum
        kinetic = " + ".join(f"{T[n]}/2" for n in names) if form else f"1/2*({' + '.join(T[n] for n in names)})"
        potential = f"{V} + {spring:.9g}*w^2" if form else f"2*({V}/2 + {spring/2:.9g}*w^2)"
        return (f"coordinates: [{', '.join(names)}]\nkinetic: {kinetic}\npotential: '{potential}'\n"
                f"initial: {{s': {v:.9g}, r': 1, w': 1}}\nrun: {{dt: {l/v/997}, until: {l/v/997*250}}}\n")

    def test_a_step_of_the_potential_is_found_in_its_part(self):
        rng = random.Random(5)
        for k, step in enumerate(STEPS):
            status, said, found = self.judge(self.stepped(rng, step), STEPPING[k % 3])
            self.assertEqual(status, 1, step)
            self.assertIn("the part with 's'", said)
            self.assertGreater(found["worst"], 0.1)
            self.assertEqual(found["part"], "s")

    # A light pendulum far too fast for its step, beside a heavy wheel that it never touches: run and verify say so alike
    def test_a_light_body_beside_a_heavy_one(self):
        for integrator in STEPPING + ("rattle",):
            self.write("fly.xml", FLY)
            status, _, said = self.tool("run", "fly.xml", "--integrator", integrator, "--quiet", "-o", "kept.h5")
            self.assertEqual(status, 1)
            self.assertIn("the part with 'p'", said)
            found = json.loads(self.tool("verify", "--json", "kept.h5")[1])["energy kept"]
            self.assertGreater(found["worst"], 0.5)
            self.assertEqual(found["part"], "p")

    def test_without_a_step_it_is_kept(self):
        rng = random.Random(6)
        for integrator in STEPPING:
            status, said, found = self.judge(self.stepped(rng, None), integrator)
            self.assertEqual((status, said), (0, ""))
            self.assertLess(found["worst"], 0.1)

    def test_a_step_beside_bodies(self):
        text = ("coordinates: [s]\nkinetic: s'^2/2\npotential: 'if(s < 0.1, 0, 1)'\ninitial: {s': 1}\n" + BODY +
                "run: {dt: 1e-3, until: 0.2}\n")
        for integrator in STEPPING:
            status, said, found = self.judge(text, integrator)
            self.assertEqual((status, found["part"]), (1, "s"))
            self.assertIn("the part with 's'", said)
        status, said, found = self.judge(text, "event")  # which is thrown back
        self.assertEqual(status, 0)

    def test_forces_too_stiff_for_a_step_are_refused(self):
        rng = random.Random(7)
        for k in range(9):
            stiff = 10**rng.uniform(11, 35)
            kind = {"potential": "k/2*x^2", "force": "0"} if k < 5 else {"potential": "0*x", "force": "-k*x - d*x'"}
            text = STOP.format(k=stiff if k != 8 else 0, d=stiff if k == 8 else 0, e=rng.choice((0, 0.6, 1)), **kind)
            status = self.tool("run", self.model(text), "--integrator", STEPPING[k % 3], "--quiet", "-o", "kept.h5")[0]
            self.assertIn(status, (1, 3), text)
            if status == 1:
                self.assertEqual(self.tool("verify", "kept.h5")[0], 1, text)

    def test_sources_and_rest_pass(self):
        texts = [STOP.format(k=100, d=-10, e=0.6, potential="k/2*x^2", force="-d*x'"),
                 STOP.format(k=100, d=1, e=0.6, potential="k/2*x^2", force="-d*x'"),
                 STOP.format(k=1, d=0, e=0.6, potential="k*(1 - cos(x))", force="0").replace("x': 2", "x': 1e-12"),
                 STOP.format(k=1, d=0, e=0, potential="-9.81*(x - 0.05)", force="0").replace("x': 2", "x: 0.05")]
        for k, text in enumerate(texts):
            status, said, found = self.judge(text, STEPPING[k % 3])
            self.assertEqual((status, said), (0, ""), text)
            self.assertLess(found["worst"], 0.1)

    def test_what_settles_is_at_rest(self):
        """A ladder at rest sinks by g dt^2 in its first step: nothing to judge a motion by. At 45 degrees with mu = 1
        impulses may hold one another, however large they are: the least are taken."""
        for integrator in STEPPING:
            for dt in (1e-3, 5e-4, 2.5e-4, 1.25e-4):  # in some steps those found are 10^6 times as large
                text = LADDER.replace("DT", repr(dt))
                status, said, found = self.judge(text, integrator)
                self.assertEqual((status, said), (0, ""))
                self.assertLess(found["worst"], 0.1)

    def test_what_closes_after_the_first_step(self):
        """Strict Euler falls by g dt^2 before a tendon at its limit holds: within loops, too, that is no motion."""
        with open(self.path("tendon.xml"), "w") as f:
            f.write("""<mujoco><option timestep="0.001"/><worldbody>
                <body><joint name="a" type="slide" axis="0 0 1"/><geom type="sphere" size="0.05" mass="0.3"/></body>
                <body pos="1 0 0"><joint name="b" type="slide" axis="0 0 1" damping="1"/>
                <geom type="sphere" size="0.05" mass="1"/></body></worldbody>
                <tendon><fixed limited="true" range="0 0.1"><joint joint="a" coef="-1"/><joint joint="b" coef="1"/></fixed></tendon>
                <equality><joint joint1="a" joint2="b" polycoef="0 -1 0 0 0"/></equality></mujoco>""")
        self.works("run", "tendon.xml", "--integrator", "euler", "--until", "0.1", "-q", "-o", "kept.h5")
        self.works("verify", "kept.h5")


main()

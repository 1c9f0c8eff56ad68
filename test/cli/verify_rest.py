# Machines that stand still, upright or askew: what moves them is round-off of weights that balance, or that are square
# to the ways of their joints. Runs end well, and `stickslip verify` passes them. Arms that lie on a table, which their
# joint lets them neither leave nor press, move as upright.
import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main, some
from verdict import VerdictTest

INTEGRATORS = ("moreau", "jean", "euler", "event")

# The limits of these joints touch from the start, and nothing presses on them
CHAIN = """<body name="a"><joint name="ja" axis="0 0 1" limited="true" range="0 0.3" damping="20"/>
<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="2"/>
<body name="b" pos="0.2 0 0"><joint name="jb" type="slide" axis="1 0 0" limited="true" range="0 0.3" frictionloss="0.05"/>
<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5"/></body></body>"""

# Two equal weights that hold each other by a coupling
SCALES = """<body name="a"><joint name="ja" type="slide" axis="0 0 1" frictionloss="1"/><geom size="0.05" mass="1"/></body>
<body name="b" pos="1 0 0"><joint name="jb" type="slide" axis="0 0 1" damping="1"/><geom size="0.05" mass="1"/></body>"""
COUPLING = '<equality><joint joint1="ja" joint2="jb" polycoef="0 -1 0 0 0"/></equality>'

# A motor too weak to lift what lies on the floor
LAID = """<geom type="plane" size="0 0 1" pos="0 0 -0.02"/>
<body name="a"><joint name="ja" type="slide" axis="1 0 0" damping="20" stiffness="1"/>
<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5"/>
<body name="b" pos="0.2 0 0"><joint name="jb" type="slide" axis="0 0 1"/>
<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="2"/></body></body>"""
MOTOR = '<actuator><velocity joint="jb" kv="1"/></actuator><keyframe><key name="k" ctrl="0.3"/></keyframe>'


def turned(axis, angle, x):
    """Rodrigues' formula."""
    n = math.sqrt(sum(a*a for a in axis))
    k = [a/n for a in axis]
    across = [k[1]*x[2] - k[2]*x[1], k[2]*x[0] - k[0]*x[2], k[0]*x[1] - k[1]*x[0]]
    along = sum(a*b for a, b in zip(k, x))*(1 - math.cos(angle))
    return [a*math.cos(angle) + b*math.sin(angle) + c*along for a, b, c in zip(x, across, k)]


class Rest(VerdictTest):
    def run_askew(self, bodies, rest, axis, angle, integrator):
        words = lambda x: " ".join(repr(v) for v in x)
        gravity = turned(axis, angle, (0, 0, -9.81))
        self.write("m.xml", f'<mujoco><compiler angle="radian"/><option timestep="1e-3" gravity="{words(gravity)}"/>'
                   f'<worldbody><frame axisangle="{words([*axis, angle])}">{bodies}</frame></worldbody>{rest}'
                   f'<stickslip until="0.05"{" key=" + chr(34) + "k" + chr(34) if "<key " in rest else ""}/></mujoco>')
        code, out, err = self.tool("run", "m.xml", "--integrator", integrator, "--json", "-o", "run.h5")
        self.assertEqual(code, 0, (axis, angle, integrator, err))
        self.verdict(0, (bodies, axis, angle, integrator))
        return json.loads(out)["state"]["q"]

    def test_stands_askew(self):
        rng = random.Random(1)
        for bodies, rest in ((CHAIN, ""), (SCALES, COUPLING), (LAID, MOTOR)):
            for integrator in INTEGRATORS:
                self.run_askew(bodies, rest, [0, 0, 1], 0.0, integrator)
                for _ in some(range(2)):
                    angle = rng.choice([math.pi/2, math.pi, rng.uniform(-3, 3)])
                    self.run_askew(bodies, rest, [rng.gauss(0, 1) for _ in range(3)], angle, integrator)

    def test_arms_on_a_table(self):
        """The contacts of the arm had directions of round-off, and rubbed with loads of 1e14 N: it stuck."""
        rng = random.Random(2)
        for joint in ('axis="0 0 1"', 'type="slide" axis="1 0 0"'):
            for shape in some(('type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02"',
                               'type="box" size="0.1 0.02 0.02" pos="0.1 0 0"')):
                bodies = ('<geom type="plane" size="0 0 1" pos="0 0 -0.02" friction="1"/><body name="a"><joint name="ja" '
                          f'{joint} damping="20" stiffness="100" springref="0.1"/><geom {shape} mass="0.5"/></body>')
                for integrator in INTEGRATORS:
                    upright = self.run_askew(bodies, "", [0, 0, 1], 0.0, integrator)["ja"]
                    self.assertGreater(upright, 0.01)
                    for _ in some(range(2)):
                        axis, angle = [rng.gauss(0, 1) for _ in range(3)], rng.choice([math.pi/2, rng.uniform(-3, 3)])
                        askew = self.run_askew(bodies, "", axis, angle, integrator)["ja"]
                        self.assertLess(abs(askew - upright), 1e-9, (joint, shape, integrator, axis, angle))


main()

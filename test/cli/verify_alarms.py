# `stickslip verify` passes what is right: models whose velocities, residuals or forces are round-off of their terms,
# forces that are not unique, coarse tolerances, corners that meet exactly.
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main, some
from verdict import VerdictTest

import h5py

INTEGRATORS = ("moreau", "jean", "euler", "event")

# A torsional pendulum with falling friction; the potential depends on time
DRILL = """parameters: {J: 374, k: 473, c: 20, Om: 5, Ts: 8000, Tc: 3000}
coordinates: {phi: rad}
kinetic: J/2*phi'^2
potential: k/2*(phi - Om*t)^2
damping: c/2*(phi' - Om)^2
contacts: {bit: {slide: phi', bound: Tc + (Ts-Tc)*exp(-abs(phi'))}}
initial: {phi': Om, phi: -8}
run: {integrator: event, dt: 5e-2, until: 20}
"""

# A beam on three feet, more than it needs, with different friction
BEAM = """parameters: {c: 0.5, h: 0.2, v: 1, mu: [0, 0]}
coordinates: {x: m, y: m, th: rad}
definitions:
  xA: x + (-1 - c)*cos(th) + h*sin(th)
  xB: x - c*cos(th) + h*sin(th)
  xC: x + (1 - c)*cos(th) + h*sin(th)
  yA: y + (-1 - c)*sin(th) - h*cos(th)
  yB: y - c*sin(th) - h*cos(th)
  yC: y + (1 - c)*sin(th) - h*cos(th)
kinetic: (x'^2 + y'^2)/2 + th'^2/4
potential: 9.81*y
contacts:
  A: {gap: yA, slide: xA', mu: 0.9}
  B: {gap: yB, slide: xB', mu: 0.1}
  C: {gap: yC, slide: xC', mu: 0.3}
initial: {y: h, x': v}
run: {integrator: event, dt: 1e-2, until: 0.1}
""".replace(", mu: [0, 0]", "")

# Three masses that are pressed against each other and a wall, and rub
CHAIN = """coordinates: [x0, x1, x2]
kinetic: 1/2*x0'^2 + 1/2*x1'^2 + 2/2*x2'^2
potential: 10.0/2*(x0 - 0.0)^2 + 10.0/2*(x1 - 0.2)^2 + 10.0/2*(x2 - 0.4)^2
contacts:
  wall: {gap: x0 + 0, eps_n: 0}
  stop1: {gap: x1 - x0, eps_n: 0}
  stop2: {gap: x2 - x1, eps_n: 0}
  table0: {slide: x0', bound: 'max(0, t - 0.3)'}
  table1: {slide: x1', bound: '0'}
  table2: {slide: x2', bound: '2'}
initial: {x0': 1.9415608134528086, x1': -1.1044102175539594, x2': -0.7513722465826951}
run: {dt: 0.001, until: 1.0}
"""

# A body between two guides, at rest, with friction at both
SLOT = """coordinates: [x, y]
definitions:
  s: x*0.9714287565749081 + y*0.2373313525418171
  n: y*0.9714287565749081 - x*0.2373313525418171
kinetic: x'^2/2 + y'^2/2
potential: 9.81*y
contacts:
  bottom: {gap: n, slide: s', mu: 0.3}
  top: {gap: 0.001 - n, slide: s', mu: 0.425}
initial: {x': 0}
run: {dt: 0.001, until: 0.2}
"""

BALL = """coordinates: {x: m, y: m}
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
contacts: {floor: {gap: y, slide: x', mu: 0.3, eps_n: 0.5}}
initial: {y: 0.2, x': 1}
run: {integrator: event, dt: 1e-2, until: 1}
"""

KEPLER = """coordinates: {x: m, y: m}
kinetic: (x'^2 + y'^2)/2
potential: -1/hypot(x, y)
initial: {x: 0.4, y': 2}
run: {integrator: event, dt: 0.1, until: 8}
"""


def cradle(n):
    names = [f"x{i}" for i in range(n)]
    text = f"coordinates: [{', '.join(names)}]\nkinetic: " + " + ".join(f"{x}'^2/2" for x in names) + "\ncontacts:\n"
    text += "".join(f"  c{i}: {{gap: x{i+1} - x{i} - 1, eps_n: 1}}\n" for i in range(n - 1))
    start = ", ".join(f"x{i}: {i}" for i in range(1, n))
    return text + f"initial: {{x0: -0.05, {start}, x0': 1}}\nrun: {{dt: 1e-3, until: 0.2}}\n"


def wall(rows, columns):
    text = "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 0.5}\n"
    for r in range(rows):
        for c in range(columns):
            text += (f"  b{r}{c}: {{polygon: [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]], "
                     f"free: [{0.2*c}, {0.05 + 0.1*r}, 0], density: 1000, mu: 0.5}}\n")
    return text + "run: {dt: 1e-3, until: 0.02}\n"


# A heavy ball drives another one into a trough of its size, which it leaves and meets many times in a step
TROUGH = """gravity: 9.81
bodies:
  floor: {halfplane: [0, 0, 0, 1], mu: MU}
  u: {polygon: [[0, 0], [0.4, 0], [0.4, 0.3], [0.3, 0.3], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0, 0.3]], free: [0, 0.2, 0], density: 100, mu: 0.4}
  ball: {circle: [0, 0, 0.1], free: [0, 0.6, 0], mass: 1, mu: 0.3, eps_n: 0.5}
  ball2: {circle: [0, 0, 0.1], free: [0, 0.9, 0], mass: 1000, mu: 0.3, eps_n: 0.5}
run: {dt: 1e-3, until: 0.6}
"""

# A shaken belt carries boxes of 2 kg and 20 g against a wall
SHAKEN = """gravity: 9.81
bodies:
  belt: {polygon: [[-3, -0.1], [3, -0.1], [3, 0], [-3, 0]], at: ["0.3*sin(5*t)", "0.02*sin(RATE*t)", 0], mu: 0.5}
  wall: {polygon: [[1, 0.03], [1.2, 0.03], [1.2, 1], [1, 1]], mu: 0.5}
  a: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [0.9, 0.05, 0], density: 100, mu: 0.3}
  b: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [0.7, 0.05, 0], density: 1, mu: 0.3}
  c: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [0.8, 0.15, 0], density: 100, mu: 0.3}
run: {dt: 1e-3, until: 0.3}
"""


# Bricks in bond, the first of which is thrown against its neighbour: corners come into each other
def struck(rows, w, h, v):
    text = "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 1}\n"
    for k in range(3*rows):
        x, y, start = (k%3 + k//3%2/2)*w, (k//3 + 0.5)*h, v if k == 0 else 0
        corners = [[-w/2, -h/2], [w/2, -h/2], [w/2, h/2], [-w/2, h/2]]
        text += (f"  b{k}: {{polygon: {corners}, "
                 f"free: [{x!r}, {y!r}, 0], velocity: [{start!r}, 0, 0], mass: 1, mu: 1}}\n")
    return text + "run: {dt: 1e-3, until: 0.02}\n"


# Squares in a row, both ends thrown inwards: the contact in the middle passes the impact on, and opens at once
def pressed(n, eps):
    text = "bodies:\n"
    for i in range(n):
        v = 0.2 if i == 0 else -0.2 if i == n - 1 else 0
        text += (f"  b{i}: {{polygon: [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]], "
                 f"free: [{0.1*i}, 0, 0], velocity: [{v}, 0, 0], mass: 1, mu: 0.5, eps_n: {eps}}}\n")
    return text + "run: {dt: 1e-3, until: 0.05}\n"


# Two masses on a string of light beads around a drum: constraints and friction
def capstan(n=9, r=0.1, light=0.001, heavy=13.168821785539969):
    at = [(r*math.cos(math.pi*i/(n - 1)), r*math.sin(math.pi*i/(n - 1))) for i in range(n)]
    link = math.dist(at[0], at[1])
    names = [f"{c}{i}" for c in "xy" for i in range(n)] + ["xa", "ya", "xb", "yb"]
    beads = " + ".join(f"{light}/2*(x{i}'^2 + y{i}'^2)" for i in range(n))
    text = f"coordinates: [{', '.join(names)}]\nkinetic: {beads} + 1/2*(xa'^2 + ya'^2) + {heavy}/2*(xb'^2 + yb'^2)\n"
    text += f"potential: 9.81*(1*ya + {heavy}*yb)\ncontacts:\n"
    for i in range(n):
        h = f"hypot(x{i}, y{i})"
        text += f"  c{i}: {{gap: \"{h} - {r}\", slide: \"(x{i}*y{i}' - y{i}*x{i}')/{h}\", mu: 0.8}}\n"
    text += "constraints:\n"
    for i in range(n - 1):
        text += f"  l{i}: \"hypot(x{i+1} - x{i}, y{i+1} - y{i}) - {link!r}\"\n"
    text += f"  la: \"hypot(xa - x0, ya - y0) - 0.2\"\n  lb: \"hypot(xb - x{n-1}, yb - y{n-1}) - 0.2\"\n"
    start = ", ".join(f"x{i}: {at[i][0]!r}, y{i}: {at[i][1]!r}" for i in range(n))
    return text + f"initial: {{{start}, xa: {r}, ya: -0.2, xb: -{r}, yb: -0.2}}\n" \
        "run: {integrator: event, dt: 1e-4, until: 1e-3}\n"


# Masses above one another that touch and fall: their contacts are closed, and nothing presses. unit: metres of y_i
def tower(masses, eps, unit):
    y = [f"({c!r}*y{i})" for i, c in enumerate(unit)]
    text = f"coordinates: [{', '.join(f'y{i}' for i in range(len(y)))}]\n"
    text += "kinetic: " + " + ".join(f"{m}/2*({c!r}*y{i}')^2" for i, (m, c) in enumerate(zip(masses, unit))) + "\n"
    text += "potential: " + " + ".join(f"9.81*{m}*{x}" for m, x in zip(masses, y)) + "\ncontacts:\n"
    text += "".join(f"  c{i}: {{gap: \"{y[i]}{f' - {y[i - 1]}' if i else ''}\", eps_n: {e}}}\n" for i, e in enumerate(eps))
    start = ", ".join(f"y{i}: {0.1/c!r}" for i, c in enumerate(unit))
    return text + f"initial: {{{start}}}\nrun: {{dt: 1e-3, until: 0.2}}\n"


# Boxes flush beside and above one another, one of which is thrown against the others
STRUCK = '<mujoco><worldbody><geom type="plane" size="0 0 1" friction="1"/>' + "".join(
    f'<body name="b{i}" pos="{x*0.069498:.6f} 0 {z*0.069498:.6f}"><freejoint/><geom type="box" size="0.069498 0.069498 0.069498" '
    'friction="1" restitution="0" mass="1"/></body>' for i, (x, z) in enumerate([(0, 1), (2, 1), (4, 1), (1, 3), (3, 3)])
) + '</worldbody><keyframe><key name="k" qvel="0.139 ' + "0 "*29 + '"/></keyframe></mujoco>'


# Squares on one another without friction, at rest on a slope that gravity is normal to; unit: metres
def pile(n, unit, turn):
    a, c, s = 0.027097530839442486*unit, math.cos(turn), math.sin(turn)
    text = f"gravity: [{9.81*unit*s!r}, {-9.81*unit*c!r}]\nbodies:\n  floor: {{halfplane: [0, 0, {-s!r}, {c!r}], mu: 0}}\n"
    for i in range(n):
        h = (2*i + 1)*a
        text += (f"  b{i}: {{polygon: [[{-a}, {-a}], [{a}, {-a}], [{a}, {a}], [{-a}, {a}]], free: [{-h*s!r}, {h*c!r}, {turn + i%3*math.pi/2!r}], "
                 "mass: 1, mu: 0}\n")
    return text + "run: {dt: 1e-3, until: 0.2}\n"


# Two rods on a ball joint slide over the floor on more points than they need
ROLLING = ('<mujoco><worldbody><geom type="plane" size="0 0 1" friction="1" restitution="0"/><body pos="0 0 0.02"><freejoint/>'
           '<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5" friction="1" restitution="0"/><body pos="0.2 0 0">'
           '<joint type="ball"/><geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5" friction="1" restitution="0"/>'
           '</body></body></worldbody><keyframe><key name="k" qvel="0 0 0 0 5 3 0 0 0"/></keyframe></mujoco>')


# A body on a support whose velocity, or whose slope, jumps while it is touched
BODY = "coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\npotential: 9.81*y\n"
KINKS = {
    "belt": BODY + "definitions: {b: 'max(0, t - T)'}\ncontacts: {f: {gap: y, slide: x' - b', mu: 0.5}}\n",
    "lift": BODY + "definitions: {b: '0.5*max(0, t - T)'}\ncontacts: {f: {gap: y - b, slide: x', mu: 0.5, eps_n: 0.5}}\n",
    "drop": BODY + "definitions: {b: 'if(t < T, 0, T - t)'}\ncontacts: {f: {gap: y - b, slide: x', mu: 0.5}}\n",
    "ramp": BODY + "definitions: {b: 'max(0, x)'}\ncontacts: {f: {gap: '(y - b)*if(x > 0, 1/sqrt(2), 1)', "
                   "slide: \"if(x > 0, (x' + y')/sqrt(2), x')\", mu: 0.1}}\ninitial: {x: -2*T, x': 2}\n",
    "peak": BODY + "contacts: {f: {gap: '(y + abs(x)*0.5)/sqrt(1.25)', slide: \"(x' - 0.5*sign(x)*y')/sqrt(1.25)\", mu: 0.1}}\n"
                   "initial: {x: -3*T, y: -1.5*T, x': 3, y': 1.5}\n",
    "grip": BODY + "contacts: {f: {gap: y, slide: x', mu: 'max(0, t - T)'}}\ninitial: {x': 1}\n",
}


# Friction that is an ellipse; a ball that slides in a curve, or a box on more corners than it needs
def ellipse(shape, size):
    return (f'<mujoco><option timestep="0.01"/><worldbody><geom name="f" type="plane" size="0 0 1"/><body pos="0 0 0.1"><freejoint/>'
            f'<geom name="b" type="{shape}" size="{size}" mass="1"/></body></worldbody><contact><pair geom1="b" geom2="f" '
            'friction="0.2 0.5" restitution="0" friction-direction="1 0 0"/></contact><keyframe>'
            '<key name="on" qvel="1 0.7 0 0 0 0"/><key name="above" qpos="0 0 0.2 1 0 0 0" qvel="1 0.7 0 0 0 0"/></keyframe></mujoco>')


# Three bodies that turn together, welded to each other in a ring: one weld too many
WELDED = ('<mujoco><worldbody>' + "".join(
    f'<body name="b{i}" pos="{x} {y} 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="{i + 1}"/></body>'
    for i, (x, y) in enumerate(((0, 0), (0.3, 0), (0.15, 0.3)))) + '</worldbody><equality><weld body1="b0" body2="b1"/>'
    '<weld body1="b1" body2="b2"/><weld body1="b0" body2="b2"/></equality><keyframe>'
    '<key name="k" qvel="0 0 0 0 0 1 0 0.3 0 0 0 1 -0.3 0.15 0 0 0 1"/></keyframe></mujoco>')


# A brick falls flat beside two others, and its upper corner is at the lower one of the brick above just as it lands
BRICK = "[[-0.16666666666666666, -0.08333333333333333], [0.16666666666666666, -0.08333333333333333], " \
        "[0.16666666666666666, 0.08333333333333333], [-0.16666666666666666, 0.08333333333333333]]"
LANDS = "gravity: [4.904999999999999, -8.495709211125343]\nbodies:\n" \
        "  floor: {halfplane: [-7.967927748750068, -0.07181120553261522, -0.4999999999999999, 0.8660254037844386], mu: 0}\n" + "".join(
    f"  b{i}: {{polygon: {BRICK}, free: [{x!r}, {y!r}, {a!r}], velocity: [{u!r}, {v!r}, 0], mass: 1, mu: 0, eps_n: 0}}\n"
    for i, (x, y, a, u, v) in enumerate((
        (-8.009594415416734, 0.0003575781160879976, 3.665191429188092, 0.5773502691896257, 0.33333333333333326),
        (-7.720919280821922, 0.16702424478275463, 0.5235987755982988, 0, 0),
        (-7.948590181452661, 0.22802847874682775, 3.665191429188092, 0, 0),
        (-7.659915046857848, 0.3946951454134944, 0.5235987755982988, 0, 0),
        (-7.371239912263036, 0.5613618120801609, 0.5235987755982988, 0, 0)))) + "run: {dt: 0.001, until: 0.19}\n"


class Alarms(VerdictTest):
    def passes(self, text, *args):
        model = "model.xml" if text.startswith("<") else "model.yaml"
        self.write(model, text)
        code, _, err = self.tool("run", model, *args, "-q", "-o", "run.h5")  # which may tell of choices
        self.assertEqual(code, 0, err)
        self.assertTrue(self.verdict(why=args)["pass"])

    # Friction that differs with the direction: one number of a pair leaves the other at 1
    def test_ellipses_of_friction(self):
        self.write("box.xml", """<mujoco><option timestep="5e-3" gravity="2.5 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="0 0 1"/><body pos="0 0 .1"><freejoint/><geom name="b" type="box" size=".1 .1 .1"/></body>
</worldbody><contact><pair geom1="b" geom2="floor" friction=".2" friction-static=".21"/></contact>
<stickslip until="0.05"/></mujoco>
""")
        for integrator in some(("moreau", "jean", "euler", "event"), 2):
            self.good("run", "box.xml", "--integrator", integrator, "-q", "-o", "run.h5")
            self.verdict(0, integrator)

    # Friction of a foot comes to its limit by and by: slip begins with t^2, from nothing
    def test_feet_that_break_loose_by_and_by(self):
        link = '<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="{}" friction="0.5" restitution="0.5"/>'
        text = ('<mujoco><compiler angle="radian"/><option timestep="1e-3"/><worldbody><geom type="plane" size="0 0 1" '
                'pos="0 0 -0.03" friction="0.5" restitution="0.5"/><body name="l0"><joint axis="0 0 1" damping="20" type="slide"/>'
                + link.format(2) + '<body name="l1" pos="0.2 0 0"><joint name="j1" axis="0 1 0" damping="20" stiffness="1" '
                'springref="0" limited="true" range="-0.2 0.2" armature="0.01"/>' + link.format(0.5) +
                '<body name="l2" pos="0.2 0 0"><joint name="j2" axis="0 1 0" damping="0.1"/>' + link.format(0.5) +
                '</body></body></body></worldbody><contact><exclude body1="l0" body2="l2"/></contact><actuator><motor joint="j1" '
                'gear="2"/><position joint="j2" kp="10" kv="0.5"/></actuator><keyframe><key name="k" qvel="0.5 0 0" '
                'ctrl="-1 0.3"/></keyframe><stickslip key="k"/></mujoco>')
        self.passes(text, "--integrator", "event", "--until", "0.178")

    # The last of several steps between two rows may be the longest
    def test_places_and_overlaps_with_steps_between_rows(self):
        for args in (("humanoid", "--integrator", "jean", "--every", "7", "--until", "0.3"),
                     ("jenga", "--integrator", "euler", "--every", "3", "--until", "0.03")):
            self.tool("run", *args, "-q", "-o", "run.h5")
            self.verdict(why=args[0])

    def test_rows_with_steps_between_them(self):
        """--every: a row has the impulses of its last step alone, and a limit may be hit between two rows."""
        self.write("limit.xml", """<mujoco><option timestep="0.01"/><worldbody><body><joint axis="0 1 0" limited="true"
            range="-30 30"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/></body></worldbody></mujoco>""")
        for model, integrator, until in (("limit.xml", "moreau", "0.4"), ("woodpecker4", "event", "0.15"), ("two-balls", "event", "0.15")):
            for every in some(("2", "7", "20")):
                self.works("run", model, "--integrator", integrator, "--until", until, "--every", every, "-q", "-o", "e.h5")
                self.works("verify", "e.h5")

    def test_flush_bodies_by_event(self):
        """Arcs that end where nothing changes have rows of their own, and forces that are round-off do not pull: squares that
        meet face on face, turned; circles in a row; a box that falls together with one below it."""
        c, s = math.cos(-0.408), math.sin(-0.408)
        square = [[c*x - s*y, s*x + c*y] for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))]
        bodies = (f"  A: {{polygon: {square}, free: [{-c/2!r}, {-s/2!r}, 0], velocity: [{c!r}, {s!r}, 0], mass: 1, mu: 0.5}}\n"
                  f"  B: {{polygon: {square}, free: [{c/2!r}, {s/2!r}, 0], mass: 1, mu: 0.5}}\n")
        self.passes("name: flush\nbodies:\n" + bodies + "run: {dt: 0.001, until: 0.3}\n", "--integrator", "event")
        for turn in (0, 0.3, math.pi/2):
            c, s = math.cos(turn), math.sin(turn)
            row = "".join(f"  c{i}: {{circle: [0, 0, 0.1], free: [{0.2*i*c!r}, {0.2*i*s!r}, 0], "
                          f"velocity: [{(i == 0)*0.1*c!r}, {(i == 0)*0.1*s!r}, 0], mass: 1}}\n" for i in range(4))
            self.passes("name: row\nbodies:\n" + row + "run: {dt: 0.002, until: 0.2}\n", "--integrator", "event")
        box = "polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]"
        self.passes("name: fall\ngravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 0.3, eps_n: 0.5}\n"
                    f"  low: {{{box}, free: [0, 0.12, 0], mass: 2, mu: 0.3, eps_n: 0.5}}\n"
                    f"  high: {{{box}, free: [0.03, 0.32, 0], mass: 1, mu: 0.3, eps_n: 0.5}}\n"
                    "run: {dt: 0.001, until: 0.3}\n", "--integrator", "event")

    def test_sticking_against_a_potential_of_time(self):
        self.passes(DRILL)

    def test_a_cradle(self):
        for integrator in some(INTEGRATORS, 2):
            self.passes(cradle(8), "--integrator", integrator)

    def test_walls_whose_corners_meet(self):
        for integrator in some(INTEGRATORS[:3]):
            self.passes(wall(4, 3), "--integrator", integrator)

    # Which of two corners that have come into each other is the place of their contact hangs on round-off
    def test_corners_that_overlap(self):
        for w, h in ((1/3, 1/6), (0.2, 0.1), (0.1, 0.1), (0.7, 0.35)):
            for rows in (1, 2):
                for integrator in some(("jean", "moreau")):
                    self.passes(struck(rows, w, h, 2*w), "--integrator", integrator)

    # ... but it is a corner, no farther from the other than they overlap
    def test_places_of_corners_are_checked(self):
        self.passes(struck(1, 1/3, 1/6, 2/3), "--integrator", "jean")
        with h5py.File(self.path("run.h5")) as f:
            normal, gap = f["touch/frame"][:, :2], f["touch/gap"][:]
            at = [i for i in range(f["touch_end"][1]) if abs(normal[i, 0]) > 0.9 and gap[i] < -1e-5][0]
            point = f["touch/point"][at]
        for by in ((0.5*gap[at], 0), (2*gap[at], 0), (0, 1e-5)):
            with h5py.File(self.path("run.h5"), "r+") as f:
                f["touch/point"][at] = [point[0] + by[0], point[1] + by[1], 0]
            self.verdict(1, by)

    # Forces of contacts that are closed and carry nothing are round-off of the weights that cancel
    def test_towers_that_fall(self):
        for masses, eps, unit in (((2, 1), (0, 1), (1, 1)), ((2, 2), (0, 0), (1e-3, -1)), ((1, 1, 1), (0.5, 0.5, 0.5), (1e-3, -1e3, 1e-3)),
                                  ((1, 3, 2, 5), (0, 0.3, 1, 0), (1, -0.1, 1e3, 1)), ((1, 1e3), (0, 0), (1, 1e-3))):
            self.passes(tower(masses, eps, unit), "--integrator", "event")

    # Rows at a kink are evaluated on the side of the arc that ends, or of the one that begins there
    def test_kinks_of_what_is_touched(self):
        for text in KINKS.values():
            for T in some((0, 0.05, 0.0703)):
                self.passes(f"parameters: {{T: {T}}}\n{text}run: {{dt: 1e-3, until: 0.15}}\n", "--integrator", "event")

    # Rows just at a step of the potential have climbed it, or not yet; a run that starts there climbs or falls first
    def test_rows_at_a_step_of_the_potential(self):
        for x, v, step in ((0, 1, "x < 0.25, 0, 0.1"), (0, 1, "x < 0.25, 0, 5"), (0.5, -1, "x < 0.25, 0, 1"), (0.25, -1, "x < 0.25, 0, 1"),
                           (0.25, 1, "x <= 0.25, 0, 0.1"), (0.25, 1, "x <= 0.25, 0, 5"), (0.25, 0, "x <= 0.25, 0, 0.1"), (0.25, 0, "x < 0.25, 0, 1")):
            self.passes(f"coordinates: [x]\nkinetic: x'^2/2\npotential: 'x + if({step})'\ninitial: {{x: {x}, x': {v}}}\n"
                        "run: {dt: 0.0625, until: 0.5}\n".replace("x + if", "0*x + if" if x == 0 else "x + if"), "--integrator", "event")
            with h5py.File(self.path("run.h5"), "r") as f:
                energy = f["energy/kinetic"][:] + f["energy/potential"][:]
            self.assertLess(max(energy) - min(energy), 1e-12)

    # ... and not anything else
    def test_rows_at_a_step_are_checked(self):
        self.passes("coordinates: [x]\nkinetic: x'^2/2\npotential: 'if(x < 0.25, 0, 0.1)'\ninitial: {x': 1}\n"
                    "run: {dt: 0.0625, until: 0.5}\n", "--integrator", "event")
        for name, value in (("u", 1), ("energy/potential", 0), ("energy/kinetic", 0.5)):
            with h5py.File(self.path("run.h5"), "r+") as f:
                self.assertAlmostEqual(f["q"][4, 0], 0.25, 14)
                keep = f[name][4]
                f[name][4] = value
            self.verdict(1)
            with h5py.File(self.path("run.h5"), "r+") as f:
                f[name][4] = keep

    # ... and looked at
    def test_kinks_are_checked(self):
        for name, row in (("gamma", (0, 1)), ("u", 0), ("q", 1)):
            for side in (-1, 1):
                self.passes(f"parameters: {{T: 0.0503}}\n{KINKS['belt']}run: {{dt: 1e-3, until: 0.1}}\n", "--integrator", "event")
                with h5py.File(self.path("run.h5"), "r+") as f:
                    at = list(f["side"][:]).index(side)
                    f[name][(at, *(row if isinstance(row, tuple) else (row,)))] += 1e-6
                self.verdict(1)

    # What rests has velocities that are round-off of free fall; angles of small bodies are large numbers
    def test_piles_at_rest(self):
        for n, unit, turn in some(((5, 1, math.pi/6), (5, 1e-3, math.pi/6), (3, 1e-3, 0.7), (4, 1e3, -0.4))):
            self.passes(pile(n, unit, turn), "--integrator", "event")

    def test_forces_that_are_not_unique_and_change_fast(self):
        self.passes(ROLLING, "--integrator", "event", "--dt", "2e-4", "--until", "0.016", "--key", "k")

    # Laws hold in the metric of the solver's residual: rods that spin are harder to move along than across
    def test_rods_that_spin(self):
        rods = ROLLING.replace('type="ball"', 'type="hinge" axis="0 1 0"').replace('friction="1"', 'friction="0.3"')
        rods = rods.replace("0 0 0 0 5 3 0 0 0", "1 0 -3 0 0 3 0")
        for integrator in some(INTEGRATORS[:3]):
            self.passes(rods, "--integrator", integrator, "--dt", "2e-4", "--until", "0.1", "--key", "k")

    # Where something rolls terms of velocities cancel, to which jean knows its place
    def test_rods_that_roll(self):
        rods = ROLLING.replace('type="ball"', 'type="hinge" axis="0 0 1"').replace("0 0 0 0 5 3 0 0 0", "1 0 -3 0 30 3 0")
        self.passes(rods, "--integrator", "jean", "--dt", "2e-4", "--until", "0.1", "--key", "k")

    # Overlap of what stands on something light is removed by lifting it
    def test_heavy_bodies_on_light_ones(self):
        for light, heavy in ((1e-3, 1e3), (1, 1e3), (1, 1), (1e3, 1e-3)):
            boxes = "".join(f'<body pos="0 0 {z}"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="{m}" friction="0.5"/></body>'
                            for z, m in ((0.1, light), (0.35, heavy)))
            text = f'<mujoco><worldbody><geom type="plane" size="0 0 1" friction="0.3"/>{boxes}</worldbody></mujoco>'
            for integrator in some(INTEGRATORS[:3]):
                self.passes(text, "--integrator", integrator, "--dt", "1e-3", "--until", "0.2")

    # The way of a step out and back, and works at rest
    def test_terms_that_cancel(self):
        for integrator in some(INTEGRATORS, 2):
            self.passes(BODY + "contacts: {f: {gap: y, slide: x', mu: 0.3, eps_n: 1}, c: {gap: 0.1 - y, slide: x', mu: 0.3, eps_n: 1}}\n"
                        "initial: {y': -2, x': 3}\nrun: {dt: 1e-4, until: 0.1}\n", "--integrator", integrator)
            self.passes(BODY + "forces: {x: 4*sin(3*t)}\ncontacts:\n  f: {gap: y, slide: x', mu: 0.2, mu_static: 0.35}\n"
                        "  c: {gap: -y, slide: x', mu: 0.2, mu_static: 0.35}\nrun: {dt: 1e-3, until: 1.5}\n", "--integrator", integrator)

    # Impulses that cancel on a coordinate that is measured in other units than the others
    def test_impulses_that_cancel(self):
        self.passes("coordinates: [x0, x1, x2]\nkinetic: (0.001*x0')^2/2 + (1000*x1')^2/2 + (1000*x2')^2/2\n"
                    "potential: 50*(0.001*x0)^2 + 50*(1000*x1 + 0.2)^2 + 50*(1000*x2 + 0.4)^2\n"
                    "contacts:\n  wall: {gap: 0.001*x0}\n  stop1: {gap: -1000*x1 - 0.001*x0}\n"
                    "  stop2: {gap: 1000*x1 - 1000*x2}\ninitial: {x1': -0.001, x2': 0.0013804230534490095}\n"
                    "run: {dt: 1e-3, until: 0.1}\n", "--integrator", "event")

    # A contact goes on under another name in the impact of another one
    def test_a_brick_that_lands_beside_others(self):
        self.passes(LANDS, "--integrator", "event")

    # A corner beside a face by less than a millionth of the smaller body is on it
    def test_walls_that_are_struck(self):
        for integrator in some(INTEGRATORS[:3]):
            self.passes(STRUCK, "--integrator", integrator, "--dt", "5e-4", "--until", "0.02", "--key", "k")

    def test_impacts_that_are_passed_on(self):
        for n in some((3, 4, 5)):
            for integrator in some(INTEGRATORS):
                self.passes(pressed(n, 0.5), "--integrator", integrator)

    # Impulses of the row before an event are those of all of the arc: roots at which nothing happens do not divide it
    def test_roots_without_events(self):
        self.passes(CHAIN, "--integrator", "event")

    # What rests at zero, and what hardly moves
    # Two contacts in one place: the state of one that the choice of least impulses loads is not open
    def test_states_follow_the_choice(self):
        for integrator in ("moreau", "jean", "euler"):
            self.passes("coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\npotential: 9.81*y\ncontacts:\n"
                        "  a: {gap: y, slide: x', mu: 0.3, eps_n: 0.5}\n  b: {gap: y, slide: x', mu: 0.1, eps_n: 0.2}\n"
                        "initial: {y: 0.1, x': 2}\nrun: {dt: 1e-3, until: 1}\n", "--integrator", integrator)

    def test_rest(self):
        for integrator in some(INTEGRATORS, 2):
            self.passes(SLOT, "--integrator", integrator)
            self.passes(SLOT.replace("x': 0", "x': 1e-12"), "--integrator", integrator)

    def test_strings_over_a_drum(self):
        for n in (2, 3, 9):
            self.passes(capstan(n))

    # A bead between two rings: the load passes from one to the other, and friction with it
    def test_a_bead_between_rings(self):
        for v in some((6, 3, 7.5)):
            self.passes("coordinates: [x, y]\ndefinitions: {r: 'hypot(x, y)'}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\ncontacts:\n"
                        "  outer: {gap: 1 - r, slide: (x*y' - y*x')/r, mu: 0.2}\n  inner: {gap: r - 1, slide: (x*y' - y*x')/r, mu: 0.2}\n"
                        f"initial: {{y: -1, x': {v}}}\nrun: {{integrator: event, dt: 1e-3, until: 3}}\n")

    def test_forces_that_are_not_unique(self):
        for c in (0.5, 0.9, -0.3):
            for v in some((1, -1, 0)):
                self.passes(BEAM, "--set", f"c={c}", "--set", f"v={v}")

    # ... but are of the file: they do not pull, and together they do what they must.
    def test_forces_that_are_not_unique_are_checked(self):
        def change(f, by):
            f["Lambda"][5, :, 0] += [by, -2*by, by]  # moves nothing: the feet are evenly spaced
        for by, status in ((1e-4, 1), (0.2, 1)):
            self.write("model.yaml", BEAM.replace("v: 1", "v: 0"))
            self.tool("run", "model.yaml", "-q", "-o", "run.h5")
            with h5py.File(self.path("run.h5"), "r+") as f:
                before = f["Lambda"][5, 1, 0]
                change(f, by)
                self.assertEqual(f["Lambda"][5, 1, 0] < 0, before < 2*by)
            v = self.verdict(0 if by < 1e-2 else 1)
            self.assertEqual(v["normal law"]["worst"] > 1e-2, by > 1e-2)

    # What slides has friction of its own load, whatever they do together
    def test_friction_of_shared_loads_is_checked(self):
        self.write("model.yaml", BEAM)
        self.tool("run", "model.yaml", "-q", "-o", "run.h5")
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["Lambda"][5, :, 1] += [1e-6, -2e-6, 1e-6]  # moves nothing
        self.assertGreater(self.verdict(1)["friction law"]["worst"], 1e-6)

    # The cone of the file's impulses is the one of the model, ...
    def test_friction_that_is_an_ellipse(self):
        for shape, size in (("sphere", "0.1"), ("box", "0.1 0.1 0.1")):
            for key in ("on", "above"):
                self.passes(ellipse(shape, size), "--integrator", "event", "--until", "0.2", "--key", key)

    # ... both of its axes
    def test_ellipses_are_checked(self):
        for axis, by in ((1, 1.01), (2, 1.01)):
            self.passes(ellipse("sphere", "0.1"), "--integrator", "event", "--until", "0.1", "--key", "on")
            with h5py.File(self.path("run.h5"), "r+") as f:
                f["touch/Lambda"][3, axis] *= by
            self.assertGreater(self.verdict(1)["friction law"]["worst"], 1e-4)

    # Impulses of what is held have the error of the velocities, of which it is taken out
    def test_constraints_that_are_redundant(self):
        for dt in ("0.005", "0.05"):
            self.passes(WELDED, "--integrator", "event", "--until", "0.3", "--key", "k", "--dt", dt)

    # A nanosecond, or thirty years, is as good as a second
    def test_other_units_of_time(self):
        for T in (1e-9, 1, 1e9):
            box = (f'<mujoco><option timestep="{2e-3*T}" gravity="0 0 {-9.81/T**2}"/><worldbody><geom type="plane" size="0 0 1" friction="0.3"/>'
                   '<body pos="0 0 0.15"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.3" restitution="0.3"/></body>'
                   f'</worldbody><keyframe><key name="k" qvel="{1/T} 0 0 {1/T} 0 {2/T}"/></keyframe></mujoco>')
            for integrator in some(INTEGRATORS):
                self.passes(box, "--integrator", integrator, "--until", repr(0.3*T), "--key", "k")
                self.assertLess(self.json("verify", "run.h5", "--json")["momentum"]["worst"], 1e-10)

    def test_coarse_tolerances(self):
        for rtol in ("1e-6", "1e-8", "1e-10"):
            self.passes(KEPLER, "--rtol", rtol)

    def test_bounces_that_come_to_an_end(self):
        self.passes(BALL)

    # A brush that rests for an instant in its guide, while the ring moves it on, does not stick there: contacts that
    # redundant rows could carry, but not hold, were called sticking, and stopped a moment later.
    def test_a_brush_by_event(self):
        self.good("run", "brush", "--integrator", "event", "--until", "0.0029", "-q", "-o", "run.h5")
        self.assertTrue(self.verdict()["pass"])

    # Loads between contacts that are not unique change in proportion also in the first arc, which has but their means: a
    # square thrown along a shaft that it fits into, inclined. Arcs that are as short as round-off of their time: a
    # square of 1e-9 kg passes a corner of one of a tonne.
    def test_a_shaft_and_a_light_body(self):
        c, s, w = math.cos(math.pi/6), math.sin(math.pi/6), 1.3
        def turned(points):
            return [[c*x - s*y, s*x + c*y] for x, y in points]
        box = [[-w, -w], [w, -w], [w, w], [-w, w]]
        sides = [turned([[x, -1], [x + 1, -1], [x + 1, 1], [x, 1]]) for x in (-1 - w, w)]
        self.passes("gravity: 9.81\nbodies:\n" + "".join(f"  s{i}: {{polygon: {p}, mu: 0.3, eps_n: 0.5}}\n" for i, p in enumerate(sides)) +
                    f"  box: {{polygon: {box}, free: [0, 0, {math.pi/6}], velocity: [{-s}, {c}, 0], mass: 1, mu: 0.3, eps_n: 0.5}}\n"
                    "run: {dt: 1e-3, until: 0.02}\n", "--integrator", "event")
        box = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]
        self.passes("gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 0.3}\n"
                    f"  big: {{polygon: {box}, free: [0, 0.1, 0], mass: 1000, mu: 0.3}}\n"
                    f"  small: {{polygon: {box}, free: [0.03, 0.3, 0], velocity: [-0.5, 0, 0], mass: 1e-9, mu: 0.3}}\n"
                    "run: {dt: 1e-3, until: 0.1}\n", "--integrator", "event")

    # Two spheres that are welded slide to rest: the direction of their last velocities is that of round-off
    def test_sliding_to_rest(self):
        ball = '<freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.4"/></body>'
        text = ('<mujoco><worldbody><geom type="plane" size="0 0 1" friction="0.4"/><body name="a" pos="0 0 0.1">' + ball +
                '<body name="b" pos="0.2 0 0.1">' + ball + '</worldbody><contact><exclude body1="a" body2="b"/></contact><equality>'
                '<weld body1="a" body2="b"/></equality><keyframe><key name="k" qvel="0.5 0 0 0 0 0 0.5 0 0 0 0 0"/></keyframe></mujoco>')
        for dt in ("1e-3", "5e-4"):
            self.passes(text, "--integrator", "event", "--dt", dt, "--until", "0.13", "--key", "k")

    # Links that fall flat and slide have more contacts than they need; the load of one of them vanishes within an arc,
    # which is a kink in all of them that the file's forces at its ends and their means do not place. What is off by more
    # than any such kink makes is still found.
    def test_shared_loads_with_a_kink(self):
        link = '<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5" friction="0.3" restitution="0"/>'
        self.passes('<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="0 0 1" friction="0.3" restitution="0"/>'
                    f'<body name="l0" pos="0 0 0.1"><freejoint/>{link}<body name="l1" pos="0.2 0 0"><joint type="ball"/>{link}'
                    f'<body name="l2" pos="0.2 0 0"><joint type="hinge" axis="0 1 0"/>{link}</body></body></body></worldbody>'
                    '<contact><exclude body1="l0" body2="l2"/></contact><keyframe><key name="k" '
                    'qvel="0 0 -3 0 0 3 10 10 0 10"/></keyframe></mujoco>',
                    "--integrator", "event", "--dt", "2e-4", "--until", "0.0576", "--key", "k")
        self.assertIn("not unique", " ".join(self.json("verify", "run.h5", "--json")["left_out"]))
        with h5py.File(self.path("run.h5"), "r+") as f:
            row = int(abs(f["t"][:] - 0.057).argmin())
            f["u"][row, 1] += 1e-5
        self.assertFalse(self.verdict(1)["pass"])

    def test_slip_that_turns_as_it_stops(self):
        """A series of impacts ends with its slips: one of 1e-9 m/s that was left turned within 13 ns and stopped, which
        nobody can follow who has forces at both ends and their mean alone."""
        link = '<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="%s" friction="0.3" restitution="1"/>'
        self.passes('<mujoco><compiler angle="radian"/><worldbody>'
                    '<geom type="plane" size="0 0 1" pos="0 0 -0.03" friction="0.3" restitution="1"/><body name="l0">'
                    '<joint name="j0" axis="0 1 0" frictionloss="5" limited="true" range="0 0.3" armature="0.01"/>'
                    f'{link % 0.5}<body name="l1" pos="0.2 0 0"><joint name="j1" axis="0 1 0"/>{link % 2}<body '
                    'name="l2" pos="0.2 0 0"><joint name="j2" axis="0 0 1" damping="20"/>'
                    f'{link % 2}</body></body></body></worldbody>'
                    '<contact><exclude body1="l0" body2="l2"/></contact><actuator><motor joint="j0" gear="2"/>'
                    '<position joint="j1" kp="50"/><velocity joint="j2" kv="0.5"/></actuator><keyframe>'
                    '<key name="k" ctrl="0.3 0 -1"/></keyframe></mujoco>',
                    "--integrator", "event", "--dt", "1e-3", "--until", "0.2655", "--key", "k")
        with h5py.File(self.path("run.h5"), "r+") as f:
            row = int(abs(f["t"][:] - 0.265265629).argmin())
            f["u"][row:row + 2, 2] += 1e-5
        self.assertFalse(self.verdict(1)["pass"])

    # A tower of bouncing masses by `euler`: what separates has no restitution, also if it is pressed together again
    def test_towers_that_bounce(self):
        for dt in ("1e-3", "5e-4"):
            self.passes("coordinates: [a, b, c]\nkinetic: a'^2 + b'^2 + c'^2\npotential: 19.62*(a + b + c)\ncontacts:\n"
                        "  A: {gap: a, eps_n: 0.5}\n  B: {gap: b - a, eps_n: 0.5}\n  C: {gap: c - b, eps_n: 0.5}\n"
                        "initial: {a: 0.1, b: 0.15, c: 0.2}\nrun: {dt: 1e-3, until: 0.4}\n",
                        "--integrator", "euler", "--dt", dt)

    # A box with resistance against spin and rolling that hops and rocks on a slope: contacts without load have no
    # torque, not even round-off, and what does not turn sticks whatever the bound was when its torque was found
    def test_torques_without_load(self):
        text = ('<mujoco><option gravity="-1.948946135099551 0 -9.614453128622582"/><worldbody><geom name="floor" type="plane" '
                'size="0 0 1"/><body pos="0 0 0.1"><freejoint/><geom name="g" type="box" size="0.1 0.1 0.1" mass="1"/></body>'
                '</worldbody><contact><pair geom1="floor" geom2="g" condim="6" friction="0.4 0.4 0.01 0.005 0.005" '
                'restitution="0.5"/></contact><keyframe><key name="k" qvel="0 0 0 0 3 0"/></keyframe></mujoco>')
        for dt in ("1e-3", "5e-4"):
            for integrator in ("moreau", "euler", "jean", "rattle"):
                self.passes(text, "--integrator", integrator, "--dt", dt, "--until", "0.3", "--key", "k")

    # Points at the rims of cylinders, where the distance has no slope: the search for it went on for minutes
    def test_points_at_rims(self):
        tilt = "0.9155514167122127 -0.20919752154375332 0.3005105096454042 0.1664194517743359"
        at = (("0.0528700229188775 0.05313921392772992 0.08050456272597428", 'box" size="0.1 0.1 0.1" mass="7.677"'),
              ("0.17302916591632633 0.17391015467257062 0.26346947801227943", 'cylinder" size="0.1 0.1" mass="1"'),
              ("0.2691564803142854 0.2705269072684432 0.4098414102413236", 'cylinder" size="0.1 0.1" mass="1"'))
        law = 'friction="0.523" restitution="0.5"'
        self.passes('<mujoco><option gravity="-4.715044771219893 -4.73905171482755 -7.1795432758346145"/><worldbody>'
                    f'<body quat="{tilt}"><geom type="plane" size="0 0 1" {law}/></body>' +
                    "".join(f'<body pos="{p}" quat="{tilt}"><freejoint/><geom type="{g} {law}/></body>' for p, g in at) +
                    '</worldbody><keyframe><key name="k" qvel="0 0 0 0 0 10 0 0 0 0 0 0 0 0 0 0 0 10"/></keyframe></mujoco>',
                    "--dt", "5e-4", "--until", "0.3", "--key", "k")

    # Sliders that friction stops just where a step ends, and at a sum of steps that is a last digit later
    def test_events_at_the_end_of_a_step(self):
        def slider(name, inner):
            return (f'<body name="{name}"><joint type="slide" axis="1 0 0" frictionloss="50"/>'
                    f'<geom type="sphere" size="0.03" mass="1" contype="0" conaffinity="0"/>{inner}</body>')
        for dt in ("1e-3", "5e-4", "3e-4", "2e-4"):
            self.passes('<mujoco><worldbody>' + slider("a", slider("b", slider("c", ""))) + '</worldbody>'
                        '<keyframe><key name="k" qvel="1 0.5 -1"/></keyframe></mujoco>',
                        "--integrator", "event", "--dt", dt, "--until", "0.06", "--key", "k")
    # Within a step in parts what slides at both ends may have turned round, or stuck
    def test_sliding_in_steps_in_parts(self):
        for mu in ("0.4", "0.1"):
            for integrator in ("moreau", "jean"):
                self.passes(TROUGH.replace("MU", mu), "--integrator", integrator)
        self.passes(SHAKEN.replace("RATE", "30"), "--integrator", "jean")

    # Bodies that overlap are lifted: `run` and `verify` tell how much energy that has given
    def test_energy_of_removed_overlap_is_told(self):
        for text, integrator, told in ((TROUGH.replace("MU", "0.4"), "jean", True),
                                       (SHAKEN.replace("RATE", "30"), "rattle", False)):  # which lifts nothing
            self.write("model.yaml", text)
            code, _, err = self.tool("run", "model.yaml", "--integrator", integrator, "-q", "-o", "run.h5")
            self.assertEqual((code, "removal of overlap has added" in err), (0, told), err)
            v = self.verdict()
            self.assertEqual(v["projected"] > 0.01*v["energy_at_hand"], told)
            self.assertEqual("projection      has added" in self.tool("verify", "run.h5")[1], told)

    # What sticks to the tolerance of its solver, and has a part of its friction, is not told to slide
    def test_states_are_those_of_friction(self):
        for rate in ("30", "27", "32.3"):
            self.passes(SHAKEN.replace("RATE", rate), "--integrator", "euler", "--until", "0.1")

    # A tendon with friction at its limit, beside a coupling: the friction is all that there may be, and the forces of
    # the coupling are in the file at both ends of an arc, too
    def test_loads_shared_beside_couplings(self):
        slide = '<body name="{0}" pos="{1} 0 0"><joint name="{0}" type="slide" axis="0 0 1"{2}/><geom size="0.1" mass="{3}"/></body>'
        ball = "".join(slide.format(*x) for x in (("a", 0, "", 1), ("b", 1, "", 2), ("c", 2, ' limited="true" range="-0.5 0.5"', 1e-3)))
        limit = '<fixed limited="true" range="{}"{}><joint joint="{}" coef="1"/><joint joint="{}" coef="{}"/></fixed>'
        text = (f'<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>{ball}<body pos="3 0 0">'
                '<joint name="d" axis="0 1 0"/><geom size="0.1" mass="1" pos="0.3 0 0"/></body></worldbody><tendon>' +
                limit.format("-0.2 0.2", ' frictionloss="1"', "a", "b", 1) + limit.format("-0.2 0", "", "a", "c", -1) +
                limit.format("-0.2 0", "", "b", "c", -1) +
                '</tendon><equality><joint joint1="d" joint2="c" polycoef="0 2 0.5 0 0"/></equality></mujoco>')
        for dt in ("1e-3", "2e-3", "7e-4"):
            self.passes(text, "--integrator", "event", "--dt", dt, "--until", "0.5")

    def test_stiff_dampers_by_event(self):
        """Time constants below the interval of the rows: the extrapolation of an arc can settle by chance."""
        link = '<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5"/>'
        self.write("arm.xml", f"""<mujoco><compiler angle="radian"/><worldbody>
<body name="a"><joint name="ja" axis="0 1 0" damping="20" limited="true" range="-0.2 0.2"/>{link}
<body name="b" pos="0.2 0 0"><joint name="jb" axis="0 1 0" frictionloss="0.5" damping="20" stiffness="1" springref="0.1"/>
{link}</body></body></worldbody>
<actuator><velocity joint="ja" kv="0.5"/><motor joint="jb" gear="2"/></actuator>
<keyframe><key name="k" qvel="0.5 0.5" ctrl="0.3 0"/></keyframe><stickslip until="0.3" key="k"/></mujoco>
""")
        self.works("run", "arm.xml", "--integrator", "event", "--dt", "1e-3", "-q", "-o", "run.h5")
        self.verdict(0)


main()

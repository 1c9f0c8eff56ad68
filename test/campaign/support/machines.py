# Random machines: joints with motors, servos, springs, dampers and dry friction; slides tied by tendons and couplings;
# bodies welded together, once or twice; friction with static coefficients, directions, rolling and spinning resistance.
from dataclasses import dataclass, replace
from math import pi

from linkages import World as Linkage, start
from planar import eps, mu
from world3d import turn


@dataclass
class World(Linkage):
    gravity: tuple = (0, 0, -9.81)

    def text(self):
        option = f'<option timestep="{self.dt!r}" gravity="{" ".join(repr(float(g)) for g in self.gravity)}"/>'
        return super().text().replace(f'<option timestep="{self.dt!r}"/>', option)

    def in_other_coordinates(self, rng):
        """The whole machine stands askew, and so does gravity: its joints move the same."""
        if "<freejoint" in self.bodies:
            return self
        axis, angle = [rng.gauss(0, 1) for _ in range(3)], rng.choice([pi/2, pi, rng.uniform(-pi, pi)])
        vector = " ".join(repr(x) for x in [*axis, angle])
        return replace(self, bodies=f'<frame axisangle="{vector}">{self.bodies}</frame>',
                       gravity=tuple(turn(axis, angle) @ self.gravity))


def joint_extras(rng, slide):
    """What a joint may have: dry friction, damping, a spring, limits, inertia of its motor."""
    out = rng.choice(["", "", f' frictionloss="{rng.choice([0.05, 0.5, 5])}"'])
    out += rng.choice(["", ' damping="0.1"', ' damping="20"'])
    out += rng.choice(["", "", f' stiffness="{rng.choice([1, 100])}" springref="{rng.choice([0, 0.1])}"'])
    limit = rng.choice(["", "", "-0.2 0.2", "0 0.3"])
    out += f' limited="true" range="{limit}"' if limit else ""
    return out + rng.choice(["", ' armature="0.01"']) + f' type="{"slide" if slide else "hinge"}"'


def actuator(rng, i):
    """Gains that a step can take, which has the forces of drives at its start."""
    kind = rng.choice(["motor", "position", "velocity"])
    gains = {"motor": 'gear="2"', "position": f'kp="{rng.choice([10, 50])}" kv="{rng.choice([0, 0.5])}"',
             "velocity": 'kv="0.5"'}[kind]
    return f'<{kind} name="a{i}" joint="j{i}" {gains}/>', rng.choice([0.0, 0.3, -1.0])


def servo(rng):
    """A chain of hinges and slides with actuators, in the air or with a floor to press on."""
    n, e, m = rng.randint(1, 3), eps(rng), mu(rng)
    z = rng.choice([-1, -0.1, -0.02 if n == 1 else -0.03])
    rubs = f'friction="{m}" restitution="{e}"'
    text = f'<geom name="floor" type="plane" size="0 0 1" pos="0 0 {z}" {rubs}/>'
    actuators, ctrl = "", []
    for i in range(n):
        slide = rng.random() < 0.4
        axis = rng.choice(["1 0 0", "0 0 1"] if slide else ["0 1 0", "0 1 0", "0 0 1"])
        text += (f'<body name="l{i}" pos="{0.2 if i else 0} 0 0"><joint name="j{i}" axis="{axis}"'
                 f'{joint_extras(rng, slide)}/><geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" '
                 f'mass="{rng.choice([0.5, 0.5, 2])}" {rubs}/>')
        if rng.random() < 0.8:
            one, value = actuator(rng, i)
            actuators, ctrl = actuators + one, ctrl + [value]
    exclude = '<contact><exclude body1="l0" body2="l2"/></contact>' if n > 2 else ""
    key = f'<keyframe><key name="start" qvel="{" ".join(str(rng.choice([0, 0, 0.5])) for _ in range(n))}"'
    key += (f' ctrl="{" ".join(map(str, ctrl))}"' if ctrl else "") + "/></keyframe>"
    return World(text + "</body>"*n, exclude + (f"<actuator>{actuators}</actuator>" if actuators else "") + key)


def tendon(rng):
    """Slides side by side, tied by tendons with ranges, dry friction and springs, and by couplings."""
    n, text = 2, ""
    for i in range(n):
        text += (f'<body name="l{i}" pos="{i} 0 0"><joint name="j{i}" type="slide" axis="0 0 1"'
                 + rng.choice(["", ' damping="1"', ' stiffness="50"', ' frictionloss="1"']) +
                 f'/><geom type="sphere" size="0.05" mass="{rng.choice([1, 1, 0.3])}" contype="0" conaffinity="0"/>'
                 '</body>')
    arm = [rng.choice([1, 1, -1, 0.5]) for _ in range(n)]
    arms = "".join(f'<joint joint="j{i}" coef="{c}"/>' for i, c in enumerate(arm))
    has = rng.choice(['limited="true" range="-0.01 0.01"', 'limited="true" range="0 0.1"', 'frictionloss="4"',
                      'stiffness="200"', 'damping="3" frictionloss="1"'])
    rest = f'<tendon><fixed name="t" {has}>{arms}</fixed></tendon>'
    tie = rng.choice(["", "0 -1 0 0 0", "0 0.5 1 0 0"])
    if tie.startswith("0 0.5") and 0.5*arm[0] + arm[1] == 0:
        tie = ""  # a limit at zero of what can only be x^2: a singular point, and nothing else, is free
    rest += f'<equality><joint joint1="j0" joint2="j1" polycoef="{tie}"/></equality>' if tie else ""
    return World(text, rest + start(*[rng.choice([0, 1.0, -1.0]) if "joint1" not in rest else 0 for _ in range(n)]))


def welded(rng):
    """Two or three boxes welded to one another, once or twice, dropped on a floor: they move as one body."""
    n, m = rng.randint(2, 3), rng.choice([0, 0.4])
    text = f'<geom name="floor" type="plane" size="0 0 1" friction="{m}"/>'
    for i in range(n):
        text += (f'<body name="b{i}" pos="{0.2*i} 0 {rng.choice([0.1, 0.13]) if i == 0 else 0.1}"><freejoint/>'
                 f'<geom type="sphere" size="0.1" mass="{rng.choice([1, 1, 2])}" friction="{m}"/></body>')
    exclude = "".join(f'<exclude body1="b{i}" body2="b{j}"/>' for j in range(n) for i in range(j))
    weld = "".join(f'<weld body1="b{i}" body2="b{i + 1}"/>'*rng.choice([1, 1, 2]) for i in range(n - 1))
    v = rng.choice([0, 0.5])
    return World(text, f'<contact>{exclude}</contact><equality>{weld}</equality>' + start(*[v, 0, 0, 0, 0, 0]*n), until=0.2)


def laws(rng):
    """A sphere or a box on a floor, pushed or on a slope, with the laws of friction that a pair may have."""
    sphere = rng.random() < 0.5
    shape = 'type="sphere" size="0.1"' if sphere else 'type="box" size="0.1 0.1 0.1"'
    law = rng.choice(['friction="0.3 0.3 0 0 0" friction-static="0.5"', 'friction="0.2 0.4 0 0 0" friction-direction="1 0 0"',
                      'condim="4" friction="0.4 0.4 0.02 0 0"', 'condim="6" friction="0.4 0.4 0.01 0.005 0.005"']
                     # of a box it tips it over with contacts that carry nothing: closed they lift off, open they fall
                     + ['friction="0.3 0.3 0 0 0" friction-bound="2"']*sphere)
    slope = rng.choice([0, 0, 0.2, 0.35, 0.5])
    text = (f'<geom name="floor" type="plane" size="0 0 1"/><body name="b" pos="0 0 0.1"><freejoint/>'
            f'<geom name="g" {shape} mass="1"/></body>')
    rest = f'<contact><pair name="p" geom1="floor" geom2="g" {law} restitution="{eps(rng)}"/></contact>'
    gravity = turn([0, 1, 0], slope) @ (0, 0, -9.81)
    speeds = [rng.choice([0, 0.5]), rng.choice([0, 0.3]), 0, 0, rng.choice([0, 0, 3.0]), rng.choice([0, 0, 4.0])]
    return World(text, rest + start(*speeds), gravity=tuple(gravity))


FAMILIES = [servo, tendon, welded, laws]
REGULAR = {"servo", "tendon", "welded", "laws"}

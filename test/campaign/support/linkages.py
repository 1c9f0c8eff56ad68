# Random linkages in space: chains of hinges and ball joints, tops, limits, dry friction of joints, loops, a floor
# to hit.
from dataclasses import dataclass
from math import pi

import numpy as np

from planar import eps, mu

ALONE = 'contype="0" conaffinity="0"'  # what touches nothing


@dataclass
class World:
    bodies: str                     # inside <worldbody>
    rest: str = ""                  # after it
    dt: float = 1e-3
    until: float = 0.3
    suffix = "xml"

    def text(self):
        key = ' key="start"' if "<key " in self.rest else ""
        return (f'<mujoco model="campaign"><compiler angle="radian"/><option timestep="{self.dt!r}"/>'
                f'<worldbody>{self.bodies}</worldbody>{self.rest}<stickslip until="{self.until!r}"{key}/></mujoco>\n')

    def columns(self, names, values):
        return {n: values[:, [i]] for i, n in enumerate(names)}

    def little(self):
        return 1e-9

    def cone(self):
        return float("inf")             # of joints, and of floors

    def round_off(self, q):
        return 0

    def back(self, q):
        return q


def start(*speeds):
    """A keyframe with these velocities."""
    return f'<keyframe><key name="start" qvel="{" ".join(repr(float(v)) for v in speeds)}"/></keyframe>'


def chain(rng):
    """Links on hinges, one after the other, axes parallel or crossed, with a floor that the end may hit."""
    n, e = rng.randint(1, 4), eps(rng)
    text = (f'<geom name="floor" type="plane" size="0 0 1" pos="0 0 {-0.2*n - rng.choice([0, 0.02, 1])}" '
            f'friction="{mu(rng)}" restitution="{e}"/>')
    close = ""
    for i in range(n):
        axis = rng.choice(["0 1 0", "0 1 0", "1 0 0"])
        friction = rng.choice(["", "", ' frictionloss="0.05"', ' damping="0.02"'])
        limit = rng.choice(["", "", ' limited="true" range="-0.5 0.5"', ' limited="true" range="0 0.5"'])
        text += (f'<body name="l{i}" pos="{0 if i == 0 else 0.2} 0 0">'
                 f'<joint name="j{i}" type="hinge" axis="{axis}"{friction}{limit}/>'
                 f'<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5" restitution="{e}"/>')
        close += "</body>"
    apart = "".join(f'<exclude body1="l{i}" body2="l{i + 2}"/>' for i in range(n - 2))
    return World(text + close, rng.choice(["", f"<contact>{apart}</contact>"]))


def tops(rng):
    """Bodies on ball joints, one on the other, spinning slow or fast about any axis."""
    n = rng.randint(1, 3)
    text, close, speeds = "", "", []
    for i in range(n):
        text += (f'<body name="l{i}" pos="0 0 {0 if i == 0 else 0.2}"><joint name="j{i}" type="ball"/>'
                 f'<geom type="cylinder" size="{rng.choice([0.02, 0.1])} 0.05" pos="0 0 0.12" mass="0.5" {ALONE}/>')
        close += "</body>"
        speeds += [rng.choice([0, 0, 1.0]), rng.choice([0, 0.5]), rng.choice([0, 5, 50, 200.0])]
    return World(text + close, start(*speeds))


def gimbal(rng):
    """A rotor in two rings."""
    speed = rng.choice([5.0, 50.0, 300.0])
    text = (f'<body name="outer"><joint type="hinge" axis="0 0 1"/>'
            f'<geom type="box" size="0.2 0.02 0.2" mass="0.1" {ALONE}/>'
            f'<body name="inner"><joint type="hinge" axis="1 0 0"/>'
            f'<geom type="box" size="0.1 0.1 0.02" mass="0.1" {ALONE}/>'
            f'<body name="rotor"><joint type="hinge" axis="0 1 0"/>'
            f'<geom type="cylinder" size="0.08 0.01" euler="1.5707963267948966 0 0" mass="1" {ALONE}/>'
            '</body></body></body>')
    return World(text, start(rng.choice([0, 0.5]), rng.choice([0, 1]), speed))


def loop(rng):
    """A four-bar linkage closed by a connect, not flat."""
    a = rng.choice([0.3, 0.5, 1.0])
    text = (f'<body name="crank"><joint type="hinge" axis="0 1 0"/>'
            f'<geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.01" mass="0.2" {ALONE}/>'
            f'<body name="rod" pos="0 0 0.2"><joint type="hinge" axis="0 1 0"/>'
            f'<geom type="capsule" fromto="0 0 0 {a} 0 0" size="0.01" mass="0.2" {ALONE}/></body></body>'
            f'<body name="rocker" pos="{a} 0 0"><joint type="hinge" axis="0 1 0"/>'
            f'<geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.01" mass="0.2" {ALONE}/></body>')
    rest = f'<equality><connect body1="rod" body2="rocker" anchor="{a} 0 0"/></equality>'
    v = rng.choice([0.3, 1.0])
    return World(text, rest + start(v, -v, v))


def stops(rng):
    """Joints at their limits: ranges of next to nothing, limits where the joint stands, slides and hinges, masses that
    fall onto them."""
    text, close, n = "", "", rng.randint(1, 3)
    for i in range(n):
        kind, axis = rng.choice([("slide", "0 0 1"), ("slide", "1 0 0"), ("hinge", "0 1 0")])
        limit = rng.choice([(0, 1e-9), (0, 0.3), (-0.3, 0), (-0.1, 0.1)])
        friction = rng.choice(["", ' frictionloss="0.3"', ' frictionloss="50"'])
        text += (f'<body name="l{i}" pos="{0.2 if i else 0} 0 0"><joint name="j{i}" type="{kind}" axis="{axis}" '
                 f'limited="true" range="{limit[0]} {limit[1]}"{friction}/>'
                 f'<geom type="sphere" size="0.03" pos="0.1 0 0" mass="{rng.choice([1, 1, 0.3])}" {ALONE}/>')
        close += "</body>"
    return World(text + close, start(*[rng.choice([1.0, -1.0, 0.5]) for _ in range(n)]))


def flyer(rng):
    """A free tree of links that spins and falls onto a floor."""
    n, e, m = rng.randint(1, 3), rng.choice([0, 0.5, 1]), rng.choice([0, 0.3, 1])
    text = f'<geom name="floor" type="plane" size="0 0 1" friction="{m}" restitution="{e}"/>'
    link = f'<geom type="capsule" fromto="0.03 0 0 0.17 0 0" size="0.02" mass="0.5" friction="{m}" restitution="{e}"/>'
    text += f'<body name="l0" pos="0 0 {rng.choice([0.02, 0.1, 0.3])}"><freejoint/>{link}'
    speeds = [rng.choice([0, 1.0]), 0, rng.choice([0, -3.0]), 0, rng.choice([0, 5.0, 30.0]), rng.choice([0, 3.0])]
    for i in range(1, n):
        joint, velocities = rng.choice([('type="ball"', 3), ('type="hinge" axis="0 1 0"', 1),
                                        ('type="hinge" axis="0 0 1"', 1)])
        text += f'<body name="l{i}" pos="0.2 0 0"><joint name="j{i}" {joint}/>{link}'
        speeds += [rng.choice([0, 0, 10.0]) for _ in range(velocities)]
    exclude = '<contact><exclude body1="l0" body2="l2"/></contact>' if n > 2 else ""
    return World(text + "</body>"*n, exclude + start(*speeds), dt=2e-4, until=0.1)


FAMILIES = [chain, tops, gimbal, loop, stops, flyer]
REGULAR = {"gimbal", "loop", "stops"}

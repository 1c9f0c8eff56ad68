# Random worlds of free bodies in space: flush boxes, equal sizes, more feet than needed, spinning, colliding.
from math import cos, pi, sin

import numpy as np

from planar import eps, mass, mu, size
from world3d import Body, Geom, World, turn


def floor(m, e=0.0, kind="plane"):
    if kind == "plane":
        return Body("floor", [Geom("plane", (0, 0, 1))], np.zeros(3), free=False, mu=m, eps=e)
    return Body("floor", [Geom("box", (10, 10, 0.5))], np.array([0, 0, -0.5]), free=False, mu=m, eps=e)


def seen(rng, world):
    """The same world turned as a whole: not at all, about the vertical, or anyhow."""
    how = rng.choice(["not", "not", "vertical", "any"])
    if how == "not":
        return world
    axis = (0, 0, 1) if how == "vertical" else [rng.gauss(0, 1) for _ in range(3)]
    return world.rotated(turn(axis, rng.choice([pi/2, pi/6, rng.uniform(-pi, pi)]))).as_given()


def stack(rng):
    w, m = size(rng)/2, mu(rng)
    bodies = [floor(m, 0.0, rng.choice(["plane", "box"]))]
    for i in range(rng.randint(1, 4)):
        R = turn((0, 0, 1), rng.choice([0, 0, pi/2, pi/4]))
        bodies.append(Body(f"b{i}", [Geom("box", (w, w, w))], np.array([0, 0, (2*i + 1)*w]), R, mass=mass(rng), mu=m))
    return seen(rng, World(bodies))


def table(rng):
    """A body on three to six feet, at rest, sliding, spinning."""
    n, m, r = rng.randint(3, 6), rng.choice([0, 0.3, 0.5]), 0.01
    angles = [2*pi*i/n for i in range(n)] if rng.random() < 0.6 else [rng.uniform(0, 2*pi) for _ in range(n)]
    feet = [Geom("sphere", (r,), (0.1*cos(a), 0.1*sin(a), -0.01)) for a in angles]
    body = Body("table", feet, np.array([0, 0, 0.02]), inertia=(0.006, 0.006, 0.006), mu=m,
                velocity=np.array([rng.choice([0, 0, 0.5]), 0, 0]), spin=np.array([0, 0, rng.choice([0, 2, 5])]))
    return seen(rng, World([floor(m), body], until=0.1))


def drop(rng):
    m, e, w = mu(rng), eps(rng), size(rng)/2
    bodies, z = [floor(m, e)], 0.0
    for i in range(rng.randint(1, 3)):
        kind = rng.choice(["box", "sphere", "capsule", "cylinder"])
        geom = Geom(kind, {"box": (w, w, w), "sphere": (w,), "capsule": (w/2, w/2), "cylinder": (w, w)}[kind])
        gap = rng.choice([0.0, 0.1*w, 0.5*w])
        R = np.eye(3) if rng.random() < 0.6 else turn([rng.gauss(0, 1) for _ in range(3)], rng.uniform(0, pi))
        reach = sum(geom.size) if kind == "capsule" else float(np.linalg.norm(geom.size))
        half = w if np.allclose(R, np.eye(3)) else reach
        bodies.append(Body(f"b{i}", [geom], np.array([0, 0, z + gap + half]), R, mass=mass(rng), mu=m, eps=e,
                           spin=np.array([0, 0, rng.choice([0, 0, 10])])))
        z += gap + 2*half
    return seen(rng, World(bodies, until=0.3))


def collide(rng):
    """Two or three bodies meet in empty space: boxes face on face, spheres, capsules; spinning or not."""
    w, e, m = size(rng)/2, eps(rng), mu(rng)
    kind = rng.choice(["box", "box", "sphere", "capsule"])
    geom = lambda: Geom(kind, {"box": (w, w, w), "sphere": (w,), "capsule": (w, w)}[kind])
    gap, n = rng.choice([0, 0, 1e-9, 0.05*w]), rng.randint(2, 3)
    bodies = [Body(f"b{i}", [geom()], np.array([i*(2*w + gap), 0, 0]), mass=mass(rng), mu=m, eps=e) for i in range(n)]
    bodies[0].velocity = np.array([w*rng.choice([1, 5]), w*rng.choice([0, 0, 1]), 0.0])
    if rng.random() < 0.3:
        bodies[-1].spin = np.array([rng.choice([0, 5.0]), 0, 3.0])
    return seen(rng, World(bodies, gravity=np.zeros(3), until=0.3))


def spin(rng):
    """A body that nothing touches, with three different moments."""
    w = size(rng)/2
    geom = Geom("box", (w, rng.choice([2*w, 1.5*w]), 3*w))
    body = Body("body", [geom], np.zeros(3), turn([1, 2, 3], rng.uniform(0, pi)), mass=mass(rng),
                spin=np.array([rng.choice([0, 1e-6, 1.0]), rng.choice([1, 10, 100.0]), rng.choice([0, 1.0])]))
    return seen(rng, World([body], gravity=np.zeros(3), until=1.0))


def wall(rng):
    """Boxes side by side and on one another, all faces flush; one of them pushed."""
    w, m = size(rng)/2, mu(rng)
    bodies, k = [floor(m)], 0
    for level in range(rng.randint(1, 2)):
        for i in range(rng.randint(2, 3)):
            bodies.append(Body(f"b{k}", [Geom("box", (w, w, w))], np.array([(2*i + level)*w, 0, (2*level + 1)*w]),
                               mu=m))
            k += 1
    if rng.random() < 0.5:
        bodies[1].velocity = np.array([2*w, 0, 0.0])
    return seen(rng, World(bodies))


def roll(rng):
    """A sphere or a lying cylinder on a slope or with a speed: slides, then rolls."""
    r, m, a = size(rng)/2, rng.choice([0.1, 0.3, 0.5]), rng.choice([0, 0.2, pi/6])
    geom = rng.choice([Geom("sphere", (r,)), Geom("cylinder", (r, r)), Geom("capsule", (r, r))])
    R = np.eye(3) if geom.kind == "sphere" else turn((1, 0, 0), pi/2)
    body = Body("body", [geom], np.array([0, 0, r]), R, velocity=np.array([rng.choice([0, 2*r]), 0, 0]), mass=mass(rng),
                mu=m)
    return seen(rng, World([floor(m), body], gravity=np.array([9.81*sin(a), 0, -9.81*cos(a)]), until=0.3))


def row(rng):
    """Equal balls in a row, touching or nearly: one or two hit the others, or all of them a wall."""
    r, e, n = size(rng)/2, rng.choice([0, 0.5, 1]), rng.randint(2, 5)
    gap = rng.choice([0, 0, 0.05*r])
    bodies = [Body(f"b{i}", [Geom("sphere", (r,))], np.array([i*(2*r + gap), 0, 0]), mu=rng.choice([0, 0, 0.3]), eps=e)
              for i in range(n)]
    for i in range(rng.randint(1, 2)):
        bodies[i].velocity = np.array([5*r, 0, 0])
    if gap == 0 and rng.random() < 0.3:
        for body in bodies:
            body.velocity = np.array([5*r, 0, 0])
        at = np.array([(2*n - 1 + rng.choice([0, 0.5]))*r, 0, 0])
        bodies.append(Body("wall", [Geom("plane", (0, 0, 1))], at, turn((0, 1, 0), -pi/2), free=False, eps=e))
    world = seen(rng, World(bodies, gravity=np.zeros(3), until=0.3))
    world.row = gap == 0
    return world


def feet(rng):
    """A plate on feet in rows, more than it needs, all equal: rests, slides along a row, or across."""
    m, r = rng.choice([0, 0.3, 1]), 0.02
    places = [(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0, 0.1)][:rng.randint(4, 6)]
    body = Body("plate", [Geom("sphere", (r,), (x, y, -0.03)) for x, y in places], np.array([0, 0, 0.05]),
                inertia=(0.01, 0.01, 0.02), mu=m,
                velocity=np.array([rng.choice([0, 0.4]), rng.choice([0, 0.4]), 0]))
    return seen(rng, World([floor(m), body], until=0.1))


FAMILIES = [stack, table, drop, collide, spin, wall, roll, row, feet]
REGULAR = {"stack", "table", "spin", "roll", "feet", "row"}
EVENT = {"table", "spin", "roll", "row", "feet"}        # what the event-driven integrator takes: no boxes with boxes

# Random worlds of bodies in the plane, most of them with faces, corners and sizes that coincide.
from math import cos, pi, sin, tan

from world2d import Body, World


def rectangle(w, h):
    return [(-w/2, -h/2), (w/2, -h/2), (w/2, h/2), (-w/2, h/2)]


def regular(n, r, phase=0.0):
    return [(r*cos(2*pi*i/n + phase), r*sin(2*pi*i/n + phase)) for i in range(n)]


def size(rng):
    return rng.choice([0.1, 0.1, 0.2, 1.0, 1/3, rng.uniform(0.05, 2)])


def mu(rng):
    return rng.choice([0, 0.3, 0.5, 1.0, round(rng.uniform(0, 1), 3)])


def eps(rng):
    return rng.choice([0, 0, 0, 0.5, 1.0])


def mass(rng):
    return rng.choice([1.0, 1.0, 1.0, 2.0, rng.uniform(0.1, 10)])


def floor(m, e=0.0):
    return Body("floor", (0, 0, 0), halfplane=(0.0, 1.0), free=False, mu=m, eps=e)


def seen(rng, world):
    """The same world tilted as a whole, or not."""
    return world.rotated(rng.choice([0, 0, pi/6, pi/2, rng.uniform(-pi, pi)])).as_given()


def stack(rng):
    """Bricks on one another, faces flush; each turned by a multiple of a quarter turn."""
    w, m = size(rng), mu(rng)
    bodies, y = [floor(m)], 0.0
    for i in range(rng.randint(1, 5)):
        bodies.append(Body(f"b{i}", (0.0, y + w/2, rng.randrange(4)*pi/2), polygon=rectangle(w, w), mass=mass(rng),
                           mu=m))
        y += w
    return seen(rng, World(bodies))


def twins(rng):
    """Two congruent polygons meet face on face, flush or shifted, without gravity."""
    n, r, e, m = rng.choice([3, 4, 4, 4, 5, 6, 8]), size(rng), eps(rng), mu(rng)
    inner = r*cos(pi/n)
    shape = regular(n, r, pi/n)                             # a face at the right
    other = [(-x, -y) for x, y in shape]                    # and one at the left
    gap = rng.choice([0, 0, 1e-16, 1e-9, 0.01*r])
    shift = rng.choice([0, 0, 0, 2*r*sin(pi/n)*0.5, rng.uniform(-0.5, 0.5)*r])
    bodies = [Body("a", (0, 0, 0), polygon=shape, velocity=(r*rng.choice([0.1, 1, 5]), r*rng.choice([0, 0, 0.3]), 0),
                   mass=mass(rng), mu=m, eps=e),
              Body("b", (2*inner + gap, shift, 0), polygon=other, mass=mass(rng), mu=m, eps=e)]
    return seen(rng, World(bodies, gravity=(0, 0), until=0.3))


def drop(rng):
    """Polygons and circles dropped on one another and on the floor, flat or not."""
    m, e = mu(rng), eps(rng)
    bodies, y, w = [floor(m, e)], 0.0, size(rng)
    for i in range(rng.randint(1, 3)):
        angle = rng.choice([0, 0, 0, rng.uniform(-0.7, 0.7)])
        gap = rng.choice([0.0, 0.05*w, 0.2*w])
        kind = rng.choice(["square", "square", "circle", "hexagon"])
        if kind == "square":
            half, shape = w/2*(abs(cos(angle)) + abs(sin(angle))), {"polygon": rectangle(w, w)}
        elif kind == "circle":
            half, shape = w/2, {"circle": w/2}
        else:
            half, shape = w/2, {"polygon": regular(6, w/2, 0 if rng.random() < 0.5 else pi/6)}
        bodies.append(Body(f"b{i}", (0.0, y + gap + half, angle), mass=mass(rng), mu=m, eps=e, **shape))
        y += gap + 2*half
    return seen(rng, World(bodies, until=0.4))


def wall(rng):
    """A wall of bricks in bond, at rest or struck from the side."""
    w, m = size(rng), mu(rng)
    h = w*rng.choice([0.5, 1.0, 0.25])
    bodies, k = [floor(m)], 0
    for row in range(rng.randint(1, 3)):
        for i in range(rng.randint(2, 3)):
            bodies.append(Body(f"b{k}", ((i + (row % 2)/2)*w, (row + 0.5)*h, rng.choice([0, pi])),
                               polygon=rectangle(w, h), mu=m))
            k += 1
    if rng.random() < 0.5:
        bodies[1].velocity = (rng.choice([0.5, 2.0])*w, 0, 0)
    return seen(rng, World(bodies))


def slide(rng):
    """A box slides over the joints of flush bricks that are fixed, equal in width to it or not."""
    w, m = size(rng), rng.choice([0, 0.1, 0.3])
    bodies = [Body(f"t{i}", (i*w, -w/2, rng.choice([0, pi/2, pi])), polygon=rectangle(w, w), free=False, mu=m)
              for i in range(5)]
    width = rng.choice([w, w/2, 1.5*w])
    bodies.append(Body("box", (rng.choice([0.0, w/2, 0.3*w]), w/4, 0), polygon=rectangle(width, w/2),
                       velocity=(w*rng.choice([1, 3]), 0, 0), mass=mass(rng), mu=m))
    return seen(rng, World(bodies, until=0.5))


def cradle(rng):
    """Equal circles in a row, touching or not, the first with a speed, or all of them, against a wall; no gravity."""
    r, e, n = size(rng), eps(rng), rng.randint(2, 5)
    gap = rng.choice([0, 0, 0.01*r])
    bodies = [Body(f"c{i}", (i*(2*r + gap), 0, 0), circle=r, mass=1.0, eps=e, velocity=(r if i == 0 else 0, 0, 0))
              for i in range(n)]
    if gap == 0 and rng.random() < 0.4:
        for body in bodies:
            body.velocity = (r, 0, 0)
        at = ((2*n - 1 + rng.choice([0, 0.1]))*r, 0, 0)
        bodies.append(Body("wall", at, halfplane=(-1.0, 0.0), free=False, eps=e))
    world = seen(rng, World(bodies, gravity=(0, 0), until=0.3))
    world.row = gap == 0
    return world


def corner(rng):
    """A square in a corner of two half-planes, or in a valley of its own angle, pressed by gravity."""
    w, m, a = size(rng), mu(rng), rng.choice([pi/4, pi/4, pi/6, pi/3])
    left = Body("left", (0, 0, 0), halfplane=(sin(a), cos(a)), free=False, mu=m)
    right = Body("right", (0, 0, 0), halfplane=(-cos(a), sin(a)), free=False, mu=m)
    x, y = w/2*(sin(a) - cos(a)), w/2*(cos(a) + sin(a))
    box = Body("box", (x, y, -a), polygon=rectangle(w, w), velocity=(0, rng.choice([0, -w]), 0), mass=mass(rng), mu=m)
    return seen(rng, World([left, right, box]))


def pressed(rng):
    """Two or three equal bricks side by side without gravity between two others that come from both ends."""
    w, m, e, v = size(rng), mu(rng), rng.choice([0, 0.5]), rng.choice([0.5, 2])
    n = rng.randint(2, 4)
    bodies = [Body(f"b{i}", (i*w, 0, rng.randrange(4)*pi/2), polygon=rectangle(w, w), mu=m, eps=e) for i in range(n)]
    bodies[0].velocity, bodies[-1].velocity = (v*w, 0, 0), (-v*w, 0, 0)
    return seen(rng, World(bodies, gravity=(0, 0), until=0.2))


def arch(rng):
    """A semicircular arch of stones much thicker than it needs to be: it stands."""
    n, thick = rng.choice([4, 6, 8, 10]), rng.choice([0.16, 0.2, 0.25])
    bodies = [floor(1.0)]
    for i in range(n):
        a, b = pi*i/n, pi*(i + 1)/n
        ring = [((1 - thick/2)*cos(b), (1 - thick/2)*sin(b)), ((1 - thick/2)*cos(a), (1 - thick/2)*sin(a)),
                ((1 + thick/2)*cos(a), (1 + thick/2)*sin(a)), ((1 + thick/2)*cos(b), (1 + thick/2)*sin(b))]
        cx, cy, area = centroid(ring)
        bodies.append(Body(f"v{i}", (cx, cy, 0), polygon=[(x - cx, y - cy) for x, y in ring], mass=1000*area, mu=1.0))
    world = World(bodies, until=0.3)
    world.stands = True
    return world


def centroid(p):
    area = cx = cy = 0.0
    for (x0, y0), (x1, y1) in zip(p, p[1:] + p[:1]):
        c = x0*y1 - x1*y0
        area, cx, cy = area + c/2, cx + (x0 + x1)*c/6, cy + (y0 + y1)*c/6
    return cx/area, cy/area, area


def ramp(rng):
    """A box or a circle on a slope: slides, rolls or stays."""
    w, m, a = size(rng), rng.choice([0, 0.2, 0.5, tan(pi/6)]), rng.choice([pi/6, 0.1, 0.5])
    down = rng.choice([0, 0, 1.0])*w
    shape = rng.choice([{"polygon": rectangle(w, w/2)}, {"circle": w/4}])
    body = Body("body", (0, w/4, 0), velocity=(-down, 0, 0), mu=m, mass=mass(rng), **shape)
    world = World([floor(m), body], gravity=(-9.81*sin(a), -9.81*cos(a)), until=0.3)
    return world.rotated(rng.choice([0, a])).as_given()


FAMILIES = [stack, twins, drop, wall, slide, cradle, corner, pressed, arch, ramp]
REGULAR = {"stack", "twins", "slide", "cradle", "ramp", "corner"}       # motions that do not part from their neighbours

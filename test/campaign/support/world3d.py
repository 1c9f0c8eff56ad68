# Free bodies and what stands still in space, as plain data: written as MJCF, moved, mirrored, rescaled, renumbered, and
# measured again. Overlap, energy and momentum are computed here from poses and velocities, with nothing of the tool's.
import copy
from dataclasses import dataclass, field

import numpy as np

from worlds import FreeBodies


@dataclass
class Geom:
    # box (half sizes), sphere (radius), capsule (radius, half length), cylinder, ellipsoid, plane
    kind: str
    size: tuple
    place: tuple = (0, 0, 0)        # in the frame of its body


@dataclass
class Body:
    name: str
    geoms: list
    position: np.ndarray
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    free: bool = True
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))       # of the origin, which is the centre of mass
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))           # in the frame of the body
    mass: float = 1
    inertia: tuple = None           # about the axes of the body
    mu: float = 0
    eps: float = 0

    def moments(self):
        return np.array(self.inertia if self.inertia else _moments(self.geoms[0]))*(1 if self.inertia else self.mass)

    def size(self):
        return min(2*min(g.size) for g in self.geoms)


@dataclass
class World(FreeBodies):
    bodies: list
    gravity: np.ndarray = field(default_factory=lambda: np.array([0, 0, -9.81]))
    dt: float = 1e-3
    until: float = 0.2
    unit: tuple = (1.0, 1.0, 1.0)
    turned: np.ndarray = field(default_factory=lambda: np.eye(3))
    mirrored: bool = False
    shifted: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axes = 3
    suffix = "xml"

    def text(self):
        out = ['<mujoco model="campaign"><compiler angle="radian"/>',
               f'<option timestep="{self.dt!r}" gravity="{_numbers(self.gravity)}"/><worldbody>']
        out += [_element(b) for b in self.bodies]
        qpos = " ".join(f"{_numbers(b.position)} {_numbers(_quaternion(b.rotation))}" for b in self.free())
        qvel = " ".join(f"{_numbers(b.velocity)} {_numbers(b.spin)}" for b in self.free())
        out += [f'</worldbody><keyframe><key name="start" qpos="{qpos}" qvel="{qvel}"/></keyframe>',
                f'<stickslip until="{self.until!r}" key="start"/></mujoco>', ""]
        return "\n".join(out)

    def columns(self, names, values):
        ends = {7: ("px", "py", "pz", "qw", "qx", "qy", "qz"), 6: ("vx", "vy", "vz", "wx", "wy", "wz")}
        width = 7 if any(n.endswith(".qw") for n in names) else 6
        first = [n.rsplit(".", 1)[0] for n in names]
        out = {}
        for b in self.free():
            at = [i for i, n in enumerate(first) if n == b.name]
            assert len(at) == width, (names, b.name)
            out[b.name] = values[:, at]
        return out

    # --- the same world, seen otherwise

    def scaled(self, length, mass, time):
        w = copy.deepcopy(self)
        for b in w.bodies:
            b.position, b.velocity, b.spin = b.position*length, b.velocity*length/time, b.spin/time
            b.mass *= mass
            b.inertia = b.inertia and tuple(i*mass*length**2 for i in b.inertia)
            for g in b.geoms:
                g.size, g.place = tuple(s*length for s in g.size), tuple(p*length for p in g.place)
        w.gravity = w.gravity*length/time**2
        w.dt, w.until, w.unit = w.dt*time, w.until*time, (length, mass, time)
        return w

    def rotated(self, R):
        w = copy.deepcopy(self)
        for b in w.bodies:
            b.position, b.velocity, b.rotation = R @ b.position, R @ b.velocity, R @ b.rotation
        w.gravity, w.turned = R @ w.gravity, R
        return w

    def as_given(self):
        """This is the original."""
        self.turned = np.eye(3)
        return self

    def shifted_by(self, *way):
        w = copy.deepcopy(self)
        for b in w.bodies:
            b.position = b.position + np.array(way)
        w.shifted = np.array(way)
        return w

    def mirror(self):
        w, S = copy.deepcopy(self), np.diag([-1.0, 1, 1])
        for b in w.bodies:
            b.position, b.velocity, b.rotation, b.spin = S @ b.position, S @ b.velocity, S @ b.rotation @ S, -S @ b.spin
            for g in b.geoms:
                g.place = tuple(S @ np.array(g.place))
        w.gravity, w.mirrored = S @ w.gravity, True
        return w

    def renumbered(self, rng):
        w = copy.deepcopy(self)
        rng.shuffle(w.bodies)
        for b in w.bodies:
            rng.shuffle(b.geoms)
        return w

    def back(self, poses):
        """Places and rotation matrices (9 numbers) of this world as those of the original."""
        out, S = {}, np.diag([-1.0, 1, 1])
        for name, p in poses.items():
            x = (p[:, :3] - self.shifted) @ self.turned
            R = np.array([self.turned.T @ _matrix(k) for k in p[:, 3:]])
            if self.mirrored:
                x, R = x @ S, S @ R @ S
            out[name] = np.hstack([x/self.unit[0], R.reshape(-1, 9)])
        return out

    # --- what is true of it

    def kinetic(self, u):
        return sum(b.mass/2*(u[b.name][:, :3]**2).sum(1) + (u[b.name][:, 3:]**2 @ b.moments())/2 for b in self.free())

    def energy(self, q, u):
        return self.kinetic(u) - sum(b.mass*(q[b.name][:, :3] @ self.gravity) for b in self.free())

    def momentum(self, q, u):
        p = sum(b.mass*u[b.name][:, :3] for b in self.free())
        spin = sum(np.array([_matrix(k) @ (b.moments()*w) for k, w in zip(q[b.name][:, 3:], u[b.name][:, 3:])])
                   + b.mass*np.cross(q[b.name][:, :3], u[b.name][:, :3]) for b in self.free())
        return np.hstack([p, spin])

    def speed(self, u):
        return max((np.abs(u[b.name][:, :3]).sum(1) + self.reach(b)*np.abs(u[b.name][:, 3:]).sum(1)).max()
                   for b in self.free())

    @staticmethod
    def reach(b):
        return max(np.linalg.norm(g.place) + sum(g.size) for g in b.geoms)

    def overlap(self, q, row):
        shapes = [(b, q[b.name][row, :3], _matrix(q[b.name][row, 3:])) if b.free else (b, b.position, b.rotation)
                  for b in self.bodies]
        worst = (0.0, "")
        for i, (a, xa, Ra) in enumerate(shapes):
            for b, xb, Rb in shapes[i + 1:]:
                if a.free or b.free:
                    for g in a.geoms:
                        for h in b.geoms:
                            depth = _overlap(g, xa + Ra @ np.array(g.place), Ra, h, xb + Rb @ np.array(h.place), Rb)
                            worst = max(worst, (depth, f"{a.name} - {b.name}"))
        return worst


def turn(axis, angle):
    axis = np.array(axis, dtype=float)/np.linalg.norm(axis)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle)*K + (1 - np.cos(angle))*(K @ K)


def _numbers(x):
    return " ".join(repr(float(v)) for v in x)


def _quaternion(R):
    w = np.sqrt(max(0.0, 1 + np.trace(R)))/2
    if w > 0.1:
        q = np.array([w, (R[2, 1] - R[1, 2])/(4*w), (R[0, 2] - R[2, 0])/(4*w), (R[1, 0] - R[0, 1])/(4*w)])
    else:
        i = int(np.argmax(np.diag(R)))
        j, k = (i + 1) % 3, (i + 2) % 3
        v = np.zeros(3)
        v[i] = np.sqrt(max(0.0, 1 + R[i, i] - R[j, j] - R[k, k]))/2
        v[j], v[k] = (R[i, j] + R[j, i])/(4*v[i]), (R[i, k] + R[k, i])/(4*v[i])
        q = np.array([(R[k, j] - R[j, k])/(4*v[i]), *v])
    return q/np.linalg.norm(q)


def _matrix(q):
    w, x, y, z = q/np.linalg.norm(q)
    return np.array([[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]])


def _element(b):
    geoms = "".join(f'<geom type="{g.kind}" size="{_numbers(g.size)}" pos="{_numbers(g.place)}" friction="{b.mu!r}" '
                    f'restitution="{b.eps!r}"'
                    + ("" if not b.free else ' mass="0"' if b.inertia else f' mass="{b.mass!r}"') + "/>"
                    for g in b.geoms)
    frame = f'pos="{_numbers(b.position)}" quat="{_numbers(_quaternion(b.rotation))}"'
    if not b.free:
        return f'<body name="{b.name}" {frame}>{geoms}</body>'
    inertia = f'<inertial pos="0 0 0" mass="{b.mass!r}" diaginertia="{_numbers(b.inertia)}"/>' if b.inertia else ""
    return f'<body name="{b.name}" {frame}><freejoint name="{b.name}"/>{inertia}{geoms}</body>'


def _moments(g):
    """Of unit mass about the axes of the shape."""
    s = g.size
    if g.kind == "sphere":
        return np.full(3, 0.4*s[0]**2)
    if g.kind == "box":
        return np.array([s[1]**2 + s[2]**2, s[0]**2 + s[2]**2, s[0]**2 + s[1]**2])/3
    if g.kind == "ellipsoid":
        return np.array([s[1]**2 + s[2]**2, s[0]**2 + s[2]**2, s[0]**2 + s[1]**2])/5
    if g.kind == "cylinder":
        return np.array([(3*s[0]**2 + 4*s[1]**2)/12, (3*s[0]**2 + 4*s[1]**2)/12, s[0]**2/2])
    r, h = s                                            # a capsule: a cylinder and two halves of a ball
    cylinder, ball = 2*h/(2*h + 4/3*r), 4/3*r/(2*h + 4/3*r)
    along = cylinder*r*r/2 + ball*0.4*r*r
    across = cylinder*(3*r*r + 4*h*h)/12 + ball*(0.4*r*r + h*h + 0.75*r*h)
    return np.array([across, across, along])


def support(g, R, n):
    """The largest n . x over a shape about its centre."""
    m, s = R.T @ n, g.size
    if g.kind == "sphere":
        return s[0]
    if g.kind == "box":
        return np.abs(m) @ s
    if g.kind == "ellipsoid":
        return np.linalg.norm(m*s)
    if g.kind == "cylinder":
        return s[0]*np.hypot(m[0], m[1]) + s[1]*abs(m[2])
    return s[0] + s[1]*abs(m[2])


def _overlap(g, x, R, h, y, S):
    if g.kind == "plane" and h.kind == "plane":
        return 0.0
    if h.kind == "plane":
        g, x, R, h, y, S = h, y, S, g, x, R
    if g.kind == "plane":
        n = R[:, 2]
        return max(0.0, support(h, S, -n) - n @ (y - x))
    axes = [v for c, F in ((g, R), (h, S)) if c.kind == "box" for v in F.T]
    if g.kind == h.kind == "box":
        axes += [c for a in R.T for b in S.T for c in [np.cross(a, b)] if np.linalg.norm(c) > 1e-6]
    axes += _between(g, x, R, h, y, S)
    # to part along n: the least of all is the overlap
    way = lambda n: support(g, R, n) + support(h, S, -n) - n @ (y - x)
    axes = [s*n/np.linalg.norm(n) for n in axes for s in (1, -1)]
    if not {"cylinder", "ellipsoid", "capsule"} & {g.kind, h.kind}:
        return max(0.0, min(way(n) for n in axes))
    best = min(axes + SOME_DIRECTIONS, key=way)
    step = 0.2
    # downhill, for what has no finite list of axes
    while way(best) > 0 and step > 1e-6:
        around = [(best + step*v)/np.linalg.norm(best + step*v) for v in np.vstack([np.eye(3), -np.eye(3)])]
        better = min(around, key=way)
        best, step = (better, step) if way(better) < way(best) else (best, step/2)
    return max(0.0, float(way(best)))


def _directions(n):
    """n directions all around, spread evenly."""
    k = np.arange(n) + 0.5
    z, phi = 1 - 2*k/n, np.pi*(1 + 5**0.5)*k
    r = np.sqrt(1 - z*z)
    return list(np.column_stack([r*np.cos(phi), r*np.sin(phi), z]))


SOME_DIRECTIONS = _directions(300)


def _between(g, x, R, h, y, S):
    """Directions from the nearest points of cores: centres, axes of capsules, points of a box. Any direction bounds the
    overlap."""
    out = []
    a, b = _core(g, x, R, y), _core(h, y, S, x)
    for _ in range(60):
        a, b = _core(g, x, R, b), _core(h, y, S, a)
    for d in (b - a, y - x):
        if np.linalg.norm(d) > 1e-12:
            out.append(d)
    return out


def _core(g, x, R, p):
    """The point of the shape's core that is nearest to p: the whole of a box, the axis of what is round."""
    m = R.T @ (p - x)
    if g.kind == "box":
        return x + R @ np.clip(m, -np.array(g.size), g.size)
    if g.kind in ("capsule", "cylinder"):
        return x + R @ np.array([0, 0, np.clip(m[2], -g.size[1], g.size[1])])
    return x

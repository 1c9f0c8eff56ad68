# Bodies in the plane as plain data: written as a model, moved, mirrored, rescaled, renumbered, and measured again.
# Overlap, energy and momentum are computed here from poses and velocities, with nothing of the tool's.
import copy
from dataclasses import dataclass

import numpy as np

from worlds import FreeBodies


@dataclass
class Body:
    name: str
    pose: tuple                     # x, y of the centre of mass (fixed: of the frame), angle
    polygon: list = None            # convex, counter-clockwise, about the centre of mass
    circle: float = None            # radius
    halfplane: tuple = None         # normal; through the pose's point
    free: bool = True
    velocity: tuple = (0, 0, 0)
    mass: float = 1
    mu: float = 0
    eps: float = 0

    def inertia(self):
        if self.circle:
            return self.mass*self.circle**2/2
        p = np.array(self.polygon)
        n = np.roll(p, -1, axis=0)
        cross = p[:, 0]*n[:, 1] - p[:, 1]*n[:, 0]
        square = (p*p).sum(1) + (p*n).sum(1) + (n*n).sum(1)
        return self.mass*(cross*square).sum()/(6*cross.sum())

    def size(self):
        if self.circle:
            return 2*self.circle
        p = np.array(self.polygon)
        return min(np.ptp(p, axis=0))


@dataclass
class World(FreeBodies):
    bodies: list
    gravity: tuple = (0, -9.81)
    dt: float = 1e-3
    until: float = 0.2
    unit: tuple = (1.0, 1.0, 1.0)   # of length, mass, time, in those of the original
    turned: float = 0.0
    mirrored: bool = False
    shifted: tuple = (0.0, 0.0)
    axes = 2
    suffix = "yaml"

    def text(self):
        lines = ["name: campaign", f"gravity: [{self.gravity[0]!r}, {self.gravity[1]!r}]", "bodies:"]
        lines += [f"  {b.name}: {{{_entry(b)}}}" for b in self.bodies]
        return "\n".join(lines + [f"run: {{dt: {self.dt!r}, until: {self.until!r}}}", ""])

    def columns(self, names, values):
        """Poses or velocities of the free bodies, by name: 3 numbers each, one row per row of values."""
        return {b.name: values[:, [names.index(f"{b.name}_{c}") for c in ("x", "y", "phi")]] for b in self.free()}

    # --- the same world, seen otherwise

    def scaled(self, length, mass, time):
        w = copy.deepcopy(self)
        for b in w.bodies:
            b.pose = (b.pose[0]*length, b.pose[1]*length, b.pose[2])
            b.velocity = (b.velocity[0]*length/time, b.velocity[1]*length/time, b.velocity[2]/time)
            b.polygon = b.polygon and [(x*length, y*length) for x, y in b.polygon]
            b.circle = b.circle and b.circle*length
            b.mass *= mass
        w.gravity = tuple(g*length/time**2 for g in w.gravity)
        w.dt, w.until, w.unit = w.dt*time, w.until*time, (length, mass, time)
        return w

    def rotated(self, angle):
        w = copy.deepcopy(self)
        for b in w.bodies:
            b.pose = (*_turn(b.pose[:2], angle), b.pose[2] + (0 if b.halfplane else angle))
            b.velocity = (*_turn(b.velocity[:2], angle), b.velocity[2])
            b.halfplane = b.halfplane and _turn(b.halfplane, angle)
        w.gravity, w.turned = _turn(w.gravity, angle), angle
        return w

    def as_given(self):
        """This is the original."""
        self.turned = 0.0
        return self

    def shifted_by(self, x, y):
        w = copy.deepcopy(self)
        for b in w.bodies:
            b.pose = (b.pose[0] + x, b.pose[1] + y, b.pose[2])
        w.shifted = (x, y)
        return w

    def mirror(self):
        w = copy.deepcopy(self)
        for b in w.bodies:
            b.pose = (-b.pose[0], b.pose[1], -b.pose[2])
            b.velocity = (-b.velocity[0], b.velocity[1], -b.velocity[2])
            b.polygon = b.polygon and [(-x, y) for x, y in reversed(b.polygon)]
            b.halfplane = b.halfplane and (-b.halfplane[0], b.halfplane[1])
        w.gravity, w.mirrored = (-w.gravity[0], w.gravity[1]), True
        return w

    def renumbered(self, rng):
        w = copy.deepcopy(self)
        rng.shuffle(w.bodies)
        for b in w.bodies:
            if b.polygon:
                k = rng.randrange(len(b.polygon))
                b.polygon = b.polygon[k:] + b.polygon[:k]
        return w

    def back(self, poses):
        """Poses of this world as those of the original."""
        out = {}
        for name, p in poses.items():
            p = np.array(p, dtype=float)
            p[:, :2] -= self.shifted
            if self.turned:
                c, s = np.cos(self.turned), np.sin(self.turned)
                p[:, :2] = p[:, :2] @ np.array([[c, -s], [s, c]])
                p[:, 2] -= self.turned
            if self.mirrored:
                p[:, 0] *= -1
                p[:, 2] *= -1
            p[:, :2] /= self.unit[0]
            out[name] = p
        return out

    # --- what is true of it

    def energy(self, q, u):
        return sum(b.mass/2*(u[b.name][:, :2]**2).sum(1) + b.inertia()/2*u[b.name][:, 2]**2
                   - b.mass*(q[b.name][:, :2] @ np.array(self.gravity)) for b in self.free())

    def kinetic(self, u):
        return sum(b.mass/2*(u[b.name][:, :2]**2).sum(1) + b.inertia()/2*u[b.name][:, 2]**2 for b in self.free())

    def momentum(self, q, u):
        p = sum(b.mass*u[b.name][:, :2] for b in self.free())
        spin = sum(b.inertia()*u[b.name][:, 2] +
                   b.mass*(q[b.name][:, 0]*u[b.name][:, 1] - q[b.name][:, 1]*u[b.name][:, 0])
                   for b in self.free())
        return np.column_stack([p, spin])

    def overlap(self, q, row):
        """The deepest overlap of two bodies in a row (at most the way to part along one direction), and their names."""
        shapes = [(b, q[b.name][row] if b.free else np.array(b.pose)) for b in self.bodies]
        worst = (0.0, "")
        for i, (a, pa) in enumerate(shapes):
            for b, pb in shapes[i + 1:]:
                if a.free or b.free:
                    worst = max(worst, (_overlap(a, pa, b, pb), f"{a.name} - {b.name}"))
        return worst

    def speed(self, u):
        return max((np.abs(u[b.name]) * [1, 1, self.reach(b)]).sum(1).max() for b in self.free())

    @staticmethod
    def reach(b):
        return b.circle or np.hypot(*np.array(b.polygon).T).max()


def _entry(b):
    pose = ", ".join(repr(float(x)) for x in b.pose)
    if b.halfplane:
        return (f"halfplane: [{b.pose[0]!r}, {b.pose[1]!r}, {b.halfplane[0]!r}, {b.halfplane[1]!r}], mu: {b.mu}, "
                f"eps_n: {b.eps}")
    shape = (f"circle: [0, 0, {b.circle!r}]" if b.circle else
             "polygon: [" + ", ".join(f"[{x!r}, {y!r}]" for x, y in b.polygon) + "]")
    if not b.free:
        return f"{shape}, at: [{pose}], mu: {b.mu}, eps_n: {b.eps}"
    velocity = ", ".join(repr(float(x)) for x in b.velocity)
    return f"{shape}, free: [{pose}], velocity: [{velocity}], mass: {b.mass!r}, mu: {b.mu}, eps_n: {b.eps}"


def _turn(p, angle):
    c, s = np.cos(angle), np.sin(angle)
    return float(c*p[0] - s*p[1]), float(s*p[0] + c*p[1])


def _corners(b, pose):
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.array(b.polygon) @ np.array([[c, s], [-s, c]]) + pose[:2]


def _along(b, pose, n):
    """Least and largest value of n . x over a shape."""
    if b.circle:
        m = n @ pose[:2]
        return m - b.circle, m + b.circle
    d = _corners(b, pose) @ n
    return d.min(), d.max()


def _normals(b, pose):
    p = _corners(b, pose)
    e = np.roll(p, -1, axis=0) - p
    return np.column_stack([e[:, 1], -e[:, 0]])/np.hypot(e[:, 0], e[:, 1])[:, None]


def _overlap(a, pa, b, pb):
    """Separating axes: all normals, and for circles the way to the nearest corner or centre."""
    if b.halfplane:
        a, pa, b, pb = b, pb, a, pa
    if a.halfplane:
        n = np.array(a.halfplane)/np.hypot(*a.halfplane)
        return 0.0 if b.halfplane else max(0.0, n @ pa[:2] - _along(b, pb, n)[0])
    axes = [n for c, p in ((a, pa), (b, pb)) if c.polygon for n in _normals(c, p)]
    for c, pc, d, pd in ((a, pa, b, pb), (b, pb, a, pa)):
        if c.circle:
            points = _corners(d, pd) if d.polygon else pd[None, :2]
            way = points - pc[:2]
            length = np.hypot(way[:, 0], way[:, 1])
            k = length.argmin()
            if length[k] > 0:
                axes.append(way[k]/length[k])
    depth = np.inf
    for n in axes:
        la, ha = _along(a, pa, n)
        lb, hb = _along(b, pb, n)
        depth = min(depth, ha - lb, hb - la)
    return max(0.0, float(depth)) if axes else a.circle + b.circle

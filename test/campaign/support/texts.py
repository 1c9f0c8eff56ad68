# Random text models of few coordinates: chains, slots, beams on more feet than they need, limits of friction that vanish.
import copy
from dataclasses import dataclass
from math import pi

import numpy as np

from planar import eps, mu


@dataclass
class World:
    coordinates: list
    kinetic: list                   # terms of a sum
    potential: list
    contacts: list                  # (name, entry)
    initial: dict
    definitions: list = ()          # (name, expression), in the order of their use
    damping: str = ""
    dt: float = 1e-3
    until: float = 1.0
    suffix = "yaml"

    def text(self):
        out = ["name: campaign", "coordinates: [" + ", ".join(self.coordinates) + "]"]
        out += ["definitions:"] + [f"  {n}: {e}" for n, e in self.definitions] if self.definitions else []
        out += ["kinetic: " + " + ".join(self.kinetic), "potential: " + (" + ".join(self.potential) or "0")]
        out += [f"damping: {self.damping}"] if self.damping else []
        out += ["contacts:"] + [f"  {name}: {{{entry}}}" for name, entry in self.contacts] if self.contacts else []
        out += ["initial: {" + ", ".join(f"{k}: {v!r}" for k, v in self.initial.items()) + "}"]
        return "\n".join(out + [f"run: {{dt: {self.dt!r}, until: {self.until!r}}}", ""])

    def columns(self, names, values):
        return {n: values[:, [i]] for i, n in enumerate(names)}

    def renumbered(self, rng):
        w = copy.deepcopy(self)
        for part in (w.coordinates, w.kinetic, w.potential, w.contacts):
            rng.shuffle(part)
        return w

    def little(self):
        return 1e-9                     # J; round-off of a body at rest

    def back(self, q):
        return q


def chain(rng):
    """Masses on a line with springs, walls and stops between them; friction; gaps of zero; equal masses."""
    n, e, k = rng.randint(1, 3), eps(rng), rng.choice([10.0, 100.0])
    x = [f"x{i}" for i in range(n)]
    gap = rng.choice([0, 0, 0.1])
    m = [rng.choice([1, 1, 2]) for _ in x]
    contacts = [("wall", f"gap: {x[0]} + {gap}, eps_n: {e}")]
    contacts += [(f"stop{i}", f"gap: {x[i]} - {x[i - 1]}, eps_n: {e}") for i in range(1, n)]
    for i in range(n):
        limit = rng.choice([None, "0.5", "2", "3*max(0, sin(5*t))", "max(0, t - 0.3)", "0"])
        if limit:
            contacts.append((f"table{i}", f"slide: {x[i]}', bound: '{limit}'"))
    start = {name: 0.2*i for i, name in enumerate(x)} if rng.random() < 0.5 else {}
    start |= {f"{name}'": rng.choice([0, -1, 1.0, rng.uniform(-2, 2)]) for name in x}
    return World(x, [f"{m[i]}/2*{x[i]}'^2" for i in range(n)], [f"{k}/2*({x[i]} - {0.2*i})^2" for i in range(n)], contacts, start)


def slot(rng):
    """A bead between two opposite guides, without or with clearance, pressed against one by gravity; at any angle."""
    a, clearance = rng.choice([0, 0, pi/6, rng.uniform(-1, 1)]), rng.choice([0, 0, 0, 1e-3])
    m, other = mu(rng), mu(rng)
    definitions = [("s", f"x*{np.cos(a)!r} + y*{np.sin(a)!r}"), ("n", f"y*{np.cos(a)!r} - x*{np.sin(a)!r}")]
    contacts = [("bottom", f"gap: n, slide: s', mu: {m}"), ("top", f"gap: {clearance} - n, slide: s', mu: {other}")]
    v = rng.choice([0, 1, 3])
    start = {"x'": float(v*np.cos(a)), "y'": float(v*np.sin(a))}
    return World(["x", "y"], ["x'^2/2", "y'^2/2"], ["9.81*y"], contacts, start, definitions)


def beam(rng):
    """A beam on feet in a row, more than it needs, with equal or different friction; sliding, resting or tipping."""
    n, h = rng.randint(2, 5), rng.choice([0.05, 0.2])
    same = mu(rng)
    feet = [-0.5 + i/(n - 1) for i in range(n)]
    definitions, contacts = [], []
    for i, a in enumerate(feet):
        definitions += [(f"px{i}", f"x + {a}*cos(phi) + {h}*sin(phi)"), (f"py{i}", f"y + {a}*sin(phi) - {h}*cos(phi)")]
        contacts.append((f"foot{i}", f"gap: py{i}, slide: px{i}', mu: {same if rng.random() < 0.7 else mu(rng)}"))
    start = {"y": h, "x'": rng.choice([0, 1, -1.0])}
    centre = rng.choice([0, 0, 0.1])
    return World(["x", "y", "phi"], ["x'^2/2", "y'^2/2", "0.05*phi'^2"], [f"9.81*(y + {centre}*sin(phi))"], contacts, start,
                 definitions, until=0.3)


def pendulum(rng):
    """One or two links with a wall: impacts with friction, M that depends on q."""
    e, m = eps(rng), mu(rng)
    definitions = [("x1", "0.5*sin(a)"), ("y1", "-0.5*cos(a)"), ("x2", "x1 + 0.5*sin(b)"), ("y2", "y1 - 0.5*cos(b)")]
    contacts = [("wall", f"gap: {rng.choice([0.3, 0.1, 0])} + x2, slide: y2', mu: {m}, eps_n: {e}")]
    start = {"a": rng.uniform(0.3, 1), "b": rng.choice([0.3, 0.8])}
    return World(["a", "b"], ["0.5*(x1'^2 + y1'^2)", "0.5*(x2'^2 + y2'^2)"], ["9.81*y1", "9.81*y2"], contacts, start, definitions, until=0.6)


def belt(rng):
    """A mass on a spring and a belt whose friction falls with speed, or whose limit comes and goes."""
    limit = rng.choice(["mu: 0.5", "mu: 0.3 + 0.2*exp(-abs(x' - 1)/0.1)", "mu: '0.4*max(0, sin(3*t))'", "mu: 0.3, mu_static: 0.5", "mu: 0"])
    contacts = [("belt", f"gap: y, slide: x' - 1, {limit}")]
    return World(["x", "y"], ["x'^2/2", "y'^2/2"], ["9.81*y", f"{rng.choice([10, 50])}/2*x^2"], contacts,
                 {"x": rng.choice([0, 0.3]), "x'": rng.choice([0, 1.0])}, until=2.0)


def ladder(rng):
    """A rod that leans on a wall: slides down, leaves the wall, or stays."""
    m, other = mu(rng), mu(rng)
    definitions = [("xa", "x - 0.5*cos(phi)"), ("ya", "y + 0.5*sin(phi)"), ("xb", "x + 0.5*cos(phi)"), ("yb", "y - 0.5*sin(phi)")]
    contacts = [("wall", f"gap: xa, slide: ya', mu: {m}"), ("ground", f"gap: yb, slide: xb', mu: {other}")]
    phi = rng.choice([pi/3, pi/4, 1.2, 0.8])
    start = {"x": float(0.5*np.cos(phi)), "y": float(0.5*np.sin(phi)), "phi": phi}
    return World(["x", "y", "phi"], ["x'^2/2", "y'^2/2", "phi'^2/24"], ["9.81*y"], contacts, start, definitions, dt=5e-4, until=0.3)


def shaker(rng):
    """A mass on a table that shakes, up and down and sideways."""
    A, w, m = rng.choice([0.001, 0.01]), rng.choice([20.0, 50.0]), mu(rng)
    contacts = [("table", f"gap: y - {A}*sin({w}*t), slide: x' - {rng.choice([0, A])}*{w}*cos({w}*t), mu: {m}, eps_n: {rng.choice([0, 0.3])}")]
    return World(["x", "y"], ["x'^2/2", "y'^2/2"], ["9.81*y"], contacts, {"y'": A*w}, until=0.5, dt=5e-4)


FAMILIES = [chain, slot, beam, pendulum, belt, ladder, shaker]
REGULAR = {"slot", "belt", "ladder", "beam", "chain"}

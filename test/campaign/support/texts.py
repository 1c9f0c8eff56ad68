# Random text models of few coordinates: chains, slots, beams on more feet than they need, limits of friction
# that vanish.
import copy
import re
from dataclasses import dataclass
from math import pi

import numpy as np

from planar import eps, mu


@dataclass
class World:
    coordinates: list
    kinetic: list                   # terms of a sum
    potential: list
    contacts: list                  # (name, what it has: numbers, expressions)
    initial: dict
    definitions: list = ()          # (name, expression), in the order of their use
    damping: str = ""
    dt: float = 1e-3
    until: float = 1.0
    constraints: list = ()          # (name, expression)
    factor: dict = None             # coordinates of the original over those of this world
    suffix = "yaml"

    def text(self):
        out = ["name: campaign", "coordinates: [" + ", ".join(self.coordinates) + "]"]
        out += ["definitions:"] + [f"  {n}: {e}" for n, e in self.definitions] if self.definitions else []
        out += ["kinetic: " + " + ".join(self.kinetic), "potential: " + (" + ".join(self.potential) or "0")]
        out += [f"damping: {self.damping}"] if self.damping else []
        entry = lambda has: ", ".join(f'{k}: "{e}"' if isinstance(e, str) else f"{k}: {e!r}" for k, e in has.items())
        out += ["contacts:"] + [f"  {name}: {{{entry(has)}}}" for name, has in self.contacts] if self.contacts else []
        out += ["constraints:"] + [f"  {name}: {e}" for name, e in self.constraints] if self.constraints else []
        out += ["initial: {" + ", ".join(f"{k}: {v!r}" for k, v in self.initial.items()) + "}"]
        return "\n".join(out + [f"run: {{dt: {self.dt!r}, until: {self.until!r}}}", ""])

    def columns(self, names, values):
        return {n: values[:, [i]] for i, n in enumerate(names)}

    def renumbered(self, rng):
        w = copy.deepcopy(self)
        for part in (w.coordinates, w.kinetic, w.potential, w.contacts):
            rng.shuffle(part)
        return w

    def in_other_coordinates(self, rng):
        """Coordinates that count the other way, or in millimetres: the same motion, and the same energies."""
        w = copy.deepcopy(self)
        w.factor = {x: rng.choice([-1, -1, 1e-3, -1e3]) for x in self.coordinates}
        name = re.compile(r"\b(" + "|".join(self.coordinates) + r")\b('?)")
        other = lambda e: name.sub(lambda m: f"({w.factor[m[1]]!r}*{m[1]}{m[2]})", e)
        w.kinetic, w.potential = [other(e) for e in w.kinetic], [other(e) for e in w.potential]
        w.definitions = [(n, other(e)) for n, e in w.definitions]
        w.constraints = [(n, other(e)) for n, e in w.constraints]
        w.contacts = [(n, {k: other(e) if isinstance(e, str) else e for k, e in entry.items()})
                      for n, entry in w.contacts]
        w.initial = {k: v/w.factor[k.rstrip("'")] for k, v in w.initial.items()}
        return w

    def little(self):
        return 1e-9                     # J; round-off of a body at rest

    def cone(self):
        """Of each contact; infinite where it is no number."""
        number = lambda x: float("inf") if isinstance(x, str) else x
        return [float("inf") if "bound" in has else max(number(has.get("mu", 0)), number(has.get("mu_static", 0)))
                for _, has in self.contacts]

    def round_off(self, q):
        return 0

    def back(self, q):
        return {n: v*self.factor[n] for n, v in q.items()} if self.factor else q


def chain(rng):
    """Masses on a line with springs, walls and stops between them; friction; gaps of zero; equal masses."""
    n, e, k = rng.randint(1, 3), eps(rng), rng.choice([10.0, 100.0])
    x = [f"x{i}" for i in range(n)]
    gap = rng.choice([0, 0, 0.1])
    m = [rng.choice([1, 1, 2]) for _ in x]
    contacts = [("wall", dict(gap=f"{x[0]} + {gap}", eps_n=e))]
    contacts += [(f"stop{i}", dict(gap=f"{x[i]} - {x[i - 1]}", eps_n=e)) for i in range(1, n)]
    for i in range(n):
        limit = rng.choice([None, "0.5", "2", "3*max(0, sin(5*t))", "max(0, t - 0.3)", "0"])
        if limit:
            contacts.append((f"table{i}", dict(slide=f"{x[i]}'", bound=limit)))
    start = {name: 0.2*i for i, name in enumerate(x)} if rng.random() < 0.5 else {}
    bunched = not start and n > 1
    start |= {f"{name}'": rng.choice([0, -1, 1.0, rng.uniform(-2, 2)]) for name in x}
    world = World(x, [f"{m[i]}/2*{x[i]}'^2" for i in range(n)], [f"{k}/2*({x[i]} - {0.2*i})^2" for i in range(n)],
                  contacts, start)
    world.bunched = bunched
    world.row = n > 1 and e > 0  # what rests against another one, or the wall, is hit
    return world


def slot(rng):
    """A bead between two opposite guides, without or with clearance, pressed against one by gravity; at any angle."""
    a, clearance = rng.choice([0, 0, pi/6, rng.uniform(-1, 1)]), rng.choice([0, 0, 0, 1e-3])
    m, other = mu(rng), mu(rng)
    definitions = [("s", f"x*{np.cos(a)!r} + y*{np.sin(a)!r}"), ("n", f"y*{np.cos(a)!r} - x*{np.sin(a)!r}")]
    contacts = [("bottom", dict(gap="n", slide="s'", mu=m)),
                ("top", dict(gap=f"{clearance} - n", slide="s'", mu=other))]
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
        contacts.append((f"foot{i}", dict(gap=f"py{i}", slide=f"px{i}'", mu=same if rng.random() < 0.7 else mu(rng))))
    start = {"y": h, "x'": rng.choice([0, 1, -1.0])}
    centre = rng.choice([0, 0, 0.1])
    return World(["x", "y", "phi"], ["x'^2/2", "y'^2/2", "0.05*phi'^2"], [f"9.81*(y + {centre}*sin(phi))"], contacts,
                 start, definitions, until=0.3)


def pendulum(rng):
    """One or two links with a wall: impacts with friction, M that depends on q."""
    e, m = eps(rng), mu(rng)
    definitions = [("x1", "0.5*sin(a)"), ("y1", "-0.5*cos(a)"), ("x2", "x1 + 0.5*sin(b)"), ("y2", "y1 - 0.5*cos(b)")]
    contacts = [("wall", dict(gap=f"{rng.choice([0.3, 0.1, 0])} + x2", slide="y2'", mu=m, eps_n=e))]
    start = {"a": rng.uniform(0.3, 1), "b": rng.choice([0.3, 0.8])}
    return World(["a", "b"], ["0.5*(x1'^2 + y1'^2)", "0.5*(x2'^2 + y2'^2)"], ["9.81*y1", "9.81*y2"], contacts, start,
                 definitions, until=0.6)


def belt(rng):
    """A mass on a spring and a belt whose friction falls with speed, or whose limit comes and goes."""
    limit = rng.choice([dict(mu=0.5), dict(mu="0.3 + 0.2*exp(-abs(x' - 1)/0.1)"), dict(mu="0.4*max(0, sin(3*t))"),
                        dict(mu=0.3, mu_static=0.5), dict(mu=0)])
    contacts = [("belt", dict(gap="y", slide="x' - 1", **limit))]
    return World(["x", "y"], ["x'^2/2", "y'^2/2"], ["9.81*y", f"{rng.choice([10, 50])}/2*x^2"], contacts,
                 {"x": rng.choice([0, 0.3]), "x'": rng.choice([0, 1.0])}, until=2.0)


def ladder(rng):
    """A rod that leans on a wall: slides down, leaves the wall, or stays."""
    m, other = mu(rng), mu(rng)
    definitions = [("xa", "x - 0.5*cos(phi)"), ("ya", "y + 0.5*sin(phi)"), ("xb", "x + 0.5*cos(phi)"),
                   ("yb", "y - 0.5*sin(phi)")]
    contacts = [("wall", dict(gap="xa", slide="ya'", mu=m)), ("ground", dict(gap="yb", slide="xb'", mu=other))]
    phi = rng.choice([pi/3, pi/4, 1.2, 0.8])
    start = {"x": float(0.5*np.cos(phi)), "y": float(0.5*np.sin(phi)), "phi": phi}
    return World(["x", "y", "phi"], ["x'^2/2", "y'^2/2", "phi'^2/24"], ["9.81*y"], contacts, start, definitions,
                 dt=5e-4, until=0.3)


def shaker(rng):
    """A mass on a table that shakes, up and down and sideways."""
    A, w, m = rng.choice([0.001, 0.01]), rng.choice([20.0, 50.0]), mu(rng)
    contacts = [("table", dict(gap=f"y - {A}*sin({w}*t)", slide=f"x' - {rng.choice([0, A])}*{w}*cos({w}*t)", mu=m,
                               eps_n=rng.choice([0, 0.3])))]
    return World(["x", "y"], ["x'^2/2", "y'^2/2"], ["9.81*y"], contacts, {"y'": A*w}, until=0.5, dt=5e-4)


def tower(rng):
    """Masses one above the other: dropped together, touching or not, hard and soft impacts at once."""
    n, e = rng.randint(1, 4), rng.choice([0, 0.5, 1])
    y = [f"y{i}" for i in range(n)]
    gap = rng.choice([0, 0, 0.05])
    contacts = [(f"c{i}", dict(gap=y[0] if i == 0 else f"{y[i]} - {y[i - 1]}", eps_n=e if rng.random() < 0.7 else 0))
                for i in range(n)]
    m = [rng.choice([1, 1, 2]) for _ in y]
    start = {name: 0.1 + gap*i for i, name in enumerate(y)} if rng.random() < 0.7 else {}
    return World(y, [f"{m[i]}/2*{y[i]}'^2" for i in range(n)], [f"9.81*{m[i]}*{y[i]}" for i in range(n)], contacts,
                 start, until=0.4)


def crank(rng):
    """A crank, a rod and a slider that rubs: loops, written once or twice (redundant)."""
    r, l = 0.1, rng.choice([0.3, 0.5])
    contacts = [("guide", dict(slide="x'", bound=rng.choice(["0", "0.5", "2*max(0, sin(9*t))"])))]
    constraints = [("cx", f"{r}*cos(a) + {l}*cos(b) - x"), ("cy", f"{r}*sin(a) + {l}*sin(b)")]
    if rng.random() < 0.3:
        constraints.append(("again", f"2*{r}*sin(a) + {2*l}*sin(b)"))
    w = rng.choice([1.0, 5.0, -20.0])
    start = {"a": 0.0, "b": 0.0, "x": r + l, "a'": w, "b'": -w*r/l}
    return World(["a", "b", "x"], ["0.005*a'^2", "0.01*b'^2", "0.5*x'^2"], [], contacts, start, constraints=constraints,
                 until=0.5)


def lift(rng):
    """A mass pressed on a table by a load that comes and goes: friction limits with kinks, where it sticks and
    slides."""
    pull = rng.choice(["3*x", "-2*x*max(0, sin(4*t))", "0"])
    load = rng.choice(["max(0, cos(6*t))", "abs(cos(5*t))", "if(t < 0.5, 1, 0.2)", "min(1, 2*t)"])
    contacts = [("table", dict(gap="y", slide="x'", mu=rng.choice([0, 0.3, 1]), bound=load))]
    return World(["x", "y"], ["x'^2/2", "y'^2/2"], ["9.81*y", "20*x^2/2", pull], contacts,
                 {"x": rng.choice([0, 0.2]), "x'": rng.choice([0, 1.0, -1.0])}, until=1.0)


FAMILIES = [chain, slot, beam, pendulum, belt, ladder, shaker, tower, crank, lift]
REGULAR = {"slot", "belt", "ladder", "beam", "chain", "lift", "crank"}

# What must be true of every run, whatever the model: looked at in the recorded rows, with nothing of the tool's but its
# reader.
import json
import os
import signal
import subprocess

import h5py
import numpy as np

SECONDS = 10                        # of processor time that a run of some hundred steps may take; looking at it: LOOKING
LOOKING = 30
ROWS = 40                           # of a run whose overlaps are looked at
STEP_ERRORS = {"moreau": 1, "euler": 1, "jean": 1, "rattle": 1, "event": 0}
HOLDS_GAPS = "rattle", "event"      # what ends where nothing overlaps


class Run:
    """One run of a world: the record, what the tool said, and what is wrong with it."""

    def __init__(self, tool, folder, name, world, integrator, dt):
        self.world, self.integrator, self.dt, self.faults = world, integrator, dt, []
        model, record = os.path.join(folder, f"{name}.{world.suffix}"), os.path.join(folder, f"{name}.h5")
        with open(model, "w") as f:
            f.write(world.text())
        self.command = ["run", model, "--integrator", integrator, "--dt", repr(dt), "-o", record, "--json"]
        said = call(tool, self.command)
        self.done = said.returncode == 0
        if not self.done:
            self.faults.append(f"status {said.returncode}: {reason(said.stderr)}")
            return
        self.summary = json.loads(said.stdout)
        self.read(record)
        check = call(tool, ["verify", record], LOOKING)
        if check.returncode != 0:
            off = [line for line in check.stdout.splitlines() if "OFF" in line]
            self.faults.append(f"verify: {'; '.join(off) or last_line(check.stdout + check.stderr)}")
        self.look()

    def read(self, path):
        with h5py.File(path) as f:
            names = lambda data: [n.decode() for n in f[data].attrs["columns"]]
            self.q = self.world.columns(names("q"), f["q"][:])
            self.u = self.world.columns(names("u" if "columns" in f["u"].attrs else "q"), f["u"][:])
            self.t = f["t"][:]
            self.loss_normal, self.loss_friction = f["energy/loss_normal"][-1], f["energy/loss_friction"][-1]
            self.projection = np.abs(np.diff(f["energy/work_projection"][:])).sum()
            self.total = f["energy/kinetic"][:] + f["energy/potential"][:]
            self.kinetic = f["energy/kinetic"][:]
            self.work = f["energy/work_forces"][:] + f["energy/work_drive"][:]
            # rows whose step gave energy by its law, told
            self.gains = np.diff(f["counts/energy_gain"][:], prepend=0) > 0
            self.Lambda = f["touch/Lambda"][:] if "touch" in f else f["Lambda"][:]
            placed = np.any(f["touch/frame"][:, :3] != 0, axis=1) if "touch" in f else None
            self.cones = self.Lambda[placed] if placed is not None else self.Lambda

    def look(self):
        """No force pulls; energy does not rise by itself; where nothing acts from outside momentum stays; nothing
        overlaps."""
        scale = np.abs(self.Lambda).max(initial=0)
        if scale and self.Lambda[..., 0].min() < -1e-9*scale:
            self.faults.append(f"a contact pulls: {self.Lambda[..., 0].min():.2e} of {scale:.2e} N s")
        outside = self.outside()
        if outside > 1e-6*scale:
            self.faults.append(f"friction is {outside:.2e} N s outside of its cone, of {scale:.2e} N s")
        if hasattr(self.world, "overlap"):
            self.look_at_bodies()

    def outside(self):
        """How far friction is outside of the largest cone of the world (of text models each contact's own), N s."""
        mu = np.asarray(self.world.cone(), float)                    # infinite: not known
        if not self.cones.size or not np.isfinite(mu).any():
            return 0.0
        friction = np.sqrt((self.cones[..., 1:]**2).sum(-1))
        known = np.isfinite(mu)
        return np.where(known, friction - np.where(known, mu, 0)*self.cones[..., 0], 0).max(initial=0)

    def rise(self):
        """How far T + V less what was put in rises, as part of the energy at hand. Newton's law with friction can give
        energy, in steps that are told."""
        total = self.total - self.work
        if hasattr(self.world, "energy"):
            total = self.world.energy(self.q, self.u)
        total = total - np.cumsum(np.where(self.gains, np.diff(total, prepend=total[0]), 0).clip(min=0))
        rise = (total - np.minimum.accumulate(total)).max() - 2*self.projection - self.world.round_off(self.q)
        return rise/(self.kinetic.max() + np.ptp(self.total) + self.world.little())

    def drift(self):
        """How far the momentum of a world without forces from outside changes, as part of what moves in it."""
        if not hasattr(self.world, "isolated") or not self.world.isolated():
            return 0.0
        p = self.world.momentum(self.q, self.u)
        at_hand = self.kinetic.max()/(self.world.speed(self.u) + 1e-300)
        return np.abs(p - p[0]).max()/(at_hand*(1 + self.world.span(self.q)) + self.world.little())

    def look_at_bodies(self):
        world = self.world
        rows = np.unique(np.linspace(0, len(self.t) - 1, ROWS).astype(int))
        depth, pair = max(world.overlap(self.q, row) for row in rows)
        way = 0 if self.integrator in HOLDS_GAPS else world.speed(self.u)*self.dt
        gravity = float(np.linalg.norm(world.gravity))*self.dt**2
        allowed = way + 2*gravity + 2e-3*world.thinnest()
        if depth > allowed:
            self.faults.append(f"{pair} overlap by {depth:.2e} m, {allowed:.2e} allowed")
        if getattr(world, "stands", False):
            moved = max(np.abs(self.q[b.name][-1] - self.q[b.name][0]).max() for b in world.free())
            if moved > 1e-6:
                self.faults.append(f"moves by {moved:.2e} where it should stand")

    def end(self):
        """Where everything is at the end, as numbers of the original world."""
        return {n: v[-1] for n, v in self.world.back({n: q[-1:] for n, q in self.q.items()}).items()}

    def unique(self):
        return not self.summary["counts"].get("several_motions", 0)

    def canonical(self):
        """The motion does not hang on words: where there are several it is the one of least impulses, unless told."""
        return not self.summary["counts"].get("as_found", 0)

    def late(self):
        """The way of a step: what stops or turns back within one does so up to a step early or late."""
        return STEP_ERRORS[self.integrator]*self.dt*max(np.abs(u).max(initial=0) for u in self.u.values())

    def extent(self):
        q = np.concatenate([np.ptp(v, axis=0) for v in self.world.back(self.q).values()])
        return q.max(initial=0)


def apart(a, b):
    """How far two runs end from each other."""
    x, y = a.end(), b.end()
    return max(float(np.abs(x[n] - y[n]).max()) for n in x)


def call(tool, args, seconds=SECONDS):
    """Processor time is bounded, so that a busy machine is no fault."""
    done = subprocess.run(["prlimit", f"--cpu={seconds}", tool, *args], capture_output=True, text=True)
    if done.returncode < 0:
        late = f" after {seconds} s" if done.returncode == -signal.SIGKILL else ""
        done.stderr += f"died of signal {-done.returncode}{late}"
    return done


def reason(text):
    lines = [line for line in text.splitlines() if "holds the run" not in line]
    other = next((line for line in lines if "warning" not in line), text)
    return next((line for line in lines if "error" in line), other)


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else ""

#!/usr/bin/python3
# Random models, many with exact coincidences, symmetries and redundancies: each run by two integrators at two steps, as
# it is and seen otherwise (turned, mirrored, shifted, in other units, renumbered), checked by `verify` and by what must
# be true of any motion (support/judge.py). Without arguments a fixed handful; scripts/study runs it for minutes.
#   campaign.py [--seed N] [--cases N | --minutes M] [--jobs N] [--family NAME] [--integrator NAME] [--keep FOLDER]
# A case is told by its number: --seed N --cases 1 does it again.
import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import time
from math import pi

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
import linkages
import machines
import planar
import scenes
import texts
from judge import Run, apart
from world3d import turn

TOOL = os.environ.get("SS_TOOL") or os.path.join(os.path.dirname(__file__), "../../build/release/stickslip")
KINDS = {"planar": planar, "scene": scenes, "text": texts, "linkage": linkages, "machine": machines}


def integrators(rng, kind, name, wanted):
    """Two different ones, the first of which is the wanted one, if any; the event-driven one where it can go."""
    some = ["moreau", "jean", "euler"]
    if kind != "scene" or name in scenes.EVENT:
        some.append("event")
    two = rng.sample(some, 2)
    return two if wanted in (None, two[0]) else [wanted, two[0]]


def seen_otherwise(rng, world):
    """The same world in other words, and how."""
    if hasattr(world, "in_other_coordinates") and rng.random() < 0.5:
        return "in other coordinates", world.in_other_coordinates(rng)
    if not hasattr(world, "rotated"):
        return "renumbered", world.renumbered(rng) if hasattr(world, "renumbered") else world
    flat = world.suffix == "yaml"
    how = rng.choice(["turned", "mirrored", "renumbered", "scaled", "shifted"])
    if how == "turned":
        angle = rng.choice([pi/2, pi, rng.uniform(-pi, pi)])
        return how, world.rotated(angle if flat else turn([rng.gauss(0, 1) for _ in range(3)], angle))
    if how == "mirrored":
        return how, world.mirror()
    if how == "renumbered":
        return how, world.renumbered(rng)
    if how == "scaled":
        return how, world.scaled(rng.choice([1e-3, 1e3, 0.3048]), rng.choice([1, 1e-3, 1e3]), rng.choice([1, 1, 1e-3]))
    return how, world.shifted_by(*(rng.uniform(-10, 10) for _ in range(2 if flat else 3)))


def kept(coarse, fine, finer):
    """Energy that rises, or momentum that changes, without a source is the error of the method, which falls with the
    step, or a fault. An impact is noticed somewhere within its step: half the step may do so later, an eighth of that
    does not."""
    faults = []
    for what in ("rise", "drift"):
        a, b = getattr(coarse, what)(), getattr(fine, what)()
        if fine.integrator != "event" and b > 1e-3 and b > 0.75*a:
            third = finer(fine)
            b = max(1e-3, getattr(third, what)()) if third.done else b
        if b > 1e-3 and b > 0.75*a or fine.integrator == "event" and b > 1e-8:
            faults.append(f"{fine.integrator}: {what} of {'energy' if what == 'rise' else 'momentum'} {a:.2e} and "
                          f"{b:.2e} of what is at hand, dt {coarse.dt:g} and {fine.dt:g}")
    return faults


def compare(regular, runs, other, how, finer):
    """Faults that show when runs are held against each other, as far as they have come to their ends."""
    faults, size, step = [], 1e-3, 0
    pairs = [pair for pair in (runs[:2], runs[2:]) if all(r.done for r in pair)]
    for coarse, fine in pairs:
        faults += kept(coarse, fine, finer)
        size, step = max(size, coarse.extent()), max(step, apart(coarse, fine))
    first = runs[0]
    if regular and pairs and pairs[0][0] is first and other.done and first.canonical() and other.canonical() \
       and apart(first, other) > 1e-6*size + 2*step:
        faults.append(f"{how}: ends {apart(first, other):.2e} from where it does otherwise "
                      f"(way {size:.2e}, step {step:.2e})")
    if len(pairs) < 2:
        return faults
    fine, second = runs[1], runs[3]
    # through a row of bodies that touch `euler` hands an impact on from step to step, the others at once
    alike = not (getattr(first.world, "row", False) and "euler" in (fine.integrator, second.integrator))
    # what leaves where others collide takes part in the impact by `event`, and may be hit a step later by the others
    alike = alike and not (getattr(first.world, "bunched", False) and "event" in (fine.integrator, second.integrator))
    allowed = 0.02*size + 10*step + max(fine.late(), second.late())
    if regular and alike and all(r.unique() for r in runs) and apart(fine, second) > allowed:
        faults.append(f"{fine.integrator} and {second.integrator} end {apart(fine, second):.2e} from each other "
                      f"(way {size:.2e}, step {step:.2e})")
    return faults


def is_refused(fault):
    """The event-driven integrator refuses pairs whose contact points jump, and resistance to rolling, by name."""
    reasons = ("contact points jump", "touch along a line", "touch side by side", "resists spin or rolling",
               "come to lie flat", "upright cylinder", "contacts of such shapes")
    return "event" in fault and "status 3" in fault and any(r in fault for r in reasons)


def ends_by_name(family, fault):
    """Walls of bricks by the event-driven integrator may end before their time, with the reason (docs/integrators.md):
    counted, no fault."""
    return family == "planar.wall" and "event" in fault and "status 3" in fault


def try_case(seed, only=None, keep=None, wanted=None):
    """Returns the family of a case, its faults, and how many runs ended by name."""
    rng = random.Random(seed)
    choices = [(kind, make) for kind, module in KINDS.items() for make in module.FAMILIES
               if only in (None, kind, f"{kind}.{make.__name__}")]
    kind, make = rng.choice(choices)
    name = make.__name__
    world = make(rng)
    folder = tempfile.mkdtemp(prefix="stickslip-campaign-")
    try:
        rattle = seed%3 == 0
        first, second = integrators(rng, kind, name, wanted or ("rattle" if rattle else None))
        runs = [Run(TOOL, folder, f"run{i}", world, *how) for i, how in enumerate(
            [(first, world.dt), (first, world.dt/2), (second, world.dt), (second, world.dt/2)])]
        how, otherwise = seen_otherwise(rng, world)
        other = Run(TOOL, folder, "other", otherwise, first, otherwise.dt)
        faults = [f"{r.integrator} dt {r.dt:g}: {f}" for r in runs for f in r.faults]
        faults += [f"{how}, {first}: {f}" for f in other.faults]
        faults = [f for f in faults if not is_refused(f)]
        ended = [f for f in faults if ends_by_name(f"{kind}.{name}", f)]
        faults = [f for f in faults if f not in ended]
        finer = lambda run: Run(TOOL, folder, "finer", world, run.integrator, run.dt/8)
        faults += compare(name in KINDS[kind].REGULAR, runs, other, how, finer)
        if faults and keep:
            shutil.copytree(folder, os.path.join(keep, str(seed)), dirs_exist_ok=True)
        return f"{kind}.{name}", faults, len(ended)
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=24)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--family")
    parser.add_argument("--integrator")
    parser.add_argument("--keep")
    args = parser.parse_args()
    end = time.monotonic() + 60*args.minutes if args.minutes else None
    count, bad, early, seed, families = 0, 0, 0, args.seed, {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = {}
        while waiting or (time.monotonic() < end if end else seed < args.seed + args.cases):
            while len(waiting) < args.jobs and (time.monotonic() < end if end else seed < args.seed + args.cases):
                waiting[pool.submit(try_case, seed, args.family, args.keep, args.integrator)] = seed
                seed += 1
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                number = waiting.pop(future)
                family, faults, ended = future.result()
                count += 1
                early += ended
                families[family] = families.get(family, 0) + 1
                bad += bool(faults)
                for fault in faults:
                    print(f"case {number}, {family}: {fault}", flush=True)
    for family in sorted(families):
        print(f"{family:20} {families[family]}")
    print(f"campaign: seeds {args.seed} to {seed - 1}, {count} cases, {bad} with faults; {early} runs of walls ended by name")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

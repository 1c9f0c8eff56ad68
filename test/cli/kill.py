# kill -9 at random times: the file can always be read, the run goes on (from its start, if no row was on disk yet) and
# ends with the same bits as one that was left alone; a sweep gives the same table. kill.py COUNT [SECONDS] kills runs
# of some seconds so often (scripts/study).
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import TOOL, ToolTest, main

import h5py
import numpy as np

# Text models, planar bodies and scenes by steps and by events; seconds of simulated time that take about a second each
RUNS = [("woodpecker", "moreau", 20.0), ("woodpecker", "event", 10.0), ("stack10", "moreau", 4.0),
        ("rockfall", "moreau", 8.0), ("woodpecker4-polygons", "event", 0.7), ("billiards", "event", 0.6),
        ("incline", "event", 4.0), ("two-balls", "event", 0.3)]
SWEEP = ["sweep", "woodpecker", "-p", "mu=0.1:0.4:40", "--threads", "2", "-o", "table.csv"]


def arguments(run, scale):
    model, integrator, until = run
    return ["run", model, "--integrator", integrator, "--until", f"{until*scale:g}", "-q"]


def open_run(path):
    """Also one whose writer was killed when all was written, but for the end: --resume leaves it as it is."""
    try:
        return h5py.File(path, "r")
    except OSError:
        return h5py.File(path, "r", swmr=True)


def datasets(path):
    found = {}
    with open_run(path) as f:
        f.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def different(a, b):
    """The first data set that is not the same in both files; None if all are."""
    a, b = datasets(a), datasets(b)
    if sorted(a) != sorted(b): return "names"
    for name in a:
        if np.asarray(a[name]).tobytes() != np.asarray(b[name]).tobytes(): return name
    return None


def kill_once(folder, run, scale, whole, seconds, rng):
    """None if all is well, else what is wrong; and whether there was a file at all."""
    path = os.path.join(folder, "killed.h5")
    if os.path.exists(path): os.unlink(path)
    p = subprocess.Popen([TOOL, *arguments(run, scale), "-o", "killed.h5"], cwd=folder, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    time.sleep(rng.uniform(0, seconds) if rng.random() < 0.8 else rng.uniform(0, 0.05))
    p.send_signal(signal.SIGKILL)
    p.wait()
    for name in os.listdir(folder):
        if name.endswith(".tmp"): os.unlink(os.path.join(folder, name))
    if not os.path.exists(path): return None, False
    done = subprocess.run([TOOL, "run", "--resume", "killed.h5", "-q"], cwd=folder, capture_output=True, text=True,
                          timeout=600)
    if done.returncode != 0: return f"refused: {done.returncode} {done.stderr}", True
    return different(whole, path), True


def prepare(folder, run, scale):
    """The whole run, and how long it takes."""
    before = time.time()
    subprocess.run([TOOL, *arguments(run, scale), "-o", "whole.h5"], cwd=folder, check=True, capture_output=True)
    return os.path.join(folder, "whole.h5"), time.time() - before


def kill_sweep(folder, until, whole, seconds, rng):
    """None if all is well, else what is wrong."""
    for name in os.listdir(folder):
        if name.startswith("table.csv"): os.unlink(os.path.join(folder, name))
    command = [TOOL, *SWEEP, "--until", f"{until:g}"]
    p = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.uniform(0, seconds))
    p.send_signal(signal.SIGKILL)
    p.wait()
    more = ["--resume"] if os.path.exists(os.path.join(folder, "table.csv.part")) else ["--force"]
    done = subprocess.run([*command, *more], cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0: return f"refused: {done.returncode} {done.stderr}"
    with open(os.path.join(folder, "table.csv")) as f: return None if f.read() == whole else "another table"


def prepare_sweep(folder, until):
    before = time.time()
    subprocess.run([TOOL, *SWEEP, "--until", f"{until:g}", "--force"], cwd=folder, check=True, capture_output=True)
    with open(os.path.join(folder, "table.csv")) as f: return f.read(), time.time() - before


class Kill(ToolTest):
    def test_killed_sweep_goes_on(self):
        rng = random.Random(2)
        whole, seconds = prepare_sweep(self.folder, 0.1)
        for _ in range(2): self.assertIsNone(kill_sweep(self.folder, 0.1, whole, seconds, rng))

    def test_killed_runs_go_on(self):
        rng = random.Random(1)
        for run in RUNS:
            whole, seconds = prepare(self.folder, run, 0.05)
            for _ in range(2):
                wrong, _ = kill_once(self.folder, run, 0.05, whole, seconds, rng)
                self.assertIsNone(wrong, run)


def campaign(count, scale):
    bad = 0
    for run in RUNS:
        files = 0
        with tempfile.TemporaryDirectory(prefix="stickslip-kill-") as folder:
            whole, seconds = prepare(folder, run, scale)
            rng = random.Random(7)
            for _ in range(count):
                wrong, there = kill_once(folder, run, scale, whole, seconds, rng)
                files += there
                if wrong: bad += 1; print(f"{run}: {wrong}", flush=True)
        print(f"{run[0]}, {run[1]}: {count} kills of a run of {seconds:.1f} s, {files} with a file", flush=True)
    with tempfile.TemporaryDirectory(prefix="stickslip-kill-") as folder:
        rng, until = random.Random(7), scale
        whole, seconds = prepare_sweep(folder, until)
        for _ in range(count):
            wrong = kill_sweep(folder, until, whole, seconds, rng)
            if wrong: bad += 1; print(f"sweep: {wrong}", flush=True)
        print(f"sweep: {count} kills of {seconds:.1f} s", flush=True)
    return bad


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        sys.exit(campaign(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 3) > 0)
    main()

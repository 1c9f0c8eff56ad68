# kill -9 at random times: the file can always be read, the run goes on (from its start, if no row was on disk yet) and
# ends with the same bits as one that was left alone. kill.py COUNT [SECONDS] kills runs of some seconds so often
# (scripts/study).
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

# Text models by steps and by events, a scene by steps; seconds of simulated time that take about a second each
RUNS = [("woodpecker", "moreau", 20.0), ("woodpecker", "event", 10.0), ("stack10", "moreau", 4.0)]


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


class Kill(ToolTest):
    def test_killed_runs_go_on(self):
        rng = random.Random(1)
        for run in RUNS:
            whole, seconds = prepare(self.folder, run, 0.1)
            for _ in range(2):
                wrong, _ = kill_once(self.folder, run, 0.1, whole, seconds, rng)
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
    return bad


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        sys.exit(campaign(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 3) > 0)
    main()

# What may happen around a run or a sweep: disks that are full, files that are deleted, damaged remains. Nothing is lost
# without a word, and what was there before stays until the new one is whole.
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, PATIENCE, TOOL, ToolTest, main

import h5py

HERE = os.path.dirname(os.path.abspath(__file__))


def small_files(size):
    """Files cannot be longer than this: as a full disk, but without root."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class Faults(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)

    def remains(self):
        return sorted(name for name in os.listdir(self.folder) if ".tmp" in name)

    def test_full_disk_keeps_what_was_there(self):
        self.works("run", "ball.yaml", "-q", "-o", "run.h5", "--csv", "a.csv", "--events", "e.csv")
        self.works("report", "run.h5", "-o", "page.html")
        before = {name: self.read(name, "rb") for name in ("a.csv", "e.csv", "page.html")}
        self.bad(4, "report", "run.h5", "-o", "page.html", preexec_fn=small_files(4096), says="page.html")
        self.bad(4, "run", "ball.yaml", "-q", "--csv", "a.csv", preexec_fn=small_files(4096), says="a.csv")
        self.assertEqual(before, {name: self.read(name, "rb") for name in before})
        self.assertEqual(self.remains(), [])

    def interrupted(self, part):
        """The environment in which reads and writes are interrupted, and do only a part (support/interrupt.c)."""
        shim = self.path("interrupt.so")
        subprocess.run([os.environ.get("SS_CC", "cc"), "-shared", "-fPIC", "-O1", "-o", shim,
                        os.path.join(HERE, "support/interrupt.c"), "-ldl", "-lrt"], check=True)
        return dict(os.environ, LD_PRELOAD=shim, SS_PART=str(part), SS_COUNT=self.path("count"))

    def test_interrupted_calls_and_short_writes(self):
        """Nothing is lost, and nothing differs, where every other call is interrupted and writes are short."""
        if "-fsanitize" in os.environ.get("SS_CFLAGS", ""): self.skipTest("sanitizers have shims of their own")
        commands = [["run", "ball.yaml", "-q", "--until", "0.3", "-o", "X.h5", "--csv", "X.csv", "--events", "X.ev"],
                    ["run", "cartpole", "-q", "--integrator", "event", "--until", "0.2", "-o", "Xs.h5"],
                    ["run", "-q", "--resume", "X.h5", "--until", "0.4", "--csv", "X2.csv"],
                    ["verify", "X.h5"], ["events", "X.h5"], ["forces", "Xs.h5", "--at", "0.1"],
                    ["report", "X.h5", "-o", "X.html"],
                    ["sweep", "ball.yaml", "-p", "e=0.1:0.8:4", "--until", "0.02", "-o", "Xsweep.csv"],
                    ["solve", os.path.join(HERE, "../data/damaged/fclib.hdf5")]]
        env = self.interrupted(61)
        for command in commands:
            plain = self.tool(*[word.replace("X", "plain") for word in command])
            done = self.tool(*[word.replace("X", "other") for word in command], env=env)
            self.assertEqual(done[0], plain[0], f"{command}: {done}")
            if command[0] in ("verify", "events", "forces"):
                self.assertEqual(done[1].replace("other", "plain"), plain[1])
        for name in (".csv", "2.csv", ".ev", "sweep.csv"):
            self.assertEqual(self.read("plain" + name), self.read("other" + name), name)
        for name in (".h5", "s.h5"):
            self.assertEqual(self.numbers("plain" + name), self.numbers("other" + name), name)
        self.assertGreater(max(int(n) for n in self.read("count").split()), 100)

    def numbers(self, name):
        found = {}
        with h5py.File(self.path(name), "r") as f:
            f.visititems(lambda path, d: found.update({path: d[()].tobytes()}) if isinstance(d, h5py.Dataset) else None)
        return found

    def stored(self, name):
        """Bytes of the data sets as they are stored: less than any file of them, which also has what early flushes
        left."""
        sizes = []
        with h5py.File(self.path(name), "r") as f:
            f.visititems(lambda path, d: sizes.append(d.id.get_storage_size()) if isinstance(d, h5py.Dataset) else None)
        return sum(sizes)

    def test_full_disk_within_a_run(self):
        """What is safe is told, and the run goes on from there when there is room, bit for bit."""
        for model, integrator, until in (("ball.yaml", "moreau", "20"), ("cartpole", "event", "2")):
            run = ["run", model, "-q", "--integrator", integrator, "--until", until]
            self.works(*run, "-o", "whole.h5")
            half = self.stored("whole.h5")//2
            self.bad(4, *run, "-o", "part.h5", preexec_fn=small_files(half), says=["part.h5", "File too large"])
            self.works("run", "-q", "--resume", "part.h5")
            self.assertEqual(self.numbers("part.h5"), self.numbers("whole.h5"))
            os.unlink(self.path("part.h5"))

    def test_full_device(self):
        self.works("run", "ball.yaml", "-q", "-o", "run.h5")
        self.bad(4, "run", "ball.yaml", "-q", "--csv", "/dev/full", says="/dev/full")
        self.bad(4, "run", "ball.yaml", "-q", "--events", "/dev/full", says="/dev/full")
        for command in (["events", "run.h5"], ["verify", "run.h5"], ["check", "ball.yaml"], ["forces", "run.h5"],
                        ["run", "ball.yaml", "--json"], ["models"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([TOOL, *command], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                      timeout=PATIENCE)
            self.assertEqual(done.returncode, 4, f"{command}: {done.stderr}")
            self.assertIn(b"standard output could not be written", done.stderr, command)

    def test_links_and_rights_stay(self):
        self.write("real.csv", "old")
        os.chmod(self.path("real.csv"), 0o640)
        os.symlink("real.csv", self.path("link.csv"))
        self.works("run", "ball.yaml", "-q", "--csv", "link.csv")
        self.assertTrue(os.path.islink(self.path("link.csv")))
        self.assertEqual(os.stat(self.path("real.csv")).st_mode & 0o777, 0o640)
        self.assertTrue(self.read("real.csv").startswith("t,"))
        self.bad(4, "run", "ball.yaml", "-q", "--csv", "none/a.csv", says="none/a.csv")

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_picture_without_room(self):
        self.works("run", "ball.yaml", "-q", "--until", "0.1", "-o", "run.h5")
        os.symlink("/dev/full", self.path("full.svg"))
        self.bad(4, "plot", "run.h5", "-o", "full.svg", says="full.svg")
        self.works("plot", "run.h5", "-o", "a.svg")
        before = self.read("a.svg")
        for size in (1000, len(before)//2):
            self.assertIn(self.tool("plot", "run.h5", "-o", "a.svg", "--y", "x", preexec_fn=small_files(size))[0],
                          (3, 4))
            self.assertEqual(self.read("a.svg"), before)
        self.assertEqual(self.remains(), [])

    def test_interrupted_run_keeps_its_rows(self):
        p = self.start("run", "ball.yaml", "-q", "--until", "1e5", "--csv", "a.csv", "-o", "a.h5")
        self.wait_until(p, lambda: os.path.exists(self.path("a.h5")))
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=PATIENCE)
        self.assertEqual(p.returncode, 3)
        with h5py.File(self.path("a.h5"), "r") as f: rows = len(f["t"])
        self.assertEqual(len(self.read("a.csv").splitlines()), 1 + rows)

    def test_deleted_while_it_is_written(self):
        p = self.start("run", "ball.yaml", "-q", "--until", "1e6", "-o", "run.h5")
        self.wait_until(p, lambda: os.path.exists(self.path("run.h5")))
        os.unlink(self.path("run.h5"))
        _, err = p.communicate(timeout=PATIENCE)
        self.assertEqual(p.returncode, 4)
        self.assertIn("was deleted or replaced while it was being written", err)

    def sweep(self, *more):
        return self.tool("sweep", "ball.yaml", "-p", "e=0.1:0.8:8", "--until", "0.02", "-o", "s.csv", *more)

    def test_damaged_part_of_a_sweep(self):
        """Whatever becomes of FILE.part, the table is the one of a sweep in one go."""
        self.assertEqual(self.sweep()[0], 0)
        whole = self.read("s.csv")
        p = self.tool("sweep", "ball.yaml", "-p", "e=0.1:0.8:8", "--until", "0.02", "-o", "/dev/full")
        self.assertEqual(p[0], 4)
        part = self.make_part()
        for at in range(len(part.split(b"\n")[0]) + 3, len(part), max(1, len(part)//12)):
            damaged = bytearray(part)
            damaged[at] ^= 1
            with open(self.path("s.csv.part"), "wb") as f: f.write(damaged)
            status, _, err = self.sweep("--resume")
            self.assertEqual(status, 0, err)
            self.assertEqual(self.read("s.csv"), whole, f"byte {at} of {len(part)}")

    def make_part(self):
        """FILE.part of a sweep that could not write its table at the end."""
        os.unlink(self.path("s.csv"))
        os.mkdir(self.path("s.csv"))
        self.sweep("--force")
        os.rmdir(self.path("s.csv"))
        return self.read("s.csv.part", "rb")


if __name__ == "__main__":
    main()

# What may happen around a run or a sweep: disks that are full, files that are deleted, damaged remains. Nothing is lost
# without a word, and what was there before stays until the new one is whole.
import os
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, TOOL, ToolTest, main


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

    def test_links_and_rights_stay(self):
        self.write("real.csv", "old")
        os.chmod(self.path("real.csv"), 0o640)
        os.symlink("real.csv", self.path("link.csv"))
        self.works("run", "ball.yaml", "-q", "--csv", "link.csv")
        self.assertTrue(os.path.islink(self.path("link.csv")))
        self.assertEqual(os.stat(self.path("real.csv")).st_mode & 0o777, 0o640)
        self.assertTrue(self.read("real.csv").startswith("t,"))
        self.bad(4, "run", "ball.yaml", "-q", "--csv", "none/a.csv", says="none/a.csv")

    def test_interrupted_run_keeps_its_rows(self):
        p = self.start("run", "ball.yaml", "-q", "--until", "1e5", "--csv", "a.csv", "-o", "a.h5")
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=60)
        self.assertEqual(p.returncode, 3)
        self.assertGreater(len(self.read("a.csv").splitlines()), 10)

    def test_deleted_while_it_is_written(self):
        p = self.start("run", "ball.yaml", "-q", "--until", "1e6", "-o", "run.h5")
        for _ in range(200):
            time.sleep(0.05)
            if os.path.exists(self.path("run.h5")): break
        os.unlink(self.path("run.h5"))
        _, err = p.communicate(timeout=60)
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

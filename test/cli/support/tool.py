# Drives the tool from tests: run a command line in a temporary folder, look at status, stdout and stderr.
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

# Under sanitizers tests try one in LESS of what they repeat (test/less.h)
LESS = 10 if "-fsanitize" in os.environ.get("SS_CFLAGS", "") else 1


def some(members, least=1):
    """Members that are alike, in order: under sanitizers one in LESS of them, spread evenly, but at least so many."""
    members = list(members)
    n = min(len(members), max(least, -(-len(members)//LESS)))
    return [members[(2*i + 1)*len(members)//(2*n)] for i in range(n)]


PATIENCE = 280  # s: a busy machine may be slow, a test that waits so long has failed

TOOL = os.environ.get("SS_TOOL") or os.path.join(os.path.dirname(__file__), "../../../build/release/stickslip")

BALL = """\
name: my ball
description: dropped on a floor
parameters: {m: 1.0, g: 9.81, e: 0.5, mu: 0.2}
coordinates: {x: m, y: m}
kinetic: m/2*(x'^2 + y'^2)
potential: m*g*y
contacts:
  floor: {gap: y, slide: x', mu: mu, eps_n: e}
initial: {y: 0.1, x': 0.5}
run: {dt: 1e-3, until: 0.5}
"""


class ToolTest(unittest.TestCase):
    """A temporary folder per test; the tool runs in it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stickslip-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return name

    def read(self, name, mode="r"):
        with open(self.path(name), mode) as f:
            return f.read()

    def start(self, *args, **more):
        return subprocess.Popen([TOOL, *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, **more)

    def tool(self, *args, **more):
        """Runs the tool; returns status, stdout, stderr."""
        done = subprocess.run([TOOL, *args], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, **more)
        self.assertGreaterEqual(done.returncode, 0, f"{args} died of signal {-done.returncode}: {done.stderr}")
        self.assertNotIn("ERROR: AddressSanitizer", done.stderr)
        self.assertNotIn("runtime error", done.stderr)
        return done.returncode, done.stdout, done.stderr

    def wait_until(self, process, there):
        """Waits until there() is true of what a process does; an error if it ends before."""
        end = time.monotonic() + PATIENCE
        while not there():
            self.assertIsNone(process.poll(), "the process has ended before")
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def good(self, *args, **more):
        """Runs the tool, which must succeed without a word on stderr; returns stdout."""
        status, out, err = self.tool(*args, **more)
        self.assertEqual((status, err), (0, ""), f"{args}: {err}")
        return out

    def works(self, *args, **more):
        """Runs the tool, which must succeed but may warn; returns stdout."""
        status, out, err = self.tool(*args, **more)
        self.assertEqual(status, 0, f"{args}: {err}")
        for line in err.splitlines():
            self.assertTrue(line.startswith("stickslip: warning: "), line)
        return out

    def bad(self, expected_status, *args, says=(), **more):
        """Runs the tool, which must fail with this status and say all these words, on stderr only."""
        status, out, err = self.tool(*args, **more)
        self.assertEqual(status, expected_status, f"{args}: {out}{err}")
        self.assertEqual(out, "", f"{args} printed on stdout")
        self.assertTrue(err.startswith("stickslip: "), f"{args}: {err}")
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, err, f"{args}")
        return err

    def json(self, *args):
        return json.loads(self.good(*args))


def main():
    unittest.main(verbosity=1)

# Memory that is short: an allocation fails, and the tool says so and ends with a status that is not success; what it
# printed or wrote before is no less than it should be. memory.py all tries every allocation (scripts/study).
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, TOOL, ToolTest, main

SANITIZED = "-fsanitize" in os.environ.get("SS_CFLAGS", "")
HERE = os.path.dirname(os.path.abspath(__file__))

SCENE = """<mujoco model="ball"><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<body name="a" pos="0 0 0.2"><freejoint/><geom name="ga" type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>
"""

# The libraries that cannot bear it themselves are spared: HDF5 while it writes (what it reads is another process), and
# libxml2 in one allocation of a few hundred.
COMMANDS = [
    (["check", "ball.yaml"], ""),
    (["check", "ball.yaml", "--json"], ""),
    (["check", "ball.xml", "--json"], "libxml2"),
    (["run", "ball.yaml", "-q", "--until", "0.01"], ""),
    (["run", "ball.xml", "-q", "--until", "0.01", "--csv", "a.csv"], "libxml2"),
    (["run", "ball.yaml", "-q", "--until", "0.01", "-o", "new.h5"], "libhdf5,libc.so"),
    (["solve", "p.json", "--json"], ""),
    (["verify", "run.h5"], ""),
    (["events", "run.h5", "--json"], ""),
    (["forces", "run.h5"], ""),
    (["report", "run.h5", "-o", "page.json"], ""),
    (["sweep", "ball.yaml", "-p", "e=0.1,0.2", "--until", "0.01", "-o", "s.csv", "--force", "--threads", "1"], ""),
]
POINTS = 7  # of each command, in the ordinary test


def without_times(text):
    return re.sub(rb'[0-9.e+-]+ ?(us|ms|s|points/s)\b|"(seconds|time)":[^,}]*', b"", text)


class Memory(ToolTest):
    def setUp(self):
        super().setUp()
        if SANITIZED: self.skipTest("sanitizers have an allocator of their own")
        self.write("ball.yaml", BALL)
        self.write("ball.xml", SCENE)
        self.write("p.json", '{"type": "lcp", "name": "p", "A": [[2, 1], [1, 2]], "b": [-1, -1]}')
        subprocess.run([os.environ.get("SS_CC", "cc"), "-shared", "-fPIC", "-O1", "-o", self.path("fail.so"),
                        os.path.join(HERE, "support/fail_malloc.c"), "-ldl"], check=True)
        self.works("run", "ball.yaml", "-q", "--until", "0.05", "-o", "run.h5")

    def run_with(self, command, spared, at):
        env = dict(os.environ, LD_PRELOAD=self.path("fail.so"), SS_FAIL_COUNT=self.path("count"))
        if at: env["SS_FAIL_AT"] = str(at)
        if spared: env["SS_FAIL_NOT"] = spared
        return subprocess.run([TOOL, *command], cwd=self.folder, env=env, capture_output=True, timeout=60)

    def try_points(self, command, spared, points):
        whole = self.run_with(command, spared, 0)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        n = int(self.read("count"))
        self.assertGreater(n, 20)
        tried = range(1, n + 1) if points is None else sorted({1 + i*(n - 1)//(points - 1) for i in range(points)})
        told = 0
        for at in tried:
            done = self.run_with(command, spared, at)
            said = done.stderr.decode("utf-8", "replace")
            case = f"{' '.join(command)}, allocation {at} of {n}: status {done.returncode}, {said}"
            self.assertGreaterEqual(done.returncode, 0, case)
            if done.returncode == 0:  # it could do without
                self.assertEqual(without_times(done.stdout), without_times(whole.stdout), case)
            else:
                self.assertIn("memory", said + done.stdout.decode("utf-8", "replace"), case)
                told += 1
        self.assertGreater(told, len(tried)//3, command)
        return len(tried), told

    def test_allocations_that_fail(self):
        points = None if "all" in sys.argv else POINTS
        for command, spared in COMMANDS:
            tried, told = self.try_points(command, spared, points)
            if points is None: print(f"{' '.join(command)}: {tried} allocations, {told} told", flush=True)


if __name__ == "__main__":
    if "all" in sys.argv:
        import unittest
        unittest.main(argv=sys.argv[:1])
    main()

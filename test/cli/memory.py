# Memory that is short: an allocation fails, and the tool says so and ends with a status that is not success; what it
# printed or wrote before is no less than it should be, and every block is given back. memory.py all tries every
# allocation (scripts/study), memory.py all WORD those of commands with this word in them.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, PATIENCE, TOOL, ToolTest, main

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
    (["run", "ball.yaml", "-q", "--until", "0.5", "--integrator", "event", "--events", "e.csv"], ""),
    (["run", "ball.xml", "-q", "--until", "0.01", "--csv", "a.csv"], "libxml2"),
    (["run", "ball.xml", "-q", "--until", "0.2", "--integrator", "event"], "libxml2"),
    (["run", "ball.yaml", "-q", "--until", "0.01", "-o", "new.h5"], "libhdf5,libc.so"),
    (["solve", "p.json", "--json"], ""),
    (["solve", "step-00000072.json"], ""),
    (["verify", "run.h5"], ""),
    (["verify", "scene.h5"], "libxml2"),
    (["verify", "event.h5"], ""),
    (["events", "run.h5", "--json"], ""),
    (["forces", "run.h5"], ""),
    (["report", "run.h5", "-o", "page.json"], ""),
    (["report", "scene.h5", "-o", "page.html"], "libxml2"),
    (["sweep", "ball.yaml", "-p", "e=0.1,0.2", "--until", "0.01", "-o", "s.csv", "--force", "--threads", "1"], ""),
]
POINTS = 4  # of each command, in the ordinary test


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
        self.works("run", "ball.yaml", "-q", "--until", "0.5", "--integrator", "event", "-o", "event.h5")
        self.works("run", "ball.xml", "-q", "--until", "0.2", "-o", "scene.h5")
        self.works("run", "ball.xml", "-q", "--until", "0.2", "--dump-problems", ".", "--when", "all")

    def run_with(self, command, spared, at):
        env = dict(os.environ, LD_PRELOAD=self.path("fail.so"), SS_FAIL_COUNT=self.path("count"))
        if at: env["SS_FAIL_AT"] = str(at)
        if spared: env["SS_FAIL_NOT"] = spared
        return subprocess.run([TOOL, *command], cwd=self.folder, env=env, capture_output=True, timeout=PATIENCE)

    def left(self):
        """Blocks that were not given back, by library; but for what C's own keeps (the buffer of stdout)."""
        blocks = {}
        for line in self.read("count").splitlines()[1:]:
            n, library, _ = line.split()
            name = os.path.basename(library)
            if not name.startswith(("libc.so", "libhdf5")): blocks[name] = blocks.get(name, 0) + int(n)
        return blocks

    def judge(self, done, whole, kept):
        """What is wrong with a run in which an allocation failed; None if nothing is."""
        said = (done.stderr + done.stdout).decode("utf-8", "replace")
        if done.returncode < 0: return f"signal {-done.returncode}"
        if done.returncode == 0 and without_times(done.stdout) != without_times(whole.stdout):
            return "success, but less"
        if done.returncode != 0 and "memory" not in said: return "not told as out of memory"
        for library, blocks in self.left().items():
            own = library.startswith("libyaml")  # yaml_parser_load() loses a block itself
            if blocks > kept.get(library, 0) + own: return f"{blocks} blocks of {library} left: {self.read('count')}"
        return None

    def try_points(self, command, spared, points):
        whole = self.run_with(command, spared, 0)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        n, kept = int(self.read("count").split()[0]), self.left()
        self.assertGreater(n, 20)
        self.assertNotIn("stickslip", kept)
        tried = range(1, n + 1) if points is None else sorted({1 + i*(n - 1)//(points - 1) for i in range(points)})
        told, faults = 0, []
        for at in tried:
            done = self.run_with(command, spared, at)
            told += done.returncode != 0
            wrong = self.judge(done, whole, kept)
            if wrong: faults.append(f"{' '.join(command)}, allocation {at} of {n}: status {done.returncode}, {wrong}\n"
                                    f"{done.stderr.decode('utf-8', 'replace')}")
        self.assertGreater(told, len(tried)//3, command)
        if points is None: print(f"{' '.join(command)}: {n} allocations, {told} told, {len(faults)} wrong", flush=True)
        return faults

    def test_allocations_that_fail(self):
        points = None if "all" in sys.argv else POINTS
        faults = []
        for command, spared in COMMANDS:
            if points is None and len(sys.argv) > 2 and sys.argv[2] not in command: continue
            faults += self.try_points(command, spared, points)
        self.assertEqual(faults, [], "\n".join(faults))


if __name__ == "__main__":
    if "all" in sys.argv:
        import unittest
        unittest.main(argv=sys.argv[:1])
    main()

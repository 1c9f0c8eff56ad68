# Files that are damaged, in any way: a message and a status, never a crash, never memory beyond what the file can hold.
# damaged.py COUNT [FIRST [EACH]] tries so many mutated run files on every command that reads one, or on EACH of them in
# turn (scripts/study); with SS_SERVE=build/fuzz/serve_tool under sanitizers, without a new process for each.
import os
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from mutate import datasets_of, mutate
from tool import BALL, PATIENCE, TOOL, ToolTest, main

import h5py
import numpy as np

SOURCE = os.environ.get("SS_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SANITIZED = "-fsanitize" in os.environ.get("SS_CFLAGS", "")
MEMORY = 3 << 30  # bytes of addresses that a command may take


def limit():
    if not SANITIZED: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


COMMANDS = [
    ["report", "RUN", "-o", "page.html"], ["verify", "RUN"], ["events", "RUN"], ["events", "RUN", "--json"],
    ["forces", "RUN"], ["plot", "RUN", "-o", "p.svg"], ["run", "--resume", "RUN", "-q", "--until", "0.06"],
    ["diagram", "RUN", "-o", "d.svg"], ["solve", "RUN"], ["cycle", "RUN"], ["run", "ball.yaml", "-q", "-o", "RUN"],
    ["render", "RUN", "-o", "r.png", "--size", "64x64"],
]

SCENE = """<mujoco model="boxes"><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<body name="a" pos="0 0 0.11"><freejoint/><geom name="ga" type="box" size="0.1 0.1 0.1" mass="1"/></body>
<body name="b" pos="0.5 0 0.31"><freejoint/><geom name="gb" type="sphere" size="0.1" mass="1"/></body>
</worldbody></mujoco>"""


def make_runs(folder, tool):
    """Run files of each kind: text models and scenes, stepped and event-driven."""
    with open(os.path.join(folder, "ball.yaml"), "w") as f: f.write(BALL)
    with open(os.path.join(folder, "boxes.xml"), "w") as f: f.write(SCENE)
    runs = []
    for model, integrator in [("ball.yaml", "moreau"), ("ball.yaml", "event"), ("boxes.xml", "moreau"),
                              ("two-balls", "event"), ("woodpecker4-polygons", "moreau"),
                              ("woodpecker4-polygons", "event")]:
        name = f"{model[:4]}-{integrator}.h5"
        subprocess.run([tool, "run", model, "-q", "--until", "0.05", "--integrator", integrator, "-o", name],
                       cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
        runs.append(name)
    return runs


def try_command(folder, command, name):
    """Status and what was said; None if it died, or says nothing of what is wrong."""
    words = [name if word == "RUN" else word for word in command]
    try:
        done = subprocess.run([TOOL, *words], cwd=folder, capture_output=True, timeout=PATIENCE, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return None, "no end"
    said = done.stderr.decode("utf-8", "replace")
    fine = 0 <= done.returncode <= 4 and (done.returncode == 0 or said.strip() or done.stdout) and \
        "Sanitizer" not in said and \
        "runtime error" not in said and "\x1b" not in said
    return (done.returncode, said) if fine else (None, f"status {done.returncode}: {said[-2000:]}")


class Server:
    """The tool as a server (test/fuzz/serve_tool.c)."""
    def __init__(self, folder):
        self.folder = folder
        env = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:exitcode=99", UBSAN_OPTIONS="exitcode=99",
                   LSAN_OPTIONS=f"suppressions={SOURCE}/cmake/leaks.supp:print_suppressions=0:exitcode=99")
        self.process = subprocess.Popen([os.environ["SS_SERVE"], "said"], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)

    def run(self, command, name):
        words = [name if word == "RUN" else word for word in command]
        self.process.stdin.write("\t".join(words) + "\n")
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        with open(os.path.join(self.folder, "said"), errors="replace") as f: said = f.read()
        fine = 0 <= status <= 4 and "Sanitizer" not in said and "runtime error" not in said
        return (status, said) if fine else (None, f"status {status}: {said[:3000]}")


class Damaged(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)

    def test_files_that_crash_hdf5(self):
        folder = os.path.join(SOURCE, "test/data/damaged")
        self.bad(4, "solve", os.path.join(folder, "fclib.hdf5"), says="damaged")
        self.bad(4, "diagram", os.path.join(folder, "table-2-to-61-rows.h5"), "-o", "d.svg", says="damaged")
        self.bad(4, "diagram", os.path.join(folder, "table-1e8-rows.h5"), "-o", "d.svg", says="damaged",
                 preexec_fn=limit)

    def change(self, name, change):
        with h5py.File(self.path(name), "r+") as f: change(f)

    def test_promises(self):
        """Lengths that are not in the file take no memory; numbers that cannot be are told."""
        self.works("run", "ball.yaml", "-q", "--until", "0.1", "-o", "good.h5")

        def events(f):
            for path in ("events", "events_q", "events_u"): f[path].resize(10**8, axis=0)

        def step(f): f["step"][-1] = -4926987993842071660

        def step_back(f): f["step"][50] = 3

        def time(f): f["t"][7] = np.nan

        for change, word in ((events, "'events'"), (step, "'step'"), (step_back, "'step'"), (time, "'t'")):
            shutil.copy(self.path("good.h5"), self.path("bad.h5"))
            self.change("bad.h5", change)
            for command in (["events", "bad.h5"], ["report", "bad.h5", "-o", "r.html"], ["verify", "bad.h5"],
                            ["run", "-q", "--resume", "bad.h5", "--until", "1"]):
                self.bad(4, *command, says=["bad.h5", word], preexec_fn=limit)

    def test_contacts_of_a_scene(self):
        """A number of a contact that there is not."""
        runs = make_runs(self.folder, TOOL)

        def contact(f): f["touch/contact"][...] = 99

        self.change(runs[2], contact)
        self.bad(4, "report", runs[2], "-o", "r.html", says="contact")

    def test_no_rows(self):
        """Killed before the first rows were on disk: told as such, and --resume starts anew."""
        for name in make_runs(self.folder, TOOL)[:4]:
            shutil.copy(self.path(name), self.path("whole.h5"))

            def clear(f):
                for path in datasets_of(f):
                    if f[path].maxshape[0] is None: f[path].resize(0, axis=0)

            self.change(name, clear)
            self.bad(4, "verify", name, says="no rows")
            for command in (["report", name, "-o", "r.html"], ["plot", name, "-o", "p.svg"], ["forces", name]):
                status, _, err = self.tool(*command)
                self.assertIn(status, (2, 4), command)
                self.assertIn("no rows", err, command)
            self.works("run", "--resume", name, "-q")
            with h5py.File(self.path("whole.h5")) as a, h5py.File(self.path(name)) as b:
                for path in datasets_of(a):
                    self.assertEqual(a[path][()].tobytes(), b[path][()].tobytes(), (name, path))

    def test_mutated(self):
        """A few mutated files, each on one command: the study tries thousands on all."""
        runs = make_runs(self.folder, TOOL)
        for seed in range(24):
            mutate(self.path(runs[seed % len(runs)]), self.path("mutated.h5"), seed)
            command = COMMANDS[seed % (len(COMMANDS) - 1)]
            status, said = try_command(self.folder, command, "mutated.h5")
            self.assertIsNotNone(status, f"seed {seed}, {command}: {said}")

    def test_memory_that_is_freed(self):
        """Freed memory is filled with other bytes and given back at once: whoever uses it still would crash."""
        tight = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.tcache_count=0", MALLOC_PERTURB_="165")
        self.good("run", "ball.yaml", "-q", "--until", "0.05", "-o", "x.h5", env=tight)
        for command in (["verify", "x.h5"], ["events", "x.h5"], ["forces", "x.h5"], ["report", "x.h5", "-o", "x.html"],
                        ["run", "-q", "--resume", "x.h5", "--until", "0.06"], ["run", "ball.yaml", "-q", "-o", "x.h5"]):
            self.tool(*command, env=tight)


def campaign(count, first, each):
    """COUNT mutated files from seed FIRST on, each on so many commands; prints what broke."""
    import tempfile
    broken, statuses, turn = 0, {}, 0
    with tempfile.TemporaryDirectory(prefix="stickslip-damaged-") as folder:
        runs = make_runs(folder, TOOL)
        server = Server(folder) if os.environ.get("SS_SERVE") else None
        commands = COMMANDS[:-1] if server else COMMANDS  # it has no page to render
        for seed in range(first, first + count):
            source = os.path.join(folder, runs[seed % len(runs)])
            for _ in range(min(each, len(commands))):
                command = commands[turn % len(commands)]
                turn += 1
                mutate(source, os.path.join(folder, "mutated.h5"), seed)
                status, said = (server.run(command, "mutated.h5") if server
                                else try_command(folder, command, "mutated.h5"))
                statuses[status] = statuses.get(status, 0) + 1
                if status is None:
                    broken += 1
                    print(f"seed {seed}, {runs[seed % len(runs)]}, {' '.join(command)}: {said}", flush=True)
            if (seed + 1) % 1000 == 0: print(f"{seed + 1 - first} files, {turn} commands", flush=True)
    print(f"{count} files, {turn} commands of {len(commands)} kinds: status {statuses}, broken {broken}")
    return broken


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        sys.exit(campaign(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0,
                          int(sys.argv[3]) if len(sys.argv) > 3 else 1000) > 0)
    main()

# A run that is interrupted, killed or prolonged goes on as if nothing had happened, bit for bit.
import json
import os
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, PATIENCE, ToolTest, main, some

import h5py
import numpy as np


class Resume(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)

    def datasets(self, name):
        """All numbers in the file, by path."""
        found = {}
        with h5py.File(self.path(name), "r") as f:
            f.visititems(lambda path, item: found.update({path: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return found

    def wait_for_rows(self, p, name, rows):
        """Waits until the file of a running process holds so many rows (in a copy: the writer may be writing)."""
        def there():
            try:
                shutil.copy(self.path(name), os.path.join(self.folder, "copy.h5"))
                with h5py.File(os.path.join(self.folder, "copy.h5"), "r", libver="latest", swmr=True) as f:
                    return max(d.shape[0] for d in self.arrays(f)) >= rows
            except (OSError, ValueError, KeyError, RuntimeError):
                return False
        self.wait_until(p, there)

    @staticmethod
    def arrays(f):
        found = []
        f.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) and item.shape else None)
        return found

    def check_prolonged(self, model, half, whole, *more):
        self.works("run", model, "-q", "--until", whole, "-o", "whole.h5", "--csv", "whole.csv", "--events", "whole.ev",
                   *more)
        self.works("run", model, "-q", "--until", half, "-o", "parts.h5", *more)
        self.works("run", "-q", "--resume", "parts.h5", "--until", whole, "--csv", "parts.csv", "--events", "parts.ev")
        self.assertEqual(self.read("whole.csv"), self.read("parts.csv"))
        self.assertEqual(self.read("whole.ev"), self.read("parts.ev"))
        a, b = self.datasets("whole.h5"), self.datasets("parts.h5")
        self.assertEqual(sorted(a), sorted(b))
        numbers = [path for path in a if np.asarray(a[path]).dtype.kind in "fiu" and np.asarray(a[path]).ndim]
        self.assertGreater(len(numbers), 10)
        for path in numbers:
            self.assertEqual(a[path].tobytes(), b[path].tobytes(), path)

    def test_prolonged_run_equals_the_whole(self):
        self.check_prolonged("ball.yaml", "0.25", "0.5")

    def test_prolonged_woodpecker_equals_the_whole(self):
        self.check_prolonged("woodpecker", "0.5", "1", "--set", "mu=0.29")

    def test_contacts_that_open_together(self):
        """Rocks that part from others in the step after the stop: told in the same order."""
        self.check_prolonged("rockfall", "0.789", "0.8")

    def test_prolonged_event_driven_runs_equal_the_whole(self):
        """Contacts that come and go: spheres that roll, boxes that slide, loops, limits of joints, outlines."""
        runs = (("two-balls", "0.02", "0.04"), ("incline", "0.1", "0.2"), ("billiards", "0.15", "0.3"),
                ("cartpole", "0.3", "0.5"), ("four-bar", "0.1", "0.15"), ("sphere-plane", "0.3", "0.6", "--every", "7"),
                ("tippe-top", "0.05", "0.1"), ("woodpecker4-polygons", "0.1", "0.2"), ("brick", "0.1", "0.3"),
                ("rocking-block", "0.05", "0.1"))
        for model, half, whole, *more in some(runs, 5):
            with self.subTest(model=model):
                self.check_prolonged(model, half, whole, "--integrator", "event", *more)

    def test_event_driven_scene_from_any_row(self):
        """Wherever it is stopped, also between rows and between memories."""
        for half in some(("0.001", "0.016", "0.0317", "0.0501")):
            self.check_prolonged("cube-shove", half, "0.06", "--integrator", "event", "--every", "3")

    def test_damaged_memory_of_a_scene(self):
        """What was remembered is not what it was: told, and nothing goes on from it."""
        self.works("run", "incline", "-q", "--integrator", "event", "--until", "0.1", "-o", "run.h5")
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["arc"][f["arc"].shape[0] - 40] += 1
        self.bad(3, "run", "--resume", "run.h5", "--until", "0.2", "-q", says="remembers of its past is damaged")

    def test_stop_between_recorded_steps(self):
        """The row of the stop, off the grid of --every, goes when the run goes on; the new end time is in the file."""
        self.check_prolonged("woodpecker", "0.0155", "0.03", "--every", "10")
        self.assertEqual(h5py.File(os.path.join(self.folder, "parts.h5"))["settings"].attrs["until"], 0.03)

    def test_foreign_hdf5_file_stays(self):
        with h5py.File(os.path.join(self.folder, "data.h5"), "w") as f:
            f["precious"] = [1, 2, 3]
        status, _, err = self.tool("run", "ball.yaml", "-q", "-o", "data.h5")
        self.assertEqual(status, 4)
        self.assertIn("exists and is not a run file", err)
        self.assertEqual(list(h5py.File(os.path.join(self.folder, "data.h5"))["precious"]), [1, 2, 3])

    def test_settings_that_are_none_are_refused(self):
        self.works("run", "ball.yaml", "-q", "--until", "0.1", "-o", "run.h5")
        for command in (("run", "--resume", "run.h5"), ("report", "run.h5"), ("verify", "run.h5")):
            with h5py.File(self.path("run.h5"), "r+") as f:
                f["settings"].attrs["project"] = 99
            self.bad(4, *command, says="'run.h5' is not a whole run file: attribute 'project' of group 'settings'")

    def test_settings_come_from_the_file(self):
        self.good("run", "ball.yaml", "-q", "--until", "0.2", "-o", "run.h5", "--set", "e=0.25", "--dt", "5e-4",
                  "--integrator", "euler", "--impact", "poisson", "--every", "5", "--tol", "1e-9")
        os.remove(os.path.join(self.folder, "ball.yaml"))  # not needed any more
        s = self.json("run", "--resume", "run.h5", "--until", "0.4", "--json")
        self.assertEqual(s["settings"]["set"], {"e": "0.25"})
        self.assertEqual((s["settings"]["dt"], s["settings"]["integrator"], s["settings"]["every"]),
                         (5e-4, "euler", 5))
        self.assertEqual(s["settings"]["impact"], "poisson")
        self.assertEqual(s["settings"]["tol"], 1e-9)
        self.assertEqual(s["state"]["step"], 800)

    def test_the_initial_state_is_warned_of_once(self):
        status, _, err = self.tool("run", "woodpecker", "--set", "initial.phi_M=-0.104", "-q", "--until", "0.01", "-o",
                                   "run.h5")
        self.assertEqual(status, 0)
        self.assertIn("at the initial state", err)
        self.good("run", "--resume", "run.h5", "--until", "0.02", "-q")

    def test_nothing_to_do(self):
        self.good("run", "ball.yaml", "-q", "--until", "0.2", "-o", "run.h5")
        before = self.read("run.h5", "rb")
        status, out, err = self.tool("run", "--resume", "run.h5", "--json")
        self.assertEqual(status, 0)
        self.assertIn("nothing to do", err)
        self.assertEqual(json.loads(out)["state"]["step"], 200)
        self.assertEqual(self.read("run.h5", "rb"), before)

    def interrupt(self, number):
        for name in os.listdir(self.folder):
            if name != "ball.yaml":
                os.remove(self.path(name))
        # far more steps than can be done before the signal comes
        p = self.start("run", "ball.yaml", "--until", "100000", "--every", "10", "-o", "run.h5", "--csv", "run.csv")
        self.wait_for_rows(p, "run.h5", 100)
        p.send_signal(number)
        out, err = p.communicate(timeout=PATIENCE)
        self.assertEqual(p.returncode, 3, err)
        self.assertIn("interrupted at t = ", err)
        self.assertIn("stickslip run --resume run.h5", err)
        self.assertIn("interrupted", out)
        return self.json("events", "run.h5", "--json")["status"]

    def test_signals_end_the_run_properly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                self.assertEqual(self.interrupt(number), "interrupted")
                last = self.read("run.csv").splitlines()[-1]
                status, out, _ = self.tool("run", "--resume", "run.h5", "--until", "0.001", "--json")
                self.assertEqual(status, 0)
                self.assertEqual(float(last.split(",")[0]), json.loads(out)["state"]["t"])

    # Columns of boxes that lean on one another, as a dense problem with 4000 rows: steps take many seconds
    def test_a_signal_ends_a_long_step(self):
        bodies = "".join(f"<body pos='{0.0999*(i//4)} {0.002*(i % 3)} {0.05 + 0.0999*(i % 4)}'><freejoint/>"
                         "<geom type='box' size='.05 .05 .05'/></body>" for i in range(100))
        with open(self.path("boxes.xml"), "w") as file:
            file.write("<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='0 0 1'/>"
                       f"{bodies}</worldbody></mujoco>")
        p = self.start("run", "boxes.xml", "--solver", "newton", "--tol", "1e-15", "-o", "run.h5", "--until", "1")
        self.wait_until(p, lambda: os.path.exists(self.path("run.h5")))  # made before the first step
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        _, err = p.communicate(timeout=PATIENCE)
        self.assertEqual(p.returncode, 3, err)
        self.assertIn("interrupted at t = 0 s, after step 0 of ", err)
        self.assertEqual(self.json("events", "run.h5", "--json")["status"], "interrupted")

    def test_a_second_signal_ends_at_once(self):
        p = self.start("run", "ball.yaml", "--until", "100000", "--every", "10", "-o", "run.h5")
        self.wait_for_rows(p, "run.h5", 100)
        p.send_signal(signal.SIGINT)
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=PATIENCE)
        self.assertEqual(p.returncode, 3)

    def test_killed_run_goes_on_bit_for_bit(self):
        p = self.start("run", "ball.yaml", "--until", "100000", "--every", "10", "-o", "run.h5")
        self.wait_for_rows(p, "run.h5", 100)
        p.kill()
        p.communicate()
        self.assertEqual(self.json("events", "run.h5", "--json")["status"], "running")
        at = json.loads(self.tool("run", "--resume", "run.h5", "--until", "0.001", "--json")[1])["state"]
        end = repr((at["step"] + 1000)*1e-3)
        self.good("run", "--resume", "run.h5", "--until", end, "-q", "--csv", "killed.csv")
        self.good("run", "ball.yaml", "--until", end, "--every", "10", "-q", "--csv", "whole.csv")
        self.assertEqual(self.read("killed.csv"), self.read("whole.csv"))


if __name__ == "__main__":
    main()

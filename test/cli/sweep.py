# `stickslip sweep` and `diagram`: the same rows by any number of threads and processes, after a kill too.
import csv
import math
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, PATIENCE, TOOL, ToolTest, main

import h5py

DRIVEN = ("sweep", "impact-oscillator", "--period", "2*pi/omega", "--integrator", "event", "-q")


class Sweep(ToolTest):
    def rows(self, name):
        with open(self.path(name)) as f:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]

    def test_grid_is_in_order_and_right(self):
        self.write("ball.yaml", BALL)
        out = self.good("sweep", "ball.yaml", "-p", "e=0,0.5,1", "-p", "initial.y=0.1:0.2:2", "--until", "0.1",
                        "--observe", "y,impact.floor,max.y,t", "--integrator", "event", "--dt", "1e-3", "-o", "a.csv")
        self.assertIn("points   6, 6 rows", out)
        rows = self.rows("a.csv")
        self.assertEqual([(r["e"], r["initial.y"]) for r in rows],
                         [(e, y) for e in (0, 0.5, 1) for y in (0.1, 0.2)])
        for r in rows:
            self.assertAlmostEqual(r["y"], r["initial.y"] - 9.81/2*0.01, 12)
            self.assertAlmostEqual(r["max.y"], r["initial.y"] - 9.81/2*1e-6, 12)
            self.assertEqual((r["impact.floor"], r["t"], r["status"]), (0, 0.1, 0))

    # The energy of a ball that bounces without loss, and its largest speed, from the fall alone
    def test_expressions_are_observed(self):
        self.write("ball.yaml", BALL)
        seen = "h=y + y'^2/(2*9.81),min.h,max.h,v=max(y', -y'),max.v"
        self.good("sweep", "ball.yaml", "-p", "initial.y=0.1,0.2", "--set", "e=1", "--until", "1", "--integrator",
                  "event", "--dt", "1e-3", "--observe", seen, "-q", "-o", "a.csv")
        for r in self.rows("a.csv"):
            for name in ("h", "min.h", "max.h"):
                self.assertAlmostEqual(r[name], r["initial.y"], 8)
            top = math.sqrt(2*9.81*r["initial.y"])
            self.assertTrue(top - 0.01 < r["max.v"] <= top + 1e-9, r)
        code, _, err = self.tool("sweep", "ball.yaml", "--observe", "h=nowhere", "-o", "b.csv")
        self.assertEqual(code, 2)
        self.assertIn("unknown name 'nowhere'", err)

    def test_threads_do_not_matter(self):
        more = ("-p", "omega=22:29:12", "--points", "20", "--skip", "20")
        self.good(*DRIVEN, *more, "-j", "1", "-o", "one.csv")
        self.good(*DRIVEN, *more, "-j", "3", "-o", "three.csv")
        self.assertEqual(self.read("one.csv"), self.read("three.csv"))
        self.assertEqual(len(self.rows("one.csv")), 240)
        self.assertFalse(os.path.exists(self.path("one.csv.part")))

    def mpirun(self, n, *args, options=(), tool=TOOL):
        """Starts n processes; None if there is no MPI"""
        if not shutil.which("mpirun") or not os.path.exists(os.path.join(os.path.dirname(TOOL), "stickslip-mpi.so")):
            self.skipTest("no MPI")
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", *options, "-n", str(n), tool, *args]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end_of(self, process):
        try:
            out, err = process.communicate(timeout=200)
        except subprocess.TimeoutExpired:
            process.terminate()
            self.fail("mpirun does not end")
        if process.returncode != 0 and "stickslip" not in err:
            self.skipTest("mpirun does not start here: " + err[:200])
        return process.returncode, err

    def test_processes_do_not_matter(self):
        more = ("-p", "omega=22:29:12", "--points", "20", "--skip", "20")
        self.good(*DRIVEN, *more, "-o", "one.h5")
        status, err = self.end_of(self.mpirun(4, *DRIVEN, *more, "-o", "four.h5"))
        self.assertEqual(status, 0, err)
        self.assertEqual(self.read("one.h5", "rb"), self.read("four.h5", "rb"))

    # The first process cannot open its file: the others must not wait for ever.
    def test_processes_end_with_the_first(self):
        for more, says in ((("-o", "nowhere/a.csv"), "could not be written"),
                           (("--resume", "-o", "a.csv"), "cannot be")):
            status, err = self.end_of(self.mpirun(3, *DRIVEN, "-p", "omega=24,25", *more))
            self.assertEqual(status, 4, err)
            self.assertIn(says, err)

    # Without the module beside the tool, processes do not find each other: all would write the same file.
    def test_processes_without_mpi_are_refused(self):
        shutil.copy(TOOL, self.path("alone"))
        status, err = self.end_of(self.mpirun(2, *DRIVEN, "-p", "omega=24,25", "-o", "a.csv", tool="./alone"))
        if status == 0:
            self.skipTest("the module is installed")
        self.assertEqual(status, 3, err)
        self.assertIn("stickslip-mpi.so", err)
        self.assertEqual(os.listdir(self.folder), ["alone"])

    # Where mpirun lets the others live, they do the work of one that was killed.
    def test_a_process_may_die(self):
        more = ("-p", "omega=22:29:60", "--points", "50", "--skip", "200")
        self.good(*DRIVEN, *more, "-o", "one.csv")
        process = self.mpirun(3, *DRIVEN, *more, "-o", "three.csv", options=("--enable-recovery",))
        part, end = self.path("three.csv.part"), time.time() + PATIENCE
        while time.time() < end and process.poll() is None and not (os.path.exists(part)
                                                                    and os.path.getsize(part) > 30000):
            time.sleep(0.01)
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    ours = b"OMPI_COMM_WORLD_RANK=1" in f.read().split(b"\0")
                if ours and os.readlink(f"/proc/{name}/cwd") == os.path.realpath(self.folder):
                    os.kill(int(name), signal.SIGKILL)
            except (OSError, ValueError):
                pass
        status, err = self.end_of(process)
        self.assertEqual(status, 0, err)
        self.assertEqual(self.read("one.csv"), self.read("three.csv"))

    def test_killed_and_resumed(self):
        more = ("-p", "omega=22:29:40", "--points", "50", "--skip", "100", "-j", "2")
        self.good(*DRIVEN, *more, "-o", "whole.h5")
        process = self.start(*DRIVEN, *more, "-o", "cut.h5")
        part = self.path("cut.h5.part")
        end = time.time() + PATIENCE
        while time.time() < end and process.poll() is None and not (os.path.exists(part)
                                                                    and os.path.getsize(part) > 30000):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if os.path.exists(part):  # else it was faster than we
            with open(part, "a") as f:
                f.write("22.3,0,1,")  # as if cut in a row
            status, _, err = self.tool(*DRIVEN, "-p", "omega=22:29:41", "--resume", "-o", "cut.h5")
            self.assertEqual(status, 2)
            self.assertIn("another sweep", err)
            status, _, err = self.tool(*DRIVEN, *more, "-o", "cut.h5")
            self.assertEqual(status, 2)
            self.assertIn("--resume", err)  # hours of work are not thrown away for a forgotten option
            self.good(*DRIVEN, *more, "--resume", "-o", "cut.h5")
        self.assertEqual(self.read("whole.h5", "rb"), self.read("cut.h5", "rb"))
        with h5py.File(self.path("cut.h5")) as f:
            self.assertEqual(f["table/omega"].shape, (2000,))

    def test_section_points_of_known_orbits(self):
        self.good(*DRIVEN, "-p", "omega=24,27", "--points", "4", "--skip", "300", "-o", "a.csv")
        one, two = self.rows("a.csv")[:4], self.rows("a.csv")[4:]
        self.assertLess(max(abs(r["x"] - one[0]["x"]) for r in one), 1e-8)
        self.assertLess(max(abs(two[i]["x"] - two[i + 2]["x"]) for i in (0, 1)), 1e-8)
        self.assertGreater(abs(two[0]["x"] - two[1]["x"]), 1e-3)
        self.assertAlmostEqual(one[0]["interval"], 2*math.pi/24, 12)

    def test_event_driven_and_time_stepping_agree(self):
        more = ("-p", "omega=22,24,26", "--points", "1", "--skip", "200")
        self.good(*DRIVEN, *more, "-o", "event.csv")
        for dt in (4e-4, 1e-4):
            self.good(*DRIVEN[:-3], "--integrator", "moreau", "-q", *more, "--dt", str(dt), "-o", "steps.csv")
            for a, b in zip(self.rows("event.csv"), self.rows("steps.csv")):
                self.assertLess(abs(a["x"] - b["x"]), 20*dt)

    def test_continuation_goes_both_ways(self):
        self.good(*DRIVEN, "-p", "omega=26:28:9", "--points", "2", "--skip", "40", "--continue", "both", "-o", "a.csv")
        rows = self.rows("a.csv")
        self.assertEqual([r["omega"] for r in rows if r["direction"] == 1][::2], [26 + 0.25*i for i in range(9)])
        self.assertEqual([r["omega"] for r in rows if r["direction"] == -1][::2], [28 - 0.25*i for i in range(9)])

    def test_ensembles(self):
        self.write("ball.yaml", BALL)
        more = ("sweep", "ball.yaml", "--perturb", "initial.y=0.05", "--perturb", "initial.x'=0.1:normal", "--samples",
                "400", "--until", "0.1", "--dt", "0.01", "-q")
        self.good(*more, "-o", "a.csv")
        self.good(*more, "-j", "1", "-o", "b.csv")
        self.good(*more, "--seed", "2", "-o", "c.csv")
        self.assertEqual(self.read("a.csv"), self.read("b.csv"))
        self.assertNotEqual(self.read("a.csv"), self.read("c.csv"))
        d, n = [r["d_initial.y"] for r in self.rows("a.csv")], [r["d_initial.x'"] for r in self.rows("a.csv")]
        self.assertTrue(all(abs(x) <= 0.05 for x in d))
        self.assertLess(abs(sum(d))/400, 4*0.05/math.sqrt(3*400))
        self.assertLess(abs(math.sqrt(sum(x*x for x in n)/400) - 0.1), 0.02)

    # Event-driven losses are those of time-stepping, whether the energy is observed or not.
    def test_losses_do_not_depend_on_what_else_is_observed(self):
        more = ("sweep", "belt", "-p", "mu_k=0.3,0.35", "--integrator", "event", "-q")
        self.good(*more, "--observe", "loss_friction", "-o", "a.csv")
        self.good(*more, "--observe", "loss_friction,energy", "-o", "b.csv")
        self.good(*more, "--integrator", "moreau", "--dt", "1e-4", "--observe", "loss_friction", "-o", "c.csv")
        for a, b, c in zip(self.rows("a.csv"), self.rows("b.csv"), self.rows("c.csv")):
            self.assertGreater(a["loss_friction"], 1)
            self.assertEqual(a["loss_friction"], b["loss_friction"])
            self.assertLess(abs(a["loss_friction"] - c["loss_friction"]), 1e-3)

    def test_what_is_no_regular_file_stays_what_it_is(self):
        more = ("sweep", "belt", "-p", "mu_k=0.3,0.35", "--until", "0.1", "-q")
        self.good(*more, "-o", "plain.csv")
        os.mkfifo(self.path("pipe"))
        process = self.start(*more, "-o", "pipe")
        through = self.read("pipe")
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        self.assertEqual(through, self.read("plain.csv"))
        for name in ("a.csv", "a.h5"):
            os.symlink("real-" + name, self.path(name))
            for _ in range(2):  # the file is not there, and there
                self.good(*more, "-o", name)
                self.assertTrue(os.path.islink(self.path(name)))
                self.assertTrue(os.path.getsize(self.path("real-" + name)) > 0)
        os.symlink("real-run.h5", self.path("run.h5"))
        self.good("run", "belt", "--until", "0.1", "-q", "-o", "run.h5")
        self.assertTrue(os.path.islink(self.path("run.h5")))
        os.remove(self.path("pipe"))
        os.mkfifo(self.path("pipe.h5"))
        self.bad(4, *more, "-o", "pipe.h5", says="not a regular file")

    def test_reasons_are_told(self):
        status, out, err = self.tool("sweep", "belt", "-p", "mu_k=0.3,-0.4,-0.5,0.9", "--until", "0.1", "-o", "a.csv")
        self.assertEqual(status, 1)
        self.assertIn("failed   3", out)
        self.assertIn("2 of the points failed, the first at mu_k = -0.4: contacts.belt.bound is -4", err)
        self.assertIn("1 of the points failed, the first at mu_k = 0.9", err)
        self.assertEqual(len(self.rows("a.csv")), 4)

    def test_failures_are_rows(self):
        self.write("bad.yaml", "coordinates: [x]\nkinetic: x'^2/2\npotential: a*sqrt(1 - x)\nparameters: {a: 1}\n"
                               "initial: {x': 3}\nrun: {dt: 1e-2, until: 1}\n")
        status, out, _ = self.tool("sweep", "bad.yaml", "-p", "a=0,1", "-o", "a.csv")
        self.assertEqual(status, 1)
        self.assertIn("failed   1", out)
        self.assertEqual([r["status"] for r in self.rows("a.csv")], [0, -1])

    def test_points_that_are_no_model_fail_wherever_they_stand(self):
        self.write("m.yaml", "coordinates: [x]\nkinetic: m*x'^2/2\nparameters: {m: 1}\nrun: {dt: 1e-2, until: 1}\n")
        for values, expected in (("1,-1", [0, -1]), ("-1,1", [-1, 0]), ("-1,0,2,-3", [-1, -1, 0, -1])):
            status, out, err = self.tool("sweep", "m.yaml", "-p", "m=" + values, "-o", "a.csv", "--force")
            self.assertEqual(status, 1, err)
            self.assertEqual([r["status"] for r in self.rows("a.csv")], expected)
        status, out, err = self.tool("sweep", "m.yaml", "-p", "m=-1,-2", "-o", "b.csv")
        self.assertEqual(status, 2)
        self.assertIn("m.yaml:2:10: the mass matrix is not positive definite at the initial state: x' has negative",
                      err)

    def test_one_good_point_is_found_wherever_it_is(self):
        self.write("m.yaml", "coordinates: [x]\nkinetic: m*x'^2/2\nparameters: {m: 1}\nrun: {dt: 0.5, until: 1}\n")
        for good in (0, 150, 299):
            values = ",".join("1" if i == good else "-1" for i in range(300))
            status, out, err = self.tool("sweep", "m.yaml", "-p", "m=" + values, "-o", "a.csv", "--force")
            self.assertEqual(status, 1, err)
            self.assertEqual([i for i, r in enumerate(self.rows("a.csv")) if r["status"] == 0], [good])

    def test_mistakes(self):
        for args, text in ((("-p", "omega"), "PATH=VALUES"), (("-p", "omega=1:2"), "from:to:count"),
                           (("-p", "omega=0:0.1:1"), "steps of 0.1 from 0 to 1 are 0:1:11"),
                           (("-p", "mass=1,2"), "no such parameter"), (("--observe", "z"), "--observe: 'z'"),
                           (("--section", "wall:impact"), "stop:impact"), (("--perturb", "m=a"), "SIZE"),
                           (("--perturb", "nope=1"), "'nope'"), (("--observe", ""), "nothing is named"),
                           (("-p", "omega=1,2", "-p", "omega=3"), "omega is given twice"),
                           (("--perturb", "m=1", "--perturb", "m=2"), "m is given twice"),
                           (("--continue", "up"), "--param"), (("--period", "omega)"), ""),
                           (("--samples", "10"), "--samples 10 needs a --perturb"),
                           (("--period", "0"), "error: --period 0: the period is 0, must be positive"),
                           (("--period", "t"), "error: --period t: the period may not depend on t"),
                           (("-p", "m=1:2:999999", "-p", "e=0:1:999999", "-p", "omega=1:2:999999"), "points")):
            status, _, err = self.tool("sweep", "impact-oscillator", *args, "-o", "a.csv")
            self.assertEqual(status, 2, args)
            self.assertIn(text, err)
        self.assertEqual(self.tool("sweep", "impact-oscillator")[0], 2)
        self.bad(2, "sweep", "impact-oscillator", "-o", "a.txt", says=".csv")
        self.bad(2, "sweep", "belt", "--section", "belt:impact", "-o", "a.csv", says="never comes")
        self.bad(2, "sweep", "belt", "--observe", "max.x", "--after", "9", "-o", "a.csv", says="the run ends at 3 s")

    def test_diagrams(self):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        self.good(*DRIVEN, "-p", "omega=24:28:5", "-p", "e=0.6,0.8", "--points", "8", "--skip", "20", "-o", "a.h5")
        for kind, more in (("points", ("--x", "omega", "--y", "x", "--colour", "e")),
                           ("map", ("--x", "omega", "--y", "e", "--colour", "x")),
                           ("fan", ("--x", "omega", "--y", "x")), ("histogram", ("--y", "u_x"))):
            self.good("diagram", "a.h5", "--kind", kind, *more, "-o", kind + ".png")
            self.assertTrue(self.read(kind + ".png", "rb").startswith(b"\x89PNG"))
        self.write("holes.csv", "a,b,c\n0,0,1\n0,1,nan\n1,0,2\n1,1,3\n")
        self.good("diagram", "holes.csv", "--kind", "map", "--x", "a", "--y", "b", "--colour", "c", "-o", "holes.png")
        self.write("two.csv", "a,b,way,x\n1,1,-1,0.5\n2,2,1,1\n3,1,-1,2\n")
        for column, few in (("way", True), ("x", False)):  # a column of two values has two colours
            self.good("diagram", "two.csv", "--x", "a", "--y", "b", "--colour", column, "-o", "a.png",
                      "--script", "a.gp")
            self.assertEqual("title '−1'" in self.read("a.gp"), few)
            self.good("diagram", "two.csv", "--kind", "map", "--x", "a", "--y", "b", "--colour", column, "-o", "a.png",
                      "--script", "a.gp")
            self.assertEqual("set palette maxcolors 2 defined" in self.read("a.gp"), few)

    # What differs by round-off alone has no range of its own
    def test_columns_that_are_constant_but_for_round_off(self):
        self.write("flat.csv", "p,x\n1,-15.714285714285708\n2,-15.714285714285706\n")
        self.good("diagram", "flat.csv", "-o", "flat.svg")
        self.write("steep.csv", "p,x\n-15.714285714285708,1\n-15.714285714285706,2\n")
        self.good("diagram", "steep.csv", "-o", "steep.svg")

    # Nobody waits for a pipe that has no other end
    def test_pipes(self):
        os.mkfifo(self.path("in.csv"))
        os.mkfifo(self.path("out.svg"))
        self.bad(4, "diagram", "in.csv", "-o", "x.svg", says="a pipe that nobody writes to")
        self.write("flat.csv", "p,x\n1,1\n2,3\n")
        self.bad(4, "diagram", "flat.csv", "-o", "out.svg", says="cannot be written")
        pipe = os.open(self.path("in.csv"), os.O_RDWR)  # a writer that is there, however busy the machine is
        os.write(pipe, self.read("flat.csv", "rb"))
        reader = self.start("diagram", "in.csv", "-o", "x.svg")
        self.wait_until(reader, lambda: not select.select([pipe], [], [], 0)[0])
        os.close(pipe)
        _, err = reader.communicate(timeout=PATIENCE)
        self.assertEqual((reader.returncode, err), (0, ""))

    def test_labels_of_diagrams(self):
        """Symbols for names, units of the model, names for directions, points that the frame does not cut."""
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        self.write("a.csv", "mu,direction,u_phi_M,initial.y,initial.phi_M',max.t\n" +
                   "".join(f"{i},{1 - 2*(i % 2)},{-i},{i},{i},{i}\n" for i in range(8)))
        for x, y, says in (("mu", "u_phi_M", ("xlabel 'μ'", "ylabel 'dφ_{M}/dt [rad/s]'", "xrange [-0.21:7.21]")),
                           ("initial.y", "initial.phi_M'", ("xlabel 'y, initial [m]'",
                                                             "ylabel 'dφ_{M}/dt, initial [rad/s]'")),
                           ("mu", "max.t", ("ylabel 't, max [s]'", "set minussign"))):
            self.good("diagram", "a.csv", "--x", x, "--y", y, "--colour", "direction", "--model", "woodpecker", "-o",
                      "a.svg", "--script", "a.gp", "--size", "85x60mm")
            for text in (*says, "title 'up'", "title 'down'"):
                self.assertIn(text, self.read("a.gp"))
        self.write("d.csv", "d_mu,d_theta0,impact.tip\n0,1,0\n1,2,1\n")
        self.good("diagram", "d.csv", "--x", "d_mu", "--y", "d_theta0", "--colour", "impact.tip", "--script", "d.gp")
        for line in ("set xlabel 'Δμ'", "set ylabel 'Δθ_{0}'", "set key title 'tip, impact'"):
            self.assertIn(line, self.read("d.gp"))
        self.good("diagram", "a.csv", "--x", "mu", "--y", "u_phi_M", "--x-label", "it's a_b", "--script", "a.gp")
        self.assertIn("xlabel 'it''s a\\_b'", self.read("a.gp"))

    def test_tables_without_anything_to_draw(self):
        for text in ("a,b\n", "a,b\nnan,nan\n"):
            self.write("none.csv", text)
            self.bad(2, "diagram", "none.csv", "-o", "a.png", says="no row with numbers")
        os.mkdir(self.path("folder"))
        self.bad(4, "diagram", "folder", "-o", "a.png", says="is a directory")

    def test_unknown_columns(self):
        self.write("a.csv", "omega,x\n1,2\n2,3\n")
        status, _, err = self.tool("diagram", "a.csv", "--x", "omegas", "-o", "a.png")
        self.assertEqual(status, 2)
        self.assertIn("did you mean 'omega'?", err)


main()

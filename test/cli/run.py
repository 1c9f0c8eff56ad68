# `stickslip run`: what it writes and what it says.
import csv
import json
import math
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, PATIENCE, TOOL, ToolTest, main, some

import h5py


class Run(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)

    def rows(self, name):
        with open(self.path(name)) as f:
            return list(csv.DictReader(f))

    def test_summary(self):
        out = self.good("run", "ball.yaml")
        for word in ("my ball: moreau, dt = 0.001 s", "500 in", " impact, ", " detach, ", " stick, ", " slip\n",
                     "residual", "penetration", "defect", "state        at t = 0.5 s", "y'", "m/s"):
            self.assertIn(word, out)
        self.assertNotIn("files", out)
        self.assertEqual(os.listdir(self.folder), ["ball.yaml"])
        self.assertEqual(self.good("run", "ball.yaml", "--quiet"), "")

    def test_json_is_one_object_that_matches_the_files(self):
        text = self.good("run", "ball.yaml", "--json", "-o", "run.h5", "--csv", "run.csv", "--events", "ev.csv",
                         "--set", "e=0.25", "--project", "on")
        run = json.loads(text)
        self.assertEqual(run["model"], "my ball")
        self.assertEqual(run["status"], "complete")
        self.assertEqual(run["settings"]["set"], {"e": "0.25"})
        self.assertEqual(run["settings"]["project"], "on")
        self.assertEqual(run["files"], {"record": "run.h5", "csv": "run.csv", "events": "ev.csv"})
        rows = self.rows("run.csv")
        self.assertEqual(list(rows[0]), ["t", "x", "y", "u_x", "u_y"])
        self.assertEqual(len(rows), 501)  # the initial state, too
        last = {k: float(v) for k, v in rows[-1].items()}
        state = run["state"]
        self.assertEqual(last, {"t": state["t"], "x": state["q"]["x"], "y": state["q"]["y"],
                                "u_x": state["u"]["x"], "u_y": state["u"]["y"]})
        events = self.rows("ev.csv")
        self.assertEqual(len(events), run["counts"]["events"]["total"])
        for kind in ("impact", "detach", "stick", "slip"):
            self.assertEqual(sum(e["kind"] == kind for e in events), run["counts"]["events"][kind])
        self.assertGreaterEqual(run["counts"]["events"]["impact"], 2)
        with h5py.File(self.path("run.h5"), "r") as f:
            self.assertGreater(len(f.keys()), 0)

    def test_energy_balance_closes(self):
        e = self.json("run", "ball.yaml", "--json")["energy"]
        balance = (e["kinetic"] + e["potential"] - e["start"]) - (
            e["work_forces"] + e["work_drive"] - e["loss_normal"] - e["loss_friction"] + e["work_projection"]
            + e["defect"])
        self.assertAlmostEqual(e["start"], 9.81*0.1 + 0.5*0.5**2, places=12)
        self.assertLess(abs(balance), 1e-12)
        self.assertGreater(e["loss_normal"], 0)
        self.assertGreater(e["loss_friction"], 0)
        self.assertIsNone(self.json("run", "ball.yaml", "--json", "--no-energy")["energy"])

    def test_free_fall_is_exact(self):
        # y = h - g t^2/2 holds to round-off: the midpoint rule is exact for constant acceleration
        state = self.json("run", "ball.yaml", "--json", "--until", "0.1")["state"]
        self.assertAlmostEqual(state["q"]["y"], 0.1 - 9.81*0.1**2/2, places=13)
        self.assertAlmostEqual(state["u"]["y"], -9.81*0.1, places=13)

    def test_every_keeps_first_and_last(self):
        self.good("run", "ball.yaml", "-q", "--csv", "all.csv", "--until", "0.05")
        self.good("run", "ball.yaml", "-q", "--csv", "some.csv", "--until", "0.05", "--every", "20")
        every, some = self.rows("all.csv"), self.rows("some.csv")
        self.assertEqual(some, [every[i] for i in (0, 20, 40, 50)])

    def test_settings_of_the_model_and_of_the_command_line(self):
        s = self.json("run", "ball.yaml", "--json")["settings"]
        self.assertEqual((s["dt"], s["until"], s["integrator"]), (1e-3, 0.5, "moreau"))
        s = self.json("run", "ball.yaml", "--json", "--set", "run.dt=2e-3")["settings"]
        self.assertEqual(s["dt"], 2e-3)
        s = self.json("run", "ball.yaml", "--json", "--set", "run.dt=2e-3", "--dt", "5e-4", "--integrator", "euler")
        self.assertEqual((s["settings"]["dt"], s["settings"]["integrator"]), (5e-4, "euler"))
        self.assertEqual(s["settings"]["impact"], "newton")
        s = self.json("run", "ball.yaml", "--json", "--impact", "poisson")
        self.assertEqual(s["settings"]["impact"], "poisson")

    def test_end_time_that_is_no_multiple_of_dt(self):
        status, out, err = self.tool("run", "ball.yaml", "--json", "--dt", "3e-3", "--until", "0.1")
        self.assertEqual(status, 0)
        self.assertIn("the run ends at t = 0.099 s", err)
        self.assertEqual(json.loads(out)["state"]["t"], 33*3e-3)

    def test_csv_on_stdout(self):
        self.good("run", "ball.yaml", "-q", "--csv", "run.csv")
        self.assertEqual(self.good("run", "ball.yaml", "--csv", "-"), self.read("run.csv"))

    def test_a_model_is_not_overwritten(self):
        os.link(self.path("ball.yaml"), self.path("same.yaml"))
        for line in (["-o", "ball.yaml"], ["--csv", "ball.yaml"], ["--events", "same.yaml"]):
            self.bad(2, "run", "ball.yaml", *line, says="the same file")
        self.bad(2, "run", "ball.yaml", "--csv", "x", "--events", "x", says="the same file")
        self.assertEqual(self.read("ball.yaml"), BALL)
        self.good("run", "ball.yaml", "-q", "-o", "run.h5")
        self.bad(2, "run", "ball.yaml", "--csv", "run.h5", says="would replace an HDF5 file")
        self.bad(2, "run", "ball.yaml", "--events", "run.h5", says="would replace an HDF5 file")
        self.good("events", "run.h5")

    def test_files_that_would_be_the_same_are_refused(self):
        # none of them exists yet, so that only the paths can tell
        os.mkdir(self.path("sub"))
        os.symlink("sub", self.path("alias"))
        os.symlink("y.h5", self.path("link.h5"))
        os.symlink("loop", self.path("loop"))
        lines = [["-o", "y.h5", "--csv", "./y.h5"], ["--csv", "y.csv", "--events", self.path("y.csv")],
                 ["-o", "sub/y.h5", "--events", "alias/../sub/.//y.h5"], ["-o", "alias/y.h5", "--csv", "sub/y.h5"],
                 ["-o", "y.h5", "--csv", "link.h5"]]
        for line in lines:
            with self.subTest(line=line):
                self.bad(2, "run", "ball.yaml", *line, says="the same file")
        self.assertEqual(sorted(os.listdir(self.folder)), ["alias", "ball.yaml", "link.h5", "loop", "sub"])
        self.bad(4, "run", "ball.yaml", "--csv", "loop", "--events", "y.csv", says="loop")
        self.good("run", "ball.yaml", "-q", "--csv", "y", "--events", "sub/y")
        self.bad(2, "run", "ball.yaml", "-o", "-", says="a run file cannot be standard output")
        self.assertFalse(os.path.exists(self.path("-")))

    def test_the_first_row_has_the_gaps_of_the_initial_state(self):
        self.good("run", "ball.yaml", "-q", "-o", "run.h5", "--until", "0.01")
        with h5py.File(self.path("run.h5"), "r") as f:
            self.assertEqual(f["gap"][0, 0], 0.1)
            self.assertAlmostEqual(f["gap"][1, 0], 0.1, delta=1e-4)

    def test_a_poor_energy_balance_is_warned_of(self):
        # semi-implicit Euler: the energy of an oscillator swings by omega dt/2 of itself, with omega dt = 1 too much
        spring = "name: s\ncoordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\ninitial: {x: 1}\n"
        self.write("spring.yaml", spring)
        line = ["run", "spring.yaml", "-q", "--integrator", "euler", "--until", "0.2", "--dt"]
        status, _, err = self.tool(*line, "0.1")
        self.assertEqual(status, 1)
        self.assertRegex(err, r"error: the integrator's energy error, [\d.e+]+ J, is [\d.]+ % of the energy at hand")
        status, _, err = self.tool(*line, "0.01")
        self.assertEqual(status, 0)
        self.assertRegex(err, r"warning: the integrator's energy error is [\d.]+ % of the energies involved; try")
        self.good(*line, "1e-4")
        self.good(*line, "0.1", "--no-energy")
        # T + V = 0: kinetic energy is what the error is compared with
        self.write("zero.yaml", spring.replace("50*x^2", "50*x^2 - 50"))
        self.good("run", "zero.yaml", "-q", "--until", "0.3", "--dt", "1e-4")

    # A step so long that the oscillation grows: the error is all of the energy there is
    def test_percentages_are_written_out(self):
        self.write("thrown.yaml", "coordinates: {x: m}\nkinetic: x'^2/2\npotential: 1e3*x^2\ninitial: {x: 1}\n")
        status, _, err = self.tool("run", "thrown.yaml", "-q", "--dt", "0.1", "--until", "2")
        self.assertEqual(status, 1)
        self.assertIn("is 100 % of the energy at hand", err)

    # Models of the catalogue whose own run is by events can be stepped at their own dt
    def test_springs_of_the_catalogue_by_all_integrators(self):
        for integrator in ("moreau", "euler", "jean", "event"):
            out = json.loads(self.good("run", "three-masses-springs", "--integrator", integrator, "--json"))
            for name, speed in (("x1", -0.1303), ("x2", 0.1502), ("x3", 0.98)):
                self.assertAlmostEqual(out["state"]["u"][name], speed, 2)

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for option in ("--csv", "--events"):
            self.bad(4, "run", "ball.yaml", option, "/dev/full", says="/dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([TOOL, "run", self.path("ball.yaml")], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("standard output could not be written", done.stderr)

    def test_file_that_cannot_grow(self):
        # as on a full disk: what was written stays readable, the tool says so and ends with status 4
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000000, 4000000))

        self.bad(4, "run", "ball.yaml", "--until", "1000", "--csv", "run.csv", says="run.csv", preexec_fn=limit)
        self.good("run", "ball.yaml", "--until", "1", "-q", "-o", "run.h5")
        self.bad(4, "run", "--resume", "run.h5", "--until", "1000", says="run.h5", preexec_fn=limit)
        t = [float(row["t"]) for row in self.rows("run.csv")[:-1]]
        self.assertGreater(len(t), 1000)
        self.good("events", "run.h5")
        safe = json.loads(self.tool("run", "--resume", "run.h5", "--until", "0.1", "--json")[1])["state"]["step"]
        self.assertGreaterEqual(safe, 1000)
        end = repr((safe + 1000)*1e-3)
        self.good("run", "--resume", "run.h5", "--until", end, "-q", "--csv", "resumed.csv")
        self.good("run", "ball.yaml", "--until", end, "-q", "--csv", "whole.csv")
        self.assertEqual(self.read("resumed.csv"), self.read("whole.csv"))

    def test_closed_stdout(self):
        # the summary must not end up in the first file that is opened
        done = subprocess.run(f"'{TOOL}' run ball.yaml -o run.h5 --csv run.csv >&-", shell=True, cwd=self.folder,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("standard output could not be written", done.stderr)
        self.assertEqual(len(self.rows("run.csv")), 501)
        self.good("events", "run.h5")

    def test_reader_that_goes_away(self):
        # `stickslip run ... --csv - | head -1`: status 4, not a word, no signal
        p = self.start("run", "ball.yaml", "--dt", "1e-5", "--csv", "-")
        p.stdout.readline()
        p.stdout.close()
        self.assertEqual(p.stderr.read(), "")
        p.stderr.close()
        self.assertEqual(p.wait(PATIENCE), 4)

    def test_failing_step_keeps_the_record(self):
        # the force is not a number after t = 0.2
        self.write("bad.yaml", BALL + "forces: {x: sqrt(0.2 - t)}\n")
        status, out, err = self.tool("run", "bad.yaml", "-o", "run.h5")
        self.assertEqual(status, 3, err)
        self.assertRegex(err, r"step \d+, from t = 0\.\d+ s, failed: ")
        self.assertRegex(err, r"run.h5 holds the run up to t = 0\.\d+ s")
        self.assertIn("failed", out)
        with h5py.File(self.path("run.h5"), "r") as f:
            self.assertGreater(len(f.keys()), 0)
        events = json.loads(self.good("events", "run.h5", "--json"))
        self.assertTrue(events["status"].startswith("failed"))

    def test_a_restitution_gives_back_its_part(self):
        # one impact: the speed after it is e times the speed before it
        self.good("run", "ball.yaml", "-q", "-o", "run.h5", "--until", "0.2")
        event = self.json("events", "run.h5", "--json", "--kind", "impact")["events"][0]
        self.assertAlmostEqual(event["gamma_after"][0], -0.5*event["gamma_before"][0], delta=1.5*9.81e-3)
        self.assertAlmostEqual(-event["gamma_before"][0], math.sqrt(2*9.81*0.1), delta=9.81e-3)

    # A box that falls in large steps: what is deep is told, and what helps
    def test_deep_overlaps_are_told(self):
        self.write("box.xml", """<mujoco><option timestep="1e-2"/><worldbody><geom type="plane" size="0 0 1"/>
          <body pos="0 0 2"><freejoint/><geom type="box" size=".3 .2 .1"/></body></worldbody>
          <stickslip until="1"/></mujoco>""")
        status, out, err = self.tool("run", "box.xml", "--json", "--project", "off")
        depth = json.loads(out)["counts"]["max_penetration"]
        self.assertGreater(depth, 0.01*0.2)
        self.assertEqual(status, 0)
        self.assertIn(f"{depth:.3g} m, is {100*depth/0.2:.2g} % of the thickness of the thinnest body", err)
        self.assertIn("--project auto", err)
        # moreau tests half a step ahead: what meets the floor in the second half of a step is noticed in the next one,
        # v dt/2 deep at most in the row between; at 1e-2 s it is not, and a thousandth of half the thickness stays
        speed = math.sqrt(2*9.81*1.9)
        for dt, most in ((1e-2, 1.01e-4), (0.9e-2, 0.9e-2*speed/2), (1.1e-2, 1.1e-2*speed/2)):
            status, out, err = self.tool("run", "box.xml", "--json", "--dt", str(dt))
            self.assertEqual(status, 0)
            self.assertLess(json.loads(out)["counts"]["max_penetration"], most)

    # Overlap of text models that is large beside all ways is told: a ball of 1e-6 kg that flies to and fro between two
    # others faster than steps can follow, a bead that time steps drive out of its ring. A bounce found late is none.
    def test_deep_overlap_of_text_models_is_told(self):
        self.write("chain.yaml", """coordinates: [x, y, z]
kinetic: x'^2/2 + 1e-6/2*y'^2 + z'^2/2
contacts: {p: {gap: y - x - 1, eps_n: 1}, q: {gap: z - y - 1, eps_n: 1}}
initial: {x: -1, y: 0.5, z: 1.5, x': 1}
run: {until: 2, dt: 1e-3}
""")
        self.write("ring.yaml", """coordinates: [x, y]
kinetic: (x'^2 + y'^2)/2
contacts: {ring: {gap: "1 - hypot(x, y)"}}
initial: {x: 1, y': 5}
run: {until: 4, dt: 1e-3}
""")
        self.write("ball.yaml", """coordinates: [x, y]
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
contacts: {floor: {gap: y, eps_n: 0.9, slide: x', mu: 0.1}}
initial: {y: 1}
run: {until: 10, dt: 1e-2}
""")
        self.write("held.yaml", """coordinates: [x, y]
kinetic: (x'^2 + y'^2)/2
forces: {x: 3*sin(3*t), y: -9.1}
contacts:
  l: {gap: 0.56*x + 0.83*y, slide: 0.56*y' - 0.83*x', mu: 0.87}
  r: {gap: 0.83*y - 0.56*x, slide: 0.83*x' + 0.56*y', mu: 0.87}
run: {until: 1}
""")  # all of its motion is round-off
        cases = [("held.yaml", i, None) for i in ("moreau", "jean", "euler")]
        cases += [("chain.yaml", "euler", "hits again and again"), ("chain.yaml", "moreau", None),
                 ("chain.yaml", "event", None), ("ball.yaml", "moreau", None), ("ball.yaml", "jean", None),
                 ("ball.yaml", "euler", None)]
        cases += [("ring.yaml", i, "sinks step by step") for i in ("moreau", "jean", "euler")]
        for model, integrator, why in cases:
            status, _, err = self.tool("run", model, "--integrator", integrator, "-o", "deep.h5")
            self.assertEqual((model, integrator, status, "overlaps by" in err), (model, integrator, 0, why is not None))
            self.assertIn(why or "", err)
            os.remove(self.path("deep.h5"))
        _, _, err = self.tool("run", "ring.yaml", "--project", "on")
        self.assertNotIn("overlaps by", err)

    # A ball at 10 m/s is noticed when it is in the floor: what the rows show is what is told
    def test_penetration_is_that_of_the_rows(self):
        for speed in some((10, 3.3, 0.7)):
            for height in some((0.119, 0.1163, 0.11501)):
                self.write("pen.xml", f"""<mujoco><option timestep="1e-3" gravity="0 0 0"/><worldbody>
                  <geom type="plane" size="0 0 1"/><body><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
                  </worldbody><keyframe><key name="k" qpos="0 0 {height} 1 0 0 0" qvel="0 0 {-speed} 0 0 0"/></keyframe>
                  <stickslip until="0.05" key="k"/></mujoco>""")
                for integrator in ("moreau", "jean", "euler"):
                    for project in ("auto", "on", "off"):
                        status, out, err = self.tool("run", "pen.xml", "--json", "--integrator", integrator,
                                                     "--project", project, "-o", "pen.h5")
                        self.assertEqual((status, "the deepest overlap" in err), (0, project == "off" and bool(err)))
                        with h5py.File(self.path("pen.h5"), "r") as f:
                            depth = max(0, (0.1 - f["q"][:, 2]).max())
                            told = f["counts/max_penetration"][-1]
                        self.assertEqual(told, json.loads(out)["counts"]["max_penetration"])
                        self.assertGreaterEqual(told, depth*(1 - 1e-5))
                        if project == "on" or integrator == "euler":
                            self.assertLessEqual(told, max(depth, 1e-12)*(1 + 1e-5))

    # Limits of hinges are passed by angles
    def test_limits_of_joints_are_told_in_rad(self):
        self.write("limit.xml", """<mujoco><compiler angle="radian"/><option timestep="1e-3"/><worldbody><body>
          <joint axis="0 1 0" limited="true" range="-1 1"/><geom type="sphere" size="0.1" pos="1 0 0" mass="1"/></body>
          </worldbody><stickslip until="1" project="false"/></mujoco>""")
        out = self.good("run", "limit.xml", "--json")
        counts = json.loads(out)["counts"]
        self.assertEqual(counts["max_penetration"], 0)
        self.assertGreater(counts["max_limit_error"], 1e-5)
        self.assertIn("limits of joints passed by at most", self.good("run", "limit.xml"))

    # Poisson's law has no tangential restitution in space
    def test_poisson_refuses_tangential_restitution_in_space(self):
        self.write("super.xml", """<mujoco><option timestep="1e-3"/><worldbody>
          <geom name="floor" type="plane" size="0 0 1"/><body pos="0 0 .2">
          <freejoint/><geom name="ball" type="sphere" size="0.1" restitution="0.8"
          restitution-tangential="0.5"/></body></worldbody><stickslip until="0.5"/></mujoco>""")
        for integrator in ("moreau", "event"):
            self.good("run", "super.xml", "-q", "--integrator", integrator)
            status, _, err = self.tool("run", "super.xml", "-q", "--integrator", integrator, "--impact", "poisson")
            self.assertEqual(status, 3)
            self.assertIn("tangential restitution", err)
            self.assertIn("ball", err)

    # An energy error is told and is the exit status, though every step met its tolerance; the record is kept
    def test_an_energy_error_is_the_exit_status(self):
        self.write("stiff.yaml", """name: stiff
coordinates: {x: m}
kinetic: x'^2/2
potential: 5e5*x^2/2
initial: {x: 0.1}
run: {until: 0.1, dt: 2.9e-3}
""")
        status, out, err = self.tool("run", "stiff.yaml", "--json", "-o", "stiff.h5")
        self.assertEqual(status, 1, err)
        self.assertIn("of the energy at hand", err)
        self.assertGreater(abs(json.loads(out)["energy"]["defect"]), 0.1*json.loads(out)["energy"]["at_hand"])
        self.assertIn("NOT PASSED", self.tool("verify", "stiff.h5")[1])
        status, _, err = self.tool("run", "stiff.yaml", "-q", "--dt", "1e-5")
        self.assertEqual((status, err), (0, ""))

    # A mechanism that folds flat: the event-driven run ends by name, with its energy; what projection takes is told
    def test_flat_positions_of_mechanisms_are_told(self):
        self.write("flat.yaml", '''name: flat
coordinates: {a: rad, b: rad, c: rad}
definitions: {xc: "cos(a) + cos(c)", yc: "sin(a) + sin(c)"}
kinetic: (a'^2 + b'^2 + c'^2)/6 + (xc'^2 + yc'^2)/2
constraints:
  cx: cos(a) + 2*cos(c) - 2 - cos(b)
  cy: sin(a) + 2*sin(c) - sin(b)
initial: {a: 3, b: 3, a': 1, b': 1}
run: {until: 20, dt: 1e-3}
''')
        status, out, err = self.tool("run", "flat.yaml", "--integrator", "event", "--json")
        self.assertEqual(status, 3, err)
        self.assertRegex(err, r"singular position of the constraints 'cx', 'cy' at t = 0\.14159")
        self.assertLess(abs(json.loads(out)["energy"]["defect"]), 1e-9)
        status, out, err = self.tool("run", "flat.yaml", "--integrator", "jean", "--json")
        energy = json.loads(out)["energy"]
        told = "projection onto the constraints has" in err
        self.assertEqual(told, abs(energy["work_projection"]) > 0.01*energy["at_hand"], err)
        # velocities that do not fit at the start
        status, _, err = self.tool("run", "flat.yaml", "-q", "--until", "0.1", "--set", "initial.b'=0")
        self.assertRegex(err, r"projection onto the constraints has taken [\d.]+ J, [\d.]+ % of the energy at hand")
        self.good("run", "flat.yaml", "-q", "--until", "0.1")

    # ... as a part of what a body is thick, not long
    def test_deep_overlaps_of_long_bodies_are_told(self):
        for shape, size in (("cylinder", ".02 1"), ("capsule", ".02 1"), ("box", ".02 1 1"), ("ellipsoid", "1 1 .02"),
                            ("cylinder", "1 .02"), ("sphere", ".02")):
            turn = "0 90 0" if size.startswith(".") else "0 0 0"
            self.write("long.xml", f'''<mujoco><option timestep="1e-2"/><worldbody><geom type="plane" size="0 0 1"/>
              <body pos="0 0 .1" euler="{turn}"><freejoint/><geom type="{shape}" size="{size}"/></body></worldbody>
              <stickslip until=".3"/></mujoco>''')
            status, out, err = self.tool("run", "long.xml", "--json", "--project", "off")
            depth = json.loads(out)["counts"]["max_penetration"]
            self.assertGreater(depth, 0.01*0.04)
            self.assertLess(depth, 0.01*2)
            self.assertIn(f"{depth:.3g} m, is {100*depth/0.04:.2g} % of the thickness of the thinnest body", err)

    # Velocities alone would let it sink by 2 cm
    def test_a_rocking_ellipsoid_does_not_sink(self):
        self.write("egg.xml", """<mujoco><option timestep="2e-3"/><worldbody><geom type="plane" size="0 0 1"/>
          <body pos="0 0 .25" euler="20 30 10"><freejoint/><geom type="ellipsoid" size=".3 .2 .1"/></body></worldbody>
          <stickslip until="5"/></mujoco>""")
        out = self.works("run", "egg.xml", "--json", "-o", "egg.h5")  # which warns of what that gives it
        self.assertLess(json.loads(out)["counts"]["max_penetration"], 0.005*0.6)
        self.good("verify", "egg.h5")


if __name__ == "__main__":
    main()

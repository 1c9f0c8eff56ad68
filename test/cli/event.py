# `stickslip run --integrator event`: rows at events, event table, going on, options.
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, TOOL, ToolTest, main, some

import h5py
import numpy as np


class Event(ToolTest):
    def run_event(self, name, *more):
        self.works("run", "woodpecker", "-q", "--integrator", "event", "--dt", "0.01", "-o", name, *more)
        return h5py.File(self.path(name), "r")

    def test_rows(self):
        """Rows at the multiples of dt and after every event; the energy balance closes in each."""
        with self.run_event("run.h5", "--until", "0.5") as f:
            t, events = f["t"][:], f["events"][:]
            grid = np.arange(51)*0.01
            self.assertTrue(np.all(np.diff(t) >= 0))
            self.assertEqual(sorted(set(np.round(t, 9)) - set(np.round(events["t"], 9))),
                             sorted(set(np.round(grid, 9)) - set(np.round(events["t"], 9))))
            self.assertTrue(set(events["t"]) <= set(t))
            self.assertLess(np.max(np.abs(f["energy/defect"][:])), 1e-9*np.max(f["energy/kinetic"][:]))
            self.assertEqual(f["settings"].attrs["event_rtol"], 1e-10)

    def test_before_and_after(self):
        """Every event has a row just before it and one after it: positions stay, velocities and states jump; impulses
        of the rows add up to those of the events, and forces are those of the contact laws."""
        with self.run_event("run.h5", "--until", "0.5") as f:
            events, side, t, q, u = f["events"][:], f["side"][:], f["t"][:], f["q"][:], f["u"][:]
            state, Lambda, force = f["state"][:], f["Lambda"][:], f["force"][:]
            after = np.flatnonzero(side > 0)
            self.assertEqual(list(np.flatnonzero(side < 0) + 1), list(after))
            self.assertEqual(list(t[after]), list(t[after - 1]))
            self.assertEqual(sorted(set(t[after])), sorted(set(events["t"])))
            self.assertLess(np.max(np.abs(q[after] - q[after - 1])), 1e-12)
            self.assertGreater(np.max(np.abs(u[after] - u[after - 1])), 1)
            for e in events:
                row = after[t[after] == e["t"]][0]
                self.assertEqual((state[row - 1, e["contact"]], state[row, e["contact"]]),
                                 (e["state_before"], e["state"]))
                self.assertEqual(list(Lambda[row, e["contact"]]), [e["Lambda_N"], e["Lambda_T"]])
                kinetic = f["energy/kinetic"][row - 1] + f["energy/potential"][row - 1]
                self.assertAlmostEqual(kinetic, e["energy_before"], delta=1e-12)
            slides = state == 3
            self.assertGreater(np.sum(slides), 10)
            self.assertLess(np.max(np.abs(force[..., 1] - 0.3*force[..., 0])[slides]), 1e-12)
            self.assertTrue(np.all(force[..., 0] > -1e-12) and np.all(force[state == 0] == 0))
            passed = np.diff(t)
            smooth = (passed > 1e-3) & (side[1:] <= 0) & (state[1:, 1] == 1)
            mean = Lambda[1:, 1, 0][smooth]/passed[smooth]  # of what changes little in a step
            self.assertLess(np.max(np.abs(mean - (force[1:, 1, 0] + force[:-1, 1, 0])[smooth]/2)), 0.02)

    def test_goes_on_from_before_an_event(self):
        """A run that was cut off between the two rows of an event goes on bit for bit."""
        self.run_event("whole.h5", "--until", "0.3").close()
        with h5py.File(self.path("whole.h5"), "r") as f:
            row = int(np.flatnonzero(f["side"][:] < 0)[5])
            n = len(f["t"])
        with h5py.File(self.path("whole.h5"), "r") as a, h5py.File(self.path("cut.h5"), "w") as b:
            for name, value in a.attrs.items():
                b.attrs[name] = value
            for name in a:
                a.copy(name, b)
            b.visititems(lambda _, d: d.resize(row + 1, 0) if hasattr(d, "shape") and d.shape[0] == n else None)
        self.works("run", "--resume", "cut.h5", "-q")
        with h5py.File(self.path("whole.h5"), "r") as a, h5py.File(self.path("cut.h5"), "r") as b:
            for name in ("t", "q", "u", "side", "state", "Lambda", "force", "energy/defect", "counts/steps", "events"):
                self.assertEqual(a[name][()].tobytes(), b[name][()].tobytes(), name)

    def test_table(self):
        self.run_event("run.h5", "--until", "0.5").close()
        out = self.works("events", "run.h5")
        for word in ("open -> slip+", "slip- -> stick", "stick -> slip-", "N comp.", "N exp."):
            self.assertIn(word, out)
        for e in json.loads(self.works("events", "run.h5", "--json"))["events"]:
            self.assertIn("state_before", e)
            self.assertIsNone(e["solutions"])
        rows = list(csv.DictReader(self.works("events", "run.h5", "--csv").splitlines()))
        self.assertEqual(rows[0]["state_before"], "slip-")

    def test_a_box_that_stops_rests_on_all_its_corners(self):
        # a ball that spins pushes it; all corners come to rest together, and at rest nothing braces itself by friction
        for unit in some((1000, 1)):
            self.write("box.xml", f"""<mujoco><option timestep="1e-3" gravity="0 0 {-9.81*unit}"/><default>
              <geom friction=".4" restitution=".3"/></default><worldbody><geom name="floor" type="plane" size="0 0 1"/>
              <body name="ball" pos="{.3*unit} 0 {.1*unit}"><freejoint/>
                <geom type="sphere" size="{.1*unit}" mass="1"/></body>
              <body name="box" pos="{-.2*unit} 0 {.15*unit}"><freejoint/>
              <geom name="box" type="box" size="{.2*unit} {.1*unit} {.15*unit}" mass="2"/></body></worldbody>
              <keyframe><key name="k" qpos="{.3*unit} 0 {.1*unit} 1 0 0 0 {-.2*unit} 0 {.15*unit} 1 0 0 0"
              qvel="{-unit} 0 0 3 5 2 0 {.2*unit} 0 0 0 1"/></keyframe><stickslip key="k" until="0.5"/></mujoco>""")
            status, _, err = self.tool("run", "box.xml", "--integrator", "event", "-q", "-o", "box.h5")
            self.assertEqual(status, 0, err)  # it may tell of choices
            row = json.loads(self.works("forces", "box.h5", "--at", "0.47", "--json"))["rows"][0]
            corners = [c for c in row["contacts"] if c["contact"].startswith("box - floor")]
            self.assertEqual([c["state"] for c in corners], 4*["stick"])
            for c in corners:
                self.assertAlmostEqual(c["F"][0], 2*9.81*unit/4, delta=1e-9*unit)
                self.assertLess(max(map(abs, c["F"][1:])), 1e-9*unit)
            self.works("verify", "box.h5")

    BOX = "{polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], mass: 1, mu: 0.1, "
    PLATE = "{polygon: [[-5, -0.1], [5, -0.1], [5, 0], [-5, 0]], mu: 0.1, "

    def final(self, text, *args):
        self.write("model.yaml", text)
        run = self.json("run", "model.yaml", *args, "-o", "model.h5", "--json")
        self.works("verify", "model.h5")
        return run["state"]["q"], run

    def test_kinks_of_guides(self):
        """A belt that turns round under a box, a table that starts to rise: velocities of supports jump."""
        mu, g, e = 0.1, 9.81, 0.5
        belt = f"""gravity: 9.81
bodies:
  belt: {self.PLATE}at: ["abs(t - 0.1)", 0, 0]}}
  a: {self.BOX}free: [0, 0.1, 0], velocity: [-1, 0, 0]}}
run: {{dt: 1e-3, until: 0.5}}
"""
        table = f"""gravity: 9.81
bodies:
  table: {self.PLATE}eps_n: {e}, at: [0, "max(0, t - 0.1)", 0]}}
  a: {self.BOX}free: [0, 0.1, 0]}}
run: {{dt: 1e-3, until: 0.5}}
"""
        for integrator, small in (("event", 1e-9), ("moreau", 1e-3), ("jean", 1e-3), ("euler", 1e-3)):
            q, run = self.final(belt, "--integrator", integrator)
            self.assertAlmostEqual(q["a_x"], -0.5 + mu*g*0.4**2/2, delta=small)
            q, run = self.final(table, "--integrator", integrator)
            self.assertAlmostEqual(q["a_y"], 0.5, delta=small)
            self.assertAlmostEqual(run["energy"]["loss_normal"], 0.5, delta=max(small, 5e-3*(small > 1e-9)))

    def test_contacts_beside_constraints_that_carry_the_same(self):
        """How much a contact carries beside a constraint, or a joint, is a choice, and its friction with it: told."""
        self.write("held.yaml", """coordinates: [x, y]
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
constraints: {c: y}
contacts: {w: {gap: y, slide: x', mu: 0.3}}
initial: {x': 1}
run: {dt: 1e-3, until: 0.1}
""")
        self.write("held.xml", """<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 0.1"><joint type="slide" axis="1 0 0"/><geom type="sphere" size="0.1" mass="1" friction="0.3"/></body>
</worldbody>
<keyframe><key name="s" qpos="0" qvel="1"/></keyframe><stickslip until="0.1" key="s"/></mujoco>
""")
        for model, integrators in (("held.yaml", ("moreau", "jean", "euler", "event")),
                                   ("held.xml", ("moreau", "jean", "event"))):
            for integrator in integrators:
                _, out, _ = self.tool("run", model, "--integrator", integrator, "--json")  # event tells it at once, too
                self.assertEqual(json.loads(out)["counts"]["several_motions"], 100, (model, integrator))
        self.write("free.yaml", self.read("held.yaml").replace("constraints: {c: y}", ""))
        for integrator in ("moreau", "jean", "euler", "event"):
            run = self.json("run", "free.yaml", "--integrator", integrator, "--json")
            self.assertEqual(run["counts"]["several_motions"], 0, integrator)

    def test_flush_faces_hit_at_all_corners_at_once(self):
        """Corners that coincide, one of which leaves its edge: whichever point an outline starts with."""
        w, h = 0.535989004301154, 0.30945339591595067
        corner = [(w, h), (3.7897111079374766e-17, 2*h), (-0.5359890043011538, 0.30945339591595095),
                  (-w, -0.30945339591595056), (-1.136913332381243e-16, -2*h), (w, -0.3094533959159505)]
        ends = []
        for first in range(6):
            points = [[-x, -y] for x, y in corner[first:] + corner[:first]]
            q, run = self.final(f"""bodies:
  a: {{polygon: {[[x, y] for x, y in corner]}, free: [0, 0, 0], velocity: [0.0619, 0.1857, 0], mass: 5.154, mu: 0.5}}
  b: {{polygon: {points}, free: [{2*w}, 0, 0], mass: 1, mu: 0.5}}
run: {{dt: 1e-2, until: 0.3}}
""", "--integrator", "event")
            self.assertEqual(run["counts"]["events"]["impact"], 2)
            ends.append(q)
        for name in ends[0]:
            self.assertLess(np.ptp([q[name] for q in ends]), 1e-9, name)

    def test_steps_of_a_potential_beside_bodies(self):
        """They are climbed or throw back, as in models without bodies, whether or not bodies touch."""
        for speed, end in ((1.0, 0.1 - 0.4), (2.0, 0.1 + 0.45*2**0.5)):
            for floor in ("", "  floor: {halfplane: [0, 0, 0, 1], mu: 0.3}\n"):
                q, run = self.final(f"""coordinates: [s]
kinetic: s'^2/2
potential: "if(s < 0.1, 0, 1)"
initial: {{s': {speed}}}
gravity: 9.81
bodies:
{floor}  a: {self.BOX}free: [0, 0.1, 0]}}
run: {{dt: 1e-2, until: 0.5}}
""", "--integrator", "event")
                self.assertAlmostEqual(q["s"], end, delta=1e-9)

    def test_forces_of_events(self):
        # right after the event; a contact that opens has none, one that sticks lies in its cone, one that slides on it
        self.run_event("run.h5", "--until", "0.5").close()
        self.works("run", "woodpecker", "-q", "--until", "0.5", "--dt", "1e-5", "-o", "steps.h5")
        events, steps = (json.loads(self.works("events", run, "--json"))["events"] for run in ("run.h5", "steps.h5"))
        for e in events:
            N, T = e["F"]
            if e["state"] == "open": self.assertEqual((N, T), (0, 0))
            elif e["state"] == "stick": self.assertLess(abs(T), 0.3*N)
            else: self.assertAlmostEqual(abs(T), 0.3*N, delta=1e-9*N)
        slips = [next(e for e in of if e["kind"] == "slip")["F"] for of in (events, steps)]
        # a step of 1e-5 s later
        for exact, mean in zip(*slips): self.assertAlmostEqual(exact, mean, delta=1e-2*abs(exact))
        self.assertIn("F_N", self.works("events", "run.h5"))

    def test_accumulation(self):
        out = self.works("run", "ball", "--integrator", "event", "--dt", "0.5", "-o", "ball.h5")
        self.assertIn("1 accumulation", out)
        self.assertIn("is extrapolated", self.works("events", "ball.h5"))
        self.assertNotIn("is extrapolated", self.works("events", "ball.h5", "--kind", "impact"))

    def datasets(self, name):
        found = {}
        with h5py.File(self.path(name), "r") as f:
            f.visititems(lambda path, item: found.update({path: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return found

    def expect_same(self, a, b):
        a, b = self.datasets(a), self.datasets(b)
        self.assertEqual(sorted(a), sorted(b))
        for path in a:
            self.assertEqual(a[path].tobytes(), b[path].tobytes(), path)

    def check_resumed(self, model, whole, *stops, more=()):
        run = ("run", model, "-q", "--integrator", "event", *more)
        self.works(*run, "--until", whole, "-o", "whole.h5", "--csv", "whole.csv", "--events", "whole.ev")
        self.works(*run, "--until", stops[0], "-o", "part.h5")
        for stop in stops[1:]:
            self.works("run", "-q", "--resume", "part.h5", "--until", stop)
        self.works("run", "-q", "--resume", "part.h5", "--until", whole, "--csv", "part.csv", "--events", "part.ev")
        self.expect_same("whole.h5", "part.h5")
        self.assertEqual(self.read("whole.csv"), self.read("part.csv"))
        self.assertEqual(self.read("whole.ev"), self.read("part.ev"))

    def test_goes_on(self):
        """Bit for bit, whatever is recorded and wherever it stopped: on the grid or between."""
        self.check_resumed("woodpecker", "0.6", "0.3", more=("--dt", "0.01", "--every", "7"))
        self.check_resumed("woodpecker", "0.6", "0.1234", "0.126", "0.13", "0.44441", more=("--dt", "0.01"))

    def test_accumulation_goes_on(self):
        """The impacts of a sequence are counted over all parts of a run."""
        self.check_resumed("ball", "5", "1", "2.37", "3", "4", "4.06", "4.0637", "4.5", more=("--dt", "0.5"))
        events = json.loads(self.works("events", "part.h5", "--json"))["events"]
        self.assertEqual([e["count"] for e in events if e["kind"] == "accumulation"], [len(events)])

    def test_old_file_goes_on(self):
        """A file without the memory: the same within the tolerance."""
        self.run_event("whole.h5", "--until", "0.6").close()
        self.run_event("part.h5", "--until", "0.3").close()
        with h5py.File(self.path("part.h5"), "r+") as f:
            del f["memory"]
        self.works("events", "part.h5")
        self.works("run", "-q", "--resume", "part.h5", "--until", "0.6")
        with h5py.File(self.path("whole.h5"), "r") as f, h5py.File(self.path("part.h5"), "r") as g:
            self.assertEqual(list(f["events"]["kind"]), list(g["events"]["kind"]))
            self.assertLess(np.max(np.abs(f["events"]["t"] - g["events"]["t"])), 1e-9)

    def test_ends_in_time(self):
        """The end need not be a multiple of dt, which is the interval of output."""
        out = self.works("run", "ball", "--integrator", "event", "--dt", "0.1", "--until", "0.25", "-o", "run.h5")
        self.assertIn("t = 0 s to 0.25 s, complete", out)
        with h5py.File(self.path("run.h5"), "r") as f:
            self.assertEqual(list(f["t"]), [0, 0.1, 0.2, 0.25])
        self.assertIn("nothing to do", self.tool("run", "--resume", "run.h5", "--until", "0.25")[2])
        self.works("run", "-q", "--resume", "run.h5", "--until", "0.3")
        with h5py.File(self.path("run.h5"), "r") as f:
            self.assertEqual(len(f["t"]), 4)
            self.assertEqual(f["t"][3], 3*0.1)
        self.works("run", "ball", "-q", "--integrator", "event", "--dt", "1", "--until", "0.25")

    def test_walls_end_in_bounded_time(self):
        """A struck wall whose first event cannot be located, since forces of its contacts hardly settle, took hours for it."""
        places = [(-0.0125, 7.7e-19), (-0.012499999999999994, 0.1), (-0.037500000000000006, 0.05), (-0.0375, 0.15000000000000002),
                  (-0.03749999999999999, 0.25), (-0.0625, 3.8e-18), (-0.06249999999999999, 0.1)]
        wall = "gravity: [9.81, -6.006892549817768e-16]\nbodies:\n  floor: {halfplane: [0, 0, -1, 6.123233995736766e-17], mu: 1}\n"
        wall += "".join(f"  b{i}: {{polygon: [[-0.05, -0.0125], [0.05, -0.0125], [0.05, 0.0125], [-0.05, 0.0125]], mass: 1, mu: 1, "
                        f"free: [{x}, {y}, {4.71238898038469 if i == 2 else 1.5707963267948966}], velocity: [0, {0.05*(i == 0)}, 0]}}\n"
                        for i, (x, y) in enumerate(places))
        self.write("wall.yaml", wall + "run: {dt: 1e-3, until: 1e-3}\n")
        status, _, err = self.tool("run", "wall.yaml", "-q", "--integrator", "event")
        self.assertTrue(status == 0 or "hardly goes on at t = " in err, err)

    def test_corners_hold_on_both_sides(self):
        """A gap min(a, b) or a - abs(b) is one contact for each side: what rests in the corner sank through it by one row."""
        model = "coordinates: {x: m, y: m}\nkinetic: 1/2*(x'^2 + y'^2)\npotential: 10*y + 5*x\ninitial: {x: %s, y: %s}\n"
        model += "contacts: {c: {gap: \"%s\"}}\nrun: {dt: 1e-3, until: 1}\n"
        for x, y, gap in ((0, 0, "min(x, y)"), (0.1, 0.2, "min(x, y)"), (0.1, 0.3, "(y - abs(x))/sqrt(2)")):
            self.write("c.yaml", model % (x, y, gap))
            for integrator in some(("event", "moreau", "euler", "jean", "rattle"), 2):
                self.works("run", "c.yaml", "-q", "--integrator", integrator, "-o", "c.h5")
                self.works("verify", "c.h5")
                with h5py.File(self.path("c.h5"), "r") as f:
                    self.assertLess(np.max(np.abs(f["u"][-1])), 1e-12)
                    self.assertLess(np.max(np.abs(f["q"][-1])), 2.1e-3)

    def test_kinks_end_in_bounded_time(self):
        """Where events go to and fro between the sides of a kink, 1e-13 s or 1e-34 s apart, the run ends by name."""
        head = "coordinates: {x: m, y: m}\nkinetic: 1/2*(x'^2 + y'^2)\nrun: {dt: 1e-3, until: 5}\n"
        self.write("zero.yaml", head + "potential: 10*y + 5*x\ncontacts: {c: {gap: \"if(x < y, x, y)\"}}\n")
        self.write("v.yaml", head + "potential: 10*y\ninitial: {x: 0.05, y: 0.1}\n"
                   "contacts: {c: {gap: \"y - 0.1*if(x > 0, x, -x)\", slide: x', mu: 0.02}}\n")
        for name in ("zero.yaml", "v.yaml"):
            status, _, err = self.tool("run", name, "-q", "--integrator", "event")
            self.assertEqual(status, 3)
            self.assertRegex(err, "more than 2000 events .* kink of the gap of contact 'c': write one contact for each")
            self.assertIn("the gap of contact 'c' has kinks", err)

    def test_limits_that_let_go_hardly_pull(self):
        """A link that begins to fall lifts its slide off the limit by a force that grows from zero: until that can be
        told from round-off of weights the limit is closed, and what it gave is none, by the forces of that arc."""
        for first in (1e-9, 1e-6):
            self.write("stop.xml", f'''<mujoco><compiler angle="radian"/><worldbody><body>
                <joint name="j0" type="slide" axis="1 0 0" limited="true" range="0 0.3"/>
                <geom type="sphere" size="0.03" pos="0.1 0 0" mass="1"/><body pos="0.2 0 0">
                <joint name="j1" axis="0 1 0" limited="true" range="0 {first}"/>
                <geom type="sphere" size="0.03" pos="0.1 0 0" mass="0.3"/></body></body></worldbody>
                <keyframe><key name="k" qvel="-1 -1"/></keyframe></mujoco>''')
            self.works("run", "stop.xml", "--key", "k", "--integrator", "event", "--until", "0.1", "-q", "-o",
                       "stop.h5")
            self.works("verify", "stop.h5")
            with h5py.File(self.path("stop.h5"), "r") as f:
                self.assertEqual(np.min(f["touch/Lambda"][:, 0]), 0, first)

    def test_stop(self):
        """A step that fails says why, in the summary and in the file too; the energy is that of the start."""
        status, out, err = self.tool("run", "rod-corner", "--integrator", "event", "--on-multiple", "stop", "-o",
                                     "r.h5")
        self.assertEqual(status, 3)
        for text in (out, err, h5py.File(self.path("r.h5"), "r").attrs["run_status"].decode()):
            self.assertIn("the contact laws allow several motions", text)
            self.assertNotIn("NaN", text)
        self.assertRegex(out, r"T \+ V went from (\S+) J to \1 J")

    def test_uniqueness(self):
        status, _, err = self.tool("run", "painleve", "-q", "--integrator", "event", "--dt", "0.1", "--watch",
                                   "uniqueness", "-o", "rod.h5")
        self.assertEqual(status, 0)
        self.assertIn("no motion without a jump", err)
        events = json.loads(self.works("events", "rod.h5", "--json"))["events"]
        self.assertEqual([e["solutions"] for e in events][:1], [0])
        self.assertAlmostEqual(events[0]["Lambda"][0], 0.3, 10)

    def test_names_are_cut_between_characters(self):
        model = self.works("models", "rod-corner").split("\ndraw:")[0]
        name = "ä"*15 + "€"*15
        self.write("rod.yaml", model.replace("floor:", name + ":"))
        done = subprocess.run([TOOL, "run", "rod.yaml", "-q", "--integrator", "event", "--on-multiple", "stop"],
                              cwd=self.folder, capture_output=True)
        err = done.stderr.decode()  # which fails if a character is cut
        self.assertIn("ä"*15 + "€"*3 + " open", err)

    def test_options(self):
        self.write("ball.yaml", BALL)
        for options in (("--rtol", "1e-8"), ("--max-step", "1e-3"), ("--on-multiple", "stop"),
                        ("--watch", "uniqueness")):
            status, _, err = self.tool("run", "ball.yaml", *options)
            self.assertEqual(status, 2)
            self.assertIn("--integrator event only", err)
        for options, says in ((("--rtol", "1.5"), "below 1"), (("--dump-problems", "folder"), "stickslip solutions"),
                              (("--project", "on"), "always holds"), (("--project", "off"), "always holds")):
            self.bad(2, "run", "ball.yaml", "--integrator", "event", *options, says=says)

    def test_flat_drop_comes_to_rest(self):
        # impulses along the normals leave round-off in the tangents: it is none that slides
        for i, (size, mass, turn, mu) in enumerate([(0.1, 1, 0, 1), (0.1, 1, 0.4, 0.3), (0.5, 20, 1.1, 1),
                                                    (0.01, 0.001, 0.785, 0.5)]):
            self.write("box.xml", f'''<mujoco><compiler angle="radian"/><option timestep="0.01"/><worldbody>
                <geom type="plane" size="0 0 1" friction="{mu}"/>
                <body pos="0 0 {1.1*size}" euler="0 0 {turn}"><freejoint/>
                <geom type="box" size="{size} {size} {size}" mass="{mass}" friction="{mu}"/></body>
                </worldbody></mujoco>''')
            run = self.json("run", "box.xml", "--integrator", "event", "--until", "1", "--json")
            self.assertEqual(run["counts"]["events"]["total"], 4, i)
            self.assertEqual(run["counts"]["several_motions"], 0, i)
            self.assertLess(max(map(abs, run["state"]["u"].values())), 1e-20, i)


if __name__ == "__main__":
    main()

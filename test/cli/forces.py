# `stickslip forces`: contact forces of a run agree with the balances of momentum, and broken files are refused.
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, ToolTest, main

import h5py
import numpy

M, R, G = 2.0, 0.1, 9.81

BALL_SCENE = """\
<mujoco model="ball">
  <option timestep="1e-3"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
    <body name="ball" pos="0 0 0.1">
      <freejoint/>
      <geom name="ball" type="sphere" size="0.1" mass="2" friction="0.3"/>
    </body>
  </worldbody>
  <keyframe><key name="thrown" qpos="5 7 0.1 1 0 0 0" qvel="3 0 0 0 0 0"/></keyframe>
  <stickslip until="0.2"/>
</mujoco>
"""

BRICK = """\
<mujoco model="brick">
  <option timestep="1e-3"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="brick" pos="0.3 0 0.05">
      <freejoint/>
      <geom name="brick" type="box" size="0.2 0.1 0.05" mass="3"/>
    </body>
  </worldbody>
  <stickslip until="0.05"/>
</mujoco>
"""

JOINTS = """\
<mujoco model="joints">
  <compiler angle="radian"/>
  <option timestep="1e-3"/>
  <worldbody>
    <body name="lift" pos="1 0 1">
      <joint name="lift" type="slide" axis="0 0 1" range="0 1" limited="true"/>
      <geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/>
    </body>
    <body name="arm">
      <joint name="arm" axis="0 1 0" frictionloss="3"/>
      <geom type="sphere" pos="0.25 0 0" size="0.05" mass="1" contype="0" conaffinity="0"/>
    </body>
    <body name="flap" pos="0 2 0">
      <joint name="flap" axis="0 1 0" range="-1 0" limited="true"/>
      <geom type="sphere" pos="0.25 0 0" size="0.05" mass="1" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <stickslip until="0.05"/>
</mujoco>
"""

LOOPS = """\
<mujoco model="loops">
  <option timestep="1e-3"/>
  <worldbody>
    <body name="lamp" pos="0.2 0 1">
      <freejoint/>
      <geom type="sphere" size="0.1" mass="2"/>
    </body>
    <body name="sign" pos="3 0 1">
      <freejoint/>
      <geom type="sphere" pos="0.5 0 0" size="0.1" mass="4"/>
    </body>
  </worldbody>
  <equality>
    <connect name="hook" body1="lamp" anchor="0 0 0"/>
    <weld name="bracket" body1="sign"/>
  </equality>
  <stickslip until="0.05"/>
</mujoco>
"""


class Forces(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.xml", BALL_SCENE)
        self.write("brick.xml", BRICK)
        self.write("joints.xml", JOINTS)
        self.write("ball.yaml", BALL)

    def lines(self, *args):
        return list(csv.DictReader(self.good("forces", *args, "--csv").splitlines()))

    def near(self, a, b, delta, msg=None):
        for x, y in zip(a, b, strict=True):
            self.assertAlmostEqual(x, y, delta=delta, msg=msg)

    def bodies(self, *args):
        row = self.json("forces", *args, "--json")["rows"][-1]
        return {b["body"]: b for b in row["bodies"]}, row


class Scenes(Forces):
    def test_a_ball_at_rest(self):
        self.works("run", "ball.xml", "-o", "run.h5")
        bodies, row = self.bodies("run.h5")
        contact, = row["contacts"]
        self.assertEqual((contact["contact"], contact["state"], contact["unit_F"]), ("ball - floor", "stick", "N"))
        self.assertAlmostEqual(contact["F"][0], M*G, delta=1e-9)
        self.near(contact["Lambda"], [1e-3*F for F in contact["F"]], 1e-15)
        on_ball = 1 if contact["body_b"] == "ball" else -1
        self.near([on_ball*F for F in contact["F_on_b"]], [0, 0, M*G], 1e-9)
        self.near(bodies["ball"]["F"], [0, 0, M*G], 1e-9)
        self.near(bodies["world"]["F"], [0, 0, -M*G], 1e-9)
        self.near(bodies["ball"]["M"], [0, 0, 0], 1e-9)
        self.near(contact["point"], [0, 0, 0], 1e-9)
        out = self.good("forces", "run.h5")
        for word in ("t = 0.2 s, 200 steps", "dt = 0.001 s", "Lambda_T2", "N s", "F_N", "19.62", "-19.62", "on body b",
                     "moment M about the origin of the body's frame", "world"):
            self.assertIn(word, out)

    def test_a_sliding_ball_keeps_the_balances(self):
        """Forces on it are m (a - g), moments about its centre I alpha: to round-off, whatever the scheme."""
        inertia = 0.4*M*R**2
        for scheme in ("moreau", "euler", "jean"):
            self.works("run", "ball.xml", "-o", "run.h5", "--key", "thrown", "--integrator", scheme)
            with h5py.File(self.path("run.h5"), "r") as run:
                u = run["u"][:]
            lines = self.lines("run.h5", "--from", "0", "--body", "ball", "--sum")
            self.assertEqual(len(lines), 201)
            for i in range(1, 201):
                force = [float(lines[i]["F_" + k]) for k in "xyz"]
                moment = [float(lines[i]["M_" + k]) for k in "xyz"]
                self.near(force, M*((u[i, :3] - u[i - 1, :3])/1e-3 + [0, 0, G]), 1e-9, f"{scheme} {i}")
                self.near(moment, inertia*(u[i, 3:] - u[i - 1, 3:])/1e-3, 1e-6, f"{scheme} {i}")
            self.near([float(lines[50]["F_x"]), float(lines[50]["F_z"])], [-0.3*M*G, M*G], 1e-6)
            self.assertEqual((lines[0]["F_x"], lines[0]["dt"], lines[0]["contacts"]), ("", "", "0"))

    def test_a_ball_between_two_fingers(self):
        self.works("run", "gripper-hold", "-o", "run.h5", "--until", "0.05")
        bodies, row = self.bodies("run.h5")
        self.assertEqual([c["contact"] for c in row["contacts"]], ["left - ball", "right - ball"])
        for c in row["contacts"]:
            self.assertAlmostEqual(c["F"][0], 5, delta=1e-6)
        self.near(bodies["ball"]["F"], [0, 0, 0.2*G], 1e-6)
        self.assertAlmostEqual(bodies["right"]["F"][0], 5, delta=1e-6)
        self.assertAlmostEqual(bodies["left"]["F"][0], -5, delta=1e-6)
        one = self.bodies("run.h5", "--body", "left")[1]
        self.assertEqual([c["contact"] for c in one["contacts"]], ["left - ball"])
        self.assertEqual([b["body"] for b in one["bodies"]], ["left"])

    def test_the_corners_of_a_brick_carry_it(self):
        self.works("run", "brick.xml", "-o", "run.h5")
        bodies, row = self.bodies("run.h5")
        self.assertEqual((len(row["contacts"]), bodies["brick"]["contacts"]), (4, 4))
        self.near(bodies["brick"]["F"], [0, 0, 3*G], 1e-6)
        self.near(bodies["brick"]["M"], [0, 0, 0], 1e-6)
        self.near(bodies["world"]["M"], [0, 0.3*3*G, 0], 1e-6)  # (0.3, 0, 0) x (0, 0, -3 G)
        self.assertAlmostEqual(sum(c["F"][0] for c in row["contacts"]), 3*G, delta=1e-6)

    def test_joints(self):
        self.works("run", "joints.xml", "-o", "run.h5")
        row = self.json("forces", "run.h5", "--json")["rows"][0]
        found = {c["contact"]: (c["F"], c["unit_F"]) for c in row["contacts"]}
        self.assertEqual(set(found), {"lift limit lower", "arm friction", "flap limit upper"})
        for name, force, unit in (("lift limit lower", 2*G, "N"), ("arm friction", -0.25*G, "N m"),
                                  ("flap limit upper", 0.25*G, "N m")):
            self.assertAlmostEqual(found[name][0], force, delta=1e-6)
            self.assertEqual(found[name][1], unit)
        self.assertEqual(row["bodies"], [])
        out = self.good("forces", "run.h5")
        self.assertIn("generalised forces", out)
        self.assertNotIn("Sums", out)
        line, = self.lines("run.h5", "--contact", "arm friction")
        self.assertEqual((line["unit_F"], line["F_b_x"], line["point_x"]), ("N m", "", ""))

    def test_names(self):
        """Names that need quotes in CSV, and a shape that is called like a limit."""
        scene = BALL_SCENE.replace('body name="ball"', 'body name="a, &quot;b&quot;"')
        scene = scene.replace('geom name="ball"', 'geom condim="1" name="x limit upper"').replace(
            'geom name="floor"', 'geom condim="1" name="floor"')
        self.write("names.xml", scene)
        self.works("run", "names.xml", "-o", "run.h5")
        line, = self.lines("run.h5")
        self.assertEqual((line["contact"], line["unit_F"]), ("x limit upper - floor", "N"))
        self.assertIn('a, "b"', (line["body_a"], line["body_b"]))
        self.assertAlmostEqual(float(line["F_N"]), M*G, delta=1e-9)
        self.assertEqual(self.lines("run.h5", "--sum", "--body", 'a, "b"')[0]["contacts"], "1")

    def test_long_names(self):
        """Robots have long ones: none is lost, and the points of a pair stay apart."""
        box = "front_left_wheel_of_the_rear_trailer_collision_geometry_number_17"
        self.write("names.xml", BRICK.replace('geom name="brick"', f'geom name="{box}"'))
        self.works("run", "names.xml", "-o", "run.h5")
        self.assertEqual({line["contact"] for line in self.lines("run.h5")},
                         {f"{box} - floor [{k}]" for k in range(4)})
        box *= 3  # longer than a name can be: what tells points apart is kept
        self.write("names.xml", BRICK.replace('geom name="brick"', f'geom name="{box}"'))
        self.works("run", "names.xml", "-o", "run.h5")
        self.assertEqual({line["contact"] for line in self.lines("run.h5")},
                         {f"{box[:115]} - floor [{k}]" for k in range(4)})

    def test_rows(self):
        self.works("run", "ball.xml", "-o", "run.h5", "--every", "10")
        lines = self.lines("run.h5", "--from", "0.1", "--to", "0.15", "--contact", "ball - floor")
        self.assertEqual([(float(x["t"]), int(x["step"])) for x in lines],
                         [(k/100, 10*k) for k in range(10, 16)])
        self.assertAlmostEqual(float(lines[0]["F_N"]), M*G, delta=1e-9)  # of the last step, not of ten
        self.assertAlmostEqual(float(lines[0]["F_N"])*1e-3, float(lines[0]["Lambda_N"]), delta=1e-15)
        self.assertIn("t = 0.13 s", self.good("forces", "run.h5", "--at", "0.139"))
        self.assertIn("initial state", self.good("forces", "run.h5", "--at", "0"))
        with h5py.File(self.path("run.h5"), "r") as run:
            self.assertEqual(float(lines[0]["Lambda_N"]), run["touch/Lambda"][9, 0])

    def test_many_rows(self):
        """Rows are read in blocks: all are those of the file."""
        self.works("run", "gripper-hold", "-o", "run.h5", "--until", "2.5")
        lines = self.lines("run.h5", "--from", "0")
        with h5py.File(self.path("run.h5"), "r") as run:
            Lambda = run["touch/Lambda"][:]
        self.assertEqual(len(lines), len(Lambda))
        self.assertGreater(len(lines), 4096)
        for i in range(0, len(lines), 7):
            self.assertEqual([float(lines[i]["Lambda_" + k]) for k in ("N", "T1", "T2")], list(Lambda[i]))


class TextModels(Forces):
    def test_time_stepping(self):
        self.works("run", "ball.yaml", "-o", "run.h5", "--until", "2")
        line, = self.lines("run.h5")
        self.assertEqual((line["contact"], line["state"]), ("floor", "stick"))
        self.assertAlmostEqual(float(line["F_N"]), G, delta=1e-9)
        self.assertNotIn("body", self.good("forces", "run.h5"))
        self.assertEqual(len(self.lines("run.h5", "--from", "0")), 2001)

    def test_event_driven(self):
        """All impulses together stop the fall, those of impacts have rows of their own; forces are of the time."""
        for every in ("1", "8"):
            self.works("run", "ball.yaml", "-o", "run.h5", "--integrator", "event", "--until", "2", "--every", every)
            lines = self.lines("run.h5", "--from", "0")
            with h5py.File(self.path("run.h5"), "r") as run:
                t, side, events = run["t"][:], run["side"][:], run["events"][:]
            self.assertEqual(len(lines), len(t))
            jumps = {e["t"] for e in events if e["kind"] in (0, 4)}
            self.assertGreater(len(jumps), 3)
            rests = max(jumps)
            for line, where in zip(lines[1:], side[1:]):
                time = float(line["t"])
                if time in jumps and where > 0:
                    self.assertEqual(line["dt"], "")
                    self.assertGreater(float(line["Lambda_N"]) + (time == rests), 0)
                elif time in jumps:
                    self.assertEqual((where, float(line["Lambda_N"])), (-1, 0))
                rested = time > rests or (time == rests and where > 0)
                self.assertAlmostEqual(float(line["F_N"]), G if rested else 0, delta=1e-9)
            self.assertTrue(lines[-1]["dt"])
            if every == "1":
                self.assertAlmostEqual(sum(float(x["Lambda_N"]) for x in lines), G*2, delta=1e-5)
            first = repr(float(min(jumps)))
            self.assertIn("after events: impulses are theirs", self.good("forces", "run.h5", "--at", first))


# A box, 2 kg, that slides on a table with mu = 0.1
BOX = """gravity: 9.81
bodies:
  table: {polygon: [[-1, -0.5], [0, -0.5], [0, 0], [-1, 0]]}
  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [-0.3, 0.05, 0], velocity: [1, 0, 0], mass: 2, mu: 0.1}
run: {dt: 0.001, until: 0.15}
"""


class PlanarBodies(Forces):
    def test_box(self):
        """Sums are the weight and friction, their moment about the centre is zero: it does not turn."""
        self.write("box.yaml", BOX)
        for integrator in ("moreau", "euler", "event"):
            self.works("run", "box.yaml", "-o", "run.h5", "--integrator", integrator)
            self.assertEqual(len(self.lines("run.h5")), 2)
            lines = {line["body"]: line for line in self.lines("run.h5", "--sum")}
            self.assertEqual(set(lines), {"table", "box"})
            for body, sign in (("table", -1), ("box", 1)):
                self.assertAlmostEqual(float(lines[body]["F_y"]), sign*2*G, delta=1e-9)
                self.assertAlmostEqual(float(lines[body]["F_x"]), -sign*0.2*G, delta=1e-9)
            self.assertAlmostEqual(float(lines["box"]["M_z"]), 0, delta=3e-3 if integrator == "event" else 1e-9)
            line, = self.lines("run.h5", "--sum", "--body", "box")
            self.assertEqual(line, lines["box"])
        self.bad(2, "forces", "run.h5", "--body", "bax", says="did you mean 'box'")


class Refused(Forces):
    def test_options(self):
        self.works("run", "ball.xml", "-o", "run.h5")
        self.works("run", "ball.yaml", "-o", "text.h5")
        for args, words in ((("--contact", "ball - flor"), "did you mean 'ball - floor'"),
                            (("--contact", "xyzzy"), "the run has ball - floor"),
                            (("--body", "bal"), "did you mean 'ball'"), (("--body", "xyzzy"), "world, ball"),
                            (("--csv", "--json"), "both"), (("--from", "0"), "--csv or --json"),
                            (("--at", "0", "--to", "1", "--csv"), "--at"), (("--at", "9"), "0.2 s"),
                            (("--at", "-1"), "from 0 s"), (("--from", "2", "--to", "1", "--csv"), "after"),
                            (("--sum",), "--csv"), (("--sum", "--csv", "--contact", "ball - floor"), "--contact")):
            self.bad(2, "forces", "run.h5", *args, says=words)
        self.bad(2, "forces", "text.h5", "--body", "ball", says="no bodies")
        self.bad(2, "forces", "text.h5", "--sum", "--csv", says="no bodies")
        self.bad(4, "forces", "none.h5", says="none.h5")
        self.bad(4, "forces", "ball.xml", says="ball.xml")
        self.assertEqual(self.lines("run.h5", "--from", "8", "--to", "9"), [])
        self.assertEqual(self.json("forces", "run.h5", "--from", "8", "--json")["rows"], [])

    def test_broken_files(self):
        def at(name, index, value):
            def change(run):
                run[name][index] = value
            return change

        def frame(run):
            del run["touch/frame"]

        def model(run):
            run["model"].attrs["text"] = numpy.bytes_("<mujoco><worldbody/></mujoco>")

        def other_model(run):
            run["model"].attrs["text"] = numpy.bytes_(BALL)

        def no_rows(run):
            run["t"].resize((0,))

        self.works("run", "ball.xml", "-o", "run.h5")
        good = self.read("run.h5", "rb")
        for change in (at("touch/contact", 199, 7), at("touch/contact", 199, -1), at("touch/state", 199, 99),
                       at("touch/bodies", (199, 0), 5), at("touch/bodies", (199, 1), -7),
                       at("touch/Lambda", (199, 1), numpy.nan), at("touch/frame", (199, 4), numpy.inf),
                       at("touch_end", 199, 10**9), at("touch_end", 199, -5), frame, model, other_model, no_rows):
            with open(self.path("broken.h5"), "wb") as f:
                f.write(good)
            with h5py.File(self.path("broken.h5"), "r+") as run:
                change(run)
            for args in ((), ("--json",), ("--csv",)):
                status, out, err = self.tool("forces", "broken.h5", *args)
                self.assertIn(status, (2, 4), f"{change} {args}: {err}")
                self.assertTrue(err.startswith("stickslip: "), err)
        with open(self.path("broken.h5"), "wb") as f:
            f.write(good)
        with h5py.File(self.path("broken.h5"), "r+") as run:
            run["q"][200, :] = numpy.nan  # forces are still known, moments about the body are not
        self.assertEqual(self.lines("broken.h5", "--body", "ball", "--sum")[0]["M_x"], "")
        for cut in (1000, len(good)//2, len(good) - 100):
            with open(self.path("broken.h5"), "wb") as f:
                f.write(good[:cut])
            self.bad(4, "forces", "broken.h5")


    def test_loops_carry_the_weight(self):
        self.write("loops.xml", LOOPS)
        self.good("run", "loops.xml", "-o", "loops.h5", "--quiet")
        rows = {r["row"]: r for r in csv.DictReader(
            self.good("forces", "loops.h5", "--csv", "--loops").splitlines())}
        # on body 2, the world: weights, and the moment r x F about the anchor, which is the origin of body 2
        want = {"hook.x": 0, "hook.y": 0, "hook.z": -2*G, "bracket.x": 0, "bracket.y": 0, "bracket.z": -4*G,
                "bracket.rx": 0, "bracket.ry": 3.5*4*G, "bracket.rz": 0}
        self.assertEqual(list(rows), list(want))
        for name, force in want.items():
            self.assertAlmostEqual(float(rows[name]["F"]), force, delta=1e-9, msg=name)
            self.assertAlmostEqual(float(rows[name]["Lambda"]), 1e-3*force, delta=1e-12, msg=name)
            self.assertEqual(rows[name]["unit_F"], "N m" if ".r" in name else "N")
        self.assertIn("bracket.ry     0.13734  N m s      137.34  N m", self.good("forces", "loops.h5"))
        self.bad(2, "forces", "loops.h5", "--loops", says=["--loops goes with --csv"])


if __name__ == "__main__":
    main()

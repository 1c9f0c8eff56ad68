# Scenes (MJCF files) on the command line: what `check` tells of them, what `run` makes of them.
import csv
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, LESS, ToolTest, main, some

import h5py
import numpy

FALLING = """\
<!-- A ball falls on a floor. -->
<mujoco model="falling">
  <option timestep="1e-3" integrator="RK4"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="0 0 1" friction="0.5 0.01 0.001" shellinertia="true"/>
    <body name="ball" pos="0 0 0.3">
      <freejoint/>
      <geom name="ball" type="sphere" size="0.1" restitution="0.5" rgba="1 0 0 1"/>
    </body>
  </worldbody>
  <keyframe><key name="spin" qpos="0 0 0.1 1 0 0 0" qvel="0 0 0 0 3 0"/></keyframe>
  <stickslip until="0.5"/>
</mujoco>
"""

PENDULUM = """\
<mujoco model="pendulum">
  <compiler angle="radian"/>
  <option timestep="1e-3"/>
  <worldbody>
    <body name="rod" pos="0 0 1">
      <joint name="hinge" axis="0 1 0" range="-0.5 0.5" damping="0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
  <keyframe><key name="out" qpos="0.4" qvel="2" ctrl="0.5"/></keyframe>
  <stickslip until="1" key="out"/>
</mujoco>
"""

ROBOT = """\
<!-- ============== -->
<robot name="hopper">
  <stickslip floor="-1" timestep="1e-3" friction="0.5" until="0.2"/>
  <link name="base">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <visual><geometry><mesh filename="package://none/none.dae"/></geometry></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="leg">
    <inertial><mass value="0.2"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial>
    <collision><geometry><capsule radius="0.02" length="0.1"/></geometry></collision>
  </link>
  <joint name="hip" type="prismatic">
    <parent link="base"/><child link="leg"/><origin xyz="0 0 -0.2"/><axis xyz="0 0 1"/>
    <limit lower="-0.05" upper="0.05" effort="10" velocity="3"/>
  </joint>
  <gazebo/>
</robot>
"""

LOOP = """\
<mujoco model="loop">
  <option timestep="1e-3"/>
  <worldbody>
    <body name="a" pos="0 0 1">
      <joint name="a" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" contype="0" conaffinity="0"/>
      <body name="b" pos="0 0 -0.5">
        <joint name="b" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02" contype="0" conaffinity="0"/>
      </body>
    </body>
    <body name="c" pos="0.5 0 1">
      <joint name="c" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <equality><connect name="pin" body1="b" body2="c" anchor="0.5 0 0"/></equality>
  <keyframe><key name="swing" qpos="0 0 0" qvel="1 -1 1"/></keyframe>
  <stickslip until="0.5" key="swing"/>
</mujoco>
"""


class Scene(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("falling.xml", FALLING)
        self.write("pendulum.xml", PENDULUM)
        self.write("loop.xml", LOOP)

    def rows(self, name):
        with open(self.path(name)) as f:
            return [dict(row) for row in csv.DictReader(f)]


class Check(Scene):
    def test_what_is_not_done_as_asked(self):
        out = self.good("check", "falling.xml")
        for word in ("falling\nA ball falls on a floor.", "1 body, 1 joint, 2 geoms, 1 keyframe; 7 coordinates, 6 velo",
                     "APPROXIMATED", "line 3", "option integrator", "line 6", "UNUSED", "light", "rgba", "ball.qw",
                     "ball.wz", "rad/s", "No contact is closed", "moreau, dt = 0.001 s"):
            self.assertIn(word, out)
        self.assertLess(out.index("APPROXIMATED"), out.index("UNUSED"))
        self.assertEqual(len([line for line in out.splitlines() if "rgba" in line]), 1)
        self.assertIn("UNUSED: nothing is done, and the motion is the same\n", self.good("check", "-v", "falling.xml"))

    def test_notes(self):
        self.write("pair.xml", """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body pos="0 0 .1"><freejoint/><geom name="a" size=".1" restitution=".5"/></body></worldbody>
<contact><pair geom1="a" geom2="floor" friction=".05"/></contact></mujoco>""")
        out = self.good("check", "pair.xml", "--strict")
        self.assertIn("NOTE: done as the file says", out)
        self.assertIn("has no second number", out)
        self.assertIn("a pair uses nothing of its geoms", out)
        self.assertEqual([n["fate"] for n in self.json("check", "pair.xml", "--json")["notices"]], ["honoured"]*2)

    def test_strict(self):
        self.assertEqual(self.tool("check", "falling.xml", "--strict")[0], 1)
        self.assertIn("All that moves is done as the file asks.", self.good("check", "pendulum.xml", "--strict"))
        self.write("ball.yaml", BALL)
        self.good("check", "ball.yaml", "--strict")

    def test_json(self):
        c = self.json("check", "falling.xml", "--json", "--set", "stickslip.key=spin")
        self.assertEqual(c["scene"], {"bodies": 1, "joints": 1, "geoms": 2, "loops": 0, "actuators": 0, "sensors": 0,
                                      "keyframes": 1, "nq": 7, "nv": 6})
        fates = {(n["element"], n["attribute"]): (n["fate"], n["line"]) for n in c["notices"]}
        self.assertEqual(fates["option", "integrator"], ("approximated", 3))
        self.assertEqual(fates["geom", "rgba"], ("unused", 9))
        self.assertEqual([x["name"] for x in c["coordinates"]],
                         ["ball.px", "ball.py", "ball.pz", "ball.qw", "ball.qx", "ball.qy", "ball.qz"])
        self.assertEqual(c["velocities"][4], {"name": "ball.wy", "unit": "rad/s", "u": 3})
        self.assertEqual(len(c["contacts"]), 1)
        contact = c["contacts"][0]
        self.assertEqual((contact["name"], contact["gap"]), ("ball - floor", 0))
        self.assertEqual(c["run"]["solver"], "auto")

    def test_masses(self):
        bodies = [("a", "<geom size='.1' mass='2'/>"), ("b", "<geom size='.1' mass='2'/>"),
                  ("two", "<geom size='.1' mass='1'/><geom size='.2' mass='1'/>"),
                  ("c", "<inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/>"),
                  ("d", "<geom type='box' size='.1 .1 .1'/>")]
        text = "".join(f"<body name='{n}' pos='{i} 0 0'><freejoint/>{g}</body>" for i, (n, g) in enumerate(bodies))
        self.write("m.xml", f"<mujoco><worldbody>{text}</worldbody></mujoco>")
        out = self.good("check", "m.xml")
        block = out[out.index("Masses"):].split("\n\n")[0].splitlines()
        self.assertEqual(block[0], "Masses, 17 kg in all")
        self.assertEqual([" ".join(line.split()) for line in block[1:]],
                         ["a, b, each 2 kg 1 geom with mass", "two 2 kg 2 geoms with mass", "c 3 kg inertial",
                          "d 8 kg 1 geom with density"])
        m = self.json("check", "m.xml", "--json")["masses"]
        self.assertAlmostEqual(m["total"], 17, delta=1e-13)
        for body, mass in zip(m["bodies"], (2, 2, 2, 3, 8), strict=True):
            self.assertAlmostEqual(body["mass"], mass, delta=1e-13)
        self.assertEqual([b["inertial"] for b in m["bodies"]], [False, False, False, True, False])
        self.assertEqual(m["bodies"][4]["geoms_with_density"], 1)
        self.assertIn("Masses, 500 kg in all\n  ball000 ... ball999, each  0.5  kg", self.good("check", "pile1000"))

    def test_loop_and_actuator(self):
        c = self.json("check", "loop.xml", "--json")
        self.assertEqual((c["scene"]["loops"], [x["name"] for x in c["constraints"]]), (1, ["pin.x", "pin.y", "pin.z"]))
        self.assertLess(max(abs(x["error"]) for x in c["constraints"]), 1e-15)
        self.assertIn("1 actuator", self.good("check", "pendulum.xml"))

    def test_broken(self):
        for text, status, words in ((FALLING.replace("</body>", ""), 2, ["x.xml:"]),
                                    (FALLING.replace('size="0.1"', 'size="-1"'), 2, ["x.xml:9", "size"]),
                                    ("<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>", 2,
                                     ["nothing in this scene can move"]),
                                    ("", 2, ["x.xml"]),
                                    ("<robot/>", 2, ["the robot has no link"])):
            self.write("x.xml", text)
            for command in ("check", "run"):
                self.bad(status, command, "x.xml", says=words)
        self.bad(4, "check", "none.xml", says="none.xml")
        self.bad(2, "run", "falling.xml", "--set", "geom.flor.friction=1", says="did you mean 'geom.floor'?")


class Robot(Scene):
    def test_check(self):
        self.write("robot.urdf", ROBOT)
        out = self.good("check", "robot.urdf")
        self.assertIn("hopper", out)
        self.assertIn("2 bodies, 1 joint, 3 geoms; 1 coordinate, 1 velocity", out)
        self.assertIn("velocities are not limited", out)
        self.assertNotIn("=====", out)
        self.assertIn("8 coordinates", self.good("check", "robot.urdf", "--set", "stickslip.floating=true"))
        self.bad(2, "check", "robot.urdf", "--set", "joint.hp.limit.upper=1", says="did you mean 'joint.hip.limit'?")
        self.bad(2, "check", "robot.urdf", "--set", "joint.hip.limit.upper=-1", says="lower must be less")

    def test_run(self):
        self.write("robot.urdf", ROBOT)
        self.works("run", "robot.urdf", "--set", "stickslip.floating=true", "--set", "stickslip.position=0 0 -0.7",
                   "--csv", "run.csv")
        last = self.rows("run.csv")[-1]
        self.assertTrue(-0.85 < float(last["base.pz"]) < -0.7)  # it fell a little, and stands on its leg

    def test_mesh(self):
        robot = ROBOT.replace('<capsule radius="0.02" length="0.1"/>', '<mesh filename="leg.stl"/>')
        self.write("robot.urdf", robot)
        self.bad(4, "check", "robot.urdf", says=["robot.urdf:11", "cannot open 'leg.stl'"])
        self.write("leg.stl", "solid\nfacet\nvertex 1 2 3\n")
        self.bad(2, "check", "robot.urdf", says=["leg.stl:3", "'vertex' stands outside of 'outer loop'"])

    def test_pipes(self):
        """Pipes that nobody writes to do not block; models may come from others."""
        os.mkfifo(self.path("pipe.stl"))
        mesh = '<asset><mesh name="m" file="pipe.stl"/></asset>'
        body = '<worldbody><body><freejoint/><geom type="%s" %s size=".1"/></body></worldbody>'
        for text in (mesh + body % ("mesh", 'mesh="m"'), body % ("sphere", "") + '<include file="pipe.stl"/>',
                     '<asset><model name="a" file="pipe.stl"/></asset>' + body % ("sphere", "")
                     + '<worldbody><attach model="a" prefix="p"/></worldbody>',
                     '<asset><hfield name="h" file="pipe.stl" size="1 1 1 1"/></asset><worldbody><geom type="hfield" '
                     'hfield="h"/></worldbody>' + body % ("sphere", "")):
            self.write("main.xml", f"<mujoco>{text}</mujoco>")
            self.bad(4, "check", "main.xml", says=["main.xml:1", "is a pipe, not a regular file"])
        self.bad(4, "check", "pipe.stl", says="is a pipe that nobody writes to")
        self.bad(4, "solve", "pipe.stl", says="is a pipe that nobody writes to")
        self.good("check", "/dev/stdin", input="<mujoco>" + body % ("sphere", "") + "</mujoco>")

    def test_included(self):
        self.write("part.xml", "<x>\n<body><joint margin='1'/><geom size='0.1'/></body></x>")
        self.write("main.xml", "<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>")
        self.assertIn("part.xml:2", self.good("check", "main.xml"))
        notices = self.json("check", "main.xml", "--json")["notices"]
        self.assertEqual((notices[0]["file"], notices[0]["line"]), ("part.xml", 2))
        self.write("part.xml", "<x>\n<body><jiont/></body></x>")
        self.bad(2, "check", "main.xml", says=["part.xml:2", "did you mean <joint>?"])


class Run(Scene):
    def test_falling(self):
        out = self.works("run", "falling.xml", "--csv", "run.csv", "--events", "events.csv")
        self.assertIn("falling: moreau, dt = 0.001 s", out)
        rows = self.rows("run.csv")
        self.assertEqual(list(rows[0]), ["t"] + ["ball." + x for x in ("px", "py", "pz", "qw", "qx", "qy", "qz")]
                         + ["u_ball." + x for x in ("vx", "vy", "vz", "wx", "wy", "wz")])
        self.assertEqual(len(rows), 501)
        for row in rows[:202]:  # free fall: the midpoint rule is exact
            t = float(row["t"])
            self.assertAlmostEqual(float(row["ball.pz"]), 0.3 - 9.81*t*t/2, delta=1e-12)
        events = self.rows("events.csv")
        self.assertEqual((events[0]["contact"], events[0]["kind"], events[0]["gamma_T2_before"]),
                         ("ball - floor", "impact", "0"))
        before, after = float(events[0]["gamma_N_before"]), float(events[0]["gamma_N_after"])
        self.assertAlmostEqual(after, -0.5*before, delta=1e-12)
        self.assertAlmostEqual(float(events[0]["t"]), (2*0.2/9.81)**0.5, delta=2e-3)

    def test_events(self):
        fall, g = (2*0.2/9.81)**0.5, 9.81
        self.works("run", "falling.xml", "--integrator", "event", "--dt", "0.01", "-o", "whole.h5")
        table = self.good("events", "whole.h5").splitlines()
        self.assertEqual(len(table[0].split()), 24)  # with F_N, F_T1, F_T2; two words in "N comp." and "N exp."
        events = self.json("events", "whole.h5", "--json")["events"]
        self.assertAlmostEqual(events[0]["t"], fall, delta=1e-11)
        self.assertAlmostEqual(events[1]["t"], 2*fall, delta=1e-10)
        self.assertEqual(len(events[0]["gamma_before"]), 3)
        self.assertAlmostEqual(events[0]["Lambda_compression"][0], events[0]["Lambda"][0], delta=1e-12)
        self.works("run", "falling.xml", "--integrator", "event", "--dt", "0.01", "--until", "0.31", "-o", "parts.h5")
        self.works("run", "--resume", "parts.h5", "--until", "0.5")
        with h5py.File(self.path("whole.h5")) as whole, h5py.File(self.path("parts.h5")) as parts:
            self.assertEqual(whole["t"].shape, parts["t"].shape)
            self.assertLess(abs(whole["q"][:] - parts["q"][:]).max(), 1e-9)
            self.assertLess(abs(whole["t"][:] - parts["t"][:]).max(), 1e-9)
        self.works("run", "falling.xml", "--integrator", "event", "--set", "stickslip.key=spin", "-o", "spin.h5")
        self.assertEqual(self.json("events", "spin.h5", "--json")["events"][0]["kind"], "stick")
        self.assertAlmostEqual(self.json("events", "spin.h5", "--json")["events"][0]["t"], 2*0.3/(7*g), delta=1e-9)
        self.assertIn("ball - floor", self.good("forces", "spin.h5"))
        self.good("plot", "spin.h5", "-o", "plot.svg", "--y", "Lambda_N.ball - floor")
        self.good("report", "spin.h5", "-o", "page.html")

    def test_wall(self):
        out = self.good("run", "wall", "--until", "0.3")
        self.assertIn("every step met the tolerance 1e-08", out)

    def test_one_step(self):
        """Counts of one are in the singular."""
        self.assertIn("; 1 coordinate, 1 velocity\n", self.good("check", "pendulum.xml"))
        status, out, err = self.tool("run", "wall", "--until", "0.001", "--tol", "1e-18")
        self.assertEqual(status, 1)
        self.assertIn("1 step missed the tolerance 1e-18\n", out)
        self.assertIn("1 of 1 step missed the tolerance", err)

    def test_rolling(self):
        run = self.json("run", "falling.xml", "--json", "--set", "stickslip.key=spin")
        self.assertAlmostEqual(run["state"]["u"]["ball.wy"], 3*2/7, delta=1e-9)
        self.assertAlmostEqual(run["state"]["u"]["ball.vx"], 0.1*3*2/7, delta=1e-9)

    def test_start_time(self):
        """A run that starts from a keyframe begins at its time: the same motion, later, by steps and by events."""
        self.write("later.xml", FALLING.replace('name="spin"', 'name="spin" time="2.25"').replace('until="0.5"', ""))
        check = self.json("check", "later.xml", "--set", "stickslip.key=spin", "--json")["run"]
        self.assertEqual((check["start"], check["until"]), (2.25, 3.25))
        self.assertIn("from 2.25 s until 3.25 s (1000 steps)", self.works("check", "later.xml", "--set",
                                                                          "stickslip.key=spin"))
        self.bad(2, "run", "later.xml", "--key", "spin", "--until", "2", says="later than the start at t = 2.25 s")
        for whole, more in (("2.5", ()), ("2.5004", ("--integrator", "event"))):
            run = self.json("run", "later.xml", "--key", "spin", "--json", "-o", "run.h5", "--until", whole, *more)
            self.assertAlmostEqual(run["state"]["t"], float(whole), delta=1e-12)
            self.assertEqual(h5py.File(self.path("run.h5"))["t"][0], 2.25)
            passed = "%.9g" % (float(whole) - 2.25)
            first = self.json("run", "falling.xml", "--key", "spin", "--json", "--until", passed, *more)
            for name, u in first["state"]["u"].items():
                self.assertAlmostEqual(run["state"]["u"][name], u, delta=1e-9)
            self.works("run", "later.xml", "--key", "spin", "-o", "parts.h5", "--until", "2.3", *more)
            self.works("run", "--resume", "parts.h5", "--until", "2.5", "--csv", "parts.csv")
            self.works("run", "later.xml", "--key", "spin", "--until", "2.5", "--csv", "whole.csv", *more)
            self.assertEqual(self.read("whole.csv"), self.read("parts.csv"))

    def test_pendulum_stays_in_its_range(self):
        run = self.json("run", "pendulum.xml", "--json", "--csv", "run.csv")
        self.assertGreater(run["counts"]["events"]["impact"], 0)
        self.assertLess(max(abs(float(row["hinge"])) for row in self.rows("run.csv")), 0.5 + 2e-3)

    def test_loop_stays_closed(self):
        run = self.json("run", "loop.xml", "--json")
        self.assertLess(run["counts"]["max_constraint_error"], 1e-9)
        q = run["state"]["q"]
        self.assertAlmostEqual(q["a"], q["c"], delta=1e-9)  # a parallelogram
        self.assertAlmostEqual(q["a"], -q["b"], delta=1e-9)
        self.assertLess(abs(run["energy"]["defect"]), 1e-4)

    def test_what_is_ignored_is_warned_of_once(self):
        text = FALLING.replace("<worldbody>", '<option wind="1 0 0"/><worldbody>')
        self.write("wind.xml", text)
        status, out, err = self.tool("run", "wind.xml")
        self.assertEqual(status, 0, err)
        self.assertEqual(len(err.splitlines()), 1)
        self.assertIn("stickslip check wind.xml", err)

    def test_refused(self):
        text = FALLING.replace("</body>", '</body><body pos="0.5 0 0.1"><freejoint/><geom name="brick" type="box" '
                               'size="0.1 0.1 0.1"/></body><body pos="0.8 0 0.1"><freejoint/><geom name="other" '
                               'type="box" size="0.1 0.1 0.1"/></body>').replace(
                                   'qpos="0 0 0.1 1 0 0 0" qvel="0 0 0 0 3 0"', "")
        self.write("bricks.xml", text)
        self.works("run", "bricks.xml", "--integrator", "event", "--dt", "0.1", "--until", "0.3")
        self.write("bricks.xml", text.replace("0.8 0 0.1", "0.65 0 0.35"))
        status, _, err = self.tool("run", "bricks.xml", "--integrator", "event")
        self.assertEqual(status, 3)
        for word in ("'brick' (box)", "'other' (box)", "cannot follow"):
            self.assertIn(word, err)
        self.bad(2, "solutions", "falling.xml", says=("text models", "--dump-problems"))
        self.bad(2, "solutions", "falling.xml", "--at", "x=1", says="text models")

    # Joints that cannot move, at zero: no step lets them go, and what is held by friction does not creep
    def test_limits_that_are_equal(self):
        link = ('<body name="l{0}" pos="0.2 0 0"><joint name="j{0}" type="{1}" axis="{2}" limited="true" range="{3}"/>'
                '<geom type="sphere" size="0.03" pos="0.1 0 0" mass="1" contype="0" conaffinity="0"/>{4}</body>')
        for kind, axis in (("slide", "0 0 1"), ("hinge", "0 1 0")):
            for span in ("0 1e-9", "-1e-9 0", "0 1e-30"):
                last = link.format(2, kind, axis, span, "")
                inner = link.format(1, "hinge", "0 1 0", "-0.3 0", last)
                hand = link.format(0, "slide", "0 0 1", "-0.1 0.1", inner).replace("/><geom", ' frictionloss="50"/><geom', 2)
                self.write("held.xml", '<mujoco><compiler angle="radian"/><worldbody>' + hand + "</worldbody><keyframe>"
                           '<key name="k" qvel="0.5 1 0.5"/></keyframe></mujoco>')
                for integrator in ("moreau", "jean", "euler", "rattle"):
                    run = ("run", "held.xml", "--json", "--key", "k", "--dt", "1e-3", "--integrator", integrator)
                    before, after = (json.loads(self.tool(*run, "--until", t)[1])["state"]["q"] for t in ("0.25", "0.5"))
                    for a, b in zip(before.values(), after.values()):
                        self.assertAlmostEqual(a, b, delta=1e-9, msg=(kind, span, integrator))

    def test_dumped_problems_can_be_solved(self):
        self.works("run", "falling.xml", "--set", "stickslip.key=spin", "--dump-problems", "p", "--when", "all",
                   "--dump-limit", "2", "--until", "0.002")
        self.assertIn("ball - floor", self.read("p/step-00000001.json"))
        self.assertEqual(self.tool("solve", "p/step-00000001.json")[0], 0)


class Options(Scene):
    def ends(self, *args):
        run = self.json("run", "falling.xml", "--json", "--key", "spin", *args)
        self.assertEqual(run["counts"]["not_solved"], 0, args)
        return run["settings"], run["state"]["u"]

    def test_every_method_finds_the_same_motion(self):
        for method in ("auto", "nsgs", "newton", "ipm", "admm", "mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm", "mncp-rlm",
                       "mncp-plm"):
            settings, u = self.ends("--solver", method, "--tol", "1e-10", "--until", "0.05")
            self.assertEqual((settings["solver"], settings["tol"]), (method, 1e-10))
            self.assertAlmostEqual(u["ball.wy"], 3*2/7, delta=1e-7, msg=method)

    def test_polyhedral_cones(self):
        """The ball slides along x. With directions at 45 degrees friction acts along two of them, and brakes less."""
        settings, u = self.ends("--cone", "polyhedral", "--facets", "8", "--until", "0.005")
        self.assertEqual((settings["cone"], settings["facets"]), ("polyhedral", 8))
        self.assertAlmostEqual(u["ball.vx"], 9.81*0.005, delta=1e-8)  # aligned: as with the exact cone, mu = 1
        settings, u = self.ends("--cone", "polyhedral", "--cone-align", "off", "--cone-angle", "45", "--until", "0.005")
        self.assertAlmostEqual(u["ball.vx"], 9.81*0.005/2**0.5, delta=1e-8)

    def test_compliance_is_told(self):
        settings, u = self.ends("--compliance", "1e-3", "--until", "0.05")
        self.assertEqual(settings["compliance"], 1e-3)
        self.assertTrue(-1e-4 < u["ball.vz"] < -1e-5, u)  # it sinks
        self.assertIn("approximated", self.works("run", "falling.xml", "--compliance", "1e-3", "--until", "0.01"))
        self.assertNotIn("compliance", self.works("run", "falling.xml", "--until", "0.01"))

    def test_redundant_coordinates(self):
        run = self.json("run", "loop.xml", "--json", "--coordinates", "redundant", "--until", "0.1", "--tol", "1e-10")
        other = self.json("run", "loop.xml", "--json", "--until", "0.1", "--tol", "1e-10")
        self.assertEqual(run["settings"]["set"], {"stickslip.coordinates": "redundant"})
        self.assertEqual((len(run["state"]["q"]), len(run["state"]["u"])), (21, 18))
        for e in ("kinetic", "potential"):
            self.assertAlmostEqual(run["energy"][e], other["energy"][e], delta=2e-3)
        self.bad(2, "run", "pendulum.xml", "--coordinates", "redundant", says="pendulum.xml")

    def test_options_are_recorded(self):
        self.works("run", "falling.xml", "-o", "run.h5", "--key", "spin", "--solver", "mlcp-path", "--cone",
                   "polyhedral", "--cone-align", "off", "--cone-angle", "45", "--until", "0.01")
        self.works("run", "--resume", "run.h5", "--until", "0.02")
        with h5py.File(self.path("run.h5"), "r") as run:
            s = run["settings"].attrs
            self.assertEqual((s["friction_method"], s["friction_polyhedral"], s["friction_cone_fixed"]), (5, 1, 1))
            self.assertAlmostEqual(s["friction_cone_angle"], numpy.pi/4, delta=1e-15)
            self.assertEqual(list(run["model"].attrs["override_values"]), [b"spin"])

    def test_refused(self):
        self.write("ball.yaml", BALL)
        for args in (("--solver", "nsgs"), ("--cone", "exact"), ("--facets", "8"), ("--cone-align", "on"),
                     ("--cone-angle", "3"), ("--compliance", "0.1"), ("--threads", "2"),
                     ("--key", "home"), ("--coordinates", "redundant")):
            self.bad(2, "run", "ball.yaml", *args, says=(args[0], "text model"))
        for args, words in ((("--facets", "8"), "mlcp"), (("--facets", "7", "--cone", "polyhedral"), "even"),
                            (("--cone", "polyhedral", "--solver", "nsgs"), "not nsgs"),
                            (("--cone-align", "off"), "--cone polyhedral"),
                            (("--cone-angle", "4", "--cone", "polyhedral"), "--cone-align off"),
                            (("--compliance", "2"), "0..1"), (("--threads", "300"), "256"),
                            (("--key", "spni"), "spni"), (("--solver", "nsg"), "nsgs")):
            self.bad(2, "run", "falling.xml", *args, says=words)
        self.works("run", "falling.xml", "-o", "run.h5", "--until", "0.1")
        self.bad(2, "run", "--resume", "run.h5", "--solver", "nsgs", says="--resume")


def columns(run):
    """All data sets of a run, by name."""
    out = {}
    run.visititems(lambda name, item: out.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
    return out


class Record(Scene):
    def same(self, a, b):
        with h5py.File(self.path(a), "r") as x, h5py.File(self.path(b), "r") as y:
            left, right = columns(x), columns(y)
        self.assertEqual(set(left), set(right))
        for name in left:
            self.assertEqual(left[name].tobytes(), right[name].tobytes(), name)

    def test_h5py(self):
        self.works("run", "falling.xml", "-o", "run.h5", "--set", "stickslip.key=spin")
        with h5py.File(self.path("run.h5"), "r") as run:
            self.assertEqual(run.attrs["format_version"], 5)
            self.assertEqual((run["q"].shape, run["u"].shape), ((501, 7), (501, 6)))
            self.assertEqual(run["u"].attrs["columns"][4], b"ball.wy")
            contacts = run["contacts"][:]
            self.assertEqual([(c["name"], c["kind"]) for c in contacts], [(b"ball - floor", 3)])
            end, number = run["touch_end"][:], run["touch/contact"][:]
            self.assertEqual((end[0], end[-1], len(number)), (0, 500, 500))
            self.assertEqual(list(numpy.diff(end)), [1]*500)
            weight = float(run["touch/Lambda"][250, 0])/1e-3
            self.assertAlmostEqual(weight, 4/3*numpy.pi*0.1**3*1000*9.81, delta=1e-6)
            frame = run["touch/frame"][0].reshape(3, 3)
            self.assertAlmostEqual(abs(frame @ frame.T - numpy.eye(3)).max(), 0, delta=1e-15)
            self.assertEqual(abs(frame[0, 2]), 1)
            self.assertAlmostEqual(run["touch/point"][0, 2], 0, delta=1e-12)
            self.assertEqual(sorted(run["touch/bodies"][0]), [-1, 0])

    def test_columns(self):
        self.works("run", "falling.xml", "-o", "run.h5")
        events = self.json("events", "run.h5", "--json")["events"]
        self.assertEqual(len(events[0]["Lambda"]), 3)
        self.assertIn("gamma_T2+", self.good("events", "run.h5", "--contact", "ball - floor"))
        self.assertIn("Lambda_T2", self.good("events", "run.h5", "--csv").splitlines()[0])
        for name in ("Lambda_N.ball - floor", "Lambda_T2.ball - floor", "state.ball - floor", "u_ball.wy", "ball.qw"):
            self.good("plot", "run.h5", "-o", "plot.svg", "--y", name)
        self.works("plot", "run.h5", "-o", "plot.svg", "--y", "gap.ball - floor")
        self.bad(2, "plot", "run.h5", "-o", "plot.svg", "--y", "Lambda_T.ball - floor", says="did you mean")
        self.bad(2, "plot", "run.h5", "-o", "plot.svg", "--phase", "ball.px", says="--x and --y")
        self.bad(2, "solutions", "--run", "run.h5", says="text models")

    def test_going_on_is_the_same_as_no_break(self):
        every = ("--every", "7")
        for scene, more in (("two-balls", ()), ("pendulum.xml", ()), ("loop.xml", ()), ("falling.xml", every)):
            until, half = ("0.3", "0.1") if scene == "two-balls" else ("0.5", "0.21")
            self.works("run", scene, "-o", "whole.h5", "--until", until, *more)
            self.works("run", scene, "-o", "parts.h5", "--until", half, *more)
            self.works("run", "--resume", "parts.h5", "--until", until, "--csv", "parts.csv", "--events", "parts.ev")
            self.same("whole.h5", "parts.h5")
            self.works("run", scene, "--csv", "whole.csv", "--events", "whole.ev", "--until", until, *more)
            self.assertEqual(self.read("whole.csv"), self.read("parts.csv"))
            self.assertEqual(self.read("whole.ev"), self.read("parts.ev"))

    def test_contacts_that_came_later_are_met_again(self):
        """A killed writer may leave contacts in the list that have no row yet."""
        self.works("run", "two-balls", "-o", "whole.h5", "--until", "0.3")
        self.works("run", "two-balls", "-o", "run.h5", "--until", "0.3")
        with h5py.File(self.path("run.h5"), "r+") as run:
            known = run["contacts_end"][:]
            rows = int(numpy.searchsorted(known, known[-1]))  # as far as one contact is still to come
            self.assertGreater(rows, 1)
            run["t"].resize((rows - 1,))
        self.works("run", "--resume", "run.h5")
        self.same("whole.h5", "run.h5")

    def test_kill(self):
        """Whenever the writer is killed, the file can be read, and going on leads to the same end."""
        args = ("two-balls", "--until", "6" if LESS == 1 else "2", "--quiet")
        self.works("run", *args, "-o", "whole.h5")
        with h5py.File(self.path("whole.h5"), "r") as run:  # contacts get their numbers at different times
            self.assertGreater(len(set(run["contacts_end"][:])), 2)
        for wait in some((0.1, 0.2, 0.4)):
            process = self.start("run", *args, "-o", "run.h5")
            self.wait_until(process, lambda: os.path.exists(self.path("run.h5")))
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            with h5py.File(self.path("run.h5"), "r", swmr=True) as run:
                if min(len(run["t"]), len(run["touch_end"])) == 0:
                    continue  # killed before the first row was in it
                n = min(len(run["t"]), len(run["touch_end"]))
                self.assertLessEqual(run["touch_end"][n - 1] if n else 0, len(run["touch/gap"]))
                if len(run["touch/contact"]):
                    self.assertLess(run["touch/contact"][:].max(), len(run["contacts"]))
            status, out, err = self.tool("run", "--resume", "run.h5", "--quiet")  # it may have been done
            self.assertEqual(status, 0, err)
            self.same("whole.h5", "run.h5")
            os.remove(self.path("run.h5"))

    def test_broken_records(self):
        def cut(run):
            run["touch/gap"].resize((1,))

        def number(run):
            run["touch/contact"][0] = 7

        def end(run):
            run["touch_end"][2] = 10**9

        def state(run):
            run["touch/state"][len(run["touch/state"]) - 1] = 99

        def kind(run):
            row = run["contacts"][:]
            row["kind"] = 77
            run["contacts"][:] = row

        def none(run):
            del run["touch/frame"]

        def velocities(run):
            del run["model"].attrs["velocities"]

        self.works("run", "falling.xml", "-o", "run.h5", "--set", "stickslip.key=spin")
        good = self.read("run.h5", "rb")
        for change in (cut, number, end, state, kind, none, velocities):
            with open(self.path("broken.h5"), "wb") as f:
                f.write(good)
            with h5py.File(self.path("broken.h5"), "r+") as run:
                change(run)
            for args in (("run", "--resume", "broken.h5", "--until", "0.6"),
                         ("plot", "broken.h5", "-o", "x.svg", "--y", "Lambda_N.ball - floor"), ("events", "broken.h5")):
                status, out, err = self.tool(*args)
                self.assertIn(status, (0, 2, 4), f"{change.__name__} {args}: {err}")
                if status:
                    self.assertTrue(err.startswith("stickslip: "), err)
            if change in (kind, none, velocities):
                self.assertEqual(status, 4, change.__name__)


if __name__ == "__main__":
    main()

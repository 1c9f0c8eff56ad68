# `stickslip report`: the data of the page is that of the run, whatever the run is like.
import base64
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, ToolTest, main

import h5py
import numpy as np

TYPES = {"f64": "<f8", "f32": "<f4", "u8": "u1"}


def unpack(packed, n):
    if "data" not in packed:
        return np.full(n, packed["constant"])
    return np.frombuffer(base64.b64decode(packed["data"]), TYPES[packed["type"]])


class Report(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)

    def data(self, *args):
        self.good("report", *args, "-o", "data.json")
        return json.loads(self.read("data.json"))

    def columns(self, data):
        return {c["name"]: unpack(c, data["rows"]) for c in data["columns"]}

    def test_columns_are_those_of_the_file(self):
        self.good("run", "ball.yaml", "-q", "-o", "run.h5")
        data = self.data("run.h5")
        columns = self.columns(data)
        with h5py.File(self.path("run.h5")) as run:
            self.assertEqual(data["rows"], len(run["t"]))
            np.testing.assert_array_equal(columns["t"], run["t"][:])
            np.testing.assert_array_equal(columns["y"], run["q"][:, 1].astype("f4"))
            np.testing.assert_array_equal(columns["u_x"], run["u"][:, 0].astype("f4"))
            np.testing.assert_array_equal(columns["state.floor"], run["state"][:, 0])
            np.testing.assert_array_equal(columns["Lambda_N.floor"], run["Lambda"][:, 0, 0].astype("f4"))
            np.testing.assert_array_equal(columns["energy.defect"], run["energy/defect"][:].astype("f4"))
            events = run["events"][:]
            self.assertEqual(data["events"]["n"], len(events))
            for name in ("t", "kind", "state"):
                np.testing.assert_array_equal(unpack(data["events"][name], len(events)), events[name])
        self.assertEqual(data["name"], "my ball")
        self.assertEqual(data["contacts"][0]["mu"], 0.2)
        self.assertEqual((data["notes"], data["info"]), ([], []))

    def test_long_runs_keep_the_rows_of_events(self):
        self.good("run", "ball.yaml", "-q", "-o", "run.h5", "--dt", "1e-5")
        data = self.data("run.h5", "--rows", "500")
        t = self.columns(data)["t"]
        self.assertLessEqual(data["rows"], 500)
        self.assertEqual(data["rows_total"], 50001)
        self.assertEqual((t[0], t[-1]), (0, 0.5))
        self.assertTrue((np.diff(t) > 0).all())
        self.assertLess(np.diff(t).max(), 0.5/200)
        for event in unpack(data["events"]["t"], data["events"]["n"])[:50]:
            self.assertIn(event, t)
        self.assertIn(f"{data['rows']} of 50001 rows", data["info"][0])

    def test_drawing_is_evaluated_at_the_rows(self):
        self.write("ball.yaml", BALL + "draw: {ball: {circle: [2*x, y - t, 0.1]}}\n")
        self.good("run", "ball.yaml", "-q", "-o", "run.h5")
        data = self.data("run.h5")
        columns = self.columns(data)
        values = [unpack(v, data["rows"]) for v in data["drawing"]["values"]]
        x, y, r = (values[k] for k in data["drawing"]["shapes"][0]["numbers"])
        np.testing.assert_allclose(x, 2*columns["x"], rtol=1e-6)
        np.testing.assert_allclose(y, columns["y"] - columns["t"], atol=1e-6)
        self.assertTrue((r == 0.1).all())

    def test_runs_that_lack_something(self):
        self.good("run", "ball.yaml", "-q", "-o", "run.h5", "--no-energy", "--until", "0.01")
        data = self.data("run.h5")
        self.assertEqual(data["events"]["n"], 0)
        self.assertFalse([c for c in data["columns"] if c["name"].startswith("energy.")])
        data = self.data("run.h5", "--to", "0")
        self.assertEqual(data["rows"], 1)
        with h5py.File(self.path("run.h5"), "r+") as run:
            run.attrs["run_status"] = np.bytes_("interrupted")
            run["model"].attrs["text"] = np.bytes_("this is no model")
        data = self.data("run.h5")
        self.assertTrue(any("interrupted" in note for note in data["notes"]))
        self.assertTrue(any("cannot be read" in note for note in data["notes"]))
        self.assertNotIn("drawing", data)

    def test_scenes_have_poses_and_contacts(self):
        self.good("run", "billiards", "-q", "-o", "run.h5", "--until", "0.2")
        data = self.data("run.h5", "--rows", "300")
        scene, n = data["scene"], data["rows"]
        columns = self.columns(data)
        self.assertEqual(scene["bodies"], ["striker", "first", "second", "third"])
        self.assertEqual([g["shape"] for g in scene["geoms"]], ["plane"] + 4*["sphere"])
        for body, pose in zip(scene["bodies"], scene["poses"]):
            for name, packed in zip(("px", "py", "pz", "qw", "qx", "qy", "qz"), pose):
                np.testing.assert_allclose(unpack(packed, n), columns[f"{body}.{name}"], atol=1e-6)
        touch = scene["touch"]
        end = unpack(touch["end"], n).astype(int)
        with h5py.File(self.path("run.h5")) as run:
            rows = np.searchsorted(run["t"][:], columns["t"])
            all_end = run["touch_end"][:]
            for i in (1, n//2, n - 1):
                part, of = slice(end[i - 1], end[i]), slice(all_end[rows[i] - 1], all_end[rows[i]])
                self.assertEqual(end[i] - end[i - 1], of.stop - of.start)
                np.testing.assert_array_equal(unpack(touch["contact"], end[-1])[part], run["touch/contact"][of])
                np.testing.assert_array_equal(unpack(touch["state"], end[-1])[part], run["touch/state"][of])
                np.testing.assert_allclose(unpack(touch["x"], end[-1])[part], run["touch/point"][of][:, 0], atol=1e-6)
                frame = run["touch/frame"][of].reshape(-1, 3, 3)
                impulse = np.einsum("ikj,ik->ij", frame, run["touch/Lambda"][of])
                np.testing.assert_allclose(unpack(touch["fz"], end[-1])[part], impulse[:, 2], rtol=1e-6, atol=1e-12)

    def test_page_holds_its_text_harmlessly(self):
        self.write("ball.yaml", BALL.replace("name: my ball", 'name: "</script><!--<b>"'))
        self.good("run", "ball.yaml", "-q", "-o", "run.h5")
        status, out, err = self.tool("report", "run.h5")
        if "has no viewer" in err:
            self.assertEqual(status, 3)
            self.skipTest("the tool was built without the viewer")
        self.assertEqual((status, out, err), (0, "", ""))
        page = self.read("run.html")
        block = page.split('id="run-data">')[1].split("</script>")[0]
        self.assertNotIn("<", block)
        self.assertEqual(json.loads(block)["name"], "</script><!--<b>")
        self.assertNotRegex(page, r'(src|href)="(?!data:)')

    def test_friction_of_scenes_is_told(self):
        self.write("scene.xml", """<mujoco><worldbody>
          <geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
          <body name="ball" pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" friction="0.7"/></body>
        </worldbody></mujoco>""")
        self.works("run", "scene.xml", "-q", "-o", "run.h5", "--until", "0.01")
        data = self.data("run.h5")
        self.assertEqual([(c["kind"], c["mu"]) for c in data["contacts"]], [("spatial", 0.7)])
        touch, n = data["scene"]["touch"], data["scene"]["touch"]["n"]
        self.assertGreater(n, 0)
        np.testing.assert_array_equal(unpack(touch["nz"], n), 1)  # from the floor to the ball
        np.testing.assert_allclose(unpack(touch["fz"], n), unpack(touch["L0"], n), rtol=1e-6)

    def test_bodies_have_their_outlines_and_contacts(self):
        self.write("box.yaml", "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1]}\n"
                   "  box: {polygon: [[0, 0], [2, 0], [2, 1], [0, 1]], free: [3, 0.5, 0], mass: 1, mu: 0.5}\n")
        self.good("run", "box.yaml", "-q", "-o", "run.h5", "--dt", "0.01", "--until", "0.1")
        data = self.data("run.h5")
        self.assertEqual([(s["name"], s["kind"]) for s in data["drawing"]["shapes"]],
                         [("floor", "ground"), ("box", "polygon")])
        self.assertEqual([c["name"] for c in data["contacts"]], ["box p1 - floor", "box p2 - floor"])
        self.assertEqual([c["mu"] for c in data["contacts"]], [0.5, 0.5])
        units = {c["name"]: c["unit"] for c in data["columns"]}
        self.assertEqual((units["u_box_x"], units["u_box_phi"]), ("m/s", "rad/s"))
        touch, n = data["touch"], data["touch"]["n"]
        end = unpack(touch["end"], data["rows"])
        last = slice(int(end[-2]), int(end[-1]))  # of the last row: both corners, half of the weight each
        np.testing.assert_allclose(np.sort(unpack(touch["x"], n)[last]), [2, 4], atol=1e-6)
        np.testing.assert_allclose(unpack(touch["fy"], n)[last], [0.04905, 0.04905], rtol=1e-6)
        np.testing.assert_allclose(unpack(touch["L0"], n)[last], [0.04905, 0.04905], rtol=1e-6)
        np.testing.assert_allclose(unpack(touch["g1"], n)[last], 0, atol=1e-9)
        np.testing.assert_allclose(unpack(touch["gap"], n)[last], 0, atol=1e-9)

    def test_of_many_contacts_those_have_columns_that_were_closed_most(self):
        self.write("wheel.yaml", "gravity: 9.81\nbodies:\n  floor: {halfplane: [0, 0, 0, 1], mu: 1}\n"
                   "  wheel: {polygon: [{curve: [cos(s), sin(s)], from: 0, to: 2*pi*199/200, points: 200}],\n"
                   "          free: [0, 1, 0], velocity: [3, 0, -3], mass: 1}\n")
        self.works("run", "wheel.yaml", "-q", "-o", "run.h5", "--dt", "1e-3", "--until", "0.9")
        data = self.data("run.h5")
        columns, n = self.columns(data), data["touch"]["n"]
        contact, state = (unpack(data["touch"][k], n).astype(int) for k in ("contact", "state"))
        closed = np.bincount(contact[state != 0], minlength=len(data["contacts"]))
        self.assertGreater(np.count_nonzero(closed), 40)
        names = [c["name"] for c in data["contacts"]]
        shown = [names.index(c[6:]) for c in columns if c.startswith("state.")]
        self.assertEqual(len(shown), 30)
        self.assertGreaterEqual(closed[shown].min(), np.sort(closed)[-31])
        whole = [c[4:] for c in columns if c.startswith("gap.")]
        self.assertEqual(len(whole), 6)
        self.assertGreaterEqual(min(closed[names.index(c)] for c in whole), np.sort(closed)[-7])
        for c in whole:
            self.assertEqual(np.count_nonzero(columns[f"state.{c}"]), closed[names.index(c)])

    def test_links_go_from_joint_to_joint(self):
        self.works("run", "pendulum12", "-q", "-o", "run.h5", "--until", "0.1")
        links = self.data("run.h5")["scene"]["links"]
        self.assertEqual([link["body"] for link in links], list(range(12)))
        for link in links[:-1]:
            np.testing.assert_allclose(np.subtract(link["to"], link["from"]), (0, 0, -1), atol=1e-12)

    def test_height_fields_are_meshes_behind_those_of_the_scene(self):
        self.write("field.xml", """<mujoco><asset>
          <mesh name="pyramid" vertex="1 1 0  -1 1 0  0 -1 0  0 0 1"/>
          <hfield name="slope" nrow="2" ncol="3" size="3 2 4 1" elevation="0 1 2 0 1 2"/></asset>
          <worldbody><geom type="hfield" hfield="slope"/>
          <body pos="0 0 9"><freejoint/><geom type="mesh" mesh="pyramid" mass="1"/></body></worldbody></mujoco>""")
        self.works("run", "field.xml", "-q", "-o", "run.h5", "--until", "0.01")
        scene = self.data("run.h5")["scene"]
        self.assertEqual([(g["shape"], g["mesh"]) for g in scene["geoms"]], [("mesh", 1), ("mesh", 0)])
        mesh = scene["meshes"][1]
        v = unpack(mesh["vertices"], 18).reshape(6, 3)
        faces = unpack(mesh["faces"], 12).reshape(4, 3).astype(int)
        self.assertEqual(sorted(map(tuple, v[:, :2])), sorted((x, y) for x in (-3, 0, 3) for y in (-2, 2)))
        np.testing.assert_allclose(v[:, 2], 4*(v[:, 0] + 3)/6, atol=1e-6)
        twice = np.cross(v[faces[:, 1]] - v[faces[:, 0]], v[faces[:, 2]] - v[faces[:, 0]])
        self.assertTrue((twice[:, 2] > 0).all())  # seen from above
        self.assertAlmostEqual(twice[:, 2].sum()/2, 6*4, places=5)

    def test_rest_has_no_defect_in_its_energies(self):
        self.works("run", "stack10", "-q", "-o", "run.h5", "--until", "0.05")
        self.assertEqual([n for n in self.data("run.h5")["notes"] if "energy balance" in n], [])
        self.write("spring.yaml", "coordinates: {x: m}\nkinetic: x'^2/2\npotential: 50*x^2\ninitial: {x: 1}\n")
        self.works("run", "spring.yaml", "-q", "-o", "run.h5", "--dt", "0.05", "--until", "0.1")  # this one has
        self.assertEqual(len([n for n in self.data("run.h5")["notes"] if "energy balance" in n]), 1)

    def test_large_scenes_are_made_light(self):
        balls = "".join(f'<body pos="{x} {y} {z + 0.5}"><freejoint/><geom type="sphere" size="0.3"/></body>'
                        for x in range(11) for y in range(10) for z in range(10))
        self.write("balls.xml", f"<mujoco><worldbody>{balls}</worldbody></mujoco>")
        self.works("run", "balls.xml", "-q", "-o", "run.h5", "--until", "0.01", "--dt", "1e-3")
        data = self.data("run.h5")
        poses = data["scene"]["poses"]
        self.assertEqual(len(poses), 1100)
        z = poses[1000][2]
        self.assertEqual(z["type"], "u16")
        got = z["low"] + z["step"]*np.frombuffer(base64.b64decode(z["data"]), "<u2")
        with h5py.File(self.path("run.h5")) as run:
            np.testing.assert_allclose(got, run["q"][:, 7*1000 + 2], atol=z["step"]/2*1.001)
        self.assertTrue(any("large scene" in text for text in data["info"]))
        columns = self.columns(data)  # the first of each kind, and all that tells of the run as a whole
        first = (data["coordinates"][2], "u_" + data["velocities"][2])
        for name in ("residual", "energy.kinetic", "energy.defect", *first):
            self.assertIn(name, columns)
        self.assertLess(len(columns), 400)

    def test_page_of_a_run_at_once(self):
        status, _, err = self.tool("run", "ball.yaml", "-q", "--report", "page.html")
        if "has no viewer" in err:
            self.assertEqual(status, 3)
            self.skipTest("the tool was built without the viewer")
        self.assertEqual((status, err), (0, ""))
        self.good("report", "page.h5", "-o", "again.html")
        self.assertEqual(self.read("page.html"), self.read("again.html"))
        self.good("run", "ball.yaml", "-q", "--report", "page.html", "-o", "run.h5")
        out = self.good("run", "ball.yaml", "--report", "page.html")  # the record beside the page is replaced
        self.assertIn("page.h5", out)
        self.assertIn("page.html", out)
        self.bad(2, "run", "ball.yaml", "--report", "page.pdf", says=".html")
        self.bad(2, "run", "ball.yaml", "--report", "x.html", "--csv", "x.html", says="same file")
        self.write("mine.h5", "something else")
        self.bad(2, "run", "ball.yaml", "--report", "mine.html", says=("mine.h5", "-o"))
        self.assertEqual(self.read("mine.h5"), "something else")

    def test_mistakes(self):
        self.good("run", "ball.yaml", "-q", "-o", "run.h5")
        self.bad(2, "report", says="RUN")
        self.bad(2, "report", "run.h5", "-o", "page.pdf", says=".html or .json")
        self.bad(4, "report", "none.h5", "-o", "page.json", says="none.h5")
        self.bad(2, "report", "run.h5", "-o", "page.json", "--from", "7", says="it goes from t = 0 s to 0.5 s")
        self.bad(2, "report", "run.h5", "-o", "page.json", "--from", "2", "--to", "1", says="after")
        self.bad(4, "report", "run.h5", "-o", "no/such/page.json", says="no/such/page.json")
        os.rename(self.path("run.h5"), self.path("run.json"))
        self.bad(2, "report", "run.json", "-o", "run.json", says="replace the run")


if __name__ == "__main__":
    main()

# `stickslip verify`: what a run file says, one number at a time. A data set that is neither found out when it is changed
# nor among those that docs/verify.md says are not looked at fails the test.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main, some
from verdict import VerdictTest

import h5py
import numpy

OSCILLATOR = """coordinates: [x]
kinetic: x'^2/2
potential: x^2
initial: {x: 1}
run: {dt: 0.1, until: 1}
"""

# A ball that hits a floor and slides, beside an arm that meets its stop
SCENE = """<mujoco><compiler angle="radian"/><option timestep="5e-3"/><worldbody>
<geom name="floor" type="plane" size="0 0 1"/><body pos="0 0 0.12"><freejoint/>
<geom name="ball" size="0.1" friction="0.5" restitution="0.3"/></body>
<body pos="0 1 1"><joint name="h" axis="0 1 0" range="-0.5 0.5" limited="true" damping="0.1"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></worldbody>
<keyframe><key name="k" qpos="0 0 0.12 1 0 0 0 0.3" qvel="1 0 0 0 0 0 0"/></keyframe>
<stickslip until="0.15" key="k"/></mujoco>
"""

# Boxes and balls in the plane that slide, beside one that bounces
PLANE = """bodies:
  floor: {halfplane: [0, 0, 0, 1], mu: 0.4}
  box: {polygon: [[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]], free: [0, 0.07, 0], velocity: [1, 0, 0], density: 100, mu: 0.3}
  ball: {circle: [0, 0, 0.05], free: [0.3, 0.06, 0], mass: 1, eps_n: 0.5, mu: 0.3}
run: {dt: 5e-3, until: 0.15}
"""

TEXT = """coordinates: [x, y, z, s]
kinetic: 1/2*(x'^2 + y'^2 + z'^2 + s'^2)
potential: 9.81*y + 9.81*z
constraints: {c: x^2 + y^2 - 1}
contacts: {w: {gap: z, slide: s', mu: 0.3, eps_n: 0.5}}
initial: {x: 1, z: 0.01, "s'": 1}
run: {dt: 5e-3, until: 0.3}
"""

# Not looked at: docs/verify.md
ASIDE = {"iterations", "memory", "arc"}
# Tables, and where the parts of the others end: not numbers; events are looked at field by field
TABLES = {"contacts", "contacts_end", "events", "touch_end", "arc_end"}


class Fields(VerdictTest):
    def run_of(self, name, text, integrator):
        self.write(name, text)
        code, _, err = self.tool("run", name, "--integrator", integrator, "-q", "-o", "run.h5")
        self.assertEqual(code, 0, err)
        self.keep()
        return self.verdict(0, (name, integrator))

    # A file that asks for next to nothing is not believed
    def test_coarse_tolerances_are_told(self):
        for name, text, integrator, setting, value in (("p.yaml", OSCILLATOR, "event", "event_rtol", "q"),
                                                       ("s.xml", SCENE, "moreau", "friction_tol", "Lambda")):
            self.assertNotIn("coarse", " ".join(self.run_of(name, text, integrator)["left_out"]))
            with h5py.File(self.path("run.h5"), "r+") as f:
                f["settings"].attrs[setting] = 0.5
            self.assertIn("coarse", " ".join(self.verdict(0)["left_out"]))
            with h5py.File(self.path("run.h5"), "r+") as f:
                data = f["touch"][value] if value == "Lambda" else f[value]
                data[data.shape[0]//2, 0] += 0.2
            self.verdict(1, setting)

    def test_the_largest_so_far_never_falls(self):
        self.run_of("s.xml", SCENE, "moreau")
        for name in ("max_penetration", "max_limit_error", "max_constraint_error", "in_parts"):
            self.restore()
            with h5py.File(self.path("run.h5"), "r+") as f:
                f["counts"][name][3] += 1
            self.assertGreater(self.verdict(1, name)["counts"]["worst"], 1e-3, name)

    def sets(self):
        names = []
        with h5py.File(self.path("kept.h5")) as f:
            f.visititems(lambda k, o: names.append(k) if isinstance(o, h5py.Dataset) and o.size else None)
            return [(k, f[k].shape) for k in names if k not in TABLES]

    # The last entry of each of the contacts that have one; limits of joints have no place
    def indices(self, name, shape):
        rest = (0,)*(len(shape) - 1)
        if name == "events_T2": return [(0,) + rest]
        if not name.startswith("touch/"): return [(shape[0]*2//3,) + rest]
        with h5py.File(self.path("kept.h5")) as f:
            last = {contact: i for i, contact in enumerate(f["touch/contact"][:])}
            places = {i for i, frame in enumerate(f["touch/frame"][:]) if frame.any()}
        return [(i,) + rest for i in last.values() if i in places or name not in ("touch/point", "touch/frame")]

    # A number by a tenth of the largest
    def change(self, name, index):
        self.restore()
        with h5py.File(self.path("run.h5"), "r+") as f:
            data = f[name]
            old, most = data[index], abs(data[:]).max()
            data[index] = old + max(0.1*most, 1e-3) if data.dtype.kind == "f" else old + 1

    def each_data_set(self, name, text, integrator, aside):
        self.run_of(name, text, integrator)
        places = [(data, index) for data, shape in self.sets() if data not in aside for index in self.indices(data, shape)]
        for data, index in some(places, 5):
            self.change(data, index)
            self.assertNotEqual(self.tool("verify", "run.h5")[0], 0, (name, integrator, data, index))

    def test_each_data_set_of_a_scene(self):
        self.each_data_set("scene.xml", SCENE, "moreau", ASIDE)
        self.each_data_set("scene.xml", SCENE, "event", ASIDE | {"energy/defect"})

    def test_each_data_set_of_planar_bodies(self):
        self.each_data_set("plane.yaml", PLANE, "moreau", ASIDE)
        self.each_data_set("plane.yaml", PLANE, "event", ASIDE | {"energy/defect", "events_T2"})

    # A pendulum by a constraint, and a block that slides: forces in the middle of arcs and at their ends
    def test_each_data_set_of_a_text_model(self):
        self.each_data_set("text.yaml", TEXT, "moreau", ASIDE)
        self.each_data_set("text.yaml", TEXT, "event", ASIDE | {"energy/defect", "residual"})

    # Fields of the impacts of an event-driven scene
    def test_each_field_of_an_impact(self):
        self.run_of("scene.xml", SCENE, "event")
        with h5py.File(self.path("kept.h5")) as f:
            events = f["events"][:]
        hit = [i for i, e in enumerate(events) if e["kind"] == 0 and e["Lambda_N"] > 1e-3][0]
        for field in some(sorted(set(events.dtype.names) - {"solutions", "count", "Lambda_C_N", "Lambda_C_T"}), 3):
            self.restore()
            with h5py.File(self.path("run.h5"), "r+") as f:
                e = f["events"][hit]
                e[field] = e[field] + (0.01 if numpy.issubdtype(type(e[field]), numpy.floating) else 1)
                f["events"][hit] = e
            self.assertNotEqual(self.tool("verify", "run.h5")[0], 0, field)


main()

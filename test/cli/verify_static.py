# `stickslip verify`: static friction. What begins to slide could not have been held, and what is held was not loaded
# beyond the limit. The limit is changed in the file, so that the motion is that of another model.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main, some
from verdict import VerdictTest

INTEGRATORS = ("moreau", "jean", "euler", "event")

# A block that a growing force pulls
TEXT = """coordinates: {x: m, y: m}
kinetic: x'^2/2 + y'^2/2
potential: 9.81*y
forces: {x: "2.05 + 5*t"}
contacts: {floor: {gap: y, slide: x', mu: 0.2, mu_static: LIMIT}}
run: {dt: 2e-3, until: 0.2}
"""

# Two of them, coupled
TWO = """coordinates: [x, y, z]
kinetic: (x'^2 + y'^2 + z'^2)/2
potential: 9.81*y + 5*(x - z)^2
forces: {x: "2.05 + 5*t"}
contacts: {floor: {gap: y, slide: x', mu: 0.2, mu_static: LIMIT}, other: {slide: z', bound: 1, bound_static: 2}}
run: {dt: 2e-3, until: 0.2}
"""

# A box on four corners, on a slope
SCENE = """<mujoco><option timestep="5e-3" gravity="2.2 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="0 0 1"/>
<body name="b" pos="0 0 .1"><freejoint/><geom name="b" type="box" size=".1 .1 .1" mass="1"/></body>
</worldbody><contact><pair geom1="b" geom2="floor" friction=".2 .2" friction-static="LIMIT"/></contact>
<stickslip until="0.05"/></mujoco>
"""
BALL = SCENE.replace('type="box" size=".1 .1 .1"', 'type="sphere" size=".1"').replace("<freejoint/>", """
<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>""")


# A beam on three feet, which can share its weight in many ways
FEET = """parameters: {m: 1, L: 0.5, J: 0.1, hh: 0.3}
coordinates: {x: m, y: m, p: rad}
definitions:
  xa: x - L*cos(p) + hh*sin(p)
  ya: y - L*sin(p) - hh*cos(p)
  xb: x + hh*sin(p)
  yb: y - hh*cos(p)
  xc: x + L*cos(p) + hh*sin(p)
  yc: y + L*sin(p) - hh*cos(p)
kinetic: m/2*(x'^2 + y'^2) + J/2*p'^2
potential: m*9.81*y
forces: {x: PULL}
contacts:
  a: {gap: ya, slide: xa', mu: 0.1, mu_static: 0.36}
  b: {gap: yb, slide: xb', mu: 0.2, mu_static: 0.3}
  c: {gap: yc, slide: xc', mu: 0.3, mu_static: 0.35}
initial: {y: 0.3}
run: {dt: 1e-3, until: 0.05}
"""


class Static(VerdictTest):
    def run_of(self, name, text, integrator):
        self.write(name, text)
        code, _, err = self.tool("run", name, "--integrator", integrator, "-q", "-o", "run.h5")
        self.assertEqual(code, 0, err)  # it may tell of choices
        return self.verdict(0, (name, integrator))

    # Some loads of the feet would hold the beam, and others would not: it should have been held
    def test_loads_that_would_hold(self):
        for pull, other in (("3.6", "mu: 0.1, mu_static: 0.6"), ("3.55 + 0.1*t", "mu: 0.1, mu_static: 0.8")):
            self.run_of("feet.yaml", FEET.replace("PULL", pull), "event")
            self.rewrite("mu: 0.1, mu_static: 0.36", other)
            self.assertGreater(self.verdict(1, pull)["friction law"]["worst"], 5e-3)

    # Slides at 0.22 or is held at 0.4, and the other one is told
    def test_the_limit_is_another_one(self):
        models = (("one.yaml", TEXT), ("two.yaml", TWO), ("box.xml", SCENE), ("ball.xml", BALL))
        cases = [(*model, integrator, *limits) for model in models for integrator in INTEGRATORS
                 for limits in (("0.22", "0.4"), ("0.4", "0.22"))]
        for name, text, integrator, has, other in some(cases, 11):  # each model, integrator and limit
            self.run_of(name, text.replace("LIMIT", has), integrator)
            mark = "mu_static: " if "yaml" in name else 'friction-static="'
            self.rewrite(mark + has, mark + other)
            v = self.verdict(1, (name, integrator, has))
            self.assertGreater(v["friction law"]["worst"], 1e-3, (name, integrator))

    # A mass on a belt sticks and slips for several cycles; the limit is a little higher or lower
    def test_cycles(self):
        for integrator in INTEGRATORS:
            self.good("run", "belt", "--integrator", integrator, "--until", "1", "-q", "-o", "run.h5")
            self.keep()
            for new in ("0.5", "0.51", "0.49"):
                self.restore()
                self.rewrite("mu_s: 0.5", f"mu_s: {new}")
                self.verdict(0 if new == "0.5" else 1, (integrator, new))


main()

# Impulses of contacts that do not touch: `stickslip verify` follows the gap along the motion without them.
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

# The bob of a pendulum, and a floor at its lowest place, or a little higher or lower
BOB = """parameters: {D: DEPTH}
coordinates: {p: rad}
definitions: {x: sin(p), y: -cos(p)}
kinetic: 1/2*p'^2
potential: 9.81*y
contacts: {floor: {gap: y + 1 + D, eps_n: BOUNCE}}
initial: {p: 1.5}
run: {dt: 1e-3, until: 0.7}
"""


class Distance(VerdictTest):
    def run_of(self, depth, bounce, integrator):
        self.write("model.yaml", BOB.replace("DEPTH", repr(depth)).replace("BOUNCE", bounce))
        self.good("run", "model.yaml", "--integrator", integrator, "-q", "-o", "run.h5")
        return self.verdict(0, (depth, bounce, integrator))

    # Hits of a floor that the bob does reach
    def test_hits(self):
        rng = random.Random(4)
        for _ in range(12):
            depth, bounce = -10**rng.uniform(-3, -0.3), rng.choice(("0", "0.5"))
            for integrator in ("euler", "moreau"):
                self.assertEqual(self.run_of(depth, bounce, integrator)["at_a_distance"], 0)

    # The floor is lower than where the run had it: its tangent would reach it within the step, the bob does not
    def test_a_floor_that_is_passed_by(self):
        for depth, other in ((-1e-5, 4e-6), (-1e-5, 1e-6), (-2e-5, 1e-5)):
            self.run_of(depth, "0", "euler")
            self.rewrite(f"{{D: {depth!r}}}", f"{{D: {other!r}}}")
            self.assertGreater(self.verdict(1)["at_a_distance"], 0, (depth, other))


main()

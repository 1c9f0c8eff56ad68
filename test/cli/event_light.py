# Pyramids of boxes with a light one among heavy ones, by `event`: contacts share their load in many ways, and the way
# that is taken must not hang on round-off. Friction is in its cone in every row, by its own normal impulse.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py
import numpy


SQUARE = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]


# masses: rows from below; gap: between the boxes of a row; speed: of the box on top
def pyramid(masses, mu, gap, speed, until):
    text = f"gravity: [0, -9.81]\nbodies:\n  floor: {{halfplane: [0, 0, 0, 1], mu: {mu}}}\n"
    for r, row in enumerate(masses):
        for k, mass in enumerate(row):
            x, y = (k - (len(row) - 1)/2)*(0.2 + gap), 0.1 + 0.2*r
            text += f"  b{r}{k}: {{polygon: {SQUARE}, mass: {mass}, mu: {mu},\n" \
                f"        free: [{x!r}, {y!r}, 0], velocity: [{speed if r == len(masses) - 1 else 0}, 0, 0]}}\n"
    return text + f"run: {{integrator: event, dt: 1e-3, until: {until}}}\n"


class Light(VerdictTest):
    def stays_in_cones(self, text, mu):
        self.write("model.yaml", text)
        self.good("run", "model.yaml", "-q", "-o", "run.h5")
        self.assertTrue(self.verdict()["pass"])
        with h5py.File(self.path("run.h5")) as f:
            Lambda, end = f["touch/Lambda"][:], f["touch_end"][:]
        for row in range(1, len(end)):
            of = Lambda[end[row - 1]:end[row]]
            beyond = numpy.maximum(-of[:, 0], abs(of[:, 1]) - mu*of[:, 0]).max()
            self.assertLessEqual(beyond, 1e-11*abs(of).sum(), row)

    # 1 g below 1 t: limits of friction that were reached but for round-off of the light one's forces were left as they
    # were in some stages of a step, and not in others (6 % outside of its cone: the record refused it)
    def test_shares_do_not_hang_on_round_off(self):
        self.stays_in_cones(pyramid([[1000, 1000, 1000], [1e-3, 1000], [1000]], 0.3, 0.02, 0, 0.004), 0.3)

    # Across a kink of shared forces stages with negative weights led out of the cone, 8e-8 of all impulses, status 0
    def test_steps_end_at_kinks(self):
        heavy = [1, 1, 1.72756]
        self.stays_in_cones(pyramid([heavy, [6.92895e-06, 0.650933], [1]], 0.1, 0.05, 1.8618379980168156, 0.01), 0.1)

    # Row 0 has no forces: how a load is shared there is not known, and was told as friction outside of its cone, 8e-8
    def test_the_first_arc(self):
        masses = [[1, 1, 9.21071e-4], [1, 1], [1.3756]]
        self.stays_in_cones(pyramid(masses, 0.1, 0.05, 0.9544096479499066, 0.002), 0.1)


if __name__ == "__main__":
    main()

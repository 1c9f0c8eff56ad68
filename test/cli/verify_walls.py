# Bricks in bond, by `event` and by `jean`: contacts that are redundant, pass their loads on and slide to the ends of
# one another. The runs come to their ends, and `stickslip verify` passes them.
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest


def brick(w, h, place, velocity, mu):
    corners = [[-w/2, -h/2], [w/2, -h/2], [w/2, h/2], [-w/2, h/2]]
    return f"polygon: {corners}, free: {list(place)}, velocity: {list(velocity)}, mass: 1, mu: {mu}, eps_n: 0"


# Bricks of these columns and courses with their angles, the first one thrown against its neighbour
def struck(w, h, mu, v, courses):
    text = f"gravity: 9.81\nbodies:\n  floor: {{halfplane: [0, 0, 0, 1], mu: {mu}}}\n"
    for r, angles in enumerate(courses):
        for c, angle in enumerate(angles):
            place = ((c + r%2/2)*w, (r + 0.5)*h, angle)
            text += f"  b{r}{c}: {{{brick(w, h, place, (v if r + c == 0 else 0, 0, 0), mu)}}}\n"
    return text


# Bricks of 1 m on a slope with gravity across it, the first one thrown along it
def on_a_slope(slope, mu, v, courses):
    c, s = math.cos(slope), math.sin(slope)
    text = f"gravity: [{9.81*s}, {-9.81*c}]\nbodies:\n  floor: {{halfplane: [0, 0, {-s}, {c}], mu: {mu}}}\n"
    for r, angles in enumerate(courses):
        for n, angle in enumerate(angles):
            x, y, u = n + r%2/2, r + 0.5, v if r + n == 0 else 0
            place = (x*c - y*s, x*s + y*c, angle + slope)
            text += f"  b{r}{n}: {{{brick(1, 1, place, (u*c, u*s, 0), mu)}}}\n"
    return text


class Walls(VerdictTest):
    def passes(self, text, until, dt=1e-3, integrator="event"):
        self.write("model.yaml", text + f"run: {{integrator: {integrator}, dt: {dt}, until: {until}}}\n")
        code, _, err = self.tool("run", "model.yaml", "-q", "-o", "run.h5")  # which may tell of choices
        self.assertEqual(code, 0, err)
        self.assertTrue(self.verdict()["pass"])

    # Two corners of a brick that slides off another come ever nearer to each other: what is round-off of the motion
    # asks for forces of any size there, one of which would pull.
    def test_a_brick_that_slides_off(self):
        a, c, s = 0.1, math.cos(math.pi/2), math.sin(math.pi/2)
        text = f"gravity: [{9.81*s}, {-9.81*c}]\nbodies:\n  floor: {{halfplane: [0, 0, {-s}, {c}], mu: 1}}\n"
        for i, (x, y, v) in enumerate(((0, 0.05, 0), (0.1, 0.05, 0), (0.05, 0.15, 0), (0.15, 0.15, 0), (0.25, 0.055, -1.3652))):
            place = (x*c - y*s, x*s + y*c, math.pi/2 + (i%2 == 0)*math.pi)
            text += f"  b{i}: {{{brick(a, a, place, (-v*s, v*c, 0), 1)}}}\n"
        self.passes(text, 0.01)

    # Rows that depend on each other up to 1e-10 no longer do where an arc ends: what its last step takes for forces in
    # one of its stages beyond the end is none that contacts can give.
    def test_stages_beyond_the_end(self):
        p = math.pi
        self.passes(struck(0.1, 0.025, 0.92, 0.2, ((p, p, p), (p, p), (0, 0, 0))), 1e-5)

    # Between two events that are one but for round-off of the time a force may be any: its impulse is none
    def test_arcs_as_short_as_round_off(self):
        p = math.pi
        self.passes(struck(0.2, 0.1, 1, 0.4, ((p, 0), (p, p, p))), 0.005)

    # Forces that are not unique are known at both ends of an arc, whatever open contacts leave the list in it: one holds
    # just at its limit
    def test_open_contacts_that_leave_the_list(self):
        p, w = math.pi, 0.2246865201696816
        self.passes(struck(w, w/2, 0.3, w/2, ((0, p), (p, 0, p))), 0.002)

    # Where a series of impacts ends velocities change elsewhere: a slip is against the way that it has then. Impacts of
    # twenty contacts, more than bricks need, are solved though pivots fail.
    def test_a_struck_wall(self):
        p, a = math.pi, 1.1228206034424226
        self.passes(struck(a, a, 0.625, a/2, ((p, p, p), (p, 0), (p, 0, 0))), 0.0401)

    # A step of `jean` has its contacts on the way of the mean velocity, or where u_A leads. Bricks that slide along
    # their edges and do not turn have the same gaps and momentum in both places, to 1e-8: points tell them apart.
    def test_places_of_steps_that_slide(self):
        p = math.pi
        for slope in (0.1, 1.1):
            self.passes(on_a_slope(slope, 0.3, 2, ((0, p, p), (p, 0, 0), (0, 0))), 0.04, 5e-4, "jean")

    # The contact that takes over may be known from before, open
    def test_contacts_that_take_over(self):
        box = "polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]"
        self.passes(f"gravity: [-9.81, -20]\nbodies:\n  b: {{{box}, at: [0, 0, 0], mu: 0.2}}\n"
                    f"  a: {{{box}, free: [0.2, -0.003, 0], velocity: [0, 0.5, 0], mass: 1, mu: 0.2}}\n", 0.05)


main()

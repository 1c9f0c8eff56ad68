# Forces that begin at zero, or pass through it: what they push on rests, by friction or between stops, and has round-off
# of the largest of them. Runs end well, `stickslip verify` passes them, and still finds what is changed in them.
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import main
from verdict import VerdictTest

import h5py

INTEGRATORS = ("moreau", "jean", "euler", "rattle", "event")

# s goes from 0 to 1; each of them is at most 8 in size, and zero at s = 0
SHAPES = ("sin(3*{s})", "sin(pi*{s})", "max(0, {s} - 0.3)", "1 - cos(4*{s})", "sin(3*{s})^2", "{s}*(1 - {s})",
          "-sin(2*{s})", "min(1, 3*{s})")

SPRING = """parameters: {J: 0.01}
coordinates: {p: rad, q: rad}
kinetic: J/2*p'^2 + J/2*q'^2
potential: 5*(p - q)^2
contacts: {brake: {slide: p', bound: 1}, brake2: {slide: q', bound: 0.4}}
forces: {p: 0.8*sin(6*t)^2}
run: {dt: 1e-3, until: 0.6}
"""

STOPS = """coordinates: {x: m}
kinetic: 1/2*x'^2
forces: {x: sin(3*t)}
contacts: {l: {gap: x}, r: {gap: -x}}
run: {dt: 1e-3, until: 1.1}
"""


def rubbing(m, F, T, shape, moves):
    """One mass that friction holds, beside one that moves."""
    beside, its_energy = (", w: m", f" + {m!r}/2*w'^2") if moves else ("", "")
    text = f"coordinates: {{x: m{beside}}}\nkinetic: {m!r}/2*x'^2{its_energy}\n"
    force = f"{F!r}*(" + shape.format(s=f"(t/{T!r})") + ")"
    text += f"contacts: {{f: {{slide: x', bound: {9*F!r}}}}}\nforces: {{x: '{force}'}}\n"
    text += f"initial: {{w': {F*T/m!r}}}\n" if moves else ""
    return text + f"run: {{dt: {T/200!r}, until: {2*T!r}}}\n"


# Round-off of the limits of friction was left where nothing moves
ALIKE = """coordinates: {x: m, z: m}
kinetic: 0.42071722977049336/2*x'^2 + 0.42071722977049336/2*z'^2
potential: 4.287781730408769e-06/2*(x - z)^2
contacts: {f: {slide: x', bound: 6.855649460320245e-07}, h: {slide: z', bound: 6.855649460320245e-07}}
forces: {x: '7.617388289244716e-08*(sin(pi*(t/107.93499636880301)))'}
run: {dt: 1.0793499636880302, until: 107.93499636880301}
"""


class FromZero(VerdictTest):
    def holds(self, text, integrator):
        self.write("m.yaml", text)
        code, out, err = self.tool("run", "m.yaml", "--integrator", integrator, "-q", "-o", "run.h5")
        self.assertEqual((code, err), (0, ""), (integrator, text))
        self.verdict(0, (integrator, text))

    def test_forces_that_begin_at_zero(self):
        for text in (SPRING, STOPS, ALIKE, rubbing(1.0, 2.0, 1.0, "sin(pi*{s})", False)):
            for integrator in INTEGRATORS:
                self.holds(text, integrator)

    def test_in_any_unit(self):
        rng = random.Random(3)
        for shape in SHAPES:
            m, F, T = (10**rng.uniform(-5, 5) for _ in range(3))
            for integrator in INTEGRATORS:
                self.holds(rubbing(m, F, T, shape, rng.random() < 0.3), integrator)

    def test_friction_that_is_missing_is_found(self):
        """An impulse that is changed by a millionth, and a velocity that friction should have stopped."""
        for integrator in INTEGRATORS[:4]:
            for key, by in (("Lambda", 1 + 1e-6), ("u", 0)):
                self.holds(rubbing(1.0, 2.0, 1.0, "sin(pi*{s})", False), integrator)
                with h5py.File(self.path("run.h5"), "r+") as f:
                    if key == "u":
                        f["u"][100:, 0] += 1e-9
                    else:
                        f["Lambda"][100] *= by
                self.verdict(1, (integrator, key))


main()

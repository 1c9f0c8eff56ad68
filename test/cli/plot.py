# `stickslip plot`: the pictures are what they claim to be, and the kept script draws them alone.
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as tree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, PATIENCE, ToolTest, main

import h5py
import numpy as np

MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-", "svg": b"<?xml"}


def distance(points, p):
    """Of p from the polygon through the points."""
    a, b = points[:-1], points[1:]
    s = np.clip(((p - a)*(b - a)).sum(1)/np.maximum(((b - a)**2).sum(1), 1e-300), 0, 1)
    return np.hypot(*(a + s[:, None]*(b - a) - p).T).min()


class Plot(ToolTest):
    def setUp(self):
        super().setUp()
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        self.write("ball.yaml", BALL.replace("name: my ball", "name: my_ball"))
        self.good("run", "ball.yaml", "-q", "-o", "run.h5")

    def test_formats(self):
        for kind, magic in MAGIC.items():
            self.assertEqual(self.good("plot", "run.h5", "-o", f"run.{kind}"), "")
            data = self.read(f"run.{kind}", "rb")
            self.assertTrue(data.startswith(magic), kind)
            self.assertGreater(len(data), 2000)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["ball.yaml", "run.h5", "run.pdf", "run.png", "run.svg"])

    def text_of_svg(self, name):
        texts = [t for t in tree.fromstring(self.read(name)).iter() if t.tag.endswith("text")]
        return " ".join("".join(t.itertext()) for t in texts)

    def test_labels_carry_units_and_names_stay_whole(self):
        self.good("plot", "run.h5", "-o", "run.svg")
        text = re.sub(r"\s+", " ", self.text_of_svg("run.svg"))
        for word in ("x [m]", "y [m]", "t [s]", "contact events"):
            self.assertIn(word, text)
        self.good("plot", "run.h5", "-o", "phase.svg", "--phase", "y", "--title", "it's {a} \\ ^2 & <tag>")
        text = re.sub(r"\s+", " ", self.text_of_svg("phase.svg"))
        for word in ("it's {a} \\ ^2 & <tag>", "y [m]", "dy/dt [m/s]"):
            self.assertIn(word, text)

    def test_columns_ranges_sizes(self):
        self.good("plot", "run.h5", "-o", "a.svg", "--y", "energy.kinetic,energy.potential", "--from", "0.1", "--to",
                  "0.3", "--size", "640x480")
        self.assertIn('width="640" height="480"', self.read("a.svg")[:1000])
        self.good("plot", "run.h5", "-o", "b.svg", "--y", "y,u_y", "--panels")
        self.good("plot", "run.h5", "-o", "c.svg", "--x", "x", "--y", "y")
        self.good("plot", "run.h5", "-o", "d.svg", "--y", "gap.floor,Lambda_N.floor,Lambda_T.floor,residual")
        self.bad(2, "plot", "run.h5", "-o", "e.svg", "--y", "yy", says="yy")
        self.bad(2, "plot", "run.h5", "-o", "e.svg", "--y", "x,,y", says="empty name")
        self.bad(2, "plot", "run.h5", "-o", "e.svg", "--phase", "q", says="q")
        self.bad(2, "plot", "run.h5", "-o", "e.svg", "--from", "7", says="it goes from t = 0 s to 0.5 s")
        for size in ("640", "640x", "0x0", "640x480x", "1x1", "99999x99999", "-5x5"):
            self.bad(2, "plot", "run.h5", "-o", "e.svg", "--size", size, says="WxH")
        self.bad(4, "plot", "run.h5", "-o", "no/such/folder/e.svg", says="no/such/folder/e.svg")
        self.bad(4, "plot", "run.h5", "--script", "no/such/folder/e.gp", says="no/such/folder/e.gp")
        self.assertFalse(os.path.exists(self.path("e.svg")))

    def test_kept_script_draws_the_same_picture_alone(self):
        self.good("plot", "run.h5", "-o", "a.svg", "--script", "a.gp")
        first = self.read("a.svg")
        for name in ("a.svg", "run.h5", "ball.yaml"):
            os.remove(self.path(name))
        done = subprocess.run(["gnuplot", "--default-settings", "a.gp"], cwd=self.folder, capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read("a.svg"), first)

    def test_script_without_a_picture(self):
        self.good("plot", "run.h5", "--y", "u_y", "--script", "my.gp")
        self.assertFalse(os.path.exists(self.path("my.gp.svg")))
        subprocess.run(["gnuplot", "my.gp"], cwd=self.folder, check=True, capture_output=True)
        self.assertTrue(self.read("my.gp.svg").startswith("<?xml"))
        before = self.read("run.h5", "rb")
        self.bad(2, "plot", "run.h5", "--script", "run.h5", says="would replace")
        self.assertEqual(self.read("run.h5", "rb"), before)

    def drawn(self, script):
        """The points of the first curve of a script."""
        lines = self.read(script).splitlines()
        data = lines[lines.index("$curve1 << EOD") + 1:lines.index("EOD")]
        return np.array([[float(word) for word in line.split()] for line in data])

    def rows(self, name):
        return np.loadtxt(self.path(name), delimiter=",", skiprows=1)

    def test_long_runs_are_thinned_within_a_pixel(self):
        self.good("run", "ball.yaml", "-q", "-o", "long.h5", "--dt", "5e-6", "--csv", "long.csv")
        rows = self.rows("long.csv")  # t, x, y, u_x, u_y
        for arguments, x, y in ((["--y", "u_y"], rows[:, 0], rows[:, 4]), (["--phase", "y"], rows[:, 2], rows[:, 4])):
            with self.subTest(arguments=arguments):
                self.good("plot", "long.h5", *arguments, "--script", "long.gp")
                points = self.drawn("long.gp")
                self.assertGreater(len(rows), 100000)
                self.assertLess(len(points), 20000)
                low, size = np.array([x.min(), y.min()]), np.array([np.ptp(x), np.ptp(y)])
                points, curve = (points - low)/size, (np.stack([x, y], 1) - low)/size
                self.assertLess(max(distance(points, curve[i]) for i in range(0, len(curve), 97)), 2e-3)
                self.assertLess(abs(points.min(0) - [0, 0]).max(), 2e-3)
                self.assertLess(abs(points.max(0) - [1, 1]).max(), 2e-3)

    def test_a_fast_oscillation_keeps_its_peaks(self):
        self.write("spring.yaml", "name: spring\ncoordinates: {x: m}\nkinetic: x'^2/2\npotential: x^2/2*1e8\n"
                                  "initial: {x: 1e-3}\nrun: {dt: 1e-5, until: 2}\n")
        self.good("run", "spring.yaml", "-q", "-o", "spring.h5", "--csv", "spring.csv")
        self.good("plot", "spring.h5", "--script", "spring.gp")
        points, rows = self.drawn("spring.gp"), self.rows("spring.csv")
        self.assertGreater(len(rows), 100000)
        self.assertLessEqual(len(points), 20000)
        for t in np.arange(0, 2, 0.01):  # 16 periods each
            drawn = points[(points[:, 0] >= t) & (points[:, 0] < t + 0.01), 1]
            there = rows[(rows[:, 0] >= t) & (rows[:, 0] < t + 0.01), 1]
            self.assertAlmostEqual(drawn.max(), there.max(), delta=1e-6)
            self.assertAlmostEqual(drawn.min(), there.min(), delta=1e-6)

    def test_constant_curves_and_single_rows(self):
        self.write("rest.yaml", BALL.replace("y: 0.1, x': 0.5", "y: 0"))
        self.good("run", "rest.yaml", "-q", "-o", "rest.h5")
        self.good("plot", "rest.h5", "-o", "rest.svg")
        self.good("plot", "run.h5", "-o", "one.svg", "--from", "0.1", "--to", "0.1")

    def labels(self, name):
        """Texts of an SVG with the place where they begin or end: {text: (x, y, rotated)}."""
        found = {}
        for g in tree.fromstring(self.read(name)).iter("{http://www.w3.org/2000/svg}g"):
            move = re.match(r"translate\(([-\d.]+),([-\d.]+)\)( rotate)?", g.get("transform", ""))
            text = re.sub(r"\s+", " ", "".join(g.itertext())).strip()
            if move and text:
                found[text] = (float(move[1]), float(move[2]), bool(move[3]))
        return found

    def test_labels_of_panels_are_inside_the_frame(self):
        # numbers of many digits and long names: the label stands above its panel, where nothing is in its way
        self.good("plot", "run.h5", "-o", "run.svg", "--y", "energy.work_projection,counts.max_penetration,gap.floor")
        labels = self.labels("run.svg")
        above = -100
        for text in ("energy, work_projection [J]", "counts, max_penetration [m]", "gap, floor [m]"):
            x, y, rotated = labels[text]
            self.assertAlmostEqual(x, 110, delta=1)  # where the axis begins
            self.assertFalse(rotated)
            self.assertGreater(y, above + 100)
            above = y
        self.good("plot", "run.h5", "-o", "one.svg", "--y", "energy.work_projection", "--size", "400x200")
        self.assertFalse(self.labels("one.svg")["energy, work_projection [J]"][2])

    def test_velocities_of_free_bodies_are_no_derivatives(self):
        self.good("run", "two-balls", "--until", "0.01", "-q", "-o", "balls.h5")
        self.good("plot", "balls.h5", "-o", "balls.svg", "--y", "u_ball1.vx,ball1.px,u_ball1.wy")
        text = re.sub(r"\s+", " ", self.text_of_svg("balls.svg"))
        for label in ("ball1, vx [m/s]", "ball1, px [m]", "ball1, wy [rad/s]"):
            self.assertIn(label, text)
        self.assertNotIn("/dt", text)

    def test_a_column_of_a_paper(self):
        """Narrow figures have small letters, no title and no remarks, a true minus sign, and numbers that have room."""
        self.good("plot", "run.h5", "-o", "a.svg", "--y", "u_x,u_y", "--size", "340x240")
        picture = self.read("a.svg")
        text = re.sub(r"\s+", " ", self.text_of_svg("a.svg"))
        self.assertIn("dx/dt, dy/dt [m/s]", text)
        self.assertIn("−", text)
        self.assertNotRegex(text, r"-\d")
        for word in ("my_ball", "grey lines"):
            self.assertNotIn(word, text)
        self.assertIn("font-size=\"10.00\"", picture)
        self.good("plot", "run.h5", "-o", "mm.svg", "--y", "u_y", "--size", "85x60mm")
        self.assertIn('width="321"', self.read("mm.svg"))
        self.good("plot", "run.h5", "--script", "prime.gp", "--y", "x',y'")
        self.good("plot", "run.h5", "--script", "u.gp", "--y", "u_x,u_y")
        self.assertEqual(self.read("prime.gp").split("\n", 2)[2], self.read("u.gp").split("\n", 2)[2])
        self.good("plot", "run.h5", "-o", "f.svg", "--y", "F_N.floor,F_T.floor")
        self.assertIn("[N]", self.text_of_svg("f.svg"))
        for size in ("85x60cm", "340.5x240", "1x1mm"):
            self.bad(2, "plot", "run.h5", "-o", "a.svg", "--size", size, says="85x60mm")

    def test_states_are_words(self):
        for y in ("state.floor", "y,state.floor,residual"):
            self.good("plot", "run.h5", "-o", "run.svg", "--y", y)
            text = self.text_of_svg("run.svg").split()
            for word in ("open", "stick"):
                self.assertEqual(text.count(word), 1, word)
            for word in ("slip−", "closed", "slip"):  # which do not occur
                self.assertEqual(text.count(word), 0, word)
        self.good("plot", "run.h5", "--script", "a.gp", "--y", "state.floor,residual")  # no axis for both
        self.assertIn("multiplot", self.read("a.gp"))

    def test_names_are_corrected(self):
        self.write("cases.yaml", "name: c\ncoordinates: {phi_M: rad, phi_S: rad}\nkinetic: phi_M'^2 + phi_S'^2\n")
        self.good("run", "cases.yaml", "-q", "-o", "cases.h5", "--until", "0.01")
        self.bad(2, "plot", "cases.h5", "-o", "a.svg", "--y", "phi_s", says="did you mean 'phi_S'?")
        self.bad(2, "plot", "cases.h5", "-o", "a.svg", "--phase", "phi_s", says="did you mean 'phi_S'?")
        self.bad(2, "plot", "cases.h5", "-o", "a.svg", "--phase", "u_phi_S",
                 says="--phase wants a coordinate and 'u_phi_S' is a rate: --phase phi_S")
        self.bad(2, "plot", "cases.h5", "-o", "a.svg", "--phase", "t", says="the run has phi_M, phi_S")
        self.bad(2, "plot", "run.h5", "-o", "p.svg", "--script", "./p.svg", says="the same file")
        self.assertFalse(os.path.exists(self.path("p.svg")))

    def test_the_first_row_of_gaps_is_drawn_and_that_of_impulses_is_not(self):
        self.good("plot", "run.h5", "--script", "a.gp", "--y", "gap.floor")
        self.assertEqual(list(self.drawn("a.gp")[0]), [0, 0.1])
        self.good("plot", "run.h5", "--script", "a.gp", "--y", "Lambda_N.floor")
        self.assertEqual(self.drawn("a.gp")[0, 0], 1e-3)

    def test_energies_that_were_not_recorded(self):
        self.good("run", "ball.yaml", "-q", "-o", "none.h5", "--no-energy")
        self.bad(2, "plot", "none.h5", "-o", "a.svg", "--y", "y,energy.kinetic", says="without energy accounting")
        self.good("plot", "none.h5", "-o", "a.svg")

    def test_values_that_are_not_finite(self):
        with h5py.File(self.path("run.h5"), "r+") as f:
            f["u"][100:103, 1] = [np.nan, np.inf, -np.inf]
        status, out, err = self.tool("plot", "run.h5", "-o", "a.svg", "--script", "a.gp", "--y", "u_y,u_x")
        self.assertEqual((status, out), (0, ""))
        self.assertEqual(err, "stickslip: warning: u_y: 3 of 501 values are not finite, the first at t = 0.1 s; "
                              "they are not drawn\n")
        self.assertEqual(np.isnan(self.drawn("a.gp")[:, 1]).sum(), 3)
        self.assertNotIn("inf", self.read("a.gp"))

    def with_own_gnuplot(self, commands):
        """An environment whose gnuplot is this shell script and whose temporary folder is ./tmp, empty."""
        os.makedirs(self.path("bin"), exist_ok=True)
        os.makedirs(self.path("tmp"), exist_ok=True)
        self.write("bin/gnuplot", "#!/bin/sh\n" + commands)
        os.chmod(self.path("bin/gnuplot"), 0o755)
        return dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"], TMPDIR=self.path("tmp"))

    def test_signals_leave_nothing_behind(self):
        env = self.with_own_gnuplot(f"touch '{self.path('started')}'; exec sleep 100\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            p = self.start("plot", "run.h5", "-o", "a.svg", env=env)
            self.wait_until(p, lambda: os.path.exists(self.path("started")))
            p.send_signal(number)
            out, err = p.communicate(timeout=PATIENCE)
            self.assertEqual((p.returncode, out), (3, ""))
            self.assertEqual(err, "stickslip: interrupted; no figure was written\n")
            self.assertEqual(os.listdir(self.path("tmp")), [])
            self.assertFalse(os.path.exists(self.path("a.svg")))
            os.remove(self.path("started"))

    def test_pictures_that_do_not_fit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        env = self.with_own_gnuplot("exit 0\n")
        self.bad(4, "plot", "run.h5", "-o", "a.svg", says="File too large", preexec_fn=limit, env=env)
        env = self.with_own_gnuplot("kill -XFSZ $$\n")
        self.bad(4, "plot", "run.h5", "-o", "a.svg", says="File too large", env=env)
        # half a picture, as on a full disk
        env = self.with_own_gnuplot("echo '<?xml version=\"1.0\"?><svg>' > $(dirname $2)/picture.svg\n")
        self.bad(3, "plot", "run.h5", "-o", "a.svg", says="no room", env=env)
        self.assertFalse(os.path.exists(self.path("a.svg")))
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_without_gnuplot(self):
        empty = dict(os.environ, PATH=self.folder)
        self.bad(3, "plot", "run.h5", "-o", "a.svg", says=["gnuplot was not found", "gnuplot-nox"], env=empty)
        self.good("plot", "run.h5", "--script", "a.gp", env=empty)

    def test_no_temporary_folder(self):
        self.bad(4, "plot", "run.h5", "-o", "a.svg", says="temporary folder",
                 env=dict(os.environ, TMPDIR=self.path("missing")))


if __name__ == "__main__":
    main()

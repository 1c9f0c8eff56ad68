# Wrong command lines: each gets its exit status and a message that says what would be right. Help texts.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, ToolTest, main

COMMANDS = ["run", "check", "models", "events", "forces", "plot", "solve", "completion", "help"]


class Usage(ToolTest):
    def test_wrong_use_is_status_2_and_points_to_the_help(self):
        self.write("ball.yaml", BALL)
        lines = [
            (["run"], "MODEL is missing"),
            (["run", "ball.yaml", "woodpecker"], "'woodpecker' is one operand too many"),
            (["run", "ball.yaml", "--integratr", "euler"], "did you mean '--integrator'"),
            (["run", "ball.yaml", "--unt", "1"], "did you mean '--until'"),
            (["run", "ball.yaml", "--UNTIL", "1"], "did you mean '--until'"),
            (["run", "ball.yaml", "--xyzzy"], "unknown option '--xyzzy'"),
            (["run", "ball.yaml", "-z"], "unknown option '-z'"),
            (["run", "ball.yaml", "--dt"], "--dt needs a value (S)"),
            (["run", "ball.yaml", "--csv", "--json"], "--csv needs a value (FILE)"),
            (["run", "ball.yaml", "--dt", "1e-3x"], "'1e-3x' is not a finite number above zero"),
            (["run", "ball.yaml", "--dt", "-1"], "'-1' is not a finite number above zero"),
            (["run", "ball.yaml", "--dt", "0"], "'0' is not a finite number above zero"),
            (["run", "ball.yaml", "--dt", "nan"], "'nan' is not a finite number above zero"),
            (["run", "ball.yaml", "--until", "inf"], "'inf' is not a finite number above zero"),
            (["run", "ball.yaml", "--until="], "'' is not a finite number above zero"),
            (["run", "ball.yaml", "--dt", "1e-300"], "1e+12 steps or more"),
            (["run", "ball.yaml", "--dt", "1", "--until", "0.1"], "less than a step"),
            (["run", "ball.yaml", "--every", "0"], "'0' is not a whole number, 1 or more"),
            (["run", "ball.yaml", "--every", "1.5"], "'1.5' is not a whole number, 1 or more"),
            (["run", "ball.yaml", "--every", "99999999999999999999"], "'99999999999999999999' is not in the range"),
            (["run", "ball.yaml", "--integrator", "rk4"], "it can be moreau, euler"),
            (["run", "ball.yaml", "--integrator", "moreu"], "did you mean 'moreau'"),
            (["run", "ball.yaml", "--project", "maybe"], "it can be auto, on, off"),
            (["run", "ball.yaml", "--quiet=yes"], "--quiet takes no value"),
            (["run", "ball.yaml", "--set", "mu"], "PATH=VALUE"),
            (["run", "ball.yaml", "--set", "=1"], "PATH=VALUE"),
            (["run", "ball.yaml", "--resume", "x.h5"], "MODEL cannot be given"),
            (["run", "--resume", "x.h5", "--dt", "1"], "--resume takes all settings but --until"),
            (["run", "--resume", "x.h5", "--set", "mu=1"], "--resume takes all settings but --until"),
            (["run", "--resume", "x.h5", "-o", "y.h5"], "-o cannot be given"),
            (["run", "ball.yaml", "--json", "--csv", "-"], "cannot both go to standard output"),
            (["check"], "MODEL is missing"),
            (["check", "ball.yaml", "--dt", "1"], "unknown option '--dt'"),
            (["models", "bal"], "did you mean 'ball'"),
            (["models", "quite-another"], "no model 'quite-another'"),
            (["events"], "RUN is missing"),
            (["events", "x.h5", "--kind", "impct"], "did you mean 'impact'"),
            (["events", "x.h5", "--from", "2", "--to", "1"], "--from 2 is after --to 1"),
            (["events", "x.h5", "--csv", "--json"], "cannot both be given"),
            (["events", "x.h5", "--section", "floor:impact"], "with --last-cycle only"),
            (["plot", "x.h5"], "-o FILE is missing"),
            (["plot", "x.h5", "-o", "x.bmp"], ".svg, .png or .pdf"),
            (["plot", "x.h5", "-o", "x.svg", "--phase", "y", "--y", "x"], "--phase cannot be given"),
            (["completion"], "SHELL is missing"),
            (["completion", "tcsh"], "it can be bash, zsh or fish"),
        ]
        for line, message in lines:
            with self.subTest(line=line):
                err = self.bad(2, *line, says=message)
                self.assertIn(f"Try 'stickslip {line[0]} --help'.", err)

    def test_unknown_command(self):
        self.bad(2, "rnu", says="unknown command 'rnu'; did you mean 'run'?")
        self.bad(2, "frobnicate", says=["unknown command 'frobnicate'", "stickslip --help"])
        self.bad(2, "--verison", says="unknown option '--verison'")
        self.bad(2, "", says="unknown command ''")
        self.bad(2, "help", "plto", says="did you mean 'plot'?")

    def test_wrong_files(self):
        self.write("ball.yaml", BALL)
        self.write("text.h5", "this is no HDF5 file\n")
        os.mkdir(self.path("folder"))
        self.bad(4, "run", "missing.yaml", says="missing.yaml")
        self.bad(4, "check", "folder", says="folder")
        for command in (["events"], ["forces"], ["plot", "-o", "x.svg"], ["run", "--resume"]):
            with self.subTest(command=command):
                self.bad(4, *command, "missing.h5", says="missing.h5")
                self.bad(4, *command, "text.h5", says="text.h5")
                self.bad(4, *command, "folder", says="folder")
        for option in ("-o", "--csv", "--events"):
            with self.subTest(option=option):
                self.bad(4, "run", "ball.yaml", option, "no/such/folder/x", says="no/such/folder/x")
                self.bad(4, "run", "ball.yaml", option, "folder", says="folder")
        self.assertEqual(sorted(os.listdir(self.folder)), ["ball.yaml", "folder", "text.h5"])

    def test_wrong_models(self):
        self.write("wrong.yaml", BALL.replace("gap: y,", "gap: z,"))
        self.bad(2, "run", "wrong.yaml", says=["wrong.yaml:8:", "z"])
        self.bad(2, "check", "wrong.yaml", says=["wrong.yaml:8:", "z"])
        self.write("ball.yaml", BALL)
        self.bad(2, "run", "ball.yaml", "--set", "nu=0.25", says="nu")
        self.bad(2, "check", "ball.yaml", "--set", "mu=0.25+", says="mu")
        self.bad(4, "run", "woodpeker", says="did you mean 'woodpecker'?")

    def test_no_command_prints_help_on_stderr(self):
        status, out, err = self.tool()
        self.assertEqual((status, out), (2, ""))
        self.assertIn("Usage: stickslip COMMAND", err)

    def test_help_and_version(self):
        general = self.good("--help")
        self.assertEqual(general, self.good("-h"))
        self.assertEqual(general, self.good("help"))
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertIn(f"\n  {command} ", general)
                text = self.good(command, "--help")
                self.assertEqual(text, self.good("help", command))
                self.assertEqual(text, self.good(command, "-h"))
                self.assertTrue(text.startswith(f"Usage: stickslip {command}"))
                for part in ("Options:", "Examples:", "Exit status:", "--help"):
                    self.assertIn(part, text)
                self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        self.assertRegex(self.good("--version"), r"^stickslip \d+\.\d+\.\d+\n$")

    def test_directories_are_no_files(self):
        for name in ("d", "d.yaml", "d.xml", "d.urdf", "d.h5", "d.json", "d.csv"):
            os.mkdir(self.path(name))
        lines = [[c, name] for c in ("run", "check", "cycle", "solutions", "view") for name in ("d", "d.yaml", "d.xml")]
        lines += [[c, "d.h5"] for c in ("events", "forces", "report", "render", "verify")]
        lines += [["plot", "d.h5", "-o", "a.svg"], ["sweep", "d.yaml", "-o", "a.csv"], ["run", "d.urdf"],
                  ["diagram", "d.csv", "-o", "a.svg"], ["solve", "d"], ["solve", "d.h5"], ["solve", "d.json"]]
        for line in lines:
            with self.subTest(line=line):
                self.bad(4, *line, says="is a directory")

    def test_forms_of_options(self):
        self.write("ball.yaml", BALL)
        self.write("-odd.yaml", BALL)
        runs = [
            ["run", "ball.yaml", "--json", "--until", "0.2", "--set", "mu=0.1"],
            ["run", "--until=0.2", "--set=mu=0.1", "--json", "ball.yaml"],
            ["run", "--json", "--set", "mu=0.1", "--until", "0.2", "--", "ball.yaml"],
            ["run", "--json", "--set", "mu=0.1", "--until", "0.2", "--", "-odd.yaml"],
        ]
        states = [self.json(*line)["state"] for line in runs]
        for state in states:
            self.assertEqual(state, states[0])
        for line in (["-o", "a.h5"], ["-oa.h5"], ["-o=a.h5"], ["--output", "a.h5"], ["--output=a.h5"]):
            self.good("run", "ball.yaml", "-q", *line)
            os.remove(self.path("a.h5"))


if __name__ == "__main__":
    main()

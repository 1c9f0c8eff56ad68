# Completion scripts: valid in their shells, and bash's completes what it should.
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import ToolTest, main


class Completion(ToolTest):
    def test_scripts_are_valid(self):
        checked = 0
        for shell in ("bash", "zsh", "fish"):
            self.write(f"script.{shell}", self.good("completion", shell))
            if not shutil.which(shell):
                continue
            done = subprocess.run([shell, "-n", self.path(f"script.{shell}")], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
            checked += 1
        self.assertGreater(checked, 0)

    def test_options_of_every_command_are_there(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.good("completion", shell)
            for command in ("run", "check", "models", "events", "forces", "plot", "solve", "solvers", "bench",
                            "completion"):
                self.assertIn(command, text)
                for line in self.good("help", command).splitlines():
                    if line.strip().startswith(("-o, --", "-q, --", "--")):
                        name = line.split("--")[1].split()[0]
                        self.assertIn(f"-l {name}" if shell == "fish" and name != "help" else name, text)

    def complete(self, *words):
        script = """
          source script.bash
          COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
          _stickslip
          printf '%s\\n' "${COMPREPLY[@]}"
        """
        self.write("script.bash", self.good("completion", "bash"))
        done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=self.folder, capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_bash_completes(self):
        self.write("my.yaml", "")
        self.assertEqual(self.complete("stickslip", "pl"), {"plot"})
        self.assertEqual(self.complete("stickslip", "run", "wood"),
                         {"woodpecker", "woodpecker4", "woodpecker4-polygons"})
        self.assertEqual(self.complete("stickslip", "run", "my"), {"my.yaml"})
        self.assertIn("ball", self.complete("stickslip", "models", ""))
        self.assertEqual(self.complete("stickslip", "run", "ball", "--integrator", ""),
                         {"moreau", "euler", "event", "jean", "rattle"})
        self.assertEqual(self.complete("stickslip", "run", "ball", "--integrator", "=", "e"), {"euler", "event"})
        self.assertEqual(self.complete("stickslip", "run", "ball", "--qu"), {"--quiet"})
        self.assertEqual(self.complete("stickslip", "plot", "my"), {"my.yaml"})
        self.assertEqual(self.complete("stickslip", "forces", "my"), {"my.yaml"})
        self.assertEqual(self.complete("stickslip", "forces", "x.h5", "--s"), {"--sum"})
        self.assertEqual(self.complete("stickslip", "plot", "x.h5", "-o", "my"), {"my.yaml"})
        self.assertEqual(self.complete("stickslip", "completion", ""), {"bash", "zsh", "fish"})
        self.assertEqual(self.complete("stickslip", "help", "ev"), {"events"})
        self.assertEqual(self.complete("stickslip", "run", "ball", "--dt", ""), set())


if __name__ == "__main__":
    main()

# On a terminal a run shows its progress, in colour if wanted, and clears the line; elsewhere it shows nothing.
import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, TOOL, ToolTest, main


class Progress(ToolTest):
    def on_terminal(self, *args, **environment):
        """Runs the tool with stderr on a pseudo-terminal; returns status and what appeared there."""
        master, slave = pty.openpty()
        env = dict(os.environ, TERM="xterm", **environment)
        p = subprocess.Popen([TOOL, *args], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=slave, env=env)
        os.close(slave)
        seen = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(master)
        return p.wait(60), seen.decode()

    def test_line_is_drawn_and_cleared(self):
        self.write("ball.yaml", BALL)
        for steps in range(5, 10):  # until it takes long enough to be shown
            status, seen = self.on_terminal("run", "ball.yaml", "--until", f"{10**(steps - 3)}")
            self.assertEqual(status, 0)
            if seen:
                break
        self.assertRegex(seen, r"\d+ % \[#*\.*\] t = \S+ s, \S+ steps/s, .* left, \d+ events")
        self.assertTrue(seen.endswith("\r\x1b[K"))
        for line in seen.split("\r"):
            self.assertLess(len(line.replace("\x1b[K", "")), 80)

    def test_quiet(self):
        self.write("ball.yaml", BALL)
        self.assertEqual(self.on_terminal("run", "ball.yaml", "--until", "100", "-q"), (0, ""))

    def test_colour_only_where_wanted(self):
        _, seen = self.on_terminal("run")
        self.assertIn("\x1b[1;31merror: \x1b[0m", seen)
        _, seen = self.on_terminal("run", NO_COLOR="1")
        self.assertNotIn("\x1b", seen)
        _, _, err = self.tool("run")
        self.assertNotIn("\x1b", err)


if __name__ == "__main__":
    main()

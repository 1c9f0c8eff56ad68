# On a terminal a run shows its progress, in colour if wanted, and clears the line; elsewhere it shows nothing.
import os
import pty
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, LESS, PATIENCE, TOOL, ToolTest, main


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
        return p.wait(PATIENCE), seen.decode()

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

    def record(self, rows):
        self.write("ball.yaml", BALL)
        self.good("run", "ball.yaml", "--until", repr(rows*1e-4), "--dt", "1e-4", "-q", "-o", "run.h5")

    def test_verify(self):
        for doublings in range(6):  # until it takes long enough to be shown
            self.record((200000 << doublings)//LESS)
            status, seen = self.on_terminal("verify", "run.h5")
            self.assertEqual(status, 0)
            if seen:
                break
        self.assertRegex(seen, r"\d+ % \[#*\.*\] t = \S+ s, \S+ rows/s, .* left\x1b")
        self.assertTrue(seen.endswith("\r\x1b[K"))
        self.assertEqual(self.tool("verify", "run.h5")[2], "")  # no terminal: nothing is shown

    def interrupt_verify(self):
        """Status, standard output, and what appeared on the terminal."""
        master, slave = pty.openpty()
        p = subprocess.Popen([TOOL, "verify", "run.h5"], cwd=self.folder, stdout=subprocess.PIPE, stderr=slave,
                             env=dict(os.environ, TERM="xterm"))
        os.close(slave)
        seen = b""
        try:
            seen = os.read(master, 4096)  # it has begun to show how far it is
            p.send_signal(signal.SIGINT)
            while True: seen += os.read(master, 4096)
        except OSError:                   # it has ended
            os.close(master)
        out = p.stdout.read()
        p.stdout.close()
        return p.wait(PATIENCE), out, seen.decode()

    def test_verify_interrupted(self):
        for doublings in range(6):  # until it takes long enough to be interrupted
            rows = (200000 << doublings)//LESS
            self.record(rows)
            status, out, seen = self.interrupt_verify()
            if status == 3:
                break
        self.assertEqual((status, out), (3, b""))
        self.assertRegex(seen, rf"interrupted at t = \S+ s, row \d+ of {rows + 1}: nothing can be said of the run")

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

# `stickslip render`: pictures show what the run says, films have their pictures, nothing is left behind.
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from tool import BALL, PATIENCE, ToolTest, main

import numpy as np

# A red disk of radius 0.2 m goes to the right by 1 m/s; the picture is 2 m high
DISK = """\
name: disk
coordinates: {x: m}
kinetic: x'^2/2
initial: {x: -0.5, x': 1}
run: {dt: 1e-3, until: 1}
draw:
  window: {view: [-1, -1, 1, 1]}
  disk: {circle: [x, 0.5*x, 0.2], fill: red}
"""
RED = (208, 58, 58)

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FFMPEG = shutil.which("ffmpeg")


def pixels(data):
    """The pixels of a PNG picture of 8 bits, as an array (height, width, channels)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG picture"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    assert depth == 8 and not interlaced
    n = {2: 3, 6: 4, 0: 1}[colour]
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + n*width)
    out = np.zeros((height + 1, width + 1, n), np.int64)  # with a row above and a column to the left
    for y in range(height):
        kind, line = raw[y, 0], raw[y, 1:].reshape(width, n).astype(np.int64)
        if kind == 0:
            out[y + 1, 1:] = line
        elif kind == 1:
            out[y + 1, 1:] = np.cumsum(line, axis=0) % 256
        elif kind == 2:
            out[y + 1, 1:] = (line + out[y, 1:]) % 256
        else:
            for x in range(width):
                a, b, c = out[y + 1, x], out[y, x + 1], out[y, x]
                if kind == 3:
                    guess = (a + b)//2
                else:
                    pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2*c)
                    guess = np.where((pa <= pb) & (pa <= pc), a, np.where(pb <= pc, b, c))
                out[y + 1, x + 1] = (line[x] + guess) % 256
    return out[1:, 1:, :3]


def middle_of(picture, colour):
    """The mean place of the pixels of a colour, and how many there are."""
    y, x = np.nonzero((abs(picture - np.array(colour)) <= 3).all(axis=2))
    return (x.mean() + 0.5, y.mean() + 0.5, len(x)) if len(x) else (np.nan, np.nan, 0)


class Mistakes(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)
        self.good("run", "ball.yaml", "-q", "-o", "run.h5")

    def test_words_for_what_is_wrong(self):
        self.bad(4, "render", "missing.h5", says="missing.h5")
        self.bad(4, "render", "ball.yaml", says="ball.yaml")
        self.bad(2, "render", "run.h5", "--at", "3", says=("--at 3", "from t = 0 s to 0.5 s"))
        self.bad(2, "render", "run.h5", "--video", "a.mp4", "--to", "0.6", says=("--to 0.6", "0.5 s"))
        self.bad(2, "render", "run.h5", "--video", "a.mp4", "--from", "0.4", "--to", "0.2", says="after")
        self.bad(2, "render", "run.h5", "-o", "a.jpeg", says=".png")
        self.bad(2, "render", "run.h5", "--video", "a.avi", says=(".mp4", ".gif"))
        self.bad(2, "render", "run.h5", "--fps", "10", says="--video")
        self.bad(2, "render", "run.h5", "--video", "a.gif", "--at", "0.1", says="-o")
        self.bad(2, "render", "run.h5", "--video", "a.gif", "--speed", "1e-9", says="pictures")
        for size in ("1280", "0x10", "10x20x30", "100000x100", "-40x40"):
            self.bad(2, "render", "run.h5", f"--size={size}", says="WxH")
        self.bad(2, "render", "run.h5", "--view", "above", says="AZIMUTH,ELEVATION")
        self.bad(2, "render", "run.h5", "--hide", "cones,walls", says=("walls", "trails"))
        shutil.copy(self.path("run.h5"), self.path("run.png"))
        self.bad(2, "render", "run.h5", "-o", "run.png", says="HDF5")

    def test_programs_that_are_missing(self):
        nothing = {**os.environ, "PATH": self.folder}
        self.bad(3, "render", "run.h5", says=("Chromium", "apt install chromium"), env=nothing)
        self.bad(3, "render", "run.h5", "--video", "a.mp4", says=("ffmpeg", "apt install ffmpeg"), env=nothing)
        self.bad(3, "render", "run.h5", "--browser", "./none", says="./none")
        self.assertFalse(os.path.exists(self.path("run.png")))

    def test_programs_that_fail(self):
        os.mkdir(self.path("tmp"))
        for number, script in enumerate(("exit 1", "echo out of order; exit 1", "exec sleep 0.2")):
            self.write(f"browser{number}", f"#!/bin/sh\n{script}\n")
            os.chmod(self.path(f"browser{number}"), 0o755)
            says = ("browser", "ended") if number != 1 else ("browser: out of order", "ended")
            status, out, err = self.tool("render", "run.h5", "--browser", f"./browser{number}",
                                         env={**os.environ, "TMPDIR": self.path("tmp")})
            self.assertEqual((status, out), (3, ""))
            for word in says:
                self.assertIn(word, err)
        self.assertEqual(os.listdir(self.path("tmp")), [])


@unittest.skipUnless(BROWSER, "no Chromium")
class Pictures(ToolTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        self.clean = {**os.environ, "TMPDIR": self.path("tmp")}
        self.write("disk.yaml", DISK)
        self.good("run", "disk.yaml", "-q", "-o", "disk.h5")

    def tearDown(self):
        self.assertEqual(os.listdir(self.path("tmp")), [], "something was left behind")
        super().tearDown()

    def render(self, *args):
        return self.good("render", *args, env=self.clean)

    def test_disk_is_where_the_run_says(self):
        args = ("disk.h5", "--size", "600x400", "--hide", "grid,trails,clock")
        for t in (0, 0.3337, 1):
            self.render(*args, "--at", str(t), "-o", f"{t}.png")
            picture = pixels(self.read(f"{t}.png", "rb"))
            self.assertEqual(picture.shape, (400, 600, 3))
            x, y, n = middle_of(picture, RED)
            at = t - 0.5
            self.assertAlmostEqual(x, 300 + 200*at, delta=0.6)
            self.assertAlmostEqual(y, 200 - 100*at, delta=0.6)
            self.assertAlmostEqual(np.sqrt(n/np.pi), 39.5, delta=1)  # of 40; its edge has another colour
        self.render(*args, "--at", "0.3337", "-o", "again.png")
        self.assertEqual(self.read("0.3337.png", "rb"), self.read("again.png", "rb"))

    def test_names_and_themes(self):
        self.render("disk.h5", "--theme", "dark", "--size", "320x240")
        picture = pixels(self.read("disk.png", "rb"))
        self.assertLess(picture.mean(), 90)
        self.render("disk.h5", "--tab", "energy", "--size", "1000x700", "-o", "page.png")
        self.assertEqual(pixels(self.read("page.png", "rb")).shape, (700, 1000, 3))

    def test_scenes_and_views(self):
        self.good("run", "billiards", "-q", "-o", "run.h5", "--until", "0.1")
        seen = []
        for view in ("front", "top", "30,20"):
            self.render("run.h5", "--view", view, "--size", "300x200", "-o", "a.png")
            picture = pixels(self.read("a.png", "rb"))
            self.assertGreater((abs(picture - picture[0, 150]).max(axis=2) > 20).sum(), 300, view)
            seen.append(self.read("a.png", "rb"))
        self.assertEqual(len(set(seen)), 3)

    @unittest.skipUnless(FFMPEG and shutil.which("ffprobe"), "no ffmpeg")
    def test_films(self):
        self.render("disk.h5", "--video", "a.mp4", "--fps", "10", "--speed", "2", "--size", "161x121", "-o", "end.png")
        self.render("disk.h5", "--video", "a.gif", "--fps", "10", "--from", "0.5", "--size", "160x120")
        for name, frames, size in (("a.mp4", 6, "162,122"), ("a.gif", 6, "160,120")):
            command = ["ffprobe", "-v", "error", "-count_frames", "-of", "csv=p=0", "-show_entries",
                       "stream=width,height,nb_read_frames", self.path(name)]
            told = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(told.stdout.strip(), f"{size},{frames}", name)
        x, _, _ = middle_of(pixels(self.read("end.png", "rb")), RED)
        self.assertAlmostEqual(x, 80.5 + 60.5*0.5, delta=0.6)

    @unittest.skipUnless(FFMPEG, "no ffmpeg")
    def test_interrupted(self):
        child = self.start("render", "disk.h5", "--video", "a.mp4", "--fps", "1000", env=self.clean)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            inside = [os.path.join(self.path("tmp"), d, "frames") for d in os.listdir(self.path("tmp"))]
            if any(os.path.exists(f) and os.path.getsize(f) > 0 for f in inside):
                break
            time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE)
        self.assertEqual((child.returncode, out), (3, ""))
        self.assertIn("interrupted", err)
        self.assertFalse(os.path.exists(self.path("a.mp4")))
        deadline = time.monotonic() + PATIENCE  # its reporter of crashes ends when it sees that the browser is gone
        while time.monotonic() < deadline:
            left = subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True).stdout
            if self.path("tmp") not in left:
                break
            time.sleep(0.1)
        else:
            self.fail("the browser still runs")


if __name__ == "__main__":
    main()

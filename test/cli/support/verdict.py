# Runs that are verified: what `verify --json` says of run.h5, and the model text in it changed afterwards.
import json
import shutil

import h5py
import numpy
from tool import ToolTest


class VerdictTest(ToolTest):
    def verdict(self, status=0, why=""):
        code, out, err = self.tool("verify", "run.h5", "--json")
        self.assertEqual(code, status, f"{why}: {out}{err}")
        return json.loads(out)

    def keep(self):
        """What run.h5 is now, restore() makes it again."""
        shutil.copy(self.path("run.h5"), self.path("kept.h5"))

    def restore(self):
        shutil.copy(self.path("kept.h5"), self.path("run.h5"))

    def rewrite(self, old, new):
        with h5py.File(self.path("run.h5"), "r+") as f:
            text = f["model"].attrs["text"].decode()
            self.assertIn(old, text)
            del f["model"].attrs["text"]
            f["model"].attrs["text"] = numpy.bytes_(text.replace(old, new).encode())

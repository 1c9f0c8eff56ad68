# The shared library exports what the public headers declare with SS_API: no name more, no name less.
import glob, os, re, subprocess, sys

declared = set()
for path in glob.glob(os.path.join(os.environ["SS_SOURCE_DIR"], "include/stickslip/*.h")):
    text = re.sub(r"//.*", "", open(path).read())
    declared |= set(re.findall(r"^SS_API\b[^;{(]*?(\w+)\s*\(", text, flags=re.M))

library = os.path.join(os.environ["SS_BUILD_DIR"], "libstickslip.so")
lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
exported = {line.split()[2] for line in lines.splitlines()}
exported = {name for name in exported if not name.startswith("__")}  # the sanitizers' own

for name in sorted(exported - declared): print("exported, but not declared with SS_API:", name)
for name in sorted(declared - exported): print("declared with SS_API, but not exported:", name)
print(len(declared), "declared,", len(exported), "exported")
sys.exit(0 if declared and declared == exported else 1)

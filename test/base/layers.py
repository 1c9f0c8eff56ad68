# Includes point downwards only: base <- math <- {solve, system, multibody, collide, outline} <- {machine, planar} <-
# contact <- integrate <- {analysis, io} <- cli, and cli/ uses the public interface alone.
import glob, os, re, sys

level = {"base": 0, "math": 1, "solve": 2, "system": 2, "multibody": 2, "collide": 2, "outline": 2,
         "machine": 3, "planar": 3, "contact": 4,
         "integrate": 5, "analysis": 6, "io": 6}
source = os.environ["SS_SOURCE_DIR"]
wrong = []

def includes(path):
    return re.findall(r'^\s*#\s*include\s+(["<][^">]+[">])', open(path).read(), flags=re.M)

for path in sorted(glob.glob(source + "/src/*/*.[ch]")):
    folder = path.split("/")[-2]
    if folder not in level:
        wrong.append(f"src/{folder}: a folder without a level; say in {os.path.basename(__file__)} where it stands")
        continue
    for name in includes(path):
        if name[0] == "<": continue
        other = name.strip('"').split("/")[0] if "/" in name else folder
        if other != folder and level.get(other, 99) >= level[folder]:
            wrong.append(f"{path[len(source) + 1:]} includes {name}, which is not below src/{folder}")

for path in sorted(glob.glob(source + "/cli/*.[ch]")):
    for name in includes(path):
        if name[0] == '"' and not os.path.exists(os.path.join(source, "cli", name.strip('"'))):
            wrong.append(f"{path[len(source) + 1:]} includes {name}, which is not public")

print("\n".join(wrong) or "all includes point downwards")
sys.exit(1 if wrong else 0)

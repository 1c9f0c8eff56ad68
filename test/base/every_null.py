# NULL for every pointer of every public function: none crashes but those of which stickslip/base.h says so, and those
# with a status say that the argument is wrong. The functions are found in the headers, so that none is forgotten.
import glob
import os
import re
import subprocess
import sys
import tempfile

CRASHES = re.compile(r"ss_arena_(mark|release|peak|take)$|ss_tree_")
NEVER = re.compile(r"(_create|_check|_destroy|_validate)$")
NULL_IS_FINE = {"ss_error_set", "ss_record_close"}
NUMBER = re.compile(r"(const )?(int|long|double|size_t|bool|u?int64_t)\b")
DECLARATION = re.compile(r"SS_API\s+([^;{]*?)\b(ss_\w+)\(([^;{]*?)\)\s*(?:SS_PRINTF\([^)]*\))?\s*[;{]")


def zero(parameter):
    if "*" in parameter or "[" in parameter or parameter.startswith("ss_observer"): return "NULL"
    return "0" if NUMBER.match(parameter) else "(" + parameter.rsplit(" ", 1)[0] + "){0}"


def find_functions(folder):
    """(name, whether it returns a status, a call of it with NULL) of those that take a pointer"""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "stickslip/*.h"))):
        with open(path) as f: text = re.sub(r"//.*", "", f.read())
        for result, name, parameters in DECLARATION.findall(text):
            values = [zero(p.strip()) for p in parameters.split(",") if p.strip() not in ("void", "", "...")]
            if "NULL" in values: found.append((name, result.split()[-1] == "ss_status", f"{name}({', '.join(values)})"))
    return found


PROGRAM = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
%s
%s
static int (*const call[])(void) = {%s};
int main(void)
{
  for (size_t i = 0; i < sizeof call/sizeof *call; i++) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      if (!freopen("/dev/null", "w", stderr)) _exit(1);
      _exit(call[i]());
    }
    waitpid(child, &status, 0);
    printf("%%d\\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fflush(stdout);
  }
}
"""


def make_program(functions, folder, include):
    headers = "\n".join(f"#include <stickslip/{os.path.basename(p)}>"
                        for p in sorted(glob.glob(os.path.join(include, "stickslip/*.h"))))
    calls = "\n".join(f"static int c{i}(void) {{ " + (f"return {call} == SS_ERR_ARGUMENT ? 50 : 51;" if status
                                                    else f"(void){call}; return 50;") + " }"
                      for i, (_, status, call) in enumerate(functions))
    source, program = os.path.join(folder, "null.c"), os.path.join(folder, "null")
    with open(source, "w") as f: f.write(PROGRAM % (headers, calls, ", ".join(f"c{i}" for i in range(len(functions)))))
    build = os.environ["SS_BUILD_DIR"]
    subprocess.run([os.environ["SS_CC"], *os.environ.get("SS_CFLAGS", "").split(), "-w", "-I", include, "-o", program,
                    source, "-L", build, "-lstickslip", "-Wl,-rpath," + build], check=True)
    return program


def judge(name, has_status, code):
    """What is wrong; None if nothing is."""
    may_crash = CRASHES.match(name) and not NEVER.search(name)
    if code not in (50, 51): return None if may_crash else "crashes"
    return "does not refuse NULL" if code == 51 and name not in NULL_IS_FINE and not may_crash else None


with tempfile.TemporaryDirectory() as folder:
    functions = find_functions(os.path.join(os.environ["SS_SOURCE_DIR"], "include"))
    program = make_program(functions, folder, os.path.join(os.environ["SS_SOURCE_DIR"], "include"))
    codes = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
wrong = [f"{name}: {text}" for (name, status, _), code in zip(functions, codes)
         if (text := judge(name, status, int(code)))]
print(f"{len(functions)} functions with pointers, {len(wrong)} wrong", *wrong, sep="\n")
sys.exit(len(functions) < 200 or len(codes) != len(functions) or bool(wrong))

#!/usr/bin/env bash
# The page of `stickslip report` in a real browser, headless Chromium driven by playwright-core. Skipped (77) where one
# of them is missing. SS_SHOTS=DIR keeps pictures of every view.
set -euo pipefail
tool=$SS_TOOL
modules=$SS_BUILD_DIR/viewer/node_modules
browser=$(command -v chromium || command -v chromium-browser || true)
. "$SS_SOURCE_DIR/test/viewer/support/skip.sh"
command -v node >/dev/null || skip "no node"
[ -n "$browser" ] || skip "no chromium"
[ -d "$modules/playwright-core" ] || skip "the tool was built without the viewer"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$tool" run woodpecker --until 10 -q -o woodpecker.h5 2>/dev/null
"$tool" run ball --until 1 -q -o ball.h5
"$tool" run ball --until 0.2 --no-energy -q -o falling.h5                 # neither events nor energies
"$tool" run ball --until 1 --dt 1 --every 9 -q -o two.h5
"$tool" run billiards --until 0.3 -q -o scene.h5
"$tool" run stack10 --until 0.1 -q -o stack.h5
"$tool" run brush --until 0.01 --every 4 -q -o brush.h5
"$tool" run brush --until 0.13 --every 40 -q -o many.h5                  # more events than a page keeps
"$tool" run rockfall --until 2 --every 20 -q -o rockfall.h5 2>/dev/null
"$tool" run pendulum12 --until 1.2 -q -o pendulum12.h5 2>/dev/null
cat >hostile.yaml <<'YAML'
name: "</script><script>window.harmed = 1</script><!--"
description: "<img src=x onerror='window.harmed = 1'>"
coordinates: {x: "<b>m</b>"}
kinetic: x'^2/2                       # </script>
contacts: {stop: {gap: 1 - x}}
initial: {x': 1}
run: {dt: 0.01, until: 2}
draw: {note: {text: "</script><b>&amp;", at: [x, 0]}}
YAML
"$tool" run hostile.yaml -q -o hostile.h5
runs="woodpecker ball falling two scene stack brush many rockfall pendulum12 hostile"
for run in $runs; do "$tool" report $run.h5; done
"$tool" report ball.h5 --to 0 -o single.html

size=$(stat -c %s woodpecker.html)
[ "$size" -le 3000000 ] || { echo "10 s of the woodpecker make a page of $size bytes"; exit 1; }
NODE_PATH=$modules SS_BROWSER=$browser SS_PAGES=$folder node "$SS_SOURCE_DIR/test/viewer/support/browser.cjs"

#!/usr/bin/env bash
# The page of `stickslip view` in a real browser, headless Chromium driven by playwright-core. Skipped (77) where one of
# them is missing. SS_SHOTS=DIR keeps pictures of every view.
set -euo pipefail
modules=$SS_BUILD_DIR/viewer/node_modules
browser=$(command -v chromium || command -v chromium-browser || true)
. "$SS_SOURCE_DIR/test/viewer/support/skip.sh"
command -v node >/dev/null || skip "no node"
[ -n "$browser" ] || skip "no chromium"
[ -d "$modules/playwright-core" ] || skip "the tool was built without the viewer"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
. "$SS_SOURCE_DIR/test/viewer/support/live-models.sh"
if "$SS_TOOL" view nowhere.yaml 2>&1 | grep -q "this build has no"; then skip "the tool has no server"; fi
NODE_PATH=$modules SS_BROWSER=$browser SS_FOLDER=$folder node "$SS_SOURCE_DIR/test/viewer/support/live.cjs"

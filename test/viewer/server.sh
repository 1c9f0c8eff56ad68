#!/usr/bin/env bash
# `stickslip view` without a browser: token, origin, host, paths, malformed and oversized messages, and what changes do
# to the running simulation. Skipped (77) without node, or where the tool was built without page or server.
set -euo pipefail
. "$SS_SOURCE_DIR/test/viewer/support/skip.sh"
command -v node >/dev/null || skip "no node"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
. "$SS_SOURCE_DIR/test/viewer/support/live-models.sh"
"$SS_TOOL" check model.yaml >/dev/null
"$SS_TOOL" view nowhere.yaml 2>message && exit 1
grep -q "nowhere.yaml" message || { grep -q "this build has no" message && skip "$(cat message)"; cat message; exit 1; }
rm message
SS_FOLDER=$folder node "$SS_SOURCE_DIR/test/viewer/support/server.cjs"
left=$(ls)
[ "$left" = "$(printf 'free.xml\nmodel.yaml')" ] || { echo "left behind: $left"; exit 1; }

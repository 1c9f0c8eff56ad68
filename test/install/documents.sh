#!/usr/bin/env bash
# Links between the documents lead to files, in the source and where they are installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$SS_BUILD_DIR" --prefix "$folder" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

check_links() {  # check_links ROOT: in all documents below it
  local file link broken=0 n=0
  while IFS=: read -r file link; do
    link=${link#](}
    link=${link%)}
    n=$((n + 1))
    [ -e "$(dirname "$file")/${link%%#*}" ] || { echo "$file: no $link"; broken=1; }
  done < <(cd "$1" && grep -oE '\]\([^)# ][^) ]*\)' README.md CHANGELOG.md docs/*.md docs/*/*.md | grep -v 'https\?:' |
           sed "s|^|$1/|")
  [ "$n" -ge 10 ] || { echo "only $n links below $1"; broken=1; }
  return $broken
}

check_links "$SS_SOURCE_DIR"
check_links "$folder/share/doc/stickslip"

#!/bin/sh
# in-temporary-folder.sh COMMAND...: runs it in a fresh folder that is removed afterwards.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
"$@"

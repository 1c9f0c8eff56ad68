#!/usr/bin/env bash
# Every public header can be included alone, in C and in C++, without a warning.
set -euo pipefail
for path in "$SS_SOURCE_DIR"/include/stickslip/*.h; do
  header=stickslip/${path##*/}
  for language in "c -std=c17" "c++ -std=c++17"; do
    echo "#include <$header>" |
      gcc -x $language -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$SS_SOURCE_DIR/include" - ||
      { echo "$header does not stand alone in ${language%% *}"; exit 1; }
  done
done

#!/usr/bin/env bash
# Tests that clang-format would change no file; `./x lint --fix` lets it. Another version formats otherwise.
# Exit status 77 where there is no clang-format of version 19.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
command -v clang-format-19 >/dev/null || { echo "skipped: no clang-format-19"; exit 77; }
mapfile -t sources < <(find callisto tests lab examples python -name '*.[ch]pp' | sort)
clang-format-19 --dry-run --Werror "${sources[@]}"

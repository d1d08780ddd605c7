#!/usr/bin/env bash
# Builds the .deb packages of what is committed, and lints them.
# Usage: deb.sh [FOLDER]. FOLDER: where to build, default build/deb; the packages go to dist/deb then, else to FOLDER/dist.
# nanobind is Debian's python3-nanobind where there is one, from Debian 13 on. Packages for Debian 12, which go to no
# archive, take it from build/python-env; without either python3-callisto-graph is left out, and said so.
set -euo pipefail
umask 022 # archives keep the permissions of files
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

die() {
  echo "deb: $*" >&2
  exit 1
}
version=$(sed -n 's/^project(callisto VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
work=$(realpath -m "${1:-build/deb}")
dist=$PWD/dist/deb
[[ -z ${1:-} ]] || dist=$work/dist
rm -rf "$work" "$dist"
mkdir -p "$work" "$dist"
git diff --quiet HEAD -- || echo "deb: builds what is committed, without your changes since"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
git archive --prefix="callisto-rts-$version/" HEAD | gzip -n >"$work/callisto-rts_$version.orig.tar.gz"
tar -C "$work" -xf "$work/callisto-rts_$version.orig.tar.gz"
cp -r packaging/debian "$work/callisto-rts-$version/debian"

if dpkg-query -W -f '${db:Status-Status}' python3-nanobind 2>/dev/null | grep -qx installed; then
  echo "deb: nanobind is Debian's"
elif nanobind=$(build/python-env/bin/python -c 'import nanobind, os; print(os.path.dirname(nanobind.__path__[0]))' 2>/dev/null); then
  # A folder with nothing but nanobind: the packages beside it are not Debian's.
  mkdir "$work/nanobind"
  ln -s "$nanobind/nanobind" "$work/nanobind/"
  export CALLISTO_NANOBIND=$work/nanobind DEB_BUILD_PROFILES=pkg.callisto.nanobind
  echo "deb: nanobind is that of build/python-env, since there is no python3-nanobind"
else
  echo "deb: no python3-nanobind, and no nanobind in build/python-env (tools/python_env.sh makes it): python3-callisto-graph is left out"
  export DEB_BUILD_PROFILES=pkg.callisto.nopython
fi
(cd "$work/callisto-rts-$version" && dpkg-buildpackage --no-sign --build=full) >"$work/build.log" 2>&1 ||
  { tail -n 30 "$work/build.log" >&2; die "dpkg-buildpackage failed; all of it is in $work/build.log"; }
mv "$work"/*.deb "$work"/*.dsc "$work"/*.tar.* "$work"/*.changes "$work"/*.buildinfo "$dist/"
echo "deb: built $(cd "$dist" && echo *.deb)"
# No bug of Debian's asks for packages that Debian does not have.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --tag-display-limit 0 "$dist"/*.changes ||
  die "lintian has findings"
echo "deb: lintian has no error and no warning"
git rev-parse HEAD >"$dist/deb.commit"

#!/usr/bin/env bash
# Builds the .deb packages of the working tree's committed state into dist/deb, and lints them.
# Usage: deb.sh [--try]. --try also installs them in a chroot made by debootstrap, runs the autopkgtests there and purges
# them again; it needs root.
# nanobind, which Debian 12 lacks, comes from build/python-env; without it python3-callisto-graph is left out, and said so.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

version=$(sed -n 's/^project(callisto VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
work=build/deb
rm -rf "$work" dist/deb
mkdir -p "$work" dist/deb
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
git archive --prefix="callisto-$version/" HEAD | gzip -n >"$work/callisto_$version.orig.tar.gz"
tar -C "$work" -xf "$work/callisto_$version.orig.tar.gz"
cp -r packaging/debian "$work/callisto-$version/debian"

nanobind=$(build/python-env/bin/python -c 'import nanobind, os; print(os.path.dirname(nanobind.__path__[0]))' 2>/dev/null || true)
if [[ -n $nanobind ]]; then
  export CALLISTO_NANOBIND=$nanobind
else
  echo "deb: no nanobind in build/python-env (tools/python_env.sh makes it): python3-callisto-graph is left out"
  export DEB_BUILD_PROFILES=pkg.callisto.nopython
fi
(cd "$work/callisto-$version" && dpkg-buildpackage --no-sign --build=full)
mv "$work"/*.deb "$work"/*.dsc "$work"/*.tar.* "$work"/*.changes "$work"/*.buildinfo dist/deb/
# No bug of Debian's asks for packages that Debian does not have.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --tag-display-limit 0 dist/deb/*.changes
[[ ${1:-} == --try ]] || exit 0

suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
root=$work/chroot
debootstrap --variant=minbase "$suite" "$root" >"$work/debootstrap.log"
cp /etc/apt/sources.list.d/* "$root/etc/apt/sources.list.d/" 2>/dev/null || true
mkdir "$root/debs"
cp dist/deb/*.deb "$root/debs/"
cp -r packaging/debian/tests "$root/debs/"
chroot "$root" sh -ec '
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  dpkg-query -W -f "\${Package}\n" >/before
  apt-get install -y -qq --no-install-recommends /debs/*.deb g++ cmake pkg-config python3-networkx
  for test in command library shlibs $(ls /debs/python3-*.deb >/dev/null 2>&1 && echo python); do
    echo "deb: autopkgtest $test"
    sh /debs/tests/$test
  done
  apt-get purge -y -qq "libcallisto*" "callisto*" "python3-callisto*"
  ! find / -xdev -path /debs -prune -o -name "*callisto*" -print | grep -v -e ^/proc -e ^/var/log -e ^/var/cache'
echo "deb: installed, tried and purged in $suite"

#!/usr/bin/env bash
# Fills build/arm64-root with the arm64 packages that the portable command is linked with: apt's choice for an empty
# arm64 system, unpacked, of the sources that this machine uses. Needs no root, and leaves the machine's own packages and
# architectures alone. build/arm64-root/var/lib/dpkg says what is in it, as in any system (dpkg-query --admindir).
# Usage: arm64_root.sh PACKAGE...   A second run takes what has become newer since.
set -euo pipefail
umask 022
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

die() {
  echo "arm64_root: $*" >&2
  exit 1
}
(($#)) || die "no package named"
root=$PWD/build/arm64-root
state=$root/var/lib/apt cache=$root/var/cache/apt
mkdir -p "$state/lists/partial" "$cache/archives/partial"
: >"$state/nothing-installed"
apt() {
  apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$state" -o Dir::State::lists=lists \
    -o Dir::State::status="$state/nothing-installed" -o Dir::Cache="$cache" -o Dir::Cache::archives=archives \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=true -o APT::Sandbox::User=root \
    -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false -o APT::Install-Recommends=false -o APT::Keep-Downloaded-Packages=true "$@"
}

apt update || echo "arm64_root: no newer lists of packages: going on with those that are here"
[[ -n $(apt --print-uris download "$1" 2>/dev/null) ]] ||
  die "apt's sources here have no arm64 packages (Ubuntu has them in ports.ubuntu.com only)"
apt --yes --download-only install "$@"
# Those that apt has already are not among the addresses that it prints, unless it is told of another folder.
mkdir -p "$state/empty/partial"
wanted=$(apt -o Dir::Cache::archives="$state/empty" --yes --print-uris install "$@" |
  sed -n "s/^'[^']*' \([^ ]*\.deb\) .*/\1/p" | sort)
[[ -n $wanted ]] || die "apt names no package"
if [[ -e $root/unpacked && $(<"$root/unpacked") == "$wanted" ]]; then
  echo "arm64_root: as before, $(wc -l <<<"$wanted") packages"
  exit 0
fi

for folder in "$root"/*; do
  [[ $folder == "$root/var" ]] || rm -rf "$folder"
done
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"
for file in $wanted; do
  dpkg-deb --extract "$cache/archives/$file" "$root"
  { dpkg-deb --field "$cache/archives/$file" && printf 'Status: install ok installed\n\n'; } >>"$root/var/lib/dpkg/status"
done
# A link to an absolute path would lead out of the folder.
find "$root" -type l -lname '/*' -printf '%l\t%p\n' | while IFS=$'\t' read -r to link; do
  ln -sfnr "$root$to" "$link"
done
# What apt no longer names is not kept.
for file in "$cache"/archives/*.deb; do
  grep -qxF "${file##*/}" <<<"$wanted" || rm "$file"
done
echo "$wanted" >"$root/unpacked"
echo "arm64_root: $(wc -l <<<"$wanted") packages unpacked into ${root#"$PWD"/}"

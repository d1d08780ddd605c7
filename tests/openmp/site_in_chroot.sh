#!/usr/bin/env bash
# site_in_chroot.sh FOLDER PROGRAM: what docs/how-to/openmp-for-everyone.md says, done as root in a fresh Debian 12 with
# the packages of FOLDER: on for all logins, one program excluded and included again, off. PROGRAM is which_library.
# Takes a minute, and the network.
set -euo pipefail
[[ $# -eq 2 && $EUID -eq 0 ]] || { echo "usage: site_in_chroot.sh FOLDER PROGRAM, as root" >&2; exit 2; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" > "$root.log" || { tail -3 "$root.log" >&2; exit 1; }
cp "$1"/{callisto-openmp,callisto-rts,libcallisto0.2}_*_amd64.deb "$root/opt"
cp "$2" "$root/opt/one"
cp "$2" "$root/opt/two"
within() { chroot "$root" bash -lc "cd /opt; $1"; }
expect() { # what, the two programs' libraries
  local found
  found=$(within './one; ./two' | xargs)
  [[ $found == "$2" ]] || { echo "$1: the programs run on '$found' instead of '$2'" >&2; exit 1; }
}
within 'apt-get install -qq --no-install-recommends ./*.deb libgomp1 libstdc++6' > "$root.log" 2>&1 ||
  { tail -3 "$root.log" >&2; exit 1; }
rm -f "$root.log"
expect "installed" "stock stock"
within 'callisto-openmp-site on' > /dev/null
expect "on" "callisto callisto"
within 'callisto-openmp-site exclude two' > /dev/null
expect "one program excluded" "callisto stock"
within 'callisto-openmp-site include two' > /dev/null
expect "included again" "callisto callisto"
within 'callisto-openmp-site off' > /dev/null
expect "off" "stock stock"
echo good

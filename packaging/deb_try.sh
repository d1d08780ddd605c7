#!/usr/bin/env bash
# Installs the packages of dist/deb in a fresh system of this machine's Debian release, runs their autopkgtests there, and
# purges them: nothing may be left. Needs root and debootstrap.
# Usage: deb_try.sh [FOLDER], of the packages, default dist/deb.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
dist=$(realpath "${1:-dist/deb}")

die() {
  echo "deb: $*" >&2
  exit 1
}
((EUID == 0)) || die "--try makes a chroot: run it as root"
compgen -G "$dist/*.deb" >/dev/null || die "no packages in $dist"

# Mounts are in a namespace of their own: they vanish with this script, however it ends.
[[ ${CALLISTO_IN_NAMESPACE:-} == yes ]] || exec env CALLISTO_IN_NAMESPACE=yes unshare --mount "$0" "$dist"
# A system's root is a mount, and other accounts can enter it: tests try these.
root=$(mktemp -d)
chmod 755 "$root"
mount --bind "$root" "$root"
trap 'umount -R "$root" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # apt's own $
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" | head -n 1)
debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log" >&2; die "debootstrap $suite failed; all of it is in $root.log"; }
rm "$root.log"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p "$root/debs/source/debian" "$root/debs/source/tests/install"
cp "$dist"/*.deb "$root/debs/"
# What the autopkgtests take from the source package; they start in its folder.
cp -r packaging/debian/tests "$root/debs/source/debian/"
cp tests/install/joints.py "$root/debs/source/tests/install/"
# There a program that starts at installation would find no system to run on.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

# inside COMMAND...: in the fresh system; its output only if it fails.
inside() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" \
    >"$root/debs/log" 2>&1 || { tail -n 30 "$root/debs/log" >&2; return 1; }
}
inside apt-get update
mapfile -t names < <(for file in "$dist"/*.deb; do dpkg-deb -f "$file" Package; done)
inside sh -c 'apt-get install -y --no-install-recommends /debs/*.deb' || die "the packages cannot be installed"
echo "deb: installed in a fresh $suite: ${names[*]}"

# debian/tests/control: names and what each needs, as autopkgtest reads it.
test='' count=0
while IFS=': ' read -r field value; do
  case $field in
    Tests) test=$value ;;
    Depends)
      if [[ $value == *python3-callisto* && " ${names[*]} " != *python3-callisto* ]]; then
        echo "deb: autopkgtest $test: skipped, its package is not built"
        continue
      fi
      IFS=', ' read -ra needs <<<"$value"
      inside apt-get install -y --no-install-recommends "${needs[@]}" || die "autopkgtest $test: no $value"
      inside sh -c "cd /debs/source && sh debian/tests/$test" || die "autopkgtest $test failed"
      echo "deb: autopkgtest $test: passed"
      count=$((count + 1))
      ;;
  esac
done <packaging/debian/tests/control
((count > 0)) || die "no autopkgtest ran"

inside apt-get purge -y "${names[@]}" || die "the packages cannot be purged"
inside sh -c '! dpkg-query -W "*callisto*" 2>/dev/null | grep .' || die "packages are left after the purge"
# What is in /run ends with the system; the broker that a test starts there has no systemd to take its folder away.
inside sh -c '! find / -xdev \( -path /debs -o -path /proc -o -path /dev -o -path /run -o -path /var/cache/apt \) -prune -o -name "*callisto*" -print | grep .' ||
  die "files are left after the purge"
echo "deb: purged; nothing is left"

#!/usr/bin/env bash
# A whole Debian 12 with systemd and control groups of version 2 in QEMU, without KVM, in which the how-to "Share a server
# among users" is carried out from nothing to a policy in force; then jobs of two users that do not answer. Needs root,
# qemu-system-x86 and mmdebstrap, Debian's packages, 2 GB of disk, and 5 to 15 minutes. Not a part of ./x test.
# Usage: debian_machine.sh [BUILD_DIRECTORY | FOLDER_WITH_DEBS]
# BUILD_DIRECTORY, default build/release, has been built: it is installed as the how-to says for systems without
# packages. A folder with .deb files, such as dist/deb: they are installed as the how-to says for Debian.
# KEEP=FOLDER: keeps Debian's packages there for the next run. CPUS: of the machine, default 4. LIMIT: in seconds,
# default 1800. TRACE=1: shows each command.
set -euo pipefail
# shellcheck source=tests/cosched/outcomes.sh
source "$(dirname "$(readlink -f "$0")")/../cosched/outcomes.sh"
here=$(dirname "$(readlink -f "$0")")
repository=$(readlink -f "$here/../..")
from=$(readlink -f "${1:-$repository/build/release}")
[[ $(id -u) == 0 ]] || skip "only root can make a root file system"
for tool in qemu-system-x86_64 mmdebstrap mke2fs; do
  command -v "$tool" > /dev/null || skip "no $tool (apt install qemu-system-x86 mmdebstrap e2fsprogs)"
done
debs=$(find "$from" -maxdepth 1 -name '*.deb')
job_program=${JOB_PROGRAM:-$repository/build/release/bin/job_program}
[[ -x $job_program ]] || fail "no $job_program: cmake --build --preset release --target job_program"

work=$(mktemp -d)
keep=${KEEP:-$work}
mkdir -p "$keep"
machine=
finish() {
  [[ -z $machine ]] || kill -KILL "$machine" 2> /dev/null || true
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT

# The libraries are those that a build on Debian 12 needs; packages bring their own.
packages=systemd-sysv,dbus,libpam-systemd,udev,sudo,procps,util-linux,linux-image-amd64,initramfs-tools
packages+=,libstdc++6,libgomp1,libhwloc15,zlib1g,libzstd1,libarchive13,libexpat1,libfmt9
if [[ ! -f $keep/debian.tar ]]; then
  echo "debian_machine: makes a Debian 12"
  mmdebstrap --variant=minbase --include="$packages" --aptopt='Acquire::Languages "none"' bookworm \
    "$work/debian.tar" > "$work/log" 2>&1 || { tail -n 5 "$work/log"; fail "mmdebstrap"; }
  [[ $work == "$keep" ]] || mv "$work/debian.tar" "$keep/debian.tar"
fi
root=$work/root
mkdir "$root"
tar -xf "$keep/debian.tar" -C "$root"
cp "$root"/boot/vmlinuz-* "$work/kernel"
cp "$root"/boot/initrd.img-* "$work/initrd"

try=$root/root/try
mkdir -p "$try/packaging/debian"
cp "$here/debian_machine_inside.sh" "$repository/docs/how-to/share-a-server-among-users.md" "$try/"
cp "$repository/packaging/debian/callisto-broker.service" "$try/packaging/debian/"
[[ -z ${TRACE:-} ]] || touch "$try/trace"
cp "$job_program" "$root/usr/local/bin/job_program"
if [[ -n $debs ]]; then
  # What apt would fetch is installed here, since the machine has no network.
  cp "$from"/*.deb "$try/"
else
  DESTDIR=$root cmake --install "$from" --prefix /usr/local > "$work/log" || { tail -n 5 "$work/log"; fail "cmake"; }
  rm -rf "$root/usr/local/include" "$root"/usr/local/lib/*.a
fi
cat > "$root/etc/systemd/system/try.service" << 'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
# Not a kill by group: the broker's group is what is tried.
ExecStart=/root/try/debian_machine_inside.sh
ExecStopPost=/bin/systemctl poweroff --no-block
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
WorkingDirectory=/root/try
UNIT
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../try.service "$root/etc/systemd/system/multi-user.target.wants/try.service"
ln -sf /dev/null "$root/etc/systemd/system/serial-getty@.service"
echo debian > "$root/etc/hostname"
echo 127.0.1.1 debian >> "$root/etc/hosts"
rm -rf "$root"/usr/share/doc "$root"/usr/share/locale "$root"/var/cache/apt
mke2fs -q -t ext4 -d "$root" "$work/disk" 1500M
rm -rf --one-file-system "$root"

echo "debian_machine: starts it"
# Under load a check of the timers fails by itself: it is left out.
timeout -k 10 "${LIMIT:-1800}" qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max -smp "${CPUS:-4}" -m 2048 \
  -kernel "$work/kernel" -initrd "$work/initrd" \
  -append "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=no mitigations=off no_timer_check panic=-1" \
  -drive "file=$work/disk,if=virtio,format=raw,cache=unsafe" -display none -monitor none -serial stdio \
  -no-reboot -nic none < /dev/null > "$work/console" 2>&1 &
machine=$!
tail -F --pid=$machine "$work/console" 2> /dev/null | sed -u 's/\r//g; s/^/  /'
wait $machine || true
machine=
grep -q '^inside: all is as it should' "$work/console" || fail "the machine has not said that all is as it should"
echo "debian_machine: passed"

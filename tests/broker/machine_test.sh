#!/usr/bin/env bash
# The how-to on a whole machine: Debian 12 with systemd and control groups of version 2 in QEMU, without KVM. From
# nothing to a policy in force, and each grade's limits against two users. Not a part of ./x test: it takes 10 minutes
# and more, 2 GB of disk and the network of a Debian mirror. As root.
# Usage: machine_test.sh CALLISTO JOB_PROGRAM
set -euo pipefail
# shellcheck source=tests/cosched/outcomes.sh
source "$(dirname "$(readlink -f "$0")")/../cosched/outcomes.sh"
here=$(dirname "$(readlink -f "$0")")
for tool in qemu-system-x86_64 mmdebstrap mke2fs; do command -v $tool > /dev/null || skip "no $tool"; done
[[ $(id -u) == 0 ]] || skip "only root can make the machine's disk"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mmdebstrap --variant=minbase --include=systemd,systemd-sysv,dbus,libpam-systemd,linux-image-amd64,util-linux,procps \
  --include=libgomp1,libstdc++6,zlib1g,libzstd1 bookworm "$root" > "$work/made" 2>&1 || skip "no Debian: $(tail -1 "$work/made")"
cp "$1" "$root/usr/bin/callisto"
cp "$2" "$root/usr/local/bin/job"
ldd "$1" "$2" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | sort -u | while read -r library; do
  [[ -e $root$library ]] || install -D "$library" "$root$library"
done
cp "$here/../../packaging/debian/callisto-broker.service" "$root/etc/systemd/system/"
mkdir -p "$root/etc/callisto"
cp "$here/../../packaging/debian/broker.toml" "$root/etc/callisto/"
for user in ann:1001 bob:1002; do
  echo "${user%:*}:x:${user#*:}:${user#*:}::/tmp:/bin/sh" >> "$root/etc/passwd"
  echo "${user%:*}:x:${user#*:}:" >> "$root/etc/group"
done
cp "$here/machine_guest.sh" "$root/root/"
cat > "$root/etc/systemd/system/try.service" << 'UNIT'
[Service]
Type=oneshot
ExecStart=/bin/bash /root/machine_guest.sh
[Install]
WantedBy=multi-user.target
UNIT
ln -s ../try.service "$root/etc/systemd/system/multi-user.target.wants/"
mke2fs -q -t ext4 -d "$root" "$work/disk" 2G
timeout 3600 qemu-system-x86_64 -accel tcg,thread=multi -smp 2 -m 1024 -nographic -no-reboot -net none \
  -kernel "$root"/boot/vmlinuz-* -initrd "$root"/boot/initrd.img-* \
  -append "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=0" \
  -drive "file=$work/disk,format=raw,if=virtio" < /dev/null | tee "$work/said" || fail "the machine did not end"
grep -q "ALL GOOD" "$work/said" || fail "$(grep -a BAD "$work/said")"

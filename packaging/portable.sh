#!/usr/bin/env bash
# Makes dist/callisto-VERSION-linux-PROCESSOR: the command as one static file, stripped. For this machine's processor also
# dist/callisto-VERSION-words.tar.gz: its manual pages and completions, as files of a prefix.
# Usage: portable.sh [--arch PROCESSOR] [--try [SUITE...]]. PROCESSOR: this machine's, or aarch64, which ./x portable
# cross-builds. --try: runs it in a fresh chroot of each Debian release SUITE (default: bullseye, with glibc 2.31, and
# trixie); needs root and debootstrap. For another processor it runs it under qemu-user, and compares its answers with
# those of this machine's portable command.
set -euo pipefail
umask 022
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

die() {
  echo "portable: $*" >&2
  exit 1
}
here=$(uname -m) arch=$(uname -m)
if [[ ${1:-} == --arch ]]; then
  arch=$2
  shift 2
fi
preset=release strip=strip
if [[ $arch != "$here" ]]; then
  [[ $arch == aarch64 ]] || die "no way to build for $arch here"
  preset=aarch64 strip=aarch64-linux-gnu-strip
fi
version=$(sed -n 's/^project(callisto VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
file=dist/callisto-$version-linux-$arch
[[ -e build/$preset/bin/callisto-portable ]] || die "not built: cmake --build --preset $preset --target callisto_portable"
mkdir -p dist
"$strip" -o "$file" "build/$preset/bin/callisto-portable"
rm -f "dist/portable-$arch.commit"
if [[ $arch == "$here" ]]; then
  made=$(mktemp -d)
  tools/cli_words.py --into "$made/words" "$file"
  install -Dm644 "$made"/words/man/* -t "$made/prefix/share/man/man1"
  install -Dm644 "$made/words/completion/callisto.bash" "$made/prefix/share/bash-completion/completions/callisto"
  install -Dm644 "$made/words/completion/_callisto" -t "$made/prefix/share/zsh/site-functions"
  install -Dm644 "$made/words/completion/callisto.fish" -t "$made/prefix/share/fish/vendor_completions.d"
  tar -C "$made/prefix" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu \
    --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" -cf - share | gzip -n >"dist/callisto-$version-words.tar.gz"
  rm -rf "$made"
fi
# A file of a release is of one commit.
[[ -n $(git status --porcelain 2>/dev/null | head -n 1) ]] ||
  git rev-parse HEAD >"dist/portable-$arch.commit" 2>/dev/null || true
echo "portable: $file, $(stat -c %s "$file") bytes"

[[ ${1:-} == --try ]] || exit 0
shift
if [[ $arch != "$here" ]]; then
  packaging/portable_beside.sh "$file" build/release/bin/callisto-portable
  exit 0
fi
suites=("$@")
((${#suites[@]})) || suites=(bullseye trixie)
((EUID == 0)) || die "--try makes a chroot: run it as root"
command -v debootstrap >/dev/null || die "--try needs debootstrap"
# Mounts are in a namespace of their own: they vanish with this script, however it ends.
[[ ${CALLISTO_IN_NAMESPACE:-} == yes ]] ||
  exec env CALLISTO_IN_NAMESPACE=yes unshare --mount "$0" --arch "$arch" --try "${suites[@]}"
root=$(mktemp -d)
trap 'umount -R "$root"/*/proc 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
# shellcheck disable=SC2016 # apt's own $
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" | head -n 1)
for suite in "${suites[@]}"; do
  debootstrap --variant=minbase "$suite" "$root/$suite" ${mirror:+"$mirror"} >"$root/log" 2>&1 ||
    { tail -n 5 "$root/log" >&2; die "debootstrap $suite failed"; }
  mount -t proc proc "$root/$suite/proc"
  cp "$file" "$root/$suite/usr/local/bin/callisto"
  cp examples/karate.txt "$root/$suite/tmp/"
  inside() { chroot "$root/$suite" env -i PATH=/usr/local/bin:/usr/bin:/bin TERM=dumb "$@"; }
  inside callisto --version >"$root/log" || die "$suite: --version"
  inside callisto pagerank /tmp/karate.txt --top 1 --quiet >"$root/answer" || die "$suite: pagerank"
  grep -q '^ *1 *33\|^33' "$root/answer" || die "$suite: another answer: $(cat "$root/answer")"
  inside sh -c 'cd /tmp && callisto analyze karate.txt --quiet && test -s karate-analysis.html' || die "$suite: analyze"
  inside sh -c 'callisto run -- callisto status >/dev/null' || die "$suite: run, status"
  inside sh -c 'cd /tmp && callisto demo karate.txt --quiet >/dev/null' || die "$suite: demo"
  echo "portable: runs in a fresh $suite ($(inside ldd --version 2>/dev/null | head -n 1))"
done

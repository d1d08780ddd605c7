#!/usr/bin/env bash
# native_code_test.sh OBJECT: the machine policy costs nothing natively: in OBJECT, made of native_code.cpp, a claim from
# a shared counter is one atomic addition, with nothing called and no other locked or ordering instruction.
# Exit status 77 where that cannot be told.
set -euo pipefail
command -v objdump >/dev/null || { echo "skipped: no objdump here"; exit 77; }
code=$(objdump -d --no-show-raw-insn "$1" | awk '/^[0-9a-f]+ <callisto_claim>:$/ { inside = 1; next } /^$/ { inside = 0 } inside')
[[ -n $code ]] || { echo "FAILED: no callisto_claim in $1"; exit 1; }

# count REGEX: the instructions of the claim that match.
count() { grep -cE "$1" <<<"$code" || true; }
architecture=$(objdump -f "$1" | sed -nE 's/^architecture: ([^,]*),.*/\1/p')
case $architecture in
  i386:x86-64)
    additions=$(count '\slock xadd')
    others=$(($(count '\s(lock|[ms]fence)\b|\sxchg[a-z]* .*\(') - additions))
    calls=$(count '\scall')
    ;;
  aarch64)
    # One instruction (ldadd: no acquire, no release), or the pair of exclusive accesses before Armv8.1.
    additions=$(($(count '\sldadd\s') + $(count '\sldxr\s')))
    others=$(($(count '\s(ldadda|ldaddl|ldaddal|ldaxr|stlxr|ldar|stlr|dmb|cas[a-z]*|swp[a-z]*)\s')))
    calls=$(count '\sblr?\s')
    ;;
  *)
    echo "skipped: what an atomic addition looks like on $architecture is not known here"
    exit 77
    ;;
esac
if ((additions != 1 || others != 0 || calls != 0)); then
  echo "FAILED: $additions atomic additions (expected 1), $others other atomic or ordering instructions and $calls calls" \
    "(expected none):"
  echo "$code"
  exit 1
fi
echo "a claim is one atomic addition among $(wc -l <<<"$code") instructions"

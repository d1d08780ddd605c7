#!/usr/bin/env bash
# native_code_test.sh OBJECT: what the scheduling code costs natively, in OBJECT, made of native_code.cpp.
# Exit status 77 where that cannot be told.
set -euo pipefail
command -v objdump >/dev/null || { echo "skipped: no objdump here"; exit 77; }
object=$1

# code_of FUNCTION: its instructions.
code_of() {
  objdump -d --no-show-raw-insn "$object" |
    awk -v name="$1" '$0 ~ "^[0-9a-f]+ <" name ">:$" { inside = 1; next } /^$/ { inside = 0 } inside'
}

# count REGEX: the instructions in $code that match.
count() { grep -cE "$1" <<<"$code" || true; }
architecture=$(objdump -f "$object" | sed -nE 's/^architecture: ([^,]*),.*/\1/p')

# check FUNCTION ADDITIONS CALLS: it has so many atomic additions and at most so many calls, and no other atomic or
# ordering instruction.
check() {
  local code additions others calls
  code=$(code_of "$1")
  [[ -n $code ]] || { echo "FAILED: no $1 in $object"; exit 1; }
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
  if ((additions != $2 || others != 0 || calls > $3)); then
    echo "FAILED: $1 has $additions atomic additions (expected $2), $others other atomic or ordering instructions" \
      "(expected none) and $calls calls (expected at most $3):"
    echo "$code"
    exit 1
  fi
  echo "$1: atomic additions: $2, instructions: $(wc -l <<<"$code")"
}

# The shared counter's claim is one addition; a piece of a reservation has no locked instruction, and a call for the
# case that a thief asks.
check callisto_claim 1 0
check callisto_piece 0 1

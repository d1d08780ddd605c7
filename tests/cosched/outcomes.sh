# shellcheck shell=bash
# What the shell tests of this folder share: a result that ctest counts as skipped, and one line for a failure.
skip() {
  echo "skipped: $1"
  exit 77
}
fail() {
  echo "FAILED: $1"
  exit 1
}

#!/usr/bin/env bash
# A compiler launcher: takes each object from another build of the same sources rather than compiling it once more.
# Usage: reuse_object.sh BUILD_DIRECTORY COMPILER ARGUMENT...
# CALLISTO_REUSE_ELSE: one more argument for what that build has not.
# BUILD_DIRECTORY built a static library of objects that fit into a shared one: position-independent, hidden but for
# what is exported.
set -euo pipefail
from=$1
shift
arguments=("$@")
for ((i = 0; i + 1 < $#; ++i)); do
  case ${arguments[i]} in
    -o) output=${arguments[i + 1]} ;;
    -MF) dependencies=${arguments[i + 1]} ;;
  esac
done
# In another project the library has a folder of its own, and one file of loops alone is compiled in another way.
[[ " $* " != *" -DCALLISTO_WITHOUT_HWLOC "* ]] || exec "$@"
output_here=$output
output=${output#within/}
object=$from/$output
[[ -e $object ]] || exec "$@" ${CALLISTO_REUSE_ELSE:-}
cp "$object" "$output_here"
# It is stale when that one is; ninja knows which headers make it so there.
[[ -z ${dependencies:-} ]] || echo "$output_here: $(realpath "$object")" >"$dependencies"

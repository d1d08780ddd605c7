#!/bin/sh
# refused_at_compile_time.sh COMPILER STANDARD SOURCE_DIR: each line marked "// refused" is an error, no other line is.
set -eu
compiler=$1 standard=$2 root=$3
source=$root/tests/loop/refused_at_compile_time.cpp
"$compiler" "-std=$standard" -fsyntax-only -I"$root" "$source"
if said=$("$compiler" "-std=$standard" -fsyntax-only -DREFUSED -I"$root" "$source" 2>&1); then
  echo "all of it compiles"
  exit 1
fi
failed=0
for line in $(grep -n '// refused$' "$source" | cut -d: -f1); do
  case $said in
    *"refused_at_compile_time.cpp:$line:"*) ;;
    *) echo "$source:$line compiles"; failed=1 ;;
  esac
done
for line in $(printf '%s\n' "$said" | sed -n 's/.*refused_at_compile_time\.cpp:\([0-9]*\):[0-9]*: error.*/\1/p' | sort -u); do
  sed -n "${line}p" "$source" | grep -q '// refused$' || { echo "$source:$line does not compile"; failed=1; }
done
exit $failed

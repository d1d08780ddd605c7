#!/usr/bin/env bash
# packaging/abi/abi.sh tells a library that keeps its interface from one that does not: seeded changes of a small one.
set -euo pipefail
abi=$(dirname "$(readlink -f "$0")")/../../packaging/abi
command -v abidiff >/dev/null || { echo "skipped: no abidiff (Debian: abigail-tools)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

mkdir -p "$work/source"/{cmake,callisto,packaging/abi} "$work/build/callisto"
cp "$abi"/{ignored.ini,layouts.py} "$work/source/packaging/abi/"
cd "$work/source"
echo callisto/point.hpp >cmake/public_headers.txt
echo '#include "callisto/point.hpp"' >packaging/abi/interface.cpp
reset() {
  echo 'project(callisto VERSION 0.1.0 LANGUAGES CXX' >CMakeLists.txt
  printf '## [Unreleased]\n## [0.1.0] - 2020-01-01\n' >CHANGELOG.md
  cat >callisto/point.hpp <<'END'
#include <string>
namespace callisto {
struct point { int x; int y; };
class counter {
 public:
  int next() { return ++last; }
 private:
  int last = 0;
};
[[gnu::visibility("default")]] int length(const point&);
[[gnu::visibility("default")]] std::string name(const point&);
}
END
  cat >library.cpp <<'END'
#include "callisto/point.hpp"
namespace callisto {
int length(const point& p) { return p.x + p.y; }
std::string name(const point& p) { return std::to_string(p.x); }
}
END
}
build() {
  "${CXX:-g++}" -std=c++20 -fPIC -fvisibility=hidden -I. -c library.cpp -o library.o
  rm -f "$work/build/callisto/libcallisto.a"
  ar rc "$work/build/callisto/libcallisto.a" library.o
}
# expects STATUS TEXT DESCRIPTION: what abi.sh says about the library as it is now.
expects() {
  local status=0
  build
  "$abi/abi.sh" check "$work/build" "$work/source" >"$work/out" 2>&1 || status=$?
  if ((status != $1)) || ! grep -qF "$2" "$work/out"; then
    echo "FAILED: $3: exit status $status instead of $1, or no '$2':"
    sed 's/^/  | /' "$work/out"
    failed=1
  fi
  reset
}

reset
expects 77 "no release has its interface" "no dump"
build
"$abi/abi.sh" write "$work/build" "$work/source" >/dev/null
expects 0 "is still what 0.1.0 was" "the same library"
sed -i '1i int more() { return 1; }' library.cpp
expects 0 "is still what 0.1.0 was" "a function more"
sed -i '/^int length/d' library.cpp
expects 1 "_ZN8callisto6lengthERKNS_5pointE" "a function gone"
sed -i 's/int x;/& int z;/' callisto/point.hpp
expects 1 "'int z'" "a member more"
sed -i 's/int last = 0;/& int most = 0;/' callisto/point.hpp
expects 1 "callisto::counter: most: none bits in the release, 32 now" "a private member more in a class that no function takes"
sed -i 's/int x;/& int z;/' callisto/point.hpp
sed -i 's/0\.1\.0/0.2.0/' CMakeLists.txt
expects 77 "libcallisto.so.0.2" "another minor version"
sed -i 1d CHANGELOG.md
sed -i 's/int x;/& int z;/' callisto/point.hpp
expects 77 "0.1.0 is not released" "before the release"
exit "$failed"

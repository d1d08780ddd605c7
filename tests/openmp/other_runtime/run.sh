#!/usr/bin/env bash
# run.sh LIBGOMP GCC SITE: programs and libraries of another OpenMP runtime, beside a preloaded LIBGOMP. If they need only
# functions that ours has, they are ours. Else a program that needs the other runtime when it starts begins anew without
# ours; in one that loads it later, each runtime answers its own. The other runtime is a small one with names of libiomp5
# (runtime.c). SITE is tools/openmp_site.sh.
set -euo pipefail
library=$1 gcc=$2 site=$3
source=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset MKL_THREADING_LAYER CALLISTO_OPENMP

# expect WANTED WHAT COMMAND...: the command must print that. 'told' before it: and one line that says why the program
# keeps its runtime.
expect() {
  local wanted=$1 what=$2 got
  shift 2
  got=$("$@" 2>&1) || { echo "wrong: $what ended with $?: $got"; exit 1; }
  got=$(sed '/^$/d; s/^.* needs __kmpc_unserved_fork, which Callisto lacks; it keeps its .*/told/' <<< "$got" | paste -sd ' ')
  [[ $got == "$wanted" ]] || { echo "wrong: $what printed '$got' instead of '$wanted'"; exit 1; }
}
preloaded=(env "LD_PRELOAD=$library")
shared=("$gcc" -O1 -shared -fPIC)

for name in libiomp5.so libomp.so.5 libnvomp.so librenamed-1a2b3c.so.5; do
  rm -rf here && mkdir here
  "${shared[@]}" "$source/runtime.c" -pthread -Wl,-soname,$name -o here/$name
  "${shared[@]}" "$source/helper.c" -o here/libhelper.so
  # The runtime is needed by the client, or by the program alone, as MKL has it.
  "${shared[@]}" "$source/client.c" here/libhelper.so here/$name -Wl,-rpath,"$work/here" -o here/libclient.so
  "${shared[@]}" "$source/client.c" here/libhelper.so -Wl,-rpath,"$work/here" -o here/libbare.so
  "$gcc" "$source/program.c" -Wl,--no-as-needed here/libclient.so -Wl,-rpath,"$work/here" -Wl,--allow-shlib-undefined here/libhelper.so -o by_library
  "$gcc" "$source/program.c" -Wl,--no-as-needed here/libbare.so here/libhelper.so here/$name -Wl,-rpath,"$work/here" -Wl,--disable-new-dtags -o by_itself
  "$gcc" "$source/program.c" -Wl,--no-as-needed here/libbare.so here/libhelper.so here/$name -o by_path
  "$gcc" -DLOADS "$source/program.c" -ldl -o loads
  "$gcc" -DLOADS -fopenmp "$source/program.c" -ldl -o loads_in_regions
  for program in by_library by_itself; do
    expect right "$program with $name" "./$program"
    expect 'told right' "$program with $name, preloaded" "${preloaded[@]}" "./$program"
  done
  expect 'told right' "$name by LD_LIBRARY_PATH" "${preloaded[@]}" LD_LIBRARY_PATH="$work/here" ./by_path
  expect 'told right' "$name by LD_LIBRARY_PATH, beside this library's" env LD_LIBRARY_PATH="$work/here:$(dirname "$library")" \
    LD_PRELOAD="$library" ./by_path
  expect "right ours" "$name, preloaded, too" env LD_PRELOAD="$library:$work/here/$name" ./loads here/libclient.so
  printf '#!%s/by_library\n' "$work" > script && chmod +x script
  expect 'told right' "a script of a program with $name" "${preloaded[@]}" ./script
  # The loader itself is the program then, and cannot begin anew: each answers its own.
  loader=$(readelf -l by_library | sed -n 's/.*interpreter: \(.*\)]/\1/p')
  expect "right ours" "$name by the loader's name" "${preloaded[@]}" "$loader" ./by_library
  for program in loads loads_in_regions; do
    for how in '' global; do
      expect "right ours" "$program $how with $name" "${preloaded[@]}" "./$program" here/libclient.so $how
    done
  done
  # A library that needs nothing else is ours, whether it is loaded at the start or later.
  "${shared[@]}" -DSERVED "$source/client.c" here/libhelper.so here/$name -Wl,-rpath,"$work/here" -o here/libserved.so
  "$gcc" "$source/program.c" -Wl,--no-as-needed here/$name here/libserved.so -Wl,-rpath,"$work/here" -Wl,--disable-new-dtags here/libhelper.so -o served
  "$gcc" "$source/program.c" -Wl,--no-as-needed here/$name here/libserved.so -Wl,-rpath,"$work/here" -Wl,--enable-new-dtags here/libhelper.so -o served_by_path
  expect "right ours" "served with $name" "${preloaded[@]}" ./served
  for how in '' global; do
    expect "right ours" "loads $how of what is served with $name" "${preloaded[@]}" ./loads here/libserved.so $how
  done
  # Without preloading: a link of the runtime's name to the library.
  rm -rf links && mkdir links && ln -s "$library" links/$name
  expect "right ours" "a link for $name" env LD_LIBRARY_PATH="$work/links" ./served_by_path
  # As often as one likes: what is known of objects ends with them.
  if command -v python3 > python; then
    expect 'True' "Python with $name" "${preloaded[@]}" python3 -c "
import ctypes, _ctypes
good = True
for n in range(30):
    client = ctypes.CDLL('here/libclient.so', mode=ctypes.RTLD_GLOBAL if n % 2 else ctypes.RTLD_LOCAL)
    good = good and client.client_is_right() == 1
    _ctypes.dlclose(client._handle)
print(good)"
  fi
done

# MKL refuses to use Intel's runtime beside a libgomp, so the variable that asks for it has the process begin anew.
"$gcc" "$source/program.c" -DLOADS -ldl -o loads
expect right "MKL_THREADING_LAYER=intel" "${preloaded[@]}" MKL_THREADING_LAYER=intel ./loads here/libclient.so
expect "right ours" "MKL_THREADING_LAYER=GNU" "${preloaded[@]}" MKL_THREADING_LAYER=GNU ./loads here/libclient.so
expect wrong "a stock libgomp, preloaded" env LD_PRELOAD=libgomp.so.1 ./loads here/libclient.so

# A copy in another prefix, on for all logins.
mkdir -p opt/lib/callisto
cp "$library" opt/lib/callisto
"$site" on --library "$work/opt/lib/callisto/libgomp.so.1" --etc "$work/etc" > said
on_login() { env -i PATH="$PATH" "$@" bash -c '. etc/profile.d/callisto-openmp.sh; exec "$@"' login "${command_of[@]}"; }
command_of=(./by_library)
expect 'told right' "a login" on_login
command_of=(./loads here/libclient.so)
expect "right ours" "a login, loaded later" on_login
expect right "a login with MKL_THREADING_LAYER" on_login MKL_THREADING_LAYER=INTEL

# What the command says.
command=$(dirname "$library")/../../bin/callisto
if [[ -x $command ]]; then
  says() {
    "$command" run --check "$2" > said || { echo "wrong: --check $2 ended with $?"; exit 1; }
    grep -q "$1" said || { echo "wrong: --check $2 said: $(cat said)"; exit 1; }
  }
  says 'nothing is replaced: it needs __kmpc_unserved_fork of librenamed-1a2b3c.so.5' ./by_itself
  says 'nothing is replaced: it needs __kmpc_unserved_fork of librenamed-1a2b3c.so.5' ./by_library
  says 'the calls of its librenamed-1a2b3c.so.5 are replaced' ./served
  MKL_THREADING_LAYER=INTEL says 'MKL_THREADING_LAYER=INTEL' ./loads
  expect "right ours" "callisto run with MKL_THREADING_LAYER" env MKL_THREADING_LAYER=INTEL "$command" run ./loads here/libclient.so
  expect 'told right' "callisto run of a program that needs another runtime" "$command" run ./by_itself
fi
echo good

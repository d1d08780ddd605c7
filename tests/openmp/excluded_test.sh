#!/usr/bin/env bash
# excluded_test.sh LIBGOMP PROGRAM SITE: a library that is on for all programs of a site leaves some of them alone. The
# site is a folder that stands for /etc; nothing outside is written. SITE is tools/openmp_site.sh. PROGRAM prints which
# library it runs on: 'stock' or 'callisto'.
set -euo pipefail
library=$1 program=$2 site=$3
etc=$(mktemp -d)
trap 'rm -rf "$etc"' EXIT

# on WANTED COMMAND...: the command must print that it runs on this library.
on() {
  local wanted=$1 got
  shift
  got=$("$@" 2>&1) || { echo "wrong: $* ended with $?: $got"; exit 1; }
  [[ $got == "$wanted" ]] || { echo "wrong: $* printed '$got' instead of '$wanted'"; exit 1; }
}
preloaded=(env "LD_PRELOAD=$library")
list() { "${preloaded[@]}" CALLISTO_OPENMP_EXCLUDE_FILE="$etc/list" "$@"; }

on stock "$program"
on callisto "${preloaded[@]}" "$program"
on callisto "${preloaded[@]}" CALLISTO_OPENMP=on "$program"
on stock "${preloaded[@]}" CALLISTO_OPENMP=off "$program"
for off in no 0 false; do on stock "${preloaded[@]}" CALLISTO_OPENMP=$off "$program"; done
# A wrong value ends no program: one line, and its answer.
for wrong in CALLISTO_COSCHED=maybe CALLISTO_WEIGHT=5000; do
  "${preloaded[@]}" $wrong "$program" > "$etc/said" 2>&1 || { echo "wrong: $wrong ends a program"; exit 1; }
done
on stock env LD_LIBRARY_PATH="$(dirname "$library")" CALLISTO_OPENMP=off "$program"
on stock "${preloaded[@]}" CALLISTO_OPENMP_EXCLUDE="other:$(basename "$program")" "$program"
on callisto "${preloaded[@]}" CALLISTO_OPENMP_EXCLUDE="other" "$program"
printf '# comments\nother  # and words behind them\nwhich_*\n' > "$etc/list"
on stock list "$program"
printf 'other\n' > "$etc/list"
on callisto list "$program"
# Other libraries stay preloaded, and the program keeps its name and arguments.
ln -s "$program" "$etc/renamed"
on stock "${preloaded[@]}" CALLISTO_OPENMP_EXCLUDE=renamed "$etc/renamed"
on "renamed a b" env LD_PRELOAD="$library" CALLISTO_OPENMP=off bash -c 'exec -a renamed "$0" names a b' "$program"

# On for all logins, one program excluded, off again, by the script.
on_login() { env -i PATH="$PATH" bash -c ". $etc/profile.d/callisto-openmp.sh; exec \"\$0\"" "$program"; }
"$site" on --library "$library" --etc "$etc" > "$etc/said"
on callisto on_login
"$site" exclude "$(basename "$program")" --etc "$etc" > "$etc/said"
on stock on_login
"$site" include "$(basename "$program")" --etc "$etc" > "$etc/said"
on callisto on_login
"$site" off --etc "$etc" > "$etc/said"
[[ ! -e $etc/profile.d/callisto-openmp.sh ]] || { echo "wrong: off leaves the profile"; exit 1; }
if "$site" sideways > "$etc/said" 2>&1; then
  echo "wrong: an unknown word is accepted"
  exit 1
fi
# A program with AddressSanitizer says what to do if the library is preloaded by hand, and runs after a login.
if echo 'int main() { return 0; }' | gcc -fsanitize=address -x c - -o "$etc/asan" 2> "$etc/said"; then
  "$site" on --library "$library" --etc "$etc" > "$etc/said"
  env -i PATH="$PATH" bash -c ". $etc/profile.d/callisto-openmp.sh; exec \"\$0\"" "$etc/asan" > "$etc/said" 2>&1 ||
    { echo "wrong: ASan under the profile: $(cat "$etc/said")"; exit 1; }
fi
# What would be replaced, by the script and by the command.
command=$(dirname "$library")/../../bin/callisto
if [[ -x $command ]]; then
  PATH=$(dirname "$command"):$PATH
  says() {
    "$site" check "$2" --etc "$etc" > "$etc/said" || { echo "wrong: check $2 ended with $?"; exit 1; }
    grep -q "$1" "$etc/said" || { echo "wrong: check $2 said: $(cat "$etc/said")"; exit 1; }
  }
  says 'its libgomp.so.1 is replaced' "$program"
  says 'it needs no OpenMP library' "$(command -v cat)"
  says 'a script' "$site"
  cp "$program" "$etc/setuid"
  chmod u+s "$etc/setuid"
  says 'it is setuid' "$etc/setuid"
  "$site" exclude setuid --etc "$etc" > "$etc/said"
  says "excluded by $etc/callisto/openmp.exclude" "$etc/setuid"
  if [[ -x $etc/asan ]]; then says 'ASAN_OPTIONS=verify_asan_link_order=0' "$etc/asan"; fi
  if "$command" run --check "$etc/none" > "$etc/said" 2>&1; then
    echo "wrong: a program that is not there is checked"
    exit 1
  fi
fi
echo good

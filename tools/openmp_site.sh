#!/usr/bin/env bash
# openmp_site.sh on|off|exclude|include|status|check: Callisto's OpenMP library for all logins of a machine, by a file in
# /etc/profile.d, and the list of programs that keep their own. docs/how-to/openmp-for-everyone.md has other ways in.
set -euo pipefail

self=$(basename "$0")
usage() {
  cat << TEXT
usage: $self on [--library FILE] | off | exclude NAME... | include NAME... | status | check PROGRAM
       each with --etc FOLDER instead of /etc
  on       new login shells preload FILE, which is libgomp.so.1 of this installation
  off      they do not any more
  exclude  programs with these names (patterns of the shell) keep their own OpenMP library
  include  they do not any more
  status   says what is on
  check    says what of PROGRAM the library would replace, as callisto run --check PROGRAM does
TEXT
}
refuse() {
  echo "$self: $1" >&2
  exit 2
}

[[ $# -gt 0 ]] || { usage >&2; exit 2; }
what=$1
shift
etc=/etc library='' names=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --etc) etc=${2:?--etc needs a folder}; shift 2 ;;
    --library) library=${2:?--library needs a file}; shift 2 ;;
    -*) refuse "'$1' is no option: see $self --help" ;;
    *) names+=("$1"); shift ;;
  esac
done
profile=$etc/profile.d/callisto-openmp.sh list=$etc/callisto/openmp.exclude

case $what in
  on | off | exclude | include)
    # Folders that are not there are made.
    above=$etc
    while [[ ! -e $above ]]; do above=$(dirname "$above"); done
    [[ -w $above ]] || refuse "cannot write in $above: $what needs root"
    ;;
esac
case $what in
  check)
    [[ ${#names[@]} -eq 1 ]] || refuse "check needs one program"
    [[ $etc == /etc ]] || export CALLISTO_OPENMP_EXCLUDE_FILE=$list
    command=$(dirname "$(realpath "$0")")/callisto
    [[ -x $command ]] || command=callisto
    exec "$command" run --check "${names[0]}"
    ;;
  on)
    if [[ -z $library ]]; then
      # The library's folder is lib, lib64 or, on Debian, lib/<triplet>.
      for library in "$(dirname "$(realpath "$0")")"/../lib*/{,*/}callisto/libgomp.so.1; do
        [[ ! -e $library ]] || break
      done
      library=$(realpath -m "$library")
    fi
    [[ -f $library ]] || refuse "no library '$library': expected --library PREFIX/lib/callisto/libgomp.so.1"
    [[ $library != *[:\ ]* ]] || refuse "LD_PRELOAD cannot name '$library': expected a path without spaces and colons"
    mkdir -p "$etc/profile.d" "$etc/callisto"
    [[ -e $list ]] || echo '# Programs that keep their own OpenMP library: names or patterns, one or more a line.' > "$list"
    cat > "$profile" << TEXT
# Callisto's OpenMP library for all programs; written by $self. Programs in $list keep their own.
if [ -r $library ]; then
  case ":\${LD_PRELOAD:-}:" in
    *:$library:*) ;;
    *) export LD_PRELOAD="$library\${LD_PRELOAD:+:\$LD_PRELOAD}" ;;
  esac
  # AddressSanitizer checks that it is the first library; behind Callisto's it need not be.
  case "\${ASAN_OPTIONS:-}" in
    *verify_asan_link_order*) ;;
    *) export ASAN_OPTIONS="\${ASAN_OPTIONS:+\$ASAN_OPTIONS:}verify_asan_link_order=0" ;;
  esac
fi
TEXT
    [[ $etc == /etc ]] || echo "export CALLISTO_OPENMP_EXCLUDE_FILE=$list" >> "$profile"
    echo "on for new logins: $library"
    ;;
  off)
    rm -f "$profile"
    echo "off for new logins; $list stays"
    ;;
  exclude | include)
    [[ ${#names[@]} -gt 0 ]] || refuse "$what needs names of programs"
    mkdir -p "$etc/callisto"
    touch "$list"
    for name in "${names[@]}"; do
      { grep -vxF -- "$name" "$list" || true; } > "$list.new"
      [[ $what == include ]] || echo "$name" >> "$list.new"
      mv "$list.new" "$list"
    done
    echo "excluded: $(grep -v '^#' "$list" | tr '\n' ' ')"
    ;;
  status)
    if [[ -e $profile ]]; then echo "on: $(grep -o '/[^:]*libgomp.so.1' "$profile" | head -1)"; else echo "off"; fi
    [[ ! -e $list ]] || echo "excluded: $(grep -v '^#' "$list" | tr '\n' ' ')"
    ;;
  -h | --help | help) usage ;;
  *) refuse "'$what' instead of on, off, exclude, include, status or check" ;;
esac

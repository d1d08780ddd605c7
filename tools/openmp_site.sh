#!/usr/bin/env bash
# openmp_site.sh on|off|exclude|include|status|check: Callisto's OpenMP library for all logins of a machine, by a file in
# /etc/profile.d, and the list of programs that keep their own. docs/how-to/openmp-for-everyone.md has other ways in.
set -euo pipefail

usage() {
  cat << 'TEXT'
usage: openmp_site.sh on [--library FILE] | off | exclude NAME... | include NAME... | status | check PROGRAM
       each with --etc FOLDER instead of /etc
  on       new login shells preload FILE, which is libgomp.so.1 of this installation
  off      they do not any more
  exclude  programs with these names (patterns of the shell) keep their own OpenMP library
  include  they do not any more
  status   says what is on
  check    says what of PROGRAM the library would replace
TEXT
}
refuse() {
  echo "openmp_site.sh: $1" >&2
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
    -*) refuse "'$1' is no option: see openmp_site.sh" ;;
    *) names+=("$1"); shift ;;
  esac
done
profile=$etc/profile.d/callisto-openmp.sh list=$etc/callisto/openmp.exclude

# check PROGRAM: one line for each thing that the loader or the program's libraries tell.
check() {
  local program needs name said=''
  program=$(command -v -- "$1") || refuse "no program '$1'"
  program=$(realpath "$program")
  tell() { said=1; echo "$program: $1"; }
  if [[ $(head -c 2 "$program" | tr -d '\0') == '#!' ]]; then
    tell "a script: check its interpreter, $(head -1 "$program")"
    return
  fi
  readelf -h "$program" > /dev/null 2>&1 || refuse "'$program' is no ELF program"
  [[ ! -u $program && ! -g $program ]] || tell "nothing is replaced: it is setuid or setgid, and the loader ignores LD_PRELOAD"
  [[ -z $(getcap "$program" 2> /dev/null) ]] || tell "nothing is replaced: it has capabilities, and the loader ignores LD_PRELOAD"
  if ! readelf -lW "$program" | grep -q INTERP; then
    tell "nothing is replaced: it is linked with -static"
    return
  fi
  needs=$(ldd "$program" 2> /dev/null || true)
  for name in $(echo "$needs" | grep -oE '^\s*libgomp[^ ]*' || true); do
    if [[ $name == libgomp.so.1 ]]; then tell "its $name is replaced"; else tell "the calls of its $name are replaced; it is loaded beside"; fi
  done
  for name in $(echo "$needs" | grep -oE '^\s*lib(i?omp5?|iomp5)\.[^ ]*' || true); do
    tell "its $name stays: programs of clang and Intel's compiler keep their library"
  done
  if readelf --dyn-syms -W "$program" | grep -E ' (FUNC|IFUNC) ' | grep -v ' UND ' | grep -q ' GOMP_parallel'; then
    tell "it has a copy of libgomp; the copy's exported functions are replaced"
  elif readelf -sW "$program" | grep -E ' FUNC ' | grep -v ' UND ' | grep -q ' GOMP_parallel'; then
    tell "nothing is replaced: it has a static copy of libgomp"
  fi
  [[ -n $said ]] || tell "it needs no OpenMP library; libraries that it loads while it runs are replaced if they need libgomp"
}

case $what in
  check)
    [[ ${#names[@]} -eq 1 ]] || refuse "check needs one program"
    check "${names[0]}"
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
# Callisto's OpenMP library for all programs; written by openmp_site.sh. Programs in $list keep their own.
case ":\${LD_PRELOAD:-}:" in
  *:$library:*) ;;
  *) [ -r $library ] && export LD_PRELOAD="$library\${LD_PRELOAD:+:\$LD_PRELOAD}" ;;
esac
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

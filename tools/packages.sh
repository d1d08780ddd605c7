# The packages that each subcommand of ./x needs, and their installation. Sourced by ./x.
# The names are the same on Debian 12, Debian 13 and Ubuntu 24.04; docs/reference/dependencies.md gives each reason.
# shellcheck shell=bash

build_packages=(g++ cmake ninja-build pkg-config libhwloc-dev libcli11-dev libfmt-dev nlohmann-json3-dev zlib1g-dev
  libzstd-dev libxxhash-dev libarchive-dev libexpat1-dev libtomlplusplus-dev libgtest-dev python3)
test_packages=(python3-scipy)
# Open MPI: its compiler wrapper, which tells the flags, and its launcher.
mpi_packages=(libopenmpi-dev openmpi-bin)
# For ./x test --all alone: both MPIs, which ThreadSanitizer's tests need, too; abidiff, clang-format and clang with its
# OpenMP, which are skipped where no package has them.
sanitized_test_packages=("${mpi_packages[@]}" libmpich-dev mpich)
all_test_packages=(abigail-tools clang-19 clang-format-19 libclang-rt-19-dev libomp-19-dev "${sanitized_test_packages[@]}")
bench_packages=(libtbb-dev libboost-context-dev)
# Static libraries of the portable command.
portable_packages=(nettle-dev libbz2-dev liblzma-dev liblz4-dev)
# For AArch64 on another processor: a cross compiler, and a program that runs what it makes.
cross_packages=(g++-aarch64-linux-gnu qemu-user-static)
deb_packages=(dpkg-dev debhelper dh-python lintian python3-dev python3-venv python3-numpy)
docs_packages=(mkdocs doxygen mandoc)

# LLVM versions to use, best first: 19 is in Debian 12, Debian 13 and Ubuntu 24.04 (updates), so that all format alike.
llvm_versions=(19 18 17 16)

# llvm_version PROGRAM: the first of llvm_versions for which PROGRAM-<version> is installed, else the first that apt
# offers, else the first.
llvm_version() {
  local version
  for version in "${llvm_versions[@]}"; do
    if command -v "$1-$version" >/dev/null; then
      echo "$version"
      return
    fi
  done
  has_apt || return 1
  for version in "${llvm_versions[@]}"; do
    if [[ -n $(apt-cache madison "$1-$version" 2>/dev/null) ]]; then
      echo "$version"
      return
    fi
  done
  echo "${llvm_versions[0]}"
}

has_apt() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# provided PACKAGE: true if the package is installed, or its program is there some other way.
provided() {
  case $1 in
    g++) [[ -n ${CXX:-} ]] && command -v "${CXX%% *}" >/dev/null && return ;;
    cmake | doxygen | mandoc | mkdocs | shellcheck | python3) command -v "$1" >/dev/null && return ;;
    ninja-build) command -v ninja >/dev/null && return ;;
    pkg-config) command -v pkg-config >/dev/null && return ;;
  esac
  installed "$1"
}

# require_packages PACKAGE...: installs the missing ones. Without the right to, prints them and exits 1.
require_packages() {
  local package missing=() as_root=()
  if ! has_apt; then
    say "No apt here: going on with what is installed. Needed, by their Debian names: $*"
    return
  fi
  for package in "$@"; do
    provided "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
      as_root=(sudo)
      say "Installing needs sudo: ${missing[*]}"
      sudo true || cannot_install "${missing[@]}"
    else
      cannot_install "${missing[@]}"
    fi
  fi
  # A failed update is no reason to stop: the lists may be recent enough.
  step "Reading package lists" apt-update "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update || true
  step "Installing ${missing[*]}" apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" ||
    cannot_install "${missing[@]}"
  # An earlier configuration did not find these packages.
  rm -f build/*/.configured
}

cannot_install() {
  {
    echo "x: these packages are missing and could not be installed from here:"
    printf '  %s\n' "$@"
    echo "Install them as root, then run this again:"
    echo "  apt-get update && apt-get install --no-install-recommends $*"
  } >&2
  exit 1
}

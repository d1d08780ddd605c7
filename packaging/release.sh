#!/usr/bin/env bash
# Goes through the release list, and stops with one line at the first point that is not ready; says the last command, which
# makes the tag, when all are. packaging/README.md is the list.
# Usage: release.sh [--twice]. --twice: first builds the files of dist/ once more, in another folder, time zone, language
# and umask, without a compiler cache, and compares the bytes.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

not_ready() {
  echo "release: not ready: $*" >&2
  exit 1
}
ready() { echo "release: $*"; }
version=$(sed -n 's/^project(callisto VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
commit=$(git rev-parse HEAD)

# has FILE PATTERN: the version stands in FILE as PATTERN says, @ in its place.
has() { grep -qE -- "${2//@/${version//./\\.}}" "$1" || not_ready "$1 does not name the version $version of CMakeLists.txt"; }
has CITATION.cff '^version: @$'
has packaging/spack/package.py 'version\("@", tag="v@"\)'
has packaging/conda-forge/recipe.yaml '^  version: "@"$'
has packaging/vcpkg/vcpkg.json '"version": "@"'
has packaging/nix/package.nix 'version = "@";'
has packaging/debian/changelog '^callisto-rts \(@-1\)'
[[ -e packaging/debian/libcallisto${version%.*}.install ]] ||
  not_ready "packaging/debian/ has no libcallisto${version%.*}, which the soname of $version asks for"
! grep -q '^result = ".*dev' pyproject.toml ||
  not_ready "pyproject.toml makes development versions of the wheel: take the line 'result' away"
ready "1. $version stands in CMakeLists.txt, and in all that name it"

grep -qE "^## \[${version//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
  not_ready "CHANGELOG.md has no section '## [$version] - <date>'"
[[ $(sed -n 's/^## \[\([^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1) == "$version" ]] ||
  not_ready "CHANGELOG.md has a section above that of $version"
ready "2. CHANGELOG.md ends with a dated section of $version"

[[ -e packaging/abi/libcallisto-$version.abi.xz ]] ||
  not_ready "packaging/abi/ has no interface of $version: ./x build, then packaging/abi/abi.sh write build/release"
ready "3. the interface of $version is in packaging/abi/"

changed=$(git status --porcelain | head -n 1)
[[ -z $changed ]] || not_ready "the working tree differs from the last commit: ${changed:3}"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || not_ready "the tag v$version is there already"
ready "4. all is committed, in $commit"

for kind in wheel deb; do
  file=dist/wheel.commit command='./x wheel'
  [[ $kind == wheel ]] || file=dist/deb/deb.commit command='./x deb --try'
  [[ -e $file ]] || not_ready "dist/ has no files of $command"
  [[ $(<"$file") == "$commit" ]] || not_ready "$command built dist/ of another commit, $(<"$file"): run it again"
done
files=(dist/callisto_graph-"$version"*.{whl,tar.gz} dist/deb/*.{deb,dsc,tar.xz,tar.gz})
for file in "${files[@]}"; do [[ -e $file ]] || not_ready "there is no $file"; done
# The command as one file: for this processor, and for AArch64 where a cross compiler is installed or offered.
processors=("$(uname -m)") missing=''
if [[ ${processors[0]} != aarch64 ]]; then
  if command -v aarch64-linux-gnu-g++ >/dev/null ||
    [[ -n $(apt-cache madison g++-aarch64-linux-gnu 2>/dev/null || true) ]]; then
    processors+=(aarch64)
  else
    missing=', and none for AArch64: g++-aarch64-linux-gnu is not to be had here'
  fi
fi
words=dist/callisto-$version-words.tar.gz # of the same run as the first file
[[ -e $words ]] || not_ready "there is no $words: ./x portable --try"
portables=("$words")
for processor in "${processors[@]}"; do
  portable=dist/callisto-$version-linux-$processor
  command="./x portable --arch $processor --try"
  [[ -e $portable && -e dist/portable-$processor.commit ]] || not_ready "there is no $portable: $command"
  [[ $(<"dist/portable-$processor.commit") == "$commit" ]] ||
    not_ready "$portable is of another commit, $(<"dist/portable-$processor.commit"): $command"
  portables+=("$portable")
done
ready "5. dist/ has $((${#files[@]} + ${#portables[@]})) files of this commit$missing"

# All but the .buildinfo and .changes, which tell where and when.
build_twice() {
  local work file
  work=$(mktemp -d)
  mkdir -p build/log
  # dpkg-buildpackage and pip take the compiler from PATH.
  ready "builds again in $work; the output is in build/log/release-twice.log"
  (umask 077 && export TZ=Pacific/Kiritimati LC_ALL=C CCACHE_DISABLE=1 &&
    packaging/wheel.sh --no-try "$work/a/wheels" && packaging/deb.sh "$work/a/deb") >build/log/release-twice.log 2>&1 ||
    not_ready "the second build failed: build/log/release-twice.log"
  for file in "${files[@]}"; do
    cmp -s "$file" "$work/a/$(case $file in dist/deb/*) echo deb/dist ;; *) echo wheels/dist ;; esac)/${file##*/}" ||
      not_ready "$file has other bytes when it is built again; the second one is in $work/a"
  done
  rm -rf "$work"
  echo "$commit" >dist/twice.commit
}
[[ ${1:-} != --twice ]] || build_twice
[[ -e dist/twice.commit && $(<dist/twice.commit) == "$commit" ]] ||
  not_ready "nothing shows that a second build makes the same bytes: ./x release --twice"
ready "6. built twice, the same bytes"

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) packaging/sbom.py "${files[@]}" "${portables[@]}"
(cd dist && sha256sum "${files[@]#dist/}" "${portables[@]#dist/}" >SHA256SUMS)
(cd dist && find . -name '*.cdx.json' -printf '%P\n' | sort | xargs sha256sum >>SHA256SUMS)
ready "7. each file has its bill of materials, and its checksum in dist/SHA256SUMS"
ready "all is ready; the last step: git tag -a v$version -m 'Callisto $version' $commit"

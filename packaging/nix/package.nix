# Nix's recipe: nix-build -E 'with import <nixpkgs> {}; callPackage ./packaging/nix/package.nix {}'
{ lib, stdenv, cmake, ninja, pkg-config, hwloc, zlib, zstd, libarchive, expat, fmt, xxHash, cli11, nlohmann_json,
  tomlplusplus, python3 }:

stdenv.mkDerivation {
  pname = "callisto";
  version = "0.1.0";

  src = lib.cleanSource ../..;

  nativeBuildInputs = [ cmake ninja pkg-config python3 ];
  buildInputs = [ hwloc zlib zstd libarchive expat fmt xxHash cli11 nlohmann_json tomlplusplus ];
  cmakeFlags = [
    (lib.cmakeBool "BUILD_SHARED_LIBS" true)
    (lib.cmakeBool "CALLISTO_BUILD_TESTS" false)
    (lib.cmakeBool "CALLISTO_BUILD_BENCH" false)
    (lib.cmakeBool "CALLISTO_BUILD_EXAMPLES" false)
  ];

  meta = {
    description = "Parallel loops, graph analytics on all cores, and programs that share a machine";
    homepage = "https://github.com/callisto-rts/callisto";
    license = lib.licenses.asl20;
    platforms = lib.platforms.linux;
    mainProgram = "callisto";
  };
}

# libarchive, expat and hwloc are opened when they are needed: they must be shared, hence no static triplet.
vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO callisto-rts/callisto
  REF "v${VERSION}"
  SHA512 0 # vcpkg says the right one when it meets a release; packaging/README.md, step 8
  HEAD_REF main)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DCALLISTO_BUILD_APP=OFF -DCALLISTO_BUILD_OPENMP=OFF -DCALLISTO_BUILD_TESTS=OFF -DCALLISTO_BUILD_BENCH=OFF
          -DCALLISTO_BUILD_EXAMPLES=OFF "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/callisto)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

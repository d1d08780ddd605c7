vcpkg_from_git(
  OUT_SOURCE_PATH SOURCE_PATH
  URL https://github.com/callisto-rts/callisto.git
  REF v${VERSION})
vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -DCALLISTO_BUILD_APP=OFF -DCALLISTO_BUILD_OPENMP=OFF -DCALLISTO_BUILD_TESTS=OFF -DCALLISTO_BUILD_BENCH=OFF
          -DCALLISTO_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME callisto CONFIG_PATH lib/cmake/callisto)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)

# What `cmake --install` copies: library, headers, CMake package and pkg-config files; the command adds its own part in
# callisto/app.
include(CMakePackageConfigHelpers)

# Users include the headers in callisto/ itself; the list has these and what they include
# (tools/public_headers.sh --write renews it). As a file set, CMake can also check that each compiles by itself: target
# all_verify_interface_header_sets, with CMAKE_VERIFY_INTERFACE_HEADER_SETS=ON.
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt headers)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt)
if(CALLISTO_LOOPS_ONLY)
  list(FILTER headers EXCLUDE REGEX "^callisto/(graph|global|cluster)[./]")
endif()
list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/)
target_sources(callisto PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})

set(libraries callisto)
if(TARGET callisto_global)
  list(APPEND libraries callisto_global callisto_cluster)
endif()
install(TARGETS ${libraries} EXPORT callisto
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The library itself looks for no file beside it.
set_target_properties(callisto PROPERTIES INSTALL_RPATH "")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/callisto)
install(EXPORT callisto NAMESPACE callisto:: FILE callistoTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/callistoConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/callistoConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# While the major version is 0, a new minor version may break the interface of the last one.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/callistoConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/callistoConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/callistoConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config: the prefix is relative to the file, so that an installed copy can be moved. A static library needs its
# own libraries at every link, hence Requires and not Requires.private, which pkg-config reads with --static only (and
# there adds hwloc's private libraries; distributions do not install their development packages with hwloc's).
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
set(pc_requires "")
if(NOT BUILD_SHARED_LIBS AND NOT CALLISTO_LOOPS_ONLY)
  set(pc_requires "hwloc zlib libzstd")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/callisto.pc.in ${PROJECT_BINARY_DIR}/cmake/callisto.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/callisto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET callisto_global)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/callisto_global.pc.in ${PROJECT_BINARY_DIR}/cmake/callisto_global.pc @ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/callisto_cluster.pc.in ${PROJECT_BINARY_DIR}/cmake/callisto_cluster.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/callisto_global.pc ${PROJECT_BINARY_DIR}/cmake/callisto_cluster.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# The examples, to be read, copied and built against the installed library.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# All that `cmake --install` copies, and no more, for ./x install.
add_custom_target(callisto_installed)
foreach(part IN ITEMS callisto callisto_global callisto_cluster callisto_mpi_plugins callisto_libgomp callisto_command)
  if(TARGET ${part})
    add_dependencies(callisto_installed ${part})
  endif()
endforeach()

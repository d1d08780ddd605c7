# A build for AArch64 on another processor: Debian's cross compiler, and libraries from a folder that packaging/arm64_root.sh
# fills. The preset aarch64 uses it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# GCC would make one rounding of a product and a sum here, and two on x86-64: the same file gives the same digits on both.
set(CMAKE_CXX_FLAGS_INIT -ffp-contract=off)

set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root)
cmake_path(NORMAL_PATH CMAKE_SYSROOT)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
find_program(CALLISTO_QEMU NAMES qemu-aarch64-static qemu-aarch64)
mark_as_advanced(CALLISTO_QEMU)
if(CALLISTO_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${CALLISTO_QEMU})
endif()

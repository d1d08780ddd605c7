# `pip install` builds the package where nothing may be there to build it with. One sentence names all that is missing,
# before CMake tells of the first. Included twice: before project(), which looks for a compiler, and behind it.
if(NOT PROJECT_NAME)
  set(compilers $ENV{CXX} c++ g++ clang++)
  separate_arguments(compilers)
  find_program(CALLISTO_SOME_COMPILER NAMES ${compilers} PATHS ENV PATH)
  if(NOT CALLISTO_SOME_COMPILER)
    message(FATAL_ERROR "callisto-graph is compiled here, and there is no C++ compiler: install g++ 12 or newer and the "
      "headers of hwloc, fmt, zlib, zstd, xxhash, nlohmann-json, libarchive and expat (Debian, Ubuntu: apt-get install g++ pkg-config "
      "libhwloc-dev libfmt-dev zlib1g-dev libzstd-dev libxxhash-dev nlohmann-json3-dev libarchive-dev "
      "libexpat1-dev)")
  endif()
else()
  set(missing "")
  foreach(need IN ITEMS hwloc.h=libhwloc-dev fmt/format.h=libfmt-dev zlib.h=zlib1g-dev zstd.h=libzstd-dev
          xxhash.h=libxxhash-dev nlohmann/json.hpp=nlohmann-json3-dev archive.h=libarchive-dev expat.h=libexpat1-dev)
    string(REGEX MATCH "^(.*)=(.*)$" need ${need})
    set(package ${CMAKE_MATCH_2})
    find_path(header_of_${package} ${CMAKE_MATCH_1})
    mark_as_advanced(header_of_${package})
    if(NOT header_of_${package})
      string(APPEND missing " ${package}")
    endif()
  endforeach()
  find_package(PkgConfig QUIET)
  if(NOT PKG_CONFIG_FOUND)
    string(APPEND missing " pkg-config")
  endif()
  if(missing)
    message(FATAL_ERROR "callisto-graph is compiled here, and headers are missing: install, by their Debian names,${missing}")
  endif()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  check_cxx_source_compiles("#include <compare>\n#include <span>\n#include <stop_token>
    int main() { std::stop_source end; return end.get_token().stop_requested(); }" CALLISTO_COMPILES_CXX20)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT CALLISTO_COMPILES_CXX20)
    message(FATAL_ERROR "callisto-graph needs C++20: ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} is too old; "
      "g++ 12 or clang 16, or newer, named by the environment variable CXX")
  endif()
endif()

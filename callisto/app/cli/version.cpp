// The build's commit, compiler and features.
#include <callisto/app/cli/version.hpp>

#include <fmt/format.h>

#include <string_view>

namespace callisto::app {

extern const char* const build_commit;    // made anew for each commit: cmake/commit.cmake
extern const char* const build_features;  // features.cpp

std::string version_details() {
#if defined(__clang__)
  constexpr std::string_view compiler = "clang " __clang_version__;
#else
  constexpr std::string_view compiler = "GCC " __VERSION__;
#endif
#if defined(__x86_64__)
  constexpr std::string_view processor = "x86-64";
#elif defined(__aarch64__)
  constexpr std::string_view processor = "arm64";
#else
  constexpr std::string_view processor = "another processor";
#endif
  const std::string_view commit = build_commit;
  return fmt::format("{}compiled by {} for {}\nwith {}\n", commit.empty() ? "" : fmt::format("commit {}\n", commit),
                     compiler, processor, build_features);
}

}  // namespace callisto::app

// Which programs keep their own libgomp, by the environment and the site's list. Also `callisto run --check` asks.
#pragma once

#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fnmatch.h>
#include <strings.h>
#include <unistd.h>

namespace callisto::openmp {

inline constexpr const char* usual_exclusion_list = "/etc/callisto/openmp.exclude";

/// True if a pattern of the shell among these words matches one of the program's names.
inline bool names_program(std::string_view words, const std::vector<std::string>& names) {
  constexpr std::string_view between = " \t\r:,";
  for (std::size_t begin = 0; (begin = words.find_first_not_of(between, begin)) != std::string_view::npos;) {
    const std::string word(words.substr(begin, words.find_first_of(between, begin) - begin));
    for (const std::string& name : names)
      if (fnmatch(word.c_str(), name.c_str(), 0) == 0) return true;
    begin += word.size();
  }
  return false;
}

/// True if a value of CALLISTO_OPENMP means off. Users write `no` and `0`, too.
inline bool says_off(std::string_view text) { return text == "off" || text == "no" || text == "0" || text == "false"; }

/// True if a function that Intel's OpenMP runtime exports is a helper of compilers: of atomic operations or memory.
inline bool is_helper_of_compilers(std::string_view name) {
  return name.starts_with("__atomic_") || name.starts_with("__intel_") || name.starts_with("_intel_");
}

/// True if MKL_THREADING_LAYER asks MKL for Intel's OpenMP runtime, which it refuses to use beside any libgomp.
inline bool asks_mkl_for_intels_runtime() {
  const char* const layer = std::getenv("MKL_THREADING_LAYER");
  return layer != nullptr && strcasecmp(layer, "INTEL") == 0;
}

/// Returns what excludes a program: a variable or a file; nullopt: nothing does. `called_as` is its argument 0;
/// `executable()` returns the path of its file, and is called only if there are names to compare.
template <class Executable>
std::optional<std::string> excluded_by(std::string_view called_as, Executable executable) {
  const auto text_of = [](const char* variable) {
    const char* const text = std::getenv(variable);
    return std::string_view(text != nullptr ? text : "");
  };
  if (const std::string_view how = text_of("CALLISTO_OPENMP"); says_off(how))
    return "CALLISTO_OPENMP=" + std::string(how);
  const std::string_view words = text_of("CALLISTO_OPENMP_EXCLUDE");
  const std::string_view file = machine::file_variable("CALLISTO_OPENMP_EXCLUDE_FILE");
  const std::string list(file.empty() ? usual_exclusion_list : file);
  // Most programs read no list.
  if (words.empty() && access(list.c_str(), R_OK) != 0) return std::nullopt;
  const auto last_part = [](std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); };
  const std::vector<std::string> names{last_part(called_as), last_part(executable())};
  if (names_program(words, names)) return "CALLISTO_OPENMP_EXCLUDE";
  for (const std::string& line : machine::split_at(machine::contents_of(list).value_or(""), '\n'))
    if (names_program(std::string_view(line).substr(0, line.find('#')), names)) return list;
  return std::nullopt;
}

}  // namespace callisto::openmp

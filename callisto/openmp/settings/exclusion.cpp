// Programs that this library leaves alone: CALLISTO_OPENMP=off, lists of names, programs that need another OpenMP
// runtime, or ask MKL for it.
//
// A program with a reference to a function that only another runtime has would be half ours. MKL refuses to use Intel's
// runtime beside a libgomp if MKL_THREADING_LAYER asks for it. A preloaded library has libgomp's name, so the stock
// library is not loaded beside it. So the library begins such a program anew, before its main(), with an environment
// that no longer preloads the library. Programs that it starts inherit that environment.
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/settings/exclusion_list.hpp>
#include <callisto/openmp/settings/other_runtimes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

namespace callisto::openmp {
namespace {

std::string executable() {
  std::string path(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(length > 0 && static_cast<std::size_t>(length) < path.size() ? static_cast<std::size_t>(length) : 0);
  return path;
}

bool is_excluded(const char* called_as) {
  const char* const text = std::getenv("CALLISTO_OPENMP");
  const std::string_view how = text != nullptr ? text : "";
  if (!how.empty() && !says_off(how) && how != "on" && how != "yes" && how != "1" && how != "true")
    report("CALLISTO_OPENMP is '%s' instead of on or off; it counts as unset", text);
  return excluded_by(called_as, executable).has_value();
}

/// True if `path` is this library's file.
bool is_this_library(const std::string& path) {
  Dl_info here{};
  struct stat ours{}, other{};
  return dladdr(reinterpret_cast<const void*>(&is_this_library), &here) != 0 && stat(here.dli_fname, &ours) == 0 &&
         stat(path.c_str(), &other) == 0 && ours.st_dev == other.st_dev && ours.st_ino == other.st_ino;
}

/// Takes the words out of a variable's value that name this library, with one of `files` appended; true if there was
/// one.
bool take_out(std::string& value, std::string_view between, std::initializer_list<const char*> files) {
  std::string kept;
  bool found = false;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find_first_of(between, begin), value.size());
    const std::string word = value.substr(begin, end - begin);
    const auto is_ours = [&word](const char* file) { return is_this_library(word + file); };
    if (!word.empty() && std::any_of(files.begin(), files.end(), is_ours)) {
      found = true;
    } else {
      if (!kept.empty()) kept += ':';
      kept += word;
    }
    begin = end + 1;
  }
  value = kept;
  return found;
}

/// Returns the environment without what has this library loaded; empty: nothing in it has.
std::vector<std::string> without_this_library(char** environment) {
  std::vector<std::string> all;
  bool found = false;
  for (char** variable = environment; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    std::string value(equals == std::string_view::npos ? "" : text.substr(equals + 1));
    bool here = false;
    if (name == "LD_PRELOAD") here = take_out(value, ": ", {""});
    if (name == "LD_LIBRARY_PATH") here = take_out(value, ":;", {"/libgomp.so.1", "/libomp.so.5", "/libiomp5.so"});
    found = found || here;
    if (!here) {
      all.emplace_back(text);
    } else if (!value.empty()) {
      all.push_back(std::string(name) + '=' + value);
    }
  }
  if (!found) all.clear();
  return all;
}

/// The C library passes a constructor what main() gets. First among this library's.
[[gnu::constructor(101)]] void leave_excluded(int, char** arguments, char** environment) {
  if (arguments == nullptr || arguments[0] == nullptr || environment == nullptr) return;
  const bool excluded = is_excluded(arguments[0]);
  const other_runtime_need need =
      excluded || asks_mkl_for_intels_runtime() ? other_runtime_need{} : find_need_of_other_runtime();
  if (!excluded && !asks_mkl_for_intels_runtime() && !need.is_needed) return;
  const std::string path = executable();
  std::vector<std::string> kept = without_this_library(environment);
  // A program that the loader was called for by its name has the loader's file.
  if (!kept.empty() && getauxval(AT_BASE) != 0) {
    if (need.name != nullptr)
      report("%s needs %s, which Callisto lacks; it keeps its %s", arguments[0], need.name, need.runtime);
    std::vector<char*> pointers;
    for (std::string& variable : kept) pointers.push_back(variable.data());
    pointers.push_back(nullptr);
    // Without /proc, by the path that the program was begun with.
    const auto* const begun_with = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    for (const char* file : {path.c_str(), "/proc/self/exe", begun_with != nullptr ? begun_with : ""})
      execve(file, arguments, pointers.data());
  }
  // Objects with another runtime get its answers from routines/unversioned.cpp.
  if (excluded)
    report("%s is to be left alone, but cannot begin anew without Callisto's library in LD_PRELOAD and LD_LIBRARY_PATH",
           arguments[0]);
}

}  // namespace
}  // namespace callisto::openmp

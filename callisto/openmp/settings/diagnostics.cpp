// Printing messages.
#include <callisto/openmp/settings/diagnostics.hpp>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace callisto::openmp {
namespace {

void say(const char* severity, const char* format, std::va_list arguments) noexcept {
  // One lock, so that lines of several threads do not mix.
  flockfile(stderr);
  std::fputs(severity, stderr);
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
  funlockfile(stderr);
}

}  // namespace

void report(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  say("\nlibgomp: ", format, arguments);
  va_end(arguments);
}

void report_and_exit(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  say("\nlibgomp: ", format, arguments);
  va_end(arguments);
  std::exit(EXIT_FAILURE);
}

}  // namespace callisto::openmp

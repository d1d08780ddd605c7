// The error directive (OpenMP 5.1, section 2.5.4) with at(execution).
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>

#include <cstddef>
#include <string>

using namespace callisto::openmp;

namespace {

/// If all bits of `length` are set, the message is null-terminated.
std::string text_of(const char* message, std::size_t length) {
  if (message == nullptr) return "error directive encountered";
  return "error directive encountered: " +
         (length == ~std::size_t{0} ? std::string(message) : std::string(message, length));
}

void tell(bool fatal, const char* message) noexcept {
  if (tool::watched()) [[unlikely]]
    tool::errs(this_thread(), fatal, message);
}

}  // namespace

CALLISTO_OPENMP_ABI void GOMP_warning(const char* message, std::size_t length) {
  tell(false, message);
  report("%s", text_of(message, length).c_str());
}
CALLISTO_OPENMP_ABI void GOMP_error(const char* message, std::size_t length) {
  tell(true, message);
  report_and_exit("fatal error: %s", text_of(message, length).c_str());
}

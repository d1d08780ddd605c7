#include <callisto/global/transport/environment.hpp>
#include <callisto/machine/system/error.hpp>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace callisto::global {

std::uint64_t number_from(const char* variable, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise,
                          const number_kind& kind) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  const std::string_view view(text);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (failed != std::errc() || end != view.data() + view.size() || value < least || value > most ||
      !kind.holds(value)) {
    throw usage_error(std::string(variable) + "=" + text + ": expected " + kind.name + " from " +
                      std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

}  // namespace callisto::global

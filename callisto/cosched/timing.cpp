// The delays and the weight from the environment.
#include <callisto/cosched/timing.hpp>
#include <callisto/machine/system/error.hpp>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace callisto::cosched {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

void read(const char* name, std::uint64_t& nanoseconds) {
  const std::string_view text = variable(name);
  if (text.empty()) return;
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  const std::uint64_t scale = unit == "us" ? 1'000 : unit == "ms" ? 1'000'000 : unit == "s" ? 1'000'000'000 : 0;
  constexpr std::uint64_t least = 10'000, most = 1'000'000'000;
  if (error != std::errc() || scale == 0 || number > most / scale || number * scale < least) {
    throw usage_error(std::string(name) + "=" + std::string(text) +
                      ": expected a duration from 10us to 1s, such as 500us, 10ms or 1s");
  }
  nanoseconds = number * scale;
}

}  // namespace

timing timing::from_environment() {
  timing t;
  read("CALLISTO_H_HIGH", t.h_high);
  read("CALLISTO_H_LOW", t.h_low);
  read("CALLISTO_P_HIGH", t.p_high);
  read("CALLISTO_P_LOW", t.p_low);
  return t;
}

std::optional<unsigned> weight_if_set() {
  const std::string_view text = variable("CALLISTO_WEIGHT");
  if (text.empty()) return std::nullopt;
  unsigned weight = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || rest != text.data() + text.size() || weight == 0 || weight > max_weight) {
    throw usage_error("CALLISTO_WEIGHT=" + std::string(text) + ": expected a number from 1 to " +
                      std::to_string(max_weight));
  }
  return weight;
}

}  // namespace callisto::cosched

// Reading CALLISTO_COSCHED and what goes with it.
#include <callisto/cosched/settings.hpp>

#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/one_line.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace callisto::cosched {

settings settings::from_environment() {
  settings s;
  const char* const value = std::getenv("CALLISTO_COSCHED");
  const std::string_view text = value == nullptr ? std::string_view() : std::string_view(value);
  if (!text.empty() && text != "on" && text != "off") {
    throw usage_error("CALLISTO_COSCHED=" + std::string(text) + ": expected on or off");
  }
  s.wanted = text != "off";
  s.told_if_not = text == "on";
  s.delays = timing::from_environment();
  s.weight = weight_if_set();
  return s;
}

void settings::tell_if_wanted(const std::string& why) const {
  if (!told_if_not) return;
  std::fprintf(stderr, "callisto: shares the machine with no other job: %s\n", machine::one_line(why).c_str());
}

}  // namespace callisto::cosched

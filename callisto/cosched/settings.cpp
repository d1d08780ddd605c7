// Reading CALLISTO_COSCHED and what goes with it.
#include <callisto/cosched/settings.hpp>

#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/one_line.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace callisto::cosched {

namespace {

constinit std::atomic<void (*)(const char*) noexcept> tells{nullptr};
constinit std::atomic<bool> has_told{false};

/// Calls `read`, which may throw usage_error.
template <class Read>
void read_or_forgive(Read read) {
  try {
    read();
  } catch (const usage_error& e) {
    auto* const tell = tells.load(std::memory_order_relaxed);  // relaxed: set when the library is loaded
    if (tell == nullptr) throw;
    // relaxed: it only elects the caller that tells.
    if (!has_told.exchange(true, std::memory_order_relaxed)) tell(machine::one_line(e.what()).c_str());
  }
}

void read_wish(settings& s) {
  const char* const value = std::getenv("CALLISTO_COSCHED");
  const std::string_view text = value == nullptr ? std::string_view() : std::string_view(value);
  if (!text.empty() && text != "on" && text != "off") {
    throw usage_error("CALLISTO_COSCHED=" + std::string(text) + ": expected on or off");
  }
  s.wanted = text != "off";
  s.told_if_not = text == "on";
}

}  // namespace

void settings::forgive(void (*tell)(const char*) noexcept) noexcept {
  tells.store(tell, std::memory_order_relaxed);  // relaxed: as in read_or_forgive()
}

settings settings::from_environment() {
  settings s;
  read_or_forgive([&] { read_wish(s); });
  read_or_forgive([&] { s.delays = timing::from_environment(); });
  read_or_forgive([&] { s.weight = weight_if_set(); });
  return s;
}

void settings::tell_if_wanted(const std::string& why) const {
  if (!told_if_not) return;
  std::fprintf(stderr, "callisto: shares the machine with no other job: %s\n", machine::one_line(why).c_str());
}

}  // namespace callisto::cosched

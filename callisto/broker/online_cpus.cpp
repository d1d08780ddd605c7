// Reads the list again.
#include <callisto/broker/online_cpus.hpp>

#include <callisto/cosched/current_assignment.hpp>
#include <callisto/machine/host/topology.hpp>

#include <array>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace callisto::broker {

online_cpus::online_cpus(const std::string& path)
    : file_(::open(path.empty() ? "/sys/devices/system/cpu/online" : path.c_str(), O_RDONLY | O_CLOEXEC)) {
  look();
}

bool online_cpus::look() {
  std::array<char, 4096> bytes;
  const ssize_t got = ::pread(file_.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  std::string_view text(bytes.data(), static_cast<std::size_t>(got));
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text == text_) return false;
  const auto list = machine::parse_cpu_list(text);
  if (!list || list->empty()) return false;
  text_ = text;
  known_ = true;
  in_ = {};
  for (const unsigned c : *list) {
    if (c < cosched::max_contexts) in_.add(c);
  }
  return true;
}

std::vector<unsigned> cores_of_machine() {
  std::vector<unsigned> all = cosched::cores_of_host();
  while (!all.empty() && all.back() == cosched::no_core) all.pop_back();
  return all;
}

}  // namespace callisto::broker

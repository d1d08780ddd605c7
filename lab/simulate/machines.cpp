// Looks up shipped descriptions, which CMake compiles into the command, and reads those of users.
#include <lab/simulate/machines.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace callisto::lab {
namespace {

constexpr shipped_machine machines[] = {
#include <lab/simulate/shipped_machines.hpp>
};

}  // namespace

std::span<const shipped_machine> shipped_machines() noexcept { return machines; }

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const shipped_machine& m : machines) names.emplace_back(m.name);
  return names;
}

std::string machine_text(const std::string& name) {
  const auto shipped = shipped_machines();
  const auto found =
      std::find_if(shipped.begin(), shipped.end(), [&](const shipped_machine& m) { return m.name == name; });
  if (found != shipped.end()) return std::string(found->text);
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    const int failure = errno;
    if (failure != ENOENT || name.find('/') != std::string::npos || name.ends_with(".txt")) {
      throw input_error(one_line(name), 0, "cannot open: " + std::generic_category().message(failure));
    }
    std::string names;
    for (const shipped_machine& m : shipped) names += (names.empty() ? "" : ", ") + std::string(m.name);
    throw usage_error(fmt::format("MACHINE: expected {}, or a file; found '{}'", names, one_line(name)));
  }
  constexpr std::size_t limit = 1 << 20;  // bytes; a description has a few thousand
  std::string text(limit, '\0');
  file.read(text.data(), limit);
  if (file.bad()) throw input_error(one_line(name), 0, "cannot read: " + std::generic_category().message(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

machine::simulation::description load_machine(const std::string& name) {
  return machine::simulation::parse_description(machine_text(name), one_line(name));
}

void check_no_machine(const std::string& file) {
  const auto shipped = shipped_machines();
  if (std::none_of(shipped.begin(), shipped.end(), [&](const shipped_machine& m) { return m.name == file; })) return;
  if (std::ifstream(file)) return;
  throw usage_error(fmt::format("FILE: expected a graph, found the machine '{0}'; say --machine {0}", file));
}

}  // namespace callisto::lab

// The machines that `callisto simulate` knows by name, and those that users describe in files.
#pragma once

#include <callisto/machine/simulated/description.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// A description that is part of the command (callisto/machine/machines).
struct shipped_machine {
  std::string_view name;
  std::string_view text;
};

/// All of them, by name.
std::span<const shipped_machine> shipped_machines() noexcept;

/// Returns their names.
std::vector<std::string> machine_names();

/// The text of the shipped machine `name`, or else of the file `name`. Throws usage_error, and input_error for files
/// that cannot be read.
std::string machine_text(const std::string& name);

/// The description in that text. Throws input_error, too, if it is malformed.
machine::simulation::description load_machine(const std::string& name);

}  // namespace callisto::app

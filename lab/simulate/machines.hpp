// Finds the machines that `callisto-lab simulate` knows by name, and reads those that users describe in files.
#pragma once

#include <callisto/machine/simulated/description.hpp>
#include <lab/names.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::lab {

/// A description that is part of the command (callisto/machine/machines).
struct shipped_machine {
  std::string_view name;
  std::string_view text;
};

/// Returns all shipped descriptions in the order of their names.
std::span<const shipped_machine> shipped_machines() noexcept;

/// Returns the names of the shipped machines.
std::vector<std::string> machine_names();

/// Returns the text of the shipped machine `name`, or else of the file `name`. Throws usage_error if neither exists.
/// Throws input_error if the file cannot be read.
std::string machine_text(const std::string& name);

/// Returns the description that machine_text(name) holds. Throws as machine_text() does. Throws input_error if the text
/// is malformed.
machine::simulation::description load_machine(const std::string& name);

/// Throws usage_error if `file`, which should be a graph, is no file but the name of a shipped machine: figures of
/// loops take the machine as their argument, those of graphs take it behind --machine.
void check_no_machine(const std::string& file);

}  // namespace callisto::lab

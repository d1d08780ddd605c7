#include <callisto/machine/host/launcher.hpp>

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace callisto::machine {

namespace {

bool is_set(const char* variable) noexcept {
  const char* const text = std::getenv(variable);
  return text != nullptr && *text != '\0';
}

/// Returns the number that the first of the variables holds which holds one.
int number_of(std::initializer_list<const char*> variables, int otherwise) noexcept {
  for (const char* const variable : variables) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) continue;
    const std::string_view view(text);
    int value = 0;
    const auto [end, failed] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (failed == std::errc() && end == view.data() + view.size() && value >= 0) return value;
  }
  return otherwise;
}

}  // namespace

launched_process launcher_of_process() noexcept {
  if (is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMIX_RANK"))
    return {launchers::open_mpi, number_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}, 0),
            number_of({"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}, 0)};
  if (is_set("PMI_RANK") || is_set("PMI_SIZE"))
    return {launchers::mpich, number_of({"PMI_RANK", "SLURM_PROCID"}, 0),
            number_of({"PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 0)};
  const int tasks = number_of({"SLURM_STEP_NUM_TASKS"}, 1);
  if (is_set("SLURM_STEP_ID") && tasks != 1) return {launchers::slurm, number_of({"SLURM_PROCID"}, 0), tasks};
  return {};
}

}  // namespace callisto::machine

// Keeps the name of the program.
#include <callisto/app/cli/program_name.hpp>

namespace callisto::app {
namespace {

std::string_view kept_name = "callisto";

}  // namespace

std::string_view program_name() noexcept { return kept_name; }

void name_program(std::string_view name) noexcept { kept_name = name; }

}  // namespace callisto::app

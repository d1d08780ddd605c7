// Writes notes between the frames of the progress line.
#include <callisto/app/cli/notes.hpp>

#include <callisto/app/cli/program_name.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/machine/system/one_line.hpp>

#include <string>

namespace callisto::app {
namespace {

bool silent_warnings = false;
bool silent = false;  // only the thread that runs the command reads and writes it

}  // namespace

void say(std::string_view text) {
  if (!silent) warn(text);
}

void warn(std::string_view text) {
  if (silent_warnings) return;
  progress_bar::print_above(std::string(program_name()) + ": " + machine::one_line(text) + "\n");
}

void silence_notes() noexcept { silent = true; }

void silence_all_notes() noexcept { silent = silent_warnings = true; }

}  // namespace callisto::app

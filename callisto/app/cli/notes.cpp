// Writes notes between the frames of the progress line.
#include <callisto/app/cli/notes.hpp>

#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/machine/system/one_line.hpp>

#include <string>

namespace callisto::app {
namespace {

bool silent = false;  // only the thread that runs the command reads and writes it

}  // namespace

void say(std::string_view text) {
  if (!silent) progress_bar::print_above("callisto: " + machine::one_line(text) + "\n");
}

void silence_notes() noexcept { silent = true; }

}  // namespace callisto::app

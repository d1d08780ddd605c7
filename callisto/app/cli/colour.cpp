// Colours by ECMA-48's SGR sequences.
#include <callisto/app/cli/colour.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

namespace callisto::app {
namespace {

enum class colour_use { automatic, always, never };  // in the order of colour_words
colour_use use = colour_use::automatic;

std::string_view variable(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string between(std::string_view begin, std::string_view text, bool wanted) {
  return wanted ? fmt::format("{}{}\x1b[0m", begin, text) : std::string(text);
}

}  // namespace

void use_colours(std::string_view when) {
  const auto word = std::ranges::find(colour_words, when);
  if (word == colour_words.end())
    throw usage_error(fmt::format("--color: expected auto, always or never, found '{}'", one_line(when)));
  use = static_cast<colour_use>(word - colour_words.begin());
}

bool is_coloured(int descriptor) noexcept {
  if (use != colour_use::automatic) return use == colour_use::always;
  const std::string_view kind = variable("TERM");
  return variable("NO_COLOR").empty() && !kind.empty() && kind != "dumb" && ::isatty(descriptor) == 1;
}

std::string bold(std::string_view text, bool wanted) { return between("\x1b[1m", text, wanted); }

std::string alarming(std::string_view text, bool wanted) { return between("\x1b[1;31m", text, wanted); }

}  // namespace callisto::app

// Colours and bold letters, where a terminal has them and the user wants them.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace callisto::app {

/// The values of --color.
inline constexpr std::array<std::string_view, 3> colour_words{"auto", "always", "never"};

/// Takes the value of --color: auto, always or never. Throws usage_error if it is none of these.
void use_colours(std::string_view when);

/// True if what is written to `descriptor` has colours: as use_colours() says; with auto (the default) on a terminal
/// that is not dumb, unless NO_COLOR is set (https://no-color.org).
bool is_coloured(int descriptor) noexcept;

/// Returns `text` in bold letters, if `wanted`.
std::string bold(std::string_view text, bool wanted);

/// Returns `text` in bold red letters, if `wanted`.
std::string alarming(std::string_view text, bool wanted);

}  // namespace callisto::app

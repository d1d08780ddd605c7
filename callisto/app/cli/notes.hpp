// Lines on standard error about decisions that the user might want otherwise.
#pragma once

#include <string_view>

namespace callisto::app {

/// Writes "callisto: TEXT" in one line on standard error, unless silence_notes() was called; control characters become
/// visible. Erases a progress line first, which may appear again behind the note.
void say(std::string_view text);

/// Writes such a line also with --quiet: the answer does not mean what it seems to, such as scores that have not
/// converged.
void warn(std::string_view text);

/// Makes say() do nothing from now on. For --quiet.
void silence_notes() noexcept;

/// Makes say() and warn() do nothing from now on: another process writes the lines.
void silence_all_notes() noexcept;

}  // namespace callisto::app

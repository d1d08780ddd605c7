// Signals that the program sends itself. For the sources of this folder.
#pragma once

namespace callisto::workers::ticks {

/// True if the program has sent itself the ticks' signal, which is about to come; it has come now. A standard signal
/// that is pending absorbs the next one, so what comes may be a tick.
bool take_raised() noexcept;
/// True if the program has sent itself another signal, and its handler has not begun.
bool is_raising() noexcept;

}  // namespace callisto::workers::ticks

// The terminal as a screen that is drawn again and again: its size, its keys, and its state as it was before.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace callisto::app {

/// The escape sequences are those that every terminal emulator and the Linux console know (ECMA-48, and xterm's other
/// screen), so that no data base of terminals is needed. One object at a time; not thread-safe.
class terminal {
 public:
  /// Whether standard output is a terminal that can be drawn on.
  static bool possible() noexcept;

  /// Switches to the other screen and takes the keys, of standard input or else of the terminal that the process was
  /// started from, if there is one: at once, or as soon as the process is in its foreground. The destructor gives back
  /// both; so does a signal that suspends or ends the process.
  terminal();
  terminal(const terminal&) = delete;
  ~terminal();

  bool has_keys() const noexcept;

  /// Gives back screen and keys if they are taken; for a process about to _exit. From any thread, and in handlers.
  static void leave_now() noexcept;

  /// As it is now: a terminal may change its size at any time.
  struct extent {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };
  static extent size() noexcept;

  /// Draws `lines`, separated by line feeds, over what was there; nothing in the background. Throws output_error, or
  /// reader_gone.
  void draw(std::string_view lines);

  enum class key { none, quit, up, down, page_up, page_down, home, other };

  /// The next key, waiting for it for `patience` at most; those that came together one after the other. Ctrl-C and q
  /// are quit; Ctrl-Z suspends the process as usual.
  key read(std::chrono::milliseconds patience);

 private:
  static void enter();

  std::string pending_;  ///< bytes of keys that were not asked for yet
};

}  // namespace callisto::app

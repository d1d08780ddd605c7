// The terminal as a screen that is drawn repeatedly: its size, its keys, and the state to give back.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace callisto::app {

/// A terminal that the process draws on. It uses escape sequences that every terminal emulator and the Linux console
/// know (ECMA-48, and xterm's other screen), and needs no data base of terminals. One object at a time; not
/// thread-safe.
class terminal {
 public:
  /// True if standard output is a terminal that can be drawn on.
  static bool possible() noexcept;

  /// Switches to the other screen and takes the keys: of standard input, or else of the terminal that the process was
  /// started from, if there is one. Both happen at once, or as soon as the process is in the terminal's foreground. The
  /// destructor gives back screen and keys; so does a signal that suspends or ends the process.
  terminal();
  terminal(const terminal&) = delete;
  ~terminal();

  bool has_keys() const noexcept;

  /// Gives back screen and keys if they are taken; for a process about to _exit. Any thread and any signal handler may
  /// call it.
  static void leave_now() noexcept;

  /// Size in characters. A terminal may change it at any time.
  struct extent {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };
  static extent size() noexcept;

  /// Draws `lines`, separated by line feeds, over the screen. In the background it draws nothing. Throws output_error
  /// or reader_gone.
  void draw(std::string_view lines);

  enum class key { none, quit, up, down, page_up, page_down, home, help, order, filter, other };

  /// Returns the next key, or none after `patience`. Keys that came together are returned one by one. Ctrl-C and q are
  /// quit, ? and h help, s order, / filter; Ctrl-Z suspends the process as usual.
  key read(std::chrono::milliseconds patience);

  /// The state of a line that a person types.
  enum class typing { goes_on, accepted, given_up };

  /// Takes the keys that came within `patience` as text: appends letters to `text`, and Backspace removes the last
  /// character. Enter accepts the line, Escape and Ctrl-C give it up; Ctrl-Z suspends the process.
  typing read_text(std::chrono::milliseconds patience, std::string& text);

 private:
  static void enter();
  bool wait_for_keys(std::chrono::milliseconds patience);
  bool follow_the_shell();

  std::string pending_;  ///< bytes of keys that were not returned yet
};

}  // namespace callisto::app

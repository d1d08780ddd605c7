// termios, ECMA-48 and poll.
#include <callisto/app/terminal.hpp>

#include <callisto/app/result.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr std::string_view other_screen = "\x1b[?1049h\x1b[?25l";  // and no cursor
constexpr std::string_view first_screen = "\x1b[0m\x1b[?25h\x1b[?1049l";

terminal::key key_of(std::string_view bytes) noexcept {
  using key = terminal::key;
  if (bytes.empty()) return key::none;
  switch (bytes.front()) {
    case 'q':
    case 'Q':
    case 3:  // Ctrl-C
    case 4:  // Ctrl-D
      return key::quit;
    case 'k':
      return key::up;
    case 'j':
      return key::down;
    case ' ':
      return key::page_down;
    case 'g':
      return key::home;
    case 0x1b:
      break;
    default:
      return key::other;
  }
  const std::string_view sequence = bytes.substr(1);
  if (sequence.starts_with("[A") || sequence.starts_with("OA")) return key::up;
  if (sequence.starts_with("[B") || sequence.starts_with("OB")) return key::down;
  if (sequence.starts_with("[5~")) return key::page_up;
  if (sequence.starts_with("[6~")) return key::page_down;
  if (sequence.starts_with("[H") || sequence.starts_with("OH") || sequence.starts_with("[1~")) return key::home;
  return key::other;
}

}  // namespace

bool terminal::possible() noexcept {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

terminal::extent terminal::size() noexcept {
  winsize now{};
  extent found;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) == 0 && now.ws_col > 0 && now.ws_row > 0) {
    found = {now.ws_col, now.ws_row};
  }
  return found;
}

terminal::terminal() {
  keys_ = ::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0;
  enter();
}

terminal::~terminal() { leave(); }

void terminal::enter() {
  if (keys_) {
    termios raw = before_;
    // Byte by byte, unseen; also the keys that would send signals, so that none ends the process before the terminal is
    // as it was.
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  print(other_screen);
}

void terminal::leave() noexcept {
  // If nobody reads it any more there is nothing left to restore.
  static_cast<void>(!::write(STDOUT_FILENO, first_screen.data(), first_screen.size()));
  if (keys_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

void terminal::draw(std::string_view lines) {
  std::string text = "\x1b[H";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    // The rest of the line; and no line feed behind the last one, which would scroll.
    text += lines.empty() ? "\x1b[K" : "\x1b[K\r\n";
  }
  print(text + "\x1b[J");
}

terminal::key terminal::read(std::chrono::milliseconds patience) {
  if (!keys_) {
    ::poll(nullptr, 0, static_cast<int>(patience.count()));
    return key::none;
  }
  pollfd readable{STDIN_FILENO, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(patience.count())) <= 0) return key::none;
  std::array<char, 64> bytes;
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got <= 0) return key::quit;  // the terminal is gone
  constexpr char suspend = 0x1a;
  if (bytes[0] == suspend) {
    leave();
    ::kill(0, SIGTSTP);
    // Again in the foreground, perhaps after the shell has changed the terminal.
    enter();
    return key::other;
  }
  return key_of({bytes.data(), static_cast<std::size_t>(got)});
}

}  // namespace callisto::app

// termios, ECMA-48 and poll.
#include <callisto/app/terminal.hpp>

#include <callisto/app/result.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr std::string_view other_screen = "\x1b[?1049h\x1b[?25l";  // and no cursor
constexpr std::string_view first_screen = "\x1b[0m\x1b[?25h\x1b[?1049l";

/// Takes the first key off `bytes`, which are not empty.
terminal::key next_key(std::string& bytes) {
  using key = terminal::key;
  const auto take = [&](std::size_t count, key which) {
    bytes.erase(0, count);
    return which;
  };
  switch (bytes.front()) {
    case 'q':
    case 'Q':
    case 3:  // Ctrl-C
    case 4:  // Ctrl-D
      return take(1, key::quit);
    case 'k':
      return take(1, key::up);
    case 'j':
      return take(1, key::down);
    case ' ':
      return take(1, key::page_down);
    case 'g':
      return take(1, key::home);
    case 0x1b:
      break;
    default:
      return take(1, key::other);
  }
  // ESC alone, or a sequence: ESC O x, or ESC [, parameters, and a byte from @ to ~ (ECMA-48, 5.4).
  if (bytes.size() < 2 || (bytes[1] != '[' && bytes[1] != 'O')) return take(1, key::other);
  std::size_t end = 2;
  while (bytes[1] == '[' && end < bytes.size() && (bytes[end] < '@' || bytes[end] > '~')) ++end;
  end = std::min(end + 1, bytes.size());
  const std::string sequence = bytes.substr(1, end - 1);
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), sequence) != names.end();
  };
  return take(end, is({"[A", "OA"})                 ? key::up
                   : is({"[B", "OB"})               ? key::down
                   : is({"[5~"})                    ? key::page_up
                   : is({"[6~"})                    ? key::page_down
                   : is({"[H", "OH", "[1~", "[7~"}) ? key::home
                                                    : key::other);
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
  if (::poll(&readable, 1, pending_.empty() ? static_cast<int>(patience.count()) : 0) > 0) {
    std::array<char, 64> bytes;
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got <= 0) return key::quit;  // the terminal is gone
    pending_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  if (pending_.empty()) return key::none;
  constexpr char suspend = 0x1a;
  if (pending_.front() == suspend) {
    pending_.erase(0, 1);
    leave();
    ::kill(0, SIGTSTP);
    // Again in the foreground, perhaps after the shell has changed the terminal.
    enter();
    return key::other;
  }
  return next_key(pending_);
}

}  // namespace callisto::app

// The terminal by termios, ECMA-48 and poll.
#include <callisto/app/cli/terminal.hpp>

#include <callisto/app/cli/result.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr std::string_view other_screen = "\x1b[?1049h\x1b[?25l";  // and no cursor
constexpr std::string_view first_screen = "\x1b[0m\x1b[?25h\x1b[?1049l";

/// The one terminal that is in use. It is no member, because code that ends the process without unwinding needs it.
struct {
  /// False while the terminal is the shell's or another job's. release where it becomes true: publishes the two below
  /// to leave_now()'s acquire, in a handler or another thread.
  std::atomic<bool> taken{false};
  int keys = -1;     ///< the descriptor that keys come from; -1: none
  termios before{};  ///< settings to give back, if there are keys
} in_use;

/// True if this process may change the terminal: it is in the foreground, or the terminal is not its controlling one.
/// Otherwise the system would stop the process at the attempt, and no signal could end it.
bool in_foreground() noexcept {
  const pid_t front = ::tcgetpgrp(in_use.keys);
  return front < 0 || front == ::getpgrp();
}

// Requests that signal handlers leave to read(). relaxed, all: nothing is read because of them.
std::atomic<bool> suspend_wanted{false};
std::atomic<bool> continued{false};

void give_back_and_end(int signal) {
  terminal::leave_now();
  ::raise(signal);  // delivered when this handler returns, with the default action
}

/// A signal that is handled while the terminal is in use, and its action before. signal_watch takes other signals.
struct handled_signal {
  int number;
  void (*handler)(int);
  int flags;
  struct sigaction before{};
};
std::array handled_signals{
    handled_signal{SIGTSTP, [](int) { suspend_wanted.store(true, std::memory_order_relaxed); }, SA_RESTART},
    handled_signal{SIGCONT, [](int) { continued.store(true, std::memory_order_relaxed); }, SA_RESTART},
    handled_signal{SIGQUIT, give_back_and_end, static_cast<int>(SA_RESETHAND)},
    handled_signal{SIGABRT, give_back_and_end, static_cast<int>(SA_RESETHAND)},
    handled_signal{SIGUSR1, give_back_and_end, static_cast<int>(SA_RESETHAND)},
    handled_signal{SIGUSR2, give_back_and_end, static_cast<int>(SA_RESETHAND)},
};

void handle_signals() noexcept {
  for (handled_signal& s : handled_signals) {
    ::sigaction(s.number, nullptr, &s.before);
    if (s.before.sa_handler == SIG_IGN) continue;  // it stays ignored
    struct sigaction ours{};
    ours.sa_handler = s.handler;
    ours.sa_flags = s.flags;
    ::sigaction(s.number, &ours, nullptr);
  }
}

/// Stops the process as an unhandled SIGTSTP does. Returns when it has been continued.
void suspend() noexcept {
  struct sigaction ours{};
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGTSTP, &usual, &ours);
  ::raise(SIGTSTP);
  ::sigaction(SIGTSTP, &ours, nullptr);
}

/// Removes the first key from `bytes`, which must not be empty, and returns it.
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
    case '?':
    case 'h':
      return take(1, key::help);
    case 's':
      return take(1, key::order);
    case '/':
      return take(1, key::filter);
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
  in_use.keys = ::isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : ::open("/dev/tty", O_RDONLY | O_CLOEXEC);
  if (in_use.keys >= 0 && ::tcgetattr(in_use.keys, &in_use.before) != 0) in_use.keys = -1;
  handle_signals();
  if (in_foreground()) enter();
}

terminal::~terminal() {
  leave_now();
  for (const handled_signal& s : handled_signals) ::sigaction(s.number, &s.before, nullptr);
  if (in_use.keys > STDIN_FILENO) ::close(in_use.keys);
}

bool terminal::has_keys() const noexcept { return in_use.keys >= 0; }

void terminal::enter() {
  in_use.taken.store(true, std::memory_order_release);
  if (in_use.keys >= 0) {
    termios raw = in_use.before;
    // Keys come byte by byte and are not echoed. Keys that would send signals come as bytes, too: no signal may end the
    // process before the terminal is given back.
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(in_use.keys, TCSADRAIN, &raw);
  }
  print(other_screen);
}

void terminal::leave_now() noexcept {
  if (!in_use.taken.exchange(false, std::memory_order_acquire) || !in_foreground()) return;
  // TCSANOW: if Ctrl-S has stopped the terminal, waiting for the output to drain would never end.
  if (in_use.keys >= 0) ::tcsetattr(in_use.keys, TCSANOW, &in_use.before);
  // If the write fails, the terminal has gone, and there is nothing to restore.
  static_cast<void>(!::write(STDOUT_FILENO, first_screen.data(), first_screen.size()));
}

void terminal::draw(std::string_view lines) {
  if (!in_use.taken.load(std::memory_order_relaxed)) return;  // relaxed: this thread enters
  std::string text = "\x1b[H";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    // Erases the rest of the line. A line feed behind the last line would scroll the screen.
    text += lines.empty() ? "\x1b[K" : "\x1b[K\r\n";
  }
  print(text + "\x1b[J");
}

/// Returns false if the terminal is gone.
bool terminal::wait_for_keys(std::chrono::milliseconds patience) {
  // Without keys, or while they are another process's, it only waits.
  pollfd readable{in_use.taken.load(std::memory_order_relaxed) ? in_use.keys : -1, POLLIN, 0};
  if (::poll(&readable, 1, pending_.empty() ? static_cast<int>(patience.count()) : 0) <= 0) return true;
  std::array<char, 64> bytes;
  const ssize_t got = ::read(in_use.keys, bytes.data(), bytes.size());
  if (got <= 0) return false;
  pending_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

terminal::typing terminal::read_text(std::chrono::milliseconds patience, std::string& text) {
  if (!wait_for_keys(patience)) return typing::given_up;
  if (follow_the_shell()) return typing::goes_on;
  while (!pending_.empty()) {
    const auto byte = static_cast<unsigned char>(pending_.front());
    if (byte == 0x1b) {  // Escape, or the sequence of another key
      pending_.clear();
      return typing::given_up;
    }
    pending_.erase(0, 1);
    if (byte == '\r' || byte == '\n') return typing::accepted;
    if (byte == 3) return typing::given_up;
    if (byte == 0x7f || byte == 8) {
      // A character of UTF-8 is its first byte and those that continue it.
      while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
      if (!text.empty()) text.pop_back();
    } else if (byte >= ' ') {
      text += static_cast<char>(byte);
    }
  }
  return typing::goes_on;
}

/// Suspends the process if a key or a signal asked for it. Returns true if the terminal is the process's again.
bool terminal::follow_the_shell() {
  constexpr char suspend_key = 0x1a;
  if (!pending_.empty() && pending_.front() == suspend_key) {
    pending_.erase(0, 1);
    ::kill(0, SIGTSTP);  // to the whole process group, as the terminal does
  }
  if (suspend_wanted.exchange(false, std::memory_order_relaxed)) {
    leave_now();
    suspend();
  }
  // After a stop, the shell has changed the terminal, or another process has it for now.
  const bool back =
      continued.exchange(false, std::memory_order_relaxed) || !in_use.taken.load(std::memory_order_relaxed);
  if (back && in_foreground()) {
    enter();
    return true;
  }
  if (back) in_use.taken.store(false, std::memory_order_relaxed);
  return false;
}

terminal::key terminal::read(std::chrono::milliseconds patience) {
  if (!wait_for_keys(patience)) return key::quit;
  if (follow_the_shell()) return key::other;
  return pending_.empty() ? key::none : next_key(pending_);
}

}  // namespace callisto::app

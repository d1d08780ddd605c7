// Drawing and erasing the progress line.
#include <callisto/app/cli/progress_bar.hpp>

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr auto patience = std::chrono::milliseconds(500);  // work shorter than this shows no line
constexpr auto frame = std::chrono::milliseconds(100);
constexpr std::string_view erase_line = "\r\x1b[K";

/// Guards what painters and notes write, so that neither cuts into the other.
std::mutex terminal;

/// True while a line is on the terminal.
std::atomic<bool> on_show{false};

/// Writes `text`. A progress line that cannot be written is no error.
void put(std::string_view text) noexcept {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

std::size_t terminal_width() noexcept {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string render_progress(const progress_state& state, std::size_t width) {
  std::string line = state.stage;
  const double rate = state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0;
  if (state.total != 0) {
    const double part = std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
    constexpr std::size_t cells = 24;
    const auto full = static_cast<std::size_t>(part * cells);
    line += fmt::format("  [{}{}] {:3.0f}%", std::string(full, '#'), std::string(cells - full, '.'),
                        std::min(99.0, part * 100));
  } else if (state.done != 0) {
    line += "  " + (state.unit == "bytes" ? human_bytes(state.done)
                                          : fmt::format("{} {}", with_separators(state.done), state.unit));
  }
  if (rate > 0) {
    line += "  " + human_rate(rate, state.unit);
    if (state.total > state.done) {
      const double left = static_cast<double>(state.total - state.done) / rate;
      line += fmt::format("  {} left", left < 1 ? std::string("less than 1 s") : human_seconds(std::max(1.0, left)));
    }
  }
  line.resize(first_columns(line, width).size());
  return line;
}

bool progress_bar::possible() noexcept {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

progress_bar::progress_bar(bool enabled) : enabled_(enabled) {
  if (!enabled_) return;
  try {
    painter_ = std::jthread([this](const std::stop_token& stop) { draw(stop); });
  } catch (const std::system_error&) {
    enabled_ = false;  // the system refuses threads
  }
}

progress_bar::~progress_bar() {
  if (!enabled_) return;
  painter_.request_stop();
  painter_.join();
  finish();
}

void progress_bar::begin(std::string_view stage, std::uint64_t total, std::string_view unit) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  stage_ = one_line(stage);
  unit_ = unit;
  total_ = total;
  stage_begin_ = clock::now();
  done_.store(0, std::memory_order_relaxed);
  if (!working_) work_begin_ = stage_begin_;
  working_ = true;
  wake_.notify_one();
}

void progress_bar::finish() {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  working_ = false;
  erase_now();
}

void progress_bar::print_above(std::string_view text) {
  const std::lock_guard writing(terminal);
  erase_now();
  put(text);
}

void progress_bar::erase_now() noexcept {
  if (on_show.exchange(false)) put(erase_line);
}

void progress_bar::draw(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait(lock, stop, [this] { return working_; });
    wake_.wait_for(lock, stop, frame, [] { return false; });  // one frame, or until the bar is destroyed
    if (!working_) continue;
    const auto now = clock::now();
    if (now - work_begin_ < patience) continue;
    const progress_state state{stage_, unit_, done_.load(std::memory_order_relaxed), total_,
                               std::chrono::duration<double>(now - stage_begin_).count()};
    const std::string line = render_progress(state, terminal_width() - 1);
    const std::lock_guard writing(terminal);
    on_show.store(true);
    put(std::string(erase_line) + line);
  }
}

}  // namespace callisto::app

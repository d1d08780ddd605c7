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
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr auto patience = std::chrono::milliseconds(500);  // work shorter than this shows no line
constexpr auto frame = std::chrono::milliseconds(100);
constexpr std::string_view erase_line = "\r\x1b[K";

/// Guards the output of painters and notes, so that each text stays whole.
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

progress_estimate estimate_progress(const progress_state& state) noexcept {
  const double elapsed = state.seconds_before + state.seconds;
  std::optional<double> left;  // of this stage
  if (state.total != 0 && state.done != 0) {
    const std::uint64_t rest = state.total - std::min(state.done, state.total);
    left = state.seconds * static_cast<double>(rest) / static_cast<double>(state.done);
  }
  if (state.share_behind == 0 && state.share_before == 0) {
    if (state.total == 0) return {};
    const double part = static_cast<double>(state.done) / static_cast<double>(state.total);
    return {std::min(1.0, part), left};
  }
  const double usual =  // this stage's time at the pace of the stages before
      state.share_before > 0 ? state.seconds_before / state.share_before * state.share : 0;
  if (!left) {
    if (state.share != 0 && state.share_before == 0) return {state.least, {}};
    left = std::max(0.0, usual - state.seconds);
  }
  const double whole = state.seconds + *left;
  const double passed = state.share_before + (whole > 0 ? state.share * state.seconds / whole : 0);
  if (!(passed > 0)) return {state.least, {}};
  const double all_left = *left + state.share_behind * elapsed / passed;
  return {std::max(state.least, elapsed / (elapsed + all_left)), all_left};
}

std::string render_progress(const progress_state& state, std::size_t width) {
  std::string line = state.stage;
  const double rate = state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0;
  const progress_estimate whole = estimate_progress(state);
  if (whole.part) {
    const double part = *whole.part;
    constexpr std::size_t cells = 24;
    const auto full = static_cast<std::size_t>(part * cells);
    line += fmt::format("  [{}{}] {:3.0f}%", std::string(full, '#'), std::string(cells - full, '.'),
                        std::min(99.0, part * 100));
  }
  if (state.total == 0 && state.done != 0) {
    line += "  " + (state.unit == "bytes" ? human_bytes(state.done)
                                          : fmt::format("{} {}", with_separators(state.done), state.unit));
  }
  if (rate > 0) line += "  " + human_rate(rate, state.unit);
  const bool ends = state.share_behind == 0 && state.total != 0 && state.done >= state.total;
  if (whole.left && !ends) {
    const std::string_view about = state.share_behind != 0 ? "about " : "";
    line += *whole.left < 1 ? "  less than 1 s left" : fmt::format("  {}{} left", about, human_seconds(*whole.left));
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

void progress_bar::expect(std::vector<expected_stage> stages) {
  const std::lock_guard lock(mutex_);
  expected_ = std::move(stages);
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
  share_before_ += std::exchange(share_, 0);
  auto found =
      std::find_if(expected_.begin() + static_cast<std::ptrdiff_t>(next_), expected_.end(),
                   [&](const expected_stage& s) { return !s.name.empty() && stage.find(s.name) != stage.npos; });
  if (found == expected_.end()) {
    found = std::find_if(expected_.begin() + static_cast<std::ptrdiff_t>(next_), expected_.end(),
                         [](const expected_stage& s) { return s.name.empty(); });
  }
  if (found != expected_.end()) {
    share_ = found->share;
    next_ = static_cast<std::size_t>(found - expected_.begin()) + 1;
  }
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
  if (on_show.exchange(false, std::memory_order_relaxed)) put(erase_line);  // relaxed: one thread erases, whichever
}

void progress_bar::draw(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait(lock, stop, [this] { return working_; });
    wake_.wait_for(lock, stop, frame, [] { return false; });  // one frame, or until the bar is destroyed
    if (!working_) continue;
    const auto now = clock::now();
    if (now - work_begin_ < patience) continue;
    progress_state state{stage_, unit_, done_.load(std::memory_order_relaxed), total_,
                         std::chrono::duration<double>(now - stage_begin_).count()};
    state.seconds_before = std::chrono::duration<double>(stage_begin_ - work_begin_).count();
    state.share_before = share_before_;
    state.share = share_;
    for (std::size_t i = next_; i < expected_.size(); ++i) state.share_behind += expected_[i].share;
    state.least = least_;
    least_ = std::max(least_, estimate_progress(state).part.value_or(0));
    const std::string line = render_progress(state, terminal_width() - 1);
    const std::lock_guard writing(terminal);
    on_show.store(true, std::memory_order_relaxed);  // relaxed: nothing is read because of it
    put(std::string(erase_line) + line);
  }
}

}  // namespace callisto::app

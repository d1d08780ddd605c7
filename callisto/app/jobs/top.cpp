// callisto top: shows the jobs and the contexts, live.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/colour.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/terminal.hpp>
#include <callisto/app/jobs/broker_listing.hpp>
#include <callisto/app/jobs/broker_screen.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/app/jobs/top_screen.hpp>
#include <callisto/broker/client.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace callisto::app {
namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_screens{20};
constexpr double first_interval = 0.5;  ///< seconds, at most

struct top_arguments {
  double interval = 0.5;  ///< seconds
};

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  std::array<char, 16> text{};
  ::localtime_r(&now, &local);
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &local)};
}

/// Watches the table: opens it when it exists, collects what it says, and begins anew if another table replaces it.
/// While there is a broker, watches that instead, once an interval.
class watched_jobs {
 public:
  void look() {
    if (broker_) return;
    if (table_ != nullptr && !table_->in_place()) {
      table_.reset();
      screen_ = {};
    }
    if (table_ == nullptr) table_ = visit_table();
    if (table_ != nullptr) screen_.add(table_->contexts());
  }
  void close() {
    if (const std::optional<broker::broker_report> by = broker::ask_for_report()) {
      if (!broker_) broker_.emplace(user_names::of_system());
      broker_->close(machine::shared_nanoseconds(), *by, by->answers ? broker::ask_for_usage(by->path) : std::nullopt);
      return;
    }
    if (broker_) {
      broker_.reset();
      look();
    }
    if (table_ == nullptr) return;
    const std::vector<cosched::job_picture> jobs = table_->jobs();
    std::set<unsigned> contexts;
    for (const cosched::context_picture& c : table_->contexts()) contexts.insert(c.context);
    screen_.close(machine::shared_nanoseconds(), jobs,
                  machine::busy_time_of([&](unsigned c) { return contexts.contains(c); }));
  }
  bool has_broker() const noexcept { return broker_.has_value(); }
  std::string render(top_screen::style how) const {
    if (broker_) return broker_->render(how);
    if (table_ == nullptr) {
      return fmt::format("There is no table: no job has shared this machine yet\n({})", table_places());
    }
    how.table = one_line(table_->path());
    if (!table_->whole()) how.table += ": its header is damaged; 'callisto reset' mends it";
    return screen_.render(how);
  }

 private:
  std::unique_ptr<cosched::table_reader> table_;
  top_screen screen_;
  std::optional<broker_screen> broker_;
};

void show_once(const top_arguments& o, const std::stop_token& stop) {
  watched_jobs seen;
  seen.look();
  seen.close();
  for (const auto end = clock::now() + std::chrono::duration<double>(o.interval); clock::now() < end;) {
    std::this_thread::sleep_for(between_screens);
    if (stop.stop_requested()) throw graph::cancelled();
    seen.look();
  }
  seen.close();
  // A pipe has room for all contexts: the number of lines is not limited.
  print(seen.render({.size = {80, std::numeric_limits<int>::max()}, .only = {}, .clock = time_of_day(), .table = {}}) +
        '\n');
}

void show_live(const top_arguments& o, const std::stop_token& stop) {
  watched_jobs seen;
  seen.look();
  seen.close();
  const bool plain = !is_coloured(STDOUT_FILENO);
  terminal screen;
  top_screen::style how{.size = {}, .colours = !plain, .keys = screen.has_keys(), .only = {}, .clock = {}, .table = {}};
  // The first screen shows one look. Means replace it after 0.5 s at most, whatever the interval.
  auto next = clock::now() + std::chrono::duration_cast<clock::duration>(
                                 std::chrono::duration<double>(std::min(o.interval, first_interval)));
  terminal::extent drawn{};
  bool again = true;
  bool explains = false;
  for (;;) {
    how.size = terminal::size();
    again = again || how.size.columns != drawn.columns || how.size.rows != drawn.rows;
    const auto now = clock::now();
    if (now >= next) {
      next = now + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(o.interval));
      seen.close();
      again = true;
    }
    if (again) {
      how.clock = time_of_day();
      screen.draw(explains ? top_screen::help(how.size) : seen.render(how));
      drawn = how.size;
    }
    if (how.typing) {
      const std::string before = how.only;
      const terminal::typing line = screen.read_text(between_screens, how.only);
      if (line == terminal::typing::given_up) how.only.clear();
      how.typing = line == terminal::typing::goes_on;
      again = !how.typing || how.only != before;
      if (stop.stop_requested()) throw graph::cancelled();
      seen.look();
      continue;
    }
    const terminal::key pressed = screen.read(between_screens);
    if (stop.stop_requested()) throw graph::cancelled();
    seen.look();
    const std::size_t page = std::max<std::size_t>(1, how.size.rows / 2);
    again = pressed != terminal::key::none;
    if (again) explains = pressed == terminal::key::help && !explains;
    switch (pressed) {
      case terminal::key::quit:
        return;
      case terminal::key::up:
        how.scroll -= std::min<std::size_t>(how.scroll, 1);
        break;
      case terminal::key::down:
        ++how.scroll;
        break;
      case terminal::key::page_up:
        how.scroll -= std::min(how.scroll, page);
        break;
      case terminal::key::page_down:
        how.scroll += page;
        break;
      case terminal::key::home:
        how.scroll = 0;
        break;
      case terminal::key::order:
        how.by = top_screen::after(how.by);
        // A broker tells no processor time.
        if (seen.has_broker() && how.by == top_screen::order::processor) how.by = top_screen::after(how.by);
        break;
      case terminal::key::filter:
        how.typing = true;
        break;
      case terminal::key::none:
      case terminal::key::help:
      case terminal::key::other:
        break;
    }
  }
}

}  // namespace

command add_top(const command_parser& app) {
  const command_parser parser = app.add_subcommand("top", "Watch the jobs that share the machine");
  const auto o = std::make_shared<top_arguments>();
  add_parsed(
      parser, "--interval", "SECONDS",
      [o](const std::string& text) { o->interval = parse_real("--interval", text, {.low = 0.05, .high = 3600}); },
      "Draw so often; a column of the history, and what the numbers are means of [0.5]");
  parser.more(
      "The arrow keys and the space bar scroll if there are more contexts than lines. s orders the jobs by their\n"
      "processor time, by the contexts that they run on or wait for, by name, or as they came. / and a text show the\n"
      "jobs with that text in their name; / and Escape show all.");
  parser.footer(
      "Of each job: on how many contexts it has high priority, runs, keeps without work, has borrowed or lent, and "
      "for\n"
      "how many it waits; its processor time in % of one context. Of each context: which job has high priority, which "
      "runs,\n"
      "which wait, how often it changes hands in a second, and which had it before, a column for each interval. Looks "
      "at\n"
      "the table 50 times a second, and is no job itself. Where standard output is no terminal it watches for one\n"
      "interval and prints once. ? explains the words, q or Ctrl-C quits. NO_COLOR and --color are heeded.\n\n"
      "Under a broker: the jobs of the users that its policy lets you see, and of each the contexts that it had, that\n"
      "it borrowed and lent, how often one was taken since it did not answer, and the context time of its life.\n\n"
      "Examples:\n"
      "  callisto top\n"
      "  callisto top --interval 2\n"
      "  callisto top | cat");
  return {parser, [o](const std::stop_token& stop) {
            look_promptly();
            if (terminal::possible()) {
              show_live(*o, stop);
            } else {
              show_once(*o, stop);
            }
          }};
}

}  // namespace callisto::app

// The sums of each site, and how they are shown.
#include <callisto/loop/record/statistics.hpp>

#include <callisto/loop/record/site_totals.hpp>
#include <callisto/loop/record/timeline.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/filled.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <string_view>

#include <pthread.h>

namespace callisto {

loop_activity& loop_activity::operator+=(const loop_activity& other) noexcept {
  visits += other.visits;
  iterations += other.iterations;
  batches += other.batches;
  steals += other.steals;
  given_back += other.given_back;
  taken_back += other.taken_back;
  combined += other.combined;
  work += other.work;
  claiming += other.claiming;
  idle += other.idle;
  return *this;
}

loop_activity loop_statistics_of_site::total() const noexcept {
  loop_activity sum;
  for (const loop_activity& thread : threads) sum += thread;
  return sum;
}

namespace loop {
namespace {

/// The registry's storage. Trivially destroyed, so it exists at any time.
constinit std::mutex registry_lock;

/// Clears all in the child of a fork, which begins with nothing.
void begin_anew_in_child() {
  site_registry::instance().reset();
  timeline::clear();
  registry_lock.unlock();
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

double seconds(double ticks) { return ticks / static_cast<double>(machine::native::ticks_per_second()); }

std::string human(double s) {
  if (s < 1e-3) return machine::fixed(s * 1e6, 1) + " us";
  if (s < 1) return machine::fixed(s * 1e3, 1) + " ms";
  return machine::fixed(s, 2) + " s";
}

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string to_json(const loop_activity& a) {
  const auto in_seconds = [](std::uint64_t ticks) { return seconds(static_cast<double>(ticks)); };
  return machine::filled(
      R"("visits":{},"iterations":{},"batches":{},"steals":{},"given_back":{},"taken_back":{},"combined":{},)"
      R"("work":{},"claiming":{},"idle":{},"cycles":{{"work":{},"claiming":{},"idle":{}}})",
      a.visits, a.iterations, a.batches, a.steals, a.given_back, a.taken_back, a.combined, in_seconds(a.work),
      in_seconds(a.claiming), in_seconds(a.idle), a.work, a.claiming, a.idle);
}

}  // namespace

site_registry& site_registry::instance() {
  static site_registry* const only = [] {
    pthread_atfork([] { registry_lock.lock(); }, [] { registry_lock.unlock(); }, begin_anew_in_child);
    return new site_registry;
  }();
  return *only;
}

// Through instance(), which takes care of forks.
site_registry::hold::hold() noexcept {
  instance();
  registry_lock.lock();
}
site_registry::hold::~hold() { registry_lock.unlock(); }

site_totals& site_registry::find(const std::source_location& where) {
  const auto same = [&](const auto& site) {
    return site->sums.line == where.line() && site->sums.column == where.column() &&
           site->sums.file == where.file_name() && site->sums.function == where.function_name();
  };
  if (const auto found = std::find_if(sites_.begin(), sites_.end(), same); found != sites_.end()) return **found;
  auto made = std::make_unique<site_totals>();
  made->sums.file = where.file_name();
  made->sums.line = where.line();
  made->sums.column = where.column();
  made->sums.function = where.function_name();
  made->label =
      machine::filled("{} ({}:{})", short_function(made->sums.function), base_name(made->sums.file), where.line());
  sites_.push_back(std::move(made));
  return *sites_.back();
}

void site_registry::reset() noexcept {
  for (const auto& site : sites_) {
    loop_statistics_of_site& sums = site->sums;
    sums.loops = sums.threw = sums.stopped = sums.duration = sums.busiest = 0;
    sums.mean = 0;
    // Not fewer: loops in flight keep their places.
    std::fill(sums.threads.begin(), sums.threads.end(), loop_activity{});
  }
}

std::string short_function(const std::string& function) {
  // The name ends where the parameters begin: at the first parenthesis that is in no template argument and begins no
  // name of the compiler's, such as clang's "(anonymous namespace)".
  std::size_t end = function.size();
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (function[i] == '<') ++depth;
    if (function[i] == '>') --depth;
    if (depth != 0 || function[i] != '(' || function.compare(i, 5, "(anon") == 0) continue;
    end = i;
    break;
  }
  // Back over its own template arguments.
  std::size_t last = end;
  if (last > 0 && function[last - 1] == '>') {
    int open = 0;
    do {
      --last;
      if (function[last] == '>') ++open;
      if (function[last] == '<') --open;
    } while (open > 0 && last > 0);
  }
  std::size_t begin = last;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(function[begin - 1])) != 0 ||
                       function[begin - 1] == '_' || function[begin - 1] == '~')) {
    --begin;
  }
  return begin == last ? function : function.substr(begin, last - begin);
}

std::string to_table(std::span<const loop_statistics_of_site> sites) {
  constexpr std::size_t columns = 12;
  std::vector<std::array<std::string, columns>> rows;
  rows.push_back({"loop", "loops", "iterations", "batches", "stolen", "returned", "combined", "time", "work",
                  "claiming", "idle", "imbalance"});
  for (const loop_statistics_of_site& s : sites) {
    const loop_activity all = s.total();
    const double had = static_cast<double>(std::max<std::uint64_t>(1, all.work + all.claiming + all.idle));
    const auto share = [had](std::uint64_t ticks) {
      return machine::fixed(100 * static_cast<double>(ticks) / had, 1) + '%';
    };
    std::string name = machine::filled("{} ({}:{})", short_function(s.function), base_name(s.file), s.line);
    if (s.threw != 0) name += machine::filled(", {} threw", grouped(s.threw));
    if (s.stopped != 0) name += machine::filled(", {} stopped", grouped(s.stopped));
    rows.push_back({std::move(name), grouped(s.loops), grouped(all.iterations), grouped(all.batches),
                    grouped(all.steals), grouped(all.given_back + all.taken_back), grouped(all.combined),
                    human(seconds(static_cast<double>(s.duration))), share(all.work), share(all.claiming),
                    share(all.idle), machine::fixed(s.imbalance(), 3)});
  }
  std::array<std::size_t, columns> widths{};
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text += row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (std::size_t c = 1; c < columns; ++c) text += std::string(2 + widths[c] - row[c].size(), ' ') + row[c];
    text += '\n';
  }
  return text;
}

std::string to_json(std::span<const loop_statistics_of_site> sites) {
  std::string text = "[";
  for (const loop_statistics_of_site& s : sites) {
    if (text.size() > 1) text += ',';
    text += machine::filled(
        R"({{"file":{},"line":{},"column":{},"function":{},"loops":{},"threw":{},"stopped":{},"seconds":{},)"
        R"("imbalance":{},{},"threads":[)",
        machine::quoted(s.file), s.line, s.column, machine::quoted(s.function), s.loops, s.threw, s.stopped,
        seconds(static_cast<double>(s.duration)), s.imbalance(), to_json(s.total()));
    for (std::size_t t = 0; t < s.threads.size(); ++t) {
      text += (t == 0 ? "{" : ",{") + to_json(s.threads[t]) + '}';
    }
    text += "]}";
  }
  return text + "]";
}

}  // namespace loop

void count_loops(bool on) {
  loop::settle_recording();
  loop::set_recording(loop::records_sums, on);
}

std::vector<loop_statistics_of_site> loop_statistics() {
  std::vector<loop_statistics_of_site> all;
  {
    const loop::site_registry::hold held;
    for (const auto& site : loop::site_registry::instance().all()) {
      if (site->sums.loops != 0) all.push_back(site->sums);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.total().work > b.total().work; });
  return all;
}

void reset_loop_statistics() noexcept {
  const loop::site_registry::hold held;
  loop::site_registry::instance().reset();
}

}  // namespace callisto

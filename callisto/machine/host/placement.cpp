// Orders of contexts: spread, compact and listed; what they look like and how a thread is kept in its place.
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

// The path from the machine to a context, widest level first. Levels are compared as paths, not each on its own, since
// hardware nests them in either way: several L3 caches in a NUMA node (EPYC), or several nodes in one cache.
constexpr std::array levels = {&context::package, &context::numa, &context::l3,
                               &context::l2,      &context::core, &context::thread_in_core};
constexpr std::size_t core_level = 4;

bool same_core(const context& a, const context& b) noexcept { return a.core == b.core; }

/// Whether `a` comes before `b` where near contexts are neighbours. If there is a leader, its context comes first, and
/// at each level its own group comes first and the other groups in cyclic order.
bool comes_before(const context& a, const context& b, const context* leader) noexcept {
  bool with_leader = leader != nullptr;
  for (const auto level : levels) {
    const unsigned origin = with_leader ? leader->*level : 0;
    // Unsigned: numbers below the origin wrap around and come last.
    if (a.*level != b.*level) return a.*level - origin < b.*level - origin;
    with_leader = with_leader && a.*level == origin;
  }
  return false;
}

void sort_compactly(std::vector<context>& contexts, const context* leader) {
  std::sort(contexts.begin(), contexts.end(),
            [leader](const context& a, const context& b) { return comes_before(a, b, leader); });
}

/// The place of each context in compact order.
std::vector<unsigned> positions(const std::vector<context>& contexts) {
  std::vector<unsigned> order(contexts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    if (comes_before(contexts[a], contexts[b], nullptr)) return true;
    return !comes_before(contexts[b], contexts[a], nullptr) && a < b;  // threads that share a context
  });
  std::vector<unsigned> places(contexts.size());
  for (unsigned i = 0; i < order.size(); ++i) places[order[i]] = i;
  return places;
}

/// Reorders contexts that are sorted compactly, one for each core, so that each prefix is spread over the groups at
/// `depth` as evenly as they last, and within each group over its own groups.
std::vector<context> interleave(std::vector<context> contexts, std::size_t depth) {
  if (depth == core_level || contexts.size() < 2) return contexts;
  const auto level = levels[depth];
  std::vector<std::vector<context>> groups;
  for (auto begin = contexts.begin(); begin != contexts.end();) {
    const auto end = std::find_if(begin, contexts.end(), [&](const context& c) { return c.*level != (*begin).*level; });
    groups.push_back(interleave(std::vector<context>(begin, end), depth + 1));
    begin = end;
  }
  std::vector<context> out;
  out.reserve(contexts.size());
  for (std::size_t turn = 0; out.size() < contexts.size(); ++turn) {
    for (const auto& group : groups) {
      if (turn < group.size()) out.push_back(group[turn]);
    }
  }
  return out;
}

/// Over packages, then NUMA nodes, L3 caches, L2 caches and cores; a second context of any core only when every core
/// has one thread (ATC'15 section 4).
std::vector<context> spread(const std::vector<context>& compact) {
  std::vector<std::vector<context>> layers;  // the first usable context of each core, the second ones, ...
  std::size_t layer = 0;
  for (std::size_t i = 0; i < compact.size(); ++i) {
    layer = i != 0 && same_core(compact[i - 1], compact[i]) ? layer + 1 : 0;
    if (layer == layers.size()) layers.emplace_back();
    layers[layer].push_back(compact[i]);
  }
  std::vector<context> out;
  out.reserve(compact.size());
  for (auto& l : layers) {
    const std::vector<context> part = interleave(std::move(l), 0);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

std::string plural(std::size_t n, std::string_view noun) {
  std::string text = std::to_string(n) + ' ' + std::string(noun);
  if (n != 1) text += 's';
  return text;
}

std::size_t distinct(const std::vector<context>& contexts, unsigned context::* level) {
  std::set<unsigned> seen;
  for (const context& c : contexts) seen.insert(c.*level);
  return seen.size();
}

/// 2.5 as "2.5", 3.0 as "3".
std::string short_number(double x) {
  std::array<char, 32> text;
  // Not by std::to_chars(): it needs libm, which each OpenMP program would load when it starts.
  std::snprintf(text.data(), text.size(), "%g", x);
  return text.data();
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::string format_list(const placement_request& request) {
  return "CALLISTO_PLACEMENT=" + format_cpu_list(request.list);
}

/// The contexts of the user's list.
std::vector<context> listed(const std::vector<context>& usable, const placement_request& request) {
  std::vector<context> out;
  for (const unsigned cpu : request.list) {
    const auto at = std::find_if(usable.begin(), usable.end(), [&](const context& c) { return c.os_index == cpu; });
    if (at == usable.end()) {
      std::vector<unsigned> numbers;
      numbers.reserve(usable.size());
      for (const context& c : usable) numbers.push_back(c.os_index);
      std::sort(numbers.begin(), numbers.end());
      throw usage_error(format_list(request) + ": CPU " + std::to_string(cpu) +
                        " is not usable by this process (expected CPUs among " + format_cpu_list(numbers) + ")");
    }
    if (std::find(out.begin(), out.end(), *at) != out.end()) {
      throw usage_error(format_list(request) + ": CPU " + std::to_string(cpu) + " is listed twice");
    }
    out.push_back(*at);
  }
  if (out.empty()) throw usage_error("CALLISTO_PLACEMENT: expected at least one CPU in the list");
  if (request.threads && *request.threads > out.size()) {
    throw usage_error(format_list(request) + ": lists " + plural(out.size(), "CPU") + " for " +
                      plural(*request.threads, "thread") + " (expected at least as many)");
  }
  return out;
}

std::string why_that_many(std::size_t threads, std::size_t usable, const topology& t, const limits& l,
                          const placement_request& request) {
  const std::string count = plural(threads, "thread") + ": ";
  if (request.threads) return count + "as requested.";
  if (request.rule == placement_rule::list) return count + "one for each CPU listed in CALLISTO_PLACEMENT.";
  if (threads < usable) {
    return count + l.quota_source + " grants the time of " + short_number(*l.quota) + " of the " +
           plural(usable, "usable context") + ", rounded up.";
  }
  if (usable == t.contexts().size()) return count + "one for each hardware context of the machine.";
  return count + "one for each usable context, of " + std::to_string(t.contexts().size()) +
         " in the machine; the others are excluded by the " + (l.cpus_source.starts_with('/') ? "cpuset " : "") +
         l.cpus_source + ".";
}

std::string why_there(const std::vector<context>& chosen, const topology& t, const placement_request& request) {
  const std::string extent = plural(distinct(chosen, &context::package), "package") + ", " +
                             plural(distinct(chosen, &context::numa), "NUMA node") +
                             (t.has_l3() ? ", " + plural(distinct(chosen, &context::l3), "L3 cache") : "") + " and " +
                             plural(distinct(chosen, &context::core), "core") + ".";
  switch (request.rule) {
    case placement_rule::list:
      return "Placed as listed in CALLISTO_PLACEMENT, on " + extent;
    case placement_rule::compact:
      return "Placed compactly (CALLISTO_PLACEMENT=compact), on " + extent;
    case placement_rule::automatic:
    case placement_rule::spread:
    case placement_rule::none:
      break;
  }
  return "Spread as widely as possible, over " + extent;
}

/// A process with a quota shares its contexts with other processes that it cannot see; if all of these pinned
/// themselves to the best contexts, the best contexts would be crowded while other contexts idle.
bool pins(const limits& l, const placement_request& request, std::size_t usable) noexcept {
  const bool shared = l.quota && *l.quota < static_cast<double>(usable);
  return request.rule != placement_rule::none && !(request.rule == placement_rule::automatic && shared);
}

}  // namespace

placement_request placement_request::from_environment() {
  placement_request request;
  if (const std::string_view text = variable("CALLISTO_THREADS"); !text.empty()) {
    unsigned n = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || rest != text.data() + text.size() || n == 0 || n > most_threads) {
      throw usage_error("CALLISTO_THREADS=" + std::string(text) + ": expected a number of threads from 1 to " +
                        std::to_string(most_threads));
    }
    request.threads = n;
  }
  const std::string_view text = variable("CALLISTO_PLACEMENT");
  if (text == "spread")
    request.rule = placement_rule::spread;
  else if (text == "compact")
    request.rule = placement_rule::compact;
  else if (text == "none")
    request.rule = placement_rule::none;
  else if (!text.empty()) {
    std::optional<std::vector<unsigned>> list = parse_cpu_list(text);
    if (!list) {
      throw usage_error("CALLISTO_PLACEMENT=" + std::string(text) +
                        ": expected spread, compact, none or a list of CPU numbers such as 0,2,8-11");
    }
    request.rule = placement_rule::list;
    request.list = *std::move(list);
  }
  return request;
}

placement place(const topology& t, const limits& l, const placement_request& request,
                std::optional<unsigned> leader_on) {
  std::vector<context> usable;
  for (const context& c : t.contexts()) {
    if (std::binary_search(l.cpus.begin(), l.cpus.end(), c.os_index)) usable.push_back(c);
  }
  // Limits that speak of another machine limit nothing.
  if (usable.empty()) usable.assign(t.contexts().begin(), t.contexts().end());
  std::optional<context> leader;
  for (const context& c : usable) {
    if (leader_on == c.os_index) leader = c;
  }

  std::vector<context> order;
  if (request.rule == placement_rule::list) {
    order = listed(usable, request);
    const auto first = leader ? std::find(order.begin(), order.end(), *leader) : order.end();
    if (first != order.end()) std::rotate(order.begin(), first, first + 1);
  } else {
    order = usable;
    sort_compactly(order, leader ? &*leader : nullptr);
    if (request.rule != placement_rule::compact) order = spread(order);
  }
  std::size_t threads = std::min<std::size_t>({default_threads(l), usable.size(), most_threads});
  if (request.rule == placement_rule::list) threads = std::min<std::size_t>(order.size(), most_threads);
  if (request.threads) threads = std::max(1u, *request.threads);

  placement p{};
  for (std::size_t i = 0; i < threads; ++i) p.contexts.push_back(order[i % order.size()]);
  p.position_of_thread = positions(p.contexts);
  p.pinned = pins(l, request, usable.size());

  p.reasons.push_back(why_that_many(threads, usable.size(), t, l, request));
  p.reasons.push_back(why_there(p.contexts, t, request));
  if (threads > order.size()) {
    p.reasons.push_back("More threads than usable contexts: " + plural(threads, "thread") + " take turns on " +
                        plural(order.size(), "context") + ".");
  }
  if (threads == 1) {
    p.reasons.push_back("Not pinned: the only thread is the one that starts the loop.");
  } else if (p.pinned) {
    p.reasons.push_back(
        "Each follower is pinned to its context; the leader is the thread that starts the loop and "
        "stays where the system runs it.");
  } else if (request.rule == placement_rule::none) {
    p.reasons.push_back("Not pinned (CALLISTO_PLACEMENT=none): the system's scheduler moves the threads as it likes.");
  } else {
    p.reasons.push_back(
        "Not pinned: a CPU quota means that other processes share these contexts, and the system's "
        "scheduler knows where there is room (CALLISTO_PLACEMENT=spread pins).");
  }
  return p;
}

bool pins(const limits& l, const placement_request& request) noexcept { return pins(l, request, l.cpus.size()); }

namespace {

// The kernel's own calls: in a program into which libgomp.so.1 is preloaded, the C library's tell of its members
// (openmp/libc/thread_signals.cpp).
bool put(pid_t thread, const cpu_mask& where) noexcept {
  return syscall(SYS_sched_setaffinity, thread, sizeof where, where.set()) == 0;
}
bool find_here(cpu_mask& where) noexcept {
  where = {};
  return syscall(SYS_sched_getaffinity, 0, sizeof where, where.set()) > 0;
}

}  // namespace

bool pin(pthread_t thread, unsigned os_index) noexcept {
  if (os_index >= max_cpus) return false;
  const cpu_mask mask(os_index);
  return pthread_setaffinity_np(thread, sizeof mask, mask.set()) == 0;
}

bool pin_this_thread(unsigned os_index) noexcept { return os_index < max_cpus && put(0, cpu_mask(os_index)); }

bool unpin_this_thread() noexcept {
  const cpu_mask mask(affinity_at_start());
  return put(0, mask);
}

unpinned_here::unpinned_here() noexcept : moved_(find_here(before_) && unpin_this_thread()) {}

unpinned_here::~unpinned_here() {
  if (!moved_) return;
  const int saved = errno;
  put(0, before_);
  errno = saved;
}

int unpin(pthread_attr_t& how) noexcept {
  const cpu_mask mask(affinity_at_start());
  return pthread_attr_setaffinity_np(&how, sizeof mask, mask.set());
}

bool keep_this_thread_on(unsigned os_index) noexcept {
  // On a machine of more contexts than fit, where it runs at the moment has to do.
  cpu_mask where;
  const bool is_there = os_index < max_cpus && find_here(where)
                            ? CPU_COUNT_S(sizeof where, where.set()) == 1 && where.has(os_index)
                            : sched_getcpu() == static_cast<int>(os_index);
  return is_there || pin_this_thread(os_index);
}

bool pin_thread_of(pid_t process, pid_t thread, unsigned os_index) noexcept {
  if (os_index >= max_cpus || process <= 0 || thread <= 0) return false;
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task/%d", static_cast<int>(process), static_cast<int>(thread));
  const cpu_mask mask(os_index);
  return access(path.data(), F_OK) == 0 && put(thread, mask);
}

unsigned contexts_of_affinity(pid_t thread) noexcept {
  cpu_mask now;
  // The kernel's own: it says how many bytes it has written.
  const long bytes = syscall(SYS_sched_getaffinity, thread, sizeof now, now.set());
  return bytes > 0 ? static_cast<unsigned>(CPU_COUNT_S(static_cast<std::size_t>(bytes), now.set())) : 0;
}

bool has_affinity_to(unsigned os_index) noexcept {
  cpu_mask now;
  return os_index < max_cpus && find_here(now) && now.has(os_index);
}

bool may_run_on(unsigned os_index) noexcept {
  cpu_mask before;
  if (os_index >= max_cpus || !find_here(before)) return false;
  // The kernel's answer has no contexts that are unplugged.
  if (before.has(os_index)) return true;
  if (!pin_this_thread(os_index)) return false;
  put(0, before);
  return true;
}

std::string draw(const topology& t, const placement& p) {
  std::map<unsigned, std::string> workers;  // by OS number: "=w0,w2"
  for (std::size_t i = 0; i < p.contexts.size(); ++i) {
    std::string& here = workers[p.contexts[i].os_index];
    here += (here.empty() ? "=w" : ",w") + std::to_string(i);
  }
  // Each core is a cell, "[0=w0 16=w1]"; the cells of a NUMA node and L3 cache follow a heading.
  struct row {
    unsigned package;
    std::string heading;
    std::vector<std::string> cells;
  };
  std::vector<context> contexts(t.contexts().begin(), t.contexts().end());
  sort_compactly(contexts, nullptr);
  std::vector<row> rows;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const context& c = contexts[i];
    const context* const before = i == 0 ? nullptr : &contexts[i - 1];
    if (before == nullptr || before->package != c.package || before->numa != c.numa || before->l3 != c.l3) {
      const std::string l3 = t.has_l3() ? ", L3 " + std::to_string(c.l3) : "";
      rows.push_back({c.package, "  NUMA node " + std::to_string(c.numa) + l3 + ':', {}});
    }
    const auto at = workers.find(c.os_index);
    const std::string label = std::to_string(c.os_index) + (at == workers.end() ? std::string() : at->second);
    std::vector<std::string>& cells = rows.back().cells;
    if (before != nullptr && !cells.empty() && same_core(*before, c))
      cells.back() += ' ' + label;
    else
      cells.push_back('[' + label);
  }
  std::size_t indent = 0;
  std::size_t width = 0;
  for (row& r : rows) {
    indent = std::max(indent, r.heading.size());
    for (std::string& cell : r.cells) width = std::max(width, (cell += ']').size());
  }

  constexpr std::size_t line_width = 100;
  const std::size_t per_line = indent + 1 + width >= line_width ? 1 : (line_width - indent) / (width + 1);
  std::string text = plural(t.packages(), "package") + ", " + plural(t.numa_nodes(), "NUMA node") + ", " +
                     (t.has_l3() ? plural(t.l3_caches(), "L3 cache") : std::string("no L3 cache reported")) + ", " +
                     plural(t.cores(), "core") + ", " + plural(t.contexts().size(), "context") + '\n';
  const row* before = nullptr;
  for (const row& r : rows) {
    if (before == nullptr || before->package != r.package) text += "package " + std::to_string(r.package) + '\n';
    before = &r;
    for (std::size_t i = 0; i < r.cells.size(); ++i) {
      if (i % per_line == 0) {
        std::string heading = i == 0 ? r.heading : std::string();
        heading.resize(indent, ' ');
        text += heading;
      }
      const bool last = i + 1 == r.cells.size() || (i + 1) % per_line == 0;
      std::string cell = r.cells[i];
      if (!last) cell.resize(width, ' ');
      text += ' ' + cell + (last ? "\n" : "");
    }
  }
  return text + "Each core in brackets: its contexts by CPU number, with their workers; w0 is the leader.\n";
}

}  // namespace callisto::machine

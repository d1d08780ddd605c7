// The program that explores subjects: all of them (check_subjects), or those of a piece with its mutants compiled in
// (check_mutants_<piece>). Prints what was explored as a table, and ends with the mutants that were caught. `--help`
// tells more.
#include "subject.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace callisto::check {

/// The number of the mutant that this program is, of those compiled into it (mutate.cpp); 0: none.
extern unsigned mutant;
unsigned mutant = 0;

std::vector<subject>& subjects() {
  static std::vector<subject> all;
  return all;
}

namespace {

using namespace machine::checking;
using clock = std::chrono::steady_clock;

constexpr const char* usage =
    R"(Usage: check_subjects [--seconds N] [--most N] [--walks N] [--seed N] [PART]...   all parts if none is named
       check_subjects [--only REGEX] [--at REGEX] ...
       check_subjects smoke
       check_subjects --list
       check_mutants_PIECE --mutant NUMBER --caught [SUBJECT]
       check_subjects --explain SUBJECT
       check_subjects --replay STRING SUBJECT

Parts:
  subjects   explores every subject: none may fail but those that must
  walks      explores every subject further, by some random executions: none may fail
  suspended  suspends a follower for ever at each of its steps: no iteration may be lost; prints what waits then
  orders     lowers each memory order of the code in turn, and leaves out each fence: some subject must fail
  mutants    runs the programs of the seeded bugs, as each bug: some subject must fail

  smoke      a few executions of each subject
  --seconds  'subjects' explores further than it does otherwise, for N seconds in all, then by walks
  --most     'subjects' ends each subject after N executions: the table says which were not explored to their end
  --walks    executions of each of the seven walks of a subject in 'walks' (default 2000)
  --seed     the first seed of walks (default 1)
  --only     leaves out subjects whose names do not match; stands before what it limits
  --at       'orders' leaves out places that do not match, as it prints them: file, operation, order and line
  --list     names the subjects
  --mutant   puts the seeded bug in that has this number
  --caught   explores one subject after the other, SUBJECT first, until one fails; exit status 0 if one did
  --explain  prints the first execution of SUBJECT that fails
  --replay   prints the execution of SUBJECT that STRING stands for
)";

double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

const char* name(order o) {
  switch (o) {
    case order::relaxed:
      return "relaxed";
    case order::acquire:
      return "acquire";
    case order::release:
      return "release";
    case order::acq_rel:
      return "acq_rel";
  }
  std::abort();
}

std::string bounds(const options& o) {
  switch (o.how) {
    case strategy::exhaustive:
      return "all executions";
    case strategy::preemptions:
      return o.bound == 1 ? "1 preemption" : fmt::format("{} preemptions", o.bound);
    case strategy::pct:
      return fmt::format("PCT depth {}", o.bound);
    case strategy::random:
      return "random";
    case strategy::replay:
      return "replay";
  }
  std::abort();
}

/// Prints and flushes a line: a subject may take a while, and a crash must not hide what came before it.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  fmt::print(format, std::forward<Values>(values)...);
  std::fflush(stdout);
}

void tell(const subject& s, const failure& f) {
  say("\n{}: {}: {}\n{}\nreplay: check_subjects --replay {} {}\n", s.name, name_of(f.what), f.message, f.trace,
      f.replay, s.name);
}

/// Explores each subject, by `most` executions at most, and prints a table. False if one came to something else than
/// expected.
bool explore_subjects(double seconds, std::uint64_t most) {
  bool good = true;
  say("| subject | threads | explored | early returns | spurious failures | executions | states | s | outcome |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
  const auto start = clock::now();
  auto left = static_cast<double>(subjects().size());
  std::uint64_t executions = 0;
  for (const subject& s : subjects()) {
    options o = s.quick;
    if (seconds > 0) {
      // Half of the time; what one subject does not need is for those that follow.
      o = s.thorough;
      o.max_seconds = std::max(1.0, (seconds / 2 - since(start)) / left--);
    }
    o.max_executions = std::min(o.max_executions, most);
    const auto begin = clock::now();
    const result r = s.explore(o);
    const bool broken = s.expected == expectation::broken;
    const bool as_expected = r.failure.has_value() == broken &&
                             (broken || r.exhausted || seconds > 0 || r.executions >= most || o.how == strategy::pct);
    executions += r.executions;
    const std::string outcome = r.failure ? fmt::format("{}{}", broken ? "rejected: " : "", name_of(r.failure->what))
                                : broken  ? "not rejected"
                                : r.exhausted ? "holds"
                                              : "holds as far as explored";
    say("| {} | {} | {} | {} | {} | {} | {} | {:.1f} | {} |\n", s.name, s.threads, bounds(o), o.early_returns,
        o.spurious_failures, r.executions, r.states, since(begin), outcome);
    if (!as_expected) {
      good = false;
      if (r.failure) tell(s, *r.failure);
    }
  }
  const double took = since(start);
  say("{} executions in {:.0f} s, {:.0f} a second\n", executions, took, static_cast<double>(executions) / took);
  return good;
}

/// A random walk through `s`, or PCT of a depth of 2 to 4: six seeds in a row are three walks and each depth once.
options walk_of(const subject& s, std::uint64_t seed) {
  options o = s.thorough;
  o.how = seed % 2 == 0 ? strategy::random : strategy::pct;
  o.bound = 2 + static_cast<unsigned>(seed / 2 % 3);
  o.seed = seed;
  o.max_executions = ~std::uint64_t{0};
  return o;
}

/// Explores a subject that must hold, and counts its executions. False if it failed.
bool holds(const subject& s, const options& o, std::uint64_t& executions) {
  const result r = s.explore(o);
  executions += r.executions;
  if (!r.failure) return true;
  say("seed {}, {}\n", o.seed, bounds(o));
  tell(s, *r.failure);
  return false;
}

/// Explores by random walks and PCT by turns, a second each, until the time is used. False if a sound subject failed.
bool walk_for(double seconds, const std::uint64_t first_seed) {
  const auto begin = clock::now();
  std::uint64_t executions = 0;
  std::uint64_t seed = first_seed;
  for (; since(begin) < seconds; ++seed) {
    for (const subject& s : subjects()) {
      if (s.expected == expectation::broken) continue;
      options o = walk_of(s, seed);
      o.max_seconds = std::min(1.0, seconds - since(begin));
      if (o.max_seconds <= 0) break;
      if (!holds(s, o, executions)) return false;
    }
  }
  say("random walks and PCT depths 2 to 4, seeds {} to {}: {} executions in {:.0f} s\n", first_seed, seed - 1,
      executions, since(begin));
  return true;
}

/// Explores each sound subject as ./x soak does, by a number of executions in place of a time: `each` of its thorough
/// exploration, of three random walks and of PCT of three depths. False if one failed.
bool walk(std::uint64_t each, std::uint64_t first_seed) {
  const auto begin = clock::now();
  bool good = true;
  std::uint64_t executions = 0;
  say("\n| subject | executions, thorough and by walks | s |\n| --- | ---: | ---: |\n");
  for (const subject& s : subjects()) {
    if (s.expected == expectation::broken) continue;
    const auto subject_begin = clock::now();
    std::uint64_t here = 0;
    options o = s.thorough;
    o.max_executions = std::min(o.max_executions, each);
    bool held = holds(s, o, here);
    for (std::uint64_t seed = first_seed; held && seed < first_seed + 6; ++seed) {
      o = walk_of(s, seed);
      o.max_executions = each;
      held = holds(s, o, here);
    }
    say("| {} | {} | {:.1f} |\n", s.name, here, since(subject_begin));
    executions += here;
    good = good && held;
  }
  say("{} executions in {:.0f} s\n", executions, since(begin));
  return good;
}

/// Suspends a follower for ever after each of its steps in turn, and prints which threads wait for ever then. False if
/// something failed, if the leader (thread 0) waits anywhere but where it may, or if another follower waits
/// anywhere but at the work signal, where it finds nothing to do.
bool suspend_followers() {
  bool good = true;
  say("\n| subject | a follower is suspended after its step | threads that wait for ever | executions |\n"
      "| --- | --- | --- | ---: |\n");
  for (const subject& s : subjects()) {
    if (s.follower == s.threads) continue;
    std::string waiting;  ///< after the steps from `first` on
    std::uint64_t first = 0;
    std::uint64_t executions = 0;
    const auto print = [&](std::uint64_t end) {
      if (end == first) return;
      const std::string steps = end == first + 1 ? fmt::format("{}", first) : fmt::format("{} to {}", first, end - 1);
      say("| {} | {} | {} | {} |\n", s.name, steps, waiting.empty() ? "none" : waiting, executions);
      executions = 0;
      first = end;
    };
    std::uint64_t after = 0;
    for (;; ++after) {
      options o = s.quick;
      o.suspend = suspension{s.follower, after};
      const result r = s.explore(o);
      if (r.failure) {
        tell(s, *r.failure);
        good = false;
        break;
      }
      if (r.suspended == 0) break;
      std::set<std::string> places;
      for (const blocked_thread& b : r.blocked) {
        if (b.thread == 0) places.insert(fmt::format("the leader, {}:{}", b.file, b.line));
        good = good && b.file == (b.thread == 0 ? s.leader_waits : "callisto/waiting/work_signal.hpp");
      }
      const std::string now = fmt::format("{}", fmt::join(places, ", "));
      if (now != waiting) print(after);
      waiting = now;
      executions += r.executions;
    }
    print(after);
  }
  return good;
}

/// Explores a few executions of each subject, for builds that are slow. False if a sound one failed.
bool smoke() {
  bool good = true;
  for (const subject& s : subjects()) {
    options o = s.quick;
    o.max_executions = 200;
    const result r = s.explore(o);
    say("{}: {} executions\n", s.name, r.executions);
    if (!r.failure || s.expected == expectation::broken) continue;
    tell(s, *r.failure);
    good = false;
  }
  return good;
}

/// A place in the code where the memory order can be lowered, or a fence left out.
struct lowering {
  site where;
  std::string text;  ///< of its line
  std::string what;  ///< such as "acq_rel -> release", "-> left out"
  site_weakening how;
};

/// True for the scheduling code: neither the machine below it nor the subjects above.
bool is_production(const std::string& file) {
  return file.starts_with("callisto/") && !file.starts_with("callisto/machine/");
}

std::string line_of(const std::string& file, unsigned number) {
  std::ifstream in(CHECK_SOURCE_DIR "/" + file);
  std::string line;
  for (unsigned i = 0; i < number && std::getline(in, line); ++i) {
  }
  const auto begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::vector<order> below(order o) {
  switch (o) {
    case order::relaxed:
      return {};
    case order::acquire:
    case order::release:
      return {order::relaxed};
    case order::acq_rel:
      return {order::acquire, order::release};
  }
  std::abort();
}

/// An entry of orders_kept.txt: an order that no subject needs, with the reason to keep it.
struct kept_order {
  std::string what;
  std::string reason;
  bool met = false;
};

std::string described(const lowering& l) {
  return fmt::format("{}: {} {}: {}", l.where.file, l.where.operation, l.what, l.text);
}

/// All ways to lower what stands at a place.
std::vector<lowering> lowerings_of(const site& s) {
  std::vector<lowering> all;
  const auto add = [&](std::string what, order to, fence_weakening fence) {
    all.push_back({s, line_of(s.file, s.line), std::move(what), {s.file, s.line, s.column, s.operation, to, fence}});
  };
  if (s.operation == "light_fence" || s.operation == "heavy_fence") {
    add("-> left out", order::relaxed, fence_weakening::left_out);
    if (s.operation == "heavy_fence") add("-> light", order::relaxed, fence_weakening::light);
    return all;
  }
  for (const order to : below(s.stated)) {
    add(fmt::format("{} -> {}", name(s.stated), name(to)), to, fence_weakening::left_out);
  }
  return all;
}

/// The fences that the source states above the machine, each as a site without its column. A fence that no subject
/// passes is found here only.
std::vector<site> fences_in_source() {
  static const std::regex fence(R"(\b(light_fence|heavy_fence|atomic_thread_fence|atomic_signal_fence)\()");
  std::vector<site> found;
  const std::filesystem::path root = CHECK_SOURCE_DIR;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "callisto")) {
    const std::string file = entry.path().lexically_relative(root).generic_string();
    if (!entry.is_regular_file() || !is_production(file) || (!file.ends_with(".hpp") && !file.ends_with(".cpp"))) {
      continue;
    }
    std::ifstream in(entry.path());
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
      line.erase(std::min(line.find("//"), line.size()));
      std::smatch match;
      if (std::regex_search(line, match, fence)) found.push_back({file, number, 0, match[1], order::relaxed, 0});
    }
  }
  return found;
}

std::vector<kept_order> read_kept() {
  std::ifstream in(CHECK_ORDERS_KEPT);
  if (!in) throw std::runtime_error(CHECK_ORDERS_KEPT ": cannot be read");
  std::vector<kept_order> kept;
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with("  ")) {
      kept.push_back({line, {}});
    } else if (!kept.empty()) {
      kept.back().reason += line.substr(2);
    }
  }
  return kept;
}

/// Bounds of executions for a mutant. A bug shows soon in some subject, so each subject is explored a little before any
/// is explored far.
constexpr std::uint64_t caps[] = {200, 3'000, 50'000, 300'000};
options until_caught(const subject& s, std::uint64_t cap) {
  options o = s.quick;
  o.max_executions = std::min(o.max_executions, cap);
  return o;
}

struct score {
  unsigned caught = 0;
  unsigned all = 0;
  bool good = true;
};

/// Lowers each order in turn, and leaves out each fence, where the place matches `at`. `all`: every subject is there,
/// so each fence of the source and each listed order must be met.
void lower_orders(bool all, const std::regex& at, score& total) {
  // A short random walk shows most places that a subject comes to, a short search those that need several steps in
  // one order.
  struct met_site {
    lowering what;
    std::vector<const subject*> by;
  };
  std::map<std::tuple<std::string, unsigned, unsigned, std::string, std::string>, met_site> sites;
  std::set<std::pair<std::string, unsigned>> lines;
  for (const subject& s : subjects()) {
    if (s.expected == expectation::broken) continue;
    for (const strategy how : {strategy::random, s.quick.how}) {
      options o = s.quick;
      o.how = how;
      o.max_executions = 3000;
      for (const site& where : s.explore(o).sites) {
        if (!is_production(where.file)) continue;
        lines.emplace(where.file, where.line);
        for (lowering& l : lowerings_of(where)) {
          auto& entry = sites[{where.file, where.line, where.column, where.operation, l.what}];
          entry.what = std::move(l);
          if (std::find(entry.by.begin(), entry.by.end(), &s) == entry.by.end()) entry.by.push_back(&s);
        }
      }
    }
  }

  auto kept = read_kept();
  const auto listing_of = [&](const std::string& what) {
    return std::find_if(kept.begin(), kept.end(), [&](const kept_order& k) { return k.what == what; });
  };
  unsigned tried = 0;
  unsigned listed = 0;
  say("\nOrders lowered, and fences left out:\n");
  for (const auto& [key, entry] : sites) {
    const auto begin = clock::now();
    const std::string what = described(entry.what);
    if (!std::regex_search(what, at)) continue;
    ++tried;
    const auto listing = listing_of(what);
    std::string outcome;
    for (const std::uint64_t cap : caps) {
      // An order that no subject is expected to catch gets a short look.
      if (cap > caps[1] && listing != kept.end()) break;
      for (const subject* s : entry.by) {
        if (!outcome.empty()) break;
        options o = until_caught(*s, cap);
        o.weaken = entry.what.how;
        const result r = s->explore(o);
        if (!r.failure) continue;
        outcome = fmt::format("{} after {} executions: {}", s->name, r.executions, name_of(r.failure->what));
      }
    }
    if (listing != kept.end()) {
      listing->met = true;
      ++listed;
      say("  {}\n    {}\n", what,
          outcome.empty() ? "kept: " + listing->reason : "CAUGHT although listed as kept, by " + outcome);
      if (!outcome.empty()) total.good = false;
      continue;
    }
    ++total.all;
    if (!outcome.empty()) ++total.caught;
    say("  {}\n    {} ({:.1f} s)\n", what, outcome.empty() ? "NOT CAUGHT" : "caught by " + outcome, since(begin));
  }
  if (all) {
    for (const site& fence : fences_in_source()) {
      if (lines.contains({fence.file, fence.line})) continue;
      const std::string what = described({fence, line_of(fence.file, fence.line), "-> left out", {}});
      const auto listing = listing_of(what);
      if (listing != kept.end()) {
        listing->met = true;
        ++listed;
        say("  {}\n    kept: {}\n", what, listing->reason);
        continue;
      }
      ++total.all;
      say("  {}\n    NOT CAUGHT: no subject passes it (line {})\n", what, fence.line);
    }
    for (const kept_order& k : kept) {
      if (k.met) continue;
      total.good = false;
      say("{}: no such order any more: {}\n", CHECK_ORDERS_KEPT, k.what);
    }
  }
  say("{} orders lowered or fences left out, {} of them listed as kept\n", tried, listed);
}

/// Runs the programs of the seeded bugs, listed in CHECK_MUTANTS. Each line has program, number, name, bug and, if one
/// is named, the subject to begin with; tabs between.
void run_mutants(score& total) {
  say("\nSeeded bugs:\n");
  std::ifstream list(CHECK_MUTANTS);
  std::string line;
  while (std::getline(list, line)) {
    std::istringstream fields(line);
    std::string program, number, name, bug, first;
    for (std::string* field : {&program, &number, &name, &bug, &first}) std::getline(fields, *field, '\t');
    const auto begin = clock::now();
    FILE* const out = popen(fmt::format("'{}' --mutant {} --caught {}", program, number, first).c_str(), "r");
    if (out == nullptr) throw std::runtime_error(program + ": cannot be run");
    std::string outcome;
    for (int c; (c = std::fgetc(out)) != EOF;) outcome += c == '\n' ? ' ' : static_cast<char>(c);
    const bool caught = pclose(out) == 0;
    ++total.all;
    total.caught += caught ? 1 : 0;
    say("  {}: {}\n    {}{}({:.1f} s)\n", name, bug, caught ? "" : "NOT CAUGHT ", outcome, since(begin));
  }
}

/// True if some subject fails that must not. `first` is explored as far as any before the others are.
bool caught(const std::string& first) {
  const auto fails = [](const subject& s, std::uint64_t cap) {
    if (s.expected == expectation::broken) return false;
    const result r = s.explore(until_caught(s, cap));
    if (r.failure) say("caught by {} after {} executions: {}\n", s.name, r.executions, name_of(r.failure->what));
    return r.failure.has_value();
  };
  for (const subject& s : subjects()) {
    if (s.name == first && fails(s, std::end(caps)[-1])) return true;
  }
  for (const std::uint64_t cap : caps) {
    for (const subject& s : subjects()) {
      if (fails(s, cap)) return true;
    }
  }
  return false;
}

/// Prints the execution of a subject that fails: the first one found, or the one that `string` stands for.
int show(std::string_view which, const std::string& string) {
  for (const subject& s : subjects()) {
    if (s.name != which) continue;
    options o = s.quick;
    if (!string.empty()) o.how = strategy::replay;
    o.replay = string;
    const result r = s.explore(o);
    if (r.failure) {
      tell(s, *r.failure);
      return 1;
    }
    say("{}: {} executions, none fails\n", s.name, r.executions);
    return 0;
  }
  fmt::print(stderr, "check_subjects: no subject '{}'; see --list\n", which);
  return 2;
}

int run(const std::vector<std::string>& arguments) {
  // Objects register in the order in which they happen to be linked.
  std::sort(subjects().begin(), subjects().end(), [](const subject& a, const subject& b) { return a.name < b.name; });

  bool all = true;  // subjects and places
  std::regex at(".");
  double seconds = 0;
  std::uint64_t most = ~std::uint64_t{0};
  std::uint64_t walks = 2000;
  std::uint64_t seed = 1;
  std::set<std::string> parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    if (a == "--list") {
      for (const subject& s : subjects()) say("{}: {} threads: {}\n", s.name, s.threads, s.promise);
      return 0;
    }
    if (a == "--help") return say("{}", usage), 0;
    if (a == "--only" && i + 1 < arguments.size()) {
      const std::regex only(arguments[++i]);
      std::erase_if(subjects(), [&](const subject& s) { return !std::regex_search(s.name, only); });
      all = false;
      continue;
    }
    if (a == "--at" && i + 1 < arguments.size()) {
      at = std::regex(arguments[++i]);
      all = false;
      continue;
    }
    if (a == "smoke") return smoke() ? 0 : 1;
    if (a == "--caught") return caught(i + 1 < arguments.size() ? arguments[i + 1] : "") ? 0 : 1;
    if (a == "--replay" && i + 2 < arguments.size()) return show(arguments[i + 2], arguments[i + 1]);
    if (a == "--explain" && i + 1 < arguments.size()) return show(arguments[i + 1], "");
    if (a == "--mutant" && i + 1 < arguments.size()) {
      mutant = static_cast<unsigned>(std::stoul(arguments[++i]));
      continue;
    }
    if (a == "--seconds" && i + 1 < arguments.size()) {
      char* end = nullptr;
      seconds = std::strtod(arguments[++i].c_str(), &end);
      if (*end == '\0' && seconds > 0) continue;
    } else if ((a == "--most" || a == "--walks" || a == "--seed") && i + 1 < arguments.size()) {
      std::uint64_t& value = a == "--most" ? most : a == "--seed" ? seed : walks;
      const std::string& text = arguments[++i];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc() && end == text.data() + text.size()) continue;
    } else if (a == "subjects" || a == "walks" || a == "suspended" || a == "orders" || a == "mutants") {
      parts.insert(a);
      continue;
    }
    fmt::print(stderr, "check_subjects: '{}' makes no sense here\n{}", arguments[i], usage);
    return 2;
  }
  if (parts.empty()) parts = {"subjects", "walks", "suspended", "orders", "mutants"};

  const auto begin = clock::now();
  score total;
  if (parts.contains("subjects")) {
    total.good = explore_subjects(seconds, most);
    if (seconds > 0 && total.good) total.good = walk_for(std::max(0.0, seconds - since(begin)), seed);
  }
  if (parts.contains("walks")) total.good = walk(walks, seed) && total.good;
  if (parts.contains("suspended")) total.good = suspend_followers() && total.good;
  if (parts.contains("orders")) lower_orders(all, at, total);
  if (parts.contains("mutants")) run_mutants(total);
  if (parts.contains("orders") || parts.contains("mutants")) {
    say("mutants: {} of {} caught\n", total.caught, total.all);
  }
  return total.good && total.caught == total.all ? 0 : 1;
}

}  // namespace
}  // namespace callisto::check

int main(int argc, char** argv) {
  try {
    return callisto::check::run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "check_subjects: {}\n", e.what());
    return 2;
  }
}

// The program that explores subjects: all of them (check_subjects), or those of a piece with its mutants compiled in
// (check_mutants_<piece>). Prints what was explored as a table, and ends with the mutants that were caught. `--help`
// tells more.
#include "subject.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
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
    R"(Usage: check_subjects [--seconds N] [subjects|suspended|orders|mutants]...   all of them if none is named
       check_subjects [--only REGEX] ...
       check_subjects smoke
       check_subjects --list
       check_mutants_PIECE --mutant NUMBER --caught [SUBJECT]
       check_subjects --explain SUBJECT
       check_subjects --replay STRING SUBJECT

  subjects   explores every subject: none may fail but those that must
  suspended  suspends a follower for ever at each of its steps: no iteration may be lost; prints what waits then
  orders     lowers each memory order of the code in turn: some subject must fail
  mutants    runs the programs of the seeded bugs, as each bug: some subject must fail
  smoke      a few executions of each subject
  --seconds  explores the subjects further than that takes otherwise, for N seconds in all
  --only     leaves out subjects whose names do not match; stands before what it limits
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

/// Explores each subject and prints a table. False if one came to something else than expected.
bool explore_subjects(double seconds) {
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
    const auto begin = clock::now();
    const result r = s.explore(o);
    const bool broken = s.expected == expectation::broken;
    const bool as_expected =
        r.failure.has_value() == broken && (broken || r.exhausted || seconds > 0 || o.how == strategy::pct);
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

/// Explores by random walks and PCT by turns, a second each, until the time is used. False if a sound subject failed.
bool walk(double seconds) {
  const auto begin = clock::now();
  std::uint64_t executions = 0;
  std::uint64_t seed = 1;
  for (; since(begin) < seconds; ++seed) {
    for (const subject& s : subjects()) {
      if (s.expected == expectation::broken) continue;
      const double left = seconds - since(begin);
      if (left <= 0) break;
      options o = s.thorough;
      o.how = seed % 2 == 0 ? strategy::random : strategy::pct;
      o.bound = 2 + static_cast<unsigned>(seed / 2 % 3);
      o.seed = seed;
      o.max_executions = ~std::uint64_t{0};
      o.max_seconds = std::min(1.0, left);
      const result r = s.explore(o);
      executions += r.executions;
      if (r.failure) {
        say("seed {}, {}\n", seed, bounds(o));
        tell(s, *r.failure);
        return false;
      }
    }
  }
  say("random walks and PCT depths 2 to 4, seeds 1 to {}: {} executions in {:.0f} s\n", seed - 1, executions,
      since(begin));
  return true;
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
        good = good && b.file == (b.thread == 0 ? s.leader_waits : "callisto/workers/waiting/work_signal.hpp");
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

/// A place in the code where the memory order can be lowered.
struct lowering {
  site where;
  std::string text;  ///< of its line
  order to;
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
  return fmt::format("{}: {} {} -> {}: {}", l.where.file, l.where.operation, name(l.where.stated), name(l.to), l.text);
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

/// Lowers each order in turn.
void lower_orders(score& total) {
  // A short random walk shows where a subject goes; the sites are few and on every path.
  struct met_site {
    lowering what;
    std::vector<const subject*> by;
  };
  std::map<std::tuple<std::string, unsigned, unsigned, std::string, order>, met_site> sites;
  for (const subject& s : subjects()) {
    if (s.expected == expectation::broken) continue;
    options o = s.quick;
    o.how = strategy::random;
    o.max_executions = 3000;
    for (const site& where : s.explore(o).sites) {
      if (!is_production(where.file)) continue;
      for (const order to : below(where.stated)) {
        auto& entry = sites[{where.file, where.line, where.column, where.operation, to}];
        entry.what = {where, line_of(where.file, where.line), to};
        if (std::find(entry.by.begin(), entry.by.end(), &s) == entry.by.end()) entry.by.push_back(&s);
      }
    }
  }

  auto kept = read_kept();
  unsigned listed = 0;
  say("\nOrders lowered:\n");
  for (const auto& [key, entry] : sites) {
    const auto begin = clock::now();
    const std::string what = described(entry.what);
    const auto listing = std::find_if(kept.begin(), kept.end(), [&](const kept_order& k) { return k.what == what; });
    std::string outcome;
    for (const std::uint64_t cap : caps) {
      // An order that no subject is expected to catch gets a short look.
      if (cap > caps[1] && listing != kept.end()) break;
      for (const subject* s : entry.by) {
        if (!outcome.empty()) break;
        options o = until_caught(*s, cap);
        o.weaken = site_weakening{entry.what.where.file, entry.what.where.line, entry.what.where.column,
                                  entry.what.where.operation, entry.what.to};
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
  for (const kept_order& k : kept) {
    if (k.met) continue;
    total.good = false;
    say("{}: no such order any more: {}\n", CHECK_ORDERS_KEPT, k.what);
  }
  say("{} orders lowered, {} of them listed as kept\n", sites.size(), listed);
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

  double seconds = 0;
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
    } else if (a == "subjects" || a == "suspended" || a == "orders" || a == "mutants") {
      parts.insert(a);
      continue;
    }
    fmt::print(stderr, "check_subjects: '{}' makes no sense here\n{}", arguments[i], usage);
    return 2;
  }
  if (parts.empty()) parts = {"subjects", "suspended", "orders", "mutants"};

  const auto begin = clock::now();
  score total;
  if (parts.contains("subjects")) {
    total.good = explore_subjects(seconds);
    if (seconds > 0 && total.good) total.good = walk(std::max(0.0, seconds - since(begin)));
  }
  if (parts.contains("suspended")) total.good = suspend_followers() && total.good;
  if (parts.contains("orders")) lower_orders(total);
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

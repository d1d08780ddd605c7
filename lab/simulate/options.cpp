// Parses lists of numbers and of schedules.
#include <lab/simulate/options.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/machines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace callisto::lab {
namespace {

/// Returns the values in a list such as "1,8,64", each parsed by `parse`, ascending, without repeats.
template <class T, class Parse>
std::vector<T> parse_list(const std::string& text, Parse parse) {
  std::vector<T> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::pair<double, double> parse_noise(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw usage_error(
        fmt::format("--noise: expected two times in microseconds, as 100,10000; found '{}'", one_line(text)));
  }
  const real_range positive{.low = 0, .high = 1e9, .above_low = true};
  return {parse_real("--noise", text.substr(0, comma), positive),
          parse_real("--noise", text.substr(comma + 1), positive)};
}

std::string unless_said(const std::string& value) { return " [" + value + "]"; }

}  // namespace

void sweep_options::add_to(const command_parser& parser, const defaults& unsaid) {
  add_parsed(
      parser, "--schedule", "SCHEDULE",
      [this](const std::string& text) {
        const schedule how = schedule::parse(text, "--schedule");
        if (std::find(schedules.begin(), schedules.end(), how) == schedules.end()) schedules.push_back(how);
      },
      "How iterations are handed out; may be repeated" + unless_said(unsaid.schedules))
      .may_be_repeated()
      .words({"auto", "ranges", "counter(machine)", "counter(socket)", "counter(core)", "counter(thread)",
              "combine(core)/counter(core)", "combine(core,async)/counter(core)"});
  add_parsed(
      parser, "--batch", "LIST",
      [this](const std::string& text) {
        batches = parse_list<std::uint64_t>(
            text, [](const std::string& part) { return parse_count("--batch", part, 0, most_iterations); });
      },
      "Batch sizes, such as 1,16,256; 0: automatic" + unless_said(unsaid.batches));
  add_parsed(
      parser, "--threads", "LIST", [this](const std::string& text) { threads = parse_threads(text); },
      "Numbers of threads" + unless_said(unsaid.threads));
  add_parsed(
      parser, "--hold", "LIST",
      [this](const std::string& text) {
        holds = parse_list<double>(
            text, [](const std::string& part) { return parse_real("--hold", part, {.low = 0, .high = 100}); });
      },
      "How long a core keeps a line, in hops" + unless_said(unsaid.holds))
      .more(
          "So long a core keeps a line that it has received before it gives it up. Loops with a speed-up that "
          "depends on it are listed. By default small batches on all contexts are also run with 0, 0.1 and "
          "0.4.");
  add_parsed(
      parser, "--noise", "LENGTH,PERIOD", [this](const std::string& text) { noise = parse_noise(text); },
      "Take each context away for LENGTH us every PERIOD us or so");
  add_parsed(
      parser, "--cap", "X", [this](const std::string& text) { cap = parse_real("--cap", text, {.low = 0}); },
      "Give up loops with a speed-up that must stay below X" + unless_said(unsaid.cap))
      .more("Or below a quarter of the threads if that is less. 0 gives up none.");
  add_parsed(
      parser, "--seed", "N", [this](const std::string& text) { seed = parse_count("--seed", text, 0); },
      "Seed of the random numbers [1]");
}

sweep_plan sweep_options::plan_for(const machine::simulation::description& m, const sweep_plan& unsaid) const {
  sweep_plan plan = unsaid;
  if (!schedules.empty()) {
    const std::vector<std::uint64_t> usual = plan.techniques.front().batches;
    std::vector<technique> chosen;
    for (const schedule& how : schedules) {
      const auto known = std::find_if(plan.techniques.begin(), plan.techniques.end(),
                                      [&](const technique& t) { return t.how == how; });
      chosen.push_back(known == plan.techniques.end() ? technique{how, usual} : *known);
    }
    plan.techniques = std::move(chosen);
  }
  if (!batches.empty()) {
    for (technique& t : plan.techniques) {
      if (t.batches != std::vector<std::uint64_t>{0}) t.batches = batches;
    }
  }
  if (!threads.empty()) plan.threads = threads;
  check_threads(m, plan.threads);
  if (!holds.empty()) {
    plan.holds = holds;
    plan.other_holds.clear();
  }
  plan.seed = seed;
  if (cap) {
    plan.cap = *cap;
    plan.cap_per_thread = 0;
  }
  if (noise) {
    const double per_microsecond = m.clock * 1e-6;
    plan.noise.length = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(noise->first * per_microsecond));
    plan.noise.period = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(noise->second * per_microsecond));
  }
  return plan;
}

void add_machine(const command_parser& parser, const std::string& name, std::string& machine,
                 const std::string& unsaid) {
  const command_option option =
      parser.add_option(name, machine, "A machine by name, or a file that describes one [" + unsaid + "]");
  option.words_or_file(machine_names());
  if (name.starts_with('-')) option.type_name("MACHINE");
}

std::vector<unsigned> parse_threads(const std::string& text) {
  return parse_list<unsigned>(
      text, [](const std::string& part) { return static_cast<unsigned>(parse_count("--threads", part, 1, 65536)); });
}

void check_threads(const machine::simulation::description& m, const std::vector<unsigned>& threads) {
  if (threads.back() <= m.total_contexts()) return;
  throw usage_error(
      fmt::format("--threads: {} has {}, found {}", m.name, counted(m.total_contexts(), "context"), threads.back()));
}

std::vector<unsigned> halves(unsigned contexts, unsigned most) {
  std::vector<unsigned> threads;
  for (unsigned n = contexts; n >= 1 && threads.size() < most; n /= 2) threads.insert(threads.begin(), n);
  return threads;
}

std::uint64_t paper_iteration(const machine::simulation::description& m) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::lround(140 * 0.34 / m.ipc)));
}

schedule shared_counter() { return schedule::parse("counter(machine)", "schedule"); }

}  // namespace callisto::lab

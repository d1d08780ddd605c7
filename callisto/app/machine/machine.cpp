// callisto machine: shows what the machine is made of, which contexts may be used, and where the workers run.
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/machine/draw_levels.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/distributor/seats.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sched.h>

namespace callisto::app {
namespace {

struct machine_arguments {
  run_options run;
  std::string output;
};

/// The schedule by which loops hand out iterations to the threads.
struct handing_out {
  distributor::layout threads;
  schedule asked;   ///< from CALLISTO_SCHEDULE; may be automatic
  schedule chosen;  ///< the schedule that loops use
};

handing_out handing_out_on(const machine::placement& placed) {
  distributor::layout threads(distributor::seats_of(placed.contexts));
  const schedule asked = schedule::from_environment();
  const schedule chosen = asked.automatic() ? schedule::best(threads, false) : asked;
  return {std::move(threads), asked, chosen};
}

const char* source_of_levels() {
  const char* const text = std::getenv("CALLISTO_LEVELS");
  return text == nullptr || *text == '\0' ? "auto" : "CALLISTO_LEVELS";
}

/// Calls f(name, groups, threads in the largest group) for each level of the machine, narrowest level first.
template <class F>
void for_each_level(const distributor::layout& threads, F f) {
  for (unsigned i = 0; i < distributor::levels; ++i) {
    const auto at = static_cast<distributor::level>(i);
    f(distributor::name_of(at), threads.groups(at), threads.largest(at));
  }
}

json to_json(const machine::topology& host, const machine::limits& limits, const machine::placement& placed) {
  json workers = json::array();
  for (std::size_t i = 0; i < placed.contexts.size(); ++i) {
    const machine::context& c = placed.contexts[i];
    workers.push_back(
        {{"thread", i}, {"cpu", c.os_index}, {"core", c.core}, {"l3", c.l3}, {"numa", c.numa}, {"package", c.package}});
  }
  json object;
  object["cpus"] = host.contexts().size();
  object["cores"] = host.cores();
  object["l3_caches"] = host.has_l3() ? json(host.l3_caches()) : json();
  object["numa_nodes"] = host.numa_nodes();
  object["packages"] = host.packages();
  object["limits"] = {{"cpus", limits.cpus},
                      {"cpus_source", limits.cpus_source},
                      {"quota", limits.quota ? json(*limits.quota) : json()},
                      {"quota_source", limits.quota ? json(limits.quota_source) : json()}};
  object["threads"] = placed.contexts.size();
  object["pinned"] = placed.pinned;
  object["workers"] = std::move(workers);
  object["reasons"] = placed.reasons;
  const handing_out how = handing_out_on(placed);
  object["schedule"] = how.chosen.to_string();
  object["schedule_source"] = how.asked.automatic() ? "auto" : "CALLISTO_SCHEDULE";
  object["levels"] = json::array();
  for_each_level(how.threads, [&](std::string_view name, unsigned groups, unsigned largest) {
    object["levels"].push_back({{"level", name}, {"groups", groups}, {"largest", largest}});
  });
  const nesting levels = nesting::from_environment();
  object["nesting"] = levels.to_string();
  object["nesting_source"] = source_of_levels();
  object["nesting_levels"] = json::array();
  for (unsigned l = 0; l <= levels.highest(); ++l) {
    const level_use use = use_of(how.threads, levels, l);
    object["nesting_levels"].push_back({{"level", l},
                                        {"unit", distributor::name_of(levels.unit(l))},
                                        {"parts", use.parts},
                                        {"largest", use.largest},
                                        {"meaning", use.meaning}});
  }
  object["shared_with"] = workers::sharing_in_words();
  object["ticks_per_second"] = machine::native::ticks_per_second();
  object["wait_instruction"] = machine::native::wait_instruction();
  return object;
}

std::string to_words(const machine::topology& host, const machine::limits& limits, const machine::placement& placed) {
  std::string text = machine::draw(host, placed);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += '\n';
  for (const std::string& reason : placed.reasons) text += reason + '\n';
  table facts = name_value_table();
  facts.add_row({"usable CPUs", fmt::format("{} ({})", machine::format_cpu_list(limits.cpus), limits.cpus_source)});
  facts.add_row({"CPU quota", limits.quota ? fmt::format("{:.2f} CPUs ({})", *limits.quota, limits.quota_source)
                                           : std::string("none")});
  facts.add_row({"threads", fmt::format("{}, {}", placed.contexts.size(), placed.pinned ? "pinned" : "not pinned")});
  const handing_out how = handing_out_on(placed);
  facts.add_row(
      {"schedule", fmt::format("{} ({})", how.chosen.to_string(),
                               how.asked.automatic() ? "auto: chosen for these threads" : "CALLISTO_SCHEDULE")});
  std::string groups;
  for_each_level(how.threads, [&](std::string_view name, unsigned count, unsigned largest) {
    groups += fmt::format("{}{} {} x {}", groups.empty() ? "" : ", ", name, count, largest);
  });
  facts.add_row({"groups", std::move(groups)});
  const nesting levels = nesting::from_environment();
  facts.add_row({"nested loops", fmt::format("{} ({})", levels.to_string(), source_of_levels())});
  for (unsigned l = levels.highest() + 1; l-- > 0;) {
    facts.add_row({fmt::format("  level {}", l), use_of(how.threads, levels, l).meaning});
  }
  facts.add_row({"other jobs", workers::sharing_in_words()});
  facts.add_row({"clock", fmt::format("{:.3f} GHz, constant rate",
                                      static_cast<double>(machine::native::ticks_per_second()) * 1e-9)});
  facts.add_row({"waiting", machine::native::wait_instruction()});
  return text + '\n' + draw_levels(how.threads, levels) + '\n' + facts.render();
}

void run(const machine_arguments& o) {
  o.run.record_loops({o.output});
  result out(o.output);
  machine::placement_request request = machine::placement_request::from_environment();
  if (o.run.threads != 0) request.threads = o.run.threads;
  const machine::topology& host = machine::topology::host();
  const machine::limits limits = machine::limits::current();
  const int here = ::sched_getcpu();
  const machine::placement placed =
      machine::place(host, limits, request, here < 0 ? std::nullopt : std::optional(static_cast<unsigned>(here)));
  out.write(o.run.as_json ? o.run.to_text(to_json(host, limits, placed)) : to_words(host, limits, placed));
  out.commit();
}

}  // namespace

command add_machine(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("machine", "Show the machine, its limits, and where the threads run");
  const auto o = std::make_shared<machine_arguments>();
  add_output(parser, o->output, "Write the result to FILE");
  o->run.add_to(parser);
  parser.more("Draws the machine and says what of it may be used, how many threads run where, and why.");
  parser.footer(
      "CALLISTO_THREADS and CALLISTO_PLACEMENT (spread, compact, none, or CPU numbers such as 0,2,8-11)\n"
      "choose other threads and places; CALLISTO_SCHEDULE (auto, ranges, counter(LEVEL), or\n"
      "combine(LEVEL[,async])/... before a counter) chooses how loops hand out iterations, with groups\n"
      "of threads at the levels shown; CALLISTO_LEVELS (LEVEL:PART,..., such as 2:socket,1:core) chooses on\n"
      "which parts of the machine nested loops run; CALLISTO_COSCHED=off keeps the program from sharing\n"
      "contexts with other jobs (docs/how-to/share-a-machine.md).\n\n"
      "Examples:\n"
      "  callisto machine\n"
      "  CALLISTO_PLACEMENT=compact callisto machine --threads 4\n"
      "  CALLISTO_SCHEDULE='combine(core,async)/counter(core)' callisto machine\n"
      "  CALLISTO_LEVELS=1:l3 callisto machine\n"
      "  callisto machine --json | jq .workers");
  return {parser, [o](const std::stop_token&) { run(*o); }};
}

}  // namespace callisto::app

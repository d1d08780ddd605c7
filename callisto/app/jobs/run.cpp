// callisto run: replaces this command by a program that runs as a job with a weight and contexts.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/jobs/placed_programs.hpp>
#include <callisto/app/jobs/replaced_library.hpp>
#include <callisto/app/jobs/run_watcher.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/broker/client.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/openmp/settings/exclusion_list.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace callisto::app {
namespace {

struct run_arguments {
  std::optional<std::string> contexts;
  job_settings how;
  bool no_openmp = false;
  bool guest = false;
  bool check = false;
};

/// Returns `count` of the contexts `usable`: neighbouring whole cores, the cores with the fewest jobs first.
std::vector<unsigned> choose(unsigned count, const std::vector<unsigned>& usable) {
  std::map<unsigned, unsigned> jobs_of_core;
  const machine::topology& host = machine::topology::host();
  const auto count_on = [&](const std::vector<unsigned>& contexts) {
    for (const unsigned c : contexts) {
      if (const machine::context* const known = host.find(c); known != nullptr) ++jobs_of_core[known->core];
    }
  };
  // A program that was placed and is a job counts once.
  std::map<pid_t, std::vector<unsigned>> placed = placed_programs();
  // An unreadable table does not prevent the run: the job reports it.
  std::string refusal;
  if (const auto table = cosched::table_reader::visit(machine::shared_folders(), refusal)) {
    for (const cosched::job_picture& job : table->jobs()) {
      if (!job.alive) continue;
      placed.erase(static_cast<pid_t>(job.pid));
      count_on(job.contexts);
    }
  }
  for (const auto& [pid, contexts] : placed) count_on(contexts);
  std::vector<const machine::context*> all;
  for (const machine::context& c : host.contexts()) {
    if (std::binary_search(usable.begin(), usable.end(), c.os_index)) all.push_back(&c);
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto* a, const auto* b) { return jobs_of_core[a->core] < jobs_of_core[b->core]; });
  std::vector<unsigned> chosen;
  for (const machine::context* c : all) {
    if (chosen.size() < count) chosen.push_back(c->os_index);
  }
  return chosen;
}

/// Returns the contexts that `text` asks for: a number of contexts, or a list of their numbers.
std::vector<unsigned> contexts_of(const std::string& text) {
  const std::vector<unsigned> usable = machine::limits::current().cpus;
  const auto refuse = [&](const std::string& expected) {
    throw usage_error(fmt::format("--contexts: expected {}, found '{}'", expected, one_line(text)));
  };
  const bool is_count = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (is_count) {
    return choose(static_cast<unsigned>(parse_count("--contexts", text, 1, usable.size())), usable);
  }
  const std::optional<std::vector<unsigned>> list = machine::parse_cpu_list(text);
  if (!list) refuse("a number of contexts, or a list of them such as 0,2-3 (one alone as 3-3)");
  for (const unsigned c : *list) {
    if (!std::binary_search(usable.begin(), usable.end(), c)) {
      refuse(fmt::format("some of the usable contexts, {}", machine::format_cpu_list(usable)));
    }
  }
  return *list;
}

/// True if the program is expected to share contexts with other jobs.
bool is_to_share(const run_arguments& o) {
  const char* const said = std::getenv("CALLISTO_COSCHED");
  if (!o.how.cosched.value_or(said == nullptr || std::string_view(said) != "off")) return false;
  return o.how.openmp || o.how.weight || o.how.cosched || o.contexts;
}

/// Puts this process, and the program that takes its place, onto the contexts that a broker leaves to guests.
void be_a_guest() {
  const std::optional<cosched::context_set> place = broker::ask_for_place();
  if (!place || place->empty()) {
    warn(place ? "run --guest: the broker's policy has no contexts for guests: the program runs on all"
               : "run --guest: no broker answers: the program runs on all contexts");
    return;
  }
  std::vector<unsigned> contexts;
  for (const unsigned c : machine::limits::current().cpus) {
    if (c < cosched::max_contexts && place->has(c)) contexts.push_back(c);
  }
  if (contexts.empty()) throw usage_error("--guest: no context for guests is one that this process may use");
  if (!affinity(contexts).set()) {
    throw usage_error(fmt::format("--guest: cannot use {}: {}", machine::format_cpu_list(contexts),
                                  std::generic_category().message(errno)));
  }
}

[[noreturn]] void become(const std::vector<std::string>& command, const run_arguments& o) {
  if (command.empty()) throw usage_error("PROGRAM: expected a program to run; see 'callisto run --help'");
  std::optional<choosing_places> choosing;
  variables environment = environment_of(o.how);
  if (o.guest) be_a_guest();
  if (o.contexts) {
    // Until exec: of two at once, the second sees what the first has chosen.
    choosing.emplace();
    for (auto& mark : placed_mark()) environment.push_back(std::move(mark));
    const std::vector<unsigned> contexts = contexts_of(*o.contexts);
    if (!affinity(contexts).set()) {
      throw usage_error(fmt::format("--contexts: cannot use {}: {}", machine::format_cpu_list(contexts),
                                    std::generic_category().message(errno)));
    }
  }
  // Else the library leaves the program alone; 'callisto run' asks for it, as the variable asks for Intel's.
  if (o.how.openmp && openmp_library() && openmp::asks_mkl_for_intels_runtime() &&
      !openmp::excluded_by(command.front(), [&] { return command.front(); }))
    environment.emplace_back("MKL_THREADING_LAYER", "GNU");
  if (o.how.openmp) tell_if_openmp_library_is_out_of_reach();
  if (o.how.weight && is_to_share(o)) tell_if_weight_is_void(*o.how.weight);
  const variables mark = is_to_share(o) ? watch_for_a_job(command.front(), o.how.weight || o.how.cosched) : variables();
  environment.insert(environment.end(), mark.begin(), mark.end());
  std::vector<std::string> words = command;
  const std::vector<char*> argv = pointers(words);
  std::vector<std::string> texts = environment_with(environment);
  const std::vector<char*> envp = pointers(texts);
  ::execvpe(argv[0], argv.data(), envp.data());
  const int why = errno;
  watch_no_more(mark);
  // Returns the exit codes of shells: 127 if the program is not found, 126 if it cannot be run.
  const std::string here = "./" + command.front();
  const bool meant =
      why == ENOENT && command.front().find('/') == std::string::npos && ::access(here.c_str(), X_OK) == 0;
  throw exit_with(why == ENOENT ? 127 : 126,
                  fmt::format("run: {}: {}{}", one_line(command.front()), std::generic_category().message(why),
                              meant ? fmt::format("; did you mean '{}'?", one_line(here)) : std::string()));
}

/// Tells what Callisto's OpenMP library would replace in the program.
void check(const std::vector<std::string>& command) {
  if (command.empty()) throw usage_error("PROGRAM: expected a program to check; see 'callisto run --help'");
  for (const std::string& line : what_is_replaced(command.front()))
    print(fmt::format("{}: {}\n", one_line(command.front()), line));
}

}  // namespace

bool is_run(int argc, char** argv) { return argc >= 2 && std::string_view(argv[1]) == "run"; }

command_line split_command_line(int argc, char** argv) {
  const auto from = [&](int i) { return std::vector<std::string>(argv + i, argv + argc); };
  if (!is_run(argc, argv)) return {argc, {}};
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return {i, from(i + 1)};
    if (!word.starts_with('-')) return {i, from(i)};
    // These options take the next word as their value.
    if (word == "--weight" || word == "--contexts" || word == "--coschedule") ++i;
  }
  return {argc, {}};
}

command add_run(const command_parser& app, std::vector<std::string> program) {
  const command_parser parser = app.add_subcommand("run", "Run a program as a job among others");
  const auto o = std::make_shared<run_arguments>();
  add_parsed(
      parser, "--weight", "W",
      [o](const std::string& text) {
        o->how.weight = static_cast<unsigned>(parse_count("--weight", text, 1, cosched::max_weight));
      },
      fmt::format("Its share relative to other jobs', 1 to {} [1]", cosched::max_weight))
      .more("By default what `CALLISTO_WEIGHT` says, or 1.");
  parser.add_option("--contexts", o->contexts, "Where it may run: how many contexts, or a list such as 0,2-3 [all]")
      .type_name("LIST|N")
      .more("A number N takes those for which fewest jobs compete; a single listed context is written `3-3`.");
  add_parsed(
      parser, "--coschedule", "SWITCH",
      [o](const std::string& text) {
        if (text != "on" && text != "off") {
          throw usage_error(fmt::format("--coschedule: expected on or off, found '{}'", one_line(text)));
        }
        o->how.cosched = text == "on";
      },
      "on: it shares contexts with other jobs; off: as without Callisto [CALLISTO_COSCHED, on]")
      .words({"on", "off"});
  parser.add_flag("--no-openmp", o->no_openmp, "Leave OpenMP programs to their own library");
  parser.add_flag("--guest", o->guest, "It is no job: it runs beside jobs, where the broker's policy lets guests run")
      .more(
          "Its contexts are those of `guests` in the [policy](broker-policy.md), or those reserved there; children "
          "have the same. Without a broker it runs on all.");
  parser.add_flag("--check", o->check, "Only tell what OpenMP library it has, and whether it is replaced")
      .more("The program does not run; its loader lists its libraries.");
  parser.more("The OpenMP library is `lib/callisto/libgomp.so.1`; `LD_PRELOAD` makes the program use it.");
  parser.program_follows("PROGRAM", "The program to run, with its arguments");
  parser.footer(
      "PROGRAM takes the place of this command: it gets the environment, the signals and the files that this one has, "
      "and its exit code is the result; 127 if there is no such program, 126 if it cannot be run. Programs that use "
      "Callisto share the machine without it; what this adds is a weight and a place, and Callisto's OpenMP library "
      "for programs that use OpenMP, where it is installed. A number of contexts takes those for which fewest jobs "
      "compete.\n\n"
      "A program that ends without having been a job, nor having started one, had no use of a weight and of sharing: "
      "one "
      "line on standard error says so, after three seconds or more, or if --weight or --coschedule on was given. "
      "Beside "
      "programs that are no jobs and keep the machine busy jobs stand aside, and a weight has no effect: on a terminal "
      "one line says so at the start.\n\n"
      "Examples:\n"
      "  callisto run --weight 3 -- ./simulation input.dat\n"
      "  callisto run --contexts 4 -- callisto pagerank web.cg\n"
      "  callisto run --contexts 0-3,8 --coschedule off -- ./benchmark\n"
      "  callisto run --guest -- make -j");
  return {parser, [o, program = std::move(program)](const std::stop_token&) {
            if (o->check) return check(program);
            if (o->guest && (o->contexts || o->how.weight || o->how.cosched)) {
              throw usage_error("--guest: a guest is no job: not with --weight, --contexts or --coschedule");
            }
            if (o->guest) o->how.cosched = false;
            o->how.openmp = !o->no_openmp && !o->guest;
            become(program, *o);
          }};
}

}  // namespace callisto::app

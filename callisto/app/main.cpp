// The command `callisto`: parses the command line, runs one subcommand, turns every failure into one line and a code.
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/describe.hpp>
#include <callisto/app/cli/help.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/signals.hpp>
#include <callisto/cosched/settings.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/loop/record/report.hpp>
#include <callisto/machine/host/memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/nesting.hpp>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace callisto;

enum exit_code : int {
  succeeded = 0,
  internal_failure = 1,
  bad_usage = 2,
  bad_input = 3,
  bad_output = 4,
  out_of_memory = 5,
};

constexpr const char* footer =
    "'callisto SUBCOMMAND --help' and 'callisto help SUBCOMMAND' say more; so do the manual pages callisto, "
    "callisto-graph, callisto-run, callisto-bench and callisto-simulate.\n\n"
    "Examples:\n"
    "  callisto demo                              compare with OpenMP on a generated graph\n"
    "  callisto info graph.txt.gz                 what a file holds\n"
    "  callisto analyze graph.txt.gz              an overview, as a page with pictures\n"
    "  callisto pagerank graph.txt --top 20       the most important vertices\n"
    "  callisto triangles graph.mtx --json        the number of triangles, for programs\n"
    "  callisto betweenness graph.txt --top 20    the vertices that most shortest paths cross\n"
    "  callisto bfs graph.cg --source 7           how far away everything is\n"
    "  callisto sssp roads.gr --source 7          the shortest paths by weight\n"
    "  callisto components graph.cg               what hangs together\n"
    "  callisto convert graph.txt.gz graph.cg     a file that opens in milliseconds\n"
    "  callisto run --weight 2 -- ./simulation    a program with a larger share of the machine\n"
    "  callisto top                               the jobs and where they run, live\n\n"
    "Exit codes: 0 success, 1 internal failure, 2 wrong usage, 3 unreadable or malformed input, 4 output not writable, "
    "5 out of memory, 130 interrupted; of run, the program's. Failures print one line on standard error.";

struct subcommand {
  std::string_view subject;
  std::string_view name;
  app::command (*add)(const app::command_parser& app, const app::command_line& words);
};

#define CALLISTO_SUBCOMMAND(subject, name) \
  {subject, #name, [](const app::command_parser& to, const app::command_line&) { return app::add_##name(to); }},
#define CALLISTO_PROGRAM_SUBCOMMAND(subject, name) \
  {subject, #name,                                 \
   [](const app::command_parser& to, const app::command_line& words) { return app::add_##name(to, words.other); }},
constexpr subcommand subcommands[] = {
#include <callisto/app/cli/subcommands.def>
};
#undef CALLISTO_SUBCOMMAND
#undef CALLISTO_PROGRAM_SUBCOMMAND

void write_error(std::string_view message) {
  const std::string line = "callisto: " + app::one_line(message) + '\n';
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // no reader is left
}

/// Makes `callisto help X` what it means, `callisto X --help`.
std::vector<char*> without_help_word(int argc, char** argv) {
  static std::string flag = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.push_back(flag.data());
  }
  words.push_back(nullptr);
  return words;
}

int run(int given_argc, char** given_argv, const std::stop_token& stop) {
  std::vector<char*> arguments = without_help_word(given_argc, given_argv);
  const int argc = static_cast<int>(arguments.size()) - 1;
  char** const argv = arguments.data();
  CLI::App app("Parallel graph analytics for multicore machines.", "callisto");
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", "callisto " CALLISTO_VERSION, "Print the version");
  app.footer(footer);
  app.require_subcommand(0, 1);
  const app::command_line words = app::split_command_line(argc, argv);
  // Setting up the options of all subcommands takes longer than loading a small graph. If the first word names one,
  // only that one is added; help and mistakes need all.
  const std::string_view first = words.own > 1 ? argv[1] : "";
  const bool known = std::ranges::any_of(subcommands, [&](const subcommand& s) { return s.name == first; });
  std::vector<app::command> commands;
  for (const subcommand& s : subcommands) {
    if (known && s.name != first) continue;
    commands.push_back(s.add(app::command_parser(app), words));
    commands.back().parser.subject(std::string(s.subject));
  }
  if (first == "--describe" && argc == 2) {
    app::print(app::describe(app));
    return succeeded;
  }
  try {
    app.parse(words.own, argv);
  } catch (const CLI::ParseError& e) {
    // CLI11 answers --help and --version whatever else was given.
    const bool asks = e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!asks || app.remaining_size(true) != 0) {
      write_error(app::explain(app, e));
      return bad_usage;
    }
    app::print(e.get_name() == "CallForVersion" ? std::string(e.what()) + '\n' : app::help_of(app, app::help_width()));
    return succeeded;
  }
  for (const app::command& c : commands) {
    if (c.parser.chosen()) {
      // A mistake in one of them is wrong usage whether or not the command runs loops.
      static_cast<void>(schedule::from_environment());
      static_cast<void>(nesting::from_environment());
      static_cast<void>(cosched::settings::from_environment());
      try {
        c.run(stop);
        loop::report_loops();
      } catch (...) {
        loop::cancel_loop_reports();  // a failure is one line
        throw;
      }
      return succeeded;
    }
  }
  const std::string help = app::help_of(app, app::help_width());
  if (::write(STDERR_FILENO, help.data(), help.size()) < 0) return bad_usage;
  return bad_usage;
}

/// Opens /dev/null in the places of standard input, output and error that the caller closed. Otherwise the next file
/// that is opened gets one of them, and what is printed goes into that file. Each place is opened for the other
/// direction, so that using it fails as before; a program that `run` starts finds it closed.
void hold_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free descriptor is this one.
    if (::open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  // `run` is about to be another program and has nothing to wind up: signals end it as they would end that program.
  std::optional<app::signal_watch> signals;
  if (!app::is_run(argc, argv)) signals.emplace();
  const auto fail = [](const std::exception& e, int code) {
    write_error(e.what());
    return code;
  };
  const auto interrupted = [&signals] {
    signals->tell();
    return signals->exit_code();
  };
  try {
    return run(argc, argv, signals ? signals->token() : std::stop_token());
  } catch (const graph::cancelled&) {
    return interrupted();
  } catch (const app::reader_gone&) {
    std::signal(SIGPIPE, SIG_DFL);  // end as programs do that leave SIGPIPE alone
    std::raise(SIGPIPE);
    return bad_output;
  } catch (const app::exit_with& e) {
    return fail(e, e.code);
  } catch (const usage_error& e) {
    return fail(e, bad_usage);
  } catch (const input_error& e) {
    return fail(e, bad_input);
  } catch (const output_error& e) {
    // If a signal has ended the work, that it was interrupted is the cause of the missing output.
    return signals && signals->exit_code() != 0 ? interrupted() : fail(e, bad_output);
  } catch (const graph::memory_error& e) {
    return fail(e, out_of_memory);
  } catch (const std::bad_alloc&) {
    const auto left = machine::available_memory();
    write_error(fmt::format("out of memory; {} MiB are available ({})", left.bytes >> 20, left.limit));
    return out_of_memory;
  } catch (const std::exception& e) {
    return fail(e, internal_failure);
  }
}

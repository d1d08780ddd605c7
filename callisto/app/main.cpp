// The command `callisto`: parses the command line, runs one subcommand, turns every failure into one line and a code.
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
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
    "  callisto top                               who runs where, live\n"
    "Each subcommand has its own --help.\n\n"
    "Exit codes: 0 success, 1 internal failure, 2 wrong usage, 3 unreadable or malformed input,\n"
    "4 output not writable, 5 out of memory, 130 interrupted; of run, the command's. Failures print one line on\n"
    "standard error.";

struct subcommand {
  std::string_view name;
  app::command (*add)(const app::command_parser& app, const app::command_line& words);
};

/// One whose options do not depend on the words behind them.
template <app::command (*Add)(const app::command_parser&)>
app::command add(const app::command_parser& app, const app::command_line&) {
  return Add(app);
}

constexpr subcommand subcommands[] = {
    {"analyze", add<app::add_analyze>},
    {"pagerank", add<app::add_pagerank>},
    {"triangles", add<app::add_triangles>},
    {"betweenness", add<app::add_betweenness>},
    {"bfs", add<app::add_bfs>},
    {"sssp", add<app::add_sssp>},
    {"components", add<app::add_components>},
    {"scc", add<app::add_scc>},
    {"kcore", add<app::add_kcore>},
    {"communities", add<app::add_communities>},
    {"clustering", add<app::add_clustering>},
    {"diameter", add<app::add_diameter>},
    {"info", add<app::add_info>},
    {"convert", add<app::add_convert>},
    {"generate", add<app::add_generate>},
    {"machine", add<app::add_machine>},
    {"demo", add<app::add_demo>},
    {"simulate", add<app::add_simulate>},
    {"bench", add<app::add_bench>},
    {"run",
     [](const app::command_parser& app, const app::command_line& words) { return app::add_run(app, words.other); }},
    {"status", add<app::add_status>},
    {"top", add<app::add_top>},
    {"reset", add<app::add_reset>},
};

void write_error(std::string_view message) {
  const std::string line = "callisto: " + app::one_line(message) + '\n';
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // nobody is left to tell
}

/// What CLI11 says about a command line, as one line that says where to read more.
std::string explain(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App* parser = &app;
  std::string path = parser->get_name();
  for (auto chosen = parser->get_subcommands(); !chosen.empty(); chosen = parser->get_subcommands()) {
    parser = chosen.front();
    path += ' ' + parser->get_name();
  }
  // In the order in which they were given, which CLI11 reverses.
  std::vector<std::string> unexpected = app.remaining();
  if (unexpected.empty()) unexpected = app.remaining(true);
  std::string message = unexpected.empty() ? e.what() : fmt::format("not expected: {}", fmt::join(unexpected, " "));
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  constexpr std::string_view once = "At Most 1 required but received ";
  if (const std::size_t at = message.find(once); at != std::string::npos) {
    message = message.substr(0, at) + "expected once, given " + message.substr(at + once.size()) + " times";
  }
  return message + "; see '" + path + " --help'";
}

int run(int argc, char** argv, const std::stop_token& stop) {
  CLI::App app("Parallel graph analytics for multicore machines.", "callisto");
  app.set_version_flag("--version", "callisto " CALLISTO_VERSION, "Print the version and exit");
  app.get_formatter()->column_width(24);
  app.get_formatter()->label("REQUIRED", "");
  app.get_formatter()->label("TEXT", "");  // positional arguments are texts; their names say more
  app.footer(footer);
  app.require_subcommand(0, 1);
  const app::command_line words = app::split_command_line(argc, argv);
  // Options of 23 subcommands take longer to set up than a small graph to load, and one is enough for those that begin
  // with its name; help and mistakes need all.
  const std::string_view first = words.own > 1 ? argv[1] : "";
  const bool known = std::ranges::any_of(subcommands, [&](const subcommand& s) { return s.name == first; });
  std::vector<app::command> commands;
  for (const subcommand& s : subcommands) {
    if (!known || s.name == first) commands.push_back(s.add(app::command_parser(app), words));
  }
  try {
    app.parse(words.own, argv);
  } catch (const CLI::ParseError& e) {
    // CLI11 answers these whatever else was given.
    const bool asks = e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!asks || app.remaining_size(true) != 0) {
      write_error(explain(app, e));
      return bad_usage;
    }
    app::print(e.get_name() == "CallForVersion" ? std::string(e.what()) + '\n' : app.help());
    return succeeded;
  }
  for (const app::command& c : commands) {
    if (c.parser.chosen()) {
      // A mistake in one of them is one whether or not the command runs loops.
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
  const std::string help = app.help();
  if (::write(STDERR_FILENO, help.data(), help.size()) < 0) return bad_usage;
  return bad_usage;
}

/// Takes the places of standard input, output and error where the caller closed them: else the next file that is opened
/// gets one, and what is printed goes into it. Each is opened for the other direction, so that using it fails as
/// before; a program that is run finds it closed.
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
  // `run` is about to be another program, and does itself nothing that would have to wind up: signals are to end it as
  // they would end that one.
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
    std::signal(SIGPIPE, SIG_DFL);  // end as programs do that know nothing of this
    std::raise(SIGPIPE);
    return bad_output;
  } catch (const app::exit_with& e) {
    return fail(e, e.code);
  } catch (const usage_error& e) {
    return fail(e, bad_usage);
  } catch (const input_error& e) {
    return fail(e, bad_input);
  } catch (const output_error& e) {
    // Of a process that is ended by a signal no output is left, and none begins.
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

// The frame of a program with subcommands: command line, signals, failures, exit codes.
#include <callisto/app/cli/program.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/colour.hpp>
#include <callisto/app/cli/describe.hpp>
#include <callisto/app/cli/help.hpp>
#include <callisto/app/cli/program_name.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/signals.hpp>
#include <callisto/app/cli/version.hpp>
#include <callisto/cosched/settings.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/loop/record/report.hpp>
#include <callisto/machine/host/launcher.hpp>
#include <callisto/machine/host/memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/workers/teams/nesting.hpp>

#include <fmt/format.h>
#include <CLI/App.hpp>
// CLI/App.hpp uses these two without including them.
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace callisto::app {
namespace {

enum exit_code : int {
  succeeded = 0,
  internal_failure = 1,
  bad_usage = 2,
  bad_input = 3,
  bad_output = 4,
  out_of_memory = 5,
};

bool another_tells = false;  ///< another process of the job writes the same line

void write_error(std::string_view message) {
  if (another_tells) return;
  const std::string name = alarming(fmt::format("{}:", program_name()), is_coloured(STDERR_FILENO));
  const std::string line = fmt::format("{} {}\n", name, one_line(message));
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // no reader is left
}

/// Makes `help X` what it means, `X --help`; `help help` is `--help`, and `version` is `--version`.
std::vector<char*> as_options(int argc, char** argv) {
  static std::string help = "--help";
  static std::string version = "--version";
  std::vector<char*> words(argv, argv + argc);
  if (argc == 2 && std::string_view(argv[1]) == "version") {
    words[1] = version.data();
  } else if (argc > 1 && std::string_view(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    if (argc == 3 && std::string_view(argv[2]) == "help") words.pop_back();
    words.push_back(help.data());
  }
  words.push_back(nullptr);
  return words;
}

/// True if one of the program's own words is `word`.
bool says(const command_line& words, char** argv, std::string_view word) {
  return std::find(argv + 1, argv + words.own, word) != argv + words.own;
}

/// Takes `--color WHEN` and `--color=WHEN` out of the program's own words; all subcommands take it. `--colour` is the
/// same.
void take_colours(std::vector<char*>& arguments, int own) {
  for (auto at = arguments.begin() + 1; at < arguments.begin() + own && *at != nullptr;) {
    const std::string_view word = *at;
    if (word == "--") return;
    const std::string_view flag = word.starts_with("--colour") ? "--colour" : "--color";
    if (word == flag) {
      const bool has_value = at + 1 < arguments.begin() + own && at[1] != nullptr;
      use_colours(has_value ? at[1] : "");
      at = arguments.erase(at, at + 2);
      own -= 2;
    } else if (word.starts_with(flag) && word.substr(flag.size()).starts_with('=')) {
      use_colours(word.substr(flag.size() + 1));
      at = arguments.erase(at);
      --own;
    } else {
      ++at;
    }
  }
}

/// How a process of a subcommand runs: alone, or as a rank; or it must not run.
enum class part_in_job { alone, rank, refused };

/// If a launcher of MPI started this process as one of several, the processes run the subcommand together, or each for
/// itself. If it has no form for ranks, each process would do all of the work, and write the same files: rank 0 says
/// so.
part_in_job part_of(const cli_program& p, std::string_view name) {
  const machine::launched_process launched = machine::launcher_of_process();
  if (launched.by == machine::launchers::none || launched.ranks == 1) return part_in_job::alone;
  const auto is_in = [name](std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_in(p.may_be_rank)) return part_in_job::alone;
  another_tells = launched.rank != 0;
  if (is_in(p.over_ranks)) return part_in_job::rank;
  write_error(fmt::format(
      "a launcher of MPI started {} processes of this command, which would each do all of the work"
      "{}; expected {} {} without a launcher, or 1 process",
      launched.ranks == 0 ? "several" : std::to_string(launched.ranks),
      p.over_ranks.empty() ? std::string() : fmt::format(" (ranks share {})", fmt::join(p.over_ranks, ", ")), p.name,
      name));
  return part_in_job::refused;
}

/// The cause of a command's end.
struct failure {
  std::string text;
  int code;
};

/// Returns what ends the command, from the exception that is handled now.
failure failure_of_now() {
  try {
    throw;
  } catch (const exit_with& e) {
    return {e.what(), e.code};
  } catch (const usage_error& e) {
    return {e.what(), bad_usage};
  } catch (const input_error& e) {
    return {e.what(), bad_input};
  } catch (const output_error& e) {
    return {e.what(), bad_output};
  } catch (const graph::memory_error& e) {
    return {e.what(), out_of_memory};
  } catch (const std::bad_alloc&) {
    const auto left = machine::available_memory();
    return {fmt::format("out of memory; {} MiB are available ({})", left.bytes >> 20, left.limit), out_of_memory};
  } catch (const graph::cancelled&) {
    return {"interrupted", 128 + SIGINT};
  } catch (const std::exception& e) {
    return {e.what(), internal_failure};
  }
}

/// Runs the command as one of the ranks of a job.
void run_as_rank(const command& c, const CLI::App& app, const std::stop_token& stop) {
  rank_job job;
  try {
    c.run(stop);
    loop::report_loops();
  } catch (const usage_error& e) {
    loop::cancel_loop_reports();  // a failure is one line
    job.fail(with_suggestion(app, e.what()), bad_usage);
  } catch (...) {
    loop::cancel_loop_reports();
    const failure f = failure_of_now();
    job.fail(f.text, f.code);
  }
}

/// Says where a subcommand is that this program no longer has. False if `word` is none.
bool is_moved(const cli_program& p, std::string_view word) {
  const auto found = std::ranges::find(p.moved, word, &moved_subcommand::name);
  if (found == p.moved.end()) return false;
  write_error(fmt::format("{0} is a subcommand of {1}; expected {1} {0} ...", found->name, found->program));
  return true;
}

int run(const cli_program& p, int given_argc, char** given_argv, const std::stop_token& stop) {
  std::vector<char*> arguments = as_options(given_argc, given_argv);
  const auto own_words = [&](int argc) {
    return p.split != nullptr ? p.split(argc, arguments.data()) : command_line{argc, {}};
  };
  take_colours(arguments, own_words(static_cast<int>(arguments.size()) - 1).own);
  const int argc = static_cast<int>(arguments.size()) - 1;
  char** const argv = arguments.data();
  if (argc > 1 && is_moved(p, argv[1])) return bad_usage;
  CLI::App app(p.description, std::string(p.name));
  app.set_help_flag("-h,--help", "Print this help; -h: in short");
  app.set_version_flag("-V,--version", fmt::format("{} {}\n", p.name, p.version), "Print the version; -V: in short");
  app.footer(p.footer);
  app.require_subcommand(0, 1);
  const command_line words = own_words(argc);
  // Setting up the options of all subcommands takes longer than loading a small graph. If the first word names one,
  // only that one is added; help and mistakes need all.
  const std::string_view first = words.own > 1 ? argv[1] : "";
  const bool known = std::ranges::any_of(p.subcommands, [&](const subcommand& s) { return s.name == first; });
  std::vector<command> commands;
  for (const subcommand& s : p.subcommands) {
    if (known && s.name != first) continue;
    commands.push_back(s.add(command_parser(app), words));
    commands.back().parser.subject(std::string(s.subject));
  }
  if (first == "--describe" && argc == 2) {
    print(describe(app));
    return succeeded;
  }
  const part_in_job part = known ? part_of(p, first) : part_in_job::alone;
  if (part == part_in_job::refused) return bad_usage;
  try {
    app.parse(words.own, argv);
  } catch (const CLI::ParseError& e) {
    // CLI11 answers --help and --version whatever else was given.
    const bool asks = e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!asks || app.remaining_size(true) != 0) {
      write_error(explain(app, e));
      return bad_usage;
    }
    if (another_tells) return succeeded;
    if (e.get_name() == "CallForVersion") {
      print(e.what() + (says(words, argv, "--version") ? version_details() : std::string()));
    } else {
      const bool brief = says(words, argv, "-h") && !says(words, argv, "--help");
      print(help_of(app, {.width = help_width(), .brief = brief, .coloured = is_coloured(STDOUT_FILENO)}));
    }
    return succeeded;
  } catch (const usage_error& e) {
    throw usage_error(with_suggestion(app, e.what()));
  }
  for (const command& c : commands) {
    if (c.parser.chosen()) {
      // A mistake in one of them is wrong usage whether or not the command runs loops.
      static_cast<void>(schedule::from_environment());
      static_cast<void>(nesting::from_environment());
      static_cast<void>(cosched::settings::from_environment());
      if (part == part_in_job::rank) {
        run_as_rank(c, app, stop);
        return succeeded;
      }
      try {
        c.run(stop);
        loop::report_loops();
      } catch (const usage_error& e) {
        loop::cancel_loop_reports();  // a failure is one line
        throw usage_error(with_suggestion(app, e.what()));
      } catch (...) {
        loop::cancel_loop_reports();
        throw;
      }
      return succeeded;
    }
  }
  const std::string help = help_of(app, {.width = help_width(), .coloured = is_coloured(STDERR_FILENO)});
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

/// Ends the process as programs end that leave SIGPIPE alone. Returns if the signal is blocked.
void end_without_reader() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

}  // namespace

int run_program(const cli_program& p, int argc, char** argv) {
  name_program(p.name);
  hold_standard_descriptors();
  std::optional<signal_watch> signals;
  if (p.watches_signals) signals.emplace();
  const auto interrupted = [&signals] {
    signals->tell();
    return signals->exit_code();
  };
  try {
    return run(p, argc, argv, signals ? signals->token() : std::stop_token());
  } catch (const graph::cancelled&) {
    return interrupted();
  } catch (const reader_gone&) {
    end_without_reader();
    return bad_output;
  } catch (const machine::broken_pipe&) {
    end_without_reader();
    return bad_output;
  } catch (...) {
    const failure f = failure_of_now();
    // If a signal has ended the work, that it was interrupted is the cause of the missing output.
    if (f.code == bad_output && signals && signals->exit_code() != 0) return interrupted();
    write_error(f.text);
    return f.code;
  }
}

}  // namespace callisto::app

// The program callisto-lab: its subcommands and what --help says about them as a whole.
#include <callisto/app/cli/program.hpp>
#include <lab/commands.hpp>

#include <span>
#include <string_view>

namespace {

using namespace callisto;

constexpr const char* footer =
    "'callisto-lab SUBCOMMAND --help' and 'callisto-lab help SUBCOMMAND' say more; so does the manual page "
    "callisto-lab.\n\n"
    "Examples:\n"
    "  callisto-lab bench schedule --quick        loops beside other runtimes\n"
    "  callisto-lab bench gap --scale 18          the GAP benchmark's kernels\n"
    "  callisto-lab bench pairs --budget 120      programs in pairs, with sharing and without\n"
    "  callisto-lab bench manners                 jobs that share beside jobs that do not\n"
    "  callisto-lab limits bfs                    how much each limit of a kernel matters\n"
    "  callisto-lab simulate --list               the machines that it can simulate\n"
    "  callisto-lab simulate sparc-t5-8           loops on a model of 1,024 contexts\n"
    "  callisto-lab simulate fig4                 a figure of the paper about loops\n\n"
    "Exit codes: 0 success, 1 internal failure or a wrong result, 2 wrong usage, 3 unreadable or malformed input, 4 "
    "output not writable, 5 out of memory, 130 interrupted. Failures print one line on standard error.";

constexpr app::subcommand subcommands[] = {
    {"Experiments", "bench",
     [](const app::command_parser& to, const app::command_line&) { return lab::add_bench(to); }},
    {"Experiments", "limits",
     [](const app::command_parser& to, const app::command_line&) { return lab::add_limits(to); }},
    {"Simulation", "simulate",
     [](const app::command_parser& to, const app::command_line&) { return lab::add_simulate(to); }},
};

}  // namespace

int main(int argc, char** argv) {
  // `simulate cluster real` and the actor `ranks` of `bench manners` are programs for the ranks of a launcher.
  static constexpr std::string_view of_ranks[] = {"simulate", "bench"};
  const auto is = [&](std::string_view second, std::string_view third) {
    return argc > 3 && argv[2] == second && std::string_view(argv[3]).starts_with(third);
  };
  const bool is_real = is("cluster", "real") || is("program", "ranks");
  return app::run_program({.name = "callisto-lab",
                           .description = "Experiments on Callisto: measures and simulates how loops and jobs run.",
                           .version = CALLISTO_VERSION,
                           .footer = footer,
                           .subcommands = subcommands,
                           .may_be_rank = is_real ? std::span(of_ranks) : std::span<const std::string_view>()},
                          argc, argv);
}

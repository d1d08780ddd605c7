// The command `callisto`: its subcommands and what --help says about them as a whole.
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/program.hpp>

#include <string_view>

namespace {

using namespace callisto;

constexpr const char* footer =
    "'callisto SUBCOMMAND --help' and 'callisto help SUBCOMMAND' say more; so do the manual pages callisto, "
    "callisto-graph and callisto-run. -h says it in short. --color auto, always or never, and NO_COLOR, choose bold "
    "and red letters.\n\n"
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

#define CALLISTO_SUBCOMMAND(subject, name) \
  {subject, #name, [](const app::command_parser& to, const app::command_line&) { return app::add_##name(to); }},
#define CALLISTO_PROGRAM_SUBCOMMAND(subject, name) \
  {subject, #name,                                 \
   [](const app::command_parser& to, const app::command_line& words) { return app::add_##name(to, words.other); }},
constexpr app::subcommand subcommands[] = {
#include <callisto/app/cli/subcommands.def>
};
#undef CALLISTO_SUBCOMMAND
#undef CALLISTO_PROGRAM_SUBCOMMAND

constexpr std::string_view may_be_rank[] = {"run", "status", "top", "machine"};

constexpr std::string_view over_ranks[] = {"analyze", "betweenness", "bfs",   "clustering", "communities", "components",
                                           "convert", "info",        "kcore", "pagerank",   "sssp",        "triangles"};

constexpr app::moved_subcommand moved[] = {{"bench", "callisto-lab"}, {"simulate", "callisto-lab"}};

}  // namespace

int main(int argc, char** argv) {
  return app::run_program({.name = "callisto",
                           .description = "Parallel graph analytics for multicore machines.",
                           .version = CALLISTO_VERSION,
                           .footer = footer,
                           .subcommands = subcommands,
                           .may_be_rank = may_be_rank,
                           .over_ranks = over_ranks,
                           .moved = moved,
                           .split = app::split_command_line,
                           // `run` is about to be another program and has nothing to wind up: signals end it as they
                           // would end that program.
                           .watches_signals = !app::is_run(argc, argv)},
                          argc, argv);
}

// The subcommands: each file of the same name adds one to the parser.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/machine/system/error.hpp>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::app {

/// One subcommand: its parser, filled by main, and what runs afterwards with the options that it got.
struct command {
  command_parser parser;
  std::function<void(const std::stop_token&)> run;
};

/// Ends the process with `code`, and one line on standard error: for codes that say more than the kind of a failure.
struct exit_with : error {
  exit_with(int with, const std::string& message) : error(message), code(with) {}
  int code;
};

command add_analyze(const command_parser& app);
command add_pagerank(const command_parser& app);
command add_triangles(const command_parser& app);
command add_betweenness(const command_parser& app);
command add_bfs(const command_parser& app);
command add_sssp(const command_parser& app);
command add_components(const command_parser& app);
command add_scc(const command_parser& app);
command add_kcore(const command_parser& app);
command add_communities(const command_parser& app);
command add_clustering(const command_parser& app);
command add_diameter(const command_parser& app);
command add_info(const command_parser& app);
command add_convert(const command_parser& app);
command add_generate(const command_parser& app);
command add_machine(const command_parser& app);
command add_demo(const command_parser& app);
command add_simulate(const command_parser& app);
command add_bench(const command_parser& app);

/// What stands behind the options of `run` is another program's: how many of the `argc` words of the command line are
/// this one's own, and the others, without the `--` before them.
struct command_line {
  int own;
  std::vector<std::string> other;
};
command_line split_command_line(int argc, char** argv);

/// Whether the subcommand is `run`, after which the process is another program.
bool is_run(int argc, char** argv);
command add_run(const command_parser& app, std::vector<std::string> program);
command add_status(const command_parser& app);
command add_top(const command_parser& app);
command add_reset(const command_parser& app);

}  // namespace callisto::app

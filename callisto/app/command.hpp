// The subcommands: each file of the same name adds one to the parser.
#pragma once

#include <callisto/machine/error.hpp>

#include <CLI/App.hpp>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::app {

/// One subcommand: its parser, filled by main, and what runs afterwards with the options that it got.
struct command {
  CLI::App* parser;
  std::function<void(const std::stop_token&)> run;
};

/// Ends the process with `code`, and one line on standard error: for codes that say more than the kind of a failure.
struct exit_with : error {
  exit_with(int with, const std::string& message) : error(message), code(with) {}
  int code;
};

command add_analyze(CLI::App& app);
command add_pagerank(CLI::App& app);
command add_triangles(CLI::App& app);
command add_betweenness(CLI::App& app);
command add_bfs(CLI::App& app);
command add_sssp(CLI::App& app);
command add_components(CLI::App& app);
command add_scc(CLI::App& app);
command add_kcore(CLI::App& app);
command add_communities(CLI::App& app);
command add_clustering(CLI::App& app);
command add_diameter(CLI::App& app);
command add_info(CLI::App& app);
command add_convert(CLI::App& app);
command add_generate(CLI::App& app);
command add_machine(CLI::App& app);
command add_demo(CLI::App& app);
command add_simulate(CLI::App& app);
command add_bench(CLI::App& app);

/// What stands behind the options of `run` is another program's: how many of the `argc` words of the command line are
/// this one's own, and the others, without the `--` before them.
struct command_line {
  int own;
  std::vector<std::string> other;
};
command_line split_command_line(int argc, char** argv);
command add_run(CLI::App& app, std::vector<std::string> program);
command add_status(CLI::App& app);
command add_top(CLI::App& app);
command add_reset(CLI::App& app);

}  // namespace callisto::app

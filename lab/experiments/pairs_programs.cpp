// Makes programs that can run for longer or shorter from built-in programs, kernels on generated graphs, and commands.
#include <lab/experiments/pairs_programs.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/experiments/synthetic_program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

#include <unistd.h>

namespace callisto::lab {
namespace {

/// A program that has to run for longer gets a graph of up to this much larger a scale.
constexpr unsigned most_scales = 6;

/// A kernel of this library that runs on a graph in a file.
struct graph_program {
  const char* name;
  const char* option =
      nullptr;        ///< the work is proportional to this option's value; null: it is given by the graph's size
  double growth = 0;  ///< if `option` is null: factor of the time when a Kronecker graph doubles
  const char* arguments[4] = {};
  bool once_a_vertex = false;  ///< true: the option's value is at most the number of vertices
  bool same_output = false;
};
constexpr graph_program graph_programs[] = {
    // Scales with the graph: more iterations change nothing once the ranks have converged.
    {.name = "pagerank", .growth = 2.2, .arguments = {"--iterations", "20", "--tolerance", "0"}},
    {.name = "triangles", .growth = 2.4, .same_output = true},
    {.name = "betweenness", .option = "--samples", .once_a_vertex = true},
    {.name = "sssp", .option = "--sources"},
};

bool chosen(const std::optional<std::vector<std::string>>& list, const std::string& name) {
  return !list || std::find(list->begin(), list->end(), name) != list->end();
}

/// Returns a command's name for tables: its program, without folders.
std::string short_command_name(const std::string& command) {
  std::string word = command.substr(0, command.find_first_of(" \t"));
  word = word.substr(word.find_last_of('/') + 1);
  constexpr std::size_t longest = 14;
  std::size_t end = std::min(longest, word.size());
  // Cuts at a whole character.
  while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) --end;
  return end == 0 ? "command" : one_line(word.substr(0, end));
}

}  // namespace

std::string callisto_command() {
  const std::filesystem::path file = std::filesystem::path(this_program()).parent_path() / "callisto";
  if (::access(file.c_str(), X_OK) != 0) {
    throw usage_error(
        fmt::format("programs on graphs: expected the command callisto beside this program, found no {}; "
                    "--programs chooses others",
                    one_line(file.string())));
  }
  return file.string();
}

std::vector<std::string> known_programs() {
  std::vector<std::string> all;
  for (const synthetic_program& p : synthetic_programs()) all.emplace_back(p.name);
  for (const graph_program& p : graph_programs) all.emplace_back(p.name);
  return all;
}

std::string built_in_programs_help() {
  std::string text;
  for (const synthetic_program& p : synthetic_programs()) text += fmt::format("  {:<12} {}\n", p.name, p.what);
  for (const graph_program& p : graph_programs) {
    text += fmt::format("  {:<12} callisto {} on a generated graph\n", p.name, p.name);
  }
  return text;
}

std::vector<paired_program> paired_programs_of(const paired_program_choice& o,
                                               const std::function<std::string(std::uint64_t)>& graph) {
  std::vector<paired_program> all;
  const std::string self = this_program();
  const bool built_in = o.programs || o.commands.empty();
  for (const synthetic_program& p : synthetic_programs()) {
    if (!built_in || !chosen(o.programs, p.name)) continue;
    all.push_back({.name = p.name,
                   .make =
                       [self, name = std::string(p.name)](std::uint64_t amount) {
                         spawn_request what;
                         what.program = self;
                         what.arguments = {"bench", "program", name, std::to_string(amount)};
                         return what;
                       },
                   .amount = p.first_amount,
                   .same_output = true});
  }
  for (const graph_program& p : graph_programs) {
    if (!built_in || !chosen(o.programs, p.name)) continue;
    paired_program c{.name = p.name, .growth = p.growth, .takes_graph = true, .same_output = p.same_output};
    c.make = [command = callisto_command(), graph, p, scale = o.scale](std::uint64_t amount) {
      spawn_request what;
      what.program = command;
      what.arguments = {p.name, graph(p.option == nullptr ? amount : scale), "--quiet"};
      if (p.option != nullptr) what.arguments.insert(what.arguments.end(), {p.option, std::to_string(amount)});
      for (const char* a : p.arguments)
        if (a != nullptr) what.arguments.emplace_back(a);
      return what;
    };
    c.amount = p.option == nullptr ? o.scale : 1;
    if (p.option == nullptr) c.most = o.scale + most_scales;
    if (p.once_a_vertex) c.most = std::uint64_t{1} << o.scale;
    all.push_back(std::move(c));
  }
  for (const std::string& command : o.commands) {
    if (command.find_first_not_of(" \t\n") == std::string::npos) throw usage_error("COMMAND: expected one, found ''");
    std::string name = short_command_name(command);
    const auto taken = [&](const std::string& n) {
      return std::any_of(all.begin(), all.end(), [&](const paired_program& c) { return c.name == n; });
    };
    for (unsigned i = 2; taken(name); ++i) name = fmt::format("{}#{}", short_command_name(command), i);
    all.push_back({.name = std::move(name), .make = [command](std::uint64_t) {
                     spawn_request what;
                     what.program = "/bin/sh";
                     what.arguments = {"-c", command};
                     return what;
                   }});
  }
  return all;
}

}  // namespace callisto::lab

// callisto components finds which vertices hang together; callisto scc finds which vertices reach each other.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/app/graph/groups.hpp>
#include <callisto/cluster/components.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <variant>

namespace callisto::app {
namespace {

enum class connected { weakly, strongly };

template <class Vertex>
analysis analyse(const graph_command& o, connected how, const graph::any_graph& any,
                 const graph::csr_graph<Vertex>& graph, const graph::run_control& context) {
  const bool strong = how == connected::strongly;
  const stopwatch time;
  // shared: append_values reads it later
  const auto map = std::make_shared<graph::component_map<Vertex>>(
      strong                         ? graph::strong_components(graph, context)
      : rank_job::among() != nullptr ? cluster::components(graph, {context, rank_job::among()})
                                     : graph::components(graph, context));
  analysis found;
  found.seconds = time.seconds();
  if (!rank_job::tells()) return found;
  if (o.verify && strong) graph::verify_strong_components(graph, *map);
  if (o.verify && !strong) graph::verify_components(graph, *map);
  name_by_label(*map, graph);
  const auto sizes = graph::component_sizes(*map, context);
  const auto single = static_cast<std::uint64_t>(
      std::count_if(sizes.begin(), sizes.end(), [](const auto& component) { return component.second == 1; }));
  found.facts = {{"components", sizes.size()},
                 {"largest_component", sizes.empty() ? 0 : sizes.front().second},
                 {"single_vertices", single}};
  found.rows = {{"components", fmt::format("{}{}", with_separators(sizes.size()),
                                           !graph.directed() ? ""
                                           : strong          ? " (strong: paths in both directions)"
                                                             : " (weak: arcs in either direction)")},
                {"of a single vertex", with_separators(single)},
                {"time", time_words(found.seconds)}};
  if (o.verify) {
    found.tell_verified(strong ? "by Kosaraju's algorithm" : "against sequential searches");
  }
  found.top = largest_groups(any, sizes, o.top_count(), "component");
  found.columns = {"component"};
  found.append_values = [map, &any](std::string& line, std::uint64_t v) { append_label(line, any, (*map)[v]); };
  return found;
}

/// Adds the options of one of the two commands to `parser`, and returns the command.
command finish(const command_parser& parser, connected how) {
  parser.keys({
      {"`largest_component`", "vertices of the largest"},
      {"`single_vertices`", "components of one vertex"},
      {"`verified`", "true with `--verify`"},
      {"`top`",
       "the largest components, equal ones by label: objects with `component` (the smallest label in it) and "
       "`vertices`"},
  });
  const auto o = std::make_shared<graph_command>();
  o->add_top_to(parser, "Show the K largest components");
  o->add_verify_to(parser, how == connected::strongly ? "by Kosaraju's algorithm" : "by sequential searches");
  o->add_to(parser,
            "Write to FILE ('-': standard output) 'label<TAB>component' a line in order of\n"
            "labels; with --json the object");
  const auto needs = how == connected::strongly ? graph::needs::strong_components : graph::needs::components;
  return kernel_command(parser, o, needs, [o, how](const graph::any_graph& any, const graph::run_control& control) {
    return std::visit([&](const auto& graph) { return analyse(*o, how, any, graph, control); }, any);
  });
}

}  // namespace

command add_components(const command_parser& app) {
  const command_parser parser = app.add_subcommand("components", "Find the connected components of a graph");
  parser.more(
      "The method samples, then finishes (ConnectIt: Dhulipala, Hong and Shun, VLDB'21; Afforest: "
      "Sutton, Ben-Nun and Barak, IPDPS'18).\n\nWith `--top` and `--output` only the largest components "
      "are written: `component<TAB>vertices` a line.");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "28.4 n (44.4 n)"});
  parser.keys({
      {"`components`", "how many there are"},
  });
  parser.footer(
      "A component is named after its smallest vertex. Of a directed graph they are the weakly\n"
      "connected ones: arcs count in either direction.\n\n"
      "Examples:\n"
      "  callisto components friends.txt.gz\n"
      "  callisto components friends.cg --output components.tsv\n"
      "  callisto components friends.cg --json | jq .components");
  return finish(parser, connected::weakly);
}

command add_scc(const command_parser& app) {
  const command_parser parser = app.add_subcommand("scc", "Find the strongly connected components of a graph");
  parser.more(
      "The method trims, searches forward and backward (Hong, Rodia and Olukotun, SC'13), and leaves "
      "the rest to Tarjan's algorithm.");
  parser.weights({"", "not used", "once", "once"});
  parser.memory({"", "41 n (57 n)"});
  parser.keys({
      {"`components`", "strongly connected components"},
  });
  parser.footer(
      "Two vertices are in one component if each can be reached from the other along arcs. A\n"
      "component is named after its smallest vertex.\n\n"
      "Examples:\n"
      "  callisto scc web.txt.gz\n"
      "  callisto scc web.cg --output components.tsv --verify");
  return finish(parser, connected::strongly);
}

}  // namespace callisto::app

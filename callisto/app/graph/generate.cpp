// callisto generate: makes synthetic graphs.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/output.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace callisto::app {
namespace {

constexpr unsigned largest_scale = 37;

struct generate_arguments {
  std::string model;
  graph_output output;
  run_options run;
  graph::build_options build;
  std::optional<unsigned> scale;
  std::optional<std::uint64_t> vertices;
  std::optional<double> exponent;
  std::optional<std::uint64_t> degree;
  std::uint64_t seed = 1;
  bool directed = false;
  std::optional<std::uint64_t> weights_seed;
};

graph::any_edge_list make_edges(const generate_arguments& o, const graph::run_control& context) {
  const auto meaning = o.directed ? graph::direction::directed : graph::direction::undirected;
  const std::uint64_t vertices = o.vertices ? *o.vertices : std::uint64_t{1} << *o.scale;
  const std::uint64_t degree = o.degree.value_or(16);
  if (o.model == "kronecker") {
    graph::kronecker_options k;
    k.seed = o.seed;
    k.meaning = meaning;
    k.scale = *o.scale;
    k.degree = degree;
    return graph::generate_kronecker(k, context);
  }
  if (o.model == "uniform") {
    graph::uniform_options u;
    u.seed = o.seed;
    u.meaning = meaning;
    u.vertices = vertices;
    u.edges = vertices * degree;
    return graph::generate_uniform(u, context);
  }
  if (o.model == "grid") {
    graph::grid_options g;
    g.meaning = meaning;
    g.rows = std::uint64_t{1} << *o.scale / 2;
    g.columns = vertices / g.rows;
    return graph::generate_grid(g, context);
  }
  graph::power_law_options p;
  p.seed = o.seed;
  p.meaning = meaning;
  p.vertices = vertices;
  p.edges = vertices * degree;
  if (o.exponent) p.exponent = *o.exponent;
  return graph::generate_power_law(p, context);
}

void check(const generate_arguments& o) {
  if (o.model != "kronecker" && o.model != "uniform" && o.model != "power-law" && o.model != "grid") {
    throw usage_error("MODEL: expected kronecker, uniform, power-law or grid, found '" + o.model + "'");
  }
  const bool by_scale = o.model == "kronecker" || o.model == "grid";
  if (o.scale && o.vertices) throw usage_error("--vertices: --scale says already how many; give one of them");
  if (by_scale && o.vertices) {
    throw usage_error(fmt::format("--vertices: a {} has 2^scale vertices; give --scale instead",
                                  o.model == "grid" ? "grid" : "Kronecker graph"));
  }
  if (o.model == "grid" && o.degree) throw usage_error("--degree: the vertices of a grid have up to four edges");
  if (!o.scale && !o.vertices) {
    throw usage_error(by_scale ? "--scale: required, the graph gets 2^scale vertices"
                               : "--scale or --vertices: one of them is required");
  }
  if (o.model != "power-law" && o.exponent) throw usage_error("--exponent: only the model power-law has one");
}

/// Throws memory_error if there is no room for what comes behind the rows of the graph: weights, another order. The
/// generators look after the rows and their list.
void require_whole(const generate_arguments& o) {
  const bool reorders = !o.output.order.empty() && o.output.order != "given";
  if (!o.weights_seed && !reorders) return;
  const std::uint64_t vertices = o.vertices ? *o.vertices : std::uint64_t{1} << *o.scale;
  const std::uint64_t edges = o.model == "grid" ? 2 * vertices : vertices * o.degree.value_or(16);
  const std::uint64_t v = vertices > std::numeric_limits<std::uint32_t>::max() ? 8 : 4;
  // Each edge stands in two rows.
  const std::uint64_t weights = o.weights_seed ? 2 * edges * sizeof(graph::short_weight) : 0;
  const std::uint64_t whole = 2 * edges * v + 8 * vertices * (o.directed ? 2 : 1) + weights;
  graph::require_memory(fmt::format("a graph of {} edges{}{}", edges, o.weights_seed ? ", with weights" : "",
                                    reorders ? ", once more in another order" : ""),
                        !reorders ? whole : 2 * whole + (8 + 3 * v) * vertices);
}

void run(const generate_arguments& o, const std::stop_token& stop) {
  check(o);
  require_whole(o);
  o.run.apply({o.output.file});
  o.output.check(o.run.as_json);
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  const stopwatch time;
  graph::build_report report;
  graph::any_graph made = graph::build_graph(make_edges(o, context), o.build, context, &report);
  if (o.weights_seed) made = graph::with_random_weights(std::move(made), *o.weights_seed, context);
  const double seconds = time.seconds();
  const written_file written = o.output.write(made, {context});
  bar.finish();
  if (o.run.as_json) {
    const graph_size size = size_of(made);
    json object;
    object["model"] = o.model;
    object["seed"] = o.seed;
    object["vertices"] = size.vertices;
    object["edges"] = edges_of(made, context);
    object["arcs"] = size.arcs;
    object["directed"] = size.directed;
    object["weighted"] = size.weighted;
    object["written"] = describe(written);
    object["drawn"] = describe(report);
    object["seconds"] = {{"generate", seconds}, {"write", written.seconds}};
    object["threads"] = threads();
    print(o.run.to_text(std::move(object)));
  } else if (!o.run.quiet) {
    print(to_text(written, made));
  }
}

}  // namespace

command add_generate(const command_parser& app) {
  const command_parser parser = app.add_subcommand("generate", "Make a synthetic graph");
  const auto o = std::make_shared<generate_arguments>();
  parser.add_option("MODEL", o->model, "kronecker (Graph500), uniform, power-law, or grid")
      .required()
      .words({"kronecker", "uniform", "power-law", "grid"})
      .more(
          "`kronecker` is the Graph500 generator. `uniform` draws both ends of each edge at random. "
          "`power-law` is Chung and Lu's model with a chosen exponent. `grid` has 2^(S/2) rows; each "
          "vertex is joined to the next in its row and to the one below.");
  o->output.add_to(parser);
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) {
        o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, largest_scale));
      },
      "Make 2^S vertices, 1 to 37")
      .more("Required for kronecker and grid.");
  add_parsed(
      parser, "--vertices", "N",
      [o](const std::string& text) {
        o->vertices = parse_count("--vertices", text, 1, std::uint64_t{1} << largest_scale);
      },
      "Make N vertices (uniform and power-law)");
  add_parsed(
      parser, "--degree", "D",
      [o](const std::string& text) { o->degree = parse_count("--degree", text, 1, std::uint64_t{1} << 20); },
      "Draw D edges for each vertex (not grid) [16]");
  add_parsed(
      parser, "--exponent", "X",
      [o](const std::string& text) {
        o->exponent = parse_real("--exponent", text, {.low = 2, .high = 100, .above_low = true});
      },
      "Exponent of the degree distribution, above 2 (power-law) [2.5]")
      .more("Below 100.");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->seed = parse_count("--seed", text, 0); },
      "The graph depends on this and the options above, not on the number of threads [1]");
  parser.add_flag("--directed", o->directed, "Make arcs; without it edges have no direction");
  add_random_weights(parser, o->weights_seed);
  add_build_options(parser, o->build, "min");
  o->run.add_to(parser);
  parser.keys({
      {"`written`", "as of convert"},
      {"`model`, `seed`", "as given"},
      {"`vertices`, `arcs`, `directed`, `weighted`", "the graph written"},
      {"`edges`", "edges of the graph written, undirected ones once"},
      {"`drawn`", "what was drawn before repeats were merged, an object as `listed`"},
  });
  parser.footer(
      "Examples:\n"
      "  callisto generate kronecker kron20.cg --scale 20\n"
      "  callisto generate uniform random.txt.zst --vertices 1000000 --degree 8 --seed 7\n"
      "  callisto generate power-law web.cg --scale 18 --exponent 2.1 --directed");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app

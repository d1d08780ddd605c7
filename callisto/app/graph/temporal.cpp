// callisto temporal: paths that respect the times of edges.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/pair/temporal.hpp>
#include <callisto/graph/verify/patterns.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct temporal_arguments {
  graph_command common;
  std::string source;
  std::string time;
  std::string duration;  ///< a column or a number; empty: no time
  std::optional<std::string> target;
  graph::temporal_options options;
};

/// Returns the numbers of a column of edges; not a number where it has none.
std::vector<double> numbers_in(const graph::any_graph& any, const std::string& name, const std::string& flag) {
  const auto all = std::visit([](const auto& g) { return g.attributes(); }, any);
  const graph::column* c = all == nullptr ? nullptr : graph::find_column(all->edges, name);
  if (c == nullptr) throw usage_error(fmt::format("{}: edges have no column '{}'", flag, one_line(name)));
  if (c->type != graph::column_type::whole && c->type != graph::column_type::real) {
    throw usage_error(fmt::format("{}: the column '{}' holds {}, not numbers, such as seconds since 1970", flag,
                                  one_line(name), name_of(c->type)));
  }
  std::vector<double> values(c->rows, std::numeric_limits<double>::quiet_NaN());
  for (std::uint64_t i = 0; i < c->rows; ++i) {
    if (!c->has(i)) continue;
    values[i] = c->type == graph::column_type::whole ? static_cast<double>(c->whole(i)) : c->real(i);
  }
  return values;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string::npos;
}

template <class Vertex>
analysis analyse_times(const temporal_arguments& o, const graph::any_graph& any, const graph::csr_graph<Vertex>& graph,
                       const graph::run_control& context) {
  const std::uint64_t source = vertex_of(any, o.source, "SOURCE");
  const std::uint64_t target = o.target ? vertex_of(any, *o.target, "--to") : source;
  const std::vector<double> times = numbers_in(any, o.time, "--time");
  std::vector<double> durations;
  if (is_number(o.duration)) {
    durations.assign(times.size(), parse_real("--duration", o.duration, {.low = 0}));
  } else if (!o.duration.empty()) {
    durations = numbers_in(any, o.duration, "--duration");
  }
  const stopwatch time;
  const auto result = std::make_shared<graph::temporal_result<Vertex>>(graph::earliest_arrival(
      graph, source, times, durations, o.options, context));  // shared: append_values reads it later
  analysis found;
  found.seconds = time.seconds();
  if (o.common.verify) graph::verify_earliest_arrival(graph, source, times, durations, o.options, *result);
  double last = -std::numeric_limits<double>::infinity();
  for (std::uint64_t v = 0; v < result->arrival.size(); ++v) {
    if (std::isfinite(result->arrival[v])) last = std::max(last, result->arrival[v]);
  }
  found.facts = {{"source", label_of(any, source)}, {"reached", result->reached}};
  found.rows = {{"source", label_of(any, source).text()}, {"reached", with_separators(result->reached) + " vertices"}};
  if (std::isfinite(last)) {
    found.facts["last_arrival"] = last;
    found.rows.emplace_back("last arrival", fmt::format("{}", last));
  }
  if (o.target) {
    const std::vector<std::uint64_t> path = result->path_to(target);
    std::vector<vertex_label> labels;
    for (const std::uint64_t v : path) labels.push_back(label_of(any, v));
    found.facts["target"] = label_of(any, target);
    found.facts["path"] = labels;
    if (!path.empty() && std::isfinite(result->arrival[target])) found.facts["arrival"] = result->arrival[target];
    found.rows.emplace_back("path", path.empty() ? "none" : arrows(any, path));
    if (!path.empty()) found.rows.emplace_back("arrival", fmt::format("{}", result->arrival[target]));
  }
  found.rows.emplace_back("time", time_words(found.seconds));
  if (o.common.verify) found.tell_verified("by looking at each edge");
  found.columns = {"arrival", "contacts"};
  found.append_values = [result](std::string& line, std::uint64_t v) {
    const double at = result->arrival[v];
    if (at == std::numeric_limits<double>::infinity()) {
      line += "-\t-";
    } else if (std::isinf(at)) {
      line += "-\t0";  // the source, which has been there always
    } else {
      fmt::format_to(std::back_inserter(line), "{}\t{}", at, result->contacts[v]);
    }
  };
  return found;
}

}  // namespace

command add_temporal(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("temporal", "Find how early vertices are reached by edges that have times");
  const auto o = std::make_shared<temporal_arguments>();
  const real_range any_real{.low = -std::numeric_limits<double>::max()};
  parser.add_option("--source", o->source, "The vertex to start from").type_name("V").required();
  parser.add_option("--time", o->time, "The column of edges with the time at which each can be used [time]")
      .type_name("NAME");
  parser.add_option("--duration", o->duration, "How long an edge takes: a number, or a column of edges [0]")
      .type_name("X|NAME");
  add_parsed(
      parser, "--from", "T",
      [o, any_real](const std::string& text) { o->options.from = parse_real("--from", text, any_real); },
      "Start at this time: earlier edges are not used");
  add_parsed(
      parser, "--until", "T",
      [o, any_real](const std::string& text) { o->options.until = parse_real("--until", text, any_real); },
      "Use no edge that ends later");
  parser.add_flag("--strict", o->options.strict, "Use an edge only after the arrival, not at its very time");
  add_parsed(parser, "--to", "V", [o](const std::string& text) { o->target = text; }, "Show the path to this vertex");
  o->time = "time";
  o->common.add_verify_to(parser, "by looking at each edge");
  o->common.input.set_usual_repeats([] { return graph::repeats::keep; }, "keep");
  o->common.input.more_attributes = [b = o.get()] {
    std::vector<std::string> names{b->time};
    if (!b->duration.empty() && !is_number(b->duration)) names.push_back(b->duration);
    return names;
  };
  o->common.add_to(parser,
                   "Write to FILE ('-': standard output) 'label<TAB>arrival<TAB>contacts' a line in\n"
                   "order of labels, '-' where no path leads; with --json the object");
  parser.more(
      "The method is Dijkstra's on times of arrival, for to be earlier is never worse (Wu et al., PVLDB 2014). "
      "Contacts "
      "are the edges of the path. All edges between two vertices stay, each with its time. An edge without a time is "
      "not used.");
  parser.memory({"", "36 n + 72 m (40 n + 72 m)"});
  parser.keys({
      {"`source`", "its label"},
      {"`reached`", "vertices, the source included"},
      {"`last_arrival`", "at the vertex that is reached last; missing if there is none but the source"},
      {"`target`, `path`, `arrival`",
       "with `--to`: its label, the labels of the path, empty if there is none, and when it ends"},
      {"`verified`", "true with `--verify`"},
  });
  parser.footer(
      "A path respects time if each of its edges begins when the one before has ended, or later. Times\n"
      "are numbers, such as seconds or years.\n\n"
      "Examples:\n"
      "  callisto temporal contacts.csv --undirected --source anna\n"
      "  callisto temporal flights.csv --source BRN --time departure --duration minutes --from 480 --to OSL\n"
      "  callisto temporal mails.csv --source 17 --strict --output reached.tsv");
  return kernel_command(parser, std::shared_ptr<const graph_command>(o, &o->common), graph::needs::earliest_arrival,
                        [o](const graph::any_graph& any, const graph::run_control& control) {
                          return std::visit([&](const auto& graph) { return analyse_times(*o, any, graph, control); },
                                            any);
                        });
}

}  // namespace callisto::app

// The common form of the commands that analyse one graph: their options, what they show, and where the result goes.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/label.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {

/// The best of something, one a row: lines such as `label<TAB>score` for programs, objects in JSON, a table for people.
struct ranking {
  using cell = std::variant<std::uint64_t, double, std::string>;

  std::vector<std::string> keys;  ///< names of a row's cells, such as "vertex", "score"
  std::vector<std::vector<cell>> rows;
  std::vector<double> errors = {};  ///< by row: the standard error of its last cell; empty if values are exact
  std::string share_of = {};        ///< the last cell is a share of this, such as "visits": people see percent of it
  /// By row: vertices that belong to it, in a last column for people and as key "members" in JSON; or empty.
  std::vector<std::vector<vertex_label>> members = {};
};

/// Lines of --output that do not stand for vertices, such as one an edge.
struct value_lines {
  std::uint64_t count = 0;
  /// Appends line i; many threads call it at once.
  std::function<void(std::string& line, std::uint64_t i)> append = {};
  /// In place of both: calls write(line) for all lines in their order, where they are too many to be kept.
  std::function<void(const std::function<void(std::string_view)>& write)> all = {};
};

/// Findings of a command about its graph.
struct analysis {
  double seconds = 0;                                     ///< time that the kernel took
  json facts = json::object();                            ///< the JSON object's keys behind the keys about the graph
  std::vector<std::pair<std::string, std::string>> rows;  ///< names and values, for people
  std::string bare;                                       ///< text that --quiet prints if there is no `top`
  std::optional<ranking> top;

  /// Appends to a line of --output what stands behind a vertex's label and a tab. Without this function --output gets
  /// the rows of `top`, and without `top` the text for people. Many threads call it at once.
  std::function<void(std::string& line, std::uint64_t vertex)> append_values;

  /// Names of what append_values or `lines` write: the header of a CSV file, the attributes of a graph's file.
  std::vector<std::string> columns = {};

  /// In place of append_values: other lines. Without `top`, --quiet prints them as well.
  std::optional<value_lines> lines;

  /// Adds what weights were used for, `used`, which is not none.
  void tell_weights(graph::weight_use used) {
    facts["weights"] = graph::name_of(used);
    rows.emplace_back("weights", fmt::format("used as {}s", graph::name_of(used)));
  }

  /// Records that --verify found the result right, and `how` it did.
  void tell_verified(const std::string& how) {
    facts["verified"] = true;
    rows.emplace_back("verified", how);
  }
};

/// Returns how many bytes a kernel takes at most beyond its graph.
using needs_function = std::function<std::uint64_t(const graph::any_graph&)>;
/// Runs a kernel and returns what it found out.
using analyse_function = std::function<analysis(const graph::any_graph&, const graph::run_control&)>;

/// The options that every command about one graph takes, and the run of such a command.
struct graph_command {
  graph_input input;
  run_options run;
  std::string output;
  std::optional<std::uint64_t> top;  ///< number of rows of `analysis::top` to show
  bool verify = false;
  std::uint64_t trials = 1;  ///< runs of the kernel; the last one's result counts
  /// Returns what stands in --output if it is not one line a vertex: "edges". A file of a graph cannot hold that.
  std::function<std::string_view()> other_lines = [] { return std::string_view(); };

  /// Adds the options to `parser`; --output gets `description` as its help. This object must outlive `parser`.
  void add_to(const command_parser& parser, const std::string& description);

  /// Adds --top. Its help begins with `what`.
  void add_top_to(const command_parser& parser, const std::string& what);

  /// Adds --verify, for kernels that have an independent check. Its help says `how` the check works.
  void add_verify_to(const command_parser& parser, const std::string& how);

  std::uint64_t top_count() const noexcept { return top.value_or(10); }

  /// Loads the graph, runs `analyse` on it, and writes the result as the options say. Opens the output before it reads
  /// anything; the output appears whole or not at all. `needs` returns how many bytes the kernel takes at most beyond
  /// the graph. If less memory is available, throws memory_error before `analyse` runs.
  void execute(const std::stop_token& stop, const needs_function& needs, const analyse_function& analyse) const;

  std::string name;  ///< the command's name, for messages
};

/// Returns the subcommand of `parser`, which executes `of`. A kernel's add_<kernel>() ends with this call.
command kernel_command(const command_parser& parser, std::shared_ptr<const graph_command> of, needs_function needs,
                       analyse_function analyse);

/// Returns a line of cells, as append_label() and append_values make it, as it is written, with a comma or a tab as
/// `separator`. Cells that hold the separator, a line break or, at their beginning, a quote are in quotes, in which
/// quotes are doubled (RFC 4180). So is the name "-", for - alone is no value.
std::string as_row(std::string_view line, char separator);

/// True if the suffix of a file's name, but for that of its compression, is .csv.
bool is_csv(std::string_view path);

/// Returns a kernel's time for people: "1.25 ms (2 threads)".
std::string time_words(double seconds);

/// Returns the vertex that a cell of a ranking names.
std::uint64_t vertex_of(const graph::any_graph& graph, const ranking::cell& cell);

/// Returns a cell as text that reads back as the same value.
std::string text_of(const ranking::cell& cell);

/// Returns the `count` numbers in [0, size) that are best by the strict order `better`, or all if there are fewer. The
/// best comes first; of equally good numbers the smaller comes first.
template <class Better>
std::vector<std::uint64_t> best_of(std::uint64_t size, std::uint64_t count, Better better) {
  const auto before = [&](std::uint64_t a, std::uint64_t b) { return better(a, b) || (!better(b, a) && a < b); };
  const auto kept = static_cast<std::size_t>(std::min(count, size));
  std::vector<std::uint64_t> heap;  // the worst of the kept numbers is in front
  heap.reserve(kept);
  for (std::uint64_t v = 0; v < size && kept != 0; ++v) {
    if (heap.size() == kept) {
      if (!before(v, heap.front())) continue;
      std::pop_heap(heap.begin(), heap.end(), before);
      heap.pop_back();
    }
    heap.push_back(v);
    std::push_heap(heap.begin(), heap.end(), before);
  }
  std::sort_heap(heap.begin(), heap.end(), before);
  return heap;
}

/// Returns the `count` vertices of highest value with their values, as a ranking with the keys "vertex" and `key`. Of
/// vertices with equal values the one of smaller label comes first.
template <class Value>
ranking highest(const graph::any_graph& graph, const machine::page_array<Value>& values, std::uint64_t count,
                std::string key) {
  ranking result{{"vertex", std::move(key)}, {}};
  const auto higher = [&](std::uint64_t a, std::uint64_t b) {
    return values[by_label(graph, a)] > values[by_label(graph, b)];
  };
  for (const std::uint64_t i : best_of(values.size(), count, higher)) {
    const std::uint64_t v = by_label(graph, i);
    if constexpr (std::is_integral_v<Value>) {
      result.rows.push_back({label_of(graph, v), std::uint64_t{values[v]}});
    } else {
      result.rows.push_back({label_of(graph, v), values[v]});
    }
  }
  return result;
}

/// Makes `values` of `result`, one a vertex, the result in `found`: the `count` highest become `top`, and --output gets
/// all of them.
template <class Result, class Value>
void set_vertex_values(analysis& found, const graph::any_graph& graph, std::shared_ptr<Result> result,
                       machine::page_array<Value> Result::* values, std::uint64_t count, std::string key) {
  found.columns = {key};
  found.top = highest(graph, (*result).*values, count, std::move(key));
  found.append_values = [result = std::move(result), values](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}", ((*result).*values)[v]);
  };
}

/// Makes estimates, one a vertex, the result in `found`, with their standard errors; the rest as set_vertex_values().
/// Without errors the values are exact.
template <class Result>
void set_vertex_estimates(analysis& found, const graph::any_graph& graph, std::shared_ptr<Result> result,
                          machine::page_array<double> Result::* values, machine::page_array<double> Result::* errors,
                          std::uint64_t count, std::string key) {
  const machine::page_array<double>& of = (*result).*errors;
  set_vertex_values(found, graph, result, values, count, std::move(key));
  if (of.empty()) return;
  for (const auto& row : found.top->rows) {
    found.top->errors.push_back(of[vertex_of(graph, row.front())]);
  }
  found.columns.emplace_back("standard_error");
  found.append_values = [result = std::move(result), values, errors](std::string& line, std::uint64_t v) {
    fmt::format_to(std::back_inserter(line), "{}\t{}", ((*result).*values)[v], ((*result).*errors)[v]);
  };
}

}  // namespace callisto::app

// callisto demo: compares PageRank and triangle counting with plain OpenMP loops at several batch sizes.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/demo/comparison.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/process/other_programs.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>
#ifdef CALLISTO_WITH_OPENMP
#include <callisto/app/demo/openmp_kernels.hpp>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

#ifdef CALLISTO_WITH_OPENMP
constexpr bool with_openmp = true;
#else
constexpr bool with_openmp = false;
#endif

constexpr unsigned default_scale = 20;
constexpr unsigned most_iterations = 10;
// On a graph of the default size the comparison ends within two minutes. On larger graphs it makes fewer rounds.
constexpr double pagerank_budget = 50;  // seconds
constexpr double triangles_budget = 50;
constexpr unsigned pagerank_rounds = 9;
constexpr unsigned triangles_rounds = 5;
/// Rounds at least, if other programs use the machine: one round tells nothing then.
constexpr unsigned rounds_beside_others = 3;
constexpr double score_tolerance = 1e-9;  // results differ by the order of their sums

struct demo_arguments {
  graph_input input;
  run_options run;
  std::optional<unsigned> scale;
  std::string cache;
  std::string svg = "demo.svg";
};

graph::pagerank_result run_pagerank(const compared_way& c, const graph::any_graph& g, unsigned iterations,
                                    const std::stop_token& stop) {
  graph::pagerank_options what;
  what.tolerance = 0;
  what.iterations = iterations;
  what.batch = c.batch;
  what.accelerated = false;  // the OpenMP version is not accelerated
#ifdef CALLISTO_WITH_OPENMP
  if (c.openmp) return pagerank_openmp(g, what, c.batch, threads());
#endif
  return graph::pagerank(g, what, {.report = nullptr, .stop = stop});
}

std::uint64_t run_triangles(const compared_way& c, const graph::any_graph& g, const std::stop_token& stop) {
#ifdef CALLISTO_WITH_OPENMP
  if (c.openmp) return triangles_openmp(g, c.batch, threads()).triangles;
#endif
  return graph::count_triangles(g, {.batch = c.batch}, {.report = nullptr, .stop = stop}).triangles;
}

double largest_difference(const machine::page_array<double>& a, const machine::page_array<double>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    const double difference = std::abs(a[v] - b[v]);
    if (!(difference <= largest)) largest = difference;  // true for NaN as well
  }
  return largest;
}

/// The results of both comparisons.
struct outcome {
  timed_comparison pagerank;
  timed_comparison triangles;
  unsigned iterations = 0;                    ///< iterations of PageRank
  double max_difference = 0;                  ///< largest difference of a score between any result and the first
  std::uint64_t count = 0;                    ///< number of triangles
  std::optional<double> other_programs = {};  ///< contexts that they used on average; none: unknown
  std::string busy = {};                      ///< the line for people if that was too much
};

/// Runs both comparisons. Throws error if results differ.
outcome compare(const graph::any_graph& g, const graph::run_control& context) {
  outcome o{timed_comparison("PageRank", {1, 4, 16, 64, 256, 1024, 4096, 16384}, with_openmp),
            timed_comparison("triangle counting", {1, 16, 256, 4096}, with_openmp)};
  const compared_way& automatic = o.pagerank.automatic();
  graph::require_memory("demo", std::max(3 * graph::needs::pagerank(g, false), 2 * graph::needs::triangles(g)));

  // The first iteration warms caches and threads. The second tells how many iterations fit into the budget.
  static_cast<void>(run_pagerank(automatic, g, 1, context.stop));
  const stopwatch one;
  static_cast<void>(run_pagerank(automatic, g, 1, context.stop));
  const double runs = static_cast<double>(pagerank_rounds * o.pagerank.ways().size());
  o.iterations =
      static_cast<unsigned>(std::clamp(pagerank_budget / (runs * one.seconds() + 1e-9), 1.0, double{most_iterations}));

  const graph::pagerank_result expected = run_pagerank(automatic, g, o.iterations, context.stop);
  graph::pagerank_result found;
  const other_programs others;
  const auto disturbed = [&] { return !others.warning().empty(); };
  o.pagerank.hold(
      {pagerank_rounds, pagerank_budget, rounds_beside_others, disturbed}, context,
      [&](const compared_way& c) { found = run_pagerank(c, g, o.iterations, context.stop); },
      [&](const compared_way& c) {
        const double difference = largest_difference(expected.scores, found.scores);
        if (!(difference <= score_tolerance)) {
          throw error(fmt::format("demo: PageRank scores of {} differ by {:.3g} from those of {}", c.name(), difference,
                                  automatic.name()));
        }
        o.max_difference = std::max(o.max_difference, difference);
      });

  o.count = run_triangles(automatic, g, context.stop);
  std::uint64_t count = 0;
  o.triangles.hold(
      {triangles_rounds, triangles_budget, rounds_beside_others, disturbed}, context,
      [&](const compared_way& c) { count = run_triangles(c, g, context.stop); },
      [&](const compared_way& c) {
        if (count != o.count) {
          throw error(
              fmt::format("demo: {} counts {} triangles, {} counts {}", c.name(), count, automatic.name(), o.count));
        }
      });
  o.other_programs = others.used();
  o.busy = others.warning();
  return o;
}

/// Returns the folder for generated graphs, or an empty string if there is none.
std::string default_cache() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string cache = set("XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/callisto";
  const std::string home = set("HOME");
  return home.empty() ? "" : home + "/.cache/callisto";
}

/// Returns the Kronecker graph of `scale`. Reads it from `folder` if it lies there; otherwise generates it and stores
/// it there. Throws if it cannot be stored and the user chose the folder (`named`).
graph::any_graph kronecker(unsigned scale, const std::string& folder, bool named, const graph::run_control& context) {
  const std::string path = fmt::format("{}/kronecker-{}.cg", folder, scale);
  if (!folder.empty() && graph::is_native(path)) {
    try {
      return graph::open_native(path, graph::native_check::header, context);
    } catch (const input_error&) {
      // The file is of another version or cut short: generates it anew.
    }
  }
  graph::kronecker_options what;
  what.scale = scale;
  graph::any_graph made = graph::build_graph(graph::generate_kronecker(what, context), {}, context);
  if (folder.empty()) return made;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  try {
    graph::write_native(made, path, context);
  } catch (const output_error&) {
    if (named) throw;
  }
  return made;
}

struct subject {
  graph::any_graph graph;
  std::string title;
  json description;  ///< the first keys of the results
};

subject find_subject(const demo_arguments& o, const graph::run_control& context) {
  if (!o.input.file.empty()) {
    loaded_graph loaded = o.input.load(context);
    json description = describe(o.input, loaded);
    description["seconds"] = {{"load", loaded.seconds}};
    return {std::move(loaded.graph), one_line(o.input.file), std::move(description)};
  }
  const unsigned scale = o.scale.value_or(default_scale);
  const stopwatch time;
  loaded_graph made;
  made.graph = kronecker(scale, o.cache.empty() ? default_cache() : o.cache, !o.cache.empty(), context);
  made.report.native = true;
  made.edges = edges_of(made.graph, context);
  graph_input named;
  named.file = fmt::format("kronecker-{}", scale);
  json description = describe(named, made);
  description["seconds"] = {{"load", time.seconds()}};
  return {std::move(made.graph), fmt::format("Kronecker graph of scale {}", scale), std::move(description)};
}

json to_json(const estimate& e) { return {{"median", e.median}, {"low", e.low}, {"high", e.high}}; }

/// Returns the median of times, with their spread if there are several.
std::string in_words(const compared_way& way) {
  const auto [least, most] = std::minmax_element(way.times.begin(), way.times.end());
  if (way.times.size() < 2) return human_seconds(way.median());
  return fmt::format("{} ({} to {})", human_seconds(way.median()), human_seconds(*least), human_seconds(*most));
}

/// Returns how many times as long OpenMP takes, and between which bounds that is if they are known.
std::string times_as_long(const estimate& ratio, bool bounds) {
  std::string text = fmt::format("{:.2f} times as long", ratio.median);
  if (!bounds) return text;
  const bool apart = ratio.low > 1 || ratio.high < 1;
  return text +
         fmt::format(" ({:.2f} to {:.2f}{})", ratio.low, ratio.high, apart ? "" : ", which does not tell them apart");
}

json to_json(const timed_comparison& c) {
  json rows = json::array();
  for (const std::uint64_t batch : c.batches()) {
    const compared_way* openmp = c.find(true, batch);
    rows.push_back({{"batch", batch},
                    {"callisto", c.find(false, batch)->median()},
                    {"openmp", openmp != nullptr ? json(openmp->median()) : json()},
                    {"openmp_by_automatic", openmp != nullptr ? to_json(c.by_automatic(*openmp)) : json()}});
  }
  return {{"repetitions", c.rounds()}, {"automatic", c.automatic().median()}, {"batches", std::move(rows)}};
}

json to_json(const demo_arguments& o, const subject& s, const outcome& found) {
  json object = s.description;
  object["threads"] = threads();
  object["openmp"] = with_openmp;
  object["agree"] = true;  // otherwise compare() has thrown
  object["pagerank"] = to_json(found.pagerank);
  object["pagerank"]["iterations"] = found.iterations;
  object["pagerank"]["max_difference"] = found.max_difference;
  object["triangles"] = to_json(found.triangles);
  object["triangles"]["count"] = found.count;
  object["other_programs"] = found.other_programs ? json(*found.other_programs) : json();
  object["svg"] = o.svg;
  return object;
}

/// Returns a table of times by batch size, and how Callisto without a batch size compares with OpenMP's best.
std::string to_words(const timed_comparison& c, const std::string& what) {
  const double automatic = c.automatic().median();
  std::string text =
      fmt::format("{}, medians of {} in turns, {}\n", what, counted(c.rounds(), "run"), counted(threads(), "thread"));
  std::vector<table::column> columns{{"batch size"}, {"Callisto"}};
  if (with_openmp) columns.insert(columns.end(), {{"OpenMP"}, {"OpenMP : Callisto"}, {"OpenMP : automatic"}});
  table rows(std::move(columns));
  rows.add_row({"automatic", human_seconds(automatic)});
  for (const std::uint64_t batch : c.batches()) {
    const double callisto = c.find(false, batch)->median();
    std::vector<std::string> cells{with_separators(batch), human_seconds(callisto)};
    if (const compared_way* openmp = c.find(true, batch)) {
      const double time = openmp->median();
      cells.insert(cells.end(), {human_seconds(time), fmt::format("{:.2f}", time / callisto),
                                 fmt::format("{:.2f}", c.by_automatic(*openmp).median)});
    }
    rows.add_row(std::move(cells));
  }
  text += rows.render(2);
  if (const compared_way* best = c.best_openmp()) {
    const bool bounds = c.rounds() > 1;
    text += fmt::format("Untuned, Callisto takes {}.\n", in_words(c.automatic()));
    if (const compared_way* untuned = c.find(true, 1)) {
      text += fmt::format("OpenMP, untuned (batch size 1): {}.\n", times_as_long(c.by_automatic(*untuned), bounds));
    }
    text += fmt::format("OpenMP, tuned to its best batch size, {}: {}.\n", with_separators(best->batch),
                        times_as_long(c.by_automatic(*best), bounds));
  }
  return text;
}

std::string to_words(const demo_arguments& o, const subject& s, const outcome& found) {
  const graph_size size = size_of(s.graph);
  std::string text = fmt::format("{}: {} vertices, {} stored arcs\n\n", s.title, with_separators(size.vertices),
                                 with_separators(size.arcs));
  text += to_words(found.pagerank, "PageRank, " + counted(found.iterations, "iteration")) + '\n';
  text += to_words(found.triangles, "Triangle counting, " + counted(found.count, "triangle"));
  if (with_openmp) {
    text += fmt::format("\nAll results agree: scores to within {:.1e}, numbers of triangles exactly.\n",
                        found.max_difference);
  } else {
    text += "\nThis build has no OpenMP to compare with.\n";
  }
  text += found.busy;
  return text + fmt::format("Picture: {}\n", one_line(o.svg));
}

svg_plot draw(const timed_comparison& c, const std::string& title) {
  svg_plot plot(title, {"batch size", axis_scale::log2}, {"seconds", axis_scale::linear});
  std::vector<svg_plot::point> callisto;
  std::vector<svg_plot::point> openmp;
  for (const std::uint64_t batch : c.batches()) {
    const auto x = static_cast<double>(batch);
    callisto.push_back({x, c.find(false, batch)->median()});
    if (const compared_way* other = c.find(true, batch)) openmp.push_back({x, other->median()});
  }
  plot.add_line("Callisto, this batch size", std::move(callisto));
  if (!openmp.empty()) plot.add_line("OpenMP schedule(dynamic)", std::move(openmp));
  plot.add_level("Callisto, automatic", c.automatic().median());
  return plot;
}

std::string draw(const subject& s, const outcome& found) {
  const graph_size size = size_of(s.graph);
  const std::array plots{draw(found.pagerank, "PageRank, " + counted(found.iterations, "iteration")),
                         draw(found.triangles, "Triangle counting")};
  return svg_page("Time against batch size: Callisto and OpenMP",
                  fmt::format("{}: {} vertices, {} stored arcs; {}; medians of {} and {}", s.title,
                              with_separators(size.vertices), with_separators(size.arcs), counted(threads(), "thread"),
                              found.pagerank.rounds(), counted(found.triangles.rounds(), "run")),
                  plots);
}

void run(const demo_arguments& o, const std::stop_token& stop) {
  if (!o.input.file.empty() && o.scale) throw usage_error("--scale: a file is given already; give one of them");
  o.run.apply({o.input.file, o.svg});
  refuse_same_file(o.input.file, o.svg);
  if (o.run.as_json) refuse_beside_json(o.svg, "--svg");
  result picture(o.svg, "--svg");
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  const subject s = find_subject(o, context);
  const outcome found = compare(s.graph, context);
  bar.finish();
  picture.write(draw(s, found));
  picture.commit();
  print(o.run.as_json ? o.run.to_text(to_json(o, s, found)) : to_words(o, s, found));
}

}  // namespace

command add_demo(const command_parser& app) {
  const command_parser parser = app.add_subcommand("demo", "Compare Callisto with OpenMP");
  const auto o = std::make_shared<demo_arguments>();
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, 37)); },
      "Without FILE, generate the Kronecker graph of 2^S vertices [20]");
  parser.add_option("--cache", o->cache, "Keep the generated graph in DIR [~/.cache/callisto]")
      .type_name("DIR")
      .more("The default is `$XDG_CACHE_HOME/callisto` if that variable is set.");
  parser.add_option("--svg", o->svg, "Draw into FILE [demo.svg]").type_name("FILE");
  o->input.add_to(parser, false);
  o->run.add_to(parser);
  parser.more(
      "Without FILE it takes the Kronecker graph of scale 20, which it generates once. Callisto and "
      "OpenMP run at several batch sizes. If results do not agree, the exit code is 1.");
  parser.keys({
      {"`openmp`", "whether OpenMP was built in for comparison"},
      {"`agree`", "whether all results agree"},
      {"`svg`", "the picture"},
      {"`pagerank`, `triangles`", "objects with the keys below"},
      {"`repetitions`", "runs of each kind; times are their medians"},
      {"`iterations`", "of `pagerank`: iterations of a run"},
      {"`count`", "of `triangles`: the triangles"},
      {"`max_difference`", "of `pagerank`: largest difference of a score between any two results"},
      {"`automatic`", "time with the batch size that Callisto chooses"},
      {"`batches`", "objects: `batch`, and the times `callisto` and `openmp` (null if not built in)"},
      {"`openmp_by_automatic`",
       "OpenMP's time by `automatic` of the same round: `median`, and `low` and `high`, its bounds at 95 % each from "
       "five rounds on; null if not built in"},
      {"`other_programs`",
       "how many contexts other programs used meanwhile, on average; null if unknown. Above a tenth of them the text "
       "says that the machine was busy"},
  });
  parser.footer(
      "Runs PageRank and triangle counting with Callisto and with OpenMP's schedule(dynamic) in turns, checks\n"
      "that the results agree, prints the times and draws them.\n\n"
      "Examples:\n"
      "  callisto demo\n"
      "  callisto demo web.txt.gz --svg web.svg --threads 8");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app

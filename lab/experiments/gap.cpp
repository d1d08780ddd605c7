// Makes graphs, draws sources and takes turns by the rules of the GAP benchmark.
#include <lab/experiments/gap.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/process/child_process.hpp>
#include <callisto/app/process/other_programs.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/files/formats/file_format.hpp>
#include <callisto/graph/files/write.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <callisto/workers/teams/runtime.hpp>
#include <lab/experiments/gap_kernels.hpp>
#include <lab/experiments/gap_peer.hpp>
#include <lab/experiments/gap_report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::lab {
namespace {

struct bench_gap_arguments {
  std::vector<std::string> files;
  graph_input input;  ///< how to read the files
  std::vector<std::string> models;
  std::vector<std::string> kernels;
  unsigned scale = 20;
  unsigned trials = 16;
  std::uint64_t seed = 1;
  bool verify = false;
  bool hubs = false;       ///< Callisto's kernels get the graph with its hubs first
  bool peer_hubs = false;  ///< the peer gets the graph with its hubs first
  std::string peer;
  std::string scratch;
  run_options run;
};

/// A graph's name, and how to make it.
struct gap_source {
  std::string name;
  std::function<graph::any_graph(const graph::run_control&)> make;
};

bool chosen(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

/// Builds a graph without loops and repeated edges, like the benchmark's builders.
graph::any_graph simple(graph::any_edge_list&& edges, const graph::run_control& context) {
  return graph::build_graph(std::move(edges), {.loops = graph::loops::remove}, context);
}

std::vector<gap_source> sources_of(const bench_gap_arguments& o) {
  std::vector<gap_source> all;
  const std::uint64_t vertices = std::uint64_t{1} << o.scale;
  const auto add = [&](const std::string& model, std::function<graph::any_graph(const graph::run_control&)> make) {
    const bool wanted = o.models.empty() ? o.files.empty() : chosen(o.models, model);
    if (wanted) all.push_back({fmt::format("{}, scale {}", model, o.scale), std::move(make)});
  };
  add("kronecker", [&o](const graph::run_control& context) {
    graph::kronecker_options k;
    k.scale = o.scale;
    k.seed = o.seed;
    return simple(graph::generate_kronecker(k, context), context);
  });
  add("uniform", [&o, vertices](const graph::run_control& context) {
    graph::uniform_options u;
    u.vertices = vertices;
    u.edges = 16 * vertices;
    u.seed = o.seed;
    return simple(graph::generate_uniform(u, context), context);
  });
  add("grid", [&o, vertices](const graph::run_control& context) {
    graph::grid_options g;
    g.rows = std::uint64_t{1} << o.scale / 2;
    g.columns = vertices / g.rows;
    return simple(graph::generate_grid(g, context), context);
  });
  for (const std::string& file : o.files) {
    all.push_back({file, [&o, file](const graph::run_control& context) {
                     graph_input input = o.input;
                     input.file = file;
                     return input.load(context).graph;
                   }});
  }
  return all;
}

/// Returns `count` distinct vertices with out-arcs, drawn as the benchmark's rules say. Returns an empty list if the
/// graph has too few.
std::vector<std::uint64_t> draw_sources(const graph::any_graph& graph, unsigned count, unsigned trial,
                                        std::uint64_t seed) {
  return std::visit(
      [&](const auto& g) {
        std::vector<std::uint64_t> drawn;
        const graph::counter_random random(seed, trial);
        // If any vertex has arcs, this many draws find one, but perhaps not several.
        for (std::uint64_t i = 0; drawn.size() < count && i < 64 * (g.vertices() + 1); ++i) {
          const std::uint64_t v = graph::below(random(i), g.vertices());
          if (g.out().degree(v) != 0 && std::find(drawn.begin(), drawn.end(), v) == drawn.end()) drawn.push_back(v);
        }
        if (drawn.size() < count) drawn.clear();
        return drawn;
      },
      graph);
}

/// One graph in two forms: for Callisto's kernels and for the peer. Translates vertices between them.
class gap_pair {
 public:
  /// Makes both forms of `given`, which must outlive this. Writes the peer's file, unless its name is empty.
  gap_pair(const graph::any_graph& given, const bench_gap_arguments& o, std::string file, graph::file_format format,
           const graph::run_control& context)
      : given_(given), hubs_(o.hubs), peer_hubs_(o.peer_hubs), file_(std::move(file)) {
    if (hubs_ || peer_hubs_) {
      const stopwatch time;
      ordered_ = graph::hubs_first(given, context);
      order_seconds_ = time.seconds();
    }
    if (!file_.empty()) {
      try {
        graph::write_graph(peer_hubs_ ? ordered_ : given_, file_, format, context);
      } catch (const usage_error& e) {  // for example: the format cannot hold a weight
        peer_failure_ = e.what();
      }
    }
  }

  const graph::any_graph& given() const { return given_; }
  const graph::any_graph& ours() const { return hubs_ ? ordered_ : given_; }
  const std::string& file() const { return file_; }
  /// Returns why there is no file, or an empty string.
  const std::string& peer_failure() const { return peer_failure_; }
  double order_seconds() const { return order_seconds_; }

  std::vector<std::uint64_t> ours(const std::vector<std::uint64_t>& sources) const {
    return hubs_ ? ordered(sources) : sources;
  }
  std::vector<std::uint64_t> peers(const std::vector<std::uint64_t>& sources) const {
    return peer_hubs_ ? ordered(sources) : sources;
  }

 private:
  /// Returns the numbers in ordered_ of vertices of given_.
  std::vector<std::uint64_t> ordered(const std::vector<std::uint64_t>& sources) const {
    return std::visit(
        [&](const auto& from, const auto& to) {
          std::vector<std::uint64_t> found(sources.size());
          for (std::uint64_t i = 0; i < from.vertices(); ++i) {
            const auto at = std::find(sources.begin(), sources.end(), from.by_label(i));
            if (at != sources.end()) found[static_cast<std::size_t>(at - sources.begin())] = to.by_label(i);
          }
          return found;
        },
        given_, ordered_);
  }

  const graph::any_graph& given_;
  bool hubs_;
  bool peer_hubs_;
  graph::any_graph ordered_;
  double order_seconds_ = 0;
  std::string file_;
  std::string peer_failure_;
};

/// Measures one kernel on one graph. In each trial Callisto runs first, then the peer.
gap_row measure(const gap_kernel& kernel, const gap_pair& graphs, const bench_gap_arguments& o, const gap_peer* peer,
                const graph::run_control& context) {
  gap_row row;
  row.kernel = kernel.name;
  if (peer != nullptr) row.peer_failure = peer->has(kernel) ? graphs.peer_failure() : "there is no such program";
  const unsigned trials = std::min(o.trials, kernel.most_trials);
  const graph::run_control silent{nullptr, context.stop};
  gap_peer::settings chosen_for_peer;
  for (unsigned t = 0; t < trials && row.failure.empty(); ++t) {
    if (context.stop.stop_requested()) throw graph::cancelled();
    const std::vector<std::uint64_t> sources = draw_sources(graphs.given(), kernel.sources, t, o.seed);
    if (sources.size() < kernel.sources) {
      row.failure = fmt::format("expected {} vertices with arcs to start from, found fewer", kernel.sources);
      break;
    }
    try {
      // The program that ran before has filled the caches and let the threads sleep. The first of two runs therefore
      // does not count.
      const std::vector<std::uint64_t> here = graphs.ours(sources);
      run_gap_kernel(kernel, graphs.ours(), here, false, silent);
      row.seconds.push_back(run_gap_kernel(kernel, graphs.ours(), here, o.verify, silent));
    } catch (const error& e) {
      row.failure = e.what();
      row.seconds.clear();
      row.peer_seconds.clear();
    }
    if (peer != nullptr && row.failure.empty() && row.peer_failure.empty()) {
      try {
        const std::vector<std::uint64_t> there = graphs.peers(sources);
        if (t == 0) chosen_for_peer = peer->tune(kernel, graphs.file(), there, context.stop);
        row.peer_seconds.push_back(peer->run(kernel, chosen_for_peer, graphs.file(), there, context.stop));
      } catch (const child_failure& e) {
        row.peer_failure = e.what();
        row.peer_seconds.clear();
      }
    }
    if (context.report != nullptr) context.report->advance(1);
  }
  row.peer_settings = fmt::format("{}", fmt::join(chosen_for_peer, " "));
  return row;
}

gap_graph measure(const gap_source& from, const bench_gap_arguments& o, const gap_peer* peer,
                  const graph::run_control& context) {
  gap_graph found;
  found.name = from.name;
  const stopwatch time;
  graph::any_graph graph = from.make(context);
  found.made_seconds = time.seconds();
  found.size = size_of(graph);
  if (o.hubs) found.name += ", hubs first";

  std::optional<machine::scratch_folder> folder;
  if (peer != nullptr) folder.emplace(o.scratch);
  // Measures the kernels on the forms of the graph that they want, one form after the other: unchanged, undirected for
  // triangles, weighted for paths.
  const auto with = [&](gap_kernel::graph_kind kind, const graph::any_graph& given, const std::string& file,
                        graph::file_format format) {
    std::vector<const gap_kernel*> kernels;
    for (const gap_kernel& kernel : gap_kernels()) {
      if (chosen(o.kernels, kernel.name) && kernel.wants(found.size.directed) == kind) kernels.push_back(&kernel);
    }
    if (kernels.empty()) return;
    const gap_pair graphs(given, o, folder ? folder->file(file) : std::string(), format, context);
    if (found.order_seconds == 0) found.order_seconds = graphs.order_seconds();
    for (const gap_kernel* kernel : kernels) {
      if (context.report != nullptr) {
        context.report->begin(fmt::format("{}: {}", found.name, kernel->name), std::min(o.trials, kernel->most_trials),
                              "trials");
      }
      found.rows.push_back(measure(*kernel, graphs, o, peer, context));
    }
  };
  using kind = gap_kernel::graph_kind;
  with(kind::plain, graph, "graph.sg", graph::file_format::gapbs_sg);
  if (found.size.directed && chosen(o.kernels, "tc")) {
    with(kind::undirected, graph::symmetrized(graph, graph::loops::remove, context), "undirected.sg",
         graph::file_format::gapbs_sg);
  }
  if (chosen(o.kernels, "sssp")) {
    if (!found.size.weighted) graph = graph::with_random_weights(std::move(graph), o.seed, context);
    with(kind::weighted, graph, "graph.wsg", graph::file_format::gapbs_wsg);
  }
  return found;
}

void run(const bench_gap_arguments& o, const std::stop_token& stop) {
  o.run.record_loops({});
  if (o.run.threads != 0) callisto::set_threads(o.run.threads);
  std::optional<gap_peer> peer;
  if (!o.peer.empty()) peer.emplace(o.peer, threads());
  gap_report report{.threads = threads(), .seed = o.seed, .verified = o.verify, .peer = o.peer, .graphs = {}};
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  const other_programs others;
  for (const gap_source& from : sources_of(o)) {
    report.graphs.push_back(measure(from, o, peer ? &*peer : nullptr, context));
  }
  bar.finish();
  report.other_programs = others.used();
  report.busy = others.warning();
  print(o.run.as_json ? o.run.to_text(to_json(report)) : to_words(report));
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const gap_kernel& kernel : gap_kernels()) names.push_back(kernel.name);
  return names;
}

}  // namespace

command add_bench_gap(const command_parser& bench) {
  const command_parser parser = bench.add_subcommand("gap", "Measure the kernels of the GAP benchmark by its rules");
  const auto o = std::make_shared<bench_gap_arguments>();
  parser.add_option("FILE", o->files, "Graphs [generated ones]");
  add_parsed(
      parser, "--model", "LIST",
      [o](const std::string& text) { o->models = words_of(text, "--model", {"kronecker", "uniform", "grid"}); },
      "Generate these of kronecker, uniform, grid [all if there is no FILE]")
      .word_list({"kronecker", "uniform", "grid"});
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, 37)); },
      "Generate 2^S vertices, 16 edges each [20]")
      .more("A grid has no degree to choose.");
  add_parsed(
      parser, "--kernel", "LIST",
      [o](const std::string& text) { o->kernels = words_of(text, "--kernel", kernel_names()); },
      fmt::format("Run these of {} [all]", fmt::join(kernel_names(), ", ")))
      .word_list(kernel_names());
  add_parsed(
      parser, "--trials", "N",
      [o](const std::string& text) { o->trials = static_cast<unsigned>(parse_count("--trials", text, 1, 10000)); },
      "Trials of each, of tc at most 3 [16]");
  const auto order_option = [&](const std::string& flag, bool bench_gap_arguments::* hubs, const std::string& help) {
    add_parsed(
        parser, flag, "ORDER",
        [o, flag, hubs](const std::string& text) {
          if (text != "given" && text != "hubs") {
            throw usage_error(fmt::format("{}: expected given or hubs, found '{}'", flag, one_line(text)));
          }
          (*o).*hubs = text == "hubs";
        },
        help)
        .words({"given", "hubs"});
  };
  order_option("--order", &bench_gap_arguments::hubs,
               "Order of the vertices: given, or hubs first, as 'convert --order hubs' writes it; the time that "
               "ordering takes is shown apart [given]");
  order_option("--peer-order", &bench_gap_arguments::peer_hubs, "Order in the files of --peer: given or hubs [given]");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->seed = parse_count("--seed", text, 0); },
      "Graphs and sources depend on this [1]");
  parser.add_flag("--verify", o->verify, "Check every result by an independent sequential algorithm")
      .more("The checks are not part of the times. If a result is wrong, the exit code is 1.");
  parser.add_option("--peer", o->peer, "Also run the programs bfs, pr, ... in DIR, in turns with these kernels")
      .type_name("DIR")
      .more(
          "They are `bfs`, `pr`, `cc`, `bc`, `tc` and `sssp` of the GAP benchmark's reference "
          "implementation, or programs that take the same arguments and print the same lines.");
  parser.add_option("--scratch", o->scratch, "Where the peer's graph files go for a while [$TMPDIR or /tmp]")
      .type_name("DIR");
  o->input.add_loading_options(parser);
  o->run.add_to(parser);
  parser.more(
      "The kernels are breadth-first search (`bfs`), PageRank (`pr`), connected components (`cc`), "
      "betweenness from four sources (`bc`), triangle counting (`tc`) and shortest paths (`sssp`). "
      "Each trial is run twice, and the second run counts.");
  parser.footer(
      "Times go from the graph in memory to the result in memory, everything that a kernel prepares included. bfs and\n"
      "bc start from random vertices that have arcs, bc from four at a time; pr runs until a sweep changes all scores\n"
      "together by no more than 1e-4; sssp takes the graph's weights, or random ones of 1 to 255, and the peer's gets "
      "the\n"
      "fastest of several deltas, tried first. Programs of --peer are those of GAPBS, or take the same arguments; they "
      "get the\n"
      "same graphs as .sg files, the same sources, and as many threads. Keep the machine idle.\n\n"
      "Examples:\n"
      "  callisto-lab bench gap --scale 18 --verify\n"
      "  callisto-lab bench gap --peer ~/gapbs\n"
      "  callisto-lab bench gap web.cg roads.mtx.gz --kernel bfs,cc --trials 64 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab

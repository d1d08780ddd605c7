// callisto pagerank: the importance of every vertex.
#include <callisto/app/command.hpp>
#include <callisto/app/graph_input.hpp>
#include <callisto/app/numbers.hpp>
#include <callisto/app/run_options.hpp>
#include <callisto/app/stopwatch.hpp>
#include <callisto/app/text.hpp>
#include <callisto/graph/pagerank.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
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

struct options {
  graph_input input;
  run_options run;
  graph::pagerank_options ranking;
  std::optional<std::uint64_t> top;
  std::string output;
};

/// The `count` vertices of highest score, best first; equal scores by vertex.
std::vector<std::uint64_t> best(const machine::page_array<double>& scores, std::uint64_t count) {
  const auto better = [&](std::uint64_t a, std::uint64_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  };
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count, scores.size()));
  std::vector<std::uint64_t> heap;  // the worst of the best so far is in front
  heap.reserve(size);
  for (std::uint64_t v = 0; v < scores.size() && size != 0; ++v) {
    if (heap.size() == size) {
      if (!better(v, heap.front())) continue;
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
    heap.push_back(v);
    std::push_heap(heap.begin(), heap.end(), better);
  }
  std::sort_heap(heap.begin(), heap.end(), better);
  return heap;
}

std::uint64_t label_of(const graph::any_graph& graph, std::uint64_t v) {
  return std::visit([v](const auto& g) { return g.label(v); }, graph);
}

/// Writes `label<TAB>score` for vertex_at(0) .. vertex_at(count - 1), with digits enough to read the same score back.
template <class VertexAt>
void write_scores(result& out, const graph::any_graph& graph, const machine::page_array<double>& scores,
                  std::uint64_t count, VertexAt vertex_at, const std::stop_token& stop) {
  constexpr std::uint64_t block = 1 << 14;  // lines formatted by one thread at a time
  const std::uint64_t wave = block * 8 * threads();
  std::vector<std::string> texts;
  for (std::uint64_t begin = 0; begin < count; begin += wave) {
    const std::uint64_t end = std::min(count, begin + wave);
    texts.assign((end - begin + block - 1) / block, std::string());
    const bool complete =
        parallel_for(std::uint64_t{0}, std::uint64_t{texts.size()},
                     [&](std::uint64_t i) {
                       const std::uint64_t last = std::min(end, begin + (i + 1) * block);
                       for (std::uint64_t k = begin + i * block; k < last; ++k) {
                         const std::uint64_t v = vertex_at(k);
                         fmt::format_to(std::back_inserter(texts[i]), "{}\t{}\n", label_of(graph, v), scores[v]);
                       }
                     },
                     {.batch = 1, .stop = stop});
    if (!complete) throw graph::cancelled();
    for (const std::string& text : texts) out.write(text);
  }
}

json to_json(const options& o, const loaded_graph& loaded, const graph::pagerank_result& ranked, double seconds,
             const std::vector<std::uint64_t>& top) {
  json object = describe(o.input, loaded);
  object["damping"] = o.ranking.damping;
  object["tolerance"] = o.ranking.tolerance;
  object["iterations"] = ranked.iterations;
  object["converged"] = ranked.converged;
  object["change"] = ranked.change;
  object["seconds"] = {{"load", loaded.seconds}, {"compute", seconds}};
  object["threads"] = threads();
  json rows = json::array();
  for (const std::uint64_t v : top) {
    rows.push_back({{"vertex", label_of(loaded.graph, v)}, {"score", ranked.scores[v]}});
  }
  object["top"] = std::move(rows);
  return object;
}

std::string to_summary(const options& o, const loaded_graph& loaded, const graph::pagerank_result& ranked,
                       double seconds, const std::vector<std::uint64_t>& top) {
  table facts = name_value_table();
  describe(o.input, loaded, facts);
  facts.add_row({"PageRank", fmt::format("damping {}, {} in {} ({} per iteration, {})", o.ranking.damping,
                                         counted(ranked.iterations, "iteration"), human_seconds(seconds),
                                         human_seconds(seconds / ranked.iterations), counted(threads(), "thread"))});
  facts.add_row(
      {"", fmt::format("{}: last change {:.3g}, tolerance {:.3g}", ranked.converged ? "converged" : "not converged",
                       ranked.change, o.ranking.tolerance)});
  std::string text = facts.render();
  if (!top.empty()) {
    table rows({{"rank"}, {"vertex"}, {"score"}});
    for (std::size_t i = 0; i < top.size(); ++i) {
      rows.add_row({with_separators(i + 1), std::to_string(label_of(loaded.graph, top[i])),
                    fmt::format("{:.6e}", ranked.scores[top[i]])});
    }
    text += '\n' + rows.render();
  }
  return text;
}

void run(const options& o, const std::stop_token& stop) {
  o.run.apply({o.input.file, o.output});
  refuse_same_file(o.input.file, o.output);
  result out(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::context context{&bar, stop};
  const loaded_graph loaded = o.input.load(context);
  const stopwatch time;
  const graph::pagerank_result ranked = graph::pagerank(loaded.graph, o.ranking, context);
  const double seconds = time.seconds();
  const std::vector<std::uint64_t> top = best(ranked.scores, o.top.value_or(10));
  bar.finish();

  if (o.run.as_json) {
    out.write(o.run.to_text(to_json(o, loaded, ranked, seconds, top)));
    out.commit();
    return;
  }
  const bool to_output = !o.output.empty();
  if (to_output || o.run.quiet) {
    if (o.top || !to_output) {
      write_scores(out, loaded.graph, ranked.scores, top.size(), [&](std::uint64_t i) { return top[i]; }, stop);
    } else {
      write_scores(out, loaded.graph, ranked.scores, ranked.scores.size(), [](std::uint64_t v) { return v; }, stop);
    }
    out.commit();
  }
  if (!o.run.quiet && o.output != "-") print(to_summary(o, loaded, ranked, seconds, top));
}

}  // namespace

command add_pagerank(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("pagerank", "Rank the vertices of a graph by importance");
  const auto o = std::make_shared<options>();
  add_parsed(
      *parser, "--damping", "D",
      [o](const std::string& text) { o->ranking.damping = parse_real("--damping", text, {.low = 0, .high = 1}); },
      "Probability of following an edge, at least 0 and below 1 [0.85]");
  add_parsed(
      *parser, "--tolerance", "T",
      [o](const std::string& text) { o->ranking.tolerance = parse_real("--tolerance", text, {.low = 0}); },
      "Stop when an iteration changes all scores together by no more than this [1e-9]");
  add_parsed(
      *parser, "--iterations", "N",
      [o](const std::string& text) {
        o->ranking.iterations =
            static_cast<unsigned>(parse_count("--iterations", text, 1, std::numeric_limits<unsigned>::max()));
      },
      "Stop after this many iterations [100]");
  add_parsed(
      *parser, "--top", "K", [o](const std::string& text) { o->top = parse_count("--top", text, 0); },
      "Show the K highest scores [10]; with --output, write only those, best first");
  add_output(*parser, o->output,
             "Write all scores to FILE ('-': standard output), 'label<TAB>score' a line in\n"
             "order of labels; with --json the object");
  o->input.add_to(*parser);
  o->run.add_to(*parser);
  parser->footer(
      "Examples:\n"
      "  callisto pagerank web.txt.gz --top 20\n"
      "  callisto pagerank web.cg --tolerance 1e-12 --iterations 1000 --output scores.tsv\n"
      "  callisto pagerank web.cg --json | jq '.top[0].vertex'");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app

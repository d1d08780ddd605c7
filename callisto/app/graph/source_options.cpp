// Adds the options about sources of searches, picks the sources, and reports the trials.
#include <callisto/app/graph/source_options.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace callisto::app {

void source_options::add_to(const command_parser& parser) {
  add_parsed(
      parser, "--source", "U", [this](const std::string& text) { source = text; }, "Search from vertex U")
      .more("U is the number or the name that the file gives the vertex.");
  add_parsed(
      parser, "--sources", "N",
      [this](const std::string& text) { sources = parse_count("--sources", text, 1, 1'000'000); },
      "Search from N vertices drawn at random, one after the other, and show the times")
      .more(
          "The vertices have out-arcs. Each search is shown, and the median time. With `--output` a line "
          "for each search is written.");
  add_parsed(
      parser, "--seed", "N", [this](const std::string& text) { seed = parse_count("--seed", text, 0); },
      "Seed for --sources [1]");
}

void source_options::check() const {
  if (source.has_value() == sources.has_value()) {
    throw usage_error("expected either --source U or --sources N");
  }
}

std::vector<std::uint64_t> source_options::pick(const graph::any_graph& graph) const {
  check();
  if (source) return {vertex_of(graph, *source, "--source")};
  return std::visit(
      [this](const auto& g) {
        if (g.arcs() == 0) throw usage_error("--sources: no vertex of the graph has arcs to search along");
        const graph::counter_random random(seed);
        std::vector<std::uint64_t> picked;
        for (std::uint64_t i = 0; picked.size() != *sources; ++i) {
          const std::uint64_t v = g.by_label(graph::below(random(i), g.vertices()));
          if (g.out().degree(v) != 0) picked.push_back(v);
        }
        return picked;
      },
      graph);
}

void check_sampling(std::uint64_t samples, double error, const graph::any_graph& graph) {
  const std::uint64_t vertices = size_of(graph).vertices;
  if (samples > vertices) {
    throw usage_error(
        fmt::format("--samples: expected at most the graph's {} vertices, not {}", with_separators(vertices), samples));
  }
  if (samples != 0 && error != 0) {
    throw usage_error("--error: expected without --samples, which sets the number of sources itself");
  }
}

void tell_trials(analysis& found, const graph::any_graph& graph, const source_options& from,
                 const std::vector<std::uint64_t>& picked, const std::vector<double>& seconds,
                 const std::vector<std::string>& keys,
                 const std::function<std::vector<ranking::cell>(std::size_t)>& more) {
  found.seconds = median_of(seconds);
  if (!from.drawn()) {
    found.facts["source"] = label_of(graph, picked.front());
    found.rows.emplace_back("time", time_words(found.seconds));
    return;
  }
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  found.facts["sources"] = picked.size();
  found.facts["seed"] = from.seed;
  found.rows.emplace_back("time", fmt::format("median {} of {}, {} to {} ({})", human_seconds(found.seconds),
                                              counted(picked.size(), "trial"), human_seconds(*least),
                                              human_seconds(*most), counted(threads(), "thread")));
  found.top = ranking{{"source", "seconds"}, {}};
  found.top->keys.insert(found.top->keys.end(), keys.begin(), keys.end());
  for (std::size_t i = 0; i < picked.size(); ++i) {
    std::vector<ranking::cell> row{label_of(graph, picked[i]), seconds[i]};
    const std::vector<ranking::cell> rest = more(i);
    row.insert(row.end(), rest.begin(), rest.end());
    found.top->rows.push_back(std::move(row));
  }
}

}  // namespace callisto::app

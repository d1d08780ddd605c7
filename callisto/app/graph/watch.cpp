// callisto watch: keeps analyses of a graph up to date while edges come and go.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/line_stream.hpp>
#include <callisto/app/graph/weight_option.hpp>
#include <callisto/graph/changing/changing_components.hpp>
#include <callisto/graph/changing/changing_cores.hpp>
#include <callisto/graph/changing/changing_distances.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/changing/changing_pagerank.hpp>
#include <callisto/graph/communities/changing_communities.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

struct watch_arguments {
  graph_input input;
  run_options run;
  std::string stream;
  std::optional<std::string> levels_from;
  std::optional<std::string> distances_from;
  bool pagerank = false;
  bool components = false;
  bool cores = false;
  bool communities = false;
  weight_option weights{graph::weight_use::strength, true};
  std::uint64_t batch = 1;
  std::uint64_t top = 5;
};

/// Labels of vertices: numbers, or names, which become more while edits come.
class vertex_labels {
 public:
  explicit vertex_labels(const graph::any_graph& graph)
      : names_(std::visit([](const auto& g) { return g.names(); }, graph)),
        wide_(std::visit(
            [](const auto& g) {
              return g.vertices() != 0 && g.label(g.by_label(g.vertices() - 1)) > largest_json_number;
            },
            graph)) {}

  bool named() const noexcept { return names_ != nullptr; }

  /// Returns the label that a word stands for; a name that is new gets one. None: a number is expected.
  std::optional<std::uint64_t> label_or_new(std::string_view word) {
    if (const auto known = label(word); known || !named()) return known;
    more_.emplace_back(word);
    by_name_.emplace(word, names_->size() + more_.size() - 1);
    return names_->size() + more_.size() - 1;
  }
  /// Returns the label that a word stands for, if there is one.
  std::optional<std::uint64_t> label(std::string_view word) const {
    if (!named()) return graph::input::to_unsigned(word);
    if (const auto known = names_->find(word)) return known;
    const auto later = by_name_.find(std::string(word));
    return later == by_name_.end() ? std::nullopt : std::optional(later->second);
  }
  json as_json(std::uint64_t label) const {
    if (named()) return json(std::string(name(label)));
    return wide_ ? json(std::to_string(label)) : json(label);
  }
  std::string text(std::uint64_t label) const { return named() ? one_line(name(label)) : std::to_string(label); }

 private:
  std::string_view name(std::uint64_t label) const {
    return label < names_->size() ? (*names_)[label] : std::string_view(more_[label - names_->size()]);
  }

  std::shared_ptr<const graph::vertex_names> names_;  ///< the graph's; null: labels are numbers
  bool wide_;                                         ///< a label of the graph is above largest_json_number
  std::vector<std::string> more_;                     ///< names that have come since, with the labels behind these
  std::unordered_map<std::string, std::uint64_t> by_name_;  ///< of these
};

/// One line of the stream: an edge that comes, or one that goes.
struct edit {
  bool comes;
  std::uint64_t from;
  std::uint64_t to;
  double weight = 1;
};

/// Returns the weight that a word says, if it is finite and at least 0.
std::optional<double> to_weight(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!(value >= 0) || value > std::numeric_limits<double>::max()) return std::nullopt;
  return value;
}

/// Returns a line without its comment: from a '#' on at its beginning, or behind a blank.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

/// Returns the edit of a line; none if the line is empty or a comment. Throws input_error.
std::optional<edit> parse_edit(const std::string& file, std::uint64_t number, std::string_view line,
                               vertex_labels& labels) {
  const std::string_view text = without_comment(line);
  // With a tab in it, a line has columns that may hold blanks.
  const bool tabs = labels.named() && text.find('\t') != std::string_view::npos;
  const auto [words, count] = tabs ? graph::input::split_at(text, '\t') : graph::input::split(text);
  if (count == 0 || (count == 1 && words[0].empty())) return std::nullopt;
  const bool comes = words[0] == "+";
  const bool goes = words[0] == "-";
  const std::size_t most = comes ? 4 : 3;
  if ((!comes && !goes) || count < 3 || count > most || words[1].empty() || words[2].empty())
    throw input_error(
        file, number,
        fmt::format("expected '+ U V', '+ U V WEIGHT' or '- U V'{}, found {}",
                    labels.named() ? ", with tabs between them if names hold blanks" : "", graph::input::shown(line)));
  const std::optional<double> weight = count == 4 ? to_weight(words[3]) : 1;
  if (!weight)
    throw input_error(file, number, "expected a finite weight of at least 0, found " + graph::input::shown(words[3]));
  std::uint64_t ends[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto label = labels.label_or_new(words[i + 1]);
    if (!label)
      throw input_error(
          file, number,
          "expected a whole number below 2^64 as in the graph, found " + graph::input::shown(words[i + 1]));
    ends[i] = *label;
  }
  return edit{comes, ends[0], ends[1], *weight};
}

/// The analyses that are kept up to date, and what they say about an update.
class watcher {
 public:
  watcher(const watch_arguments& o, graph::changing_graph& graph, const vertex_labels& labels,
          graph::weight_use weights)
      : o_(o), graph_(graph), labels_(labels) {
    const bool none = !o.pagerank && !o.components && !o.cores && !o.communities && !o.levels_from && !o.distances_from;
    if (o.levels_from) levels_.emplace(graph, source("--levels", *o.levels_from), false);
    if (o.distances_from) distances_.emplace(graph, source("--distances", *o.distances_from), true);
    if (o.pagerank || none) ranks_.emplace(graph, graph::changing_pagerank::options{.weights = weights});
    if (o.components || none) parts_.emplace(graph);
    if (o.cores) cores_.emplace(graph);
    if (o.communities) groups_.emplace(graph, graph::communities_options{}, weights);
  }

  /// Applies edits, brings all up to date, and tells what has changed: one line.
  void update(const std::vector<edit>& edits, const std::string& first_line) {
    const std::uint64_t parts_before = parts_ ? parts_->count() : 0;
    const stopwatch time;
    std::vector<graph::changing_graph::change> changes;
    for (const edit& e : edits) {
      if (!e.comes && (!graph_.find(e.from) || !graph_.find(e.to))) continue;  // such an edge makes no vertices
      const std::uint32_t u = graph_.vertex(e.from);
      const std::uint32_t v = graph_.vertex(e.to);
      changes.push_back(graph_.set(u, v, e.comes ? std::optional(e.weight) : std::nullopt));
    }
    std::vector<std::uint32_t> by_levels;
    std::vector<std::uint32_t> by_distances;
    std::vector<std::uint32_t> by_ranks;
    std::vector<std::uint32_t> by_parts;
    std::vector<std::uint32_t> by_cores;
    std::vector<std::uint32_t> by_groups;
    if (levels_) by_levels = levels_->update(changes);
    if (distances_) by_distances = distances_->update(changes);
    if (ranks_) by_ranks = ranks_->update(changes);
    if (parts_) by_parts = parts_->update(changes);
    if (cores_) by_cores = cores_->update(changes);
    if (groups_) by_groups = groups_->update(changes);
    const double seconds = time.seconds();
    seconds_.push_back(seconds);
    edits_ += edits.size();
    if (o_.run.quiet) return;

    if (o_.run.as_json) {
      json object = {{"update", seconds_.size()},
                     {"edits", edits.size()},
                     {"microseconds", std::round(seconds * 1e9) / 1e3},
                     {"vertices", graph_.vertices()},
                     {"edges", graph_.edges()}};
      if (levels_) object["levels"] = json_of(by_levels, [&](std::uint32_t v) { return (*levels_)[v]; });
      if (distances_) object["distances"] = json_of(by_distances, [&](std::uint32_t v) { return (*distances_)[v]; });
      if (ranks_) object["pagerank"] = json_of(by_ranks, [&](std::uint32_t v) { return (*ranks_)[v]; });
      if (parts_) {
        object["components"] = parts_->count();
        object["component_of"] = json_of(by_parts, [&](std::uint32_t v) { return name((*parts_)[v]); });
      }
      if (groups_) {
        object["communities"] = groups_->count();
        object["modularity"] = groups_->quality();
        object["community_of"] = json_of(by_groups, [&](std::uint32_t v) { return name((*groups_)[v]); });
      }
      if (cores_) object["cores"] = json_of(by_cores, [&](std::uint32_t v) { return (*cores_)[v]; });
      print(to_line(object) + "\n");
      return;
    }
    std::string text = edits.size() == 1 ? one_line(first_line) : fmt::format("{} edits", edits.size());
    if (levels_) text += words("levels", by_levels, [&](std::uint32_t v) { return fmt::format("{}", (*levels_)[v]); });
    if (distances_)
      text += words("distances", by_distances, [&](std::uint32_t v) { return fmt::format("{}", (*distances_)[v]); });
    if (ranks_)
      text += words("pagerank", by_ranks, [&](std::uint32_t v) { return fmt::format("{:.3g}", (*ranks_)[v]); });
    if (parts_ && parts_->count() != parts_before)
      text += fmt::format("; components {} -> {}", parts_before, parts_->count());
    if (groups_) {
      text +=
          words("communities", by_groups, [&](std::uint32_t v) { return labels_.text(graph_.label((*groups_)[v])); });
    }
    if (cores_) text += words("cores", by_cores, [&](std::uint32_t v) { return fmt::format("{}", (*cores_)[v]); });
    print(fmt::format("{}; {}\n", text, human_seconds(seconds)));
  }

  /// Tells how long updates took, and how things stand.
  void summarize(bool interrupted) {
    const std::vector<std::uint32_t> best = ranks_ ? highest() : std::vector<std::uint32_t>();
    std::sort(seconds_.begin(), seconds_.end());
    const auto at = [&](double share) {
      return seconds_[static_cast<std::size_t>(share * static_cast<double>(seconds_.size() - 1))];
    };
    if (o_.run.as_json) {
      json object = {{"updates", seconds_.size()},
                     {"edits", edits_},
                     {"interrupted", interrupted},
                     {"vertices", graph_.vertices()},
                     {"edges", graph_.edges()}};
      if (!seconds_.empty()) object["seconds"] = {{"median", at(0.5)}, {"p99", at(0.99)}, {"largest", at(1)}};
      if (levels_) object["levels"] = {{"reached", reached(*levels_)}};
      if (distances_) object["distances"] = {{"reached", reached(*distances_)}};
      if (ranks_) object["pagerank"] = {{"top", rows_of(best, [&](std::uint32_t v) { return (*ranks_)[v]; })}};
      if (parts_) object["components"] = parts_->count();
      if (groups_) {
        object["communities"] = groups_->count();
        object["modularity"] = groups_->quality();
      }
      if (cores_) object["cores"] = {{"degeneracy", cores_->degeneracy()}};
      return print(to_line(object) + "\n");
    }
    std::string text = seconds_.empty()
                           ? "no edits"
                           : fmt::format("{} in {}: median {}, 99 % {}, largest {}", counted(edits_, "edit"),
                                         counted(seconds_.size(), "update"), human_seconds(at(0.5)),
                                         human_seconds(at(0.99)), human_seconds(at(1)));
    text +=
        fmt::format("; {}, {}", graph_.vertices() == 1 ? "1 vertex" : with_separators(graph_.vertices()) + " vertices",
                    counted(graph_.edges(), "edge"));
    if (levels_) text += fmt::format("; levels reach {}", with_separators(reached(*levels_)));
    if (distances_) text += fmt::format("; distances reach {}", with_separators(reached(*distances_)));
    if (ranks_ && !best.empty()) {
      text += "; pagerank";
      for (const std::uint32_t v : best) text += fmt::format(" {}={:.3g}", labels_.text(graph_.label(v)), (*ranks_)[v]);
    }
    if (parts_) text += "; " + counted(parts_->count(), "component");
    if (groups_) {
      text += fmt::format("; communities {}, modularity {:.4f}", with_separators(groups_->count()), groups_->quality());
    }
    if (cores_) text += fmt::format("; degeneracy {}", cores_->degeneracy());
    print(text + "\n");
  }

 private:
  json name(std::uint32_t v) const { return labels_.as_json(graph_.label(v)); }

  std::uint32_t source(const char* option, const std::string& text) const {
    if (const auto label = labels_.label(text)) {
      if (const auto v = graph_.find(*label)) return *v;
    }
    throw usage_error(fmt::format("{} {}: the graph has no such vertex", option, text));
  }

  std::uint64_t reached(const graph::changing_distances& from) const {
    std::uint64_t count = 0;
    for (std::uint32_t v = 0; v < graph_.vertices(); ++v)
      count += from[v] != graph::changing_distances::unreached ? 1 : 0;
    return count;
  }

  /// Returns the vertices with the highest PageRank, the highest first; of equal ones, the smaller.
  std::vector<std::uint32_t> highest() const {
    std::vector<std::uint32_t> all(graph_.vertices());
    std::iota(all.begin(), all.end(), 0U);
    const auto count = std::min<std::size_t>(o_.top, all.size());
    std::partial_sort(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
        [&](std::uint32_t a, std::uint32_t b) { return std::pair(-(*ranks_)[a], a) < std::pair(-(*ranks_)[b], b); });
    all.resize(count);
    return all;
  }

  template <class Value>
  std::string words(const char* what, const std::vector<std::uint32_t>& vertices, Value value) const {
    if (vertices.empty()) return {};
    std::string text = fmt::format("; {} of {}", what, vertices.size());
    if (o_.top == 0) return text;
    text += ":";
    for (std::size_t i = 0; i < std::min<std::size_t>(o_.top, vertices.size()); ++i)
      text += fmt::format(" {}={}", labels_.text(graph_.label(vertices[i])), value(vertices[i]));
    if (vertices.size() > o_.top) text += " ...";
    return text;
  }

  template <class Value>
  json json_of(const std::vector<std::uint32_t>& vertices, Value value) const {
    return {{"changed", vertices.size()}, {"first", rows_of(vertices, value)}};
  }

  template <class Value>
  json rows_of(const std::vector<std::uint32_t>& vertices, Value value) const {
    json all = json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(o_.top, vertices.size()); ++i)
      all.push_back({{"vertex", name(vertices[i])}, {"value", value(vertices[i])}});
    return all;
  }

  const watch_arguments& o_;
  graph::changing_graph& graph_;
  const vertex_labels& labels_;
  std::optional<graph::changing_distances> levels_;
  std::optional<graph::changing_distances> distances_;
  std::optional<graph::changing_pagerank> ranks_;
  std::optional<graph::changing_components> parts_;
  std::optional<graph::changing_cores> cores_;
  std::optional<graph::changing_communities> groups_;
  std::vector<double> seconds_;  ///< of each update
  std::uint64_t edits_ = 0;
};

void watch_graph(const watch_arguments& o, const std::stop_token& stop) {
  o.run.apply({o.input.file, o.stream});
  if (o.stream.empty()) throw usage_error("--stream is missing: the file with the edges that come and go, or '-'");
  if (o.stream == "-" && o.input.file == "-")
    throw usage_error("FILE and --stream are both '-': standard input can be only one of them");
  line_stream lines(o.stream, stop);

  std::optional<graph::changing_graph> graph;
  std::optional<vertex_labels> labels;
  auto weights = graph::weight_use::none;
  {
    progress_bar bar(o.run.progress_wanted());
    const loaded_graph loaded = o.input.load({&bar, stop});
    labels.emplace(loaded.graph);
    graph.emplace(loaded.graph);
    // Lengths that --distances needs stay; to PageRank they are no strengths. Without weights each edge has 1.
    if (o.weights.asked) {
      weights = o.weights.of(loaded.graph);
    } else if (!loaded.report.weights_are_lengths) {
      weights = graph::weight_use::strength;
    }
    bar.finish();
  }
  watcher all(o, *graph, *labels, weights);
  std::vector<edit> edits;
  std::string first_line;
  std::string line;
  while (lines.next(line)) {
    const auto one = parse_edit(lines.name(), lines.number(), line, *labels);
    if (!one) continue;
    if (edits.empty()) first_line = line;
    edits.push_back(*one);
    if (edits.size() < o.batch) continue;
    all.update(edits, first_line);
    edits.clear();
  }
  if (!edits.empty()) all.update(edits, first_line);
  const bool interrupted = stop.stop_requested();
  all.summarize(interrupted);
  if (interrupted) throw graph::cancelled();
}

}  // namespace

command add_watch(const command_parser& app) {
  const command_parser parser = app.add_subcommand("watch", "Keep analyses up to date while edges come and go");
  const auto o = std::make_shared<watch_arguments>();
  parser.add_option("--stream", o->stream, "Read edits from FILE ('-': standard input), one a line");
  add_parsed(
      parser, "--levels", "LABEL", [o](const std::string& text) { o->levels_from = text; },
      "Watch how many arcs each vertex is away from LABEL");
  add_parsed(
      parser, "--distances", "LABEL", [o](const std::string& text) { o->distances_from = text; },
      "Watch the shortest weighted paths from LABEL");
  parser.add_flag("--pagerank", o->pagerank, "Watch PageRank");
  parser.add_flag("--components", o->components, "Watch connected components");
  parser.add_flag("--communities", o->communities, "Watch communities, by modularity");
  parser.add_flag("--cores", o->cores, "Watch core numbers");
  add_parsed(
      parser, "--batch", "N", [o](const std::string& text) { o->batch = parse_count("--batch", text, 1); },
      "Edits that are applied at once [1]");
  add_parsed(
      parser, "--top", "K", [o](const std::string& text) { o->top = parse_count("--top", text, 0); },
      "Show K changed vertices of each update [5]");
  o->weights.add_to(parser, o->input);
  o->input.set_usual_repeats(
      [&from = o->distances_from] { return from ? graph::repeats::remove : graph::repeats::sum_weights; },
      "sum of weights; min with --distances");
  o->input.leaves_weights_out = [](bool) { return false; };
  o->input.add_to(parser);
  o->run.add_to(parser);
  parser.more(
      "An edit is '+ U V' or '+ U V WEIGHT': an edge comes, or gets another weight; without WEIGHT it is\n"
      "1. '- U V': an edge goes; if there is none, nothing changes. Unknown labels become vertices.\n"
      "In a graph with names, U and V are names; in a line with tabs these are between the words.\n"
      "Empty lines, and what follows '#', count for nothing. Unless an option says what is watched,\n"
      "PageRank and components are. PageRank and communities follow weights, as 'callisto pagerank' does; an\n"
      "edge without a weight has 1.");
  parser.weights({"--pagerank", "strengths", "sum", "once"});
  parser.weights({"--communities", "strengths", "sum", "once"});
  parser.weights({"--distances", "lengths", "min", "once"});
  parser.footer(
      "Each update is one line, or one JSON object with --json; the last line says how long updates\n"
      "took and how things stand, also after an interrupt (Ctrl-C). With --quiet it is the only one.\n\n"
      "Examples:\n"
      "  callisto watch roads.gr --distances 1 --stream closures.txt\n"
      "  tail -f edges.log | callisto watch friends.cg --stream - --pagerank --json");
  return {parser, [o](const std::stop_token& stop) { watch_graph(*o, stop); }};
}

}  // namespace callisto::app

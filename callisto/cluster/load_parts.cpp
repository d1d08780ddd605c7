#include <callisto/cluster/gathered_rows.hpp>
#include <callisto/cluster/load_parts.hpp>
#include <callisto/cluster/parted_rows.hpp>
#include <callisto/cluster/rank_partners.hpp>
#include <callisto/cluster/vertex_numbers.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/files/input/content_part.hpp>
#include <callisto/graph/files/read.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

namespace callisto::cluster {

namespace {

using graph::any_edge_list;
using graph::any_graph;
using graph::edge_list;
using graph::repeats;
using graph::short_weight;
using machine::page_array;

template <class T>
T sum_of_ranks(T value) {
  return global::reduce_all(value);
}

/// How reading ended at a rank.
enum class part_outcome : std::uint8_t { read, as_whole, fault, failure };

/// Throws, at rank 0, the fault of the rank with the smallest number. The other ranks wait until that has ended the
/// job.
[[noreturn]] void throw_first_fault(const std::vector<part_outcome>& outcomes, const std::string& path,
                                    std::uint64_t line, const std::string& message) {
  const auto found = std::find(outcomes.begin(), outcomes.end(), part_outcome::fault) - outcomes.begin();
  const bool mine = found == global::here().rank;
  std::vector<std::uint64_t> counts(outcomes.size());
  counts.front() = mine ? message.size() : 0;
  const std::vector<char> text = global::exchange(std::span<const char>(message.data(), counts.front()), counts).values;
  const std::uint64_t its_line = global::gather_all(line)[static_cast<std::size_t>(found)];
  if (global::here().rank == 0) throw input_error(path, its_line, std::string(text.begin(), text.end()));
  for (;;) global::barrier();
}

/// Returns this rank's part of the edges; nothing, at all ranks, if the file has to be read as a whole.
std::optional<any_edge_list> read_own_part(const std::string& path, const graph::read_options& options,
                                           const graph::run_control& control, graph::read_report& report) {
  any_edge_list list;
  part_outcome outcome = part_outcome::read;
  std::uint64_t line = 0;
  std::string message;
  std::exception_ptr failure;
  try {
    list = graph::read_edges(path, options, control, &report);
  } catch (const graph::input::read_as_whole&) {
    outcome = part_outcome::as_whole;
  } catch (const input_error& e) {
    outcome = e.line() == 0 ? part_outcome::failure : part_outcome::fault;
    failure = std::current_exception();
    line = e.line();
    message = e.what();
    if (line != 0) message.erase(0, e.file().size() + std::to_string(line).size() + 3);  // "FILE:LINE: "
  }
  const std::vector<part_outcome> outcomes = global::gather_all(outcome);
  const auto has = [&](part_outcome one) { return std::find(outcomes.begin(), outcomes.end(), one) != outcomes.end(); };
  // Not of the text, or of all of it: the first rank with a failure tells.
  const auto failed = std::find(outcomes.begin(), outcomes.end(), part_outcome::failure) - outcomes.begin();
  if (failed == global::here().rank) std::rethrow_exception(failure);
  while (has(part_outcome::failure)) global::barrier();
  if (has(part_outcome::as_whole)) return std::nullopt;
  if (has(part_outcome::fault)) throw_first_fault(outcomes, path, line, message);
  return list;
}

/// Facts of a part that ranks tell each other.
struct part_facts {
  std::uint64_t edges = 0;
  std::uint64_t vertices = 0;
  std::uint64_t first_label = 0;
  std::uint64_t first_declared = 0;
  std::uint64_t last_declared = 0;
  bool declared = false;
  bool dense = false;  ///< labels are first_label, first_label + 1 ...
  bool named = false;
  bool is_short = false;
  bool large_weights = false;
  bool other_encoding = false;
};

template <class Listed>
part_facts facts_of(const edge_list<Listed>& list, const graph::part_report& found) {
  part_facts facts;
  facts.edges = list.edges();
  facts.vertices = list.vertices;
  facts.first_label = list.first_label;
  facts.declared = found.vertices.has_value();
  if (found.vertices) facts.first_declared = found.vertices->first;
  if (found.vertices) facts.last_declared = found.vertices->second;
  facts.named = list.names != nullptr;
  facts.dense = list.labels.empty() && !facts.named;
  facts.is_short =
      std::all_of(list.blocks.begin(), list.blocks.end(), [](const auto& b) { return b.weights.is_short(); });
  facts.large_weights = found.large_weights;
  facts.other_encoding = found.other_encoding;
  return facts;
}

/// The vertices of all ranks, and which of them this rank's are.
struct all_vertices {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> of_own;  ///< by vertex of this rank's list; empty: the same number
  // At rank 0:
  std::uint64_t first_label = 0;
  page_array<std::uint64_t> labels;
  std::shared_ptr<const graph::vertex_names> names;
};

template <class T>
page_array<T> array_of(const std::vector<T>& values) {
  page_array<T> made(values.size());
  std::copy(values.begin(), values.end(), made.begin());
  return made;
}

template <class Listed>
all_vertices number_all(const edge_list<Listed>& list, const std::vector<part_facts>& parts) {
  all_vertices all;
  const auto used = std::find_if(parts.begin(), parts.end(), [](const part_facts& p) { return p.edges != 0; });
  const bool same = std::all_of(parts.begin(), parts.end(), [&](const part_facts& p) {
    return p.edges == 0 || (p.dense && p.first_label == used->first_label && p.vertices == used->vertices);
  });
  if (same) {
    all.count = used->vertices;
    all.first_label = used->first_label;
    return all;
  }
  if (used->named) {
    name_keys own;
    if (list.names != nullptr) {
      own.offsets.assign(list.names->offsets().begin(), list.names->offsets().end());
      own.bytes.assign(list.names->bytes().begin(), list.names->bytes().end());
    }
    vertex_numbers<name_keys> found = number_together(own);
    all.count = found.vertices;
    all.of_own = std::move(found.of_own);
    if (global::here().rank == 0) {
      all.names = std::make_shared<const graph::vertex_names>(array_of(found.all.offsets), array_of(found.all.bytes));
    }
    return all;
  }
  label_keys own;
  own.labels.reserve(list.vertices);
  for (std::uint64_t v = 0; v != list.vertices; ++v) {
    own.labels.push_back(list.labels.empty() ? list.first_label + v : list.labels[v]);
  }
  vertex_numbers<label_keys> found = number_together(own);
  all.count = found.vertices;
  all.of_own = std::move(found.of_own);
  const std::vector<std::uint64_t>& labels = found.all.labels;
  if (labels.empty()) return all;
  if (labels.back() - labels.front() + 1 == labels.size()) {
    all.first_label = labels.front();
  } else {
    all.labels = array_of(labels);
  }
  return all;
}

/// The arcs of a rank's list, as gather_rows() takes them: of an undirected edge both, of a loop one.
template <class Listed>
class listed_arcs {
 public:
  listed_arcs(edge_list<Listed>& list, const std::vector<std::uint64_t>& numbers, bool both_ways, bool drops_loops)
      : list_(list), numbers_(numbers), both_ways_(both_ways), drops_loops_(drops_loops) {
    for (const auto& block : list_.blocks) starts_.push_back(starts_.back() + block.edges.size());
  }

  std::uint64_t items() const noexcept { return starts_.back(); }

  template <class F>
  void for_each(std::uint64_t first, std::uint64_t last, const F& f) const {
    auto b = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin()) - 1;
    for (; first != last; ++b) {
      const auto& block = list_.blocks[b];
      for (const std::uint64_t end = std::min(last, starts_[b + 1]); first != end; ++first) {
        const auto& e = block.edges[first - starts_[b]];
        const std::uint64_t from = number(e.from);
        const std::uint64_t to = number(e.to);
        if (from == to && drops_loops_) continue;
        const double weight = block.weights.empty() ? 0 : block.weights[first - starts_[b]];
        f(from, to, weight);
        if (both_ways_ && from != to) f(to, from, weight);
      }
    }
  }

  void release(std::uint64_t last) {
    for (; released_ != list_.blocks.size() && starts_[released_ + 1] <= last; ++released_)
      list_.blocks[released_] = {};
  }

  std::uint64_t loops() const {
    std::uint64_t found = 0;
    for (const auto& block : list_.blocks) {
      for (const auto& e : block.edges) found += e.from == e.to ? 1 : 0;
    }
    return found;
  }

 private:
  std::uint64_t number(Listed v) const noexcept { return numbers_.empty() ? v : numbers_[v]; }

  edge_list<Listed>& list_;
  const std::vector<std::uint64_t>& numbers_;
  bool both_ways_;
  bool drops_loops_;
  std::vector<std::uint64_t> starts_{0};
  std::size_t released_ = 0;
};

/// The arcs of a rank's rows with row and target exchanged.
template <class Vertex>
class reversed_arcs {
 public:
  reversed_arcs(const graph::adjacency<Vertex>& rows, std::uint64_t first, std::uint64_t last)
      : rows_(rows), first_(first), last_(last) {}

  std::uint64_t items() const noexcept { return rows_.offsets[last_] - rows_.offsets[first_]; }

  template <class F>
  void for_each(std::uint64_t first, std::uint64_t last, const F& f) const {
    first += rows_.offsets[first_];
    last += rows_.offsets[first_];
    const std::uint64_t* const begin = rows_.offsets.begin();
    auto v = static_cast<std::uint64_t>(std::upper_bound(begin + first_, begin + last_ + 1, first) - begin) - 1;
    for (; first != last; ++v) {
      for (const std::uint64_t end = std::min(last, rows_.offsets[v + 1]); first != end; ++first) {
        f(std::uint64_t{rows_.targets[first]}, v, rows_.weights.empty() ? 0.0 : rows_.weights[first]);
      }
    }
  }

  static void release(std::uint64_t) noexcept {}

 private:
  const graph::adjacency<Vertex>& rows_;
  std::uint64_t first_;
  std::uint64_t last_;
};

/// Parts with about as many listed arcs each.
struct parted_arcs {
  std::vector<std::uint64_t> bounds;
  std::uint64_t own = 0;  ///< arcs in the rows of this rank
};

/// `both_rows`: arcs count in the rows of their targets, too.
template <class Arcs>
parted_arcs part_arcs(const Arcs& arcs, std::uint64_t vertices, bool both_rows) {
  const std::uint64_t piece = graph::partner_piece(vertices);
  std::vector<std::uint64_t> own((vertices + piece - 1) / piece);
  arcs.for_each(0, arcs.items(), [&](std::uint64_t row, std::uint64_t target, double) {
    ++own[row / piece];
    if (both_rows) ++own[target / piece];
  });
  const auto ranks = static_cast<std::size_t>(global::here().ranks);
  std::vector<std::uint64_t> to_all;
  for (std::size_t r = 0; r != ranks; ++r) to_all.insert(to_all.end(), own.begin(), own.end());
  const std::vector<std::uint64_t> came =
      global::exchange(std::span<const std::uint64_t>(to_all), std::vector<std::uint64_t>(ranks, own.size())).values;
  std::fill(own.begin(), own.end(), 0);
  for (std::size_t i = 0; i != came.size(); ++i) own[i % own.size()] += came[i];
  parted_arcs parts{bounds_of_pieces(vertices, own, ranks)};
  const auto rank = static_cast<std::size_t>(global::here().rank);
  for (std::uint64_t i = parts.bounds[rank] / piece; i * piece < parts.bounds[rank + 1]; ++i) parts.own += own[i];
  return parts;
}

/// True if the graph is directed and each arc has its reverse: if the rows of in-edges equal those of out-edges.
template <class Vertex>
bool is_reciprocal(const graph::csr_graph<Vertex>& g, std::uint64_t first, std::uint64_t last) {
  if (!g.directed() || !g.has_in() || g.arcs() == 0) return false;
  bool same = true;
  for (std::uint64_t v = first; v != last && same; ++v) {
    const auto out = g.out().row(v);
    const auto in = g.in().row(v);
    same = std::equal(out.begin(), out.end(), in.begin(), in.end());
    for (std::uint64_t i = 0; same && g.weighted() && i != out.size(); ++i) {
      same = g.out().weights[g.out().offsets[v] + i] == g.in().weights[g.in().offsets[v] + i];
    }
  }
  return !any_rank(!same);
}

/// The steps from a rank's list to its rows.
template <class Vertex, class Listed>
class parts_builder {
 public:
  parts_builder(edge_list<Listed>& list, all_vertices& vertices, const graph::load_options& options,
                const graph::run_control& control, graph::load_report& report)
      : list_(list),
        vertices_(vertices),
        options_(options),
        control_(control),
        report_(report),
        undirected_(options.build.undirected || options.read.undirected ||
                    list.meaning == graph::direction::undirected) {}

  /// `is_short`: all weights of all ranks are short.
  std::optional<parted_graph> build(bool is_short) {
    listed_arcs<Listed> arcs(list_, vertices_.of_own, undirected_, options_.build.loops == graph::loops::remove);
    report_.build.lines = sum_of_ranks(arcs.items());
    report_.build.self_loops = sum_of_ranks(arcs.loops());
    const bool both_rows = !undirected_ && options_.build.in_edges;
    parted_arcs parts = part_arcs(arcs, vertices_.count, both_rows);
    bounds_ = std::move(parts.bounds);
    const std::uint64_t weight_bytes = !list_.weighted ? 0 : is_short ? sizeof(short_weight) : sizeof(double);
    graph::require_memory("the rows of this rank", parts.own * (sizeof(Vertex) + weight_bytes) +
                                                       16 * (last() - first()) +
                                                       (both_rows ? 16 : 12) * vertices_.count);
    const repeats how = options_.build.repeats;
    const bool adds = how == repeats::sum || how == repeats::sum_weights;
    std::optional<graph::adjacency<Vertex>> out;
    if (!list_.weighted) {
      out = out_rows<no_weight>(arcs);
    } else if (is_short && !adds) {
      out = out_rows<short_weight>(arcs);
    } else {
      out = out_rows<double>(arcs);
    }
    if (!out) return std::nullopt;
    report_.build.arcs = out->targets.size();
    graph::adjacency<Vertex> in;
    if (both_rows) in = in_rows(*out);
    return finish(std::move(*out), std::move(in));
  }

 private:
  std::uint64_t first() const noexcept { return bounds_[static_cast<std::size_t>(global::here().rank)]; }
  std::uint64_t last() const noexcept { return bounds_[static_cast<std::size_t>(global::here().rank) + 1]; }

  template <class Weight>
  std::optional<graph::adjacency<Vertex>> out_rows(listed_arcs<Listed>& arcs) {
    const repeats how = options_.build.repeats;
    const bool by_line = how == repeats::first && !std::is_same_v<Weight, no_weight>;
    auto rows = gather_rows<Vertex, Weight>(bounds_, arcs, by_line, control_);
    list_ = {};
    vertices_.of_own = {};
    sort_rows(rows, by_line, control_);
    const repeat_counts found = count_repeats(rows);
    report_.build.repeats = (undirected_ ? found.arcs / 2 : found.arcs) + found.loops;
    const bool repeated = found.arcs + found.loops != 0;
    if constexpr (std::is_same_v<Weight, no_weight>) {
      if (repeated && how == repeats::sum && numbers_differ(rows, undirected_)) {
        gathered_rows<Vertex, double> counted{rows.first, std::move(rows.offsets), std::move(rows.targets), {}};
        counted.weights = page_array<double>(counted.targets.size());
        merge_runs(counted, counted.weights,
                   [](std::uint64_t from, std::uint64_t to) { return static_cast<double>(to - from); });
        return in_least_room(std::move(counted), bounds_);
      }
    }
    if (repeated && how != repeats::keep && !merge_repeats(rows, how)) return std::nullopt;
    if constexpr (std::is_same_v<Weight, double>) {
      return in_least_room(std::move(rows), bounds_);
    } else {
      return as_adjacency(std::move(rows), bounds_);
    }
  }

  graph::adjacency<Vertex> in_rows(const graph::adjacency<Vertex>& out) {
    reversed_arcs<Vertex> arcs(out, first(), last());
    const auto made = [&]<class Weight>(Weight) {
      auto rows = gather_rows<Vertex, Weight>(bounds_, arcs, false, control_);
      sort_rows(rows, false, control_);
      return as_adjacency(std::move(rows), bounds_);
    };
    if (out.weights.empty()) return made(no_weight{});
    if (out.weights.is_short()) return made(short_weight{});
    return made(double{});
  }

  parted_graph finish(graph::adjacency<Vertex> out, graph::adjacency<Vertex> in) {
    auto made = graph::csr_graph<Vertex>(!undirected_, std::move(out), std::move(in), std::move(vertices_.labels),
                                         vertices_.first_label)
                    .with_names(std::move(vertices_.names));
    const bool reciprocal = is_reciprocal(made, first(), last());
    graph::add_notes_of_parts(report_, undirected_, reciprocal, report_.weights_listed, options_);
    return {std::move(made), std::move(bounds_)};
  }

  edge_list<Listed>& list_;
  all_vertices& vertices_;
  const graph::load_options& options_;
  const graph::run_control& control_;
  graph::load_report& report_;
  const bool undirected_;
  std::vector<std::uint64_t> bounds_;
};

template <class Listed>
std::optional<parted_graph> load_list(edge_list<Listed>& list, const graph::load_options& options,
                                      const graph::run_control& control, graph::read_report& found,
                                      graph::load_report& report) {
  const std::vector<part_facts> parts = global::gather_all(facts_of(list, found.part));
  const auto any = [&](bool part_facts::* is) {
    return std::any_of(parts.begin(), parts.end(), [&](const part_facts& p) { return p.*is; });
  };
  std::uint64_t edges = 0;
  bool is_short = true;
  bool as_whole = any(&part_facts::other_encoding);
  for (const part_facts& p : parts) {
    edges += p.edges;
    if (p.edges == 0) continue;
    is_short = is_short && p.is_short;
    as_whole = as_whole || p.named != any(&part_facts::named);
    // One process takes all vertices that a header declares unless one occurs that it does not.
    as_whole = as_whole || (p.declared && !(p.dense && p.first_label == p.first_declared &&
                                            p.vertices == p.last_declared - p.first_declared + 1));
  }
  as_whole = as_whole || edges == 0 || (found.part.entries && *found.part.entries != edges);
  if (as_whole) return std::nullopt;
  found.part.large_weights = any(&part_facts::large_weights);
  const graph::part_report together = found.part;
  graph::finish_parts(found, together, edges);
  report.format = found.format;
  report.direction_known = found.direction_known;
  report.notes = std::move(found.notes);
  report.weights_listed = list.weighted;
  report.weights_are_lengths = found.weights_are_lengths && list.weighted;
  all_vertices vertices = number_all(list, parts);
  if (vertices.count <= std::numeric_limits<std::uint32_t>::max()) {
    return parts_builder<std::uint32_t, Listed>(list, vertices, options, control, report).build(is_short);
  }
  return parts_builder<std::uint64_t, Listed>(list, vertices, options, control, report).build(is_short);
}

}  // namespace

std::optional<parted_graph> load_parts(const std::string& path, const graph::load_options& options,
                                       const graph::run_control& control, graph::load_report& report) {
  report = {};
  graph::read_options reading = options.read;
  reading.undirected = options.build.undirected || options.read.undirected;
  reading.part = {static_cast<std::uint64_t>(global::here().rank), static_cast<std::uint64_t>(global::here().ranks)};
  graph::check_part(path, reading.part);
  graph::read_report found;
  std::optional<any_edge_list> list = read_own_part(path, reading, control, found);
  if (!list) return std::nullopt;
  auto result = std::visit([&](auto& own) { return load_list(own, options, control, found, report); }, *list);
  if (!result) report = {};
  return result;
}

}  // namespace callisto::cluster

// Alias tables, and walks over them.
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/walks/random_walks.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph {

/// The random words of one walk, in order.
template <class Vertex>
class random_walker<Vertex>::draws {
 public:
  draws(std::uint64_t seed, std::uint64_t walk) noexcept : random_(seed, walk) {}

  std::uint64_t word() noexcept { return random_(next_++); }
  double unit() noexcept { return to_unit(word()); }

 private:
  counter_random random_;
  std::uint64_t next_ = 0;
};

template <class Vertex>
random_walker<Vertex>::random_walker(const csr_graph<Vertex>& graph, const walk_options& options,
                                     const run_control& control)
    : graph_(&graph), options_(options) {
  constexpr double most = std::numeric_limits<double>::max();
  if (!(options.p > 0 && options.p <= most) || !(options.q > 0 && options.q <= most)) {
    throw usage_error("the parameters p and q must be above 0");
  }
  if (options.length == 0) throw usage_error("a walk must have at least one vertex");
  if (!options.weighted) return;
  if (!graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights to walk by");
  survey_weights(graph, "random walks", control);
  slots_ = machine::page_array<slot>(graph.arcs());
  sums_ = machine::page_array<double>(graph.vertices());
  if (!parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { fill_row(v); },
                    {.stop = control.stop})) {
    throw cancelled();
  }
}

/// Vose's method: slots of less than the average share borrow from slots of more.
template <class Vertex>
void random_walker<Vertex>::fill_row(std::uint64_t v) {
  const adjacency<Vertex>& out = graph_->out();
  const std::uint64_t first = out.offsets[v];
  const std::uint64_t size = out.degree(v);
  double sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) sum += out.weights[first + i];
  sums_[v] = sum;
  if (sum == 0) return;
  std::vector<double> share(size);
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint64_t i = 0; i < size; ++i) {
    share[i] = out.weights[first + i] / sum * static_cast<double>(size);
    (share[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  constexpr double whole = 0x1p32;
  while (!small.empty() && !large.empty()) {
    const std::uint32_t i = small.back();
    const std::uint32_t j = large.back();
    small.pop_back();
    slots_[first + i] = {static_cast<std::uint32_t>(std::min(share[i] * whole, whole - 1)), j};
    share[j] -= 1 - share[i];
    if (share[j] >= 1) continue;
    large.pop_back();
    small.push_back(j);
  }
  for (const auto* rest : {&small, &large}) {
    for (const std::uint32_t i : *rest) slots_[first + i] = {std::numeric_limits<std::uint32_t>::max(), i};
  }
}

template <class Vertex>
bool random_walker<Vertex>::can_leave(std::uint64_t v) const noexcept {
  return graph_->out().degree(v) != 0 && (sums_.empty() || sums_[v] != 0);
}

/// Draws one of v's arcs by weight, or evenly, and returns its target.
template <class Vertex>
Vertex random_walker<Vertex>::draw(std::uint64_t v, draws& random) const {
  const adjacency<Vertex>& out = graph_->out();
  const std::uint64_t i = below(random.word(), out.degree(v));
  if (slots_.empty()) return out.targets[out.offsets[v] + i];
  const slot& s = slots_[out.offsets[v] + i];
  const bool itself = (random.word() >> 32) < s.threshold;
  return out.targets[out.offsets[v] + (itself ? i : s.other)];
}

/// Draws an arc of v for a walk that came from `before`.
template <class Vertex>
Vertex random_walker<Vertex>::draw_second(std::uint64_t before, std::uint64_t v, draws& random) const {
  const adjacency<Vertex>& out = graph_->out();
  const double back = 1 / options_.p;
  const double apart = 1 / options_.q;
  const double most = std::max(1.0, apart);
  // If the way back is likelier than any other way, the excess over these is drawn apart, so that few draws are
  // rejected.
  double beyond = 0;
  double whole = 0;
  if (back > most) {
    const auto [first, last] = arcs_between(out, v, before);
    double weight = 0;
    for (std::uint64_t a = first; a != last; ++a) weight += slots_.empty() ? 1 : out.weights[a];
    beyond = (back - most) * weight;
    whole = beyond + most * (slots_.empty() ? static_cast<double>(out.degree(v)) : sums_[v]);
  }
  const auto neighbours = out.row(before);
  for (;;) {
    if (beyond > 0 && random.unit() * whole < beyond) return static_cast<Vertex>(before);
    const Vertex w = draw(v, random);
    double likely = apart;
    if (w == before) {
      likely = std::min(back, most);
    } else if (std::binary_search(neighbours.begin(), neighbours.end(), w)) {
      likely = 1;
    }
    if (random.unit() * most < likely) return w;
  }
}

template <class Vertex>
void random_walker<Vertex>::walk(std::uint64_t start, std::uint64_t number, std::vector<Vertex>& walk) const {
  draws random(options_.seed, number);
  const bool second_order = options_.p != 1 || options_.q != 1;
  walk.assign(1, static_cast<Vertex>(start));
  while (walk.size() < options_.length && can_leave(walk.back())) {
    const Vertex v = walk.back();
    walk.push_back(second_order && walk.size() > 1 ? draw_second(walk[walk.size() - 2], v, random) : draw(v, random));
  }
}

template class CALLISTO_API random_walker<std::uint32_t>;
template class CALLISTO_API random_walker<std::uint64_t>;

std::uint64_t needs::random_walks(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return s.w == 0 ? 0 : 8 * s.m + 8 * s.n;
}

}  // namespace callisto::graph

// Rounds of decisions, with parallel loops.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/greedy/independent_set.hpp>
#include <callisto/graph/greedy/priority.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

namespace callisto::graph {
namespace {

enum decision : char { undecided = 0, in = 1, out = 2 };

/// Returns the decision on v as far as the decisions on its neighbours allow.
template <class Vertex>
decision decide(const csr_graph<Vertex>& graph, std::uint64_t v, const vertex_order& order,
                machine::page_array<char>& decisions) {
  bool waits = false;
  for (const auto* rows : {&graph.out(), &graph.in()}) {
    for (const Vertex w : rows->row(v)) {
      // relaxed: a decision is final, and says nothing of other data; one seen late costs another round.
      const char of_w = std::atomic_ref(decisions[w]).load(std::memory_order_relaxed);
      if (of_w == out || w == v) continue;
      if (of_w == in) return out;  // w joined: it is before v, or v is out in the end all the same
      waits = waits || order.before(w, v);
    }
    if (!graph.directed()) break;
  }
  return waits ? undecided : in;
}

}  // namespace

template <class Vertex>
independent_set_result maximal_independent_set(const csr_graph<Vertex>& graph, const independent_set_options& options,
                                               const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which an independent set needs");
  const vertex_order order(options.seed);
  independent_set_result result;
  machine::page_array<char>& decisions = result.members;
  decisions = machine::page_array<char>(graph.vertices());
  std::vector<Vertex> rest(graph.vertices());
  const auto over = [&](std::uint64_t count, auto f) {
    if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control.stop})) throw cancelled();
  };
  over(rest.size(), [&](std::uint64_t v) { rest[v] = static_cast<Vertex>(v); });
  if (control.report != nullptr) control.report->begin("deciding vertices", rest.size(), "vertices");
  while (!rest.empty()) {
    ++result.rounds;
    over(rest.size(), [&](std::uint64_t i) {
      const decision found = decide(graph, rest[i], order, decisions);
      if (found != undecided) std::atomic_ref(decisions[rest[i]]).store(found, std::memory_order_relaxed);
    });
    const auto decided = std::erase_if(rest, [&](Vertex v) { return decisions[v] != undecided; });
    if (control.report != nullptr) control.report->advance(decided);
  }
  for (char& member : decisions) {
    member = member == in ? 1 : 0;
    result.size += static_cast<std::uint64_t>(member);
  }
  return result;
}

template CALLISTO_API independent_set_result maximal_independent_set(const csr_graph<std::uint32_t>&,
                                                                     const independent_set_options&,
                                                                     const run_control&);
template CALLISTO_API independent_set_result maximal_independent_set(const csr_graph<std::uint64_t>&,
                                                                     const independent_set_options&,
                                                                     const run_control&);

std::uint64_t needs::maximal_independent_set(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return (1 + s.v) * s.n;
}

}  // namespace callisto::graph

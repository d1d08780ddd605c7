// PageRank of a Kronecker graph (Grappa, section 6): as the paper's nested loop, and as the command's kernel.
//
// The nested loop sends, for each arc, an increment to the vertex that the arc leads to. The kernel replicates what
// vertices contribute, and sums rows. Both do the same power iterations, and check each other; the rate is of arcs in
// all iterations. Use: pagerank [--scale N] [--iterations N] [--posts 0|1] [--runs N]
#include "kronecker_rows.hpp"
#include "program.hpp"

#include <callisto/graph/pagerank/pagerank_among.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace {

using namespace callisto;
constexpr double damping = 0.85;

/// Returns the scores of this rank's vertices after `iterations` steps from equal scores.
std::vector<double> by_posts(const lab::kronecker_rows& of, std::uint64_t iterations, global::array<double> scores,
                             global::array<double> next) {
  const std::uint64_t vertices = of.vertices();
  const auto n = static_cast<double>(vertices);
  global::parallel_for(scores, [&](double& score) { score = 1 / n; });
  for (std::uint64_t i = 0; i != iterations; ++i) {
    double without_arcs = 0;
    for (std::uint64_t v = of.first(); v != of.last(); ++v) {
      if (of.graph.out().degree(v) == 0) without_arcs += scores.local()[v - of.first()];
    }
    const double base = (1 - damping + damping * global::reduce_all(without_arcs)) / n;
    global::parallel_for(next, [&](double& score) { score = base; });
    global::parallel_for(scores, [&](std::uint64_t v, const double& score) {
      if (v >= vertices) return;
      const auto row = of.graph.out().row(v);
      const double share = damping * score / static_cast<double>(row.size());
      for (const std::uint32_t w : row) global::post_add(next[w], share);
    });
    std::swap(scores, next);
  }
  return {scores.local().begin(), scores.local().begin() + static_cast<std::ptrdiff_t>(of.last() - of.first())};
}

}  // namespace

int main(int argc, char** argv) {
  const lab::options o(argc, argv,
                       {{"scale", 16, 6, 31}, {"iterations", 10, 1, 1000}, {"posts", 0, 0, 1}, {"runs", 3, 1, 1000}});
  global::session s(argc, argv);
  const std::uint64_t iterations = o["iterations"];
  const auto scale = static_cast<unsigned>(o["scale"]);
  lab::kronecker_rows rows = lab::make_kronecker_rows(scale, lab::make_kronecker_edges(scale, 16));
  const std::uint64_t arcs = rows.graph.arcs();
  cluster::rank_partners among(rows.bounds);
  const auto scores = global::make_array<double>(rows.part * static_cast<std::uint64_t>(s.ranks()));
  const auto next = global::make_array<double>(rows.part * static_cast<std::uint64_t>(s.ranks()));
  const graph::pagerank_options how{
      .damping = damping, .tolerance = 0, .iterations = static_cast<unsigned>(iterations), .accelerated = false};

  std::vector<double> posted;
  graph::pagerank_result swept;
  const auto post = [&] { posted = by_posts(rows, iterations, scores, next); };
  const auto sweep = [&] {
    graph::any_graph any(std::move(rows.graph));
    swept = graph::pagerank_among(any, how, {{}, &among});
    rows.graph = std::get<graph::csr_graph<std::uint32_t>>(std::move(any));
  };
  std::vector<double> seconds;
  for (std::uint64_t run = 0; run != o["runs"]; ++run) {
    seconds.push_back(o["posts"] != 0 ? lab::timed(post) : lab::timed(sweep));
  }
  if (o["posts"] != 0) {
    sweep();
  } else {
    post();
  }
  double difference = 0;
  for (std::size_t i = 0; i != posted.size(); ++i) difference += std::abs(posted[i] - swept.scores[rows.first() + i]);
  const bool right = global::reduce_all(difference) < 1e-9;
  return lab::report("pagerank", "scale " + std::to_string(scale) + " by " + (o["posts"] != 0 ? "posts" : "the kernel"),
                     "arcs", arcs * iterations, seconds, right);
}

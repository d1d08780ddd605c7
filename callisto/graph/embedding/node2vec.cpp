// node2vec: pairs of walks, dealt to cells that learn side by side.
#include <callisto/graph/embedding/node2vec.hpp>

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr std::uint64_t most_parts_of_vertices = 16;
constexpr std::uint64_t least_in_part = 64;
/// Pairs that are dealt together, at most, and blocks of walks that make them, whatever the number of threads.
constexpr std::uint64_t pairs_at_once = std::uint64_t{1} << 22;
constexpr std::uint64_t walk_blocks = 64;
/// Entries of a part's table of samples for each of its vertices.
constexpr std::uint64_t table_share = 8;

/// A sequence of random numbers (xorshift64*: Vigna 2016).
class sequence {
 public:
  explicit sequence(std::uint64_t seed) : state_(mix_bits(seed) | 1) {}
  std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }

 private:
  std::uint64_t state_;
};

/// In eight sums, so that they can be made side by side.
float product_of(const float* a, const float* b, std::uint64_t size) noexcept {
  std::array<float, 8> sums{};
  std::uint64_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (std::uint64_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (std::uint64_t k = 0; i < size; ++i, ++k) sums[k] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <class Vertex>
class learning {
  using vectors = machine::page_array<float>;
  using pair_list = std::vector<std::pair<Vertex, Vertex>>;

 public:
  learning(const csr_graph<Vertex>& graph, const node2vec_options& options, const run_control& control)
      : graph_(graph),
        options_(options),
        control_(control),
        n_(graph.vertices()),
        d_(options.dimensions),
        parts_(n_ >= most_parts_of_vertices * least_in_part ? most_parts_of_vertices : 1),
        walker_(graph, options.walks, control),
        mine_(n_ * d_),
        near_(n_ * d_),
        samples_(parts_),
        pairs_(walk_blocks * parts_ * parts_) {
    const auto begin = [&](std::uint64_t v) {
      const counter_random random(options_.walks.seed ^ mix_bits(graph_.label(v) + 1));
      for (std::uint64_t i = 0; i < d_; ++i) {
        mine_[v * d_ + i] = static_cast<float>((to_unit(random(i)) - 0.5) / static_cast<double>(d_));
      }
    };
    if (!parallel_for(std::uint64_t{0}, n_, begin, {.stop = control.stop})) throw cancelled();
    parallel_for(std::uint64_t{0}, parts_, [&](std::uint64_t p) { fill_samples(p); }, {.batch = 1});
  }

  vectors run() {
    const std::uint64_t walks = options_.each * n_;
    const std::uint64_t pairs_of_walk = options_.walks.length * (options_.window + 1);
    const std::uint64_t at_once = std::max<std::uint64_t>(1, pairs_at_once / std::max<std::uint64_t>(1, pairs_of_walk));
    if (control_.report != nullptr) control_.report->begin("vectors", walks, "walks");
    for (std::uint64_t first = 0; first < walks; first += at_once) {
      const std::uint64_t last = std::min(walks, first + at_once);
      deal(first, last);
      constexpr double least_share = 1e-4;
      const double left = 1 - static_cast<double>(first) / static_cast<double>(walks);
      const auto rate = static_cast<float>(options_.rate * std::max(left, least_share));
      for (std::uint64_t turn = 0; turn < parts_; ++turn) {
        const auto learn_cell = [&](std::uint64_t part) { learn(part, (part + turn) % parts_, first, rate); };
        if (!parallel_for(std::uint64_t{0}, parts_, learn_cell, {.batch = 1, .stop = control_.stop})) throw cancelled();
      }
      if (control_.report != nullptr) control_.report->advance(last - first);
    }
    return std::move(mine_);
  }

 private:
  /// Fills the table from which samples of a part are drawn: vertices by the power 3/4 of their degrees.
  void fill_samples(std::uint64_t part) {
    std::vector<Vertex>& table = samples_[part];
    const auto weight = [&](std::uint64_t v) {
      return std::pow(static_cast<double>(graph_.out().degree(v)) + 1e-3, 0.75);
    };
    double all = 0;
    for (std::uint64_t v = part; v < n_; v += parts_) all += weight(v);
    const std::uint64_t size = table_share * ((n_ + parts_ - 1) / parts_);
    table.reserve(size);
    double sum = 0;
    for (std::uint64_t v = part; v < n_; v += parts_) {
      sum += weight(v);
      const auto end = static_cast<std::uint64_t>(sum / all * static_cast<double>(size));
      while (table.size() < std::min(end, size)) table.push_back(static_cast<Vertex>(v));
    }
    if (table.empty()) table.push_back(static_cast<Vertex>(part));
  }

  /// Makes the pairs of these walks, by block of walks and by cell.
  void deal(std::uint64_t first, std::uint64_t last) {
    const auto block = [&](std::uint64_t b) {
      pair_list* const lists = pairs_.data() + b * parts_ * parts_;
      for (std::uint64_t c = 0; c < parts_ * parts_; ++c) lists[c].clear();
      const std::uint64_t begin = first + (last - first) * b / walk_blocks;
      const std::uint64_t end = first + (last - first) * (b + 1) / walk_blocks;
      std::vector<Vertex> walk;
      for (std::uint64_t number = begin; number < end; ++number) {
        walker_.walk(graph_.by_label(number % n_), number, walk);
        const counter_random random(options_.walks.seed ^ mix_bits(number), 1);
        for (std::uint64_t i = 0; i < walk.size(); ++i) {
          // A window of random size: near vertices make more pairs (word2vec).
          const std::uint64_t reach = 1 + below(random(i), options_.window);
          const std::uint64_t from = i > reach ? i - reach : 0;
          for (std::uint64_t j = from; j < std::min<std::uint64_t>(walk.size(), i + reach + 1); ++j) {
            if (i == j) continue;
            lists[walk[i] % parts_ * parts_ + walk[j] % parts_].emplace_back(walk[i], walk[j]);
          }
        }
      }
    };
    if (!parallel_for(std::uint64_t{0}, walk_blocks, block, {.batch = 1, .stop = control_.stop})) throw cancelled();
  }

  void learn(std::uint64_t part, std::uint64_t other, std::uint64_t episode, float rate) {
    sequence random(options_.walks.seed ^ mix_bits(episode * parts_ * parts_ + part * parts_ + other + 1));
    const std::vector<Vertex>& table = samples_[other];
    std::vector<float> change(d_);
    const auto step = [&](float* mine, float* near, float goal) {
      const float found = 1 / (1 + std::exp(-product_of(mine, near, d_)));
      const float by = (goal - found) * rate;
      for (std::uint64_t i = 0; i < d_; ++i) {
        change[i] += by * near[i];
        near[i] += by * mine[i];
      }
    };
    for (std::uint64_t b = 0; b < walk_blocks; ++b) {
      if (control_.stop.stop_requested()) return;
      for (const auto& [u, v] : pairs_[(b * parts_ + part) * parts_ + other]) {
        float* const mine = mine_.data() + u * d_;
        std::fill(change.begin(), change.end(), 0.0F);
        step(mine, near_.data() + v * d_, 1);
        for (std::uint32_t k = 0; k < options_.negative; ++k) {
          const Vertex sample = table[below(random.next(), table.size())];
          if (sample != v) step(mine, near_.data() + sample * d_, 0);
        }
        for (std::uint64_t i = 0; i < d_; ++i) mine[i] += change[i];
      }
    }
  }

  const csr_graph<Vertex>& graph_;
  const node2vec_options& options_;
  const run_control& control_;
  std::uint64_t n_;
  std::uint64_t d_;
  std::uint64_t parts_;  ///< vertex v is of part v % parts_
  random_walker<Vertex> walker_;
  vectors mine_;
  vectors near_;  ///< of vertices as ends of pairs
  std::vector<std::vector<Vertex>> samples_;
  std::vector<pair_list> pairs_;
};

}  // namespace

template <class Vertex>
machine::page_array<float> node2vec(const csr_graph<Vertex>& graph, const node2vec_options& options,
                                    const run_control& control) {
  if (options.dimensions == 0) throw usage_error("vectors of no dimension");
  if (options.window == 0) throw usage_error("a window of no vertex");
  if (!(options.rate > 0 && options.rate <= 1)) {
    throw usage_error(fmt::format("the rate is {}, expected a number above 0 and at most 1", options.rate));
  }
  if (graph.vertices() == 0) return {};
  return learning<Vertex>(graph, options, control).run();
}

template CALLISTO_API machine::page_array<float> node2vec(const csr_graph<std::uint32_t>&, const node2vec_options&,
                                                          const run_control&);
template CALLISTO_API machine::page_array<float> node2vec(const csr_graph<std::uint64_t>&, const node2vec_options&,
                                                          const run_control&);

std::uint64_t needs::node2vec(const any_graph& graph, const node2vec_options& options) noexcept {
  const graph_size s = size_of(graph);
  // Two vectors a vertex, tables, and pairs in lists that grow by doubling.
  return 2 * sizeof(float) * std::uint64_t{options.dimensions} * s.n + 2 * table_share * s.v * s.n +
         random_walks(graph) + 3 * pairs_at_once * 2 * s.v + bytes_of_thread;
}

}  // namespace callisto::graph

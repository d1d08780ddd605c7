// Generators of synthetic graphs: edge i is a function of the seed and of i, so threads make edges independently.
#include <callisto/graph/construction/build_memory.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr std::uint64_t edges_per_block = std::uint64_t{1} << 18;  // 2 MiB of 32-bit edges: one huge page
constexpr std::uint64_t most_vertices = std::uint64_t{1} << 37;    // the limit of build_graph()
constexpr std::uint64_t most_edges = std::uint64_t{1} << 48;

// Streams of random numbers that belong to one seed.
constexpr std::uint64_t edge_stream = 0;
constexpr std::uint64_t permutation_stream = 1;

/// A bijection of [0, size), chosen by a seed: a bijection of the words of `bits_` bits, repeated until the result is
/// below `size` (cycle walking).
class permutation {
 public:
  permutation(std::uint64_t size, std::uint64_t seed)
      : size_(size),
        bits_(std::max(1u, static_cast<unsigned>(std::bit_width(size - 1)))),
        mask_(~std::uint64_t{0} >> (64 - bits_)) {
    const counter_random random(seed, permutation_stream);
    for (std::size_t r = 0; r < rounds; ++r) {
      add_[r] = random(2 * r);
      multiply_[r] = random(2 * r + 1) | 1;  // odd numbers have an inverse modulo 2^bits
    }
  }

  std::uint64_t operator()(std::uint64_t x) const noexcept {
    do {
      for (std::size_t r = 0; r < rounds; ++r) {
        x = (x + add_[r]) * multiply_[r] & mask_;
        x ^= x >> (bits_ + 1) / 2;  // brings the well-mixed high bits down
      }
    } while (x >= size_);
    return x;
  }

 private:
  static constexpr std::size_t rounds = 3;
  std::uint64_t size_;
  unsigned bits_;
  std::uint64_t mask_;
  std::array<std::uint64_t, rounds> add_;
  std::array<std::uint64_t, rounds> multiply_;
};

/// Draws the quadrants of several levels of the Kronecker recursion together, by the alias method (Walker 1977; Vose
/// 1991) on integers.
class quadrant_table {
 public:
  static constexpr unsigned most_levels = 4;

  explicit quadrant_table(unsigned levels) : levels_(levels), entries_(std::size_t{1} << (2 * levels)) {
    // Probabilities are integers in units of 1 / 100^levels, so the table is exact and the same on every machine.
    static constexpr std::array<std::uint64_t, 4> percent{57, 19, 19, 5};
    const std::size_t n = entries_.size();
    std::vector<std::uint64_t> share(n, n);  // probability times n
    std::uint64_t whole = 1;
    for (unsigned l = 0; l < levels; ++l) {
      whole *= 100;
      for (std::size_t k = 0; k < n; ++k) share[k] *= percent[k >> (2 * l) & 3];
    }
    std::vector<std::size_t> small;
    std::vector<std::size_t> large;
    for (std::size_t k = 0; k < n; ++k) {
      entries_[k] = {.keep = whole, .own = ends(k), .other = ends(k)};
      (share[k] < whole ? small : large).push_back(k);
    }
    while (!small.empty()) {
      const std::size_t s = small.back();
      const std::size_t l = large.back();  // not empty: the remaining shares have the mean `whole`
      small.pop_back();
      entries_[s].keep = share[s];
      entries_[s].other = ends(l);
      share[l] -= whole - share[s];
      if (share[l] < whole) {
        large.pop_back();
        small.push_back(l);
      }
    }
    // Thresholds become 32-bit fractions.
    for (auto& e : entries_) e.keep = (e.keep << 32) / whole;
  }

  unsigned levels() const noexcept { return levels_; }

  /// Adds `levels` low bits to both ends of an edge.
  void extend(std::uint64_t word, std::uint64_t& from, std::uint64_t& to) const noexcept {
    const entry& e = entries_[word & (entries_.size() - 1)];
    const bits_of_ends chosen = word >> 32 < e.keep ? e.own : e.other;
    from = from << levels_ | chosen.from;
    to = to << levels_ | chosen.to;
  }

 private:
  struct bits_of_ends {
    std::uint8_t from;
    std::uint8_t to;
  };
  struct entry {
    std::uint64_t keep;
    bits_of_ends own;
    bits_of_ends other;
  };

  /// Splits the quadrants of all levels (2 bits each, the row's bit above the column's) into the bits of both ends.
  bits_of_ends ends(std::size_t k) const noexcept {
    unsigned from = 0;
    unsigned to = 0;
    for (unsigned l = 0; l < levels_; ++l) {
      from |= static_cast<unsigned>(k >> (2 * l + 1) & 1) << l;
      to |= static_cast<unsigned>(k >> (2 * l) & 1) << l;
    }
    return {static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(to)};
  }

  unsigned levels_;
  std::vector<entry> entries_;
};

/// Makes the list of edges draw(0) .. draw(edges - 1); draw() returns an edge. Throws memory_error and cancelled.
template <class Vertex, class Draw>
edge_list<Vertex> drawn(std::uint64_t vertices, std::uint64_t edges, direction meaning, const run_control& control,
                        Draw draw) {
  // The graph is built beside the list: what that takes is known now, not after minutes.
  const std::uint64_t bytes = edges * sizeof(edge<Vertex>);
  require_memory(fmt::format("a graph of {} edges and its list", edges),
                 bytes + needs::build_beside_list(vertices, bytes, edges_per_block * sizeof(edge<Vertex>)));
  if (control.report != nullptr) control.report->begin("generating", edges, "edges");
  edge_list<Vertex> list;
  list.vertices = vertices;
  list.meaning = meaning;
  list.blocks.resize(static_cast<std::size_t>((edges + edges_per_block - 1) / edges_per_block));
  const auto fill = [&](std::size_t b) {
    const std::uint64_t first = b * edges_per_block;
    const auto n = static_cast<std::size_t>(std::min(edges_per_block, edges - first));
    machine::page_array<edge<Vertex>> made(n);
    for (std::size_t i = 0; i < n; ++i) {
      const edge<std::uint64_t> e = draw(first + i);
      made[i] = {static_cast<Vertex>(e.from), static_cast<Vertex>(e.to)};
    }
    list.blocks[b].edges = std::move(made);
    if (control.report != nullptr) control.report->advance(n);
  };
  const loop_options options{.batch = 1, .stop = control.stop};
  if (!parallel_for(std::size_t{0}, list.blocks.size(), fill, options)) throw cancelled();
  return list;
}

template <class Draw>
any_edge_list drawn_any(std::uint64_t vertices, std::uint64_t edges, const generator_options& options,
                        const run_control& control, Draw draw) {
  if (edges > most_edges) {
    throw usage_error(fmt::format("generator: {} edges asked for, at most 2^48 are possible", edges));
  }
  if (options.wide || vertices > std::uint64_t{1} << 32) {
    return drawn<std::uint64_t>(vertices, edges, options.meaning, control, draw);
  }
  return drawn<std::uint32_t>(vertices, edges, options.meaning, control, draw);
}

void check_vertices(std::uint64_t vertices, std::uint64_t edges) {
  if (vertices > most_vertices) {
    throw usage_error(fmt::format("generator: {} vertices asked for, at most 2^37 are possible", vertices));
  }
  if (vertices == 0 && edges != 0) {
    throw usage_error(fmt::format("generator: {} edges asked for between 0 vertices", edges));
  }
}

}  // namespace

any_edge_list generate_kronecker(const kronecker_options& options, const run_control& control) {
  if (options.scale < 1 || options.scale > 37) {
    throw usage_error(fmt::format("Kronecker graph: scale {} found, expected 1 to 37", options.scale));
  }
  if (options.degree > most_edges >> options.scale) {
    throw usage_error(fmt::format("Kronecker graph: degree {} at scale {} gives more than 2^48 edges", options.degree,
                                  options.scale));
  }
  const std::uint64_t vertices = std::uint64_t{1} << options.scale;
  const unsigned levels = quadrant_table::most_levels;
  const quadrant_table table(levels);
  const unsigned rest_levels = options.scale % levels;
  const quadrant_table rest(rest_levels);
  const unsigned words = options.scale / levels + 1;  // random words for each edge
  const counter_random random(options.seed, edge_stream);
  const permutation permuted(vertices, options.seed);
  return drawn_any(vertices, options.degree << options.scale, options, control, [&](std::uint64_t i) {
    edge<std::uint64_t> e{0, 0};
    for (unsigned w = 1; w < words; ++w) table.extend(random(i * words + w), e.from, e.to);
    if (rest_levels != 0) rest.extend(random(i * words), e.from, e.to);
    return edge<std::uint64_t>{permuted(e.from), permuted(e.to)};
  });
}

any_edge_list generate_uniform(const uniform_options& options, const run_control& control) {
  check_vertices(options.vertices, options.edges);
  const counter_random random(options.seed, edge_stream);
  return drawn_any(options.vertices, options.edges, options, control, [&](std::uint64_t i) {
    return edge<std::uint64_t>{below(random(2 * i), options.vertices), below(random(2 * i + 1), options.vertices)};
  });
}

any_edge_list generate_power_law(const power_law_options& options, const run_control& control) {
  check_vertices(options.vertices, options.edges);
  if (!(options.exponent > 2 && options.exponent <= 100)) {
    throw usage_error(
        fmt::format("power-law graph: exponent {} found, expected a number above 2 and at most 100", options.exponent));
  }
  // The weight of vertex i is the integral of x^-a over [i, i + 1): so the distribution has a closed inverse.
  // F(x) = (x^(1-a) - 1) / ((n+1)^(1-a) - 1) on [1, n + 1).
  const double a = 1 / (options.exponent - 1);
  const double span = std::pow(static_cast<double>(options.vertices) + 1, 1 - a) - 1;
  const counter_random random(options.seed, edge_stream);
  const permutation permuted(std::max<std::uint64_t>(options.vertices, 1), options.seed);
  const auto end = [&](std::uint64_t word) {
    const double x = std::pow(1 + to_unit(word) * span, 1 / (1 - a));
    const auto vertex = static_cast<std::uint64_t>(x) - 1;
    return permuted(std::min(vertex, options.vertices - 1));  // rounding may give options.vertices
  };
  return drawn_any(options.vertices, options.edges, options, control,
                   [&](std::uint64_t i) { return edge<std::uint64_t>{end(random(2 * i)), end(random(2 * i + 1))}; });
}

any_edge_list generate_grid(const grid_options& options, const run_control& control) {
  const std::uint64_t rows = options.rows;
  const std::uint64_t columns = options.columns;
  if (rows == 0 || columns == 0) {
    throw usage_error(fmt::format("grid: {} by {} vertices asked for, expected 1 or more each way", rows, columns));
  }
  if (columns > most_vertices / rows) {
    throw usage_error(fmt::format("grid: {} by {} vertices asked for, at most 2^37 are possible", rows, columns));
  }
  const std::uint64_t across = rows * (columns - 1);
  return drawn_any(rows * columns, across + (rows - 1) * columns, options, control, [&](std::uint64_t i) {
    if (i >= across) return edge<std::uint64_t>{i - across, i - across + columns};
    const std::uint64_t v = i / (columns - 1) * columns + i % (columns - 1);
    return edge<std::uint64_t>{v, v + 1};
  });
}

}  // namespace callisto::graph

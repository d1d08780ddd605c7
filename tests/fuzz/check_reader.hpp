// Reads one input in several ways that must agree: as a whole, in chunks of a few bytes, and as a compressed stream.
// The fuzzers run it on generated inputs, a unit test on the inputs of corpus/.
#pragma once

#include <callisto/graph/files/read.hpp>
#include <callisto/machine/system/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <zlib.h>

namespace callisto::graph::check {

/// Returns the edges of all blocks with 64-bit vertices, or the error of reading them.
struct outcome {
  std::string error;
  std::uint64_t vertices = 0;
  bool undirected = false;
  bool weighted = false;
  std::uint64_t first_label = 0;
  std::vector<std::uint64_t> labels;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  std::vector<double> weights;
  std::vector<std::string> names;  ///< empty if vertices have none

  bool operator==(const outcome&) const = default;
};

inline outcome flattened(const any_edge_list& any) {
  return std::visit(
      [](const auto& list) {
        outcome flat;
        flat.vertices = list.vertices;
        flat.undirected = list.meaning == direction::undirected;
        flat.weighted = list.weighted;
        flat.first_label = list.first_label;
        flat.labels.assign(list.labels.begin(), list.labels.end());
        for (std::uint64_t i = 0; list.names != nullptr && i < list.names->size(); ++i) {
          flat.names.emplace_back((*list.names)[i]);
        }
        for (const auto& block : list.blocks) {
          for (const auto& e : block.edges) flat.edges.emplace_back(e.from, e.to);
          for (std::size_t i = 0; i < block.weights.size(); ++i) flat.weights.push_back(block.weights[i]);
        }
        return flat;
      },
      any);
}

inline outcome read_as(std::span<const std::byte> bytes, const std::string& name, const read_options& options) {
  try {
    return flattened(read_edges(bytes, name, options));
  } catch (const std::runtime_error& e) {  // input_error, and usage_error for a wish that the file cannot fulfil
    outcome failed;
    failed.error = e.what();
    return failed;
  }
}

/// Returns the bytes as a gzip member; without `level` they are stored, not compressed.
inline std::vector<std::byte> gzipped(std::span<const std::byte> bytes, int level = 0) {
  z_stream state{};
  if (deflateInit2(&state, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::vector<std::byte> result(deflateBound(&state, static_cast<uLong>(bytes.size())));
  state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(result.data());
  state.avail_out = static_cast<uInt>(result.size());
  if (deflate(&state, Z_FINISH) != Z_STREAM_END) std::abort();
  result.resize(state.total_out);
  deflateEnd(&state);
  return result;
}

inline void expect(bool holds, const char* what, const outcome& one, const outcome& other) {
  if (holds) return;
  std::fprintf(stderr, "%s\n  %zu edges, error '%s'\n  %zu edges, error '%s'\n", what, one.edges.size(),
               one.error.c_str(), other.edges.size(), other.error.c_str());
  std::abort();
}

/// Aborts unless all ways agree and the result is consistent in itself.
inline void check_reader(std::span<const std::byte> bytes, file_format format) {
  const std::string name = "input";
  const bool binary = format == file_format::gapbs_sg || format == file_format::gapbs_wsg;
  const outcome whole = read_as(bytes, name, {.format = format});
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{16}}) {
    const outcome small = read_as(bytes, name, {.format = format, .chunk_bytes = chunk});
    expect(small == whole, "chunks differ from the whole", small, whole);
  }
  // An input that begins like a compressed file has another meaning inside gzip.
  const auto first_two = [&](unsigned first, unsigned mask, unsigned second) {
    return bytes.size() >= 2 && (std::to_integer<unsigned>(bytes[0]) & mask) == first &&
           std::to_integer<unsigned>(bytes[1]) == second;
  };
  const bool compressed = first_two(0x1f, 0xff, 0x8b) || first_two(0x28, 0xff, 0xb5) || first_two(0x50, 0xf0, 0x2a);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool packed = text.starts_with("BZh") || text.starts_with("PK") || text.starts_with("LZIP") ||
                      text.starts_with("\xfd\x37") || text.starts_with("\x04\x22") || bytes.size() >= 512;
  if (!compressed && !packed && whole.error.find("is packed with") == std::string::npos) {
    const outcome stream = read_as(gzipped(bytes), name, {.format = format, .chunk_bytes = 16});
    // The size of a stream, which decides about binary formats, is known only at its end.
    const std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // of what follows a byte order mark
    const bool by_size = binary || (begin < bytes.size() && bytes[begin] <= std::byte{1});
    expect(stream == whole || (by_size && !stream.error.empty()), "a stream differs from the whole", stream, whole);
  }
  for (const auto& [from, to] : whole.edges) {
    expect(from < whole.vertices && to < whole.vertices, "a vertex is out of range", whole, whole);
  }
  expect(whole.weights.size() == (whole.weighted ? whole.edges.size() : 0), "weights are missing", whole, whole);
  for (std::size_t i = 1; i < whole.labels.size(); ++i) {
    expect(whole.labels[i - 1] < whole.labels[i], "labels do not ascend", whole, whole);
  }
  for (std::size_t i = 1; i < whole.names.size(); ++i) {
    expect(whole.names[i - 1] < whole.names[i], "names do not ascend", whole, whole);
  }
  expect(whole.names.empty() || whole.names.size() == whole.vertices, "names are missing", whole, whole);
}

/// The fuzz targets: each has a folder of this name in tests/fuzz/corpus.
struct fuzz_target {
  const char* name;
  file_format format;
};
inline constexpr std::array<fuzz_target, 27> fuzz_targets{{
    {"automatic", file_format::automatic},
    {"compressed", file_format::automatic},
    {"edge_list", file_format::edge_list},
    {"weighted_edge_list", file_format::weighted_edge_list},
    {"matrix_market", file_format::matrix_market},
    {"dimacs", file_format::dimacs},
    {"metis", file_format::metis},
    {"gapbs_sg", file_format::gapbs_sg},
    {"gapbs_wsg", file_format::gapbs_wsg},
    {"table", file_format::table},
    {"adjacency_list", file_format::adjacency_list},
    {"ligra", file_format::ligra},
    {"pajek", file_format::pajek},
    {"gml", file_format::gml},
    {"graphml", file_format::graphml},
    {"gexf", file_format::gexf},
    {"npz", file_format::npz},
    {"npy", file_format::npy},
    {"json", file_format::node_link},
    {"dot", file_format::dot},
    {"lgl", file_format::lgl},
    {"sif", file_format::sif},
    {"tgf", file_format::tgf},
    {"dl", file_format::dl},
    {"ntriples", file_format::ntriples},
    {"encoded", file_format::automatic},
    {"archive", file_format::automatic},
}};

}  // namespace callisto::graph::check

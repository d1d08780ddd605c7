// The reader of the GAP Benchmark Suite's serialized graphs (.sg, .wsg; WriterBase::WriteSerializedGraph in its
// src/writer.h): a byte that says whether the graph is directed, 64-bit counts of arcs and vertices, 64-bit offsets of
// the rows, the neighbours (32 bits, in .wsg followed by a 32-bit weight); if directed, then offsets and neighbours of
// the in-edges. The first byte leaves everything behind it unaligned. An undirected graph holds each edge in both rows,
// and counts it twice.
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/symmetry.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace callisto::graph::formats {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian and read as they are");

template <class T>
T load(const char* p) noexcept {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

using machine::page_array;
using vertex = std::uint32_t;

page_array<std::uint64_t> read_offsets(input::source& from, const gapbs_header& header) {
  page_array<std::uint64_t> offsets(header.vertices + 1);
  constexpr std::uint64_t begin = gapbs_header::bytes;
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  from.for_each_block(
      begin, begin + 8 * offsets.size(), block_bytes, [&](std::uint64_t position, std::span<const char> bytes) {
        std::memcpy(reinterpret_cast<char*>(offsets.data()) + (position - begin), bytes.data(), bytes.size());
      });
  // The first row that ends before it begins.
  const std::uint64_t faulty = parallel_reduce(
      std::uint64_t{0}, header.vertices, header.vertices,
      [&](std::uint64_t v) { return offsets[v] > offsets[v + 1] ? v : header.vertices; },
      [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  if (faulty != header.vertices || offsets[0] != 0 || offsets[header.vertices] != header.arcs) {
    throw input_error(from.name(), 0, "damaged: the offsets of its rows do not ascend from 0 to the number of arcs");
  }
  return offsets;
}

/// Returns the arcs [first, first + count) from their records at `bytes`. Throws input_error for a neighbour outside
/// the graph.
edge_block<vertex> expand(const char* bytes, std::uint64_t first, std::uint64_t count,
                          const page_array<std::uint64_t>& offsets, bool weighted, const std::string& name) {
  const std::uint64_t vertices = offsets.size() - 1;
  edge_block<vertex> block{page_array<edge<vertex>>(count), weight_array(weighted ? count : 0)};
  auto row = static_cast<std::uint64_t>(std::upper_bound(offsets.begin(), offsets.end(), first) - offsets.begin()) - 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    while (offsets[row + 1] <= first + i) ++row;
    const auto to = load<vertex>(bytes);
    bytes += sizeof(vertex);
    if (to >= vertices) {
      throw input_error(name, 0,
                        "damaged: vertex " + std::to_string(row) + " has the neighbour " + std::to_string(to) +
                            " in a graph of " + std::to_string(vertices) + " vertices");
    }
    block.edges[i] = {static_cast<vertex>(row), to};
    if (weighted) {
      block.weights.set(i, load<std::int32_t>(bytes));
      bytes += sizeof(std::int32_t);
    }
  }
  return block;
}

}  // namespace

std::uint64_t gapbs_header::file_bytes(std::uint64_t neighbour_bytes) const noexcept {
  return bytes + (directed ? 2 : 1) * (8 * (vertices + 1) + neighbour_bytes * arcs);
}

std::optional<gapbs_header> to_gapbs_header(std::string_view head) noexcept {
  if (head.size() < gapbs_header::bytes || static_cast<unsigned char>(head[0]) > 1) return std::nullopt;
  gapbs_header header;
  header.directed = head[0] != 0;
  header.arcs = load<std::uint64_t>(head.data() + 1);
  header.vertices = load<std::uint64_t>(head.data() + 9);
  constexpr std::uint64_t most_vertices = std::uint64_t{1} << 31;  // ids are 32-bit with a sign
  constexpr std::uint64_t most_arcs = std::uint64_t{1} << 58;
  if (header.vertices == 0 || header.vertices > most_vertices || header.arcs > most_arcs) return std::nullopt;
  return header;
}

any_edge_list read_gapbs(input::source& from, bool weighted, const read_options& options) {
  const auto found = to_gapbs_header(from.head());
  if (!found) {
    throw input_error(from.name(), 0,
                      from.head().size() < gapbs_header::bytes
                          ? "truncated: a GAPBS graph begins with a header of 17 bytes"
                          : "expected the header of a GAPBS graph: 0 or 1, then the numbers of arcs and vertices");
  }
  const gapbs_header header = *found;
  const std::uint64_t record_bytes = weighted ? 8 : 4;
  const std::uint64_t file_bytes = header.file_bytes(record_bytes);
  if (from.size()) from.expect_end(file_bytes);

  const page_array<std::uint64_t> offsets = read_offsets(from, header);
  edge_list<vertex> list;
  list.vertices = header.vertices;
  list.meaning = !header.directed || options.undirected ? direction::undirected : direction::directed;
  list.weighted = weighted;
  constexpr std::uint64_t arcs_a_block = std::uint64_t{1} << 17;
  symmetry_sums sums;
  // Grows with what is read: the header of a file of unknown size may promise any number of arcs.
  std::mutex growing;
  const std::uint64_t begin = gapbs_header::bytes + 8 * offsets.size();
  from.for_each_block(begin, begin + record_bytes * header.arcs, arcs_a_block * record_bytes,
                      [&](std::uint64_t position, std::span<const char> bytes) {
                        const std::uint64_t first = (position - begin) / record_bytes;
                        edge_block<vertex> block =
                            expand(bytes.data(), first, bytes.size() / record_bytes, offsets, weighted, from.name());
                        symmetry_sums block_sums;
                        if (!header.directed) keep_upward(block, block_sums);
                        const std::uint64_t index = first / arcs_a_block;
                        const std::lock_guard lock(growing);
                        if (index >= list.blocks.size()) list.blocks.resize(index + 1);
                        list.blocks[index] = std::move(block);
                        sums.add(block_sums);
                      });
  from.expect_end(file_bytes);
  if (!sums.symmetric()) {
    throw input_error(from.name(), 0, "damaged: an edge of the undirected graph stands in one of its two rows only");
  }
  return list;
}

}  // namespace callisto::graph::formats

// Parses the header of an array of numpy, and reads the arrays that hold edges: pairs, or a matrix.
#include <callisto/graph/files/formats/npy.hpp>

#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/npy_edges.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace callisto::graph::formats {

npy_array::npy_array(const input::source& from, const std::string& what, std::string_view bytes) : bytes_(bytes) {
  const auto fail = [&](const std::string& message) {
    throw input_error(from.name(), 0, (what.empty() ? "" : what + ": ") + message);
  };
  constexpr std::string_view magic = "\x93NUMPY";
  constexpr std::size_t version_at = 6;
  constexpr std::size_t size_at = 8;
  if (!bytes.starts_with(magic) || bytes.size() < 12) fail("expected an array of numpy");
  const bool first_version = bytes[version_at] == 1;
  std::size_t header =
      static_cast<unsigned char>(bytes[size_at]) + std::size_t{256} * static_cast<unsigned char>(bytes[size_at + 1]);
  if (!first_version) {
    header += (std::size_t{static_cast<unsigned char>(bytes[size_at + 2])} << 16) +
              (std::size_t{static_cast<unsigned char>(bytes[size_at + 3])} << 24);
  }
  const std::size_t begin = size_at + (first_version ? 2 : 4);
  if (bytes.size() - begin < header) fail("truncated");
  const std::string_view text = bytes.substr(begin, header);
  bytes_ = bytes.substr(begin + header);
  const std::size_t descr = text.find("'descr': '");
  constexpr std::size_t behind = 10;
  if (descr == text.npos || descr + behind + 3 > text.size()) fail("the type of its elements is not understood");
  std::string_view type = text.substr(descr + behind);
  type = type.substr(0, type.find('\''));
  if (type.size() < 3 || type[0] == '>') fail("elements of type " + input::shown(type) + " are not read");
  kind_ = type[1];
  const auto width = input::to_unsigned(type.substr(2));
  if (!width || *width == 0 || *width > 64) fail("elements of type " + input::shown(type) + " are not read");
  width_ = *width * (kind_ == 'U' ? 4 : 1);
  const bool text_type = kind_ == 'S' || kind_ == 'U';
  const bool whole = (kind_ == 'i' || kind_ == 'u' || kind_ == 'b') && std::has_single_bit(width_) && width_ <= 8;
  const bool real = kind_ == 'f' && (width_ == 4 || width_ == 8);
  if (!text_type && !whole && !real) fail("elements of type " + input::shown(type) + " are not read");
  columns_first_ = text.find("'fortran_order': True") != text.npos;
  const std::size_t open = text.find("'shape': (");
  if (open == text.npos) fail("its shape is not understood");
  constexpr std::size_t before = 10;
  std::uint64_t elements = 1;
  for (const char* p = text.data() + open + before; p != text.data() + text.size() && *p != ')';) {
    const auto [stop, error] = std::from_chars(p, text.data() + text.size(), shape_.emplace_back());
    if (error != std::errc{} || __builtin_mul_overflow(elements, shape_.back(), &elements)) {
      fail("its shape is not understood");
    }
    p = std::find_if(stop, text.data() + text.size(), [](char c) { return c != ',' && c != ' ' && c != 'L'; });
  }
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(elements, std::uint64_t{width_}, &size) || bytes_.size() < size) fail("truncated");
  bytes_ = bytes_.substr(0, size);
}

namespace {

/// A weight of an array. Throws input_error for one that is no finite number.
double npy_weight(const npy_array& values, std::uint64_t i, const input::source& from) {
  const double value = values.real(i);
  if (!std::isfinite(value)) throw input_error(from.name(), 0, "weight " + std::to_string(i) + " is no finite number");
  return value;
}

}  // namespace

any_edge_list edges_of_ends(const array_ends& ends, std::optional<std::uint64_t> vertices, const npy_array* values,
                            const input::source& from, const read_options& options, read_report& report) {
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < ends.edges; ++i) {
    for (const std::int64_t id : {ends.from(i), ends.to(i)}) {
      if (id < 0) throw input_error(from.name(), 0, "edge " + std::to_string(i) + ": an end is no vertex number");
      largest = std::max(largest, static_cast<std::uint64_t>(id));
    }
  }
  if (ends.edges == 0 && !vertices) throw input_error(from.name(), 0, "no edges: the array is empty");
  const std::uint64_t count = vertices.value_or(largest + 1);
  check_vertices(count, from, 0);
  if (largest >= count) {
    throw input_error(from.name(), 0, "vertex " + std::to_string(largest) + " is none of " + std::to_string(count));
  }
  // Few edges between large ids are no arrays of neighbours: the vertices in between would fill the memory.
  constexpr std::uint64_t dense = std::uint64_t{1} << 24;
  if (!vertices && count > dense && count / 64 > ends.edges) {
    throw input_error(from.name(), 0,
                      "has vertex " + std::to_string(largest) + " in " + input::counted(ends.edges, "edge") +
                          ": ids are no numbers of vertices; write them as text");
  }
  const bool weighted = values != nullptr && !values->is_bool() && options.weights_column != "none";
  report.direction_known = false;
  return with_vertex_type(count, [&]<class Vertex>(Vertex) -> any_edge_list {
    edge_list<Vertex> list;
    list.vertices = count;
    list.weighted = weighted;
    list.meaning = direction_of(false, options);
    edge_block<Vertex> block;
    block.edges = machine::page_array<edge<Vertex>>(ends.edges);
    if (weighted) block.weights = weight_array(ends.edges);
    for (std::uint64_t i = 0; i < ends.edges; ++i) {
      block.edges[i] = {static_cast<Vertex>(ends.from(i)), static_cast<Vertex>(ends.to(i))};
      if (weighted) block.weights.set(i, npy_weight(*values, ends.value(i), from));
    }
    list.blocks.push_back(std::move(block));
    return list;
  });
}

any_edge_list edges_of_matrix(std::uint64_t rows, std::uint64_t columns, bool weighted,
                              const std::vector<matrix_entry>& entries, const input::source& from,
                              const read_options& options, const run_control& control, read_report& report) {
  report.direction_known = false;
  if (rows == columns && !options.bipartite) {
    check_vertices(rows, from, 0);
    return with_vertex_type(rows, [&]<class Vertex>(Vertex) -> any_edge_list {
      edge_list<Vertex> list;
      list.vertices = rows;
      list.weighted = weighted;
      list.meaning = direction_of(false, options);
      edge_block<Vertex> block;
      block.edges = machine::page_array<edge<Vertex>>(entries.size());
      if (weighted) block.weights = weight_array(entries.size());
      for (std::size_t i = 0; i < entries.size(); ++i) {
        block.edges[i] = {static_cast<Vertex>(entries[i].row), static_cast<Vertex>(entries[i].column)};
        if (weighted) block.weights.set(i, entries[i].value);
      }
      list.blocks.push_back(std::move(block));
      return list;
    });
  }
  two_sides sides(rows, columns, 0, from);
  std::vector<named_block> blocks(1);
  blocks[0].edges = machine::page_array<edge<std::uint32_t>>(entries.size());
  if (weighted) blocks[0].weights = weight_array(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    blocks[0].edges[i] = sides.between(entries[i].row, entries[i].column);
    if (weighted) blocks[0].weights.set(i, entries[i].value);
  }
  return std::move(sides).finish(std::move(blocks), weighted, options, control, report);
}

two_sides::two_sides(std::uint64_t rows, std::uint64_t columns, std::uint64_t first, const input::source& from)
    : rows_(rows) {
  check_vertices(rows, from, 0);
  check_vertices(columns, from, 0);
  if (rows + columns > std::numeric_limits<std::uint32_t>::max()) {
    throw input_error(from.name(), 0, "its rows and columns are more than 2^32 - 1 vertices with names");
  }
  tables_.emplace_back();
  for (std::uint64_t i = 0; i < rows; ++i) tables_[0].number_of("left-" + std::to_string(i + first));
  for (std::uint64_t i = 0; i < columns; ++i) tables_[0].number_of("right-" + std::to_string(i + first));
  columns_ = columns;
}

any_edge_list two_sides::finish(std::vector<named_block> blocks, bool weighted, const read_options& options,
                                const run_control& control, read_report& report) && {
  report.direction_known = true;
  report.notes.push_back("rows and columns, " + std::to_string(rows_) + " by " + std::to_string(columns_) +
                         ", are different vertices, called left-ID and right-ID");
  any_edge_list list =
      number_by_name(std::move(blocks), std::move(tables_), weighted, numeric_names::stay_names, control);
  std::visit([&](auto& l) { l.meaning = direction_of(true, options); }, list);
  return list;
}

any_edge_list edges_of_array(const npy_array& array, const input::source& from, const read_options& options,
                             const run_control& control, read_report& report) {
  const auto& shape = array.shape();
  if (shape.size() != 2 || array.is_text()) {
    throw input_error(from.name(), 0,
                      "is an array of " + input::counted(shape.size(), "dimension") +
                          ", expected pairs of vertices (2 rows, or 2 or 3 columns) or a square matrix of numbers");
  }
  const std::uint64_t rows = shape[0];
  const std::uint64_t columns = shape[1];
  const auto whole = [&](std::uint64_t row, std::uint64_t column) { return array.whole(array.at_place(row, column)); };
  if (columns == 2 || (columns == 3 && rows != 3 && (rows != 2 || array.is_real()))) {
    if (rows == 2) {
      report.notes.push_back("is 2 by " + std::to_string(columns) +
                             ": taken as an edge a row, not as ends in two rows");
    }
    const array_ends ends{rows, [&](std::uint64_t i) { return whole(i, 0); },
                          [&](std::uint64_t i) { return whole(i, 1); },
                          [&](std::uint64_t i) { return array.at_place(i, 2); }};
    return edges_of_ends(ends, std::nullopt, columns == 3 ? &array : nullptr, from, options, report);
  }
  if (rows == 2) {  // edge_index of PyG
    const array_ends ends{
        columns, [&](std::uint64_t i) { return whole(0, i); }, [&](std::uint64_t i) { return whole(1, i); }, {}};
    return edges_of_ends(ends, std::nullopt, nullptr, from, options, report);
  }
  if (rows != columns && !options.bipartite) {
    throw input_error(from.name(), 0,
                      "is an array of " + std::to_string(rows) + " by " + std::to_string(columns) +
                          ", expected pairs of vertices (2 rows, or 2 or 3 columns) or a square matrix (--bipartite "
                          "takes rows and columns as different vertices)");
  }
  bool weighted = false;
  std::vector<matrix_entry> entries;
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t j = 0; j < columns; ++j) {
      const double value = npy_weight(array, array.at_place(i, j), from);
      if (value == 0) continue;
      entries.push_back({i, j, value});
      weighted = weighted || value != 1;
    }
  }
  weighted = weighted && options.weights_column != "none";
  report.notes.push_back("is taken as a matrix of " + std::to_string(rows) + " by " + std::to_string(columns));
  return edges_of_matrix(rows, columns, weighted, entries, from, options, control, report);
}

any_edge_list read_npy(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  const std::string bytes = input::read_all(from);
  return edges_of_array(npy_array(from, {}, bytes), from, options, control, report);
}

}  // namespace callisto::graph::formats

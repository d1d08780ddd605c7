// Columns of vertices and of edges: what a file says of them beside ends, names and weights.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph {

/// Type of the values of a column. Native files hold the numbers.
enum class column_type : std::uint32_t {
  whole = 1,  ///< whole numbers from -2^63 to 2^63 - 1
  real = 2,   ///< doubles
  truth = 3,  ///< true or false
  text = 4,   ///< UTF-8
};

/// Returns Arrow's name of a type: "int64", "double", "bool" or "string".
CALLISTO_API std::string_view name_of(column_type type) noexcept;

/// A column in the memory layout of Arrow (int64, double, bool, large_string). Immutable once made: any number of
/// threads may read.
struct column {
  std::string name;
  column_type type = column_type::text;
  std::uint64_t rows = 0;
  machine::page_array<std::uint8_t> validity = {};  ///< a bit a row, lowest first, 1: has a value; empty: all have one
  machine::page_array<std::int64_t> offsets = {};   ///< of text: rows + 1
  machine::page_array<std::byte> values = {};       ///< 8 bytes a row, of truth a bit; of text all bytes

  bool has(std::uint64_t i) const noexcept { return validity.empty() || (validity[i / 8] >> (i % 8) & 1) != 0; }
  std::int64_t whole(std::uint64_t i) const noexcept { return word<std::int64_t>(i); }
  double real(std::uint64_t i) const noexcept { return word<double>(i); }
  bool truth(std::uint64_t i) const noexcept { return (std::to_integer<unsigned>(values[i / 8]) >> (i % 8) & 1) != 0; }
  std::string_view text(std::uint64_t i) const noexcept {
    return {reinterpret_cast<const char*>(values.data()) + offsets[i],
            static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }

  /// Appends the value of row i as text that reads back as the same value; nothing if it is missing.
  CALLISTO_API void append(std::string& to, std::uint64_t i) const;

 private:
  template <class T>
  T word(std::uint64_t i) const noexcept {
    T value;
    std::memcpy(&value, values.data() + 8 * i, sizeof value);
    return value;
  }
};

using column_list = std::vector<std::shared_ptr<const column>>;

/// The columns of a graph or of a list of edges. Names of a list are different.
struct graph_attributes {
  column_list vertices;  ///< row i belongs to the vertex with the i-th smallest label
  column_list edges;     ///< row e belongs to edge e: edge_numbers.hpp; of a list to its e-th edge

  bool empty() const noexcept { return vertices.empty() && edges.empty(); }
};

/// Returns the column of this name, or null.
CALLISTO_API const column* find_column(const column_list& columns, std::string_view name) noexcept;

/// The cells of a column as text, while a file is read. Thread-safety: one thread at a time.
class column_cells {
 public:
  void add(std::string_view text) {
    bytes_ += text;
    ends_.push_back(bytes_.size());
  }
  void add_missing() { ends_.push_back(bytes_.size() | missing_mark); }
  /// Adds missing cells until there are `rows`.
  void fill(std::uint64_t rows) { ends_.resize(rows, bytes_.size() | missing_mark); }

  std::uint64_t size() const noexcept { return ends_.size(); }
  bool has(std::uint64_t i) const noexcept { return (ends_[i] & missing_mark) == 0; }
  std::string_view operator[](std::uint64_t i) const noexcept {
    const std::uint64_t begin = begin_of(i);
    return std::string_view(bytes_).substr(begin, end_of(i) - begin);
  }
  std::uint64_t begin_of(std::uint64_t i) const noexcept { return i == 0 ? 0 : end_of(i - 1); }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::uint64_t missing_mark = std::uint64_t{1} << 63;
  std::uint64_t end_of(std::uint64_t i) const noexcept { return ends_[i] & ~missing_mark; }

  std::string bytes_;
  std::vector<std::uint64_t> ends_;
};

/// Returns the column of all cells of `parts`, in sequence. Its type is `declared`; if a cell does not fit it, or
/// without it, the first of these types that all cells fit: whole, truth, real, text. "07" is text. In columns that
/// are not text, NA, NaN, null and None are missing. Text that is not UTF-8 is taken as Windows-1252. Throws cancelled.
CALLISTO_API std::shared_ptr<const column> column_of(std::string name, std::span<const column_cells> parts,
                                                     std::optional<column_type> declared = {},
                                                     const run_control& control = {});

/// A row that is none: its value is missing.
inline constexpr std::uint64_t no_row = ~std::uint64_t{0};

/// Returns the columns with these of their rows, in this order. Throws cancelled.
CALLISTO_API column_list rows_of(const column_list& columns, std::span<const std::uint64_t> rows,
                                 const run_control& control = {});

/// Returns both, or null if both are empty.
CALLISTO_API std::shared_ptr<const graph_attributes> attributes_of(column_list vertices, column_list edges);

}  // namespace callisto::graph

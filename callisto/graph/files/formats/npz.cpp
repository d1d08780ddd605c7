// The reader of archives of numpy's arrays: sparse matrices of scipy (scipy.sparse.save_npz) in all its forms, those of
// the benchmarks of graph neural networks (adj_data, adj_indices ...), and arrays of edges as PyG and DGL name them.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/csr_blocks.hpp>
#include <callisto/graph/files/formats/npy_edges.hpp>
#include <callisto/graph/files/input/archive.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

class npz_reader {
 public:
  npz_reader(const input::source& from, const std::string& bytes, const read_options& options,
             const run_control& control, read_report& report)
      : from_(from), options_(options), control_(control), report_(report) {
    members_ = input::members_of(bytes, from.name());
    for (const auto& [path, content] : members_) {
      constexpr std::string_view suffix = ".npy";
      if (!path.ends_with(suffix)) continue;
      arrays_.emplace(path.substr(0, path.size() - suffix.size()), content);
    }
  }

  any_edge_list run() {
    if (has("adj_indptr")) prefix_ = "adj_";
    if (has("shape") || has("indptr") || has("format")) return matrix();
    if (auto edges = edges_of_arrays()) return std::move(*edges);
    if (arrays_.size() == 1) {
      return edges_of_array(array(arrays_.begin()->first), from_, options_, control_, report_);
    }
    fail("expected a sparse matrix of scipy (save_npz), or arrays called edge_index, or src and dst; found " + names());
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw input_error(from_.name(), 0, message); }

  bool has(const std::string& name) const { return arrays_.contains(prefix_ + name); }

  npy_array array(const std::string& name) const {
    const auto found = arrays_.find(prefix_ + name);
    if (found == arrays_.end()) {
      fail("expected a sparse matrix of scipy (save_npz), but there is no array '" + prefix_ + name + "'");
    }
    return npy_array(from_, found->first + ".npy", found->second);
  }

  std::string names() const {
    std::string text;
    for (const auto& [name, content] : arrays_) text += (text.empty() ? "" : ", ") + input::shown(name);
    return text.empty() ? "no arrays" : text;
  }

  /// Returns the first of these names that an array has.
  std::optional<std::string> first_of(std::initializer_list<const char*> wanted) const {
    for (const char* name : wanted) {
      if (has(name)) return name;
    }
    return std::nullopt;
  }

  /// Reads arrays of edges; returns nothing if there are none.
  std::optional<any_edge_list> edges_of_arrays() {
    std::optional<std::uint64_t> vertices;
    if (const auto name = first_of({"num_nodes", "num_vertices"})) {
      const npy_array count = array(*name);
      if (count.size() == 1) vertices = static_cast<std::uint64_t>(count.whole(0));
    }
    std::optional<npy_array> values;
    if (const auto name = first_of({"edge_weight", "edge_weights", "weight", "weights"})) values = array(*name);
    const auto list = [&](const array_ends& ends) {
      if (values && values->size() != ends.edges) fail("its arrays have different lengths");
      return edges_of_ends(ends, vertices, values ? &*values : nullptr, from_, options_, report_);
    };
    const auto self = [](std::uint64_t i) { return i; };
    for (const auto& [one, other] : {std::pair("src", "dst"), std::pair("source", "target"), std::pair("row", "col"),
                                     std::pair("u", "v"), std::pair("senders", "receivers")}) {
      if (!has(one) || !has(other)) continue;
      const npy_array from = array(one);
      const npy_array to = array(other);
      if (from.size() != to.size() || from.is_text() || to.is_text()) fail("its arrays have different lengths");
      return list({from.size(), [&](std::uint64_t i) { return from.whole(i); },
                   [&](std::uint64_t i) { return to.whole(i); }, self});
    }
    const auto name = first_of({"edge_index", "edges", "edge_list", "edgelist"});
    if (!name) return std::nullopt;
    const npy_array pairs = array(*name);
    const auto& shape = pairs.shape();
    if (shape.size() != 2 || (shape[0] != 2 && shape[1] != 2) || pairs.is_text()) {
      return edges_of_array(pairs, from_, options_, control_, report_);
    }
    const bool index = shape[0] == 2 && (shape[1] != 2 || *name == "edge_index");
    const auto end = [&pairs, index](std::uint64_t side) {
      return [&pairs, index, side](std::uint64_t i) {
        return pairs.whole(index ? pairs.at_place(side, i) : pairs.at_place(i, side));
      };
    };
    return list({index ? shape[1] : shape[0], end(0), end(1), self});
  }

  any_edge_list matrix() {
    const std::string form = has("format") ? array("format").text() : "csr";
    const npy_array shape = array("shape");
    if (shape.size() != 2 || shape.is_text()) fail("expected a matrix of rows and columns");
    rows_ = static_cast<std::uint64_t>(shape.whole(0));
    columns_ = static_cast<std::uint64_t>(shape.whole(1));
    check_vertices(rows_, from_, 0);
    check_vertices(columns_, from_, 0);
    const npy_array data = array("data");
    if (data.is_text()) fail("its data are no numbers");
    weighted_ = !data.is_bool() && options_.weights_column != "none";
    for (std::uint64_t i = 0; weighted_ && i < data.size(); ++i) {
      if (!std::isfinite(data.real(i))) fail("entry " + std::to_string(i) + " is no finite number");
    }
    if (form == "csr" || form == "csc") return compressed(data, form == "csc");
    if (form == "coo") return coordinates(data);
    if (form == "bsr") return blocks(data);
    if (form == "dia") return diagonals(data);
    fail("is a matrix in the form " + input::shown(form) + "; csr, csc, coo, bsr and dia are read");
  }

  any_edge_list compressed(const npy_array& data, bool transposed) {
    const npy_array offsets = array("indptr");
    const npy_array targets = array("indices");
    const std::uint64_t lines = transposed ? columns_ : rows_;
    if (offsets.size() != lines + 1 || targets.size() != data.size()) fail("its arrays have lengths that do not fit");
    if (is_plain(data)) {
      report_.direction_known = false;
      const csr_matrix matrix{rows_,
                              data.size(),
                              [&](std::uint64_t i) { return static_cast<std::uint64_t>(offsets.whole(i)); },
                              [&](std::uint64_t k) { return static_cast<std::uint64_t>(targets.whole(k)); },
                              [&](std::uint64_t k) { return data.real(k); },
                              weighted_};
      return with_vertex_type(rows_, [&]<class Vertex>(Vertex) -> any_edge_list {
        auto list = edges_of_rows<Vertex>(matrix, transposed, 0, from_);
        list.meaning = direction_of(false, options_);
        return list;
      });
    }
    std::uint64_t first = 0;
    for (std::uint64_t line = 0; line < lines; ++line) {
      const auto last = static_cast<std::uint64_t>(offsets.whole(line + 1));
      if (first > last || last > data.size()) fail("row " + std::to_string(line) + " has entries that there are not");
      for (; first < last; ++first) {
        const auto other = static_cast<std::uint64_t>(targets.whole(first));
        add(transposed ? other : line, transposed ? line : other, data, first);
      }
    }
    return finish();
  }

  any_edge_list coordinates(const npy_array& data) {
    const npy_array rows = array("row");
    const npy_array columns = array("col");
    if (rows.size() != data.size() || columns.size() != data.size()) fail("its arrays have different lengths");
    if (is_plain(data)) {
      const array_ends ends{data.size(), [&](std::uint64_t i) { return rows.whole(i); },
                            [&](std::uint64_t i) { return columns.whole(i); }, [](std::uint64_t i) { return i; }};
      return edges_of_ends(ends, rows_, &data, from_, options_, report_);
    }
    for (std::uint64_t i = 0; i < data.size(); ++i) {
      add(static_cast<std::uint64_t>(rows.whole(i)), static_cast<std::uint64_t>(columns.whole(i)), data, i);
    }
    return finish();
  }

  /// Rows of blocks of the same size.
  any_edge_list blocks(const npy_array& data) {
    const npy_array offsets = array("indptr");
    const npy_array targets = array("indices");
    if (data.shape().size() != 3 || data.columns_first()) fail("expected data of three dimensions");
    const std::uint64_t height = data.shape()[1];
    const std::uint64_t width = data.shape()[2];
    if (targets.size() != data.shape()[0] || offsets.size() == 0 || height == 0 || width == 0) {
      fail("its arrays have lengths that do not fit");
    }
    std::uint64_t block = 0;
    for (std::uint64_t line = 0; line + 1 < offsets.size(); ++line) {
      const auto last = static_cast<std::uint64_t>(offsets.whole(line + 1));
      if (block > last || last > targets.size()) fail("row " + std::to_string(line) + " has blocks that there are not");
      for (; block < last; ++block) {
        const auto column = static_cast<std::uint64_t>(targets.whole(block));
        if (column > columns_) fail("block " + std::to_string(block) + " lies outside the matrix");
        for (std::uint64_t i = 0; i < height * width; ++i) {
          const std::uint64_t at = block * height * width + i;
          if (data.real(at) != 0) add(line * height + i / width, column * width + i % width, data, at);
        }
      }
    }
    return finish();
  }

  /// A row of values for each diagonal, of which place j stands in column j.
  any_edge_list diagonals(const npy_array& data) {
    const npy_array offsets = array("offsets");
    if (data.shape().size() != 2 || data.shape()[0] != offsets.size()) fail("its arrays have lengths that do not fit");
    for (std::uint64_t k = 0; k < offsets.size(); ++k) {
      for (std::uint64_t j = 0; j < std::min(data.shape()[1], columns_); ++j) {
        std::int64_t row = 0;
        const std::uint64_t at = data.at_place(k, j);
        if (__builtin_sub_overflow(static_cast<std::int64_t>(j), offsets.whole(k), &row)) continue;
        if (row < 0 || static_cast<std::uint64_t>(row) >= rows_ || data.real(at) == 0) continue;
        add(static_cast<std::uint64_t>(row), j, data, at);
      }
    }
    return finish();
  }

  /// True if rows and columns are the same vertices, and each stored element is an edge.
  bool is_plain(const npy_array& data) const {
    bool edges = true;
    for (std::uint64_t i = 0; data.is_bool() && i < data.size(); ++i) edges = edges && data.whole(i) != 0;
    return edges && rows_ == columns_ && !options_.bipartite;
  }

  /// Adds an entry; a stored False is none.
  void add(std::uint64_t row, std::uint64_t column, const npy_array& data, std::uint64_t at) {
    if (row >= rows_ || column >= columns_) fail("entry " + std::to_string(at) + " lies outside the matrix");
    if (data.is_bool() && data.whole(at) == 0) return;
    entries_.push_back({row, column, data.real(at)});
  }

  any_edge_list finish() {
    return edges_of_matrix(rows_, columns_, weighted_, entries_, from_, options_, control_, report_);
  }

  const input::source& from_;
  const read_options& options_;
  const run_control& control_;
  read_report& report_;
  std::vector<std::pair<std::string, std::string>> members_;
  std::map<std::string, std::string_view, std::less<>> arrays_;
  std::string prefix_;
  std::uint64_t rows_ = 0;
  std::uint64_t columns_ = 0;
  bool weighted_ = false;
  std::vector<matrix_entry> entries_;
};

}  // namespace

any_edge_list read_npz(input::source& from, const read_options& options, const run_control& control,
                       read_report& report) {
  const std::string bytes = input::read_all(from);
  return npz_reader(from, bytes, options, control, report).run();
}

}  // namespace callisto::graph::formats

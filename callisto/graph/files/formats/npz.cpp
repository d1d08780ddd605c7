// The reader of scipy's sparse matrices (scipy.sparse.save_npz): a zip archive of numpy's arrays, in the forms csr, csc
// and coo.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/csr_blocks.hpp>
#include <callisto/graph/files/input/archive.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <cmath>
#include <cstring>
#include <map>
#include <string>

namespace callisto::graph::formats {
namespace {

/// An array of one dimension as numpy stores it.
class npy_array {
 public:
  npy_array(const input::source& from, const std::string& member, std::string_view bytes) : bytes_(bytes) {
    const auto fail = [&](const std::string& message) { throw input_error(from.name(), 0, member + ": " + message); };
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
    if (bytes_.size() % width_ != 0) fail("truncated");
  }

  std::uint64_t size() const noexcept { return bytes_.size() / width_; }
  bool is_bool() const noexcept { return kind_ == 'b'; }

  double real(std::uint64_t i) const noexcept {
    if (kind_ == 'f') return width_ == 4 ? static_cast<double>(at<float>(i)) : at<double>(i);
    return kind_ == 'i' ? static_cast<double>(whole(i)) : static_cast<double>(static_cast<std::uint64_t>(whole(i)));
  }

  std::int64_t whole(std::uint64_t i) const noexcept {
    const bool has_sign = kind_ == 'i';
    switch (width_) {
      case 1:
        return has_sign ? at<std::int8_t>(i) : at<std::uint8_t>(i);
      case 2:
        return has_sign ? at<std::int16_t>(i) : at<std::uint16_t>(i);
      case 4:
        return has_sign ? at<std::int32_t>(i) : std::int64_t{at<std::uint32_t>(i)};
      default:
        return kind_ == 'f' ? 0 : at<std::int64_t>(i);
    }
  }

  /// Returns a text of ASCII characters.
  std::string text() const {
    std::string result;
    for (const char c : bytes_) {
      if (c != '\0') result += c;
    }
    return result;
  }

 private:
  template <class T>
  T at(std::uint64_t i) const noexcept {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof value);
    return value;
  }

  std::string_view bytes_;
  char kind_ = 0;
  std::size_t width_ = 1;
};

}  // namespace

any_edge_list read_npz(input::source& from, const read_options& options, read_report& report) {
  const std::string bytes = input::read_all(from);
  const auto members = input::members_of(bytes, from.name());
  std::map<std::string, npy_array, std::less<>> arrays;
  for (const auto& [path, content] : members) {
    if (path.ends_with(".npy")) arrays.emplace(path.substr(0, path.size() - 4), npy_array(from, path, content));
  }
  const auto array = [&](const char* name) -> const npy_array& {
    const auto found = arrays.find(name);
    if (found == arrays.end()) {
      throw input_error(
          from.name(), 0,
          std::string("expected a sparse matrix of scipy (save_npz), but there is no array '") + name + "'");
    }
    return found->second;
  };
  const auto fail = [&](const std::string& message) { throw input_error(from.name(), 0, message); };
  const std::string form = arrays.contains("format") ? array("format").text() : "csr";
  if (form != "csr" && form != "csc" && form != "coo") {
    fail("is a matrix in the form " + input::shown(form) + "; csr, csc and coo are read");
  }
  const npy_array& shape = array("shape");
  if (shape.size() != 2 || shape.whole(0) != shape.whole(1)) fail("expected a square matrix");
  const auto vertices = static_cast<std::uint64_t>(shape.whole(0));
  check_vertices(vertices, from, 0);
  const npy_array& data = array("data");
  const bool weighted = !data.is_bool() && options.weights_column != "none";
  for (std::uint64_t i = 0; weighted && i < data.size(); ++i) {
    if (!std::isfinite(data.real(i))) fail("entry " + std::to_string(i) + " is no finite number");
  }
  report.direction_known = false;
  const auto finish = [&]<class Vertex>(edge_list<Vertex> list) -> any_edge_list {
    list.meaning = direction_of(false, options);
    return list;
  };
  if (form == "coo") {
    const npy_array& rows = array("row");
    const npy_array& columns = array("col");
    if (rows.size() != data.size() || columns.size() != data.size()) fail("its arrays have different lengths");
    return with_vertex_type(vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
      edge_list<Vertex> list;
      list.vertices = vertices;
      list.weighted = weighted;
      edge_block<Vertex> block;
      block.edges = machine::page_array<edge<Vertex>>(data.size());
      if (weighted) block.weights = weight_array(data.size());
      for (std::uint64_t i = 0; i < data.size(); ++i) {
        const auto row = static_cast<std::uint64_t>(rows.whole(i));
        const auto column = static_cast<std::uint64_t>(columns.whole(i));
        if (row >= vertices || column >= vertices) fail("entry " + std::to_string(i) + " lies outside the matrix");
        block.edges[i] = {static_cast<Vertex>(row), static_cast<Vertex>(column)};
        if (weighted) block.weights.set(i, data.real(i));
      }
      list.blocks.push_back(std::move(block));
      return finish(std::move(list));
    });
  }
  const npy_array& offsets = array("indptr");
  const npy_array& targets = array("indices");
  if (offsets.size() != vertices + 1 || targets.size() != data.size()) fail("its arrays have lengths that do not fit");
  const csr_matrix matrix{vertices,
                          data.size(),
                          [&](std::uint64_t i) { return static_cast<std::uint64_t>(offsets.whole(i)); },
                          [&](std::uint64_t k) { return static_cast<std::uint64_t>(targets.whole(k)); },
                          [&](std::uint64_t k) { return data.real(k); },
                          weighted};
  return with_vertex_type(vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
    return finish(edges_of_rows<Vertex>(matrix, form == "csc", 0, from));
  });
}

}  // namespace callisto::graph::formats

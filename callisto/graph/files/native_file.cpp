// Reading Callisto's own binary format.
#include <callisto/graph/attributes/edge_numbers.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/files/native_attributes.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/files/native_layout.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace callisto::graph {
namespace {

using namespace native;
using machine::page_array;

std::string system_message(int error) { return std::generic_category().message(error); }

machine::descriptor opened(const std::string& path) noexcept {
  return machine::descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

/// A mapped native file; the constructor checks its header.
class native_file {
 public:
  explicit native_file(const std::string& path) : path_(path) {
    map();
    check_header();
    for (std::size_t s = 0; s < header().sections; ++s) check_entry(header().entry(s));
    check_sections();
  }

  const file_header& header() const noexcept { return *reinterpret_cast<const file_header*>(bytes_.data()); }

  std::vector<section_bytes> sections() const {
    std::vector<section_bytes> all;
    for (std::size_t s = 0; s < header().sections; ++s) {
      const auto& e = header().entry(s);
      all.push_back(
          {e.kind, e.element_bytes, e.bytes == 0 ? std::span<const std::byte>() : bytes_.subspan(e.position, e.bytes)});
    }
    return all;
  }

  template <class T>
  page_array<T> array(section_kind kind) const {
    const section_entry* e = find(kind);
    if (e == nullptr || e->bytes == 0) return {};
    return page_array<T>::view({reinterpret_cast<const T*>(bytes_.data() + e->position), e->bytes / sizeof(T)}, pages_);
  }

  weight_array weights(section_kind kind) const {
    if (has_short_weights()) return array<short_weight>(kind);
    return array<double>(kind);
  }

  template <class Vertex>
  csr_graph<Vertex> graph() const {
    adjacency<Vertex> out{array<std::uint64_t>(out_offsets), array<Vertex>(out_targets), weights(out_weights)};
    adjacency<Vertex> in{array<std::uint64_t>(in_offsets), array<Vertex>(in_targets), weights(in_weights)};
    return csr_graph<Vertex>(has(directed_flag), std::move(out), std::move(in), array<std::uint64_t>(labels),
                             header().first_label, array<Vertex>(vertices_by_label))
        .with_names(names())
        .knowing_weights(known_weights());
  }

  /// Returns the routes, if the file has some.
  template <class Vertex>
  std::optional<routes_of<Vertex>> routes() const {
    if (!has_routes()) return std::nullopt;
    routes_of<Vertex> made;
    made.weighted = has(lengths_flag);
    made.directed = has(directed_flag);
    made.places = array<Vertex>(route_places);
    made.up = {array<std::uint64_t>(route_up_offsets), array<route_arc<Vertex>>(route_up_arcs)};
    if (made.directed) {
      made.down = {array<std::uint64_t>(route_down_offsets), array<route_arc<Vertex>>(route_down_arcs)};
    }
    made.file = path_;
    return made;
  }

  /// Returns the names of the vertices, or null.
  std::shared_ptr<const vertex_names> names() const {
    if (find(name_offsets) == nullptr) return nullptr;
    return std::make_shared<const vertex_names>(array<std::uint64_t>(name_offsets), array<char>(name_bytes));
  }

  /// Returns the graph with its columns, if the file has some.
  template <class Vertex>
  csr_graph<Vertex> with_columns(csr_graph<Vertex> graph, bool content) const {
    const section_entry* directory = find(column_directory);
    if (directory == nullptr) return graph;
    const section_entry* arrays = find(column_arrays);
    const auto bytes_of = [&](const section_entry& e) {
      return e.bytes == 0 ? std::span<const std::byte>() : bytes_.subspan(e.position, e.bytes);
    };
    // Counting the edges of an undirected graph would read all its rows.
    column_rows rows{graph.vertices(), graph.directed() ? graph.arcs() : graph.arcs() / 2, graph.arcs()};
    if (content) rows.least_edges = rows.most_edges = edge_numbers<Vertex>(graph).size();
    auto columns = columns_in(bytes_of(*directory), bytes_of(*arrays), pages_, rows, content,
                              [this](const std::string& message) { fail(message); });
    return std::move(graph).with_attributes(std::move(columns));
  }

  [[noreturn]] void fail(const std::string& message) const { throw input_error(path_, 0, message); }

  void check_checksums(const run_control& control) const {
    const auto all = sections();
    auto sums = block_checksums(all);
    for_each_block(all, "verifying", control,
                   [&](std::size_t s, std::size_t position, std::span<const std::byte> bytes) {
                     sums[s][position / block_bytes] = XXH3_64bits(bytes.data(), bytes.size());
                   });
    for (std::size_t s = 0; s < all.size(); ++s) {
      const std::uint64_t found = combined(sums[s]);
      if (found != header().entry(s).checksum) {
        fail(fmt::format("damaged native graph: the checksum of the {} is {:016x}, expected {:016x}",
                         section_names[all[s].kind], found, header().entry(s).checksum));
      }
    }
  }

  /// Throws input_error unless offsets ascend to the number of arcs, and targets ascend in each row and are vertices.
  template <class Vertex>
  void check_rows(const adjacency<Vertex>& rows, std::string_view which, const run_control& control) const {
    constexpr std::uint64_t batch = std::uint64_t{1} << 14;
    const std::uint64_t n = header().vertices;
    const std::uint64_t m = header().arcs;
    const auto body = [&](std::uint64_t b) {
      for (std::uint64_t v = b * batch; v < std::min(n, (b + 1) * batch); ++v) {
        const std::uint64_t first = rows.offsets[v];
        const std::uint64_t last = rows.offsets[v + 1];
        if (first > last || last > m) {
          fail(fmt::format("invalid native graph: the {} of vertex {} are numbers {} to {} of {}", which, v, first,
                           last, m));
        }
        for (std::uint64_t i = first; i < last; ++i) {
          if (rows.targets[i] >= n || (i > first && rows.targets[i] < rows.targets[i - 1])) {
            fail(fmt::format(
                "invalid native graph: the {} of vertex {} have target {}, expected ascending ones below {}", which, v,
                rows.targets[i], n));
          }
        }
      }
    };
    const loop_options options{.batch = 1, .stop = control.stop};
    if (!parallel_for(std::uint64_t{0}, (n + batch - 1) / batch, body, options)) throw cancelled();
  }

  /// Throws input_error unless names ascend, each different, and the labels, which ascend, are 0 to the last vertex.
  template <class Vertex>
  void check_names(const csr_graph<Vertex>& graph) const {
    const vertex_names& names = *graph.names();
    for (std::uint64_t i = 0; i < names.size(); ++i) {
      if (names.offsets()[i] > names.offsets()[i + 1]) fail("invalid native graph: offsets of names do not ascend");
    }
    for (std::uint64_t i = 1; i < names.size(); ++i) {
      if (names[i - 1] >= names[i]) fail("invalid native graph: names do not ascend");
    }
    const std::uint64_t n = graph.vertices();
    if (n != 0 && graph.label(graph.by_label(n - 1)) != n - 1) {
      fail("invalid native graph: labels with names are not 0 to the last vertex");
    }
  }

  /// Returns the header's survey of the weights, if it has one.
  std::optional<weight_survey> known_weights() const noexcept {
    if (!tells_of_weights()) return std::nullopt;
    return weight_survey{.most = header().heaviest, .wrong = has(wrong_flag), .whole = has(whole_flag)};
  }

 private:
  bool has(std::uint32_t flag) const noexcept { return (header().flags & flag) != 0; }
  bool has_routes() const noexcept { return header().version == format_version_with_routes; }
  bool has_columns() const noexcept {
    return header().version == format_version_with_columns || (has_routes() && find(column_directory) != nullptr);
  }
  bool has_names() const noexcept {
    return header().version == format_version_with_names || (has_columns() && find(name_offsets) != nullptr) ||
           (has_routes() && find(name_offsets) != nullptr);
  }
  bool has_all_forms() const noexcept { return header().version >= format_version_with_names; }
  bool tells_of_weights() const noexcept {
    return has_all_forms() ? find(out_weights) != nullptr : header().version >= format_version_with_survey;
  }
  bool has_short_weights() const noexcept {
    return header().version == format_version_with_short_weights || (has_all_forms() && has(short_flag));
  }

  void map() {
    const machine::descriptor file = opened(path_);
    struct stat status{};
    if (file.get() < 0 || fstat(file.get(), &status) != 0) fail("cannot be opened: " + system_message(errno));
    if (!S_ISREG(status.st_mode)) fail("is not a regular file, expected a native graph");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size < sizeof(magic)) fail(fmt::format("is not a native graph: it has {} bytes, the header has 4096", size));
    void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (address == MAP_FAILED) fail("cannot be mapped: " + system_message(errno));
    pages_ = std::shared_ptr<const void>(address, [size](const void* a) { munmap(const_cast<void*>(a), size); });
    bytes_ = {static_cast<const std::byte*>(address), size};
  }

  void check_header() const {
    if (std::memcmp(bytes_.data(), magic.data(), magic.size()) != 0) {
      fail("is not a native graph: its first bytes are others");
    }
    if (bytes_.size() < sizeof(file_header)) {
      fail(fmt::format("truncated native graph: {} bytes found, the header has 4096", bytes_.size()));
    }
    const file_header& h = header();
    if (h.byte_order != byte_order_mark) {
      fail(
          fmt::format("native graph with byte order mark {:08x}, expected {:08x}: written on a machine of another "
                      "byte order, or damaged",
                      h.byte_order, byte_order_mark));
    }
    if (h.version < format_version || h.version > format_version_with_routes) {
      fail(fmt::format("native graph of version {}, this Callisto reads versions {} to {}", h.version, format_version,
                       format_version_with_routes));
    }
    if (h.checksum != header_checksum(h)) {
      fail(fmt::format("damaged native graph: the checksum of the header is {:016x}, expected {:016x}",
                       header_checksum(h), h.checksum));
    }
    if (h.file_bytes > bytes_.size()) {
      fail(fmt::format("truncated native graph: {} bytes found, expected {}", bytes_.size(), h.file_bytes));
    }
    if (h.file_bytes < bytes_.size()) {
      fail(fmt::format("damaged native graph: {} bytes found, expected {}", bytes_.size(), h.file_bytes));
    }
    if (h.vertex_bytes != 4 && h.vertex_bytes != 8) {
      fail(fmt::format("invalid native graph: vertex numbers of {} bytes, expected 4 or 8", h.vertex_bytes));
    }
    if (h.sections > section_kinds) {
      fail(fmt::format("invalid native graph: {} sections, expected at most {}", h.sections, section_kinds));
    }
    // No array is larger than the file, so the sizes computed below do not overflow.
    if (h.vertices >= bytes_.size() || h.arcs >= bytes_.size()) {
      fail(fmt::format("invalid native graph: {} vertices and {} arcs in {} bytes", h.vertices, h.arcs, bytes_.size()));
    }
  }

  void check_entry(const section_entry& e) const {
    if (e.kind == 0 || e.kind > section_kinds) fail(fmt::format("invalid native graph: section of kind {}", e.kind));
    const std::string_view name = section_names[e.kind];
    if (find(static_cast<section_kind>(e.kind)) != &e)
      fail(fmt::format("invalid native graph: two sections of {}", name));
    const bool of_vertices =
        e.kind == out_targets || e.kind == in_targets || e.kind == vertices_by_label || e.kind == route_places;
    const bool of_routes = e.kind == route_up_arcs || e.kind == route_down_arcs;
    const std::uint64_t route_bytes =
        header().vertex_bytes == 4 ? sizeof(route_arc<std::uint32_t>) : sizeof(route_arc<std::uint64_t>);
    const bool of_weights = e.kind == out_weights || e.kind == in_weights;
    const std::uint64_t element = of_vertices                                       ? header().vertex_bytes
                                  : of_weights && has_short_weights()               ? sizeof(short_weight)
                                  : e.kind == name_bytes || e.kind == column_arrays ? 1
                                  : e.kind == column_directory                      ? sizeof(column_entry)
                                  : of_routes                                       ? route_bytes
                                                                                    : 8;
    const std::uint64_t count = e.kind == out_offsets || e.kind == in_offsets     ? header().vertices + 1
                                : e.kind == labels || e.kind == vertices_by_label ? header().vertices
                                : e.kind == name_offsets || e.kind == route_up_offsets || e.kind == route_down_offsets
                                    ? header().vertices + 1
                                : e.kind == route_places                          ? 2 * header().vertices
                                : of_routes                                       ? e.bytes / route_bytes
                                : e.kind == name_bytes || e.kind == column_arrays ? e.bytes
                                : e.kind == column_directory                      ? e.bytes / sizeof(column_entry)
                                                                                  : header().arcs;
    if (e.element_bytes != element || e.bytes != count * element) {
      fail(fmt::format("invalid native graph: {} bytes of {} with {} bytes each, expected {} with {}", e.bytes, name,
                       e.element_bytes, count * element, element));
    }
    const bool inside = e.position <= bytes_.size() && e.bytes <= bytes_.size() - e.position;
    if (e.bytes != 0 && (e.position < alignment || e.position % alignment != 0 || !inside)) {
      fail(fmt::format("invalid native graph: {} bytes of {} at {} of a file of {} bytes", e.bytes, name, e.position,
                       bytes_.size()));
    }
  }

  void check_sections() const {
    const bool weighted = find(out_weights) != nullptr;
    const bool has_in = find(in_offsets) != nullptr;
    require(out_offsets, true);
    require(out_targets, true);
    require(in_targets, has_in);
    require(in_weights, has_in && weighted);
    // From version 3 on the section itself tells whether labels ascend.
    const bool in_order = tells_of_weights() || has_all_forms() ? find(vertices_by_label) != nullptr
                                                                : header().version == format_version_with_order;
    require(vertices_by_label, in_order);
    if (in_order) require(labels, true);
    require(name_offsets, has_names());
    require(name_bytes, has_names());
    require(column_directory, has_columns());
    require(column_arrays, has_columns());
    for (const auto kind : {route_places, route_up_offsets, route_up_arcs}) require(kind, has_routes());
    for (const auto kind : {route_down_offsets, route_down_arcs}) require(kind, has_routes() && has(directed_flag));
    if (has(lengths_flag) && !(has_routes() && weighted)) {
      fail("invalid native graph: it has no weights, or no routes that they could be for");
    }
    const bool fits = !has_short_weights() || (has(whole_flag) && !has(wrong_flag) &&
                                               header().heaviest <= std::numeric_limits<short_weight>::max());
    if (has(surveyed_flag) != tells_of_weights() || (has(surveyed_flag) && !weighted) || !fits) {
      fail("invalid native graph: what it tells of weights does not fit its version or its sections");
    }
    for (const auto kind : {out_offsets, in_offsets, name_offsets, route_up_offsets, route_down_offsets}) {
      if (find(kind) == nullptr) continue;
      const section_entry* const elements = kind == name_offsets         ? find(name_bytes)
                                            : kind == route_up_offsets   ? find(route_up_arcs)
                                            : kind == route_down_offsets ? find(route_down_arcs)
                                                                         : nullptr;
      const std::uint64_t last = elements == nullptr ? header().arcs : elements->bytes / elements->element_bytes;
      const auto offsets = array<std::uint64_t>(kind);
      if (offsets[0] != 0 || offsets[offsets.size() - 1] != last) {
        fail(fmt::format("damaged native graph: {} from {} to {}, expected 0 to {}", section_names[kind], offsets[0],
                         offsets[offsets.size() - 1], last));
      }
    }
  }

  void require(section_kind kind, bool expected) const {
    if ((find(kind) != nullptr) != expected) {
      fail(fmt::format("invalid native graph: section of {} {}", section_names[kind],
                       expected ? "missing" : "without those that it belongs to"));
    }
  }

  const section_entry* find(section_kind kind) const noexcept {
    for (std::size_t s = 0; s < header().sections; ++s) {
      if (header().entry(s).kind == kind) return &header().entry(s);
    }
    return nullptr;
  }

  std::string path_;
  std::shared_ptr<const void> pages_;
  std::span<const std::byte> bytes_;
};

template <class Vertex>
any_graph opened(const native_file& file, native_check check, const run_control& control) {
  csr_graph<Vertex> graph = file.graph<Vertex>();
  if (check != native_check::content) return file.with_columns(std::move(graph), false);
  file.check_checksums(control);
  file.check_rows(graph.out(), "out-edges", control);
  if (graph.directed() && !graph.in().offsets.empty()) file.check_rows(graph.in(), "in-edges", control);
  if (file.known_weights() && file.known_weights() != look_at_weights(graph, control)) {
    file.fail("damaged native graph: the weights are not as the header tells");
  }
  if (std::any_of(graph.by_label().begin(), graph.by_label().end(), [&](Vertex v) { return v >= graph.vertices(); })) {
    file.fail("invalid native graph: the vertices by label are not all vertices");
  }
  for (std::uint64_t i = 1; i < graph.labels().size(); ++i) {
    if (graph.label(graph.by_label(i - 1)) >= graph.label(graph.by_label(i))) {
      file.fail("invalid native graph: labels do not ascend");
    }
  }
  if (graph.names() != nullptr) file.check_names(graph);
  if (const auto routes = file.routes<Vertex>()) check_routes(graph, *routes, control);
  return file.with_columns(std::move(graph), true);
}

}  // namespace

any_graph open_native(const std::string& path, native_check check, const run_control& control) {
  const native_file file(path);
  if (file.header().vertex_bytes == 4) return opened<std::uint32_t>(file, check, control);
  return opened<std::uint64_t>(file, check, control);
}

std::optional<any_routes> open_routes(const std::string& path) {
  const native_file file(path);
  if (file.header().vertex_bytes == 4) return file.routes<std::uint32_t>();
  return file.routes<std::uint64_t>();
}

bool is_native(const std::string& path) {
  const machine::descriptor file = opened(path);
  std::array<unsigned char, magic.size()> found;
  struct stat status{};
  return file.get() >= 0 && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         pread(file.get(), found.data(), found.size(), 0) == static_cast<ssize_t>(found.size()) && found == magic;
}

}  // namespace callisto::graph

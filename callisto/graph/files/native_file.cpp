// Reading and writing Callisto's own binary format.
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

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

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace callisto::graph {
namespace {

using machine::page_array;

constexpr std::array<unsigned char, 8> magic{0x89, 'C', 'G', 'R', 0x0d, 0x0a, 0x1a, 0x0a};
/// Versions: 1, labels ascend; 2, the vertices are listed by label; 3, either, and the header has a survey of the
/// weights; 4, the weights are short, too; 5, the vertices have names, the survey is there if there are weights, and a
/// flag tells whether these are short.
constexpr std::uint32_t format_version = 1;
constexpr std::uint32_t format_version_with_order = 2;
constexpr std::uint32_t format_version_with_survey = 3;
constexpr std::uint32_t format_version_with_short_weights = 4;
constexpr std::uint32_t format_version_with_names = 5;
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::uint32_t directed_flag = 1;
constexpr std::uint32_t surveyed_flag = 2;
constexpr std::uint32_t wrong_flag = 4;
constexpr std::uint32_t whole_flag = 8;
constexpr std::uint32_t short_flag = 16;
constexpr std::uint64_t alignment = 4096;
constexpr std::size_t block_bytes = std::size_t{4} << 20;

enum section_kind : std::uint32_t {
  out_offsets = 1,
  out_targets = 2,
  out_weights = 3,
  in_offsets = 4,
  in_targets = 5,
  in_weights = 6,
  labels = 7,
  vertices_by_label = 8,
  name_offsets = 9,
  name_bytes = 10,
};
constexpr std::size_t section_kinds = 10;
constexpr std::size_t sections_of_first_table = 8;

constexpr std::array<std::string_view, section_kinds + 1> section_names{"",
                                                                        "out-edge offsets",
                                                                        "out-edge targets",
                                                                        "out-edge weights",
                                                                        "in-edge offsets",
                                                                        "in-edge targets",
                                                                        "in-edge weights",
                                                                        "labels",
                                                                        "vertices by label",
                                                                        "name offsets",
                                                                        "name bytes"};

struct section_entry {
  std::uint32_t kind;
  std::uint32_t element_bytes;
  std::uint64_t position;
  std::uint64_t bytes;
  std::uint64_t checksum;
};

struct file_header {
  std::array<unsigned char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t file_bytes;
  std::uint64_t vertices;
  std::uint64_t arcs;
  std::uint64_t first_label;
  std::uint32_t flags;
  std::uint32_t vertex_bytes;
  std::uint64_t sections;
  std::array<section_entry, sections_of_first_table> table;
  double heaviest;
  std::array<section_entry, section_kinds - sections_of_first_table> more;  ///< goes on with the table
  std::array<unsigned char, 4088 - 72 - section_kinds * sizeof(section_entry)> unused;
  std::uint64_t checksum;

  section_entry& entry(std::size_t s) noexcept {
    return s < sections_of_first_table ? table[s] : more[s - sections_of_first_table];
  }
  const section_entry& entry(std::size_t s) const noexcept { return const_cast<file_header*>(this)->entry(s); }
};
static_assert(sizeof(file_header) == alignment && offsetof(file_header, table) == 64 &&
              offsetof(file_header, heaviest) == 320 && offsetof(file_header, more) == 328 &&
              offsetof(file_header, checksum) == 4088);

std::uint64_t header_checksum(const file_header& header) {
  return XXH3_64bits(&header, offsetof(file_header, checksum));
}

std::uint64_t combined(const std::vector<std::uint64_t>& block_checksums) {
  return XXH3_64bits(block_checksums.data(), block_checksums.size() * sizeof(std::uint64_t));
}

/// The bytes of a section, in memory.
struct section_bytes {
  std::uint32_t kind;
  std::uint32_t element_bytes;
  std::span<const std::byte> bytes;
};

/// Calls handle(section, position in the section, bytes) for all blocks of 4 MiB, in parallel. Throws cancelled.
template <class Handle>
void for_each_block(const std::vector<section_bytes>& sections, std::string_view stage, const run_control& control,
                    Handle handle, std::source_location where = std::source_location::current()) {
  struct block {
    std::size_t section;
    std::size_t position;
  };
  std::vector<block> blocks;
  std::uint64_t total = 0;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    total += sections[s].bytes.size();
    for (std::size_t at = 0; at < sections[s].bytes.size(); at += block_bytes) blocks.push_back({s, at});
  }
  if (control.report != nullptr) control.report->begin(stage, total, "bytes");
  const auto body = [&](std::size_t i) {
    const block b = blocks[i];
    const auto all = sections[b.section].bytes;
    const auto bytes = all.subspan(b.position, std::min(block_bytes, all.size() - b.position));
    handle(b.section, b.position, bytes);
    if (control.report != nullptr) control.report->advance(bytes.size());
  };
  const loop_options options{.batch = 1, .stop = control.stop};
  if (!parallel_for(std::size_t{0}, blocks.size(), body, options, where)) throw cancelled();
}

/// Returns room for the checksums of the blocks of each section.
std::vector<std::vector<std::uint64_t>> block_checksums(const std::vector<section_bytes>& sections) {
  std::vector<std::vector<std::uint64_t>> sums;
  for (const auto& s : sections) sums.emplace_back((s.bytes.size() + block_bytes - 1) / block_bytes);
  return sums;
}

template <class T>
void add_section(std::vector<section_bytes>& sections, section_kind kind, const page_array<T>& values) {
  sections.push_back({kind, sizeof(T), std::as_bytes(std::span<const T>(values))});
}

void add_section(std::vector<section_bytes>& sections, section_kind kind, const weight_array& weights) {
  weights.visit([&](auto values) { sections.push_back({kind, sizeof(values[0]), std::as_bytes(values)}); });
}

template <class Vertex>
void write(const csr_graph<Vertex>& graph, const std::string& path, const run_control& control) {
  page_array<std::uint64_t> no_rows(1);
  std::vector<section_bytes> sections;
  add_section(sections, out_offsets, graph.out().offsets.empty() ? no_rows : graph.out().offsets);
  add_section(sections, out_targets, graph.out().targets);
  if (graph.weighted()) add_section(sections, out_weights, graph.out().weights);
  if (graph.directed() && !graph.in().offsets.empty()) {
    add_section(sections, in_offsets, graph.in().offsets);
    add_section(sections, in_targets, graph.in().targets);
    if (graph.weighted()) add_section(sections, in_weights, graph.in().weights);
  }
  if (!graph.labels().empty()) add_section(sections, labels, graph.labels());
  if (!graph.by_label().empty()) add_section(sections, vertices_by_label, graph.by_label());
  if (graph.names() != nullptr) {
    add_section(sections, name_offsets, graph.names()->offsets());
    add_section(sections, name_bytes, graph.names()->bytes());
  }

  file_header header{};
  header.magic = magic;
  header.version = graph.by_label().empty() ? format_version : format_version_with_order;
  header.byte_order = byte_order_mark;
  header.vertices = graph.vertices();
  header.arcs = graph.arcs();
  header.first_label = graph.first_label();
  header.flags = graph.directed() ? directed_flag : 0;
  if (graph.weighted()) {
    const weight_survey known = survey_of(graph, control);
    header.version = graph.has_short_weights() ? format_version_with_short_weights : format_version_with_survey;
    header.flags |= surveyed_flag | (known.wrong ? wrong_flag : 0) | (known.whole ? whole_flag : 0);
    header.heaviest = known.most;
  }
  if (graph.names() != nullptr) {
    header.version = format_version_with_names;
    if (graph.weighted() && graph.has_short_weights()) header.flags |= short_flag;
  }
  header.vertex_bytes = sizeof(Vertex);
  header.sections = sections.size();
  header.file_bytes = alignment;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const std::uint64_t position = (header.file_bytes + alignment - 1) / alignment * alignment;
    const std::uint64_t bytes = sections[s].bytes.size();
    header.entry(s) = {sections[s].kind, sections[s].element_bytes, position, bytes, 0};
    // An empty section at the end adds no padding: the file ends with its last byte.
    if (bytes != 0) header.file_bytes = position + bytes;
  }

  machine::output_file file(path);
  auto sums = block_checksums(sections);
  for_each_block(sections, "writing", control,
                 [&](std::size_t s, std::size_t position, std::span<const std::byte> bytes) {
                   sums[s][position / block_bytes] = XXH3_64bits(bytes.data(), bytes.size());
                   file.write_at(header.entry(s).position + position, bytes);
                 });
  for (std::size_t s = 0; s < sections.size(); ++s) header.entry(s).checksum = combined(sums[s]);
  header.checksum = header_checksum(header);
  file.write_at(0, std::as_bytes(std::span(&header, 1)));
  file.commit();
}

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

  /// Returns the names of the vertices, or null.
  std::shared_ptr<const vertex_names> names() const {
    if (find(name_offsets) == nullptr) return nullptr;
    return std::make_shared<const vertex_names>(array<std::uint64_t>(name_offsets), array<char>(name_bytes));
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
  bool has_names() const noexcept { return header().version == format_version_with_names; }
  bool tells_of_weights() const noexcept {
    return has_names() ? find(out_weights) != nullptr : header().version >= format_version_with_survey;
  }
  bool has_short_weights() const noexcept {
    return header().version == format_version_with_short_weights || (has_names() && has(short_flag));
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
    if (h.version < format_version || h.version > format_version_with_names) {
      fail(fmt::format("native graph of version {}, this Callisto reads versions {} to {}", h.version, format_version,
                       format_version_with_names));
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
    const bool of_vertices = e.kind == out_targets || e.kind == in_targets || e.kind == vertices_by_label;
    const bool of_weights = e.kind == out_weights || e.kind == in_weights;
    const std::uint64_t element = of_vertices                         ? header().vertex_bytes
                                  : of_weights && has_short_weights() ? sizeof(short_weight)
                                  : e.kind == name_bytes              ? 1
                                                                      : 8;
    const std::uint64_t count = e.kind == out_offsets || e.kind == in_offsets     ? header().vertices + 1
                                : e.kind == labels || e.kind == vertices_by_label ? header().vertices
                                : e.kind == name_offsets                          ? header().vertices + 1
                                : e.kind == name_bytes                            ? e.bytes
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
    const bool in_order = tells_of_weights() || has_names() ? find(vertices_by_label) != nullptr
                                                            : header().version == format_version_with_order;
    require(vertices_by_label, in_order);
    if (in_order) require(labels, true);
    require(name_offsets, has_names());
    require(name_bytes, has_names());
    const bool fits = !has_short_weights() || (has(whole_flag) && !has(wrong_flag) &&
                                               header().heaviest <= std::numeric_limits<short_weight>::max());
    if (has(surveyed_flag) != tells_of_weights() || (has(surveyed_flag) && !weighted) || !fits) {
      fail("invalid native graph: what it tells of weights does not fit its version or its sections");
    }
    for (const auto kind : {out_offsets, in_offsets, name_offsets}) {
      if (find(kind) == nullptr) continue;
      const std::uint64_t last = kind == name_offsets ? find(name_bytes)->bytes : header().arcs;
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
  if (check == native_check::content) {
    file.check_checksums(control);
    file.check_rows(graph.out(), "out-edges", control);
    if (graph.directed() && !graph.in().offsets.empty()) file.check_rows(graph.in(), "in-edges", control);
    if (file.known_weights() && file.known_weights() != look_at_weights(graph, control)) {
      file.fail("damaged native graph: the weights are not as the header tells");
    }
    if (std::any_of(graph.by_label().begin(), graph.by_label().end(),
                    [&](Vertex v) { return v >= graph.vertices(); })) {
      file.fail("invalid native graph: the vertices by label are not all vertices");
    }
    for (std::uint64_t i = 1; i < graph.labels().size(); ++i) {
      if (graph.label(graph.by_label(i - 1)) >= graph.label(graph.by_label(i))) {
        file.fail("invalid native graph: labels do not ascend");
      }
    }
    if (graph.names() != nullptr) file.check_names(graph);
  }
  return graph;
}

}  // namespace

void write_native(const any_graph& graph, const std::string& path, const run_control& control) {
  std::visit([&](const auto& g) { write(g, path, control); }, graph);
}

any_graph open_native(const std::string& path, native_check check, const run_control& control) {
  const native_file file(path);
  if (file.header().vertex_bytes == 4) return opened<std::uint32_t>(file, check, control);
  return opened<std::uint64_t>(file, check, control);
}

bool is_native(const std::string& path) {
  const machine::descriptor file = opened(path);
  std::array<unsigned char, magic.size()> found;
  struct stat status{};
  return file.get() >= 0 && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         pread(file.get(), found.data(), found.size(), 0) == static_cast<ssize_t>(found.size()) && found == magic;
}

}  // namespace callisto::graph

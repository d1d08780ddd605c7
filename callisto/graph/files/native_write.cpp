// Writing Callisto's own binary format.
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/files/native_attributes.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/files/native_layout.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace callisto::graph {
namespace {

using namespace native;
using machine::page_array;

template <class T>
void add_section(std::vector<section_bytes>& sections, section_kind kind, const page_array<T>& values) {
  sections.push_back({kind, sizeof(T), std::as_bytes(std::span<const T>(values))});
}

void add_section(std::vector<section_bytes>& sections, section_kind kind, const weight_array& weights) {
  weights.visit([&](auto values) { sections.push_back({kind, sizeof(values[0]), std::as_bytes(values)}); });
}

/// Adds the sections of routes.
template <class Vertex>
void add_routes(std::vector<section_bytes>& sections, const routes_of<Vertex>& routes,
                const page_array<std::uint64_t>& no_rows) {
  add_section(sections, route_places, routes.places);
  add_section(sections, route_up_offsets, routes.up.offsets.empty() ? no_rows : routes.up.offsets);
  add_section(sections, route_up_arcs, routes.up.arcs);
  if (!routes.directed) return;
  add_section(sections, route_down_offsets, routes.down.offsets.empty() ? no_rows : routes.down.offsets);
  add_section(sections, route_down_arcs, routes.down.arcs);
}

/// The sections of a graph, and the header of its file, which has no checksums yet. Columns are kept in `columns`.
template <class Vertex>
std::vector<section_bytes> sections_of_graph(const csr_graph<Vertex>& graph, const page_array<std::uint64_t>& no_rows,
                                             column_sections& columns) {
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
  if (graph.attributes() != nullptr) {
    columns = sections_of(*graph.attributes());
    sections.push_back({column_directory, sizeof(column_entry), std::as_bytes(std::span(columns.directory))});
    sections.push_back({column_arrays, 1, columns.arrays});
  }
  return sections;
}

/// Returns the header of a file with these sections, without checksums.
template <class Vertex>
file_header header_of(const csr_graph<Vertex>& graph, const std::vector<section_bytes>& sections,
                      const weight_survey& known) {
  file_header header{};
  header.magic = magic;
  header.version = graph.by_label().empty() ? format_version : format_version_with_order;
  header.byte_order = byte_order_mark;
  header.vertices = graph.vertices();
  header.arcs = graph.arcs();
  header.first_label = graph.first_label();
  header.flags = graph.directed() ? directed_flag : 0;
  if (graph.weighted()) {
    header.version = graph.has_short_weights() ? format_version_with_short_weights : format_version_with_survey;
    header.flags |= surveyed_flag | (known.wrong ? wrong_flag : 0) | (known.whole ? whole_flag : 0);
    header.heaviest = known.most;
  }
  if (graph.names() != nullptr || graph.attributes() != nullptr) {
    header.version = graph.attributes() != nullptr ? format_version_with_columns : format_version_with_names;
    if (graph.weighted() && graph.has_short_weights()) header.flags |= short_flag;
  }
  if (std::any_of(sections.begin(), sections.end(), [](const section_bytes& s) { return s.kind == route_places; })) {
    header.version = format_version_with_routes;
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
  return header;
}

void write_header(machine::output_file& file, file_header& header,
                  const std::vector<std::vector<std::uint64_t>>& sums) {
  for (std::size_t s = 0; s < sums.size(); ++s) header.entry(s).checksum = combined(sums[s]);
  header.checksum = header_checksum(header);
  file.write_at(0, std::as_bytes(std::span(&header, 1)));
  file.commit();
}

template <class Vertex>
void write_sections(const csr_graph<Vertex>& graph, const routes_of<Vertex>* routes, const std::string& path,
                    const run_control& control) {
  const page_array<std::uint64_t> no_rows(1);
  column_sections columns;
  std::vector<section_bytes> sections = sections_of_graph(graph, no_rows, columns);
  if (routes != nullptr) add_routes(sections, *routes, no_rows);
  file_header header = header_of(graph, sections, graph.weighted() ? survey_of(graph, control) : weight_survey{});
  if (routes != nullptr && routes->weighted && graph.weighted()) header.flags |= lengths_flag;
  machine::output_file file(path);
  auto sums = block_checksums(sections);
  for_each_block(sections, "writing", control,
                 [&](std::size_t s, std::size_t position, std::span<const std::byte> bytes) {
                   sums[s][position / block_bytes] = XXH3_64bits(bytes.data(), bytes.size());
                   file.write_at(header.entry(s).position + position, bytes);
                 });
  write_header(file, header, sums);
}

/// A file that several processes write. The first failure of this process stays.
class shared_file {
 public:
  explicit shared_file(const std::string& path) : file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file_.get() < 0) error_ = errno;
  }
  void write_at(std::uint64_t position, std::span<const std::byte> bytes) {
    while (error_ == 0 && !bytes.empty()) {
      const ssize_t n = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(position));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        error_ = n < 0 ? errno : ENOSPC;
        return;
      }
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      position += static_cast<std::uint64_t>(n);
    }
  }
  /// Waits until all is on the disk, and returns the error, or 0.
  int finish() {
    if (error_ == 0 && ::fsync(file_.get()) != 0) error_ = errno;
    return error_;
  }

 private:
  machine::descriptor file_;
  int error_ = 0;
};

/// True for sections of which each process has those of its rows.
bool is_parted(std::uint32_t kind) noexcept {
  return kind == out_targets || kind == out_weights || kind == in_targets || kind == in_weights;
}

/// Writes a process' blocks of a section: those that begin among its elements. The end of the last one is with other
/// processes, which send it. `bounds`: the elements of the processes.
void write_part(const section_bytes& section, std::uint64_t position, const std::vector<std::uint64_t>& bounds,
                partners& among, shared_file& file, std::vector<std::uint64_t>& sums) {
  const std::uint64_t size = section.bytes.size();
  std::vector<std::uint64_t> has;     // the first byte of each process
  std::vector<std::uint64_t> writes;  // the first block that each writes
  for (const std::uint64_t b : bounds) {
    has.push_back(b * section.element_bytes);
    writes.push_back((has.back() + block_bytes - 1) / block_bytes);
  }
  const auto end_of = [&](std::size_t p) { return std::min<std::uint64_t>(size, writes[p + 1] * block_bytes); };
  const std::size_t me = among.number();
  std::vector<std::byte> sent;
  std::vector<std::uint64_t> counts(among.count());
  for (std::size_t p = 0; p != me; ++p) {  // elements go to processes before this one
    const std::uint64_t first = std::max(has[me], std::min<std::uint64_t>(size, writes[p] * block_bytes));
    const std::uint64_t last = std::min(has[me + 1], end_of(p));
    if (first >= last) continue;
    counts[p] = last - first;
    sent.insert(sent.end(), section.bytes.begin() + static_cast<std::ptrdiff_t>(first),
                section.bytes.begin() + static_cast<std::ptrdiff_t>(last));
  }
  const std::vector<std::byte> came = among.exchange(sent, counts);
  for (std::uint64_t b = writes[me]; b != writes[me + 1]; ++b) {
    const std::uint64_t first = b * block_bytes;
    const std::uint64_t last = std::min<std::uint64_t>(size, first + block_bytes);
    std::span<const std::byte> block = section.bytes.subspan(first, last - first);
    std::vector<std::byte> whole;
    if (last > has[me + 1]) {
      whole.assign(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(has[me + 1] - first));
      whole.insert(whole.end(), came.begin(), came.end());
      block = whole;
    }
    sums[b] = XXH3_64bits(block.data(), block.size());
    file.write_at(position + first, block);
  }
  among.share(sums.data(), writes);
}

template <class Vertex>
void write_sections_among(const csr_graph<Vertex>& graph, const std::string& path, const shared_control& control) {
  partners& among = *control.among;
  const page_array<std::uint64_t> no_rows(1);
  column_sections columns;
  std::vector<section_bytes> sections = sections_of_graph(graph, no_rows, columns);
  const weight_survey known = graph.weighted() ? survey_of_among(graph, control) : weight_survey{};
  // Labels and names are where the result is told, which lays out the file.
  const file_header layout =
      among.from_first<file_header>([&] { return std::vector<file_header>{header_of(graph, sections, known)}; })[0];
  std::optional<machine::output_file> target;
  const std::vector<char> temporary = among.from_first<char>([&] {
    target.emplace(path);
    const char* const name = target->temporary();
    return name == nullptr ? std::vector<char>() : std::vector<char>(name, name + std::strlen(name) + 1);
  });
  if (temporary.empty()) throw usage_error(path + ": ranks write together; expected the name of a plain file");
  shared_file file(temporary.data());
  if (control.report != nullptr) control.report->begin("writing", layout.file_bytes, "bytes");
  std::vector<std::vector<std::uint64_t>> sums(layout.sections);
  for (std::size_t s = 0; s != layout.sections; ++s) {
    const section_entry& e = layout.entry(s);
    sums[s].resize((e.bytes + block_bytes - 1) / block_bytes);
    // A section has its place among those of this process, which lack labels and names only.
    const auto own =
        std::find_if(sections.begin(), sections.end(), [&](const section_bytes& c) { return c.kind == e.kind; });
    if (is_parted(e.kind)) {
      const auto& rows = e.kind == out_targets || e.kind == out_weights ? graph.out() : graph.in();
      std::vector<std::uint64_t> bounds;
      for (const std::uint64_t v : among.bounds()) bounds.push_back(rows.offsets.empty() ? 0 : rows.offsets[v]);
      write_part(*own, e.position, bounds, among, file, sums[s]);
    } else if (among.tells()) {
      for (std::uint64_t at = 0; at < e.bytes; at += block_bytes) {
        const auto block = own->bytes.subspan(at, std::min<std::uint64_t>(block_bytes, e.bytes - at));
        sums[s][at / block_bytes] = XXH3_64bits(block.data(), block.size());
        file.write_at(e.position + at, block);
      }
    }
    control.check();
    if (control.report != nullptr) control.report->advance(e.bytes);
  }
  for (const int error : among.all_of(file.finish())) {
    if (error == 0) continue;
    target.reset();
    among.all_of(0);  // the file is gone before any process ends the job
    throw output_error(path + ": cannot be written: " + std::generic_category().message(error));
  }
  if (!among.tells()) return;
  file_header header = layout;
  write_header(*target, header, sums);
}

}  // namespace

void write_native(const any_graph& graph, const std::string& path, const run_control& control) {
  std::visit([&]<class Vertex>(const csr_graph<Vertex>& g) { write_sections<Vertex>(g, nullptr, path, control); },
             graph);
}

void write_native(const any_graph& graph, const any_routes& routes, const std::string& path,
                  const run_control& control) {
  std::visit(
      [&]<class Vertex>(const csr_graph<Vertex>& g) {
        const auto* const made = std::get_if<routes_of<Vertex>>(&routes);
        if (made == nullptr || made->vertices() != g.vertices() || made->directed != g.directed()) {
          throw usage_error("the routes are those of another graph");
        }
        write_sections(g, made, path, control);
      },
      graph);
}

void write_native_among(const any_graph& graph, const std::string& path, const shared_control& control) {
  std::visit([&](const auto& g) { write_sections_among(g, path, control); }, graph);
}

}  // namespace callisto::graph

// Writing Callisto's own binary format.
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/files/native_attributes.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/files/native_layout.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

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

template <class Vertex>
void write_sections(const csr_graph<Vertex>& graph, const std::string& path, const run_control& control) {
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
  column_sections columns;
  if (graph.attributes() != nullptr) {
    columns = sections_of(*graph.attributes());
    sections.push_back({column_directory, sizeof(column_entry), std::as_bytes(std::span(columns.directory))});
    sections.push_back({column_arrays, 1, columns.arrays});
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
  if (graph.names() != nullptr || graph.attributes() != nullptr) {
    header.version = graph.attributes() != nullptr ? format_version_with_columns : format_version_with_names;
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

}  // namespace

void write_native(const any_graph& graph, const std::string& path, const run_control& control) {
  std::visit([&](const auto& g) { write_sections(g, path, control); }, graph);
}

}  // namespace callisto::graph

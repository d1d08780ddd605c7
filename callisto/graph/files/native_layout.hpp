// The layout of a native file: its header, its sections, and their checksums. For native_file.cpp and native_write.cpp.
#pragma once

#include <callisto/graph/files/native_file.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace callisto::graph::native {

inline constexpr std::array<unsigned char, 8> magic{0x89, 'C', 'G', 'R', 0x0d, 0x0a, 0x1a, 0x0a};
/// Versions: 1, labels ascend; 2, the vertices are listed by label; 3, either, and the header has a survey of the
/// weights; 4, the weights are short, too; 5, the vertices have names, the survey is there if there are weights, and a
/// flag tells whether these are short; 6, as 5, with columns of vertices or edges, and with names or without; 7, as 6,
/// with routes, and with columns or without.
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint32_t format_version_with_order = 2;
inline constexpr std::uint32_t format_version_with_survey = 3;
inline constexpr std::uint32_t format_version_with_short_weights = 4;
inline constexpr std::uint32_t format_version_with_names = 5;
inline constexpr std::uint32_t format_version_with_columns = 6;
inline constexpr std::uint32_t format_version_with_routes = 7;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;
inline constexpr std::uint32_t directed_flag = 1;
inline constexpr std::uint32_t surveyed_flag = 2;
inline constexpr std::uint32_t wrong_flag = 4;
inline constexpr std::uint32_t whole_flag = 8;
inline constexpr std::uint32_t short_flag = 16;
inline constexpr std::uint32_t lengths_flag = 32;  ///< routes are by weights
inline constexpr std::uint64_t alignment = 4096;
inline constexpr std::size_t block_bytes = std::size_t{4} << 20;

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
  column_directory = 11,
  column_arrays = 12,
  route_places = 13,
  route_up_offsets = 14,
  route_up_arcs = 15,
  route_down_offsets = 16,
  route_down_arcs = 17,
};
inline constexpr std::size_t section_kinds = 17;
inline constexpr std::size_t sections_of_first_table = 8;

inline constexpr std::array<std::string_view, section_kinds + 1> section_names{"",
                                                                               "out-edge offsets",
                                                                               "out-edge targets",
                                                                               "out-edge weights",
                                                                               "in-edge offsets",
                                                                               "in-edge targets",
                                                                               "in-edge weights",
                                                                               "labels",
                                                                               "vertices by label",
                                                                               "name offsets",
                                                                               "name bytes",
                                                                               "column directory",
                                                                               "column arrays",
                                                                               "route places",
                                                                               "upward route offsets",
                                                                               "upward routes",
                                                                               "downward route offsets",
                                                                               "downward routes"};

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

inline std::uint64_t header_checksum(const file_header& header) {
  return XXH3_64bits(&header, offsetof(file_header, checksum));
}

inline std::uint64_t combined(const std::vector<std::uint64_t>& block_checksums) {
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
inline std::vector<std::vector<std::uint64_t>> block_checksums(const std::vector<section_bytes>& sections) {
  std::vector<std::vector<std::uint64_t>> sums;
  for (const auto& s : sections) sums.emplace_back((s.bytes.size() + block_bytes - 1) / block_bytes);
  return sums;
}

}  // namespace callisto::graph::native

// Names of vertices: texts that users know vertices by, where numbers do not do.
#pragma once

#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace callisto::graph {

/// The names of all vertices of a graph, each different, in ascending order of their bytes. Labels are 0, 1, 2 ...
/// then, and name i belongs to the vertex with label i. Immutable: any number of threads may read.
class vertex_names {
 public:
  vertex_names() = default;
  /// Takes the bytes of all names, in sequence; name i is [offsets[i], offsets[i + 1]). The caller guarantees the
  /// order; nothing is checked.
  vertex_names(machine::page_array<std::uint64_t> offsets, machine::page_array<char> bytes)
      : offsets_(std::move(offsets)), bytes_(std::move(bytes)) {}

  std::uint64_t size() const noexcept { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::string_view operator[](std::uint64_t i) const noexcept {
    return {bytes_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }

  /// Returns the number of this name, or nothing if there is no such name; a binary search.
  std::optional<std::uint64_t> find(std::string_view name) const noexcept {
    std::uint64_t first = 0;
    for (std::uint64_t last = size(); first != last;) {
      const std::uint64_t middle = first + (last - first) / 2;
      if ((*this)[middle] < name) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    if (first == size() || (*this)[first] != name) return std::nullopt;
    return first;
  }

  const machine::page_array<std::uint64_t>& offsets() const noexcept { return offsets_; }
  const machine::page_array<char>& bytes() const noexcept { return bytes_; }

 private:
  machine::page_array<std::uint64_t> offsets_;
  machine::page_array<char> bytes_;
};

}  // namespace callisto::graph

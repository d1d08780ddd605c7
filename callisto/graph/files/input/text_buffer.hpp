// A buffer for chunks of text.
#pragma once

#include <callisto/graph/files/input/source.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace callisto::graph::input {

/// A buffer that grows and keeps its content. `readable_behind` bytes behind the requested size can be read.
class text_buffer {
 public:
  char* data() noexcept { return bytes_.data(); }
  std::size_t room() const noexcept { return bytes_.empty() ? 0 : bytes_.size() - readable_behind - 1; }
  void reserve(std::size_t size, std::size_t keep) {
    if (size <= room()) return;
    machine::page_array<char> larger(size + readable_behind + 1);
    if (keep != 0) std::memcpy(larger.data(), bytes_.data(), keep);
    bytes_ = std::move(larger);
  }

 private:
  machine::page_array<char> bytes_;
};

}  // namespace callisto::graph::input

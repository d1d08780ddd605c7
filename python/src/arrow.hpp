// Columns by the Arrow C data interface, which outlive the Python objects that they were read from.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::python {

// The layout of these three is that of the Arrow C data and C stream interfaces.
struct arrow_schema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  arrow_schema** children;
  arrow_schema* dictionary;
  void (*release)(arrow_schema*);
  void* private_data;
};

struct arrow_array {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  arrow_array** children;
  arrow_array* dictionary;
  void (*release)(arrow_array*);
  void* private_data;
};

struct arrow_stream {
  int (*get_schema)(arrow_stream*, arrow_schema* out);
  int (*get_next)(arrow_stream*, arrow_array* out);
  const char* (*get_last_error)(arrow_stream*);
  void (*release)(arrow_stream*);
  void* private_data;
};

/// Owns what a producer has filled in.
template <class T>
class released {
 public:
  released() = default;
  released(released&& other) noexcept : held_(std::exchange(other.held_, {})) {}
  released& operator=(released&&) = delete;
  ~released() {
    if (held_.release != nullptr) held_.release(&held_);
  }
  /// Moves the content of a capsule here, as the interface asks of a consumer.
  explicit released(T* from) : held_(std::exchange(*from, {})) {}
  T* operator->() noexcept { return &held_; }
  const T* operator->() const noexcept { return &held_; }
  T* get() noexcept { return &held_; }
  const T* get() const noexcept { return &held_; }

 private:
  T held_{};
};

/// A column that a library has exported, in chunks. Destroyed with the interpreter's lock.
struct arrow_column {
  std::vector<released<arrow_array>> chunks;
  released<arrow_schema> schema;
  std::int64_t rows = 0;

  [[nodiscard]] std::string_view format() const noexcept { return schema->format; }
  /// Its values stand in a table of their own.
  [[nodiscard]] bool is_dictionary() const noexcept { return schema->dictionary != nullptr; }
  [[nodiscard]] bool holds_texts() const noexcept {
    return !is_dictionary() && (format() == "u" || format() == "U" || format() == "vu");
  }
};

/// Reads the column `name` of any library that exports it. Throws usage_error for a table, and, unless it is a
/// dictionary, for a value that is missing.
arrow_column read_arrow(nanobind::handle values, const std::string& name);

/// Returns the text of row i of a chunk with offsets of the type Offset.
template <class Offset>
std::string_view text_by_offsets(const arrow_array& chunk, std::int64_t i) noexcept {
  const Offset* const offsets = static_cast<const Offset*>(chunk.buffers[1]) + chunk.offset + i;
  return {static_cast<const char*>(chunk.buffers[2]) + offsets[0], static_cast<std::size_t>(offsets[1] - offsets[0])};
}
/// Returns the text of row i of a chunk of the layout "view": 16 bytes a row, short texts inside, longer ones in one of
/// several buffers.
inline std::string_view text_by_views(const arrow_array& chunk, std::int64_t i) noexcept {
  const char* const view = static_cast<const char*>(chunk.buffers[1]) + (chunk.offset + i) * 16;
  std::int32_t size = 0;
  std::memcpy(&size, view, 4);
  if (size <= 12) return {view + 4, static_cast<std::size_t>(size)};
  std::int32_t buffer = 0;
  std::int32_t offset = 0;
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  return {static_cast<const char*>(chunk.buffers[2 + buffer]) + offset, static_cast<std::size_t>(size)};
}

/// Calls f(row, bytes) for the texts of rows [first, last), in order. Any thread may, without the interpreter's lock.
template <class F>
void for_texts(const arrow_column& column, std::int64_t first, std::int64_t last, const F& f) {
  const auto walk = [&](auto text) {
    std::int64_t begin = 0;
    for (const released<arrow_array>& chunk : column.chunks) {
      const std::int64_t from = std::max(first - begin, std::int64_t{0});
      const std::int64_t to = std::min(last - begin, chunk->length);
      for (std::int64_t i = from; i < to; ++i) f(begin + i, text(*chunk.get(), i));
      begin += chunk->length;
    }
  };
  if (column.format() == "u") return walk(text_by_offsets<std::int32_t>);
  if (column.format() == "U") return walk(text_by_offsets<std::int64_t>);
  walk(text_by_views);
}

}  // namespace callisto::python

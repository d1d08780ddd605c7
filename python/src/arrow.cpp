// Columns by the Arrow C data interface, without pyarrow: what polars, pyarrow, pandas and others export as PyCapsules.
#include "arrays.hpp"
#include "bindings.hpp"

#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

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
  T* get() noexcept { return &held_; }

 private:
  T held_{};
};

template <class T>
T* in_capsule(nb::handle capsule, const char* name) {
  void* of = PyCapsule_GetPointer(capsule.ptr(), name);
  if (of == nullptr) nb::raise_python_error();
  return static_cast<T*>(of);
}

bool is_set(const void* bits, std::int64_t i) noexcept {
  return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

/// Throws usage_error if a value is missing. `before`: rows of earlier chunks.
void refuse_missing(const arrow_array& chunk, std::int64_t before) {
  if (chunk.null_count == 0 || chunk.n_buffers == 0 || chunk.buffers[0] == nullptr) return;
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    if (!is_set(chunk.buffers[0], chunk.offset + i)) {
      throw usage_error(fmt::format("the value of row {} is missing: expected none to be", before + i));
    }
  }
}

using chunk_list = std::vector<released<arrow_array>>;

/// One array of all chunks: a view of a single one, which it keeps alive, or a copy.
template <class T>
nb::object numbers(chunk_list&& chunks) {
  if (chunks.size() == 1) {
    auto kept = std::make_unique<released<arrow_array>>(std::move(chunks.front()));
    const arrow_array& chunk = *kept->get();
    const T* data = static_cast<const T*>(chunk.buffers[1]) + chunk.offset;
    const auto size = static_cast<std::size_t>(chunk.length);
    const nb::capsule owner(kept.get(), [](void* of) noexcept { delete static_cast<released<arrow_array>*>(of); });
    kept.release();
    return numpy_view(data, size, owner);
  }
  std::vector<T> all;
  for (released<arrow_array>& chunk : chunks) {
    const T* data = static_cast<const T*>(chunk->buffers[1]) + chunk->offset;
    all.insert(all.end(), data, data + chunk->length);
  }
  return to_numpy(std::move(all));
}

void append_text(nb::list& to, const char* data, std::int64_t size) {
  PyObject* text = PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), nullptr);
  if (text == nullptr) nb::raise_python_error();
  to.append(nb::steal(text));
}

template <class Offset>
nb::object texts(chunk_list&& chunks) {
  nb::list all;
  for (released<arrow_array>& chunk : chunks) {
    const Offset* offsets = static_cast<const Offset*>(chunk->buffers[1]) + chunk->offset;
    const char* bytes = static_cast<const char*>(chunk->buffers[2]);
    for (std::int64_t i = 0; i < chunk->length; ++i) append_text(all, bytes + offsets[i], offsets[i + 1] - offsets[i]);
  }
  return all;
}

/// Texts of the layout "view": 16 bytes a row, short ones inside, others in one of several buffers.
nb::object viewed_texts(chunk_list&& chunks) {
  nb::list all;
  for (released<arrow_array>& chunk : chunks) {
    const auto* views = static_cast<const char*>(chunk->buffers[1]) + chunk->offset * 16;
    for (std::int64_t i = 0; i < chunk->length; ++i, views += 16) {
      std::int32_t size = 0;
      std::memcpy(&size, views, 4);
      if (size <= 12) {
        append_text(all, views + 4, size);
        continue;
      }
      std::int32_t buffer = 0;
      std::int32_t offset = 0;
      std::memcpy(&buffer, views + 8, 4);
      std::memcpy(&offset, views + 12, 4);
      append_text(all, static_cast<const char*>(chunk->buffers[2 + buffer]) + offset, size);
    }
  }
  return all;
}

/// Returns a column as a numpy array, texts as a list, or None for types that numpy has another way for.
nb::object from_arrow(nb::handle values) {
  chunk_list chunks;
  released<arrow_schema> schema;
  nb::object capsules;  // until the end: they own what is not moved out
  if (nb::hasattr(values, "__arrow_c_stream__")) {
    capsules = values.attr("__arrow_c_stream__")();
    released<arrow_stream> stream(in_capsule<arrow_stream>(capsules, "arrow_array_stream"));
    const auto check = [&](int failed) {
      if (failed == 0) return;
      const char* why = stream->get_last_error(stream.get());
      throw usage_error(fmt::format("the column cannot be read: {}", why == nullptr ? "no reason given" : why));
    };
    check(stream->get_schema(stream.get(), schema.get()));
    for (;;) {
      released<arrow_array> chunk;
      check(stream->get_next(stream.get(), chunk.get()));
      if (chunk->release == nullptr) break;
      chunks.push_back(std::move(chunk));
    }
  } else {
    capsules = values.attr("__arrow_c_array__")();
    *schema.get() = std::exchange(*in_capsule<arrow_schema>(capsules[0], "arrow_schema"), {});
    chunks.emplace_back(in_capsule<arrow_array>(capsules[1], "arrow_array"));
  }
  const std::string_view format = schema->format;
  if (schema->dictionary != nullptr) return nb::none();
  if (schema->n_children != 0) throw usage_error("the value is a table: expected one column of it");
  std::int64_t rows = 0;
  for (released<arrow_array>& chunk : chunks) {
    refuse_missing(*chunk.get(), rows);
    rows += chunk->length;
  }
  if (format == "n" && rows > 0) throw usage_error("the value of row 0 is missing: expected none to be");
  if (format == "c") return numbers<std::int8_t>(std::move(chunks));
  if (format == "C") return numbers<std::uint8_t>(std::move(chunks));
  if (format == "s") return numbers<std::int16_t>(std::move(chunks));
  if (format == "S") return numbers<std::uint16_t>(std::move(chunks));
  if (format == "i") return numbers<std::int32_t>(std::move(chunks));
  if (format == "I") return numbers<std::uint32_t>(std::move(chunks));
  if (format == "l") return numbers<std::int64_t>(std::move(chunks));
  if (format == "L") return numbers<std::uint64_t>(std::move(chunks));
  if (format == "f") return numbers<float>(std::move(chunks));
  if (format == "g") return numbers<double>(std::move(chunks));
  if (format == "u") return texts<std::int32_t>(std::move(chunks));
  if (format == "U") return texts<std::int64_t>(std::move(chunks));
  if (format == "vu") return viewed_texts(std::move(chunks));
  return nb::none();
}

}  // namespace

void bind_arrow(nb::module_& m) { m.def("from_arrow", &from_arrow, nb::arg("values")); }

}  // namespace callisto::python

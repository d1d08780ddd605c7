// Columns by the Arrow C data interface, without pyarrow: what polars, pyarrow, pandas and others export as PyCapsules.
#include "arrow.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

#include <callisto/machine/system/error.hpp>

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

template <class T>
T* in_capsule(nb::handle capsule, const char* name) {
  void* of = PyCapsule_GetPointer(capsule.ptr(), name);
  if (of == nullptr) nb::raise_python_error();
  return static_cast<T*>(of);
}

bool is_set(const void* bits, std::int64_t i) noexcept {
  return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

/// Throws usage_error if a value of the column `name` is missing. `before`: rows of earlier chunks.
void refuse_missing(const arrow_array& chunk, std::int64_t before, const std::string& name) {
  if (chunk.null_count == 0 || chunk.n_buffers == 0 || chunk.buffers[0] == nullptr) return;
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    if (!is_set(chunk.buffers[0], chunk.offset + i)) {
      throw usage_error(fmt::format("{} of row {} is missing: expected none to be", name, before + i));
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

/// Python's texts of a column. Rows that repeat a text of late share one object, which costs less than another one
/// here, and wherever the column is numbered.
class text_list {
 public:
  text_list() : recent_(1 << 14) {}

  void append(std::string_view bytes) {
    seen& kept = recent_[std::hash<std::string_view>()(bytes) % recent_.size()];
    if (!kept.text.is_valid() || kept.bytes != bytes) {
      PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr);
      if (text == nullptr) nb::raise_python_error();
      kept = {bytes, nb::steal(text)};
    }
    all_.append(kept.text);
  }

  [[nodiscard]] nb::list all() const { return all_; }

 private:
  /// `bytes` lie in the column, which outlives the list's making.
  struct seen {
    std::string_view bytes;
    nb::object text;
  };
  std::vector<seen> recent_;
  nb::list all_;
};

nb::object texts(const arrow_column& column) {
  text_list all;
  for_texts(column, 0, column.rows, [&](std::int64_t, std::string_view text) { all.append(text); });
  return all.all();
}

/// Returns the column as a numpy array, which takes it over, texts as a list, or None for types that numpy has another
/// way for.
nb::object to_array(arrow_column& column) {
  if (column.is_dictionary()) return nb::none();
  if (column.holds_texts()) return texts(column);
  const std::string_view format = column.format();
  chunk_list& chunks = column.chunks;
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
  return nb::none();
}

}  // namespace

arrow_column read_arrow(nb::handle values, const std::string& name) {
  arrow_column made;
  nb::object capsules;  // until the end: they own what is not moved out
  if (nb::hasattr(values, "__arrow_c_stream__")) {
    capsules = values.attr("__arrow_c_stream__")();
    released<arrow_stream> stream(in_capsule<arrow_stream>(capsules, "arrow_array_stream"));
    const auto check = [&](int failed) {
      if (failed == 0) return;
      const char* why = stream->get_last_error(stream.get());
      throw usage_error(fmt::format("{} cannot be read: {}", name, why == nullptr ? "no reason given" : why));
    };
    check(stream->get_schema(stream.get(), made.schema.get()));
    for (;;) {
      released<arrow_array> chunk;
      check(stream->get_next(stream.get(), chunk.get()));
      if (chunk->release == nullptr) break;
      made.chunks.push_back(std::move(chunk));
    }
  } else {
    capsules = values.attr("__arrow_c_array__")();
    *made.schema.get() = std::exchange(*in_capsule<arrow_schema>(capsules[0], "arrow_schema"), {});
    made.chunks.emplace_back(in_capsule<arrow_array>(capsules[1], "arrow_array"));
  }
  for (const released<arrow_array>& chunk : made.chunks) made.rows += chunk->length;
  if (made.is_dictionary()) return made;
  if (made.schema->n_children != 0) throw usage_error(fmt::format("{} is a table: expected one column of it", name));
  std::int64_t before = 0;
  for (const released<arrow_array>& chunk : made.chunks) {
    refuse_missing(*chunk.get(), before, name);
    before += chunk->length;
  }
  if (made.format() == "n" && made.rows > 0)
    throw usage_error(fmt::format("{} of row 0 is missing: expected none to be", name));
  return made;
}

void bind_arrow(nb::module_& m) {
  nb::class_<arrow_column>(m, "ArrowColumn")
      .def(
          "__init__",
          [](arrow_column* self, nb::handle values, const std::string& name) {
            new (self) arrow_column(read_arrow(values, name));
          },
          nb::arg("values"), nb::arg("name"))
      .def("__len__", [](const arrow_column& self) { return self.rows; })
      .def("holds_texts", &arrow_column::holds_texts)
      .def("to_array", &to_array);
}

}  // namespace callisto::python

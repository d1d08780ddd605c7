// Arrays between Python and C++: results without a copy, and arguments that stay alive as long as a graph needs them.
#pragma once

#include <callisto/machine/system/page_array.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::python {

namespace nb = nanobind;

/// A column of an argument: contiguous, in the CPU's memory, never converted and never written.
template <class T>
using column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const column<T>& c) noexcept {
  return {c.data(), c.size()};
}

/// Returns a numpy array over `size` values at `data`, which `owner` keeps alive.
template <class T>
nb::object numpy_view(const T* data, std::size_t size, nb::handle owner) {
  static const std::remove_const_t<T> none{};
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(size == 0 ? &none : data, {size}, owner));
}

/// Gives a container's values to a numpy array, without a copy if it is a page_array or a vector.
template <class Container>
nb::object to_numpy(Container&& values) {
  using container = std::remove_cvref_t<Container>;
  using value = std::remove_cvref_t<decltype(*std::declval<container&>().data())>;
  static_assert(!std::is_lvalue_reference_v<Container>, "the array takes the values over");
  auto kept = std::make_unique<container>(std::move(values));
  const std::size_t size = kept->size();
  static value none{};
  value* const data = size == 0 ? &none : kept->data();
  const nb::capsule owner(kept.get(), [](void* of) noexcept { delete static_cast<container*>(of); });
  kept.release();
  return nb::cast(nb::ndarray<nb::numpy, value, nb::ndim<1>>(data, {size}, owner));
}

/// Gives bytes that are 0 or 1 to a numpy array of bool, without a copy.
inline nb::object to_numpy_flags(machine::page_array<char>&& flags) {
  static_assert(sizeof(bool) == 1);
  auto kept = std::make_unique<machine::page_array<char>>(std::move(flags));
  const std::size_t size = kept->size();
  static bool none{};
  bool* const data = size == 0 ? &none : reinterpret_cast<bool*>(kept->data());
  const nb::capsule owner(kept.get(), [](void* of) noexcept { delete static_cast<machine::page_array<char>*>(of); });
  kept.release();
  return nb::cast(nb::ndarray<nb::numpy, bool, nb::ndim<1>>(data, {size}, owner));
}

/// Returns an owner for page_array::view() that keeps `object` alive. Any thread may drop the last copy.
inline std::shared_ptr<const void> keep_alive(nb::object object) {
  return {object.release().ptr(), [](const void* of) {
            // The interpreter may be gone: then its memory is, too.
            if (Py_IsInitialized() == 0) return;
            const nb::gil_scoped_acquire held;
            nb::handle(static_cast<PyObject*>(const_cast<void*>(of))).dec_ref();
          }};
}

}  // namespace callisto::python

// Arrays saved to files and restored, whole or not at all.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/arrays/array.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>

namespace callisto::global {

namespace detail {
CALLISTO_API void save_array(std::uint32_t number, std::size_t element_bytes, const std::string& path,
                             const std::source_location& where);
CALLISTO_API void restore_array(std::uint32_t number, std::size_t element_bytes, const std::string& path,
                                const std::source_location& where);
}  // namespace detail

/// Saves an array to the file `path`, which all ranks reach under this name (a shared file system). Elements stand in
/// the order of their indices, so another number of ranks can restore them. The file appears, or replaces an older one,
/// only when all ranks have written their elements and they are on the disk: a job that ends before leaves the older
/// one. A file that is replaced keeps its mode, and a symbolic link stays. A pipe or a device is written in place, by
/// rank 0. Called by main of all ranks while no operation on the array is under way. All ranks throw the same
/// output_error if one of them cannot write.
template <class T>
  requires std::is_trivially_copyable_v<T>
void save(array<T> a, const std::string& path, std::source_location where = std::source_location::current()) {
  detail::save_array(a.number(), sizeof(T), path, where);
}

/// Fills an array from a file that save() wrote, of an array with as many elements of the same size. Called by main of
/// all ranks. All ranks throw input_error if one of them cannot read it; the content is not specified then.
template <class T>
  requires std::is_trivially_copyable_v<T>
void restore(array<T> a, const std::string& path, std::source_location where = std::source_location::current()) {
  detail::restore_array(a.number(), sizeof(T), path, where);
}

}  // namespace callisto::global

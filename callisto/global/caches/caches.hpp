// Caches: local copies of contiguous global data (Grappa, section 4).
//
// A copy is fetched at once, at most 1 MiB ahead of what has arrived, and written back at once. A copy does not show
// what other tasks do meanwhile: the program orders accesses by completion events, barriers, or locks.
#pragma once

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/caches/contiguous.hpp>
#include <callisto/global/memory/delegates.hpp>

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <utility>

namespace callisto::global {

/// Copies elements [first, first + into.size()) of an array. The worker is suspended until all are here.
template <transferable T>
void gather(array<T> a, std::uint64_t first, std::span<T> into,
            std::source_location where = std::source_location::current()) {
  detail::gather(detail::range_of(a, first, into.size(), where), reinterpret_cast<std::byte*>(into.data()), where);
}
/// Copies objects of the global heap; `a` is a linear address.
template <transferable T>
void gather(global_address<T> a, std::span<T> into, std::source_location where = std::source_location::current()) {
  detail::gather(detail::range_of(a, into.size()), reinterpret_cast<std::byte*>(into.data()), where);
}
/// Writes elements [first, first + from.size()) of an array, and returns when they are written.
template <transferable T>
void scatter(std::span<const std::type_identity_t<T>> from, array<T> a, std::uint64_t first,
             std::source_location where = std::source_location::current()) {
  detail::scatter(reinterpret_cast<const std::byte*>(from.data()), detail::range_of(a, first, from.size(), where),
                  where);
}
/// Writes objects of the global heap; `a` is a linear address.
template <transferable T>
void scatter(std::span<const std::type_identity_t<T>> from, global_address<T> a,
             std::source_location where = std::source_location::current()) {
  detail::scatter(reinterpret_cast<const std::byte*>(from.data()), detail::range_of(a, from.size()), where);
}

namespace detail {

/// The base of the three caches: the range, and the copy.
template <class T>
class cached_range {
 public:
  /// The elements are T{} unless they are `overwritten` before any is read.
  cached_range(const dealt_bytes& range, std::source_location where, bool overwritten)
      : range_(range),
        where_(where),
        size_(range.bytes / sizeof(T)),
        copy_(overwritten ? std::make_unique_for_overwrite<T[]>(size_) : std::make_unique<T[]>(size_)) {}
  cached_range(const cached_range&) = delete;
  cached_range& operator=(const cached_range&) = delete;

  std::size_t size() const noexcept { return size_; }

 protected:
  ~cached_range() = default;
  void fetch() { gather(range_, reinterpret_cast<std::byte*>(copy_.get()), where_); }
  void write_back() { scatter(reinterpret_cast<const std::byte*>(copy_.get()), range_, where_); }

  dealt_bytes range_;
  std::source_location where_;
  std::size_t size_;
  std::unique_ptr<T[]> copy_;
};

/// The base of the two caches that are written.
template <class T>
class written_range : public cached_range<T> {
 public:
  /// Writes the copy, once; returns when it is written.
  void release() {
    if (!std::exchange(is_released_, true)) this->write_back();
  }
  T& operator[](std::size_t i) noexcept { return this->copy_[i]; }
  T* begin() noexcept { return this->copy_.get(); }
  T* end() noexcept { return begin() + this->size(); }

 protected:
  /// A fetch that throws leaves nothing to write.
  written_range(const dealt_bytes& range, std::source_location where, bool is_read)
      : cached_range<T>(range, where, is_read) {
    if (is_read) this->fetch();
  }
  ~written_range() { release(); }

 private:
  bool is_released_ = false;
};

}  // namespace detail

/// A copy to read: the constructor acquires it. Used by one task.
template <transferable T>
class read_only : public detail::cached_range<T> {
 public:
  read_only(array<T> a, std::uint64_t first, std::uint64_t n,
            std::source_location where = std::source_location::current())
      : detail::cached_range<T>(detail::range_of(a, first, n, where), where, true) {
    acquire();
  }
  read_only(global_address<T> a, std::uint64_t n, std::source_location where = std::source_location::current())
      : detail::cached_range<T>(detail::range_of(a, n), where, true) {
    acquire();
  }
  /// Fetches the data again.
  void acquire() { this->fetch(); }
  const T& operator[](std::size_t i) const noexcept { return this->copy_[i]; }
  const T* begin() const noexcept { return this->copy_.get(); }
  const T* end() const noexcept { return begin() + this->size(); }
};

/// A copy to read and write: the constructor acquires it, release() or the destructor writes it back.
template <transferable T>
class read_write : public detail::written_range<T> {
 public:
  read_write(array<T> a, std::uint64_t first, std::uint64_t n,
             std::source_location where = std::source_location::current())
      : detail::written_range<T>(detail::range_of(a, first, n, where), where, true) {}
  read_write(global_address<T> a, std::uint64_t n, std::source_location where = std::source_location::current())
      : detail::written_range<T>(detail::range_of(a, n), where, true) {}
};

/// A copy to write: nothing is fetched, and all of it is written by release() or the destructor.
template <transferable T>
class write_only : public detail::written_range<T> {
 public:
  write_only(array<T> a, std::uint64_t first, std::uint64_t n,
             std::source_location where = std::source_location::current())
      : detail::written_range<T>(detail::range_of(a, first, n, where), where, false) {}
  write_only(global_address<T> a, std::uint64_t n, std::source_location where = std::source_location::current())
      : detail::written_range<T>(detail::range_of(a, n), where, false) {}
};

}  // namespace callisto::global

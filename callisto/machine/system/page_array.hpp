// Large arrays of plain values, each on separate pages: zeros, or what an earlier array left, or mapped from a file.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace callisto::machine {

/// The kind of pages. Huge pages cut the time of random gathers to as little as 1/1.8 if an array outgrows the TLB.
/// With small ones, an array that is filled in many places at once takes only the memory that was written.
///
/// Used pages are huge ones with any content: the pages of a dead array of the same length, if there are some. The
/// system needs longer to make and zero a page than a short loop to write it, so an algorithm that runs again and again
/// saves most of its time. The latest `most_kept_pages` bytes of dead pages, and 1 MiB of small arrays', stay.
enum class page_kind { huge, small, used };

inline constexpr std::size_t most_kept_pages = std::size_t{96} << 20;

/// Maps `bytes` of memory on separate pages: zeroed unless `used`, and transparent huge pages if asked for and granted.
/// Throws std::bad_alloc. A page is placed where it is first written: write pages with the loop that will read them.
/// Any thread may call these functions.
CALLISTO_API void* map_pages(std::size_t bytes, page_kind kind);
/// Unmaps pages; `kind` as they were mapped.
CALLISTO_API void unmap_pages(void* address, std::size_t bytes, page_kind kind) noexcept;
/// Empties the pages that lie wholly in [first, last), which map_pages returned.
CALLISTO_API void discard_pages(void* first, void* last) noexcept;

/// A fixed-size array of trivially copyable values that are not initialised one by one: pages read as zero, unless they
/// are used ones. It owns anonymous pages, or is a view that keeps its owner (such as a mapped file) alive. Move-only.
/// Thread-safety: as a plain array.
template <class T>
class page_array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  page_array() noexcept = default;

  /// Makes `size` zeros, or any values on used pages. Throws std::bad_alloc.
  explicit page_array(std::size_t size, page_kind kind = page_kind::huge)
      : size_(size), bytes_(checked_bytes(size)), kind_(kind) {
    if (size != 0) data_ = static_cast<T*>(map_pages(bytes_, kind));
  }

  /// A read-only view of `values`, which stay valid while `owner` lives.
  static page_array view(std::span<const T> values, std::shared_ptr<const void> owner) noexcept {
    page_array a;
    a.data_ = const_cast<T*>(values.data());  // never written through: bytes_ == 0 marks a view
    a.size_ = values.size();
    a.owner_ = std::move(owner);
    return a;
  }

  page_array(page_array&& other) noexcept { swap(other); }
  page_array& operator=(page_array&& other) noexcept {
    page_array gone(std::move(other));
    swap(gone);
    return *this;
  }
  ~page_array() {
    if (bytes_ != 0) unmap_pages(data_, bytes_, kind_);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  operator std::span<const T>() const noexcept { return {data_, size_}; }

  /// Keeps the first `size` elements and returns the pages behind them to the system.
  void shrink(std::size_t size) noexcept;

  /// Discards the values of [first, last): pages that lie wholly inside go back to the system and read as zeros.
  /// Threads may discard disjoint ranges at once. A view keeps everything.
  void discard(std::size_t first, std::size_t last) noexcept {
    if (bytes_ != 0 && first < last) discard_pages(data_ + first, data_ + last);
  }

  void swap(page_array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
    std::swap(kind_, other.kind_);
    std::swap(owner_, other.owner_);
  }

 private:
  static std::size_t checked_bytes(std::size_t size) {
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    return size * sizeof(T);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;  ///< mapped bytes; 0 for a view
  page_kind kind_ = page_kind::huge;
  std::shared_ptr<const void> owner_;
};

/// Returns the part of [address, address + bytes) behind the first `keep` bytes to the system; returns how many bytes
/// stay.
CALLISTO_API std::size_t trim_pages(void* address, std::size_t bytes, std::size_t keep) noexcept;

template <class T>
void page_array<T>::shrink(std::size_t size) noexcept {
  if (size >= size_) return;
  size_ = size;
  if (bytes_ != 0) bytes_ = trim_pages(data_, bytes_, size * sizeof(T));
  if (bytes_ == 0 && owner_ == nullptr) data_ = nullptr;
}

}  // namespace callisto::machine

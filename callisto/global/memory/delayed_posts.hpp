// Posted operations on words of the own rank, done a little later: their memory is fetched meanwhile.
//
// A loop that posts to random words would otherwise wait for each cache miss in turn. While a batch of a loop runs, the
// thread keeps its latest posts in a ring. Each is done when `places` more have come, or when a batch ends. So it ends
// with its loop, as promised.
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace callisto::global::detail {

/// The posts of one thread that are not done yet.
class delayed_posts {
 public:
  static constexpr std::size_t places = 32;

  /// Does what was posted `places` calls ago, and keeps `operation` on `object`.
  template <class Op, class T>
    requires(sizeof(Op) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<Op>)
  void keep(const Op& operation, T* object, bool is_only_thread) noexcept {
    __builtin_prefetch(object, 1);
    entry& place = ring_[next_++ % places];
    const entry before = place;
    place.run = is_only_thread ? &run<Op, T, true> : &run<Op, T, false>;
    place.object = object;
    std::memcpy(&place.operation, &operation, sizeof operation);
    before.run(before.object, before.operation);
  }

  /// Does all of them.
  void finish() noexcept {
    for (entry& place : ring_) {
      const entry before = std::exchange(place, entry{});
      before.run(before.object, before.operation);
    }
  }

 private:
  struct entry {
    void (*run)(void* object, std::uint64_t operation) noexcept = [](void*, std::uint64_t) noexcept {};
    void* object = nullptr;
    std::uint64_t operation = 0;
  };

  template <class Op, class T, bool is_only_thread>
  static void run(void* object, std::uint64_t bytes) noexcept {
    alignas(Op) std::byte copy[sizeof(Op)];
    std::memcpy(copy, &bytes, sizeof(Op));
    reinterpret_cast<const Op*>(copy)->apply(*static_cast<T*>(object), is_only_thread);
  }

  std::array<entry, places> ring_;
  std::size_t next_ = 0;
};

/// Lets the thread delay posts while a batch runs. Batches of one thread may overlap, as their workers wait: the first
/// one begins, and each one's end does what is left.
class CALLISTO_API batch_of_posts {
 public:
  batch_of_posts() noexcept;
  ~batch_of_posts();
  batch_of_posts(const batch_of_posts&) = delete;
  batch_of_posts& operator=(const batch_of_posts&) = delete;
};

}  // namespace callisto::global::detail

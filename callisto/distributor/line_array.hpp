// The words of a distributor that groups of threads have each for themselves: an array whose elements share no line.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace callisto::distributor {

/// Between 1 and any number of Ts, aligned to lines, whose number is known when the loop begins. A few live in the
/// array itself, on the leader's stack with the rest of the loop; for more there is memory from the policy
/// (M::take_room), which a leader's next loop gets again, so that no loop allocates but the first ones.
template <machine::policy M, class T>
class line_array {
  static_assert(alignof(T) >= M::line_size);

 public:
  /// make(i, place) constructs element i there.
  template <class Make>
  line_array(unsigned size, Make make) : size_(size) {
    std::byte* const room = size > inside ? M::take_room(size * sizeof(T)) : here_;
    first_ = reinterpret_cast<T*>(room);
    for (unsigned i = 0; i < size; ++i) make(i, static_cast<void*>(room + i * sizeof(T)));
  }
  ~line_array() {
    std::destroy_n(first_, size_);
    if (size_ > inside) M::give_room(reinterpret_cast<std::byte*>(first_));
  }
  line_array(const line_array&) = delete;
  line_array& operator=(const line_array&) = delete;

  unsigned size() const noexcept { return size_; }
  T& operator[](unsigned i) noexcept { return first_[i]; }
  const T& operator[](unsigned i) const noexcept { return first_[i]; }

 private:
  static constexpr unsigned inside = 16;

  // Constants of the loop, beside which nothing stands that is written while it runs.
  T* first_;
  unsigned size_;
  alignas(
      T) std::byte here_[inside * sizeof(T)];  // not initialized: a short loop must not pay for what it does not use
};

}  // namespace callisto::distributor

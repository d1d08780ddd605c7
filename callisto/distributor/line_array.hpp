// An array of elements that share no cache line: for words that each group of threads has for itself.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace callisto::distributor {

/// Holds one or more Ts, aligned to lines; the number is known when the loop begins. A few live in the array itself, on
/// the leader's stack. More get memory from the policy (M::take_room), which the leader's next loop gets again, so only
/// a thread's first loops allocate.
template <machine::policy M, class T>
class line_array {
  static_assert(alignof(T) >= M::line_size);

 public:
  /// Calls make(i, place), which constructs element i at `place`.
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

  // Constants of the loop: no word beside them is written while it runs.
  T* first_;
  unsigned size_;
  alignas(T) std::byte here_[inside * sizeof(T)];  // not initialized: a short loop does not pay for unused elements
};

}  // namespace callisto::distributor

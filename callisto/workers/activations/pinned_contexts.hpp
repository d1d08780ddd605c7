// The contexts of workers that are pinned to processors: which of them an attached thread is on, which the system
// moves.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/workers/activations/context_source.hpp>

#include <cstddef>
#include <vector>

#include <sched.h>

namespace callisto::workers {

/// A source that shares with no other job.
class pinned_contexts final : public context_source<machine::native> {
 public:
  /// Worker w alone is pinned to processor `os_index[w]`, as the system numbers them.
  explicit pinned_contexts(const std::vector<unsigned>& os_index) {
    for (unsigned c = 0; c < os_index.size(); ++c) {
      if (os_index[c] >= by_number_.size()) by_number_.resize(os_index[c] + std::size_t{1}, none);
      by_number_[os_index[c]] = c;
    }
  }

  /// Takes some nanoseconds: the C library reads what the kernel keeps in the thread's rseq area.
  unsigned here() const noexcept override {
    const auto number = static_cast<std::size_t>(sched_getcpu());
    return number < by_number_.size() ? by_number_[number] : none;
  }

 private:
  std::vector<unsigned> by_number_;  ///< contexts, indexed by the system's number
};

}  // namespace callisto::workers

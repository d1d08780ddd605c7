// Contexts that a set of pinned workers lends to guests, on the hardware: which one a guest is on, whom the system puts
// where it likes.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/workers/activations/context_loans.hpp>

#include <cstddef>
#include <vector>

#include <sched.h>

namespace callisto::workers {

class pinned_contexts : public context_loans<machine::native> {
 public:
  /// Worker w is pinned to the system's number `os_index[w]`, and no other is.
  explicit pinned_contexts(const std::vector<unsigned>& os_index)
      : context_loans(static_cast<unsigned>(os_index.size())) {
    for (unsigned c = 0; c < os_index.size(); ++c) {
      if (os_index[c] >= by_number_.size()) by_number_.resize(os_index[c] + std::size_t{1}, none);
      by_number_[os_index[c]] = c;
    }
  }

 protected:
  unsigned here() const noexcept override {
    // Some nanoseconds: the C library reads what the kernel keeps in the thread's rseq area.
    const auto number = static_cast<std::size_t>(sched_getcpu());
    return number < by_number_.size() ? by_number_[number] : none;
  }

 private:
  std::vector<unsigned> by_number_;  ///< contexts
};

}  // namespace callisto::workers

// Subjects that the checker must reject: how the paper's text says that a loop is published and completed (ATC'15
// section 2.1), and the nearest repair, which is wrong too. docs/explanation/checked-machine.md tells what goes wrong.
#include "subject.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace callisto::check {
namespace {

/// "The definition of parallel_for instantiates a work_item object and publishes it via a shared pointer being watched
/// by the followers. [...] The thread which claims the last batch of iterations removes the work item from the shared
/// pointer [...]. Finally, each work item holds per-socket counts of the number of active threads currently executing
/// the item. The main thread waits for these counters to all be 0."
///
/// counts::in_item is what the text says; counts::in_team, one count for the team, which lives as long as the threads,
/// after which the follower looks at the pointer again.
enum class counts { in_item, in_team };

template <counts Where>
class paper_loop {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    item& it = *reinterpret_cast<item*>(memory_.data());
    if (thread == 0) {
      ::new (static_cast<void*>(memory_.data())) item;
      shared_.store(published, order::release);
      it.run(shared_);
      wait_until_zero(Where == counts::in_item ? it.active : active_);
      std::destroy_at(&it);  // parallel_for returns: its stack frame goes
    } else {
      if (machine::checked::wait_while(
              shared_, [](std::uint32_t s) { return s == nothing; }, machine::patience::lasting) != published) {
        return;
      }
      atomic<std::uint32_t>& active = Where == counts::in_item ? it.active : active_;
      active.fetch_add(1, order::acq_rel);
      if (Where == counts::in_item || shared_.load(order::acquire) == published) it.run(shared_);
      active.fetch_sub(1, order::release);
    }
  }

 private:
  static constexpr std::uint32_t nothing = 0;
  static constexpr std::uint32_t published = 1;
  static constexpr std::uint32_t withdrawn = 2;  ///< nothing again; told apart so that the follower ends

  struct item {
    atomic<std::uint32_t> active{0};
    atomic<std::uint32_t> next{0};
    void run(atomic<std::uint32_t>& shared) {
      constexpr std::uint32_t n = 2;
      for (std::uint32_t i = next.fetch_add(1, order::relaxed); i < n; i = next.fetch_add(1, order::relaxed)) {
        if (i == n - 1) shared.store(withdrawn, order::release);
      }
    }
  };

  static void wait_until_zero(const atomic<std::uint32_t>& active) {
    while (
        machine::checked::wait_while(active, [](std::uint32_t a) { return a != 0; }, machine::patience::brief) != 0) {
    }
  }

  atomic<std::uint32_t> shared_{nothing};
  atomic<std::uint32_t> active_{0};
  alignas(item) std::array<std::byte, sizeof(item)> memory_;
};

const registered<paper_loop<counts::in_item>> as_written("paper.as_written",
                                                         "the paper's text: counts in the work item",
                                                         exhaustive({1, 1}), exhaustive({1, 1}), expectation::broken);
const registered<paper_loop<counts::in_team>> repaired("paper.count_in_team", "the same, counts that outlive the item",
                                                       exhaustive({1, 1}), exhaustive({1, 1}), expectation::broken);

}  // namespace
}  // namespace callisto::check

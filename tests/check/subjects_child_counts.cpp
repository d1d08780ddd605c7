// Subjects: counts of a task's children and descendants, kept in two words by its runner and by the threads that end
// them.
#include "subject.hpp"

#include <callisto/openmp/tasking/child_counts.hpp>

#include <array>

namespace callisto::check {
namespace {

/// What a runner does with the children that it has handed to others.
struct family {
  unsigned others;         ///< threads, each of which ends one child
  bool early = false;      ///< the first child was made before the runner began to count
  bool waits = false;      ///< for the children, as `taskwait`
  bool at_last = false;    ///< the runner looks once whether the counts are as when it began, and is done then
  bool in_steps = false;   ///< others end a child and its reference one after the other
  std::uint32_t most = 8;  ///< children that the runner counts alone
};

template <family F>
class families {
 public:
  static constexpr unsigned threads = 1 + F.others;
  static constexpr unsigned first_alike = 1;

  void run(unsigned thread) {
    if (thread != 0) return end_child(thread);
    if (F.early) hand_on(1);
    below_.begin(&who_[0]);
    // A child that the runner runs itself.
    below_.add(&who_[0], both);
    for (unsigned child = F.early ? 2 : 1; child <= F.others; ++child) hand_on(child);
    const std::uint64_t left = below_.remove(&who_[0], both);
    if (!F.early) require(counts::children_in(left) != 0 && counts::references_in(left) > 1, "alone, it ends nothing");
    if (F.waits) wait();
    if (!F.in_steps) written_[0] = 1;
    if (F.at_last && below_.is_fresh()) return destroy();
    if (!below_.has_descendants()) return destroy();
    if (below_.counts_alone(&who_[0]) && counts::references_in(below_.share()) == 1) return destroy();
    release(0, counts::one_reference);
  }

  void finish() { require(destroyed_, "a thread ends the task"); }

 private:
  using counts = openmp::child_counts<machine::checked, F.most>;
  static constexpr std::uint64_t both = counts::one_child + counts::one_reference;

  void hand_on(unsigned child) {
    below_.add(&who_[0], both);
    made_[child].store(1, order::release);
  }

  void end_child(unsigned thread) {
    const auto not_yet = [](unsigned made) { return made == 0; };
    while (not_yet(machine::checked::wait_while(made_[thread], not_yet, machine::patience::brief))) {
    }
    written_[thread] = 1;
    if (!F.in_steps) return release(thread, both);
    release(thread, counts::one_child);
    looked_[thread] = written_[0] + 1;  // as descendants look at a task that they keep
    release(thread, counts::one_reference);
  }

  void release(unsigned thread, std::uint64_t less) {
    const std::uint64_t left = below_.remove(&who_[thread], less);
    if (counts::children_in(less) != 0 && counts::children_in(left) == 0) {
      // relaxed: as task_pool::tell()
      if (sleeps_.load(order::relaxed) != 0) told_.store(1, order::release);
    }
    if (less >= counts::one_reference && counts::references_in(left) == 0) destroy();
  }

  void wait() {
    if (below_.has_children()) {
      sleeps_.store(1, order::relaxed);
      const std::uint64_t left = below_.counts_alone(&who_[0]) ? below_.share() : below_.look_surely();
      if (counts::children_in(left) != 0) {
        const auto not_yet = [](unsigned told) { return told == 0; };
        while (not_yet(machine::checked::wait_while(told_, not_yet, machine::patience::brief))) {
        }
        require(!below_.has_children(), "it is told when they are finished");
      }
      if (!below_.counts_alone(&who_[0])) below_.take_back(&who_[0]);
    }
    for (unsigned child = 1; child <= F.others; ++child)
      require(written_[child] == 1, "what the children did is visible");
  }

  /// The thread that ends the task sees all that was done.
  void destroy() {
    require(!destroyed_, "one ends it");
    for (unsigned n = F.in_steps ? 1 : 0; n < threads; ++n) {
      require(written_[n] == 1, "all that was done is visible to the thread that ends the task");
      require(!F.in_steps || looked_[n] == 1, "no thread still looks");
    }
    written_[0] = 2;
    destroyed_ = true;
  }

  counts below_;
  std::array<char, threads> who_{};
  std::array<atomic<unsigned>, threads> made_{};
  std::array<plain<unsigned>, threads> written_{};
  std::array<plain<unsigned>, threads> looked_{};
  atomic<unsigned> sleeps_{0};
  atomic<unsigned> told_{0};
  plain<bool> destroyed_{false};
};

constexpr const char* waits =
    "a thread that waits for children is told, and sees what they did; one ends the task, last";
constexpr const char* leaves = "the last of a task and its descendants ends it, once, and sees what all did";

const registered<families<{.others = 1, .waits = true}>> wait_1("child_counts.wait.1", waits, exhaustive({1, 1}),
                                                                exhaustive({1, 1}));
const registered<families<{.others = 2, .waits = true}>> wait_2("child_counts.wait.2", waits, preemptions(2, {0, 0}),
                                                                exhaustive({0, 0}));
const registered<families<{.others = 1, .waits = true, .at_last = true, .in_steps = true}>> steps_1(
    "child_counts.steps.1", waits, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<families<{.others = 1, .early = true, .waits = true}>> early_1("child_counts.early.1", waits,
                                                                                exhaustive({1, 1}), exhaustive({1, 1}));
const registered<families<{.others = 2, .at_last = true, .in_steps = true}>> steps_2("child_counts.steps.2", leaves,
                                                                                     exhaustive({0, 0}),
                                                                                     exhaustive({1, 1}));
const registered<families<{.others = 1}>> leave_1("child_counts.leave.1", leaves, exhaustive({1, 1}),
                                                  exhaustive({1, 1}));
const registered<families<{.others = 2}>> leave_2("child_counts.leave.2", leaves, exhaustive({0, 0}),
                                                  exhaustive({1, 1}));
const registered<families<{.others = 2, .early = true}>> early_2("child_counts.early.2", leaves, exhaustive({0, 0}),
                                                                 exhaustive({1, 1}));
const registered<families<{.others = 2, .waits = true, .most = 1}>> most_2("child_counts.most.2", waits,
                                                                           preemptions(2, {0, 0}), exhaustive({0, 0}));

}  // namespace
}  // namespace callisto::check

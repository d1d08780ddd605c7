// Subjects: calls of an activation to its own thread, and a mailbox of signals.
#include "subject.hpp"

#include <callisto/waiting/suspendable.hpp>
#include <callisto/workers/activations/call_word.hpp>
#include <callisto/workers/activations/mailbox.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

using machine::checked;

/// An activation that stops on worker 0, and goes on there, on worker 1, or on its own thread. The subject's threads
/// play the parts of all three.
class called_activation final : public waiting::suspendable<checked> {
 public:
  using order = machine::order;
  called_activation() : suspendable(0) {}
  bool has_better_to_do() const noexcept override { return false; }

  /// Worker 0 runs it, and it stops.
  void run_until_stop() {
    if (calls_.enter(0)) return run_on_own_thread();
    runs_on_.store(0, order::relaxed);
    saved_ = 1;
    runs_on_.store(nowhere, order::relaxed);
    switch (settle_or_called()) {
      case settlement::stopped:
        return;
      case settlement::called:
        return run_on_own_thread();
      case settlement::resumed:
        return go_on_at(0);
    }
  }

  /// It stops upon its own thread, where it went on when it blocked in the system.
  void run_on_own_thread() {
    hear();
    slept_.fetch_add(1, order::release);
    if (!settle_asleep()) leave_own_thread();
  }

  /// Resumes it, with something that it finds.
  void bring() {
    brought_ = 1;
    resume();
  }

  /// Sends a signal to its own thread, and calls it.
  void signal() {
    kernel_.fetch_or(pending, order::relaxed);
    const std::uint32_t at = calls_.call(false);
    if (call_up()) {
      require(saved_ == 1, "it is as it was saved");
      run_on_own_thread();
    } else if (at < interrupted_.size()) {
      interrupted_[at].store(1, order::relaxed);
    }
  }

  /// At the end: it went on once if it was resumed, and the signal is answered, or interrupts the thread that runs it.
  void judge(unsigned resumptions) {
    require(gone_on_.load(order::relaxed) == resumptions, "it goes on once for each resumption");
    const std::uint32_t at = runs_on_.load(order::relaxed);
    const bool is_interrupted = at < interrupted_.size() && interrupted_[at].load(order::relaxed) != 0;
    const bool comes = kernel_.load(order::relaxed) == (pending | unblocked);
    require(answered_.load(order::relaxed) != 0 || comes || is_interrupted, "the signal finds it");
  }

 private:
  void stop() noexcept override {}
  void go_on(bool sleeps) noexcept override {
    if (sleeps) {
      // The resumer plays the part of the thread that it wakes: it has what that thread did before.
      slept_.fetch_add(1, order::acquire);
      return leave_own_thread();
    }
    require(saved_ == 1, "it is as it was saved");
    go_on_at(1);
  }

  void go_on_at(std::uint32_t worker) {
    require(brought_ == 1, "what the resumer did is visible");
    gone_on_.fetch_add(1, order::relaxed);
    if (calls_.enter(worker)) {
      hear();
    } else {
      runs_on_.store(worker, order::relaxed);
    }
  }
  /// Its own thread takes signals from now on.
  void hear() {
    runs_on_.store(nowhere, order::relaxed);
    calls_.enter_own();
    if ((kernel_.fetch_or(unblocked, order::relaxed) & pending) != 0) answered_.store(1, order::relaxed);
  }
  void leave_own_thread() {
    if (calls_.leave_own()) {
      kernel_.fetch_and(~unblocked, order::relaxed);
      return go_on_at(1);
    }
    gone_on_.fetch_add(1, order::relaxed);
    hear();
  }

  workers::call_word<checked> calls_;
  plain<unsigned> saved_{0};
  plain<unsigned> brought_{0};
  /// What the kernel knows of its own thread, under a lock. A pending signal comes soon after the thread unblocks it,
  /// or at once when it does; a thread that blocks it again may be faster.
  static constexpr unsigned pending = 1;
  static constexpr unsigned unblocked = 2;
  atomic<unsigned> kernel_{0};
  atomic<unsigned> slept_{0};
  atomic<unsigned> answered_{0};
  atomic<unsigned> gone_on_{0};
  static constexpr std::uint32_t nowhere = 2;
  atomic<std::uint32_t> runs_on_{nowhere};  ///< the worker
  std::array<atomic<unsigned>, 2> interrupted_;
};

/// What runs the activation at first, a thread that sends a signal, and maybe one that resumes.
template <unsigned Threads, bool OnOwnThread = false>
class callers {
 public:
  static constexpr unsigned threads = Threads;
  void run(unsigned thread) {
    if (thread == 0) {
      if (OnOwnThread) return activation_.run_on_own_thread();
      activation_.run_until_stop();
    } else if (thread == 1) {
      activation_.signal();
    } else {
      activation_.bring();
    }
  }
  void finish() { activation_.judge(Threads - 2); }

 private:
  called_activation activation_;
};

/// A thread opens its mailbox and closes it; another puts a signal in, or sends it. While the mailbox is open, no
/// signal is on its way: its handler would run then.
template <bool Waits>
class posts {
 public:
  static constexpr unsigned threads = 2;
  void run(unsigned thread) {
    if (thread == 0) {
      for (int round = 0; round < 2; ++round) {
        if (Waits) {
          box_.open_after_signals([this] { come(); });
        } else if (!box_.open()) {
          continue;
        }
        require(kernel_.fetch_or(0, order::relaxed) == 0, "a thread with an open mailbox has no signal on its way");
        taken_ = taken_ | box_.close();
        if ((taken_ & bit) != 0) require(written_ == 1, "what the sender did is visible");
      }
    } else {
      written_ = 1;
      const bool in = box_.post(number, [this] { kernel_.store(1, order::relaxed); });
      sent_ = !in;
    }
  }
  void finish() {
    come();
    require((taken_ & bit) == (sent_ != 0 ? 0 : bit), "the signal is taken where it was put in");
    require(came_ == sent_, "the signal comes once, one way or the other");
  }

 private:
  static constexpr unsigned number = 30;
  static constexpr std::uint64_t bit = std::uint64_t{1} << (number - 1);

  /// The end of a system call of the thread.
  void come() {
    if (kernel_.load(order::relaxed) != 0) came_ = came_ + kernel_.exchange(0, order::relaxed);
  }

  workers::mailbox<checked> box_;
  atomic<unsigned> kernel_{0};  ///< 1: the signal was sent, and has not come
  plain<unsigned> came_{0};
  plain<std::uint64_t> taken_{0};
  plain<unsigned> written_{0};
  plain<unsigned> sent_{0};
};

constexpr const char* found = "a signal finds the activation, which goes on once";

const registered<callers<2>> call("calls.stops", found, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<callers<3>> resumed("calls.resumed", found, exhaustive({1, 0}), exhaustive({1, 1}));
const registered<callers<3, true>> leaving("calls.leaving", found, exhaustive({1, 0}), exhaustive({1, 1}));
const registered<posts<true>> post("calls.mailbox", "a signal comes once", exhaustive({1, 1}), exhaustive({2, 2}));
const registered<posts<false>> try_post("calls.mailbox.tries", "a signal comes once", exhaustive({1, 1}),
                                        exhaustive({2, 2}));

}  // namespace
}  // namespace callisto::check

// Subjects: contexts that workers and attached threads own in turns.
#include "subject.hpp"

#include <callisto/workers/activations/context_owners.hpp>

#include <array>

namespace callisto::check {
namespace {

using machine::checked;
using loans = workers::context_owners<checked>;

/// Workers that work, yield or fall idle, and come back; and attached threads that take a context, use it, and give it
/// back. The owner of a context writes plain data: two owners at once would race.
template <unsigned Workers, unsigned Attached, unsigned Rounds>
class lenders {
 public:
  static constexpr unsigned threads = Workers + Attached;

  void run(unsigned thread) {
    if (thread >= Workers) return borrow();
    loans_.come_back(thread);
    for (unsigned r = 0; r < Rounds; ++r) {
      use(thread);
      if (loans_.watch(thread).should_yield()) {
        loans_.hand_over(thread);
      } else {
        loans_.fall_idle(thread);
        loans_.come_back(thread);
      }
    }
    use(thread);
    loans_.fall_idle(thread);
  }

 private:
  void borrow() {
    unsigned last = 0;
    for (unsigned r = 0; r < Rounds; ++r) {
      const unsigned c = loans_.take(last, [] {});
      if (c == loans::none) {
        require(Attached > Workers, "an attached thread without a context, where there are enough");
        continue;
      }
      last = c;
      use(c);
      loans_.give_back(c);
    }
  }

  void use(unsigned c) { had_[c] = had_[c] + 1; }

  loans loans_{Workers};
  std::array<plain<unsigned>, Workers> had_{};
};

/// An attached thread that steps away and comes again, a worker that wants the context, and, if it `Reclaims`, a thread
/// that reclaims the context.
template <unsigned Rounds, bool Reclaims>
class leavers {
 public:
  static constexpr unsigned threads = Reclaims ? 3 : 2;

  void run(unsigned thread) {
    if (thread == 2) return loans_.reclaim(0);
    if (thread == 1) {
      loans_.come_back(0);
      use();
      loans_.fall_idle(0);
      return;
    }
    unsigned c = loans_.take(0, [] {});
    for (unsigned r = 0; r < Rounds; ++r) {
      use();
      loans_.step_away(c);
      if (!loans_.come_again(c)) {
        require(Reclaims, "no thread takes a context that is not reclaimed");
        c = loans_.take(0, [] {});
        if (c == loans::none) return;  // it is being reclaimed at this moment
      }
    }
    use();
    loans_.give_back(c);
  }

 private:
  void use() { had_ = had_ + 1; }

  loans loans_{1};
  plain<unsigned> had_{0};
};

/// Two attached threads of one context: the one that is away loses it to the other.
class two_leavers {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    const unsigned c = loans_.take(0, [] {});
    if (c == loans::none) return;
    had_ = had_ + 1;
    loans_.step_away(c);
    if (thread == 1 || !loans_.come_again(c)) return;
    had_ = had_ + 1;
    loans_.give_back(c);
  }

 private:
  loans loans_{1};
  plain<unsigned> had_{0};
};

/// An attached thread that the system has put on worker 1's context, and both workers.
template <bool WithWorker0>
class followers {
 public:
  static constexpr unsigned threads = WithWorker0 ? 3 : 2;

  void run(unsigned thread) {
    if (thread != 0) return work(2 - thread);
    unsigned c = loans_.take(0, [] {});
    use(c);
    loans_.step_away(c);
    require(loans_.come_again(c), "no thread reclaims it");
    c = loans_.follow(c);
    use(c);
    loans_.give_back(c);
  }

 private:
  struct where final : workers::context_source<checked> {
    unsigned here() const noexcept override { return 1; }
  };

  void work(unsigned w) {
    loans_.come_back(w);
    use(w);
    loans_.fall_idle(w);
  }
  void use(unsigned c) { had_[c] = had_[c] + 1; }

  where where_;
  loans loans_{2, &where_};
  std::array<plain<unsigned>, 2> had_{};
};

/// Worker 1's activation ends only after an attached thread, which is on context 1, has got a context. Worker 0 finds
/// nothing to do.
class dependent {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 2) return borrow();
    loans_.come_back(thread);
    use(thread);
    const auto not_yet = [](std::uint32_t got) { return got == 0; };
    while (thread == 1 && not_yet(checked::wait_while(got_, not_yet, machine::patience::brief))) {
    }
    loans_.fall_idle(thread);
  }

 private:
  struct where final : workers::context_source<checked> {
    unsigned here() const noexcept override { return 1; }
  };

  void borrow() {
    const unsigned c = loans_.take(1, [] {});
    require(c != loans::none, "an attached thread without a context, where there are enough");
    use(c);
    got_.store(1, order::relaxed);
    loans_.give_back(c);
  }
  void use(unsigned c) { had_[c] = had_[c] + 1; }

  where where_;
  loans loans_{2, &where_};
  atomic<std::uint32_t> got_{0};
  std::array<plain<unsigned>, 2> had_{};
};

/// An attached thread steps away from context 0, which the waiter takes. The rest is as in `dependent`.
class dependent_on_leaver {
 public:
  static constexpr unsigned threads = 3;

  dependent_on_leaver() {
    require(loans_.take(0, [] {}) == 0, "context 0 is free");
  }
  void run(unsigned thread) {
    if (thread == 0) return loans_.step_away(0);
    if (thread == 2) {
      const unsigned c = loans_.take(1, [] {});
      require(c != loans::none, "an attached thread without a context, where one is left");
      got_.store(1, order::relaxed);
      return loans_.give_back(c);
    }
    loans_.come_back(1);
    const auto not_yet = [](std::uint32_t got) { return got == 0; };
    while (not_yet(checked::wait_while(got_, not_yet, machine::patience::brief))) {
    }
    loans_.fall_idle(1);
  }

 private:
  loans loans_{2};
  atomic<std::uint32_t> got_{0};
};

/// Two attached threads ask for context 0. The one that asks first may move to context 1, which becomes free first.
class movers {
 public:
  static constexpr unsigned threads = 3;
  static constexpr unsigned first_alike = 1;

  movers() {
    loans_.come_back(0);
    loans_.come_back(1);
  }
  void run(unsigned thread) {
    if (thread == 0) {
      loans_.fall_idle(1);
      loans_.fall_idle(0);
      return;
    }
    const unsigned c = loans_.take(0, [] {});
    require(c != loans::none, "an attached thread without a context, where there are enough");
    had_[c] = had_[c] + 1;
    loans_.give_back(c);
  }

 private:
  loans loans_{2};
  std::array<plain<unsigned>, 2> had_{};
};

constexpr const char* shares =
    "a context has one owner at a time, which sees what the last one did; no thread waits for ever";

const registered<lenders<1, 1, 1>> loan_1("loans.1x1", shares, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<lenders<1, 1, 2>> loan_1_again("loans.1x1.again", shares, preemptions(2, {1, 0}),
                                                preemptions(3, {1, 1}));
const registered<leavers<1, false>> leave_1("loans.leave", shares, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<leavers<1, true>> leave_2("loans.leave.reclaimed", shares, preemptions(2, {0, 0}),
                                           preemptions(3, {1, 0}));
const registered<two_leavers> leave_3("loans.leave.2", shares, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<followers<false>> follow_1("loans.follow", shares, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<followers<true>> follow_2("loans.follow.2", shares, preemptions(2, {0, 0}), preemptions(3, {1, 0}));
const registered<lenders<1, 2, 1>> loan_1_2("loans.1x2", shares, preemptions(2, {0, 0}), preemptions(3, {1, 0}));
const registered<lenders<2, 1, 1>> loan_2_1("loans.2x1", shares, preemptions(2, {0, 0}), preemptions(3, {1, 0}));
const registered<dependent> depend("loans.dependent", shares, preemptions(3, {1, 0}), exhaustive({1, 1}));
const registered<movers> move_2("loans.move", shares, pct(3, 100'000, {0, 0}), preemptions(2, {0, 0}));
const registered<dependent_on_leaver> depend_3("loans.dependent.leaver", shares, preemptions(2, {0, 0}),
                                               preemptions(3, {1, 0}));
const registered<lenders<2, 2, 1>> loan_2_2("loans.2x2", shares, pct(3, 10'000, {1, 0}), preemptions(2, {0, 0}));

}  // namespace
}  // namespace callisto::check

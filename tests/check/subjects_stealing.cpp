// Subjects: stealing between ranks, from the first request to the end of the phase.
#include "subject.hpp"

#include <callisto/global/messages/activity.hpp>
#include <callisto/global/session/phase_protocol.hpp>
#include <callisto/global/session/steal_protocol.hpp>
#include <callisto/global/tasks/split_queue.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace callisto::check {
namespace {

using machine::checked;

/// Two ranks of one core each, and all that travels between them: tasks, stealing, and the ends of `Phases` phases. One
/// rank begins a phase with `First` tasks, the other one the next phase; the first task spawns `More`. The receiver
/// handles messages that lie in the mail together in either order.
template <int First, int More, int Phases, bool Backwards>
class ranks_that_steal {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned number) {
    rank here(*this, static_cast<int>(number));
    for (int p = 0; p != Phases; ++p) here.run_phase(p);
  }

 private:
  static constexpr int tasks = First + More;  // of a phase
  enum class kinds { task, request, answer, gift, report, next, end };
  struct rank;
  using thefts = global::steal_protocol<checked, rank>;
  struct failed {
    int rank = -1;
    bool take(const failed&) { return false; }
  };
  struct message {
    kinds kind = kinds::end;
    std::uint32_t phase = 0;  ///< the latest that the sender has heard of
    int task = 0;
    global::steal_request request{};
    global::steal_answer answer{};
    global::activity_sums sums{};
  };
  struct message_counts {
    std::uint64_t sent = 0;
    std::uint64_t handled = 0;
  };
  /// The mail of a rank: the other one writes, then rings.
  struct mail {
    std::array<message, 96> all;
    atomic<unsigned> bell{0};
    unsigned sent = 0;  ///< the sender's
    unsigned read = 0;  ///< the reader's
  };

  /// A rank, as both protocols see it.
  struct rank {
    using failure = failed;

    rank(ranks_that_steal& of_in, int me_in)
        : of(of_in), me(me_in), phases(*this, global::rank_tree{me_in, 2}), steals(global::lifelines{me_in, 2}) {}

    // For steal_protocol:
    std::uint32_t phase() const { return latest; }
    std::uint64_t ticks() const { return now; }
    std::uint64_t ticks_of(std::uint64_t nanoseconds) const { return nanoseconds; }
    unsigned pick(unsigned) const { return 0; }
    std::vector<int> take_half(std::size_t most) {
      std::vector<int> taken;
      queue.take_half(most, [&](int t) { taken.push_back(t); });
      return taken;
    }
    void travel(int t, int to) {
      ++counts.sent;
      post(to, {.kind = kinds::task, .task = t});
      own.end();
    }
    void tell_request(int to, const global::steal_request& r) { post(to, {.kind = kinds::request, .request = r}); }
    void tell_answer(int to, const global::steal_answer& a) { post(to, {.kind = kinds::answer, .answer = a}); }
    void tell_gift(int to, const global::steal_answer& a) { post(to, {.kind = kinds::gift, .answer = a}); }

    // For phase_protocol:
    waiting::spin_lock<checked>& lock() { return held; }
    std::optional<global::activity_sums> quiet() {
      const std::array<const global::activity<checked>*, 1> cores{&own};
      return global::quiet_sums(cores, [this] { return counts; });
    }
    std::uint32_t latest_phase() const { return latest; }
    void hear_of_phase(std::uint32_t p) { latest = std::max(latest, p); }
    void show_cancelled(bool is_cancelled) { require(!is_cancelled, "nothing is cancelled"); }
    void report(const global::activity_sums& sums, const failed&) { post(0, {.kind = kinds::report, .sums = sums}); }
    void tell_next() {
      if (me == 0) post(1, {.kind = kinds::next});
    }
    void tell_end(const failed&) {
      if (me == 0) post(1, {.kind = kinds::end});
    }
    void nudge() {}
    void wake_main() {}

    void post(int to, message m) {
      require(to != me, "a rank asks and answers another one");
      mail& box = of.mails_[static_cast<std::size_t>(to)];
      require(box.sent != box.all.size(), "messages come to an end");
      m.phase = latest;
      box.all[box.sent] = m;
      box.bell.store(++box.sent, order::release);
    }
    void spawn(int t) {
      own.begin();
      queue.push(t);
    }
    void run_phase(int p) {
      look_around();  // main waits for something before it begins the phase
      phases.begin();
      if (me == p % 2)
        for (int t = 0; t != First; ++t) spawn(p * tasks + t);
      phases.expect_end();
      // Requests that come before the first task is run.
      for (int look = 0; look != 2; ++look) read_mail();
      for (unsigned asks = 0; !phases.is_over();) {
        run_tasks();
        if (phases.is_over()) break;
        if (asks != 2) {  // at random, then a lifeline
          now += 2 * global::rank_limits::most_pause_ns;
          if (steals.ask(*this)) ++asks, ++asked;
        }
        if (phases.report_if_quiet()) continue;
        mail& box = of.mails_[static_cast<std::size_t>(me)];
        const auto old = [seen = box.read](unsigned rung) { return rung == seen; };
        while (old(checked::wait_while(box.bell, old, machine::patience::brief))) {
        }
        read_mail();
      }
      look_around();  // main is ready, and other workers go first
      phases.finish();
      for (int t = p * tasks; t != (p + 1) * tasks; ++t)
        require(of.ran_[static_cast<std::size_t>(t)] == 1, "the phase ends when each task has run once");
    }
    /// The core without work, while main does not wait for the end of a phase.
    void look_around() {
      for (int look = 0; look != 2; ++look) {
        run_tasks();
        phases.report_if_quiet();
        read_mail();
      }
    }
    void run_tasks() {
      for (int t = 0; queue.pop(t);) {
        auto& times = of.ran_[static_cast<std::size_t>(t)];
        times = times + 1;
        if (t % tasks == 0)
          for (int more = First; more != tasks; ++more) spawn(t + more);
        own.end();
        if (steals.has_waiting(phase())) steals.give_to_waiting(*this);
        require(!steals.has_waiting(phase()) || queue.size() < 2, "a rank that waits gets tasks once there are some");
        read_mail();
      }
    }
    void read_mail() {
      mail& box = of.mails_[static_cast<std::size_t>(me)];
      const unsigned there = box.bell.load(order::acquire);
      std::vector<message> found(box.all.begin() + box.read, box.all.begin() + there);
      box.read = there;
      if (Backwards) std::ranges::reverse(found);
      for (const message& m : found) handle(m);
    }
    void handle(const message& m) {
      hear_of_phase(m.phase);
      switch (m.kind) {
        case kinds::task:
          spawn(m.task);
          ++counts.handled;
          return;
        case kinds::request:
          return steals.give_to(*this, m.request);
        case kinds::answer:
          require(answers++ < asked, "an answer to each request");
          return steals.take_answer(*this, m.answer);
        case kinds::gift:
          require(m.answer.given != 0, "a gift has tasks");
          return steals.take_gift(*this, m.answer);
        case kinds::report:
          return phases.take_report(m.sums, {});
        case kinds::next:
          return phases.take_next_wave();
        case kinds::end:
          return phases.take_end({});
      }
    }

    ranks_that_steal& of;
    const int me;
    waiting::spin_lock<checked> held;
    global::phase_protocol<checked, rank> phases;
    thefts steals;
    global::split_queue<checked, int> queue{2};
    global::activity<checked> own;
    message_counts counts;
    std::uint32_t latest = 0;
    std::uint64_t now = 0;
    unsigned asked = 0;
    unsigned answers = 0;
  };

  std::array<mail, 2> mails_;
  std::array<plain<int>, Phases * tasks> ran_{};
};

/// A thief's rank with two cores without work, which both ask; a lifeline's gift comes beside the answer.
class two_cores_ask {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    hands here{*this};
    if (thread == 2) {  // the core that handles messages
      const auto none = [](unsigned n) { return n == 0; };
      while (none(checked::wait_while(asked_, none, machine::patience::brief))) {
      }
      require(under_way_ == 1, "the request that is answered is under way");
      under_way_ = 0;
      steals_.take_answer(here, {1, global::steal_request::no_lifeline, 0});
      return;
    }
    steals_.ask(here);
  }
  void finish() {
    const unsigned asked = asked_.load(order::relaxed);
    require(asked == 1 || asked == 2, "a rank without work asks");
    require(asked == 1 || under_way_ == 1, "the second request is under way");
    hands here{*this};
    require(under_way_ == 1 || steals_.ask(here), "a rank asks again after an answer");
  }

 private:
  struct hands {
    two_cores_ask& of;
    std::uint32_t phase() const { return 1; }
    // The pause is over as soon as the answer has come.
    std::uint64_t ticks() const { return 0; }
    std::uint64_t ticks_of(std::uint64_t) const { return 0; }
    unsigned pick(unsigned) const { return 0; }
    std::vector<int> take_half(std::size_t) const { return {}; }
    void travel(int, int) const {}
    void tell_request(int, const global::steal_request&) const {
      require(of.under_way_ == 0, "one request is under way");
      of.under_way_ = 1;
      of.asked_.fetch_add(1, order::release);
    }
    void tell_answer(int, const global::steal_answer&) const {}
    void tell_gift(int, const global::steal_answer&) const {}
  };
  using protocol = global::steal_protocol<checked, hands>;

  protocol steals_{global::lifelines{0, 4}};
  // Not plain: messages order the threads that use it.
  unsigned under_way_ = 0;
  atomic<unsigned> asked_{0};
};

/// Ranks that wait, remembered by one thread, and taken by two others: each is given to once.
class waiting_ranks {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 0) {
      set_.add(1, 0);
      set_.add(1, 3);
      return;
    }
    if (const auto one = set_.take(1)) taken_[*one].fetch_add(1, order::relaxed);
  }
  void finish() {
    while (const auto one = set_.take(1)) taken_[*one].fetch_add(1, order::relaxed);
    for (const unsigned i : {0U, 3U})
      require(taken_[i].load(order::relaxed) == 1, "each rank that waits is found once");
    set_.add(2, 1);
    set_.add(1, 2);
    require(set_.members(2) == 2 && set_.members(1) == 0, "what waited in an earlier phase is forgotten");
  }

 private:
  global::lifeline_set<checked> set_;
  std::array<atomic<unsigned>, 4> taken_{};
};

const char* const once = "each task runs once, before the phase ends";

const registered<ranks_that_steal<5, 0, 1, false>> asked("stealing.asked", once, pct(3, 3'000, {0, 0}),
                                                         preemptions(2, {0, 0}));
const registered<ranks_that_steal<1, 3, 1, false>> given("stealing.given", once, pct(3, 3'000, {0, 0}),
                                                         preemptions(2, {0, 0}));
const registered<ranks_that_steal<1, 3, 1, true>> overtaken("stealing.overtaken", once, pct(3, 3'000, {0, 0}),
                                                            preemptions(2, {0, 0}));
const registered<ranks_that_steal<1, 2, 2, false>> phases("stealing.phases", once, pct(3, 3'000, {0, 0}),
                                                          pct(4, 200'000, {0, 0}));
const registered<ranks_that_steal<1, 2, 2, true>> phases_back("stealing.phases_overtaken", once, pct(3, 3'000, {0, 0}),
                                                              pct(4, 200'000, {0, 0}));
const registered<two_cores_ask> two_cores("stealing.two_cores", "one request of a rank is under way",
                                          exhaustive({0, 0}), exhaustive({1, 1}));
const registered<waiting_ranks> waiting("stealing.waiting", "each rank that waits is found once",
                                        preemptions(2, {0, 1}), exhaustive({0, 1}));

}  // namespace
}  // namespace callisto::check

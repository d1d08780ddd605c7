// Subjects: a broker and jobs, each with its own pair of words. One thread is the broker, the others are jobs.
#include "subject.hpp"

#include <callisto/broker/pair_words.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

using broker::broker_side;
using broker::has_it;
using broker::offer;
using broker::reply;

constexpr std::uint64_t long_ago = 1 << 20;

/// The words of two jobs, and the broker's bell.
struct pairs {
  std::array<broker::offer_line<machine::checked>, 2> offers;
  std::array<broker::reply_line<machine::checked>, 2> replies;
  atomic<std::uint64_t> bell{0};

  // --- the World of a job
  static std::uint64_t now() { return long_ago; }
  void ring(unsigned) {
    // release, and acquire in serve(): the message passes through the kernel.
    bell.fetch_add(1, order::release);
    machine::checked::unpark(bell, ~0u);
  }
  static void park(const atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t) {
    machine::checked::park(word, low);
  }

  broker::job_side<machine::checked> job(unsigned j) { return {offers[j], replies[j], 0}; }
  broker_side<machine::checked> side(unsigned j) { return {offers[j], replies[j]}; }
};

/// The broker's part: one context, which goes to the job that asks, and in the end to none. It takes an idle context
/// without a question.
class one_context {
 public:
  explicit one_context(pairs& of) : of_(of) {}

  /// Serves until `ends` replies have said goodbye.
  void serve(unsigned ends) {
    std::array<bool, 2> ended{};
    unsigned left = ends;
    while (left != 0) {
      const std::uint64_t rung = of_.bell.load(order::acquire);  // acquire: the replies behind it
      for (unsigned j = 0; j < 2; ++j) look(j);
      const unsigned other = 1 - holder_;
      if (holder_ == none) {
        for (unsigned j = 0; j < 2 && holder_ == none; ++j) {
          if (wants_[j]) grant(j);
        }
      } else if (wants_[other]) {
        if (idle_) {
          // It may have given the context back since, and sleep with a request for the old number.
          const unsigned was = holder_;
          revoke(was);
          machine::checked::unpark(of_.offers[was].word, ~0u);
          grant(other);
        } else if (!says_[holder_].asked) {
          says_[holder_].asked = true;
          of_.side(holder_).say(says_[holder_]);
        }
      }
      for (unsigned j = 0; j < 2; ++j) {
        if (!ended[j] && gone_[j].load(order::acquire) != 0 && holder_ != j) {
          ended[j] = true;
          --left;
        }
      }
      if (left != 0) machine::checked::park(of_.bell, static_cast<std::uint32_t>(rung));
    }
  }

  /// Job `j` is about to leave or to withdraw, and says no more after that.
  void end(unsigned j) { gone_[j].store(1, order::release); }

 private:
  static constexpr unsigned none = 2;

  void look(unsigned j) {
    const reply r = of_.side(j).look();
    if (holder_ == j) {
      idle_ = r.idle;
      if (broker::holds_it(says_[j], r)) return;
      revoke(j);
      wants_[j] = r.wants;
    } else if (r.number == says_[j].number) {
      wants_[j] = r.wants;
    }
  }
  void grant(unsigned j) {
    says_[j] = {.number = says_[j].next(), .granted = true};
    holder_ = j;
    idle_ = false;
    wants_[j] = false;
    of_.side(j).watch(true);
    of_.side(j).say(says_[j]);
    machine::checked::unpark(of_.offers[j].word, ~0u);
  }
  void revoke(unsigned j) {
    says_[j] = {.number = says_[j].next()};
    holder_ = none;
    of_.side(j).say(says_[j]);
  }

  pairs& of_;
  std::array<offer, 2> says_{};
  std::array<bool, 2> wants_{};
  std::array<atomic<std::uint32_t>, 2> gone_{};
  unsigned holder_ = none;
  bool idle_ = false;
};

bool never() { return false; }

/// Two jobs that ask: each runs, at no time do two, and each sees what the other did. No wake-up is lost.
class asking_jobs {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 2) return broker_.serve(2);
    const auto mine = pairs_.job(thread);
    cosched::lease held;
    mine.take(pairs_, held, never, ~std::uint64_t{0});
    uses_ = uses_ + 1;
    if (pairs_.offers[thread].word.load(order::relaxed) != held.word && !mine.keep(pairs_, held)) {
      mine.take(pairs_, held, never, ~std::uint64_t{0});
    }
    uses_ = uses_ + 1;
    broker_.end(thread);
    mine.leave(pairs_);
  }

  void finish() { require(uses_ == 4, "every job ran, and again if it was asked"); }

 private:
  pairs pairs_;
  one_context broker_{pairs_};
  plain<unsigned> uses_{0};
};

/// A job that idles and comes back, while the broker takes what is idle for another job. The job that comes back may
/// overlap with the other until its next check-in, but gets the context in the end, and no request is lost.
class returning_job {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 2) return broker_.serve(2);
    const auto mine = pairs_.job(thread);
    cosched::lease held;
    mine.take(pairs_, held, never, ~std::uint64_t{0});
    if (thread == 0) {
      mine.idle(pairs_);
      mine.take(pairs_, held, never, ~std::uint64_t{0});
      // The check-in. It tells of a loss at the latest when the other job has been granted what this one had.
      if (pairs_.offers[0].word.load(order::relaxed) != held.word && !mine.keep(pairs_, held)) {
        mine.take(pairs_, held, never, ~std::uint64_t{0});
      }
    }
    ran_[thread] = 1;
    broker_.end(thread);
    mine.leave(pairs_);
  }

  void finish() {
    require(ran_[0] == 1 && ran_[1] == 1, "every job ran");
    for (unsigned j = 0; j < 2; ++j) {
      require(!has_it(offer::of(pairs_.offers[j].word.load(order::relaxed)),
                      reply::of(pairs_.replies[j].word.load(order::relaxed))),
              "no job has a context that it left");
    }
  }

 private:
  pairs pairs_;
  one_context broker_{pairs_};
  std::array<plain<unsigned>, 2> ran_{};
};

/// A job idles until another has run: the broker lends the context, and the borrower sees what the lender did.
class lending_job {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 2) return broker_.serve(2);
    const auto mine = pairs_.job(thread);
    cosched::lease held;
    if (thread == 0) {
      mine.take(pairs_, held, never, ~std::uint64_t{0});
      uses_ = uses_ + 1;
      mine.idle(pairs_);
      while (done_.load(order::relaxed) == 0) machine::checked::park(done_, 0);
      // A request, so that the goodbye rings.
      mine.take(pairs_, held, never, ~std::uint64_t{0});
    } else {
      mine.take(pairs_, held, never, ~std::uint64_t{0});
      uses_ = uses_ + 1;
      done_.store(1, order::relaxed);
      machine::checked::unpark(done_, ~0u);
    }
    broker_.end(thread);
    mine.leave(pairs_);
  }

  void finish() { require(uses_ == 2, "both ran"); }

 private:
  pairs pairs_;
  one_context broker_{pairs_};
  plain<unsigned> uses_{0};
  atomic<std::uint64_t> done_{0};
};

/// A job asks and withdraws, while the broker grants: the context is not lost to the other job.
class withdrawing_job {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 2) return broker_.serve(2);
    const auto mine = pairs_.job(thread);
    cosched::lease held;
    std::uint64_t seen = 0;
    const bool has =
        thread == 0 ? mine.try_take(pairs_, held, seen) : mine.take(pairs_, held, never, ~std::uint64_t{0});
    ran_[thread] = has ? 1 : 0;
    broker_.end(thread);
    if (has) {
      mine.leave(pairs_);
    } else {
      mine.withdraw(pairs_);
    }
  }

  void finish() { require(ran_[1] == 1, "the other job ran"); }

 private:
  pairs pairs_;
  one_context broker_{pairs_};
  std::array<plain<unsigned>, 2> ran_{};
};

/// The broker looks by its clock, without a ring: the next holder sees what the job did before it gave back, or idled.
class looked_at {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    if (thread == 1) {
      const auto its = pairs_.side(0);
      its.say({.number = 1, .granted = true});
      its.say({.number = 1, .granted = true, .asked = true});
      const reply r = its.look();
      if (r.number == 1 && (r.back || r.idle)) uses_ = uses_ + 1;
      return;
    }
    const auto mine = pairs_.job(0);
    cosched::lease held;
    std::uint64_t seen = 0;
    if (!mine.try_take(pairs_, held, seen)) return;
    uses_ = uses_ + 1;
    if (pairs_.offers[0].word.load(order::relaxed) == held.word || mine.keep(pairs_, held)) mine.idle(pairs_);
  }

  void finish() { require(uses_ <= 2, "at most both"); }

 private:
  pairs pairs_;
  plain<unsigned> uses_{0};
};

/// The broker revokes without an answer at any step of the job: the job's check-in says so, and so does a closer look.
class overrun {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    if (thread == 1) {
      const auto its = pairs_.side(0);
      its.say({.number = 1, .granted = true});
      machine::checked::unpark(pairs_.offers[0].word, ~0u);
      its.say({.number = 1, .granted = true, .asked = true});
      its.say({.number = 2});
      return;
    }
    const auto mine = pairs_.job(0);
    std::uint64_t seen = 0;
    if (!mine.try_take(pairs_, lease_, seen)) return;
    took_ = 1;
    if (pairs_.offers[0].word.load(order::relaxed) == lease_.word) return;
    kept_ = mine.keep(pairs_, lease_, false) ? 1 : 0;
  }

  void finish() {
    const auto mine = pairs_.job(0);
    if (took_ == 0) return;
    cosched::lease now = lease_;
    require(pairs_.offers[0].word.load(order::relaxed) != lease_.word, "the check-in of the old holder says so");
    require(!mine.keep(pairs_, now), "and so does a closer look");
    require(!offer::of(lease_.word).asked, "no holder keeps what it is asked for");
    std::uint64_t seen = 0;
    require(!mine.try_take(pairs_, now, seen), "what was revoked is not taken again");
    const reply r = pairs_.side(0).look();
    require(r.wants && r.number == 2 && pairs_.bell.load(order::relaxed) != 0, "the request is made anew, with a ring");
  }

 private:
  pairs pairs_;
  cosched::lease lease_;
  plain<unsigned> took_{0};
  plain<unsigned> kept_{0};
};

constexpr const char* shares = "one job at a time; no request and no wake-up is lost";
constexpr const char* comes_back = "a job that comes back to a context that the broker takes gets it later";
constexpr const char* lends = "what is idle goes to a job that waits, which sees what the lender did";
constexpr const char* withdraws = "a request that is withdrawn costs no other job the context";
constexpr const char* sees = "a broker that looks without a ring passes on what the job did";
constexpr const char* finds_out = "a holder finds out that its grant was revoked, and asks anew";

const registered<asking_jobs> ask_1("broker.ask", shares, preemptions(3, {0, 0}), preemptions(4, {1, 0}));
const registered<returning_job> back("broker.return", comes_back, preemptions(2, {0, 0}), preemptions(3, {1, 0}));
const registered<lending_job> lent("broker.lend", lends, preemptions(2, {0, 0}), preemptions(3, {0, 0}));
const registered<withdrawing_job> withdrawn("broker.withdraw", withdraws, preemptions(2, {0, 0}),
                                            preemptions(3, {0, 0}));
const registered<looked_at> looked("broker.look", sees, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<overrun> over("broker.overrun", finds_out, exhaustive({1, 1}), exhaustive({1, 1}));

}  // namespace
}  // namespace callisto::check

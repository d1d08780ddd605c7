// Subjects: stealing by force, with an owner that begins units of what it has reserved, and thieves.
#include "subject.hpp"

#include <callisto/waiting/forced_steal.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

/// No membarrier: nothing is taken by force.
struct gentle : machine::checked {
  static bool has_heavy_fence() noexcept { return false; }
};

/// A machine in which a wait ends only if the word changes.
struct patient : machine::checked {
  template <class T, class Keep>
  static T wait_while(const machine::checked::atomic<T>& word, Keep keep, machine::patience grade) {
    for (;;) {
      const T value = machine::checked::wait_while(word, keep, grade);
      if (!keep(value)) return value;
    }
  }
};

constexpr std::uint64_t part(std::uint64_t first, std::uint64_t last) { return last << 16 | first; }
constexpr std::uint64_t first_of(std::uint64_t reserved) { return reserved & 0xffff; }
constexpr std::uint64_t last_of(std::uint64_t reserved) { return reserved >> 16; }

/// How an owner gives back what it has not begun.
enum class gives { nothing, at_once };

/// An owner that reserves two units, some times, and begins them; and threads that steal from it.
template <unsigned Thieves, unsigned Fillings, bool TakesOver, gives Gives, class M = machine::checked>
class robbers {
  using request = waiting::forced_steal<M, 24, TakesOver>;
  using reply = waiting::steal_reply;

 public:
  static constexpr unsigned threads = 1 + Thieves;

  void run(unsigned thread) {
    if (thread != 0) return steal(thread);
    for (unsigned f = 0; f < Fillings; ++f) {
      next_ = 2 * f;
      limit_ = 2 * f + 2;
      for (std::uint64_t i = next_; i < limit_; ++i) written_[i] = 1;
      reserved_.store(part(next_, limit_), order::release);
      while (next_ != limit_) {
        const std::uint64_t unit = next_;
        if (begin()) end(unit);
      }
    }
    request_.refuse();
    // What was given back, and no thief has found.
    take_given();
  }

  void finish() {
    take_given();
    for (const auto& n : ended_) require(n == 1, "every unit is begun once");
  }

 private:
  static constexpr unsigned units = 2 * Fillings;

  struct thief {
    robbers& of;
    std::uint64_t number;
    std::uint64_t seen = 0;
    bool look() {
      seen = of.reserved_.load(order::acquire);
      return first_of(seen) < last_of(seen);
    }
    std::uint64_t cut() const { return first_of(seen) | number << 16; }
    void prepare(const atomic<std::uint64_t>&, std::uint64_t) const { of.notes_[number] = seen; }
    void commit() const {
      for (std::uint64_t i = first_of(seen); i < last_of(seen); ++i) of.end(i);
    }
    void cancel() const {}
  };

  void steal(unsigned thread) {
    if (request_.ask(thief{*this, thread}) != reply::got) take_given();
  }

  /// Begins the next unit; false if a thief has taken it.
  bool begin() {
    next_ = next_ + 1;
    reserved_.store(part(next_, limit_), order::release);
    if (!request_.is_asked()) return true;
    const auto heard = Gives == gives::at_once
                           ? request_.call_off_behind([&] { reserved_.store(part(next_, next_), order::relaxed); })
                           : request_.call_off();
    if (heard.how == request::outcome::called_off && Gives == gives::at_once) {
      for (std::uint64_t i = next_; i < limit_; ++i) given_.fetch_or(std::uint64_t{1} << i, order::release);
      limit_ = next_;
    }
    if (heard.how != request::outcome::cut_off) return true;
    const std::uint64_t cut = heard.cut & 0xffff;
    require(notes_[heard.cut >> 16] == part(cut, limit_), "the owner sees what the thief has prepared");
    const bool mine = cut == next_;
    reserved_.store(part(limit_, limit_), order::relaxed);
    request_.end_cut();
    next_ = limit_;
    return mine;
  }
  void take_given() {
    // acquire: what the owner wrote is visible.
    const std::uint64_t given = given_.exchange(0, order::acquire);
    for (unsigned i = 0; i < units; ++i)
      if ((given >> i & 1) != 0) end(i);
  }
  void end(std::uint64_t i) {
    require(written_[i] == 1, "what the owner wrote is visible");
    ended_[i] = ended_[i] + 1;
  }

  request request_;
  atomic<std::uint64_t> reserved_{0};
  atomic<std::uint64_t> given_{0};
  std::uint64_t next_ = 0;
  std::uint64_t limit_ = 0;
  std::array<plain<std::uint64_t>, threads> notes_{};
  std::array<plain<unsigned>, units> written_{};
  std::array<plain<unsigned>, units> ended_{};
};

/// An owner that has begun one of two units and stays inside, a thief that stops for ever while it uses force, and
/// another thief, which gets the second unit all the same.
class taken_over {
  using request = waiting::forced_steal<machine::checked, 16, true>;

 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    if (thread == 0) {
      try {
        request_.ask(thief{*this, true});
      } catch (const stop&) {
      }
      stopped_.store(1, order::release);
      return;
    }
    const auto runs = [](unsigned n) { return n == 0; };
    while (runs(machine::checked::wait_while(stopped_, runs, machine::patience::lasting))) {
    }
    for (waiting::steal_reply heard = waiting::steal_reply::again; heard == waiting::steal_reply::again;) {
      heard = request_.ask(thief{*this, false});
    }
    require(got_ == 1, "a thief that stops keeps nothing back");
  }

 private:
  struct stop {};
  struct thief {
    taken_over& of;
    bool stops;
    bool look() const { return of.reserved_.load(order::acquire) == part(1, 2); }
    std::uint64_t cut() const { return 1; }
    void prepare(const atomic<std::uint64_t>&, std::uint64_t) const {
      if (stops) throw stop();
    }
    void commit() const { of.got_ = of.got_ + 1; }
    void cancel() const {}
  };

  request request_;
  atomic<std::uint64_t> reserved_{part(1, 2)};
  atomic<unsigned> stopped_{0};
  plain<unsigned> got_{0};
};

/// A thief that asks an owner which begins its last unit, and looks at no request any more. Both change what is
/// reserved, so that one of them sees the other.
class too_late {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    if (thread == 0) {
      reserved_.exchange(part(1, 1), order::acq_rel);
      if (request_.is_asked()) request_.call_off();
      return;
    }
    while (request_.ask(thief{*this}) == waiting::steal_reply::again) {
    }
  }

 private:
  struct thief {
    too_late& of;
    bool look() const { return of.reserved_.fetch_add(0, order::acq_rel) == part(0, 1); }
    std::uint64_t cut() const { return 0; }
    void prepare(const atomic<std::uint64_t>&, std::uint64_t) const {}
    void commit() const { require(false, "nothing is taken"); }
    void cancel() const {}
  };

  waiting::forced_steal<patient, 16, true> request_;
  atomic<std::uint64_t> reserved_{part(0, 1)};
};

/// A thief that is suspended between its look and its compare-and-swap. Meanwhile the owner calls it off and reserves
/// more, and a second thief uses force. All on one thread, one after the other.
class outdated {
 public:
  static constexpr unsigned threads = 1;

  void run(unsigned) {
    require(request_.ask(thief{*this, true}) == waiting::steal_reply::again, "what the thief saw is outdated");
  }

 private:
  struct stop {};
  struct thief {
    outdated& of;
    bool is_first;
    bool look() const { return true; }
    std::uint64_t cut() const { return 0; }
    void prepare(const atomic<std::uint64_t>&, std::uint64_t) const {
      if (!is_first) throw stop();
      require(of.request_.call_off().how == request::outcome::called_off, "the owner calls the thief off");
      try {
        of.request_.ask(thief{of, false});
      } catch (const stop&) {
      }
    }
    void commit() const {}
    void cancel() const {}
  };
  using request = waiting::forced_steal<machine::checked, 16, true>;

  request request_;
};

/// One or two waits may end before the owner has answered: so a thief comes to use force.
constexpr whims impatient{1, 0};
constexpr whims more_impatient{2, 1};

/// Executions with few preemptions in which loads return one of the two newest values: two thieves have many others.
machine::checking::options few(unsigned bound) {
  machine::checking::options o = preemptions(bound, impatient);
  o.stale = 1;
  return o;
}

const char* const once = "every unit is begun once, and what the owner wrote is visible";

const registered<robbers<1, 1, false, gives::nothing>> kept("steal.kept", once, exhaustive(impatient),
                                                            exhaustive(more_impatient));
const registered<robbers<1, 1, false, gives::at_once>> given("steal.given", once, exhaustive(impatient),
                                                             exhaustive(more_impatient));
const registered<robbers<1, 2, true, gives::nothing>> filled("steal.filled_again", once, preemptions(3, impatient),
                                                             preemptions(4, impatient));
const registered<robbers<2, 1, false, gives::at_once>> two_thieves("steal.two_thieves", once, few(2), few(3));
const registered<robbers<2, 1, true, gives::at_once>> rivals("steal.rivals", once, few(2), few(3));
const registered<robbers<2, 2, true, gives::nothing>> again("steal.cut_again", once, few(2), few(3));
const registered<outdated> old("steal.outdated", "a thief wins nothing by what it saw before another one used force",
                               exhaustive({0, 0}), exhaustive({1, 0}));
const registered<robbers<1, 1, false, gives::at_once, gentle>> gently("steal.gentle", once, exhaustive(impatient),
                                                                      exhaustive(more_impatient));
const registered<taken_over> taken("steal.taken_over", "a thief that stops for ever keeps nothing back",
                                   exhaustive({1, 0}), exhaustive({2, 1}));
const registered<too_late> late("steal.too_late", "a thief does not wait for an owner that has begun all",
                                exhaustive({0, 0}), exhaustive({0, 1}));

}  // namespace
}  // namespace callisto::check

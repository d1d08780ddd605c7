// A loop site: a place in the source from which loops run, and what it remembers from one loop to the next.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <source_location>

namespace callisto::loop {

struct site_totals;

/// Memory of one place in the source about its loops with one type of body. It is constant-initialized, so it can be a
/// static variable in a function template without a guard, and a loop may run before main().
///
/// A body of a unique type, such as a lambda, is used in one place. Function pointers and the like are used in many:
/// the static variable then stands for the first place that used it, and all further places hang from it in a list. Any
/// number of threads may use it at once. The first use of each further place allocates some bytes for good.
class loop_site {
  using order = machine::order;
  template <class T>
  using atomic = machine::native::atomic<T>;

 public:
  constexpr loop_site() noexcept = default;

  /// Returns the site of loops of the same body that run from `where`. Two loads and a comparison if it is this one.
  loop_site& at(const std::source_location& where) noexcept {
    const void* const place = place_of(where);
    // relaxed, here and below: the address names a constant of the program; no thread reads through it.
    return place_.load(order::relaxed) == place ? *this : find(place);
  }

  /// Returns how many iterations all threads of the last loop did in 10 us; 0: unknown. A guess at the next loop's.
  std::uint64_t pace() const noexcept { return pace_.load(order::relaxed); }
  /// Returns how many iterations a thread alone does in 10 us; 0: unknown. A guess, too.
  std::uint64_t pace_alone() const noexcept { return pace_alone_.load(order::relaxed); }

  /// True if one thread will probably end a loop of `n` iterations before `threads` threads could have come and gone:
  /// two in 2 us, 16 in 3 us.
  bool is_brief(std::uint64_t n, unsigned threads) const noexcept { return n <= pace_alone() * brief(threads) / 64; }

  /// True if the leader is to begin such a loop alone: it is_brief(), and the site's guesses have not cost much lately.
  bool begins_alone(std::uint64_t n, unsigned threads) noexcept {
    if (!is_brief(n, threads)) return false;
    // relaxed, here and below: a hint.
    const std::uint64_t left = distrusted_.load(order::relaxed);
    if (left == 0) return true;
    distrusted_.store(left - 1, order::relaxed);
    return false;
  }
  /// Lets the next `loops` loops not begin alone.
  void distrust(std::uint64_t loops) noexcept { distrusted_.store(loops, order::relaxed); }

  /// Returns how many iterations a thread may take at once early in a loop of `threads` threads, if its first one was
  /// light: a sixteenth of 10 us of the last loop's work.
  std::uint64_t hint(unsigned threads) const noexcept { return pace() / 16 / threads; }

  /// Measures a loop of the site from its beginning to its end, if `site` is not null. A loop that was stopped or threw
  /// says nothing: it is unknown how much of it ran.
  class timing {
   public:
    timing(loop_site* site, std::uint64_t n, unsigned threads) noexcept
        : site_(site), n_(n), begin_(site != nullptr ? machine::native::ticks() : 0), threads_(threads) {}
    timing(const timing&) = delete;
    timing& operator=(const timing&) = delete;
    /// Says that one thread runs the loop.
    void alone() noexcept { alone_ = true; }
    /// Says that one thread has run `done` iterations so far, before other threads join. Returns the ticks since the
    /// beginning.
    std::uint64_t began_alone(std::uint64_t done) noexcept {
      const std::uint64_t ticks = machine::native::ticks() - begin_;
      if (site_ != nullptr && done != 0) site_->did_alone(done, ticks);
      return ticks;
    }
    /// Returns when the loop began, in ticks; 0: it is not measured.
    std::uint64_t begin() const noexcept { return begin_; }
    void ended() noexcept {
      if (site_ == nullptr) return;
      const std::uint64_t ticks = machine::native::ticks() - begin_;
      site_->took(n_, ticks);
      if (alone_) {
        site_->did_alone(n_, ticks);
      } else if (ticks < machine::native::ticks_per_second() / 50'000) {
        // In 20 us threads that come and go may be most of the time: the next loop shows how long one thread alone
        // takes. Later this is done once in some hundred times, since iterations may have become lighter.
        if (site_->pace_alone() == 0 || begin_ % 256 == 0) site_->expect_brief(n_, threads_);
      }
    }

   private:
    loop_site* site_;
    std::uint64_t n_;
    bool alone_ = false;
    std::uint64_t begin_;
    unsigned threads_;
  };

  /// The site's sums while loops are counted (record/statistics.cpp); null before the first of them.
  atomic<site_totals*> totals{nullptr};

 private:
  explicit loop_site(const void* place) noexcept : place_(place) {}

  /// Returns the address that names a place: libstdc++ and libc++ keep a location as one pointer to a constant.
  static const void* place_of(const std::source_location& where) noexcept {
    static_assert(sizeof where == sizeof(const void*));
    return std::bit_cast<const void*>(where);
  }

  [[gnu::noinline]] loop_site& find(const void* place) noexcept {
    for (loop_site* site = this;;) {
      const void* found = nullptr;
      while (found == nullptr && !site->place_.compare_exchange(found, place, order::relaxed)) {
      }
      if (found == nullptr || found == place) return *site;
      // acquire: pairs with the exchange below, so this thread sees the whole next site.
      loop_site* next = site->next_.load(order::acquire);
      if (next == nullptr) {
        loop_site* const made = new (std::nothrow) loop_site(place);
        if (made == nullptr) return *site;  // two places share a site rather than have no loop
        while (next == nullptr && !site->next_.compare_exchange(next, made, order::release)) {
        }
        if (next == nullptr) return *made;
        delete made;
        next = site->next_.load(order::acquire);  // a failed exchange orders nothing
      }
      site = next;
    }
  }

  /// Returns how long a loop takes a thread alone that ends so before `threads` threads could, in 64ths of 10 us.
  static constexpr std::uint64_t brief(unsigned threads) noexcept { return std::min(24u, 12 + threads / 2); }

  /// Returns how many iterations take 10 us if `n` of them took `ticks`.
  static std::uint64_t pace_of(std::uint64_t n, std::uint64_t ticks) noexcept {
    const double per_target = static_cast<double>(n) * static_cast<double>(machine::native::ticks_per_second()) * 1e-5;
    return static_cast<std::uint64_t>(std::min(per_target / static_cast<double>(ticks + 1), 0x1p58));
  }
  /// Keeps a pace. relaxed: a hint. Written only if it changes much, since other leaders read it.
  static void keep(atomic<std::uint64_t>& known, std::uint64_t pace) noexcept {
    const std::uint64_t before = known.load(order::relaxed);
    if (pace > before + before / 4 || pace < before - before / 4) known.store(pace, order::relaxed);
  }
  void took(std::uint64_t n, std::uint64_t ticks) noexcept { keep(pace_, pace_of(n, ticks)); }
  void did_alone(std::uint64_t n, std::uint64_t ticks) noexcept {
    keep(pace_alone_, std::max<std::uint64_t>(1, pace_of(n, ticks)));
  }
  void expect_brief(std::uint64_t n, unsigned threads) noexcept {
    pace_alone_.store(std::min<std::uint64_t>(n, std::uint64_t{1} << 50) * 64 / brief(threads) + 1, order::relaxed);
  }

  /// The iterations that all threads of the last loop did in 10 us; 0 at first.
  atomic<std::uint64_t> pace_{0};
  /// The iterations that a thread alone did in 10 us, when one last ran a loop or began one; 0 at first.
  atomic<std::uint64_t> pace_alone_{0};
  /// Loops that do not begin alone, whatever the paces say.
  atomic<std::uint64_t> distrusted_{0};
  atomic<const void*> place_{nullptr};
  atomic<loop_site*> next_{nullptr};
};

}  // namespace callisto::loop

// Loops with cross-iteration dependences. The loop's schedule is not known here, so each iteration of the whole nest
// has a bit that says that it has posted.
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/locks/parking_lot.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <climits>
#include <memory>
#include <vector>

namespace callisto::openmp::kmpc {
namespace {

/// The upper half of a word: a thread waits for an iteration of the lower half.
constexpr u64 waited_for = u64{1} << 63;
constexpr u64 in_word = 32;

/// The progress of a loop nest.
class progress {
 public:
  progress(i32 loops, const loop_bounds* bounds) : bounds_(bounds, bounds + loops) {
    u64 all = 1;
    bool fits = true;
    for (const loop_bounds& b : bounds_) {
      trips_.push_back(count_trips(b.first, b.last, b.step));
      fits = fits && !__builtin_mul_overflow(all, trips_.back(), &all);
    }
    constexpr u64 most = u64{1} << 40;
    if (!fits || all > most) report_and_exit("Out of memory for a loop with dependences");
    words_ = std::make_unique<atomic<u64>[]>(all / in_word + 1);
  }

  void post(const i64* values) noexcept {
    u64 number = 0;
    if (!number_of(values, number)) return;
    atomic<u64>& word = words_[number / in_word];
    // release: publishes what the iteration did to wait()'s acquire. Clears the mark of waiting threads, too.
    u64 seen = word.load(order::relaxed);
    while (!word.compare_exchange(seen, (seen & ~waited_for) | bit(number), order::release)) {
    }
    if ((seen & waited_for) != 0) wake(&word, UINT_MAX);
  }

  void wait(const i64* values, suspendable& self) noexcept {
    u64 number = 0;
    if (!number_of(values, number)) return;
    atomic<u64>& word = words_[number / in_word];
    // acquire, here and below: pairs with post()'s release.
    const auto has_come = [&] { return (word.load(order::acquire) & bit(number)) != 0; };
    if (has_come() || spin_until(self, has_come)) return;
    while ((word.fetch_or(waited_for, order::acquire) & bit(number)) == 0)
      wait_at(&word, self, [&] { return !has_come() && (word.load(order::acquire) & waited_for) != 0; });
  }

  /// Counts one holder more or less.
  void hold() noexcept { holders_.fetch_add(1, order::relaxed); }  // relaxed: the caller has it from a holder
  void drop() noexcept {
    // acq_rel: the last holder sees the end of each use.
    if (holders_.fetch_sub(1, order::acq_rel) == 1) delete this;
  }

 private:
  static u64 bit(u64 number) noexcept { return u64{1} << number % in_word; }
  /// False: no iteration of the nest has these values.
  bool number_of(const i64* values, u64& number) const noexcept {
    for (std::size_t n = 0; n < bounds_.size(); ++n) {
      const loop_bounds& b = bounds_[n];
      if (b.step > 0 ? values[n] < b.first : values[n] > b.first) return false;
      const u64 trip = count_trips(b.first, values[n], b.step) - 1;
      if (trip >= trips_[n]) return false;
      number = number * trips_[n] + trip;
    }
    return true;
  }

  const std::vector<loop_bounds> bounds_;
  std::vector<u64> trips_;
  std::unique_ptr<atomic<u64>[]> words_;
  atomic<unsigned> holders_{1};  ///< the share and the threads in the loop
};

progress* of(const omp_thread& self) noexcept { return static_cast<progress*>(self.at.doacross); }

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

CALLISTO_OPENMP_ABI void __kmpc_doacross_init(compiled_at, i32, i32 loops, const loop_bounds* bounds) {
  omp_thread& self = this_thread();
  if (self.in().threads == 1) return;
  next_share(self, [&](workshare& share) {
    share.kept =
        std::shared_ptr<void>(new progress(loops, bounds), [](void* made) { static_cast<progress*>(made)->drop(); });
  });
  self.at.doacross = self.at.share->kept.get();
  of(self)->hold();
}
CALLISTO_OPENMP_ABI void __kmpc_doacross_post(compiled_at, i32, const i64* values) {
  if (progress* const loop = of(this_thread()); loop != nullptr) loop->post(values);
}
CALLISTO_OPENMP_ABI void __kmpc_doacross_wait(compiled_at, i32, const i64* values) {
  const omp_thread& self = this_thread();
  if (progress* const loop = of(self); loop != nullptr) loop->wait(values, *self.self);
}
CALLISTO_OPENMP_ABI void __kmpc_doacross_fini(compiled_at, i32) {
  omp_thread& self = this_thread();
  if (progress* const loop = of(self); loop != nullptr) loop->drop();
  self.at.doacross = nullptr;
}

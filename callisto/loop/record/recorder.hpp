// Records of a running loop: when each thread claims, works and leaves. Statistics (statistics.hpp) and timelines
// (trace.hpp) are made of it.
//
// Off, as it is by default: a loop reads one word when it begins, and its threads test one null pointer for each claim.
// On: each thread writes its record, on cache lines that no other thread uses, and the leader adds the records up when
// all threads have left. The gate at which the leader waits (waiting/entry_gate.hpp) orders the two, so nothing here is
// atomic.
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/export.hpp>
#include <callisto/loop/record/site.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto::loop {

/// One thread's activity in one loop. Times are in ticks of machine::native. One thread at a time uses it.
class alignas(machine::native::line_size) thread_record {
 public:
  /// Says that the thread takes part; a claim follows. A thread may leave and come back.
  CALLISTO_API void entered() noexcept;
  /// Says that the thread got [first, last), and works; its cursor has counted `counts` for claims so far.
  CALLISTO_API void claimed(std::uint64_t first, std::uint64_t last, distributor::claim_counts counts) noexcept;
  /// Says that the batch has ended; a claim follows.
  CALLISTO_API void worked() noexcept;
  /// Says that the thread leaves: its last claim was empty, or a body threw.
  CALLISTO_API void left(distributor::claim_counts counts) noexcept;

 private:
  friend class loop_record;

  const site_totals* site_ = nullptr;  ///< for the timeline; null: there is none
  bool leads_ = false;
  bool working_ = false;
  bool threw_ = false;
  bool fetched_ = false;           ///< the batch at hand is from another thread's share
  std::uint64_t since_ = 0;        ///< when the current claim or work began
  std::uint64_t claim_began_ = 0;  ///< when the claim of the current batch began
  std::uint64_t entered_ = 0;
  std::uint64_t left_ = 0;
  distributor::range batch_;
  distributor::claim_counts seen_;  ///< of the current cursor

  std::uint64_t visits_ = 0;
  std::uint64_t iterations_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t claiming_ = 0;
  std::uint64_t steals_ = 0;
  std::uint64_t given_back_ = 0;
  std::uint64_t taken_back_ = 0;
  std::uint64_t combined_ = 0;
};

/// One recorded loop, used by its leader.
class loop_record {
 public:
  /// Begins a loop of n iterations for `threads` threads. May throw std::bad_alloc.
  loop_record(site_totals& site, std::uint64_t n, unsigned threads, bool traced);

  thread_record* part_of(unsigned thread) noexcept { return &parts_[thread]; }

  /// Adds the loop to its site's sums, after all threads have left.
  void end() noexcept;

 private:
  site_totals& site_;
  const std::uint64_t n_;
  const bool traced_;
  std::vector<thread_record> parts_;
  std::uint64_t began_ = 0;
};

/// Not 0 if loops are recorded, or if the environment was not read yet.
CALLISTO_API extern machine::native::atomic<unsigned> recording;

/// Returns a record of the loop that is about to begin, if loops are recorded, else null. Reads CALLISTO_STATS and
/// CALLISTO_TRACE the first time, and may throw output_error for them; may throw std::bad_alloc.
[[nodiscard]] CALLISTO_API loop_record* begin_recording(loop_site& site, const std::source_location& where,
                                                        std::uint64_t n, unsigned threads);
CALLISTO_API void end_recording(loop_record* record) noexcept;
/// Drops the record of a loop that could not begin.
CALLISTO_API void drop_recording(loop_record* record) noexcept;

/// The record of a loop item, if any. Simulated and checked machines have none.
template <machine::policy M>
class recorder {
 public:
  class part {
   public:
    void entered() const noexcept {}
    template <class Cursor>
    void claimed(std::uint64_t, std::uint64_t, const Cursor&) const noexcept {}
    void worked() const noexcept {}
    template <class Cursor>
    void left(const Cursor&) const noexcept {}
  };

  static constexpr part part_of(unsigned) noexcept { return {}; }
};

template <>
class recorder<machine::native> {
 public:
  /// One thread's part; a null pointer if nothing is recorded.
  class part {
   public:
    explicit part(thread_record* record = nullptr) noexcept : record_(record) {}

    void entered() const noexcept {
      if (record_ != nullptr) [[unlikely]]
        record_->entered();
    }
    /// Takes two numbers, not a range: GCC 12 would keep the range in memory, recorded or not, and read it back with
    /// one load over two stores, which stalls (10 ns a claim).
    template <class Cursor>
    void claimed(std::uint64_t first, std::uint64_t last, const Cursor& cursor) const noexcept {
      if (record_ != nullptr) [[unlikely]]
        record_->claimed(first, last, counts_of(cursor));
    }
    void worked() const noexcept {
      if (record_ != nullptr) [[unlikely]]
        record_->worked();
    }
    template <class Cursor>
    void left(const Cursor& cursor) const noexcept {
      if (record_ != nullptr) [[unlikely]]
        record_->left(counts_of(cursor));
    }

   private:
    /// Takes the cursor by value: if its address escaped, the compiler could not keep it in registers.
    template <class Cursor>
    static distributor::claim_counts counts_of(const Cursor& cursor) noexcept {
      if constexpr (requires { distributor::claim_counts(cursor.counts); }) {
        return cursor.counts;
      } else {
        return {};
      }
    }

    thread_record* record_;
  };

  recorder() noexcept = default;
  explicit recorder(loop_record* loop) noexcept : loop_(loop) {}

  part part_of(unsigned thread) const noexcept { return part(loop_ == nullptr ? nullptr : loop_->part_of(thread)); }

 private:
  loop_record* loop_ = nullptr;
};

/// A loop on the native machine, recorded if loops are.
class recorded_loop {
 public:
  /// Begins the loop. May throw what begin_recording() throws.
  recorded_loop(loop_site& site, const std::source_location& where, std::uint64_t n, unsigned threads)
      // relaxed: a thread that switches recording on or off synchronizes with none; later loops will see it.
      : record_(recording.load(machine::order::relaxed) != 0 ? begin_recording(site, where, n, threads) : nullptr) {}
  recorded_loop(const recorded_loop&) = delete;
  recorded_loop& operator=(const recorded_loop&) = delete;
  ~recorded_loop() {
    if (record_ != nullptr) [[unlikely]]
      drop_recording(record_);
  }

  recorder<machine::native> handle() const noexcept { return recorder<machine::native>(record_); }

  /// Ends the loop, after all threads have left.
  void end() noexcept {
    if (record_ != nullptr) [[unlikely]]
      end_recording(std::exchange(record_, nullptr));
  }

 private:
  loop_record* record_;
};

}  // namespace callisto::loop

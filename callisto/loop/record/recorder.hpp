// What a loop tells about itself while it runs: when each thread claims, works and leaves. The raw material of
// statistics (statistics.hpp) and timelines (trace.hpp).
//
// Off, as it is unless somebody asks: a loop reads one word when it begins, and its threads test one null pointer for
// each claim. On, each thread writes into a record of its own, on lines of its own, and the leader adds up when all
// have left; the gate that it waits at (workers/waiting/entry_gate.hpp) orders the two, so nothing here is atomic.
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/export.hpp>
#include <callisto/loop/site.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto::loop {

/// What one thread did in one loop. Times are in ticks of machine::native. One thread at a time uses it.
class alignas(machine::native::line_size) thread_record {
 public:
  /// The thread takes part from now on; what follows is a claim. It may leave and come back.
  CALLISTO_API void entered() noexcept;
  /// It got [first, last), which is work, by claims of which the cursor has so far counted `counts`.
  CALLISTO_API void claimed(std::uint64_t first, std::uint64_t last, distributor::claim_counts counts) noexcept;
  /// The batch has ended; what follows is a claim.
  CALLISTO_API void worked() noexcept;
  /// It leaves: its last claim was empty, or, if it was at work, a body threw.
  CALLISTO_API void left(distributor::claim_counts counts) noexcept;

 private:
  friend class loop_record;

  const site_totals* site_ = nullptr;  ///< for the timeline; null: none is kept
  bool leads_ = false;
  bool working_ = false;
  bool threw_ = false;
  bool fetched_ = false;           ///< the batch at hand is somebody else's share
  std::uint64_t since_ = 0;        ///< when the claim or the work at hand began
  std::uint64_t claim_began_ = 0;  ///< the claim that brought the batch at hand
  std::uint64_t entered_ = 0;
  std::uint64_t left_ = 0;
  distributor::range batch_;
  distributor::claim_counts seen_;  ///< of the cursor at hand

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

/// One loop while it is recorded; its leader's.
class loop_record {
 public:
  /// A loop of n iterations for `threads` threads is about to begin. May throw std::bad_alloc.
  loop_record(site_totals& site, std::uint64_t n, unsigned threads, bool traced);

  thread_record* part_of(unsigned thread) noexcept { return &parts_[thread]; }

  /// Everybody has left: adds the loop to its site's sums.
  void end() noexcept;

 private:
  site_totals& site_;
  const std::uint64_t n_;
  const bool traced_;
  std::vector<thread_record> parts_;
  std::uint64_t began_ = 0;
};

/// Not 0 if loops are to be recorded, or if nobody has looked yet whether the environment says so.
CALLISTO_API extern machine::native::atomic<unsigned> recording;

/// A record of the loop that is about to begin, if loops are recorded, else null. Reads CALLISTO_STATS and
/// CALLISTO_TRACE the first time, and may throw output_error for them; may throw std::bad_alloc.
[[nodiscard]] CALLISTO_API loop_record* begin_recording(loop_site& site, const std::source_location& where,
                                                        std::uint64_t n, unsigned threads);
CALLISTO_API void end_recording(loop_record* record) noexcept;
/// For a loop that could not begin.
CALLISTO_API void drop_recording(loop_record* record) noexcept;

/// The record that a loop item writes to, if any. Machines that are made up have none.
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
  /// One thread's: a null pointer if nothing is recorded.
  class part {
   public:
    explicit part(thread_record* record = nullptr) noexcept : record_(record) {}

    void entered() const noexcept {
      if (record_ != nullptr) [[unlikely]]
        record_->entered();
    }
    /// Two numbers rather than a range: GCC 12 would keep the range in memory for it, recorded or not, and read it back
    /// with one load over two stores, which stalls (10 ns a claim).
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
    /// By value: a cursor whose address the compiler must think known elsewhere could not be kept in registers.
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
  /// The loop is about to begin. May throw what begin_recording() throws.
  recorded_loop(loop_site& site, const std::source_location& where, std::uint64_t n, unsigned threads)
      // relaxed: who switches recording on or off synchronizes with nobody; loops that begin later will see.
      : record_(recording.load(machine::order::relaxed) != 0 ? begin_recording(site, where, n, threads) : nullptr) {}
  recorded_loop(const recorded_loop&) = delete;
  recorded_loop& operator=(const recorded_loop&) = delete;
  ~recorded_loop() {
    if (record_ != nullptr) [[unlikely]]
      drop_recording(record_);
  }

  recorder<machine::native> handle() const noexcept { return recorder<machine::native>(record_); }

  /// Everybody has left it.
  void end() noexcept {
    if (record_ != nullptr) [[unlikely]]
      end_recording(std::exchange(record_, nullptr));
  }

 private:
  loop_record* record_;
};

}  // namespace callisto::loop

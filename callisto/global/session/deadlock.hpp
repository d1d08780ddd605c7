// Deadlock: all ranks find that no worker can ever go on.
#pragma once

#include <callisto/global/session/rank_parts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace callisto::global {

/// Returns how many threads this process has; 0 if /proc does not say.
int threads_of_process() noexcept;

/// Numbers of actions of ranks that could wake a worker. Each number only grows, so two equal sums mean that no such
/// action came in between.
struct still_sums {
  std::uint64_t sent = 0;      ///< messages
  std::uint64_t handled = 0;   ///< messages
  std::uint64_t told = 0;      ///< messages about phases
  std::uint64_t heard = 0;     ///< messages about phases
  std::uint64_t switches = 0;  ///< between workers

  still_sums& operator+=(const still_sums& more) noexcept {
    sent += more.sent;
    handled += more.handled;
    told += more.told;
    heard += more.heard;
    switches += more.switches;
    return *this;
  }
  bool operator==(const still_sums&) const = default;
  bool nothing_under_way() const noexcept { return sent == handled && told == heard; }
};

/// The search for a deadlock, over the tree of ranks:
///
/// 1. *Core without work for a second:* is still, and notes what its workers wait for.
/// 2. *Core 0, all cores still, all children heard:* adds the rank's sums, and tells the parent rank.
/// 3. *Rank 0:* compares. If some rounds are equal and nothing is under way, no worker has run and no message was under
///    way at any rank in between, so none ever will: it ends the job. Else it asks all ranks to report again.
class deadlock_search {
 public:
  /// `threads_before`: threads of the process before main joined; 0: ranks in one process, beside threads of other
  /// ranks.
  deadlock_search(rank_parts& rank, std::size_t cores, int threads_before)
      : rank_(rank),
        idle_from_(cores),
        cores_(cores),
        waits_(cores),
        workers_(cores),
        threads_before_main_(threads_before) {}

  /// Counts the threads of the process, once all cores have theirs.
  void count_threads() noexcept { own_threads_ = threads_of_process(); }
  /// Notes whether a core has had nothing to do for long. Core 0 reports if no core of the rank has. The core's thread.
  void note_idle(core& c, unsigned idle);
  /// Notes that a core has work.
  void note_work(const core& c);

 private:
  std::string waits_of(core& c) const;
  std::optional<still_sums> still_now() const;
  std::optional<still_sums> own_report(std::uint64_t now, std::string& waits);
  void report_if_still(std::uint64_t now);
  void take_report(const still_sums& sums, std::span<const std::byte> text);
  void begin_round();

  rank_parts& rank_;
  std::vector<std::uint64_t> idle_from_;  ///< ticks, by core; each its core's
  // Under the rank's lock:
  std::vector<char> cores_;  ///< by core: it is still
  std::vector<std::string> waits_;
  std::vector<std::uint64_t> workers_;  ///< with a task
  int children_ = 0;                    ///< that have reported in this round
  bool reported_ = false;
  still_sums of_children_;
  std::string waits_of_children_;
  std::optional<still_sums> last_;  ///< in rank 0
  int equal_rounds_ = 0;
  std::uint64_t next_round_at_ = 0;  ///< ticks; 0: a round runs

  const int threads_before_main_;
  int own_threads_ = 0;  ///< of the process when the session began
};

}  // namespace callisto::global

// A timeline of all ranks: what each did over time, in the Chrome trace format (Perfetto).
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/session/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace callisto::global {

/// A phase of one rank, in seconds since its session began.
struct phase_span {
  double begin = 0;
  double end = 0;
};

/// One rank's record of its time.
struct rank_timeline {
  std::int32_t rank = 0;
  std::string host;
  double began = 0;                      ///< its session, in seconds of its host's clock
  std::vector<rank_statistics> samples;  ///< totals, each at its `seconds`
  std::vector<phase_span> phases;
  std::uint64_t phases_left_out = 0;  ///< for which there was no room
};

/// Keeps samples and phases of one rank in bounded memory. Used by the thread that runs main.
class CALLISTO_API timeline_recorder {
 public:
  static constexpr std::size_t most_samples = 2048;
  static constexpr std::size_t most_phases = 16384;

  /// True if a sample is due, `seconds` after the session began.
  bool is_due(double seconds) const noexcept { return seconds >= next_; }
  /// Keeps a sample. If there is no room, every other one goes, and the next ones come half as often.
  void add(const rank_statistics& now);
  void add(const phase_span& ended);

  const std::vector<rank_statistics>& samples() const noexcept { return samples_; }
  const std::vector<phase_span>& phases() const noexcept { return phases_; }
  std::uint64_t phases_left_out() const noexcept { return left_out_; }

 private:
  double period_ = 0.001;
  double next_ = 0;
  std::vector<rank_statistics> samples_;
  std::vector<phase_span> phases_;
  std::uint64_t left_out_ = 0;
};

/// Returns one JSON object in the Chrome trace format: a process for each rank, with its phases, and as counters the
/// rates and means between its samples. Clocks of hosts differ as they do: the origin is the first session's begin.
CALLISTO_API std::string timeline_json(std::span<const rank_timeline> ranks);

}  // namespace callisto::global

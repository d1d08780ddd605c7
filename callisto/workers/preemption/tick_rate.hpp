// How often a runaway timer ticks, and what the ticks may cost.
//
// The handler measures its lag: how long after a tick is due the handler begins. The lag is most of what a tick costs,
// which is the interrupt and the signal: 1 to 2 us on a processor of one's own, 30 us on some virtual ones. Periods are
// multiples of the lag, so that quick ticks cost about a quarter of the time, usual ones 1/40, rare ones 1/400.
#pragma once

#include <algorithm>
#include <cstdint>

namespace callisto::workers {

/// Rates of a timer, in the order in which tick_policy.hpp's table lists them.
enum class tick_rate : std::uint8_t {
  none,    ///< no ticks
  slow,    ///< a tick now and then, to look whether another job wants the context
  slower,  ///< as slow, and no more often than rare
  rare,    ///< there is demand, and ticks have found nothing for long
  usual,   ///< there is demand
  quick,   ///< there is demand, and waits were found
};

/// The periods of a timer in nanoseconds of the clock, where ticks are cheap. Processor time is not counted: an
/// activation that the kernel makes wait keeps its worker, too.
struct tick_periods {
  std::uint64_t quick = 0;
  std::uint64_t usual = 0;
  std::uint64_t slow = 0;

  /// Turns must not become much longer than wanted: a thread that was off its processor lags, too. Nor may the answer
  /// to another job, which takes the context after 10 ms.
  static constexpr std::uint64_t most_usual = 4;
  static constexpr std::uint64_t most_rare = 16;

  /// Returns the period at this rate for a handler that lags by `lag` nanoseconds; 0: no ticks.
  std::uint64_t of(tick_rate rate, std::uint64_t lag) const noexcept {
    switch (rate) {
      case tick_rate::none:
        return 0;
      case tick_rate::slow:
        return slow;
      case tick_rate::slower:
        return std::max(slow, of(tick_rate::rare, lag));
      case tick_rate::rare:
        return std::clamp(400 * lag, usual, most_rare * usual);
      case tick_rate::usual:
        return std::clamp(40 * lag, usual, most_usual * usual);
      case tick_rate::quick:
        return std::max(quick, 4 * lag);
    }
    return 0;
  }

  /// Returns the period that a timer of `period` gets after a tick with this lag: a longer one if `period` is less than
  /// two thirds of what the rate asks for.
  std::uint64_t lengthened(std::uint64_t period, std::uint64_t lag) const noexcept {
    const std::uint64_t wanted = of(period < usual ? tick_rate::quick : tick_rate::usual, lag);
    return wanted > period + period / 2 ? wanted : period;
  }
};

/// Returns the lag that is believed in after one was measured, in nanoseconds: a step towards it, so that the value
/// stays near the median. A thread that was off its processor for a time lags by that much once.
inline std::uint64_t learned_lag(std::uint64_t known, std::uint64_t measured) noexcept {
  const std::uint64_t step = known / 16 + 100;
  return measured > known ? known + step : known - std::min(known, step);
}

}  // namespace callisto::workers

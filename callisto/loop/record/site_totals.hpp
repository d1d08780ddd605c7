// The recorded sites and their sums. Internal.
#pragma once

#include <callisto/loop/record/statistics.hpp>

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::loop {

/// The sums of one site. Never destroyed, and its texts are copies: a plug-in may be unloaded after its loops have run.
struct site_totals {
  loop_statistics_of_site sums;  ///< file, line, column and function never change; the rest is guarded by the lock
  std::string label;             ///< "function (file:line)", never changes
};

/// All sites. One lock guards all sums; it is taken when a recorded loop begins and ends.
class site_registry {
 public:
  /// An object of this type holds the lock.
  class hold {
   public:
    hold() noexcept;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold();
  };

  /// Returns the only registry. Never destroyed, since loops may run in static destructors.
  static site_registry& instance();

  /// Returns a site, found by its texts, since one place may have several addresses. The caller holds the lock.
  site_totals& find(const std::source_location& where);

  /// Under the lock.
  const std::vector<std::unique_ptr<site_totals>>& all() const noexcept { return sites_; }
  /// Under the lock.
  void reset() noexcept;

 private:
  std::vector<std::unique_ptr<site_totals>> sites_;
};

/// The bits of `recording` (recorder.hpp).
enum recording_bit : unsigned {
  records_sums = 1,
  records_timeline = 2,
  records_unknown = 4,  ///< the environment was not read yet
};

/// Reads the environment if that was not done yet. May throw output_error.
void settle_recording();

/// Switches bits of `recording` on or off, which settles them.
void set_recording(unsigned bit, bool on) noexcept;

}  // namespace callisto::loop

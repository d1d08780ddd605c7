// Subject: the front of a scan, which the thread that runs the block at it moves on.
#include "subject.hpp"

#include <callisto/loop/algorithms/scan_front.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

/// Two threads run the blocks of a scan, as callisto::inclusive_scan does: in turn, or the first thread all but one.
template <unsigned Blocks, bool InTurn>
class scan_of_blocks {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    for (unsigned b = 0; b < Blocks; ++b) {
      if ((InTurn ? b % 2 : b == Blocks - 2 ? 1 : 0) != thread) continue;
      if (front_.is_at(b)) {
        before_[b + 1] = before_[b] + value_of(b);
        front_.passes(b);
      } else {
        before_[b + 1] = value_of(b);
      }
    }
  }

  void finish() {
    const std::uint64_t scanned = front_.at();
    require(scanned <= Blocks, "no more blocks are scanned than there are");
    std::uint64_t sum = 0;
    for (unsigned b = 0; b < Blocks; ++b) {
      sum += value_of(b);
      const std::uint64_t found = before_[b + 1];
      require(found == (b < scanned ? sum : value_of(b)),
              "before the front stand sums of all, behind it of each block");
    }
  }

 private:
  static constexpr std::uint64_t value_of(unsigned block) { return std::uint64_t{1} << (4 * block); }

  loop::scan_front<machine::checked> front_;
  std::array<plain<std::uint64_t>, Blocks + 1> before_{};
};

constexpr const char* known = "a block is scanned at once only if what stands before it is known";
const registered<scan_of_blocks<4, true>> scan_in_turn("scan.in_turn", known, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<scan_of_blocks<3, false>> scan_one("scan.one_other", known, exhaustive({1, 1}), exhaustive({1, 1}));

}  // namespace
}  // namespace callisto::check

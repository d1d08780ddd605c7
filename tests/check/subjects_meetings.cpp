// Subject: the tree in which values of neighbours meet; the thread that comes to a pair second combines it.
#include "subject.hpp"

#include <callisto/loop/algorithms/meetings.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

/// Two threads give the values of the blocks, as callisto::deterministic_reduce does: each every other one.
template <unsigned Blocks>
class meeting_blocks {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    for (unsigned b = thread; b < Blocks; b += threads) {
      values_[b] = b + 1;
      tree_.arrive(b, [&](std::uint64_t left, std::uint64_t right) {
        // In order, as digits: what stands on the right comes behind what stands on the left.
        std::uint64_t shift = 1;
        for (std::uint64_t rest = values_[right]; rest != 0; rest /= 10) shift *= 10;
        values_[left] = values_[left] * shift + values_[right];
      });
    }
  }

  void finish() {
    std::uint64_t expected = 0;
    for (unsigned b = 0; b < Blocks; ++b) expected = expected * 10 + b + 1;
    require(values_[0] == expected, "the value of all blocks, in order, stands at the first");
  }

 private:
  loop::meetings<machine::checked> tree_{Blocks};
  std::array<plain<std::uint64_t>, Blocks> values_{};
};

constexpr const char* once = "each pair is combined once, by a thread that sees both values";
const registered<meeting_blocks<2>> two("meetings.two", once, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<meeting_blocks<3>> three("meetings.three", once, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<meeting_blocks<4>> four("meetings.four", once, exhaustive({1, 1}), exhaustive({1, 1}));

}  // namespace
}  // namespace callisto::check

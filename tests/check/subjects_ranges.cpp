// Subjects: ranges that split, with what is reserved given back or taken by force.
#include "claimers.hpp"

#include <callisto/distributor/absent_threads.hpp>

#include <cstdint>
#include <span>

namespace callisto::check {
namespace {

/// The tree over the threads with two children to a node: three threads have two levels.
struct narrow : machine::checked {
  static constexpr unsigned ranges_arity = 2;
};
/// No membarrier: nothing is taken by force.
struct gentle : machine::checked {
  static bool has_heavy_fence() noexcept { return false; }
};

/// Two waits may end before the owner that is asked has answered: so a thief comes to use force.
constexpr whims impatient{2, 0};

/// The threads at these positions are not expected.
template <unsigned... Absent>
struct without : distributor::splitting_ranges<machine::checked> {
  using base = distributor::splitting_ranges<machine::checked>;
  without(std::uint64_t n, const distributor::layout& where, std::span<const stage> stages)
      : without(n, where, stages, absent_threads(where.threads())) {}

 private:
  using absent_threads = distributor::absent_threads<machine::checked>;
  without(std::uint64_t n, const distributor::layout& where, std::span<const stage> stages, absent_threads&& absent)
      : base(n, where, stages, (absent.set(Absent, true), ..., &absent)) {}
};

using by_range = scheduled<stage{stage_kind::ranges, level::thread, false}>;

template <class Machine, class Seats, unsigned Threads, std::uint64_t N, std::uint64_t Reserve,
          conduct What = conduct::stay>
using split = subject_of<distributor::splitting_ranges<Machine>, by_range, Seats, Threads, N, What, Reserve>;

using machine::checked;

const registered<split<checked, two_cores, 2, 3, 0>> claimed("ranges.2x3", once, preemptions(2, impatient),
                                                             preemptions(3, impatient));
const registered<split<checked, two_cores, 2, 4, 2>> reserved("ranges.reserved.2x4", once, preemptions(2, impatient),
                                                              preemptions(3, impatient));
const registered<split<checked, two_cores, 2, 5, 3>> reserved_5("ranges.reserved.2x5", once, preemptions(2, impatient),
                                                                preemptions(3, impatient));
const registered<split<gentle, two_cores, 2, 4, 2>> gently("ranges.gentle", once, preemptions(2, impatient),
                                                           preemptions(3, impatient));
const registered<split<checked, one_core_3, 2, 5, 2>> absent("ranges.absent", once, preemptions(2, impatient),
                                                             preemptions(3, impatient));
const registered<split<checked, two_cores, 2, 2, 2>> few("ranges.few", once, preemptions(2, impatient),
                                                         preemptions(3, impatient));
const registered<split<checked, two_pairs, 2, 3, 2>> fewer("ranges.fewer_than_threads", once, preemptions(2, impatient),
                                                           preemptions(3, impatient));
const registered<subject_of<without<2>, by_range, one_core_3, 2, 5, conduct::stay, 2>> expected(
    "ranges.expected", once, preemptions(2, impatient), preemptions(3, impatient));
const registered<subject_of<without<1>, by_range, two_cores, 2, 3, conduct::stay, 2>> unexpected(
    "ranges.unexpected", once, preemptions(2, impatient), preemptions(3, impatient));
const registered<split<checked, two_cores, 2, 3, 2, conduct::return_>> again("ranges.again", once,
                                                                             preemptions(2, impatient),
                                                                             preemptions(3, impatient));
const registered<split<checked, two_cores, 2, 4, 2, conduct::exhaust>> exhausted("ranges.exhaust", ended,
                                                                                 preemptions(2, impatient),
                                                                                 preemptions(3, impatient));
const registered<split<checked, two_cores, 2, 4, 2, conduct::stop>> stopped("ranges.stop", ended,
                                                                            preemptions(2, impatient),
                                                                            preemptions(3, impatient));
const registered<split<checked, one_core_3, 1, 5, 2, conduct::exhaust>> alone("ranges.exhaust.alone", ended,
                                                                              exhaustive(none), exhaustive(none));
const registered<split<checked, one_core_3, 3, 5, 2>> three("ranges.3x5", once, nearly_fresh(1), preemptions(2, none));
const registered<split<narrow, one_core_3, 3, 5, 2>> tree("ranges.tree.3x5", once, pct(3, 20'000, impatient),
                                                          nearly_fresh(1));

}  // namespace
}  // namespace callisto::check

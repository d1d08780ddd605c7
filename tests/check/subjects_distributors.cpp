// Subjects: the distributors alone, each kind and their compositions. Every iteration is handed out once, to a thread
// that claims; what exhaust() drops is handed out to none.
#include "claimers.hpp"

#include <cstdint>

namespace callisto::check {
namespace {

using machine::checked;

// --- counters

using one = scheduled<counter(level::machine)>;
using by_thread = scheduled<counter(level::thread)>;
using by_core = scheduled<counter(level::core)>;

template <class Schedule, class Seats, unsigned Threads, std::uint64_t N, conduct What = conduct::stay>
using count = subject_of<counters<checked>, Schedule, Seats, Threads, N, What>;

const registered<count<one, one_core_2, 2, 3>> counter_2("counter.2x3", once, exhaustive(one_each),
                                                         exhaustive(one_each));
const registered<count<one, one_core_3, 3, 3>> counter_3("counter.3x3", once, exhaustive(one_each),
                                                         exhaustive(one_each));
const registered<count<one, one_core_3, 3, 2, conduct::exhaust>> counter_ended("counter.exhaust", ended,
                                                                               exhaustive(one_each),
                                                                               exhaustive(one_each));
const registered<count<by_thread, two_cores, 2, 3>> stripes_2("stripes.2x3", once, exhaustive(one_each),
                                                              exhaustive(one_each));
const registered<count<by_thread, one_core_3, 3, 3>> stripes_3("stripes.3x3", once, exhaustive(one_each),
                                                               exhaustive(one_each));
const registered<count<by_core, pair_and_one, 3, 3>> stripes_core("stripes.core.3x3", once, exhaustive(one_each),
                                                                  exhaustive(one_each));
const registered<count<by_thread, two_pairs, 2, 5>> stripes_absent("stripes.absent", once, exhaustive(one_each),
                                                                   exhaustive(one_each));
const registered<count<by_thread, two_cores, 2, 2, conduct::return_>> stripes_again("stripes.again", once,
                                                                                    exhaustive(one_each),
                                                                                    exhaustive(one_each));
const registered<count<by_thread, one_core_3, 3, 3, conduct::exhaust>> stripes_ended("stripes.exhaust", ended,
                                                                                     exhaustive(one_each),
                                                                                     exhaustive(one_each));

const registered<count<by_thread, one_core_3, 3, 2>> stripes_few("stripes.few", once, exhaustive(one_each),
                                                                 exhaustive(one_each));
const registered<count<by_thread, two_cores, 2, 4, conduct::quit>> stripes_quit("stripes.quit", once,
                                                                                exhaustive(one_each),
                                                                                exhaustive(one_each));
const registered<count<by_thread, one_core_3, 1, 5, conduct::exhaust>> stripes_alone("stripes.exhaust.alone", ended,
                                                                                     exhaustive(one_each),
                                                                                     exhaustive(one_each));

// --- one combiner

using sync_one = scheduled<combine(level::core), counter(level::machine)>;
using sync_core = scheduled<combine(level::core), counter(level::core)>;
using sync_all = scheduled<combine(level::machine), counter(level::machine)>;
using sync_self = scheduled<combine(level::thread), counter(level::thread)>;
using async_one = scheduled<combine_async(level::core), counter(level::machine)>;
using async_core = scheduled<combine_async(level::core), counter(level::core)>;
using async_all = scheduled<combine_async(level::machine), counter(level::machine)>;

template <class Schedule, class Seats, unsigned Threads, std::uint64_t N, conduct What = conduct::stay>
using comb = subject_of<combined<checked>, Schedule, Seats, Threads, N, What>;
template <class Schedule, class Seats, unsigned Threads, std::uint64_t N, conduct What = conduct::stay>
using packed = subject_of<combined<long_lines>, Schedule, Seats, Threads, N, What>;

const registered<comb<sync_one, one_core_2, 2, 3>> sync_2("combine.sync.2x3", once, exhaustive(none),
                                                          exhaustive(one_each));
const registered<packed<sync_core, one_core_2, 2, 3>> sync_packed("combine.sync.packed", once, exhaustive(none),
                                                                  exhaustive(one_each));
const registered<comb<sync_self, two_cores, 2, 3>> sync_alone("combine.sync.self", once, exhaustive(none),
                                                              exhaustive(one_each));
const registered<comb<sync_one, two_pairs, 2, 3>> sync_absent("combine.sync.absent", once, exhaustive(none),
                                                              exhaustive(one_each));
const registered<comb<sync_one, one_core_2, 2, 3, conduct::vary>> sync_vary("combine.sync.vary", once, exhaustive(none),
                                                                            exhaustive({2, 1}));
const registered<comb<sync_one, one_core_2, 2, 1, conduct::return_>> sync_again("combine.sync.again", once,
                                                                                exhaustive(none), exhaustive(one_each));
const registered<comb<sync_one, one_core_2, 2, 4, conduct::exhaust>> sync_ended("combine.sync.exhaust", ended,
                                                                                exhaustive(none), exhaustive(one_each));
const registered<comb<sync_core, pair_and_one, 3, 2>> sync_3("combine.sync.3x2", once, preemptions(1, none),
                                                             preemptions(2, none));
const registered<comb<sync_all, one_core_3, 3, 2>> sync_3_all("combine.sync.all.3x2", once, nearly_fresh(1),
                                                              preemptions(2, none));

const registered<comb<async_one, one_core_2, 2, 3>> async_2("combine.async.2x3", once, exhaustive(none),
                                                            exhaustive(one_each));
const registered<packed<async_core, one_core_2, 2, 3>> async_packed("combine.async.packed", once, exhaustive(none),
                                                                    exhaustive({2, 1}));
const registered<comb<async_one, two_pairs, 2, 3>> async_absent("combine.async.absent", once, exhaustive(none),
                                                                exhaustive(one_each));
const registered<comb<async_one, one_core_2, 2, 5, conduct::vary>> async_vary("combine.async.vary", once,
                                                                              preemptions(2, none),
                                                                              exhaustive(one_each));
const registered<comb<async_one, one_core_2, 2, 1, conduct::return_>> async_again("combine.async.again", once,
                                                                                  exhaustive(none),
                                                                                  exhaustive(one_each));
const registered<comb<async_one, one_core_2, 2, 4, conduct::exhaust>> async_ended("combine.async.exhaust", ended,
                                                                                  exhaustive(none),
                                                                                  exhaustive(one_each));
const registered<comb<async_one, one_core_2, 2, 4, conduct::stop>> async_stopped("combine.async.stop", ended,
                                                                                 exhaustive(none),
                                                                                 exhaustive(one_each));
const registered<comb<async_one, one_core_2, 2, 3, conduct::go>> async_left("combine.async.leave", left,
                                                                            exhaustive(none), exhaustive({2, 1}));
const registered<comb<async_core, pair_and_one, 3, 2>> async_3("combine.async.3x2", once, preemptions(1, none),
                                                               preemptions(2, none));
const registered<comb<async_all, one_core_3, 3, 2>> async_3_all("combine.async.all.3x2", once, nearly_fresh(1),
                                                                preemptions(2, none));

const registered<comb<sync_one, one_core_2, 1, 3, conduct::exhaust>> sync_ended_alone("combine.sync.exhaust.alone",
                                                                                      ended, exhaustive(one_each),
                                                                                      exhaustive(one_each));
const registered<comb<async_core, pair_and_one, 2, 3, conduct::quit>> async_quit("combine.async.quit", left,
                                                                                 exhaustive(none),
                                                                                 exhaustive(one_each));
const registered<comb<sync_core, pair_and_one, 2, 3, conduct::quit>> sync_quit("combine.sync.quit", left,
                                                                               exhaustive(none), exhaustive(one_each));

// --- two combiners

using sync_sync = scheduled<combine(level::thread), combine(level::core), counter(level::core)>;
using async_sync = scheduled<combine_async(level::thread), combine(level::core), counter(level::core)>;
using cores_sync = scheduled<combine(level::core), combine(level::machine), counter(level::machine)>;
using cores_async = scheduled<combine_async(level::core), combine(level::machine), counter(level::machine)>;

template <class Schedule, class Seats, unsigned Threads, std::uint64_t N, conduct What = conduct::stay>
using twice = subject_of<twice_combined<checked>, Schedule, Seats, Threads, N, What>;

const registered<twice<sync_sync, one_core_2, 2, 3>> twice_sync("combine.twice.sync.2x3", once, exhaustive(none),
                                                                exhaustive(one_each));
const registered<twice<async_sync, one_core_2, 2, 3>> twice_async("combine.twice.async.2x3", once, exhaustive(none),
                                                                  exhaustive({2, 1}));
const registered<twice<async_sync, one_core_2, 2, 3, conduct::exhaust>> twice_ended("combine.twice.exhaust", ended,
                                                                                    exhaustive(none),
                                                                                    exhaustive(one_each));
const registered<twice<cores_sync, pair_and_one, 3, 2>> twice_3("combine.twice.sync.3x2", once, nearly_fresh(1),
                                                                preemptions(2, none));
const registered<twice<cores_async, pair_and_one, 3, 2>> twice_async_3("combine.twice.async.3x2", once, nearly_fresh(1),
                                                                       preemptions(2, none));

}  // namespace
}  // namespace callisto::check

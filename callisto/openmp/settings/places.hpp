// Places (OpenMP 5.1, section 2.6): sets of processors that OpenMP threads may be bound to, by OMP_PLACES or
// GOMP_CPU_AFFINITY. Threads here are activations, which Callisto moves between its own pinned workers, so a thread's
// place is a number that programs can ask for, and no more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::openmp {

/// Numbers of processors, in ascending order, each once.
using place = std::vector<unsigned>;
using place_list = std::vector<place>;

/// What a list is checked against: processors that the process may use, ascending.
struct place_reading {
  place_list places;    ///< without what cannot be used, and without what that leaves empty
  std::string problem;  ///< what to tell the user; empty: nothing
};

/// OMP_PLACES: `threads(4)`, `cores`, `sockets`, `ll_caches`, `numa_domains`, or a list such as `{0:4}:2:4,!{3}`.
/// nullopt if the text is not one.
std::optional<place_reading> parse_places(std::string_view text, const place& usable);

/// GOMP_CPU_AFFINITY: `0 3 1-2 4-15:2`, a place for each, whether there is such a processor or not. nullopt if it is
/// not such a list.
std::optional<place_list> parse_cpu_affinity(std::string_view text);

/// A place for each of `usable`, in the machine's order: what binding without any list means.
place_list places_of_threads(const place& usable);

/// As OMP_DISPLAY_ENV shows a place: `0:4,6`.
std::string format_place(const place&);

}  // namespace callisto::openmp

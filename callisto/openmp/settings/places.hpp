// Places (OpenMP 5.1, section 2.6): sets of processors that OpenMP threads can be bound to, by OMP_PLACES or
// GOMP_CPU_AFFINITY.
//
// OpenMP threads here are activations, and Callisto moves them between its own pinned workers. So a thread's place is
// only a number that programs can query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::openmp {

/// Numbers of processors, ascending, without repetition.
using place = std::vector<unsigned>;
using place_list = std::vector<place>;

/// The places that a text names, as far as the process can use them.
struct place_reading {
  place_list places;    ///< without unusable processors, and without places that have none left
  std::string problem;  ///< a message for the user; empty: none
};

/// Parses OMP_PLACES: `threads(4)`, `cores`, `sockets`, `ll_caches`, `numa_domains`, or a list such as
/// `{0:4}:2:4,!{3}`. `usable`: the processors that the process may use, ascending. Returns nullopt if the text is
/// invalid.
std::optional<place_reading> parse_places(std::string_view text, const place& usable);

/// Parses GOMP_CPU_AFFINITY, for example `0 3 1-2 4-15:2`: a place for each number, whether such a processor exists or
/// not. Returns nullopt if the text is invalid.
std::optional<place_list> parse_cpu_affinity(std::string_view text);

/// Returns one place for each processor of `usable`, in the machine's order: the places if binding is on and no list is
/// given.
place_list places_of_threads(const place& usable);

/// Returns a place as OMP_DISPLAY_ENV prints it: `0:4,6`.
std::string format_place(const place&);

}  // namespace callisto::openmp

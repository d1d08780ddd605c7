// OMP_AFFINITY_FORMAT (OpenMP 5.1, section 6.14): a text with fields that describe an OpenMP thread.
#pragma once

#include <callisto/openmp/settings/places.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace callisto::openmp {

/// What the fields can say of a thread.
struct thread_description {
  int team_number = 0;           ///< %t, in the league
  int teams = 1;                 ///< %T
  int level = 0;                 ///< %L
  int number = 0;                ///< %n
  int threads = 1;               ///< %N
  int ancestor = -1;             ///< %a: its number in the region around
  std::uintptr_t native_id = 0;  ///< %i
  place affinity;                ///< %A
};

/// The text for a thread. A format that is not one ends the program with a line that says why, as in libgomp.
std::string format_affinity(std::string_view format, const thread_description& of);

}  // namespace callisto::openmp

// OMP_AFFINITY_FORMAT (OpenMP 5.1, section 6.14): a text with fields that describe an OpenMP thread.
#pragma once

#include <callisto/openmp/settings/places.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace callisto::openmp {

/// The values of the fields for one thread.
struct thread_description {
  int team_number = 0;           ///< %t, the team's number in the league
  int teams = 1;                 ///< %T, teams in the league
  int level = 0;                 ///< %L, nesting level of the region
  int number = 0;                ///< %n, the thread's number in its team
  int threads = 1;               ///< %N, threads of the team
  int ancestor = -1;             ///< %a: the leader's number in the enclosing region; -1: none
  std::uintptr_t native_id = 0;  ///< %i, pthread_self()
  place affinity;                ///< %A, the place
};

/// Returns the text that `format` gives for a thread. If the format is invalid, prints one line that says why and ends
/// the program, as libgomp does.
std::string format_affinity(std::string_view format, const thread_description& of);

}  // namespace callisto::openmp

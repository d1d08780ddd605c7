// The place that each OpenMP thread is bound to (OpenMP 5.1, section 2.6.2), as the routines report it; see places.hpp.
#pragma once

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/settings/affinity_format.hpp>

#include <string>
#include <string_view>

namespace callisto::openmp {

/// A place, and the partition of the place list that the thread's inner regions share.
struct binding {
  unsigned place = 0;
  unsigned first = 0;
  unsigned places = 0;  ///< size of the partition; 0: there is no list of places
};

binding binding_of(const omp_thread& thread);

/// Returns the text of OMP_AFFINITY_FORMAT for the thread. If `format` is empty, the process's format counts.
std::string describe_affinity(const omp_thread& thread, std::string_view format);

/// Prints that text on standard error, as a line.
void show_affinity(const omp_thread& thread, std::string_view format = {});

}  // namespace callisto::openmp

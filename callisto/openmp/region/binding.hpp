// Which place each OpenMP thread is bound to (OpenMP 5.1, section 2.6.2), as programs are told of it; see places.hpp.
#pragma once

#include <callisto/openmp/settings/affinity_format.hpp>
#include <callisto/openmp/region/omp_thread.hpp>

#include <string>
#include <string_view>

namespace callisto::openmp {

/// A place, by its number, and the partition that the thread's inner regions share out.
struct binding {
  unsigned place = 0;
  unsigned first = 0;
  unsigned places = 0;  ///< 0: there is no list of places
};

binding binding_of(const omp_thread& thread);

/// What OMP_AFFINITY_FORMAT's fields say of the thread. `format` empty: the process's.
std::string describe_affinity(const omp_thread& thread, std::string_view format);

/// Prints it on standard error, as a line.
void show_affinity(const omp_thread& thread, std::string_view format = {});

}  // namespace callisto::openmp

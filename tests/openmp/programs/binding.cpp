// The combinations of proc_bind clauses and OMP_PROC_BIND in nested regions. The program runs itself again with each
// value of the variable. As in libgomp, the clause also holds for regions inside.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <omp.h>
#include <unistd.h>

#include "check.hpp"

namespace {

int of_region(int inner_threads) {
  int seen = -1;
#pragma omp parallel num_threads(inner_threads)
#pragma omp single
  seen = omp_get_proc_bind();
  return seen;
}

/// `outer`, `first`, `deeper`: the expected values without clauses, outside of regions, in one, and in a nested one.
void run(omp_proc_bind_t outer, omp_proc_bind_t first, omp_proc_bind_t deeper) {
  const bool binds = outer != omp_proc_bind_false;
  const auto with = [&](omp_proc_bind_t clause) { return binds ? clause : omp_proc_bind_false; };
  check(omp_get_proc_bind() == outer, "outside of all regions");
  for (int threads = 1; threads <= 2; ++threads) {
    check(of_region(threads) == first, "in a region");
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
      {
        check(of_region(threads) == deeper, "in a region within a region");
#pragma omp parallel num_threads(threads) proc_bind(spread)
#pragma omp single
        {
          check(omp_get_proc_bind() == with(omp_proc_bind_spread), "in a region with a clause");
          check(of_region(threads) == with(omp_proc_bind_spread), "in a region within one with a clause");
        }
#pragma omp parallel num_threads(threads) proc_bind(master)
#pragma omp single
        check(of_region(threads) == with(omp_proc_bind_master), "in a region within one with another clause");
      }
    }
    check(omp_get_proc_bind() == outer, "after all regions");
  }
}

}  // namespace

int main(int, char** arguments) {
  omp_set_max_active_levels(8);
  const char* const value = std::getenv("OMP_PROC_BIND");
  const char* next = "true";
  if (value == nullptr) {
    // As above.
  } else if (std::strcmp(value, "true") == 0) {
    run(omp_proc_bind_true, omp_proc_bind_true, omp_proc_bind_true);
    next = "false";
  } else if (std::strcmp(value, "false") == 0) {
    run(omp_proc_bind_false, omp_proc_bind_false, omp_proc_bind_false);
    next = "spread,close";
  } else {
    run(omp_proc_bind_spread, omp_proc_bind_close, omp_proc_bind_close);
    next = nullptr;
  }
  if (failures == 0 && next != nullptr) {
    setenv("OMP_PROC_BIND", next, 1);
    execv(arguments[0], arguments);
    check(false, "execv");
  }
  return verdict();
}

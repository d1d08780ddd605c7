// OpenACC, which is not supported: at its first construct the program ends with a message that says so.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>

#define CALLISTO_OPENACC(name)                                                                                     \
  CALLISTO_OPENMP_ABI void name() {                                                                                \
    callisto::openmp::report_and_exit("%s: Callisto does not support OpenACC; run the program without it", #name); \
  }
CALLISTO_OPENACC(GOACC_data_end)
CALLISTO_OPENACC(GOACC_data_start)
CALLISTO_OPENACC(GOACC_declare)
CALLISTO_OPENACC(GOACC_enter_data)
CALLISTO_OPENACC(GOACC_enter_exit_data)
CALLISTO_OPENACC(GOACC_exit_data)
CALLISTO_OPENACC(GOACC_get_num_threads)
CALLISTO_OPENACC(GOACC_get_thread_num)
CALLISTO_OPENACC(GOACC_parallel)
CALLISTO_OPENACC(GOACC_parallel_keyed)
CALLISTO_OPENACC(GOACC_update)
CALLISTO_OPENACC(GOACC_wait)

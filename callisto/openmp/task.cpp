// Running tasks.
#include <callisto/openmp/task.hpp>

namespace callisto::openmp {

void run_ready_tasks(omp_thread& /*self*/) noexcept {}

}  // namespace callisto::openmp

// Running tasks.
#include <callisto/openmp/task.hpp>

namespace callisto::openmp {

void run_ready_tasks(omp_thread& /*self*/) noexcept {}
void cancel_taskgroup(omp_thread& /*self*/) noexcept {}
bool is_taskgroup_cancelled(const omp_thread& /*self*/) noexcept { return false; }
void join_share_reductions(omp_thread& /*self*/, workshare& /*share*/, std::uintptr_t* /*reductions*/,
                           bool /*first*/) noexcept {}

}  // namespace callisto::openmp

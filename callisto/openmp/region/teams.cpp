// The teams construct on the host, without target. Its initial teams run in turn, as in libgomp, so that each region
// inside has all threads.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/settings/icv.hpp>

#include <climits>

namespace callisto::openmp {
namespace {

/// The number without a clause or setting: libgomp's, which programs can see.
constexpr unsigned default_teams = 3;

}  // namespace

CALLISTO_OPENMP_ABI void GOMP_teams_reg(void (*body)(void*), void* data, unsigned teams, unsigned thread_limit,
                                        unsigned /*flags*/) {
  omp_thread& self = this_thread();
  team& here = self.in();
  const task_icvs before = self.icv();
  if (thread_limit == 0) thread_limit = static_cast<unsigned>(icvs().teams_thread_limit);
  if (thread_limit != 0) self.icv().thread_limit = thread_limit > INT_MAX ? UINT_MAX : thread_limit;
  if (teams == 0) teams = static_cast<unsigned>(icvs().teams);
  here.teams = teams != 0 ? teams : default_teams;
  for (here.team_number = 0; here.team_number < here.teams; ++here.team_number) body(data);
  here.teams = 1;
  here.team_number = 0;
  self.icv() = before;
}

}  // namespace callisto::openmp

// The omp_* routines that query and set the runtime's state (OpenMP 5.1, chapter 3). Further routines stand with their
// subject: locks.cpp, task_abi.cpp, allocator.cpp, target.cpp.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/region/binding.hpp>
#include <callisto/openmp/region/parallel.hpp>
#include <callisto/openmp/region/team.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <string_view>

namespace callisto::openmp {
namespace {

task_icvs& mine() noexcept { return this_thread().icv(); }

int as_int(unsigned n) noexcept { return n > unsigned{INT_MAX} ? INT_MAX : static_cast<int>(n); }

double seconds(const timespec& t) noexcept {
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Returns the position at `level` of the caller, or of the leader that the caller descends from. Null: no such level.
const position* position_at(int level) noexcept {
  const position* at = &this_thread().at;
  if (level < 0 || static_cast<unsigned>(level) > at->in->level) return nullptr;
  for (unsigned up = at->in->level - static_cast<unsigned>(level); up > 0; --up) at = &at->in->before;
  return at;
}

/// Copies as much of `text` as fits, and a null, into `buffer`. Returns the length of the whole text.
std::size_t copy_text(std::string_view text, char* buffer, std::size_t size) noexcept {
  if (size != 0) {
    const std::size_t kept = std::min(text.size(), size - 1);
    std::memcpy(buffer, text.data(), kept);
    buffer[kept] = '\0';
  }
  return text.size();
}

}  // namespace
}  // namespace callisto::openmp

using namespace callisto::openmp;

// Threads and regions.

CALLISTO_OPENMP_ABI int omp_get_num_threads() { return as_int(this_thread().in().threads); }
CALLISTO_OPENMP_ABI int omp_get_thread_num() { return as_int(this_thread().at.number); }
CALLISTO_OPENMP_ABI int omp_get_num_procs() { return as_int(processors_now(this_thread())); }
CALLISTO_OPENMP_ABI int omp_in_parallel() { return this_thread().in().active_level > 0 ? 1 : 0; }
CALLISTO_OPENMP_ABI int omp_get_level() { return as_int(this_thread().in().level); }
CALLISTO_OPENMP_ABI int omp_get_active_level() { return as_int(this_thread().in().active_level); }
CALLISTO_OPENMP_ABI int omp_get_ancestor_thread_num(int level) {
  const position* const at = position_at(level);
  return at != nullptr ? as_int(at->number) : -1;
}
CALLISTO_OPENMP_ABI int omp_get_team_size(int level) {
  const position* const at = position_at(level);
  return at != nullptr ? as_int(at->in->threads) : -1;
}

CALLISTO_OPENMP_ABI void omp_set_num_threads(int n) { mine().threads = n > 0 ? static_cast<unsigned>(n) : 1; }
CALLISTO_OPENMP_ABI int omp_get_max_threads() { return as_int(mine().threads); }
CALLISTO_OPENMP_ABI int omp_get_thread_limit() { return as_int(mine().thread_limit); }
CALLISTO_OPENMP_ABI void omp_set_dynamic(int on) { mine().dynamic = on != 0; }
CALLISTO_OPENMP_ABI int omp_get_dynamic() { return mine().dynamic ? 1 : 0; }
CALLISTO_OPENMP_ABI void omp_set_nested(int on) {
  unsigned char& levels = mine().max_active_levels;
  if (on != 0) {
    levels = supported_active_levels;
  } else if (levels > 1) {
    levels = 1;
  }
}
CALLISTO_OPENMP_ABI int omp_get_nested() {
  const unsigned levels = mine().max_active_levels;
  return levels > 1 && levels > this_thread().in().active_level ? 1 : 0;
}
CALLISTO_OPENMP_ABI void omp_set_max_active_levels(int levels) {
  if (levels >= 0)
    mine().max_active_levels =
        static_cast<unsigned char>(std::min<unsigned>(static_cast<unsigned>(levels), supported_active_levels));
}
CALLISTO_OPENMP_ABI int omp_get_max_active_levels() { return mine().max_active_levels; }
CALLISTO_OPENMP_ABI int omp_get_supported_active_levels() { return int{supported_active_levels}; }

CALLISTO_OPENMP_ABI void omp_set_schedule(unsigned kind_and_modifier, int chunk) {
  const auto kind = static_cast<schedule_kind>(kind_and_modifier & ~monotonic_bit);
  task_icvs& icv = mine();
  switch (kind) {
    case schedule_kind::fixed:
      icv.chunk = std::max(chunk, 0);
      break;
    case schedule_kind::dynamic:
    case schedule_kind::guided:
      icv.chunk = std::max(chunk, 1);
      break;
    case schedule_kind::automatic:
      break;
    default:
      return;
  }
  icv.schedule = kind;
  icv.monotonic = (kind_and_modifier & monotonic_bit) != 0;
  icv.schedule_unset = icv.implies_monotonic = false;
}
CALLISTO_OPENMP_ABI void omp_get_schedule(unsigned* kind_and_modifier, int* chunk) {
  const task_icvs& icv = mine();
  *kind_and_modifier = static_cast<unsigned>(icv.schedule) | (icv.monotonic ? monotonic_bit : 0);
  *chunk = icv.chunk;
}
/// Answers omp_get_schedule() for programs of libomp: its default is `static`, and it tells no modifier that the user
/// has not named.
CALLISTO_OPENMP_ABI void callisto_get_schedule(unsigned* kind_and_modifier, int* chunk) {
  const task_icvs& icv = mine();
  const bool monotonic = icv.monotonic && !icv.implies_monotonic;
  *kind_and_modifier =
      static_cast<unsigned>(icv.schedule_unset ? schedule_kind::fixed : icv.schedule) | (monotonic ? monotonic_bit : 0);
  *chunk = icv.schedule_unset ? 0 : icv.chunk;
}

CALLISTO_OPENMP_ABI int omp_get_cancellation() { return icvs().cancellation ? 1 : 0; }
CALLISTO_OPENMP_ABI int omp_get_max_task_priority() { return icvs().max_task_priority; }

// Teams.

CALLISTO_OPENMP_ABI int omp_get_num_teams() { return as_int(this_thread().in().teams); }
CALLISTO_OPENMP_ABI int omp_get_team_num() { return as_int(this_thread().in().team_number); }
CALLISTO_OPENMP_ABI void omp_set_num_teams(int n) {
  if (n >= 0) icvs().teams = n;
}
CALLISTO_OPENMP_ABI int omp_get_max_teams() { return icvs().teams; }
CALLISTO_OPENMP_ABI void omp_set_teams_thread_limit(int n) {
  if (n >= 0) icvs().teams_thread_limit = n;
}
CALLISTO_OPENMP_ABI int omp_get_teams_thread_limit() { return icvs().teams_thread_limit; }

// Time.

CALLISTO_OPENMP_ABI double omp_get_wtime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}
CALLISTO_OPENMP_ABI double omp_get_wtick() {
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC, &tick);
  return seconds(tick);
}

// Places.

CALLISTO_OPENMP_ABI int omp_get_proc_bind() { return static_cast<int>(mine().bind); }
CALLISTO_OPENMP_ABI int omp_get_num_places() { return static_cast<int>(icvs().places.size()); }
CALLISTO_OPENMP_ABI int omp_get_place_num_procs(int n) {
  const place_list& places = icvs().places;
  return n >= 0 && static_cast<std::size_t>(n) < places.size()
             ? static_cast<int>(places[static_cast<std::size_t>(n)].size())
             : 0;
}
CALLISTO_OPENMP_ABI void omp_get_place_proc_ids(int n, int* ids) {
  const place_list& places = icvs().places;
  if (n >= 0 && static_cast<std::size_t>(n) < places.size())
    std::ranges::copy(places[static_cast<std::size_t>(n)], ids);
}
CALLISTO_OPENMP_ABI int omp_get_place_num() {
  const binding bound = binding_of(this_thread());
  return bound.places != 0 ? as_int(bound.place) : -1;
}
CALLISTO_OPENMP_ABI int omp_get_partition_num_places() { return as_int(binding_of(this_thread()).places); }
CALLISTO_OPENMP_ABI void omp_get_partition_place_nums(int* numbers) {
  const binding bound = binding_of(this_thread());
  for (unsigned n = 0; n < bound.places; ++n) numbers[n] = as_int(bound.first + n);
}

CALLISTO_OPENMP_ABI void omp_set_affinity_format(const char* format) { icvs().affinity_format = format; }
CALLISTO_OPENMP_ABI std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
  return copy_text(icvs().affinity_format, buffer, size);
}
CALLISTO_OPENMP_ABI void omp_display_affinity(const char* format) {
  show_affinity(this_thread(), format != nullptr ? format : "");
}
CALLISTO_OPENMP_ABI std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return copy_text(describe_affinity(this_thread(), format != nullptr ? format : ""), buffer, size);
}

// The process.

CALLISTO_OPENMP_ABI void omp_display_env(int verbose) { display_environment(icvs(), verbose != 0); }
CALLISTO_OPENMP_ABI int omp_pause_resource(int /*kind*/, int device) {
  omp_thread& self = this_thread();
  if (device != omp_get_initial_device() || self.in().level != 0) return -1;
  dissolve_member_pools(self);
  return 0;
}
CALLISTO_OPENMP_ABI int omp_pause_resource_all(int kind) { return omp_pause_resource(kind, omp_get_initial_device()); }

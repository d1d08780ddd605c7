// Declares the omp_* routines that the runtime itself calls; their Fortran forms (routines/fortran.cpp) call most of
// them. Parameters have the sizes of omp.h's types: enumerations are int or unsigned, handles are std::uintptr_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace callisto::openmp {

// Keys and values of omp_alloctrait, with omp.h's numbers.
namespace allocator_trait {
enum : int { sync_hint = 1, alignment, access, pool_size, fallback, fallback_data, pinned, partition };
}
namespace allocator_value {
enum : std::uintptr_t {
  no = 0,
  yes = 1,
  contended = 3,
  uncontended,
  serialized,
  private_,
  all,
  thread,
  pteam,
  cgroup,
  default_fallback,
  null_fallback,
  abort_fallback,
  allocator_fallback,
  environment,
  nearest,
  blocked,
  interleaved
};
}

}  // namespace callisto::openmp

extern "C" {
struct omp_alloctrait {
  int key;
  std::uintptr_t value;
};

int omp_get_num_threads();
int omp_get_thread_num();
int omp_get_num_procs();
int omp_in_parallel();
int omp_get_level();
int omp_get_active_level();
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
void omp_set_num_threads(int n);
int omp_get_max_threads();
int omp_get_thread_limit();
void omp_set_dynamic(int on);
int omp_get_dynamic();
void omp_set_nested(int on);
int omp_get_nested();
void omp_set_max_active_levels(int levels);
int omp_get_max_active_levels();
int omp_get_supported_active_levels();
void omp_set_schedule(unsigned kind_and_modifier, int chunk);
void omp_get_schedule(unsigned* kind_and_modifier, int* chunk);
int omp_get_cancellation();
int omp_get_max_task_priority();
int omp_in_final();
int omp_in_explicit_task();
void omp_fulfill_event(std::uintptr_t event);
int omp_get_num_teams();
int omp_get_team_num();
void omp_set_num_teams(int n);
int omp_get_max_teams();
void omp_set_teams_thread_limit(int n);
int omp_get_teams_thread_limit();
double omp_get_wtime();
double omp_get_wtick();
int omp_get_proc_bind();
int omp_get_num_places();
int omp_get_place_num_procs(int n);
void omp_get_place_proc_ids(int n, int* ids);
int omp_get_place_num();
int omp_get_partition_num_places();
void omp_get_partition_place_nums(int* numbers);
void omp_set_affinity_format(const char* format);
std::size_t omp_get_affinity_format(char* buffer, std::size_t size);
void omp_display_affinity(const char* format);
std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format);
void omp_display_env(int verbose);
int omp_pause_resource(int kind, int device);
int omp_pause_resource_all(int kind);
void omp_set_default_device(int n);
int omp_get_default_device();
int omp_get_initial_device();
int omp_get_num_devices();
int omp_get_device_num();
int omp_is_initial_device();
const char* omp_get_uid_from_device(int device);
int omp_get_device_from_uid(const char* uid);
const char* omp_get_interop_str(std::uintptr_t of, int property, int* code);
const char* omp_get_interop_name(std::uintptr_t of, int property);
const char* omp_get_interop_type_desc(std::uintptr_t of, int property);
const char* omp_get_interop_rc_desc(std::uintptr_t of, int code);
std::uintptr_t omp_init_allocator(std::uintptr_t space, int traits, const omp_alloctrait* which);
void omp_destroy_allocator(std::uintptr_t allocator);
void omp_set_default_allocator(std::uintptr_t allocator);
std::uintptr_t omp_get_default_allocator();
}

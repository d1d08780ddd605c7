// Fortran's forms of omp_* (OpenMP 5.1, chapter 3). gfortran calls omp_name_ with the addresses of its arguments, or
// omp_name_8_ if they are integers or logicals of 8 bytes. Its texts are not null-terminated; their lengths are the
// last arguments.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/region/binding.hpp>
#include <callisto/openmp/settings/icv.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// Returns the nearest number that the C routine takes. The result is 0 if and only if `n` is 0.
int narrow(std::int64_t n) noexcept { return static_cast<int>(std::clamp<std::int64_t>(n, INT_MIN, INT_MAX)); }

/// Writes a text as Fortran stores it: padded with blanks.
void fill_text(std::string_view text, char* buffer, std::size_t size) noexcept {
  const std::size_t kept = std::min(text.size(), size);
  std::memcpy(buffer, text.data(), kept);
  std::memset(buffer + kept, ' ', size - kept);
}

/// Returns a text that belongs to the library.
void return_text(const char* text, const char** into, std::size_t* length) noexcept {
  *into = text;
  *length = text != nullptr ? std::strlen(text) : 0;
}

}  // namespace

// Routines without arguments.
#define CALLISTO_FORTRAN_ASK(type, name) \
  CALLISTO_OPENMP_ABI type name##_() { return static_cast<type>(name()); }
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_num_threads)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_thread_num)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_num_procs)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_in_parallel)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_level)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_active_level)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_max_threads)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_thread_limit)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_dynamic)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_nested)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_max_active_levels)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_supported_active_levels)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_cancellation)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_max_task_priority)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_in_final)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_in_explicit_task)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_num_teams)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_team_num)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_max_teams)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_teams_thread_limit)
CALLISTO_FORTRAN_ASK(double, omp_get_wtime)
CALLISTO_FORTRAN_ASK(double, omp_get_wtick)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_proc_bind)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_num_places)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_place_num)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_partition_num_places)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_default_device)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_initial_device)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_num_devices)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_get_device_num)
CALLISTO_FORTRAN_ASK(std::int32_t, omp_is_initial_device)
CALLISTO_FORTRAN_ASK(std::intptr_t, omp_get_default_allocator)

// Routines with one number, in two sizes.
#define CALLISTO_FORTRAN_NUMBER(type, name)                                    \
  CALLISTO_OPENMP_ABI type name##_(const std::int32_t* n) { return name(*n); } \
  CALLISTO_OPENMP_ABI type name##_8_(const std::int64_t* n) { return name(narrow(*n)); }
CALLISTO_FORTRAN_NUMBER(void, omp_set_num_threads)
CALLISTO_FORTRAN_NUMBER(void, omp_set_dynamic)
CALLISTO_FORTRAN_NUMBER(void, omp_set_nested)
CALLISTO_FORTRAN_NUMBER(void, omp_set_max_active_levels)
CALLISTO_FORTRAN_NUMBER(void, omp_set_num_teams)
CALLISTO_FORTRAN_NUMBER(void, omp_set_teams_thread_limit)
CALLISTO_FORTRAN_NUMBER(void, omp_set_default_device)
CALLISTO_FORTRAN_NUMBER(void, omp_display_env)
CALLISTO_FORTRAN_NUMBER(std::int32_t, omp_get_ancestor_thread_num)
CALLISTO_FORTRAN_NUMBER(std::int32_t, omp_get_team_size)
CALLISTO_FORTRAN_NUMBER(std::int32_t, omp_get_place_num_procs)

// A schedule's kind has 4 bytes in both forms. Programs of OpenMP 4.5 do not expect the modifier.
CALLISTO_OPENMP_ABI void omp_set_schedule_(const std::uint32_t* kind, const std::int32_t* chunk) {
  omp_set_schedule(*kind, *chunk);
}
CALLISTO_OPENMP_ABI void omp_set_schedule_8_(const std::uint32_t* kind, const std::int64_t* chunk) {
  omp_set_schedule(*kind, narrow(*chunk));
}
CALLISTO_OPENMP_ABI void omp_get_schedule_(std::uint32_t* kind, std::int32_t* chunk) {
  omp_get_schedule(kind, chunk);
  *kind &= ~callisto::openmp::monotonic_bit;
}
CALLISTO_OPENMP_ABI void omp_get_schedule_8_(std::uint32_t* kind, std::int64_t* chunk) {
  std::int32_t narrow_chunk = 0;
  omp_get_schedule_(kind, &narrow_chunk);
  *chunk = narrow_chunk;
}

CALLISTO_OPENMP_ABI void omp_get_place_proc_ids_(const std::int32_t* n, std::int32_t* ids) {
  omp_get_place_proc_ids(*n, ids);
}
CALLISTO_OPENMP_ABI void omp_get_place_proc_ids_8_(const std::int64_t* n, std::int64_t* ids) {
  std::vector<int> narrow_ids(static_cast<std::size_t>(omp_get_place_num_procs(narrow(*n))));
  omp_get_place_proc_ids(narrow(*n), narrow_ids.data());
  std::ranges::copy(narrow_ids, ids);
}
CALLISTO_OPENMP_ABI void omp_get_partition_place_nums_(std::int32_t* numbers) { omp_get_partition_place_nums(numbers); }
CALLISTO_OPENMP_ABI void omp_get_partition_place_nums_8_(std::int64_t* numbers) {
  std::vector<int> narrow_numbers(static_cast<std::size_t>(omp_get_partition_num_places()));
  omp_get_partition_place_nums(narrow_numbers.data());
  std::ranges::copy(narrow_numbers, numbers);
}

CALLISTO_OPENMP_ABI void omp_set_affinity_format_(const char* format, std::size_t length) {
  omp_set_affinity_format(std::string(format, length).c_str());
}
CALLISTO_OPENMP_ABI std::int32_t omp_get_affinity_format_(char* buffer, std::size_t size) {
  const std::string& format = callisto::openmp::icvs().affinity_format;
  fill_text(format, buffer, size);
  return static_cast<std::int32_t>(format.size());
}
CALLISTO_OPENMP_ABI void omp_display_affinity_(const char* format, std::size_t length) {
  omp_display_affinity(std::string(format, length).c_str());
}
CALLISTO_OPENMP_ABI std::int32_t omp_capture_affinity_(char* buffer, const char* format, std::size_t size,
                                                       std::size_t length) {
  const std::string text =
      callisto::openmp::describe_affinity(callisto::openmp::this_thread(), std::string_view(format, length));
  fill_text(text, buffer, size);
  return static_cast<std::int32_t>(text.size());
}

CALLISTO_OPENMP_ABI std::int32_t omp_pause_resource_(const std::int32_t* kind, const std::int32_t* device) {
  return omp_pause_resource(*kind, *device);
}
CALLISTO_OPENMP_ABI std::int32_t omp_pause_resource_all_(const std::int32_t* kind) {
  return omp_pause_resource_all(*kind);
}
// Handles are integers of a pointer's size. The event is passed by value.
CALLISTO_OPENMP_ABI void omp_fulfill_event_(std::intptr_t event) {
  omp_fulfill_event(static_cast<std::uintptr_t>(event));
}
CALLISTO_OPENMP_ABI std::intptr_t omp_init_allocator_(const std::intptr_t* space, const std::int32_t* traits,
                                                      const omp_alloctrait* which) {
  return static_cast<std::intptr_t>(omp_init_allocator(static_cast<std::uintptr_t>(*space), *traits, which));
}
CALLISTO_OPENMP_ABI std::intptr_t omp_init_allocator_8_(const std::intptr_t* space, const std::int64_t* traits,
                                                        const omp_alloctrait* which) {
  return static_cast<std::intptr_t>(omp_init_allocator(static_cast<std::uintptr_t>(*space), narrow(*traits), which));
}
CALLISTO_OPENMP_ABI void omp_destroy_allocator_(const std::intptr_t* allocator) {
  omp_destroy_allocator(static_cast<std::uintptr_t>(*allocator));
}
CALLISTO_OPENMP_ABI void omp_set_default_allocator_(const std::intptr_t* allocator) {
  omp_set_default_allocator(static_cast<std::uintptr_t>(*allocator));
}

// Since GCC 15 these arguments are passed by value.
CALLISTO_OPENMP_ABI void omp_get_uid_from_device_(const char** into, std::size_t* length, std::int32_t device) {
  return_text(omp_get_uid_from_device(device), into, length);
}
CALLISTO_OPENMP_ABI void omp_get_uid_from_device_8_(const char** into, std::size_t* length, std::int64_t device) {
  omp_get_uid_from_device_(into, length, static_cast<std::int32_t>(device));
}
CALLISTO_OPENMP_ABI std::int32_t omp_get_device_from_uid_(const char* uid, std::size_t length) {
  return omp_get_device_from_uid(std::string(uid, length).c_str());
}
CALLISTO_OPENMP_ABI void omp_get_interop_str_(const char** into, std::size_t* length, std::uintptr_t of, int property,
                                              int* code) {
  return_text(omp_get_interop_str(of, property, code), into, length);
}
CALLISTO_OPENMP_ABI void omp_get_interop_name_(const char** into, std::size_t* length, std::uintptr_t of,
                                               int property) {
  return_text(omp_get_interop_name(of, property), into, length);
}
CALLISTO_OPENMP_ABI void omp_get_interop_type_desc_(const char** into, std::size_t* length, std::uintptr_t of,
                                                    int property) {
  return_text(omp_get_interop_type_desc(of, property), into, length);
}
CALLISTO_OPENMP_ABI void omp_get_interop_rc_desc_(const char** into, std::size_t* length, std::uintptr_t of, int code) {
  return_text(omp_get_interop_rc_desc(of, code), into, length);
}

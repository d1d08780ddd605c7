// Interoperability objects (OpenMP 5.1, sections 2.15 and 3.12; GCC since 15): handles of foreign runtimes' devices and
// streams. The host is the only device, so each object is omp_interop_none. Only the names of its properties can be
// queried.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/abi/omp.hpp>

#include <array>
#include <cstdint>

extern "C" void GOMP_taskwait_depend(void** depend);

namespace callisto::openmp {
namespace {

// omp.h's numbers: properties count down from -1, return codes from 1.
constexpr int last_property = -1;
constexpr int first_property = -9;
enum return_code : int { no_value = 1, empty = -1, out_of_range = -2, type_string = -5 };

constexpr bool is_property(int property) noexcept { return property <= last_property && property >= first_property; }

/// The return code of a query for a property of `none`.
void say_why(int property, int* code) noexcept {
  if (code != nullptr) *code = is_property(property) ? empty : out_of_range;
}

}  // namespace
}  // namespace callisto::openmp

using namespace callisto::openmp;

/// The interop directive: each object that it initializes or destroys becomes none. `nowait` has no effect.
CALLISTO_OPENMP_ABI void GOMP_interop(int /*device*/, int made, std::uintptr_t** make, const int* /*kinds*/,
                                      const char** /*preferred*/, int /*used*/, std::uintptr_t* /*use*/, int ended,
                                      std::uintptr_t** end, unsigned /*flags*/, void** depend) {
  for (int n = 0; n < ended; ++n) *end[n] = 0;
  for (int n = 0; n < made; ++n) *make[n] = 0;
  if (depend != nullptr) GOMP_taskwait_depend(depend);
}

// implementation-defined ones
CALLISTO_OPENMP_ABI int omp_get_num_interop_properties(std::uintptr_t /*of*/) { return 0; }
CALLISTO_OPENMP_ABI std::intptr_t omp_get_interop_int(std::uintptr_t /*of*/, int property, int* code) {
  say_why(property, code);
  return 0;
}
CALLISTO_OPENMP_ABI void* omp_get_interop_ptr(std::uintptr_t /*of*/, int property, int* code) {
  say_why(property, code);
  return nullptr;
}
CALLISTO_OPENMP_ABI const char* omp_get_interop_str(std::uintptr_t /*of*/, int property, int* code) {
  say_why(property, code);
  return nullptr;
}
CALLISTO_OPENMP_ABI const char* omp_get_interop_name(std::uintptr_t /*of*/, int property) {
  constexpr std::array names{"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                             "platform", "device",  "device_context", "targetsync"};
  return is_property(property) ? names[static_cast<std::size_t>(last_property - property)] : nullptr;
}
CALLISTO_OPENMP_ABI const char* omp_get_interop_type_desc(std::uintptr_t /*of*/, int /*property*/) { return nullptr; }
CALLISTO_OPENMP_ABI const char* omp_get_interop_rc_desc(std::uintptr_t /*of*/, int code) {
  constexpr std::array texts{"no meaningful value available",
                             "successful",
                             "provided interoperability object is equal to omp_interop_none",
                             "property ID is out of range",
                             "property type is integer; use omp_get_interop_int",
                             "property type is pointer; use omp_get_interop_ptr",
                             "property type is string; use omp_get_interop_str"};
  return code <= no_value && code >= type_string ? texts[static_cast<std::size_t>(no_value - code)] : nullptr;
}

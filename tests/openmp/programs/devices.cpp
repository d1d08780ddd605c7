// The host as the only device: its numbers, its memory, the data of target regions, and routines of newer compilers.
// Those are looked up by name, because the compiler's own libgomp may not have them.
#include "check.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <omp.h>

extern "C" void GOMP_target_ext(int device, void (*body)(void*), std::size_t items, void** addresses,
                                std::size_t* sizes, unsigned short* kinds, unsigned flags, void** depend,
                                void** arguments);

namespace {

constexpr int initial_device = -1;  // omp_initial_device, since OpenMP 5.2
constexpr int no_device = 7;

template <class F>
F* routine(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) {
    std::printf("there is no %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<F*>(found);
}

void numbers() {
  check(omp_get_num_devices() == 0 && omp_get_initial_device() == 0, "the host's number");
  const auto uid = routine<const char*(int)>("omp_get_uid_from_device");
  const auto device = routine<int(const char*)>("omp_get_device_from_uid");
  check(uid(0) == uid(initial_device) && uid(no_device) == nullptr, "identifiers of devices");
  check(device(uid(0)) == initial_device && device("another") == -4 && device(nullptr) == -4, "devices of identifiers");
  const auto accessible = routine<int(const void*, std::size_t, int)>("omp_target_is_accessible");
  int here = 0;
  check(accessible(&here, sizeof here, 0) == 1 && accessible(&here, sizeof here, initial_device) == 1 &&
            accessible(&here, sizeof here, no_device) == 0,
        "memory that is accessible");
}

void memory() {
  void* const made = omp_target_alloc(64, initial_device);
  check(made != nullptr && omp_target_alloc(64, no_device) == nullptr, "omp_target_alloc");
  const auto set = routine<void*(void*, int, std::size_t, int)>("omp_target_memset");
  check(set(made, 3, 64, initial_device) == made, "omp_target_memset");
  std::array<char, 64> back{};
  check(omp_target_memcpy(back.data(), made, 64, 0, 0, 0, initial_device) == 0 && back[0] == 3 && back[63] == 3,
        "omp_target_memcpy");
  check(omp_target_memcpy(back.data(), made, 64, 0, 0, 0, no_device) != 0, "omp_target_memcpy of no device");
  omp_target_free(made, initial_device);
}

/// Waits for each object of a list.
void memory_in_order() {
  const auto set = routine<void*(void*, int, std::size_t, int, int, omp_depend_t*)>("omp_target_memset_async");
  const auto copy =
      routine<int(void*, const void*, std::size_t, std::size_t, std::size_t, int, int, int, omp_depend_t*)>(
          "omp_target_memcpy_async");
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    std::array<char, 100> from{};
    std::array<char, 100> to{};
#pragma omp parallel
#pragma omp single
    {
      std::array<omp_depend_t, 2> both;
#pragma omp depobj(both[0]) depend(inout : from)
#pragma omp depobj(both[1]) depend(inout : to)
#pragma omp task depend(out : to) shared(to)
      to.fill(9);
#pragma omp task depend(out : from) shared(from)
      from.fill(1);
      if (set(from.data(), round + 2, 50, 0, 1, both.data()) != from.data()) ++wrong;
      if (copy(to.data(), from.data(), 80, 10, 0, 0, initial_device, 2, both.data()) != 0) ++wrong;
#pragma omp taskwait
#pragma omp depobj(both[0]) destroy
#pragma omp depobj(both[1]) destroy
    }
    if (to[9] != 9 || to[10] != round + 2 || to[59] != round + 2 || to[60] != 1 || to[89] != 1 || to[90] != 9) ++wrong;
  }
  check(wrong == 0, "memory in the order of its dependences");
}

/// A firstprivate array of Fortran: a descriptor, its data, and the pointer from the one to the other.
void private_arrays() {
  static constexpr unsigned short is_private = 12;
  static constexpr unsigned short leads_to = 0x50;
  for (const unsigned nowait : {0U, 1U}) {
    static std::array<int, 3> data;
    struct descriptor {
      int* data;
      int size;
    };
    data = {1, 2, 3};
    descriptor original{data.data(), 3};
    std::array<void*, 3> addresses{&original, data.data(), nullptr};
    addresses[2] = &addresses[0];
    std::array<std::size_t, 3> sizes{sizeof original, sizeof data, 0};
    std::array<unsigned short, 3> kinds{is_private | 3U << 8, is_private | 2U << 8, leads_to};
    static int seen;
    seen = 0;
    GOMP_target_ext(
        -1,
        [](void* items) {
          const descriptor& mine = *static_cast<descriptor*>(*static_cast<void**>(items));
          for (int n = 0; n < mine.size; ++n) seen += mine.data[n]++;
          if (mine.data == data.data()) seen = -1;
        },
        addresses.size(), addresses.data(), sizes.data(), kinds.data(), nowait, nullptr, nullptr);
#pragma omp taskwait
    check(seen == 6 && data == std::array{1, 2, 3} && original.data == data.data(), "private arrays in target regions");
  }
}

void interoperability() {
  const auto name = routine<const char*(omp_uintptr_t, int)>("omp_get_interop_name");
  check(std::strcmp(name(0, -1), "fr_id") == 0 && std::strcmp(name(0, -9), "targetsync") == 0 &&
            name(0, 0) == nullptr && name(0, -10) == nullptr,
        "names of properties");
  const auto number = routine<std::intptr_t(omp_uintptr_t, int, int*)>("omp_get_interop_int");
  const auto why = routine<const char*(omp_uintptr_t, int)>("omp_get_interop_rc_desc");
  int code = 0;
  check(number(0, -3, &code) == 0 && code == -1 && std::strstr(why(0, code), "omp_interop_none") != nullptr,
        "a property of no object");
  check(number(0, 4, &code) == 0 && code == -2 && why(0, -6) == nullptr && why(0, 2) == nullptr, "no property");
  const auto directive = routine<void(int, int, omp_uintptr_t**, const int*, const char**, int, omp_uintptr_t*, int,
                                      omp_uintptr_t**, unsigned, void**)>("GOMP_interop");
  omp_uintptr_t made = 5;
  omp_uintptr_t ended = 5;
  omp_uintptr_t* const make[] = {&made};
  omp_uintptr_t* const end[] = {&ended};
  const int kinds[] = {1};
  directive(-1, 1, const_cast<omp_uintptr_t**>(make), kinds, nullptr, 0, nullptr, 1, const_cast<omp_uintptr_t**>(end),
            0, nullptr);
  check(made == 0 && ended == 0, "objects of the interop directive");
}

void allocators() {
  const omp_alloctrait_t traits[] = {{omp_atk_pinned, omp_atv_true}, {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pinned = omp_init_allocator(omp_high_bw_mem_space, 2, traits);
  check(pinned != omp_null_allocator, "an allocator of pinned memory");
  // Null if RLIMIT_MEMLOCK is exceeded.
  if (auto* const piece = static_cast<char*>(omp_calloc(100, 10, pinned))) {
    check(piece[0] == 0 && piece[999] == 0, "pinned memory that is zeroed");
    piece[999] = 1;
    auto* const larger = static_cast<char*>(omp_realloc(piece, 2000, pinned, pinned));
    check(larger != nullptr && larger[999] == 1, "pinned memory that grows");
    omp_free(larger, pinned);
  }
  omp_destroy_allocator(pinned);
}

}  // namespace

int main() {
  numbers();
  memory();
  memory_in_order();
  private_arrays();
  interoperability();
  allocators();
  return verdict();
}

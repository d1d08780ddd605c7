// target regions (OpenMP 5.1, section 2.14). All of them run on the host, the only device, so mapped data stay in place
// and mapping does nothing. Effects that a region can observe remain: firstprivate copies, a separate contention group,
// and the order of `depend` and `nowait`.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/region/parallel.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/settings/libgomp_version.hpp>
#include <callisto/openmp/tasking/explicit_task.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long alignment, bool if_clause,
               unsigned flags, void** depend, int priority, void* detach);
void GOMP_taskwait_depend(void** depend);
void GOMP_taskwait_depend_nowait(void** depend);
}

namespace callisto::openmp {
namespace {

// Numbers in compiled code, as in GCC's gomp-constants.h.
constexpr int by_default_device = -1;
constexpr int host_fallback = -2;
constexpr unsigned nowait_flag = 1;
// The low byte of a kind. The high byte is log2 of the alignment.
constexpr unsigned char map_firstprivate = 12;
constexpr unsigned char map_attach = 0x50;
constexpr std::intptr_t argument_device_mask = 0x7f;
constexpr std::intptr_t argument_value_follows = 0x80;
constexpr std::intptr_t argument_id_mask = 0xff00;
constexpr std::intptr_t argument_thread_limit = 0x200;
constexpr unsigned argument_value_shift = 16;

/// The result of omp_get_num_devices(), and so the host's number.
constexpr int devices = 0;

// omp.h's numbers, since GCC 13 and since GCC 16.
constexpr int initial_device = -1;
constexpr int invalid_device = -4;
constexpr int default_device = -5;
constexpr const char* initial_device_uid = "OMP_INITIAL_DEVICE";

/// True if a number is the host's. `own`: the negative number that stands for it in this context. If the program must
/// not continue without the device, ends it.
bool is_host(int device, int own) {
  if (device == devices || device == own) return true;
  const bool mandatory = icvs().offload == target_offload::mandatory;
  if (mandatory && device < 0)
    report_and_exit("OMP_TARGET_OFFLOAD is set to MANDATORY, but only the host device is available");
  if (mandatory) report_and_exit("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
  if (device == invalid_device) report_and_exit("omp_invalid_device encountered");
  return false;
}

/// For a construct: it runs on the host whatever its device is, if the program may continue.
void require_host(int device) {
  const bool is_usual = device == by_default_device || (as_gcc_16 && device == default_device);
  static_cast<void>(is_usual ? is_host(omp_get_default_device(), initial_device) : is_host(device, host_fallback));
}

/// Returns the device number that a routine's caller means.
int meant_device(int device) { return as_gcc_16 && device == default_device ? omp_get_default_device() : device; }

/// True if a routine's device is the host.
bool names_host(int device) { return is_host(meant_device(device), initial_device); }

/// Returns the thread limit among a region's arguments; 0: none is given.
unsigned thread_limit_in(void** arguments) {
  if (arguments == nullptr) return 0;
  while (*arguments != nullptr) {
    const auto word = reinterpret_cast<std::intptr_t>(*arguments++);
    const std::intptr_t value = (word & argument_value_follows) != 0 ? reinterpret_cast<std::intptr_t>(*arguments++)
                                                                     : word >> argument_value_shift;
    if ((word & argument_device_mask) == 0 && (word & argument_id_mask) == argument_thread_limit)
      return static_cast<unsigned>(std::clamp<std::intptr_t>(value, 0, INT_MAX));
  }
  return 0;
}

/// A target region before its run: the addresses of its data, and the values of its firstprivate items at the time of
/// construction.
class host_region {
 public:
  host_region(void (*body)(void*), std::size_t items, void** addresses, const std::size_t* sizes,
              const unsigned short* kinds, unsigned thread_limit)
      : body_(body), addresses_(addresses, addresses + items), thread_limit_(thread_limit) {
    std::size_t room = 0;
    each_private(sizes, kinds,
                 [&room](std::size_t, std::size_t size, std::size_t alignment) { room += size + alignment; });
    if (room == 0) return;
    copies_ = std::make_unique<std::byte[]>(room);
    auto free = reinterpret_cast<std::uintptr_t>(copies_.get());
    each_private(sizes, kinds, [&](std::size_t item, std::size_t size, std::size_t alignment) {
      free = (free + alignment - 1) & ~(alignment - 1);
      void* const copy = reinterpret_cast<void*>(free);
      std::memcpy(copy, addresses_[item], size);
      addresses_[item] = copy;
      free += size;
      if (item + 1 < addresses_.size() && (kinds[item + 1] & 0xff) == map_attach) {
        // A pointer to the item has to point to the copy. It is in a descriptor of Fortran, and the descriptor is one
        // of these items, too. The address of the item in the caller's list identifies it; this list replaces the
        // caller's.
        void** at = static_cast<void**>(addresses_[item + 1]);
        if (at >= addresses && at < addresses + items) at = &addresses_[static_cast<std::size_t>(at - addresses)];
        static_cast<void**>(*at)[sizes[item + 1]] = copy;
      }
    });
  }

  void run() { run_on_initial_team(this_thread(), thread_limit_, body_, addresses_.data()); }

 private:
  template <class F>
  void each_private(const std::size_t* sizes, const unsigned short* kinds, F f) {
    for (std::size_t item = 0; item < addresses_.size(); ++item)
      if ((kinds[item] & 0xff) == map_firstprivate && addresses_[item] != nullptr)
        f(item, sizes[item], std::size_t{1} << (kinds[item] >> 8));
  }

  void (*body_)(void*);
  std::vector<void*> addresses_;
  std::unique_ptr<std::byte[]> copies_;
  unsigned thread_limit_;
};

/// Implements `depend` of a directive that moves data: only the order has an effect.
void only_order(unsigned flags, void** depend) {
  if (depend == nullptr) return;
  if ((flags & nowait_flag) != 0) {
    GOMP_taskwait_depend_nowait(depend);
  } else {
    GOMP_taskwait_depend(depend);
  }
}

/// Copies a box of `dimensions` dimensions, outermost first. Returns false if a size overflows.
bool copy_box(char* to, const char* from, std::size_t element, int dimensions, const std::size_t* volume,
              const std::size_t* to_offsets, const std::size_t* from_offsets, const std::size_t* to_sizes,
              const std::size_t* from_sizes) {
  std::size_t to_slice = element;
  std::size_t from_slice = element;
  for (int n = 1; n < dimensions; ++n)
    if (__builtin_mul_overflow(to_slice, to_sizes[n], &to_slice) ||
        __builtin_mul_overflow(from_slice, from_sizes[n], &from_slice))
      return false;
  std::size_t to_begin = 0;
  std::size_t from_begin = 0;
  if (__builtin_mul_overflow(to_slice, to_offsets[0], &to_begin) ||
      __builtin_mul_overflow(from_slice, from_offsets[0], &from_begin))
    return false;
  to += to_begin;
  from += from_begin;
  if (dimensions == 1) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(element, volume[0], &bytes)) return false;
    std::memcpy(to, from, bytes);
    return true;
  }
  for (std::size_t n = 0; n < volume[0]; ++n, to += to_slice, from += from_slice)
    if (!copy_box(to, from, element, dimensions - 1, volume + 1, to_offsets + 1, from_offsets + 1, to_sizes + 1,
                  from_sizes + 1))
      return false;
  return true;
}

/// The layout of omp_depend_t.
using depend_object = std::array<void*, 2>;

/// Creates a task that depends on `objects` of a list and runs `call` with a copy of the data.
void after_objects(int objects, depend_object* list, void (*call)(void*), void* data, long size) {
  if (list == nullptr) objects = 0;
  // The second encoding of GOMP_task: all, none written, none mutually exclusive, none read, so all are objects.
  std::vector<void*> depend{nullptr, reinterpret_cast<void*>(static_cast<std::uintptr_t>(std::max(objects, 0))),
                            nullptr, nullptr, nullptr};
  for (int n = 0; n < objects; ++n) depend.push_back(&list[n]);
  GOMP_task(call, data, nullptr, size, alignof(std::max_align_t), true, objects > 0 ? task_flag::depend : 0,
            depend.data(), 0, nullptr);
}

}  // namespace
}  // namespace callisto::openmp

using namespace callisto::openmp;

CALLISTO_OPENMP_ABI void GOMP_target_ext(int device, void (*body)(void*), std::size_t items, void** addresses,
                                         std::size_t* sizes, unsigned short* kinds, unsigned flags, void** depend,
                                         void** arguments) {
  require_host(device);
  if ((flags & nowait_flag) != 0) {
    auto region = std::make_unique<host_region>(body, items, addresses, sizes, kinds, thread_limit_in(arguments));
    host_region* const later = region.release();
    // The "constructor" makes the task run, and free its region, even if it is cancelled.
    GOMP_task(
        [](void* data) {
          const std::unique_ptr<host_region> now(*static_cast<host_region**>(data));
          now->run();
        },
        const_cast<host_region**>(&later), [](void* to, void* from) { std::memcpy(to, from, sizeof(void*)); },
        sizeof(void*), alignof(void*), true, depend != nullptr ? task_flag::depend : 0, depend, 0, nullptr);
    return;
  }
  host_region region(body, items, addresses, sizes, kinds, thread_limit_in(arguments));
  if (depend != nullptr) GOMP_taskwait_depend(depend);
  region.run();
}

// GCC 4.9: kinds of one byte, no firstprivate items.
CALLISTO_OPENMP_ABI void GOMP_target(int device, void (*body)(void*), const void* /*unused*/, std::size_t items,
                                     void** addresses, std::size_t* sizes, unsigned char* /*kinds*/) {
  require_host(device);
  const std::vector<unsigned short> kinds(items);
  host_region(body, items, addresses, sizes, kinds.data(), 0).run();
}

CALLISTO_OPENMP_ABI void GOMP_target_data(int device, const void* /*unused*/, std::size_t /*items*/,
                                          void** /*addresses*/, std::size_t* /*sizes*/, unsigned char* /*kinds*/) {
  require_host(device);
}
CALLISTO_OPENMP_ABI void GOMP_target_data_ext(int device, std::size_t /*items*/, void** /*addresses*/,
                                              std::size_t* /*sizes*/, unsigned short* /*kinds*/) {
  require_host(device);
}
CALLISTO_OPENMP_ABI void GOMP_target_end_data() {}
CALLISTO_OPENMP_ABI void GOMP_target_update(int device, const void* /*unused*/, std::size_t /*items*/,
                                            void** /*addresses*/, std::size_t* /*sizes*/, unsigned char* /*kinds*/) {
  require_host(device);
}
CALLISTO_OPENMP_ABI void GOMP_target_update_ext(int device, std::size_t /*items*/, void** /*addresses*/,
                                                std::size_t* /*sizes*/, unsigned short* /*kinds*/, unsigned flags,
                                                void** depend) {
  require_host(device);
  only_order(flags, depend);
}
CALLISTO_OPENMP_ABI void GOMP_target_enter_exit_data(int device, std::size_t /*items*/, void** /*addresses*/,
                                                     std::size_t* /*sizes*/, unsigned short* /*kinds*/, unsigned flags,
                                                     void** depend) {
  require_host(device);
  only_order(flags, depend);
}

// teams within target: the teams run in turn.
CALLISTO_OPENMP_ABI bool GOMP_teams4(unsigned least_teams, unsigned /*most_teams*/, unsigned thread_limit, bool first) {
  omp_thread& self = this_thread();
  team& own = self.in();
  if (!first) {
    if (own.team_number + 1 >= own.teams) return false;
    ++own.team_number;
    return true;
  }
  if (thread_limit != 0) self.icv().thread_limit = thread_limit > INT_MAX ? UINT_MAX : thread_limit;
  own.teams = std::max(least_teams, 1U);
  own.team_number = 0;
  return true;
}
// GCC up to 11: there is one team.
CALLISTO_OPENMP_ABI void GOMP_teams(unsigned /*teams*/, unsigned thread_limit) {
  GOMP_teams4(1, 1, thread_limit, true);
}

// Programs linked for devices register their code, which is not needed.
CALLISTO_OPENMP_ABI void GOMP_offload_register_ver(unsigned /*version*/, const void* /*table*/, int /*type*/,
                                                   const void* /*data*/) {}
CALLISTO_OPENMP_ABI void GOMP_offload_register(const void* /*table*/, int /*type*/, const void* /*data*/) {}
CALLISTO_OPENMP_ABI void GOMP_offload_unregister_ver(unsigned /*version*/, const void* /*table*/, int /*type*/,
                                                     const void* /*data*/) {}
CALLISTO_OPENMP_ABI void GOMP_offload_unregister(const void* /*table*/, int /*type*/, const void* /*data*/) {}
CALLISTO_OPENMP_ABI void* GOMP_target_map_indirect_ptr(void* pointer) { return pointer; }

CALLISTO_OPENMP_ABI void omp_set_default_device(int n) {
  if (as_gcc_16 && n == default_device) return;
  this_thread().icv().default_device = as_gcc_13 ? n : std::max(n, 0);
}
CALLISTO_OPENMP_ABI int omp_get_default_device() { return this_thread().icv().default_device; }
CALLISTO_OPENMP_ABI int omp_get_initial_device() { return devices; }
CALLISTO_OPENMP_ABI int omp_get_num_devices() { return devices; }
CALLISTO_OPENMP_ABI int omp_get_device_num() { return devices; }
CALLISTO_OPENMP_ABI int omp_is_initial_device() { return 1; }
CALLISTO_OPENMP_ABI const char* omp_get_uid_from_device(int device) {
  device = meant_device(device);
  return device == devices || device == initial_device ? initial_device_uid : nullptr;
}
CALLISTO_OPENMP_ABI int omp_get_device_from_uid(const char* uid) {
  return uid != nullptr && std::string_view(uid) == initial_device_uid ? initial_device : invalid_device;
}

// Memory of a device: the host's, or none.
CALLISTO_OPENMP_ABI void* omp_target_alloc(std::size_t size, int device) {
  return names_host(device) ? std::malloc(size) : nullptr;
}
CALLISTO_OPENMP_ABI void omp_target_free(void* memory, int device) {
  if (names_host(device)) std::free(memory);
}
CALLISTO_OPENMP_ABI int omp_target_is_present(const void* memory, int device) {
  if (memory == nullptr) return as_gcc_16 ? 0 : 1;
  return names_host(device) ? 1 : 0;
}
CALLISTO_OPENMP_ABI int omp_target_is_accessible(const void* memory, std::size_t size, int device) {
  if (as_gcc_16 && (memory == nullptr || size == 0)) return 0;
  return names_host(device) ? 1 : 0;
}
CALLISTO_OPENMP_ABI void* omp_get_mapped_ptr(const void* memory, int device) {
  return names_host(device) ? const_cast<void*>(memory) : nullptr;
}
CALLISTO_OPENMP_ABI int omp_target_associate_ptr(const void* /*host*/, const void* /*device_memory*/,
                                                 std::size_t /*size*/, std::size_t /*offset*/, int /*device*/) {
  return EINVAL;  // the host's memory cannot be associated
}
CALLISTO_OPENMP_ABI int omp_target_disassociate_ptr(const void* /*host*/, int /*device*/) { return EINVAL; }

CALLISTO_OPENMP_ABI int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                          std::size_t from_offset, int to_device, int from_device) {
  if (!names_host(to_device) || !names_host(from_device)) return EINVAL;
  std::memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, bytes);
  return 0;
}

CALLISTO_OPENMP_ABI int omp_target_memcpy_rect(void* to, const void* from, std::size_t element, int dimensions,
                                               const std::size_t* volume, const std::size_t* to_offsets,
                                               const std::size_t* from_offsets, const std::size_t* to_sizes,
                                               const std::size_t* from_sizes, int to_device, int from_device) {
  // This query asks how many dimensions are supported.
  if (to == nullptr && from == nullptr) return INT_MAX;
  if (!names_host(to_device) || !names_host(from_device) || dimensions < 1) return EINVAL;
  return copy_box(static_cast<char*>(to), static_cast<const char*>(from), element, dimensions, volume, to_offsets,
                  from_offsets, to_sizes, from_sizes)
             ? 0
             : EINVAL;
}

CALLISTO_OPENMP_ABI int omp_target_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                                std::size_t from_offset, int to_device, int from_device, int objects,
                                                depend_object* depends) {
  if (!names_host(to_device) || !names_host(from_device)) return EINVAL;
  struct call {
    char* to;
    const char* from;
    std::size_t bytes;
  } data{static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, bytes};
  after_objects(
      objects, depends,
      [](void* of) {
        const auto& c = *static_cast<const call*>(of);
        std::memcpy(c.to, c.from, c.bytes);
      },
      &data, sizeof data);
  return 0;
}

CALLISTO_OPENMP_ABI int omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element, int dimensions,
                                                     const std::size_t* volume, const std::size_t* to_offsets,
                                                     const std::size_t* from_offsets, const std::size_t* to_sizes,
                                                     const std::size_t* from_sizes, int to_device, int from_device,
                                                     int objects, depend_object* depends) {
  if (to == nullptr && from == nullptr) return INT_MAX;
  if (!names_host(to_device) || !names_host(from_device) || dimensions < 1) return EINVAL;
  // A copy, because the caller's arrays need not outlive the call.
  struct call {
    char* to;
    const char* from;
    std::size_t element;
    std::vector<std::size_t> volume, to_offsets, from_offsets, to_sizes, from_sizes;
  };
  const auto list = [dimensions](const std::size_t* a) { return std::vector(a, a + dimensions); };
  call* data = new call{static_cast<char*>(to),
                        static_cast<const char*>(from),
                        element,
                        list(volume),
                        list(to_offsets),
                        list(from_offsets),
                        list(to_sizes),
                        list(from_sizes)};
  after_objects(
      objects, depends,
      [](void* of) {
        const std::unique_ptr<call> c(*static_cast<call**>(of));
        copy_box(c->to, c->from, c->element, static_cast<int>(c->volume.size()), c->volume.data(), c->to_offsets.data(),
                 c->from_offsets.data(), c->to_sizes.data(), c->from_sizes.data());
      },
      static_cast<void*>(&data), sizeof(void*));
  return 0;
}

// Accepts any device: one that is not the host does not exist, and counts as the host, as in libgomp.
CALLISTO_OPENMP_ABI void* omp_target_memset(void* memory, int value, std::size_t bytes, int device) {
  static_cast<void>(names_host(device));
  if (bytes != 0) std::memset(memory, value, bytes);
  return memory;
}
CALLISTO_OPENMP_ABI void* omp_target_memset_async(void* memory, int value, std::size_t bytes, int device, int objects,
                                                  depend_object* depends) {
  static_cast<void>(names_host(device));
  struct call {
    void* memory;
    int value;
    std::size_t bytes;
  } data{memory, value, bytes};
  after_objects(
      objects, depends,
      [](void* of) {
        const auto& c = *static_cast<const call*>(of);
        if (c.bytes != 0) std::memset(c.memory, c.value, c.bytes);
      },
      &data, sizeof data);
  return memory;
}

// Threadprivate variables of compilers that do not use thread-local storage for them. The first thread of the process
// has the variable itself, each other thread a copy that lives as long as the thread.
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace callisto::openmp::kmpc {
namespace {

/// A variable as compiled code has registered it.
struct variable {
  void* (*construct)(void*) = nullptr;
  void* (*copy)(void*, void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  // Of an array of objects, in place of these.
  void* (*construct_all)(void*, std::size_t) = nullptr;
  void* (*copy_all)(void*, void*, std::size_t) = nullptr;
  void (*destroy_all)(void*, std::size_t) = nullptr;
  std::size_t length = 0;
  std::vector<std::byte> bytes;  ///< the first value that was seen, for variables without constructors
};

/// All variables. Never destroyed: threads continue while the process ends.
struct known_variables {
  std::mutex mutex;
  std::unordered_map<void*, variable> all;
};
known_variables& known() {
  static known_variables& all = *new known_variables;
  return all;
}

/// One thread's copies, by the variables' addresses.
struct thread_copies {
  ~thread_copies() {
    for (const auto& [address, copy] : all) {
      variable of;
      {
        const std::scoped_lock held(known().mutex);
        of = known().all[address];
      }
      if (of.destroy_all != nullptr) {
        of.destroy_all(copy, of.length);
      } else if (of.destroy != nullptr) {
        of.destroy(copy);
      }
      std::free(copy);
    }
  }
  std::unordered_map<void*, void*> all;
};

void* make_copy(void* address, std::size_t bytes) {
  variable of;
  {
    const std::scoped_lock held(known().mutex);
    of = known().all[address];
  }
  constexpr std::size_t line = native::line_size;
  void* const copy = std::aligned_alloc(line, (bytes + line) / line * line);
  if (copy == nullptr) report_and_exit("Out of memory allocating %lu bytes", static_cast<unsigned long>(bytes));
  std::memset(copy, 0, bytes);
  if (of.construct_all != nullptr) {
    of.construct_all(copy, of.length);
  } else if (of.copy_all != nullptr) {
    of.copy_all(copy, address, of.length);
  } else if (of.construct != nullptr) {
    of.construct(copy);
  } else if (of.copy != nullptr) {
    of.copy(copy, address);
  } else {
    std::memcpy(copy, of.bytes.data(), std::min(bytes, of.bytes.size()));
  }
  return copy;
}

void* of_caller(void* address, std::size_t bytes) {
  {
    const std::scoped_lock held(known().mutex);
    std::vector<std::byte>& first = known().all[address].bytes;
    if (first.empty()) first.assign(static_cast<std::byte*>(address), static_cast<std::byte*>(address) + bytes);
  }
  omp_thread& self = this_thread();
  if (self.number_in_process == 0) return address;
  if (self.threadprivates == nullptr) self.threadprivates = std::make_shared<thread_copies>();
  auto& mine = *static_cast<thread_copies*>(self.threadprivates.get());
  void*& copy = mine.all[address];
  if (copy == nullptr) copy = make_copy(address, bytes);
  return copy;
}

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp::kmpc;

CALLISTO_OPENMP_ABI void __kmpc_threadprivate_register(compiled_at, void* address, void* (*construct)(void*),
                                                       void* (*copy)(void*, void*), void (*destroy)(void*)) {
  const std::scoped_lock held(known().mutex);
  variable& v = known().all[address];
  v.construct = construct;
  v.copy = copy;
  v.destroy = destroy;
}
CALLISTO_OPENMP_ABI void __kmpc_threadprivate_register_vec(compiled_at, void* address,
                                                           void* (*construct)(void*, std::size_t),
                                                           void* (*copy)(void*, void*, std::size_t),
                                                           void (*destroy)(void*, std::size_t), std::size_t length) {
  const std::scoped_lock held(known().mutex);
  variable& v = known().all[address];
  v.construct_all = construct;
  v.copy_all = copy;
  v.destroy_all = destroy;
  v.length = length;
}
/// Returns the caller's copy of a variable.
CALLISTO_OPENMP_ABI void* __kmpc_threadprivate(compiled_at, i32, void* address, std::size_t bytes) {
  return of_caller(address, bytes);
}
/// Returns the same. The cache stays empty, so compiled code that looks there first calls this function.
CALLISTO_OPENMP_ABI void* __kmpc_threadprivate_cached(compiled_at, i32, void* address, std::size_t bytes,
                                                      void*** /*cache*/) {
  return of_caller(address, bytes);
}

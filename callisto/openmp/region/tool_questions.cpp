// Starting a tool, and answering its questions (OpenMP 5.2, chapter 19).
#include <callisto/openmp/region/tool.hpp>

#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/region/tool_callbacks.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/settings/text_reader.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <sched.h>

namespace callisto::openmp::tool {

std::array<atomic<function>, events> callbacks{};

namespace {

/// The result of ompt_start_tool().
struct description {
  int (*initialize)(function (*look_up)(const char*), int device, data* own);
  void (*finalize)(data* own);
  data own;
};
using starter = description* (*)(unsigned openmp, const char* library);

description* running = nullptr;

constexpr unsigned openmp_version = 202011;
constexpr const char* library_name = "Callisto OpenMP";

struct named {
  int number;
  const char* name;
};
constexpr named states[] = {{state::serial, "ompt_state_work_serial"},
                            {state::parallel, "ompt_state_work_parallel"},
                            {state::reduction, "ompt_state_work_reduction"},
                            {state::barrier_of_region, "ompt_state_wait_barrier_implicit_parallel"},
                            {state::barrier_of_workshare, "ompt_state_wait_barrier_implicit_workshare"},
                            {state::explicit_barrier, "ompt_state_wait_barrier_explicit"},
                            {state::barrier_of_library, "ompt_state_wait_barrier_implementation"},
                            {state::barrier_of_teams, "ompt_state_wait_barrier_teams"},
                            {state::taskwait, "ompt_state_wait_taskwait"},
                            {state::taskgroup, "ompt_state_wait_taskgroup"},
                            {state::lock, "ompt_state_wait_lock"},
                            {state::critical, "ompt_state_wait_critical"},
                            {state::atomic, "ompt_state_wait_atomic"},
                            {state::ordered, "ompt_state_wait_ordered"},
                            {state::none, "ompt_state_undefined"}};
constexpr named mutexes[] = {{0, "callisto_mutex_none"}, {1, "callisto_mutex_spins_then_sleeps"}};

/// Returns what follows `now` in a list: the first entry if `now` is not in it (ompt_state_undefined begins a list).
template <std::size_t N>
int enumerate(const named (&list)[N], bool from_start, int now, int* next, const char** name) noexcept {
  std::size_t at = 0;
  if (!from_start) {
    while (at < N && list[at].number != now) ++at;
    ++at;
  }
  if (at >= N) return 0;
  *next = list[at].number;
  *name = list[at].name;
  return 1;
}

int enumerate_states(int now, int* next, const char** name) noexcept {
  // The last one begins the list anew, so it is not told itself.
  return now == states[std::size(states) - 2].number ? 0 : enumerate(states, now == state::none, now, next, name);
}
int enumerate_mutexes(int now, int* next, const char** name) noexcept {
  // ompt_mutex_impl_none begins the list.
  return enumerate(mutexes, false, now, next, name);
}

/// Answers of ompt_set_callback().
constexpr int set_error = 0, set_never = 1, set_always = 5;

constexpr event told[] = {
    event::thread_begin,  event::thread_end,    event::parallel_begin,  event::parallel_end,     event::task_create,
    event::task_schedule, event::implicit_task, event::control_tool,    event::sync_region_wait, event::mutex_released,
    event::dependences,   event::work,          event::masked,          event::sync_region,      event::lock_init,
    event::lock_destroy,  event::mutex_acquire, event::mutex_acquired,  event::nest_lock,        event::flush,
    event::cancel,        event::reduction,     event::task_dependence, event::dispatch,         event::error};

int set_callback(int which, function f) noexcept {
  if (which <= 0 || which >= static_cast<int>(events)) return set_error;
  bool known = false;
  for (const event e : told) known = known || static_cast<int>(e) == which;
  if (!known) return set_never;
  callbacks[static_cast<unsigned>(which)].store(f, order::release);
  return set_always;
}

int get_callback(int which, function* f) noexcept {
  if (which <= 0 || which >= static_cast<int>(events)) return 0;
  const function found = callbacks[static_cast<unsigned>(which)].load(order::acquire);
  if (found == nullptr) return 0;
  *f = found;
  return 1;
}

data* get_thread_data() noexcept {
  omp_thread* const self = this_thread_or_null;
  return watched() && self != nullptr ? &self->told.own : nullptr;
}

int get_state(std::uint64_t* lock) noexcept {
  const omp_thread* const self = this_thread_or_null;
  if (!watched() || self == nullptr) return state::none;
  if (lock != nullptr) *lock = self->told.waits_for;
  if (self->told.now != state::none) return self->told.now;
  return self->in().level != 0 ? state::parallel : state::serial;
}

constexpr int there_is_none = 0, there_is_one = 2;

int get_parallel_info(int level, data** own, int* threads) noexcept {
  const omp_thread* const self = this_thread_or_null;
  if (!watched() || self == nullptr || level < 0) return there_is_none;
  const position* at = &self->at;
  for (; level > 0; --level) {
    at = &at->in->before;
    if (at->in == nullptr) return there_is_none;
  }
  if (own != nullptr) *own = self->told.at_end_of_region && at == &self->at ? nullptr : own_of(*at->in);
  if (threads != nullptr) *threads = static_cast<int>(at->in->threads);
  return there_is_one;
}

int get_task_info(int level, int* flags, data** own, frame** stack, data** region, int* number) noexcept {
  const omp_thread* const self = this_thread_or_null;
  if (!watched() || self == nullptr || level < 0) return there_is_none;
  const position* at = &self->at;
  task* t = at->current;
  for (; level > 0; --level) {
    if (t->is_explicit()) {
      t = t->parent;
      continue;
    }
    at = &at->in->before;
    if (at->in == nullptr) return there_is_none;
    t = at->current;
  }
  of_task& part = part_of(*t);
  if (flags != nullptr) *flags = static_cast<int>(part.flags);
  if (own != nullptr) *own = &part.own;
  if (stack != nullptr) *stack = &part.stack;
  if (region != nullptr) *region = own_of(*at->in);
  if (number != nullptr) *number = static_cast<int>(at->number);
  return there_is_one;
}

/// A task's data are one block, where the compiler's code has put them.
int get_task_memory(void** address, std::size_t* bytes, int block) noexcept {
  const omp_thread* const self = this_thread_or_null;
  if (!watched() || self == nullptr || block != 0) return 0;
  const task& t = *self->at.current;
  const std::byte* const begin = static_cast<const std::byte*>(t.data);
  const std::byte* const end = reinterpret_cast<const std::byte*>(&t) + t.bytes;
  if (!t.is_explicit() || begin < reinterpret_cast<const std::byte*>(&t) || begin >= end) return 0;
  *address = t.data;
  *bytes = static_cast<std::size_t>(end - begin);
  return 0;
}

std::uint64_t get_unique_id() noexcept {
  static atomic<std::uint64_t> last{0};
  // relaxed: only a unique number is wanted.
  return last.fetch_add(1, order::relaxed) + 1;
}

void finalize_tool() noexcept {
  if (!watches.exchange(false, order::relaxed)) return;
  if (running != nullptr && running->finalize != nullptr) running->finalize(&running->own);
  for (auto& callback : callbacks) callback.store(nullptr, order::release);
}

/// At the end of the process: the calling thread and its members end, and then the tool. Other threads may be in
/// regions, which go on unwatched.
void end() noexcept {
  omp_thread* const self = this_thread_or_null;
  if (watched() && self != nullptr && self->initial != nullptr && self->in().level == 0) {
    dissolve_member_pools(*self);
    thread_ends(*self);
  }
  finalize_tool();
}

int get_num_procs() noexcept { return omp_get_num_procs(); }
int get_num_places() noexcept { return omp_get_num_places(); }
int get_place_proc_ids(int place, int room, int* ids) noexcept {
  const int count = omp_get_place_num_procs(place);
  if (count <= room) omp_get_place_proc_ids(place, ids);
  return count;
}
int get_place_num() noexcept { return omp_get_place_num(); }
int get_partition_place_nums(int room, int* places) noexcept {
  const int count = omp_get_partition_num_places();
  if (count <= room) omp_get_partition_place_nums(places);
  return count;
}
int get_proc_id() noexcept { return this_thread_or_null != nullptr ? sched_getcpu() : -1; }
int get_num_devices() noexcept { return 1; }
int get_target_info(std::uint64_t*, std::uint64_t*, std::uint64_t*) noexcept { return 0; }

template <class F>
constexpr function as_function(F f) noexcept {
  return reinterpret_cast<function>(f);
}

function look_up(const char* name) noexcept {
  const std::pair<std::string_view, function> all[] = {
      {"ompt_enumerate_states", as_function(enumerate_states)},
      {"ompt_enumerate_mutex_impls", as_function(enumerate_mutexes)},
      {"ompt_set_callback", as_function(set_callback)},
      {"ompt_get_callback", as_function(get_callback)},
      {"ompt_get_thread_data", as_function(get_thread_data)},
      {"ompt_get_state", as_function(get_state)},
      {"ompt_get_parallel_info", as_function(get_parallel_info)},
      {"ompt_get_task_info", as_function(get_task_info)},
      {"ompt_get_task_memory", as_function(get_task_memory)},
      {"ompt_get_unique_id", as_function(get_unique_id)},
      {"ompt_finalize_tool", as_function(finalize_tool)},
      {"ompt_get_num_procs", as_function(get_num_procs)},
      {"ompt_get_num_places", as_function(get_num_places)},
      {"ompt_get_place_proc_ids", as_function(get_place_proc_ids)},
      {"ompt_get_place_num", as_function(get_place_num)},
      {"ompt_get_partition_place_nums", as_function(get_partition_place_nums)},
      {"ompt_get_proc_id", as_function(get_proc_id)},
      {"ompt_get_num_devices", as_function(get_num_devices)},
      {"ompt_get_target_info", as_function(get_target_info)},
  };
  for (const auto& [known, f] : all)
    if (known == name) return f;
  return nullptr;
}

// Starting.

/// Starts a tool by its function; returns false if the tool declines.
bool start_by(starter found) {
  description* const made = found != nullptr ? found(openmp_version, library_name) : nullptr;
  if (made == nullptr) return false;
  running = made;
  // Before it is initialized: it may ask at once.
  watches.store(true, order::relaxed);
  constexpr int host = 0;
  if (made->initialize == nullptr || made->initialize(look_up, host, &made->own) == 0) {
    watches.store(false, order::relaxed);
    return false;
  }
  std::atexit(end);
  return true;
}

starter starter_in(void* library) noexcept { return reinterpret_cast<starter>(dlsym(library, "ompt_start_tool")); }

/// Starts the first tool of OMP_TOOL_LIBRARIES, a list of files with colons, that accepts.
bool start_from_list() {
  const char* const list = std::getenv("OMP_TOOL_LIBRARIES");
  for (std::string_view rest = list != nullptr ? list : ""; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name.empty()) continue;
    void* const library = dlopen(name.c_str(), RTLD_LAZY);
    if (library == nullptr) {
      report("OMP_TOOL_LIBRARIES: %s", dlerror());
      continue;
    }
    if (start_by(starter_in(library))) return true;
    dlclose(library);
  }
  return false;
}

}  // namespace

void start() noexcept {
  if (const char* const wanted = std::getenv("OMP_TOOL")) {
    text_reader text(wanted);
    if (text.word("disabled") && text.at_end()) return;
  }
  if (start_by(starter_in(RTLD_DEFAULT)) || start_from_list()) return;
  // As libomp does: programs under ThreadSanitizer need Archer to know what orders their threads.
  if (dlsym(RTLD_DEFAULT, "__tsan_init") == nullptr) return;
  if (void* const archer = dlopen("libarcher.so", RTLD_LAZY); archer != nullptr) start_by(starter_in(archer));
}

}  // namespace callisto::openmp::tool

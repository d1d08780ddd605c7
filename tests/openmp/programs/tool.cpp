// A tool (OMPT) that the program itself has: what it is told must add up, and what it asks must be answered right.
// Checks what Callisto's library tells; libomp's differs in details, libgomp has no OMPT.
#include "check.hpp"

#include <omp.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>

namespace {

union word {
  std::uint64_t value;
  void* pointer;
};
struct frame {
  word exit, enter;
  int exit_flags, enter_flags;
};
using function = void (*)();
using state_of = int (*)(std::uint64_t*);
using region_of = int (*)(int, word**, int*);
using task_of = int (*)(int, int*, word**, frame**, word**, int*);

state_of get_state;
region_of get_region;
task_of get_task;
bool started = false, ended = false;
std::atomic<std::uint64_t> names{0};

/// How often each event began and ended.
struct pair {
  std::atomic<int> begun{0}, ended{0};
  bool even() const { return begun.load() == ended.load(); }
};
struct {
  pair threads, regions, implicit_tasks, initial_tasks, syncs, waits, works, taken, explicit_tasks, locks;
  std::array<std::atomic<int>, 16> work_kinds{}, sync_kinds{};
  std::atomic<int> workers{0}, switches{0}, acquires{0}, dependences{0}, chunks{0}, undeferred{0}, nested{0};
  std::atomic<int> wrong_numbers{0}, wrong_tasks{0}, without_caller{0}, wrong_requests{0};
} seen;

void count(pair& of, int endpoint) { (endpoint == 1 ? of.begun : of.ended).fetch_add(1); }

void thread_begins(int kind, word* own) {
  own->value = ++names;
  seen.threads.begun.fetch_add(1);
  if (kind == 2) seen.workers.fetch_add(1);
}
void thread_ends(word* own) {
  if (own->value != 0) seen.threads.ended.fetch_add(1);
}
void region_begins(word* outer, const frame* stack, word* own, unsigned requested, int, const void* called_from) {
  if (outer->value == 0) seen.wrong_tasks.fetch_add(1);
  if (called_from == nullptr || stack->enter.pointer == nullptr) seen.without_caller.fetch_add(1);
  if (requested == 0) seen.wrong_requests.fetch_add(1);
  own->value = ++names;
  seen.regions.begun.fetch_add(1);
}
void region_ends(word* own, word* outer, int, const void*) {
  if (own->value == 0 || outer->value == 0) seen.wrong_tasks.fetch_add(1);
  seen.regions.ended.fetch_add(1);
}
void implicit_task(int endpoint, word* region, word* own, unsigned threads, unsigned number, int flags) {
  count((flags & 1) != 0 ? seen.initial_tasks : seen.implicit_tasks, endpoint);
  if (endpoint == 1) {
    if (own->value != 0 || ((flags & 1) == 0 && region->value == 0)) seen.wrong_tasks.fetch_add(1);
    own->value = ++names;
    return;
  }
  if (own->value == 0) seen.wrong_tasks.fetch_add(1);
  if ((flags & 1) == 0 && number >= threads) seen.wrong_numbers.fetch_add(1);
}
void task_created(word* outer, const frame*, word* own, int flags, int, const void* called_from) {
  if (outer->value == 0 || own->value != 0) seen.wrong_tasks.fetch_add(1);
  if (called_from == nullptr) seen.without_caller.fetch_add(1);
  if ((static_cast<unsigned>(flags) & 0x08000000U) != 0) seen.undeferred.fetch_add(1);
  own->value = ++names;
  seen.explicit_tasks.begun.fetch_add(1);
}
void task_switches(word* before, int status, word* after) {
  constexpr int complete = 1, switched = 7;
  if (before->value == 0 || after->value == 0) seen.wrong_tasks.fetch_add(1);
  if (status == switched) seen.switches.fetch_add(1);
  if (status != complete) return;
  int number = -1, flags = 0;
  word* own = nullptr;
  if (get_task(0, &flags, &own, nullptr, nullptr, &number) != 2 || own != before || number != omp_get_thread_num())
    seen.wrong_numbers.fetch_add(1);
  seen.explicit_tasks.ended.fetch_add(1);
}
void depends(word*, const void*, int how_many) { seen.dependences.fetch_add(how_many); }
void syncs(int kind, int endpoint, word*, word* task, const void*) {
  if (task->value == 0) seen.wrong_tasks.fetch_add(1);
  count(seen.syncs, endpoint);
  if (endpoint == 1) seen.sync_kinds[static_cast<unsigned>(kind)].fetch_add(1);
}
void waits(int, int endpoint, word*, word*, const void*) { count(seen.waits, endpoint); }
void works(int kind, int endpoint, word*, word*, std::uint64_t, const void*) {
  count(seen.works, endpoint);
  if (endpoint == 1) seen.work_kinds[static_cast<unsigned>(kind)].fetch_add(1);
}
void dispatches(word*, word*, int, word) { seen.chunks.fetch_add(1); }
void acquires(int, unsigned, unsigned, std::uint64_t lock, const void* called_from) {
  std::uint64_t waits_for = 0;
  if (get_state(&waits_for) < 0x40 || waits_for != lock) seen.wrong_numbers.fetch_add(1);
  if (called_from == nullptr) seen.without_caller.fetch_add(1);
  seen.acquires.fetch_add(1);
}
void acquired(int, std::uint64_t, const void*) { seen.taken.begun.fetch_add(1); }
void released(int, std::uint64_t, const void*) { seen.taken.ended.fetch_add(1); }
void nests(int, std::uint64_t, const void*) { seen.nested.fetch_add(1); }
void lock_begins(int, unsigned, unsigned, std::uint64_t, const void*) { seen.locks.begun.fetch_add(1); }
void lock_ends(int, std::uint64_t, const void*) { seen.locks.ended.fetch_add(1); }

int initialize(function (*look_up)(const char*), int, word* own) {
  const auto set = reinterpret_cast<int (*)(int, function)>(look_up("ompt_set_callback"));
  get_state = reinterpret_cast<state_of>(look_up("ompt_get_state"));
  get_region = reinterpret_cast<region_of>(look_up("ompt_get_parallel_info"));
  get_task = reinterpret_cast<task_of>(look_up("ompt_get_task_info"));
  check(look_up("ompt_such_a_function_is_not_there") == nullptr, "an unknown function is not answered");
  const auto on = [set](int event, auto f) {
    check(set(event, reinterpret_cast<function>(f)) == 5, "each event is told always");
  };
  on(1, thread_begins);
  on(2, thread_ends);
  on(3, region_begins);
  on(4, region_ends);
  on(5, task_created);
  on(6, task_switches);
  on(7, implicit_task);
  on(16, waits);
  on(17, released);
  on(18, depends);
  on(20, works);
  on(23, syncs);
  on(24, lock_begins);
  on(25, lock_ends);
  on(26, acquires);
  on(27, acquired);
  on(28, nests);
  on(32, dispatches);
  started = true;
  own->value = 5;
  return 1;
}

/// At the end of the process, behind main(): all that began has ended.
void finalize(word* own) {
  ended = true;
  const bool even = seen.threads.even() && seen.regions.even() && seen.implicit_tasks.even() &&
                    seen.initial_tasks.even() && seen.syncs.even() && seen.waits.even() && seen.works.even() &&
                    seen.taken.even() && seen.locks.even();
  if (!even || own->value != 5) {
    std::printf("wrong at the end: threads %d %d, implicit tasks %d %d, initial tasks %d %d, waits %d %d\n",
                seen.threads.begun.load(), seen.threads.ended.load(), seen.implicit_tasks.begun.load(),
                seen.implicit_tasks.ended.load(), seen.initial_tasks.begun.load(), seen.initial_tasks.ended.load(),
                seen.waits.begun.load(), seen.waits.ended.load());
    std::fflush(stdout);
    std::_Exit(EXIT_FAILURE);
  }
}

struct description {
  int (*initialize)(function (*)(const char*), int, word*);
  void (*finalize)(word*);
  word own;
};

void lead_regions(int threads) {
  int sum = 0;
  for (int region = 0; region < 3; ++region) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      int size = 0;
      word* own = nullptr;
      if (started && (get_region(0, &own, &size) != 2 || size != omp_get_num_threads() || own->value == 0))
        seen.wrong_numbers.fetch_add(1);
#pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < 60; ++i) sum += i;
#pragma omp barrier
#pragma omp single
      {
        int data[4] = {};
        for (int i = 0; i < 8; ++i) {
#pragma omp task depend(inout : data[i % 4]) shared(data)
          data[i % 4] += i;
        }
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task if (0)
          sum += data[0] - 4;
        }
      }
#pragma omp critical
      sum += 1;
    }
  }
  check(sum == 3 * (60 * 59 / 2 + threads), "the regions are right");
}

void use_locks() {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
  omp_set_lock(&lock);
  check(omp_test_lock(&lock) == 0, "a lock that is held");
  omp_unset_lock(&lock);
  omp_set_nest_lock(&nested);
  omp_set_nest_lock(&nested);
  omp_unset_nest_lock(&nested);
  omp_unset_nest_lock(&nested);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] description* ompt_start_tool(unsigned, const char*) {
  static description all{initialize, finalize, {}};
  return &all;
}

int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
  omp_set_dynamic(0);
  use_locks();
  lead_regions(threads);
  if (!is_on_callisto()) return verdict();
  check(started, "the library starts the tool");
  // The initial thread's own; members may still leave their last region.
  check(seen.regions.begun == 3 && seen.regions.even(), "three regions");
  check(seen.implicit_tasks.begun == 3 * threads, "a task for each thread of a region");
  check(seen.workers == threads - 1, "a thread for each member");
  check(seen.explicit_tasks.begun == 27 && seen.explicit_tasks.even() && seen.switches == 27, "nine tasks a region");
  check(seen.undeferred >= 3, "undeferred tasks");
  check(seen.dependences == 24, "a dependence for each task");
  check(seen.works.even() && seen.work_kinds[3] == 3 && seen.work_kinds[4] == 3 * (threads - 1), "single constructs");
  check(seen.chunks >= 3, "ranges of loops");
  // `critical`, by each thread; the two locks.
  check(seen.taken.begun == 3 * threads + 2 && seen.taken.even(), "locks");
  check(seen.acquires >= seen.taken.begun && seen.nested == 2 && seen.locks.begun == 2, "attempts to take locks");
  check(seen.sync_kinds[3] >= 3 * threads && seen.sync_kinds[5] == 3 && seen.sync_kinds[6] == 3 &&
            seen.sync_kinds[9] == 3 * threads,
        "barriers, taskwait, taskgroup, ends of regions");
  check(seen.wrong_tasks == 0, "tasks and regions keep the tool's data");
  check(seen.wrong_numbers == 0, "numbers and sizes");
  check(seen.without_caller == 0, "each event tells where the program has called");
  check(seen.wrong_requests == 0, "each region tells how many threads were wanted");
  return verdict();
}

// Functions of clang's interface that the other programs, compiled by clang, call seldom or never: bounds of static
// loops at the limits of types, regions of many variables, threadprivate copies, atomic functions, settings.
#include "check.hpp"

#include <omp.h>

#include <atomic>
#include <complex>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

extern "C" {
i32 __kmpc_global_thread_num(void*);
void __kmpc_fork_call(void*, i32, void (*)(i32*, i32*, ...), ...);
void __kmpc_for_static_init_4(void*, i32, i32, i32*, i32*, i32*, i32*, i32, i32);
void __kmpc_for_static_init_4u(void*, i32, i32, i32*, u32*, u32*, i32*, i32, i32);
void __kmpc_for_static_init_8(void*, i32, i32, i32*, i64*, i64*, i64*, i64, i64);
void __kmpc_for_static_init_8u(void*, i32, i32, i32*, u64*, u64*, i64*, i64, i64);
void __kmpc_threadprivate_register(void*, void*, void* (*)(void*), void* (*)(void*, void*), void (*)(void*));
void* __kmpc_threadprivate_cached(void*, i32, void*, std::size_t, void***);
void __kmpc_atomic_fixed4_add(void*, i32, i32*, i32);
void __kmpc_atomic_fixed4_sub_rev(void*, i32, i32*, i32);
i32 __kmpc_atomic_fixed4_add_cpt(void*, i32, i32*, i32, i32);
void __kmpc_atomic_fixed1_mul(void*, i32, std::int8_t*, std::int8_t);
void __kmpc_atomic_fixed8_max(void*, i32, i64*, i64);
void __kmpc_atomic_float8_div_rev(void*, i32, double*, double);
void __kmpc_atomic_float10_add(void*, i32, long double*, long double);
double _Complex __kmpc_atomic_cmplx8_rd(void*, i32, double _Complex*);
void __kmpc_atomic_cmplx8_mul(void*, i32, double _Complex*, double _Complex);
bool __kmpc_atomic_bool_4_cas(void*, i32, i32*, i32, i32);
i32 __kmpc_sections_init(void*, i32);
i32 __kmpc_next_section(void*, i32, i32);
void __kmpc_barrier(void*, i32);
void* __kmpc_omp_task_alloc(void*, i32, i32, std::size_t, std::size_t, i32 (*)(i32, void*));
i32 __kmpc_omp_task_with_deps(void*, i32, void*, i32, void*, i32, void*);
void __kmpc_dispatch_init_4(void*, i32, i32, i32, i32, i32, i32);
i32 __kmpc_dispatch_next_4(void*, i32, i32*, i32*, i32*, i32*);
void* kmp_malloc(std::size_t);
void kmp_free(void*);
void kmp_set_blocktime(int);
int kmp_get_blocktime();
}

namespace {

constexpr int chunked = 33, whole = 34, balanced = 45;

/// Distributes a loop as compiled code does, and checks that each iteration is met once and one thread has the last
/// one.
template <class T, class Step, class Init>
void distribute(Init init, int threads, int schedule, T first, T last, Step step, Step chunk) {
  std::mutex mutex;
  std::multiset<T> met;
  int lasts = 0, right_lasts = 0;
  const __int128 end = last, by = step;
  // The value of the last iteration; none if the loop is empty.
  const bool empty = step > 0 ? first > last : first < last;
  const auto final_value = static_cast<T>(first + (end - first) / by * by);
#pragma omp parallel num_threads(threads)
  {
    i32 is_last = 0;
    T lower = first, upper = last;
    Step stride = 1;
    init(nullptr, __kmpc_global_thread_num(nullptr), schedule, &is_last, &lower, &upper, &stride, step, chunk);
    std::vector<T> mine;
    // In wide numbers: lower + stride may be beyond the type.
    __int128 from = lower, to = upper;
    for (;;) {
      if (step > 0 ? to > end : to < end) to = end;
      if (step > 0 ? from > to : from < to) break;
      for (__int128 i = from; step > 0 ? i <= to : i >= to; i += by) mine.push_back(static_cast<T>(i));
      if (schedule != chunked) break;
      from += stride;
      to += stride;
    }
    const std::scoped_lock held(mutex);
    met.insert(mine.begin(), mine.end());
    if (is_last != 0) {
      ++lasts;
      right_lasts += !mine.empty() && mine.back() == final_value;
    }
  }
  std::multiset<T> all;
  if (!empty)
    for (__int128 i = first; step > 0 ? i <= end : i >= end; i += by) all.insert(static_cast<T>(i));
  const bool good = met == all && lasts == (empty ? 0 : 1) && lasts == right_lasts;
  if (!good)
    std::printf("schedule %d, %d threads, step %lld, chunk %lld: %zu of %zu iterations, %d last\n", schedule, threads,
                static_cast<long long>(step), static_cast<long long>(chunk), met.size(), all.size(), lasts);
  check(good, "a static loop");
}

template <class T, class Step, class Init>
void distribute_all(Init init) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  for (const int threads : {1, 2, 3, 7}) {
    for (const int schedule : {whole, chunked, balanced}) {
      for (const Step chunk : {Step{1}, Step{2}, Step{16}}) {
        for (const Step step : {Step{1}, Step{3}}) {
          for (const auto& [first, last] : {std::pair<T, T>{0, 0},
                                            {5, 4},
                                            {0, 1},
                                            {3, 40},
                                            {10, 15},
                                            {static_cast<T>(most - 6), most},
                                            {least, static_cast<T>(least + 9)}}) {
            distribute<T, Step>(init, threads, schedule, first, last, step, chunk);
            distribute<T, Step>(init, threads, schedule, last, first, static_cast<Step>(-step), chunk);
          }
        }
      }
    }
  }
}

void regions_of_many_variables(int threads) {
  int sum = 0;
#define TEN(letter)                                                                                            \
  int letter##0 = 1, letter##1 = 2, letter##2 = 3, letter##3 = 4, letter##4 = 5, letter##5 = 6, letter##6 = 7, \
      letter##7 = 8, letter##8 = 9, letter##9 = 10
#define SUM(letter)                                                                                            \
  (letter##0 += 1, letter##1, letter##2, letter##3, letter##4, letter##5, letter##6, letter##7, letter##8,     \
   letter##0 + letter##1 + letter##2 + letter##3 + letter##4 + letter##5 + letter##6 + letter##7 + letter##8 + \
       letter##9)
  TEN(a), used = 0;
  TEN(b);
  TEN(c);
  TEN(d);
  TEN(e);
  TEN(f);
  TEN(g);
  TEN(h);
#pragma omp parallel num_threads(threads)
#pragma omp critical
  {
    ++used;
    sum = SUM(a) + SUM(b) + SUM(c) + SUM(d) + SUM(e) + SUM(f) + SUM(g) + SUM(h);
  }
  check(sum == 8 * (55 + used), "a region of 80 variables");
  int few = 0;
#pragma omp parallel num_threads(threads) if (threads > 100) reduction(+ : few)
  few += omp_get_num_threads() == 1 && omp_get_level() == 1;
  check(few == 1 || threads > 100, "a region with a false if clause");
}

#ifdef __x86_64__
std::atomic<int> met{0}, aligned{0};

/// A body, as compiled code has it. The stack pointer was a multiple of 128 before the call pushed the address of its
/// return, and the body its frame pointer.
[[gnu::noinline]] void look_at_the_frame(i32* /*number in process*/, i32* /*number*/, ...) {
  ++met;
  aligned += reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 128 == 112;
}

/// Where arrays of the body lie within cache lines is the same for all threads, whatever calls the region.
void frames_of_bodies(int threads) {
  void* const p = nullptr;
  met = aligned = 0;
  omp_set_num_threads(threads);
  for (int round = 0; round < 8; ++round) {
    // Each round stands 16 bytes and more below the last one.
    volatile char* const moved = static_cast<char*>(__builtin_alloca(16));
    moved[0] = 0;
    __kmpc_fork_call(nullptr, 0, look_at_the_frame);
    __kmpc_fork_call(nullptr, 5, look_at_the_frame, p, p, p, p, p);
    __kmpc_fork_call(nullptr, 22, look_at_the_frame, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p);
  }
  check(met == 3 * 8 * threads && aligned == met, "bodies begin at the same place of a cache line");
}
#else
void frames_of_bodies(int /*threads*/) {}
#endif

int shared_value = 7;
std::atomic<int> ended{0};

void threadprivate_copies(int threads) {
  static int common = 42;
  __kmpc_threadprivate_register(
      nullptr, &shared_value,
      [](void* copy) -> void* {
        *static_cast<int*>(copy) = 11;
        return copy;
      },
      nullptr, [](void*) { ++ended; });
  static void** caches[2] = {};
  int wrong = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    {
      const i32 self = __kmpc_global_thread_num(nullptr);
      int& mine = *static_cast<int*>(__kmpc_threadprivate_cached(nullptr, self, &common, sizeof common, &caches[0]));
      int& constructed =
          *static_cast<int*>(__kmpc_threadprivate_cached(nullptr, self, &shared_value, sizeof(int), &caches[1]));
      if (round == 0) {
        wrong += mine != 42 || constructed != (self == 0 ? 7 : 11);
        mine = 100 + self;
      } else {
        wrong += mine != 100 + self;
      }
    }
  }
  check(wrong == 0 && common == 100, "threadprivate copies stay with their threads");
}

void atomic_functions(int threads) {
  i32 sum = 0, reversed = 3;
  std::int8_t narrow = 100;
  i64 largest = -5;
  double quotient = 4;
  long double wide = 0;
  double _Complex product = 1;
  int first = 0, cas = 0;
  i32 word = 0;
#pragma omp parallel num_threads(threads) reduction(+ : first, cas)
  {
    const i32 self = __kmpc_global_thread_num(nullptr);
    for (int i = 0; i < 1000; ++i) {
      __kmpc_atomic_fixed4_add(nullptr, self, &sum, 2);
      first += __kmpc_atomic_fixed4_add_cpt(nullptr, self, &sum, 1, 0) == 2;
      __kmpc_atomic_float10_add(nullptr, self, &wide, 1);
      __kmpc_atomic_fixed8_max(nullptr, self, &largest, i);
    }
    cas += __kmpc_atomic_bool_4_cas(nullptr, self, &word, 0, 9);
    __kmpc_atomic_cmplx8_mul(nullptr, self, &product, 2);
  }
  check(sum == 3000 * threads && largest == 999 && wide == 1000 * threads, "atomic updates");
  check(first <= 1 && cas == 1 && word == 9, "atomic capture and compare");
  __kmpc_atomic_fixed4_sub_rev(nullptr, 0, &reversed, 10);
  __kmpc_atomic_float8_div_rev(nullptr, 0, &quotient, 2);
  __kmpc_atomic_fixed1_mul(nullptr, 0, &narrow, 3);
  check(reversed == 7 && quotient == 0.5 && narrow == static_cast<std::int8_t>(300), "reversed and wrapping updates");
  check(__real__ __kmpc_atomic_cmplx8_rd(nullptr, 0, &product) == static_cast<double>(1LL << threads) || threads > 50,
        "complex products");
}

void sections_by_number(int threads) {
  int met[5] = {};
#pragma omp parallel num_threads(threads)
  {
    const i32 self = __kmpc_global_thread_num(nullptr);
    __kmpc_sections_init(nullptr, self);
    for (i32 n; (n = __kmpc_next_section(nullptr, self, 5)) < 5;) {
#pragma omp atomic
      ++met[n];
    }
    __kmpc_barrier(nullptr, self);
  }
  for (const int n : met) check(n == 1, "each section once");
}

void dependences_of_nests(int threads) {
  constexpr int rows = 20, columns = 15;
  static int table[rows + 1][columns + 1];
  for (auto& row : table)
    for (int& cell : row) cell = 1;
#pragma omp parallel for ordered(2) collapse(2) schedule(dynamic) num_threads(threads)
  for (int i = 1; i <= rows; ++i) {
    for (int j = columns; j >= 1; --j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j + 1)
      const int right = j < columns ? table[i][j + 1] : 1;
      table[i][j] = (table[i - 1][j] + right) % 1000;
#pragma omp ordered depend(source)
    }
  }
  int expected[rows + 1][columns + 1], wrong = 0;
  for (auto& row : expected)
    for (int& cell : row) cell = 1;
  for (int i = 1; i <= rows; ++i)
    for (int j = columns; j >= 1; --j) {
      expected[i][j] = (expected[i - 1][j] + (j < columns ? expected[i][j + 1] : 1)) % 1000;
      wrong += expected[i][j] != table[i][j];
    }
  check(wrong == 0, "a collapsed nest with dependences");
}

struct counted {
  static std::atomic<int> alive;
  int value;
  explicit counted(int v) : value(v) { ++alive; }
  counted(const counted& c) : value(c.value) { ++alive; }
  ~counted() { --alive; }
};
std::atomic<int> counted::alive{0};

void tasks_with_private_objects(int threads) {
  std::atomic<int> sum{0};
  int last = -1, reduced = 0;
  {
    const counted object(3);
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
      for (int i = 0; i < 200; ++i) {
#pragma omp task firstprivate(object) untied if (i % 3 != 0)
        {
          sum += object.value;
#pragma omp taskyield
          sum += object.value;
        }
      }
#pragma omp taskwait
#pragma omp taskloop firstprivate(object) lastprivate(last) grainsize(7)
      for (int i = 0; i < 100; ++i) {
        sum += object.value;
        last = i;
      }
    }
#pragma omp parallel num_threads(threads) reduction(task, + : reduced)
    {
#pragma omp task in_reduction(+ : reduced)
      reduced += 5;
      reduced += 1;
    }
  }
  check(sum == 200 * 6 + 300 && last == 99, "tasks with objects");
  check(counted::alive == 0, "each object of a task is destroyed");
  check(reduced == 6 * threads, "a reduction of tasks and threads");
}

struct item {
  std::size_t address, bytes;
  unsigned char flags;
};

/// Tasks without a routine, that only wait; all of memory by an address; an undeferred task that is detached.
void tasks_of_other_compilers(int threads) {
  constexpr i32 tied = 1;
  constexpr std::size_t head = 40;
  static int cell = 0, order_seen = 0;
  cell = order_seen = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    const i32 self = __kmpc_global_thread_num(nullptr);
#pragma omp task depend(out : cell)
    cell = 1;
    item on_cell{reinterpret_cast<std::size_t>(&cell), sizeof cell, 3};
    __kmpc_omp_task_with_deps(nullptr, self, __kmpc_omp_task_alloc(nullptr, self, tied, head, 0, nullptr), 1, &on_cell,
                              0, nullptr);
    item on_all{~std::size_t{0}, 0, 0};
    const auto see = [](i32, void*) { return order_seen = cell; };
    __kmpc_omp_task_with_deps(nullptr, self, __kmpc_omp_task_alloc(nullptr, self, tied, head, 0, see), 1, &on_all, 0,
                              nullptr);
#pragma omp task depend(inout : cell)
    cell = 2;
#pragma omp taskwait
    omp_event_handle_t event;
    int done = 0;
#pragma omp task if (0) detach(event) shared(done)
    done = 1;
    // The body is done; the event is still to come.
    check(done == 1, "an undeferred task runs at once");
    omp_fulfill_event(event);
  }
  check(order_seen == 1 && cell == 2, "a task that depends on all memory");
}

/// Schedules for vectors: ranges of whole vectors but for the last.
void loops_of_vectors(int threads) {
  constexpr i32 guided_simd = 46, runtime_simd = 47, vector = 4, trips = 203;
  for (const i32 schedule : {guided_simd, runtime_simd}) {
    for (const omp_sched_t kind : {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto}) {
      omp_set_schedule(kind, kind == omp_sched_static ? 0 : 2);
      std::atomic<int> sum{0}, broken{0};
#pragma omp parallel num_threads(threads)
      {
        const i32 self = __kmpc_global_thread_num(nullptr);
        i32 last = 0, from = 0, to = 0, step = 0;
        __kmpc_dispatch_init_4(nullptr, self, schedule, 0, trips - 1, 1, vector);
        while (__kmpc_dispatch_next_4(nullptr, self, &last, &from, &to, &step) != 0) {
          sum += to - from + 1;
          if (to != trips - 1 && (to - from + 1) % vector != 0) ++broken;
        }
      }
      check(sum == trips && broken == 0, "ranges of whole vectors");
    }
  }
}

/// The host's form of a target region stands in the region that the program has around it.
void teams_in_regions(int threads) {
  int counted = 0, wrong = 0, later = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp target teams num_teams(3) map(tofrom : counted, wrong)
    {
      if (omp_get_level() != 0 || omp_in_parallel() != 0 || omp_get_num_teams() != 3)
#pragma omp atomic
        ++wrong;
      int in_team = 0;
#pragma omp parallel num_threads(2) reduction(+ : in_team)
      in_team += omp_get_level();
#pragma omp atomic
      counted += in_team > 0;
    }
    if (omp_get_level() != 1 || omp_get_num_threads() != threads || omp_get_num_teams() != 1)
#pragma omp atomic
      ++wrong;
#pragma omp single
    {
#pragma omp target teams distribute parallel for nowait depend(inout : later) map(tofrom : later)
      for (int i = 0; i < 1; ++i) later += 10;
#pragma omp task depend(inout : later) shared(later)
      ++later;
#pragma omp taskwait
    }
  }
  check(wrong == 0 && counted == 3 * threads && later == 11, "teams of a target region inside of a region");
}

void settings() {
  kmp_set_blocktime(17);
  check(kmp_get_blocktime() == 17, "the block time is what was set");
  void* const piece = kmp_malloc(100);
  check(piece != nullptr, "memory");
  kmp_free(piece);
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  check(omp_test_nest_lock(&lock) == 1 && omp_test_nest_lock(&lock) == 2, "a nestable lock");
  omp_unset_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
  omp_destroy_nest_lock(&lock);
}

}  // namespace

int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
  omp_set_dynamic(0);
  distribute_all<i32, i32>(__kmpc_for_static_init_4);
  distribute_all<u32, i32>(__kmpc_for_static_init_4u);
  distribute_all<i64, i64>(__kmpc_for_static_init_8);
  distribute_all<u64, i64>(__kmpc_for_static_init_8u);
  regions_of_many_variables(threads);
  frames_of_bodies(threads);
  threadprivate_copies(threads);
  atomic_functions(threads);
  sections_by_number(threads);
  dependences_of_nests(threads);
  tasks_with_private_objects(threads);
  omp_sched_t kind{};
  int chunk = -1;
  omp_get_schedule(&kind, &chunk);
  if (std::getenv("OMP_SCHEDULE") == nullptr)
    check(kind == omp_sched_static && chunk == 0, "libomp's default schedule");
  tasks_of_other_compilers(threads);
  loops_of_vectors(threads);
  teams_in_regions(threads);
  settings();
  return verdict();
}

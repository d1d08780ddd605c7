// Loops of every schedule, direction and type, with bounds at the ends of the type's range. Each iteration runs once. A
// monotonic schedule gives a thread its iterations in order.
#include "check.hpp"

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>

#include <omp.h>

namespace {

int threads = 4;

struct tally {
  explicit tally(unsigned iterations) : size(iterations), each(new std::atomic<int>[iterations]()) {}
  void met(unsigned i) { (i < size ? each[i] : outside) += 1; }
  void check(const char* what) const {
    unsigned wrong = static_cast<unsigned>(outside);
    for (unsigned i = 0; i < size; ++i) wrong += each[i] != 1;
    if (wrong == 0) return;
    std::printf("wrong: %s, %u iterations\n", what, wrong);
    ++failures;
  }
  unsigned size;
  std::unique_ptr<std::atomic<int>[]> each;
  std::atomic<int> outside{0};
};

#define RUN_ALL(SCHEDULE)                                                                 \
  do {                                                                                    \
    tally up(1000), down(1000), wide(21), top(11), none(0), big(50000);                   \
    _Pragma("omp parallel num_threads(threads)") {                                        \
      _Pragma(SCHEDULE) for (int i = -500; i < 500; ++i) up.met(unsigned(i + 500));       \
      _Pragma(SCHEDULE) for (long i = 2997; i >= 0; i -= 3) down.met(unsigned(i / 3));    \
      _Pragma(SCHEDULE) for (long i = LONG_MIN / 4; i < LONG_MAX / 4; i += LONG_MAX / 40) \
          wide.met(unsigned((i - LONG_MIN / 4) / (LONG_MAX / 40)));                       \
      _Pragma(SCHEDULE) for (unsigned long long i = ULLONG_MAX; i > ULLONG_MAX - 11; --i) \
          top.met(unsigned(ULLONG_MAX - i));                                              \
      _Pragma(SCHEDULE) for (unsigned long i = 5; i < 5; ++i) none.met(0);                \
      _Pragma(SCHEDULE) for (unsigned i = 0; i < 50000; ++i) big.met(i);                  \
    }                                                                                     \
    up.check(SCHEDULE ", int upwards");                                                   \
    down.check(SCHEDULE ", long downwards");                                              \
    wide.check(SCHEDULE ", a quarter of what long holds");                                \
    top.check(SCHEDULE ", unsigned long long at the top");                                \
    none.check(SCHEDULE ", no iteration");                                                \
    big.check(SCHEDULE ", many iterations");                                              \
  } while (false)

void combined() {
  tally dynamic(1000), guided(1000), runtime(1000), monotonic(1000);
#pragma omp parallel for schedule(dynamic, 3) num_threads(threads)
  for (int i = 0; i < 1000; ++i) dynamic.met(unsigned(i));
#pragma omp parallel for schedule(guided, 5) num_threads(threads)
  for (int i = 999; i >= 0; --i) guided.met(unsigned(i));
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (int i = 0; i < 1000; ++i) runtime.met(unsigned(i));
  std::atomic<int> backwards{0};
#pragma omp parallel num_threads(threads)
  {
    int before = -1;
    const auto goes_on = [&before, &backwards](int i) {
      if (i < before) ++backwards;
      before = i;
    };
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < 1000; ++i) {
      monotonic.met(unsigned(i));
      goes_on(i);
    }
    // Without the modifier, too, as with libgomp: programs rely on it.
    const char* const split = std::getenv("CALLISTO_NONMONOTONIC");
    if (split == nullptr || std::strcmp(split, "on") != 0) {
      before = -1;
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 20000; ++i) goes_on(i);
      before = -1;
#pragma omp for schedule(nonmonotonic : dynamic, 3)
      for (int i = 0; i < 20000; ++i) goes_on(i);
    }
  }
  dynamic.check("parallel for, dynamic");
  guided.check("parallel for, guided");
  runtime.check("parallel for, runtime");
  monotonic.check("monotonic:dynamic");
  if (backwards != 0) {
    std::printf("wrong: monotonic, %d steps back\n", backwards.load());
    ++failures;
  }
}

/// Threads may run ahead of each other through loops with nowait.
void run_ahead() {
  constexpr int constructs = 200;
  std::unique_ptr<std::atomic<int>[]> done(new std::atomic<int>[constructs]());
#pragma omp parallel num_threads(threads)
  for (int n = 0; n < constructs; ++n) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 17; ++i) ++done[n];
  }
  for (int n = 0; n < constructs; ++n) {
    if (done[n] == 17) continue;
    std::printf("wrong: nowait loop %d had %d iterations\n", n, done[n].load());
    ++failures;
  }
}

/// No thread keeps an iteration while it runs another one: with as many iterations as threads, all run at once. A
/// program must not rely on it, but it holds for libgomp, and a kept iteration would begin late.
void all_at_once() {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0};
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < omp_get_num_threads(); ++i) {
      ++begun;
      while (begun < omp_get_num_threads()) {
      }
    }
  }
}

/// Loops of few and of many chunks; the last chunk may be shorter.
void last_values() {
  for (int size = 1; size < 60; ++size) {
    for (const int chunk : {1, 2, 5}) {
      omp_set_schedule(omp_sched_dynamic, chunk);
      int last = -1;
      std::atomic<int> met{0};
#pragma omp parallel for schedule(nonmonotonic : runtime) lastprivate(last) num_threads(threads)
      for (int i = 0; i < size; ++i) {
        last = i;
        ++met;
      }
      if (last == size - 1 && met == size) continue;
      std::printf("wrong: %d iterations in chunks of %d: %d were met, the last had %d\n", size, chunk, met.load(),
                  last);
      ++failures;
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) threads = std::atoi(arguments[1]);
  RUN_ALL("omp for schedule(static)");
  RUN_ALL("omp for schedule(static, 7)");
  RUN_ALL("omp for schedule(dynamic)");
  RUN_ALL("omp for schedule(dynamic, 7)");
  RUN_ALL("omp for schedule(guided)");
  RUN_ALL("omp for schedule(guided, 3)");
  RUN_ALL("omp for schedule(monotonic:dynamic, 3)");
  RUN_ALL("omp for schedule(monotonic:guided)");
  RUN_ALL("omp for schedule(auto)");
  RUN_ALL("omp for schedule(dynamic, 5) nowait");
  for (const omp_sched_t kind : {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto}) {
    for (const int chunk : {0, 1, 9}) {
      omp_set_schedule(kind, chunk);
      RUN_ALL("omp for schedule(runtime)");
      RUN_ALL("omp for schedule(nonmonotonic:runtime)");
      RUN_ALL("omp for schedule(monotonic:runtime)");
    }
  }
  combined();
  run_ahead();
  all_at_once();
  last_values();
  return verdict();
}

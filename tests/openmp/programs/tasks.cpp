// Tasks: waiting, dependences, cancellation, and that none is lost, in a team of as many threads as the first argument
// says.
#include "check.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <omp.h>

namespace {

long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 10) final(n < 5)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

void trees(int threads) {
  long single = 0;
  std::vector<long> each(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    single = fibonacci(20);
    // All threads create tasks, and wait for their own, at the same time.
    each[static_cast<std::size_t>(omp_get_thread_num())] = fibonacci(14);
  }
  check(single == 6765, "a tree of tasks");
  for (const long one : each) check(one == 377, "a tree of each thread's");
}

void barriers(int threads) {
  std::atomic<int> done{0};
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
  for (int round = 1; round <= 20; ++round) {
    for (int n = 0; n < 50; ++n) {
#pragma omp task
      {
#pragma omp task
        ++done;
      }
    }
#pragma omp barrier
    // Children of children, too.
    if (done != round * 50 * omp_get_num_threads()) ++wrong;
#pragma omp barrier
  }
  check(wrong == 0, "a barrier waits for tasks");
}

void dependences(int threads) {
  constexpr int places = 8;
  constexpr int rounds = 400;
  int written[places] = {};
  int read_before[places] = {};
  int wrong = 0;
  std::atomic<int> together{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    for (int n = 0; n < rounds; ++n) {
      const int at = n % places;
      // A writer, then three readers, which all see what it wrote, and which the next writer waits for.
#pragma omp task depend(out : written[at]) shared(written, read_before, wrong)
      {
        if (read_before[at] != 3 * (n / places)) {
#pragma omp atomic
          ++wrong;
        }
        ++written[at];
      }
      for (int reader = 0; reader < 3; ++reader) {
#pragma omp task depend(in : written[at]) shared(written, read_before, wrong)
        {
          if (written[at] != n / places + 1) {
#pragma omp atomic
            ++wrong;
          }
#pragma omp atomic
          ++read_before[at];
        }
      }
    }
    // An undeferred task waits for all that it depends on; so does a taskwait.
    int last = 0;
#pragma omp task depend(inout : written[0]) if (0) shared(last, read_before)
    last = read_before[0];
    check(last == 3 * rounds / places, "an undeferred task waits for its dependences");
#pragma omp taskwait depend(in : written[1])
    check(written[1] == rounds / places, "taskwait with a dependence");

    omp_depend_t object;
    int chain = 0;
    const int old_wrong = wrong;
#pragma omp depobj(object) depend(inout : chain)
    for (int n = 0; n < 100; ++n) {
#pragma omp task depend(depobj : object) shared(chain, wrong)
      if (chain++ != n) ++wrong;
    }
#pragma omp taskwait
    check(chain == 100 && wrong == old_wrong, "a chain by a depend object");
#pragma omp depobj(object) destroy
    for (int n = 0; n < 100; ++n) {
#pragma omp task depend(mutexinoutset : chain) shared(chain)
      ++chain;
    }
#pragma omp task depend(in : chain) shared(chain, together)
    together = chain;
  }
  check(wrong == 0, "writers and readers");
  check(together == 200, "tasks that exclude each other");
}

void groups(int threads) {
  std::atomic<int> in_group{0};
  std::atomic<int> seen{-1};
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int n = 0; n < 20; ++n) {
#pragma omp task
        {
#pragma omp task
          {
            std::this_thread::yield();
            ++in_group;
          }
        }
      }
    }
    seen = in_group.load();
  }
  check(seen == 20, "a group waits for children of children");

  std::atomic<int> ran{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
#pragma omp cancel taskgroup
      ran += 1000;
    }
#pragma omp taskwait
    for (int n = 0; n < 30; ++n) {
#pragma omp task
      ++ran;
    }
  }
  check(ran == (omp_get_cancellation() != 0 ? 0 : 1030), "a cancelled group");
}

struct counted {
  explicit counted(std::atomic<int>& count) : alive(&count) { ++*alive; }
  counted(const counted& other) : alive(other.alive) { ++*alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive; }
  std::atomic<int>* alive;
};

void data(int threads) {
  std::atomic<int> alive{0};
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    const counted one(alive);
    alignas(64) std::array<int, 16> numbers{};
    for (int n = 0; n < 200; ++n) {
      numbers[5] = n;
#pragma omp task firstprivate(one, numbers, n)
      if (one.alive->load() < 1 || numbers[5] != n) ++wrong;
    }
#pragma omp taskwait
    check(alive == 1, "copies are destroyed with their tasks");
  }
  check(wrong == 0 && alive == 0, "firstprivate data");
}

template <class Number>
void loop(int threads, Number begin, Number end, Number step, const char* what) {
  long trips = 0;
  for (Number i = begin; i < end; i += step) ++trips;
  std::vector<std::atomic<int>> met(static_cast<std::size_t>(trips));
  std::atomic<long> most{0};
  const auto visit = [&](Number i) { ++met[static_cast<std::size_t>((i - begin) / step)]; };
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop
    for (Number i = begin; i < end; i += step) visit(i);
#pragma omp taskloop grainsize(7)
    for (Number i = begin; i < end; i += step) visit(i);
#pragma omp taskloop grainsize(strict : 7)
    for (Number i = begin; i < end; i += step) visit(i);
#pragma omp taskloop num_tasks(11) if (0)
    for (Number i = begin; i < end; i += step) visit(i);
    Number final_value = begin;
#pragma omp taskloop num_tasks(5) lastprivate(final_value)
    for (Number i = begin; i < end; i += step) final_value = i;
    most = static_cast<long>((final_value - begin) / step);
  }
  bool good = most == trips - 1;
  for (const std::atomic<int>& times : met) good = good && times == 4;
  check(good, what);
}

void reductions(int threads) {
  long by_group = 0;
  long by_loop = 0;
  long by_region = 0;
  long several[3] = {};
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : by_group, several)
    for (int n = 1; n <= 100; ++n) {
#pragma omp task in_reduction(+ : by_group, several)
      {
        by_group += n;
        several[n % 3] += 1;
#pragma omp taskgroup task_reduction(+ : by_loop)
        {
#pragma omp task in_reduction(+ : by_loop, by_group)
          {
            by_loop += 0;
            by_group += 1;
          }
        }
      }
    }
#pragma omp taskloop reduction(+ : by_loop) grainsize(3)
    for (int n = 1; n <= 100; ++n) by_loop += n;
  }
#pragma omp parallel num_threads(threads) reduction(task, + : by_region)
#pragma omp single
  for (int n = 1; n <= 100; ++n) {
#pragma omp task in_reduction(+ : by_region)
    by_region += n;
  }
  check(by_group == 5150, "a group's reduction");
  check(several[0] == 33 && several[1] == 34 && several[2] == 33, "a reduction of an array");
  check(by_loop == 5050, "a taskloop's reduction");
  check(by_region == 5050, "a region's reduction by tasks");

  long by_share = 0;
#pragma omp parallel num_threads(threads)
#pragma omp for reduction(task, + : by_share) schedule(dynamic, 3)
  for (int n = 1; n <= 100; ++n) {
#pragma omp task in_reduction(+ : by_share)
    by_share += n;
  }
  check(by_share == 5050, "a loop's reduction by tasks");
}

void detached(int threads) {
  std::atomic<int> order{0};
  bool good = true;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    omp_event_handle_t event;
    [[maybe_unused]] int token = 0;
    std::thread outside;
#pragma omp task detach(event) depend(out : token) shared(order)
    order = 1;
    outside = std::thread([event, &order] {
      // Fulfilled by a thread outside of the team, after the task's body, which may take long on a loaded machine.
      while (order != 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      order = 2;
      omp_fulfill_event(event);
    });
#pragma omp task depend(in : token) shared(order, good)
    good = order == 2;
#pragma omp taskwait
    outside.join();
    // Fulfilled by another task, and by the task itself.
    omp_event_handle_t inner;
    std::atomic<int> ran{0};
#pragma omp taskgroup
    {
#pragma omp task detach(inner) shared(ran)
      ++ran;
#pragma omp task firstprivate(inner) shared(ran)
      {
        omp_fulfill_event(inner);
        ++ran;
      }
      omp_event_handle_t own;
#pragma omp task detach(own) shared(ran)
      {
        ++ran;
        omp_fulfill_event(own);
      }
    }
    good = good && ran == 3;
  }
  check(good, "detached tasks");
}

/// Many threads wait in the middle of tasks while others create tasks: each of them must wake up.
void waits(int threads) {
  std::atomic<int> done{0};
#pragma omp parallel num_threads(threads)
  for (int n = 0; n < 200; ++n) {
#pragma omp task
    {
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp task
          ++done;
#pragma omp taskyield
#pragma omp taskwait
          ++done;
        }
      }
      ++done;
    }
    if (n % 16 == 0) {
#pragma omp taskwait
    }
  }
  check(done == threads * 600, "waiting within tasks");
}

void nested(int threads) {
  std::atomic<int> done{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int n = 0; n < 8; ++n) {
#pragma omp task
    {
#pragma omp parallel num_threads(threads)
#pragma omp single
      for (int inner = 0; inner < 10; ++inner) {
#pragma omp task
        ++done;
      }
    }
  }
  check(done == 80, "tasks of regions inside tasks");
}

// Included tasks, nested deeply and one after the other. Each must not find what its predecessor left: children that
// outlive it, dependences of children, a final clause, settings of its own.
long descend(int depth, std::atomic<long>& late) {
  long below = 0;
#pragma omp task if (0) shared(below, late) firstprivate(depth)
  {
    check(omp_in_final() == 0, "an included task after a final one is not final");
    check(omp_get_max_threads() != 77, "settings of a task before are gone");
    omp_set_num_threads(77);
#pragma omp task shared(late)
    ++late;
    if (depth % 7 == 0) {
      int written = 0;
#pragma omp task depend(out : written) shared(written)
      written = 1;
#pragma omp task depend(in : written) shared(written)
      check(written == 1, "dependences in an included task");
#pragma omp taskwait
    }
#pragma omp task if (0) final(1)
    check(omp_in_final() == 1, "a final task within an included one");
    omp_set_num_threads(3);
    below = depth == 0 ? 0 : 1 + descend(depth - 1, late);
  }
  return below;
}

void included(int threads) {
  std::atomic<long> late = 0;
  std::atomic<long> depths = 0;
#pragma omp parallel num_threads(threads)
  {
    for (int turn = 0; turn < 3; ++turn) depths += descend(100, late);
  }
  check(late == 303L * threads, "children outlive their included parents, and are run");
  check(depths == 300L * threads, "included tasks within each other");
}

/// More addresses, dependences of a task and successors than the library has room for in place, and each address again
/// after it was free.
void many_dependences(int threads) {
  constexpr int words = 400;
  constexpr int readers = 12;
  std::vector<long> of(words);
  std::atomic<int> wrong{0};
  std::atomic<int> read{0};
  const auto w = of.data();
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < words; ++i) {
#pragma omp task depend(inout : w[i]) firstprivate(i, round)
      wrong += w[i]++ != round - 1;
    }
    // A task of six addresses, twelve that wait for it, and one that waits for all of those.
#pragma omp task depend(inout : w[0], w[1], w[2], w[3], w[4], w[5]) firstprivate(round)
    for (int i = 0; i < 6; ++i) w[i] += w[i] == round ? 100 : -1'000;
    for (int i = 0; i < readers; ++i) {
#pragma omp task depend(in : w[0], w[5])
      {
        wrong += w[0] != w[5] || w[0] < 100;
        ++read;
      }
    }
#pragma omp task depend(inout : w[0], w[1], w[2], w[3], w[4], w[5]) firstprivate(round)
    {
      wrong += read != round * readers;
      for (int i = 0; i < 6; ++i) w[i] -= 100;
    }
    if (round == 2) {
#pragma omp taskwait
    }
  }
  for (const long value : of) wrong += value != 3;
  check(wrong == 0, "many dependences");
}

/// Each included task of a loop has what it was given, whatever the tasks before did with theirs.
void loops_that_change_their_data(int threads) {
  long sum = 0;
  std::atomic<long> deferred{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    long given = 7;
    std::array<long, 4> more{1, 2, 3, 4};
#pragma omp taskloop grainsize(1) if (0) firstprivate(given, more) shared(sum)
    for (int i = 0; i < 200; ++i) {
      sum += given + more[2];
      given = -1'000;
      more[2] = -1'000;
    }
#pragma omp taskloop grainsize(1) firstprivate(given, more) shared(deferred)
    for (int i = 0; i < 300; ++i) {
      deferred += given + more[2];
      given = -1'000;
      more[2] = -1'000;
#pragma omp task firstprivate(given) shared(deferred)
      deferred += given + 1'000;
    }
  }
  check(sum == 2'000, "an included taskloop");
  check(deferred == 3'000, "a taskloop's own data");
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 4;
  omp_set_max_active_levels(3);
  for (int round = 0; round < 3; ++round) {
    trees(threads);
    barriers(threads);
    dependences(threads);
    many_dependences(threads);
    loops_that_change_their_data(threads);
    groups(threads);
    data(threads);
    loop<int>(threads, -50, 53, 2, "a taskloop of int");
    loop<unsigned long long>(threads, ~0ULL - 1000, ~0ULL - 500, 3, "a taskloop near the largest number");
    reductions(threads);
    if (threads > 1) detached(threads);
    waits(threads);
    nested(threads);
    included(threads);
  }
  return verdict();
}

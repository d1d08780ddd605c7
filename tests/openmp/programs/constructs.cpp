// The common constructs, in a team of as many threads as the first argument says. Each use shows a missing thread, an
// additional one, or one that is too early.
#include "check.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <omp.h>

namespace {

int private_number;
#pragma omp threadprivate(private_number)

void regions(int threads) {
  std::atomic<int> here{0};
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
  {
    private_number = omp_get_thread_num() + 1;
    ++here;
    if (omp_get_num_threads() != threads) ++wrong;
    for (int round = 1; round <= 100; ++round) {
#pragma omp barrier
      if (here != threads * round) ++wrong;
#pragma omp barrier
      ++here;
    }
  }
  check(here == threads * 101 && wrong == 0, "barriers");
#pragma omp parallel num_threads(threads)
  if (private_number != omp_get_thread_num() + 1) ++wrong;
  check(wrong == 0, "threadprivate data in the next region");
#pragma omp parallel num_threads(threads) copyin(private_number)
  if (private_number != 1) ++wrong;
  check(wrong == 0, "copyin");
}

/// The number of processors that the program may use. Members of a region, which may run on pinned threads, see the
/// same.
void processors(int threads) {
  const int all = omp_get_num_procs();
  int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    if (omp_get_num_procs() != all) ++wrong;
    int in_target = 0;
#pragma omp target map(from : in_target)
    in_target = omp_get_num_procs();
    if (in_target != all) ++wrong;
  }
  check(wrong == 0, "omp_get_num_procs");
}

void single_sections_critical(int threads) {
  int singles = 0;
  std::atomic<int> nowait{0};
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 50; ++round) {
    int copied = -1;
#pragma omp single copyprivate(copied)
    {
      ++singles;
      copied = round;
    }
    if (copied != round) ++wrong;
#pragma omp single nowait
    ++nowait;
  }
  check(singles == 50 && nowait == 50 && wrong == 0, "single");

  std::array<std::atomic<int>, 5> done{};
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 20; ++round) {
#pragma omp sections nowait
    {
      ++done[0];
#pragma omp section
      ++done[1];
#pragma omp section
      ++done[2];
    }
  }
#pragma omp parallel sections num_threads(threads)
  {
    ++done[3];
#pragma omp section
    ++done[4];
  }
  check(done[0] == 20 && done[1] == 20 && done[2] == 20 && done[3] == 1 && done[4] == 1, "sections");

  int named = 0;
  int unnamed = 0;
  long double sum = 0;
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 200; ++round) {
#pragma omp critical
    ++unnamed;
#pragma omp critical(with_a_name)
    ++named;
#pragma omp atomic
    sum += 1;
  }
  check(named == 200 * threads && unnamed == 200 * threads && sum == 200 * threads, "critical and atomic");
}

void locks(int threads) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int counted = 0;
  std::atomic<int> tried{0};
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 100; ++round) {
    omp_set_lock(&lock);
    ++counted;
    omp_unset_lock(&lock);
    if (omp_test_lock(&lock)) {
      ++counted;
      ++tried;
      omp_unset_lock(&lock);
    }
    omp_set_nest_lock(&nest);
    if (omp_test_nest_lock(&nest) != 2) ++wrong;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  check(counted == 100 * threads + tried && wrong == 0, "locks");
  omp_destroy_nest_lock(&nest);
  omp_destroy_lock(&lock);
}

void orders(int threads) {
  std::vector<int> seen;
#pragma omp parallel for ordered schedule(dynamic, 3) num_threads(threads)
  for (int i = 0; i < 300; ++i) {
    if (i % 3 == 1) continue;
#pragma omp ordered
    seen.push_back(i);
  }
  bool in_order = seen.size() == 200;
  for (std::size_t n = 1; n < seen.size(); ++n) in_order = in_order && seen[n] > seen[n - 1];
  check(in_order, "ordered, dynamic");
  seen.clear();
#pragma omp parallel for ordered schedule(static) num_threads(threads)
  for (int i = 300; i > 0; --i) {
#pragma omp ordered
    seen.push_back(i);
  }
  in_order = seen.size() == 300;
  for (std::size_t n = 1; n < seen.size(); ++n) in_order = in_order && seen[n] < seen[n - 1];
  check(in_order, "ordered, static, downwards");

  constexpr int size = 40;
  static std::array<std::array<long, size>, size> table;
  table = {};
  for (int i = 0; i < size; ++i) table[i][0] = table[0][i] = 1;
#pragma omp parallel for ordered(2) schedule(dynamic) num_threads(threads)
  for (int i = 1; i < size; ++i) {
    for (int j = 1; j < size; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      table[i][j] = (table[i - 1][j] + table[i][j - 1]) % 1'000'003;
#pragma omp ordered depend(source)
    }
  }
  std::array<long, size> row;
  row.fill(1);
  for (int i = 1; i < size; ++i) {
    for (int j = 1; j < size; ++j) row[j] = (row[j] + row[j - 1]) % 1'000'003;
  }
  check(table[size - 1] == row, "doacross, two loops");
  std::vector<unsigned long long> chain(500, 0);
#pragma omp parallel for ordered(1) num_threads(threads)
  for (unsigned long long i = 1; i < 500; ++i) {
#pragma omp ordered depend(sink : i - 1)
    chain[i] = chain[i - 1] + i;
#pragma omp ordered depend(source)
  }
  check(chain[499] == 499ULL * 250, "doacross, unsigned, static");
}

void inscan(int threads) {
  std::vector<int> in(1000, 1);
  std::vector<int> out(1000, 0);
  int sum = 0;
#pragma omp parallel for reduction(inscan, + : sum) num_threads(threads)
  for (int i = 0; i < 1000; ++i) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
  bool good = true;
  for (int i = 0; i < 1000; ++i) good = good && out[i] == i + 1;
  check(good, "scan");
  int last = -1;
#pragma omp parallel for lastprivate(conditional : last) schedule(dynamic, 7) num_threads(threads)
  for (int i = 0; i < 1000; ++i)
    if (i % 13 == 0) last = i;
  check(last == 988, "conditional lastprivate");
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 4;
  regions(threads);
  processors(threads);
  single_sections_critical(threads);
  locks(threads);
  orders(threads);
  inscan(threads);
  return verdict();
}

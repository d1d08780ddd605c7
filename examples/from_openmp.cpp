// OpenMP constructs beside their forms in Callisto. The comment above each statement is the OpenMP line.
#include <callisto/callisto.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <vector>

// Per-thread state: what OpenMP writes as private variables and a critical section at the end of the region.
struct longest_run {
  struct mine {
    int longest = 0;
  };
  const std::vector<int>& lengths;
  int longest = 0;
  std::mutex lock{};

  void fork(mine&) {}  // a thread joins the loop
  void work(mine& m, std::size_t i) { m.longest = lengths[i] > m.longest ? lengths[i] : m.longest; }
  void join(mine& m) {  // the thread leaves the loop, maybe several at once
    const std::scoped_lock held(lock);
    if (m.longest > longest) longest = m.longest;
  }
};

int main() {
  std::vector<int> lengths(10'000);

  // #pragma omp parallel for
  callisto::parallel_for(0, lengths.size(), [&](std::size_t i) { lengths[i] = int(i * 37 % 1'009); });

  // #pragma omp parallel for reduction(+ : total)
  const long total = callisto::parallel_reduce(0, lengths.size(), 0L, [&](std::size_t i) { return long(lengths[i]); });
  std::printf("reduction: %ld\n", total);

  // #pragma omp parallel private(mine) ... omp for ... omp critical
  longest_run run{lengths};
  callisto::parallel_for(run, 0, lengths.size());
  std::printf("private and critical: %d\n", run.longest);

  // #pragma omp parallel for collapse(2)
  std::vector<int> table(30 * 40);
  callisto::parallel_for(0, 30 * 40, [&](int k) { table[std::size_t(k)] = k / 40 + k % 40; });
  std::printf("collapse: %d\n", table[29 * 40 + 39]);

  // #pragma omp parallel for schedule(dynamic, 16)
  // #pragma omp atomic
  std::atomic<int> odd = 0;
  callisto::parallel_for(0, 1'000, [&](int i) { odd += i % 2; }, {.batch = 16});
  std::printf("schedule and atomic: %d\n", odd.load());
}

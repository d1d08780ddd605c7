// A plug-in that runs loops, tasks and algorithms; unloading_program.cpp loads and unloads it.
#include <callisto/algorithms.hpp>
#include <callisto/callisto.hpp>

#include <atomic>
#include <functional>
#include <vector>

/// Returns 0 if everything was right.
extern "C" [[gnu::visibility("default")]] int run_plugin(unsigned threads) {
  callisto::set_threads(threads);
  if (callisto::parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }) != 499500) return 1;
  std::atomic<int> ran{0};
  callisto::task_group group;
  for (int i = 0; i < 1000; ++i) group.run([&] { ran.fetch_add(1); });
  group.wait();
  if (ran.load() != 1000) return 2;
  std::vector<int> falls(100'000);
  for (int i = 0; i < 100'000; ++i) falls[static_cast<std::size_t>(i)] = i * 7919 % 100'003;
  callisto::sort(falls, std::greater<>());
  return falls.front() > falls.back() ? 0 : 3;
}

// A program outside of the repository that uses loops, algorithms, tasks and Domino as programs do: for builds with
// sanitizers of its own (of a Callisto without), static ones, with other standard libraries, without exceptions. A
// report of a sanitizer is false. With an argument it runs what ThreadSanitizer has to find.
#include <callisto/algorithms.hpp>
#include <callisto/domino.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

namespace {

int wrong = 0;

void check(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

void loops_and_algorithms(std::uint64_t round) {
  std::vector<std::uint64_t> all(20'000);
  for (std::uint64_t& x : all) x = round;
  callisto::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { all[i] += i * 7919 % 10'007; });
  const std::uint64_t sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  const auto one = [&](std::size_t i) { return all[i]; };
  check(callisto::parallel_reduce(std::size_t{0}, all.size(), std::uint64_t{0}, one) == sum, "parallel_reduce");
  check(callisto::deterministic_reduce(std::size_t{0}, all.size(), std::uint64_t{0}, one) == sum,
        "deterministic_reduce");
  std::vector<std::uint64_t> sums(all.size());
  check(callisto::inclusive_scan(all, sums.begin(), std::uint64_t{0}) == sum && sums.back() == sum, "inclusive_scan");
  callisto::sort(all);
  check(std::is_sorted(all.begin(), all.end()), "sort");
  callisto::stable_sort(all, std::greater<>());
  check(std::is_sorted(all.begin(), all.end(), std::greater<>()), "stable_sort");
  std::vector<std::string> texts(500);
  callisto::transform(all, sums.begin(), [](std::uint64_t x) { return x + 1; });
  callisto::parallel_for(texts, [](std::string& text) { text = "so long that it needs memory of its own"; });
  check(std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.size() == 39; }), "texts");
  std::list<std::string> forward(300, "begin ");
  callisto::parallel_for(forward, [](std::string& text) { text += "so long that it needs memory of its own"; });
  check(std::all_of(forward.begin(), forward.end(), [](const std::string& text) { return text.size() == 45; }),
        "lists");
  const auto first = callisto::find_if(sums, [&](std::uint64_t x) { return x == all[777] + 1; });
  check(first != sums.end() && *first == all[777] + 1, "find_if");
}

long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  callisto::parallel_invoke([&] { a = fibonacci(n - 1); }, [&] { b = fibonacci(n - 2); });
  return a + b;
}

void tasks_and_nesting() {
  check(fibonacci(15) == 610, "parallel_invoke");
  std::vector<std::string> texts(100);
  callisto::task_group group;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    group.run([&texts, i] { texts[i] = "task with a number: " + std::to_string(i); });
  }
  group.wait();
  for (std::size_t i = 0; i < texts.size(); ++i) check(texts[i].ends_with(' ' + std::to_string(i)), "task_group");
  std::vector<long> products(64 * 64);
  callisto::parallel_for(0L, 64L, [&](long y) {
    callisto::parallel_for(0L, 64L, [&, y](long x) { products[static_cast<std::size_t>(y * 64 + x)] = x * y; });
  });
  check(std::accumulate(products.begin(), products.end(), 0L) == 2016L * 2016, "nested loops");
}

/// Plain data that tasks hand to each other by spawns, cells, phases, groups, keys and between runs.
void domino_tasks() {
  namespace domino = callisto::domino;
  domino::computation all;
  auto& first = all.main_group();
  auto& second = all.group();
  auto& ranked = all.group(domino::strict);
  second.after(first);
  ranked.after(second);
  constexpr std::uint64_t n = 2000;
  std::vector<std::string> texts(n);
  std::vector<std::uint64_t> before(n);
  std::vector<std::uint64_t> by_key(7);
  std::vector<std::uint64_t> order;
  domino::reducer<std::uint64_t> ran(all);
  std::uint64_t phases = 0;
  domino::cells<std::uint32_t> values(all, n);
  // A tree of counted tasks: a child reads what its parent wrote before the spawn.
  domino::counted_task<std::uint64_t>* tree = nullptr;
  tree = &all.counted<std::uint64_t>(first, [&](domino::here& at, std::uint64_t i) {
    texts[i] = (i == 0 ? std::string("from the root") : texts[(i - 1) / 2]) + '.';
    for (const std::uint64_t child : {2 * i + 1, 2 * i + 2}) {
      if (child < n) tree->spawn(at, child);
    }
    values.set(at, i, static_cast<std::uint32_t>(i + 1));
    ++ran.at(at);
  });
  // The next phase: each reads its neighbours' text.
  auto& next = all.task(first, n, [&](domino::here&, std::uint64_t i) {
    before[i] = texts[i].size() + texts[(i + 1) % n].size() + phases;
  });
  values.on_change(next, domino::later);
  first.between_phases([&](domino::here&) { phases += ran.sum(); });
  // A group behind: tasks of one key follow each other.
  auto& sums = all.task(second, n, [&](domino::here&, std::uint64_t i) { by_key[i % 7] += before[i]; });
  sums.exclusive(7, [](std::uint64_t i) { return i % 7; });
  auto& by_rank =
      all.task(ranked, 300, [&](domino::here&, std::uint64_t i) { order.push_back(by_key[i % 7] != 0 ? i : n); });
  for (std::uint64_t run = 0; run < 3; ++run) {
    phases = 0;
    order.clear();
    std::fill(by_key.begin(), by_key.end(), 0);
    for (std::uint64_t i = 0; i < n; ++i) values.put(i, 0);
    tree->spawn(all.outside(), 0);
    for (std::uint64_t i = 0; i < n; ++i) sums.spawn(all.outside(), i);
    for (std::uint64_t i = 0; i < 300; ++i) by_rank.spawn_at(all.outside(), i, i * 3);
    check(all.run(), "a run of Domino");
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < n; ++i) expected += texts[i].size() + texts[(i + 1) % n].size() + n;
    check(std::accumulate(by_key.begin(), by_key.end(), std::uint64_t{0}) == expected, "Domino's sums");
    check(order.size() == 300 && std::is_sorted(order.begin(), order.end()), "Domino's ranks");
  }
}

/// A fault of the program's: tasks of one phase write the same variable. They go on until two threads have run ten
/// each.
void race() {
  namespace domino = callisto::domino;
  domino::computation all({.contexts = 2});
  std::atomic<int> ran[2] = {};  // relaxed: orders nothing
  int shared = 0;
  domino::counted_task<std::uint64_t>* task = nullptr;
  task = &all.counted<std::uint64_t>([&](domino::here& at, std::uint64_t i) {
    ++shared;
    std::this_thread::yield();
    ran[at.number() % 2].fetch_add(1, std::memory_order_relaxed);
    if (std::min(ran[0].load(std::memory_order_relaxed), ran[1].load(std::memory_order_relaxed)) < 10)
      task->spawn(at, i + 1);
  });
  for (std::uint64_t i = 0; i < 64; ++i) task->spawn(all.outside(), i << 32);
  all.run();
  std::printf("shared: %d\n", shared);
}

void two_leaders() {
  const auto sum = [] { return callisto::parallel_reduce(0, 10'000, 0L, [](int i) { return long{i}; }); };
  long others = 0;
  std::thread other([&] { others = sum(); });
  const long mine = sum();
  other.join();
  check(mine == 49'995'000 && others == mine, "two leaders");
}

void ends() {
  std::stop_source stop;
  const bool whole = callisto::parallel_for(0, 100'000'000,
                                            [&](int i) {
                                              if (i == 1000) stop.request_stop();
                                            },
                                            {.stop = stop.get_token()});
  check(!whole, "a stop");
#ifdef __cpp_exceptions
  std::string what;
  try {
    callisto::parallel_for(0, 1000, [](int i) {
      if (i == 500) throw std::runtime_error("five hundred");
    });
  } catch (const std::runtime_error& e) {
    what = e.what();
  }
  check(what == "five hundred", "an exception");
#endif
}

}  // namespace

int main(int count, char**) {
  if (count > 1) {
    race();
    return 0;
  }
  for (std::uint64_t round = 0; round < 10; ++round) loops_and_algorithms(round);
  tasks_and_nesting();
  domino_tasks();
  two_leaders();
  ends();
  std::puts(wrong == 0 ? "good" : "bad");
  return wrong;
}

// Calls that do not compile: each line that ends in "// refused" is one, and the rest compiles
// (refused_at_compile_time.sh).
#include <callisto/algorithms.hpp>

#include <cstdint>
#include <functional>
#include <vector>

using namespace callisto;

struct body {
  void work(int) {}
};

struct forking {
  struct mine {
    long sum;
  };
  void fork(mine&) {}
  void work(mine&, std::size_t) {}
  void join(mine&) {}
};

void right(std::vector<double>& doubles, std::vector<int>& ints, std::vector<bool>& bits, body& of) {
  static_cast<void>(parallel_reduce(doubles, 0.0));
  inclusive_scan(doubles, doubles.begin(), 0.0);
  exclusive_scan(ints, doubles.begin(), 0L);
  parallel_for(std::as_const(bits), [](bool) {});
  static_cast<void>(count_if(bits, std::identity{}));
  sort(bits);
  parallel_for<body, int>(of, 0, 10);
  parallel_for(of, 0, 10);
  outer_parallel_for(1, of, 0, 10, {.batch = 2});
  forking per_thread;
  parallel_for(per_thread, 0, ints.size());
  outer_parallel_for(1, per_thread, 0, 10);
  parallel_for<forking, forking::mine, std::size_t>(per_thread, 0, 10);
}

#ifdef REFUSED
void wrong(std::vector<double>& doubles, std::vector<int>& ints, std::vector<bool>& bits, body& of) {
  // Values that are cut off.
  static_cast<void>(parallel_reduce(doubles, 0));                                       // refused
  static_cast<void>(parallel_reduce(doubles, 0.0f));                                    // refused
  static_cast<void>(deterministic_reduce(0, 9, 0, [](int i) { return 0.5 * i; }));      // refused
  static_cast<void>(deterministic_reduce(0, 9, 0, [](int, int, int) { return 0.5; }));  // refused
  static_cast<void>(deterministic_reduce(0, 9, false, [](int i) { return i; }));        // refused
  inclusive_scan(doubles, doubles.begin(), 0);                                          // refused
  exclusive_scan(doubles, doubles.begin(), 0L);                                         // refused
  inclusive_scan(doubles, doubles.begin(), 0.0f);                                       // refused
  inclusive_scan(doubles, ints.begin(), 0.0);                                           // refused
  inclusive_scan(std::vector<long>{1}, ints.begin(), 0);                                // refused
  exclusive_scan(ints, ints.begin(), 0, [](int a, int b) { return a + 0.5 * b; });      // refused
  // Elements that share words.
  transform(ints, bits.begin(), [](int i) { return i > 0; });            // refused
  copy_if(bits, bits.begin(), std::identity{});                          // refused
  inclusive_scan(bits, bits.begin(), false, std::logical_or<>{});        // refused
  exclusive_scan(bits, bits.begin(), false, std::logical_or<>{});        // refused
  parallel_for(bits, [](std::vector<bool>::reference b) { b = true; });  // refused
  parallel_for(bits.begin(), bits.end(), [](auto&& b) { b = true; });    // refused
  fill(par, bits.begin(), bits.end(), true);                             // refused
  static_cast<void>(remove_copy(bits, bits.begin(), true));              // refused
  // What cannot be written.
  sort(std::as_const(ints));         // refused
  stable_sort(std::as_const(ints));  // refused
  // What is gone.
  static_cast<void>(*find_if(std::vector<int>{1}, std::identity{}));  // refused
  // What is no index.
  parallel_for(0.0, 10.0, [](double) {});                                                   // refused
  parallel_for(0, 2.5, [](double) {});                                                      // refused
  parallel_for<body, int>(of, 0, 1e10);                                                     // refused
  parallel_for(of, 0, 2.5);                                                                 // refused
  static_cast<void>(parallel_reduce(0, 2.5, 0, [](int i) { return i; }));                   // refused
  static_cast<void>(deterministic_reduce(0, 2.5f, 0, [](int i) { return i; }));             // refused
  static_cast<void>(stepped(0, 10.5, 1));                                                   // refused
  static_cast<void>(stepped(0, 10, 0.5));                                                   // refused
  parallel_for(static_cast<__int128>(0), static_cast<__int128>(1) << 70, [](__int128) {});  // refused
  static_cast<void>(stepped(static_cast<__int128>(0), static_cast<__int128>(9), 1));        // refused
  // One bound.
  parallel_for(10, [](int) {});           // refused
  outer_parallel_for(1, 10, [](int) {});  // refused
}
#endif

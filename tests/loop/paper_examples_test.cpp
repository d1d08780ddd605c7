// The two example programs of Callisto-RTS (ATC 2015, section 2.1), as printed there.
#include <callisto/callisto.hpp>

#include <atomic>
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

using namespace std;
using namespace callisto;

namespace {

stringstream captured;
#define cout captured

// clang-format off
struct example_1 {
    atomic<int> total {0}; // 0-initialized atomic
    void work(int idx) {
        total += idx;      // Atomic add
    } } e1;

struct per_thread { int val; };

struct example_2 {
    atomic<int> total {0}; // 0-initialized atomic

    void fork(per_thread &pt) { pt.val = 0; }

    void work(per_thread &pt, int idx) {
        pt.val += idx;      // Unsynchronized add
    }

    void join(per_thread &pt) {
        total += pt.val;    // Atomic add
    } } e2;

TEST(PaperExamples, SharedState) {
parallel_for<example_1, int>(e1, 0, 10);
cout << e1.total;
  EXPECT_EQ(captured.str(), "45");
}

TEST(PaperExamples, PerThreadState) {
captured.str("");
parallel_for<example_2, per_thread, int>(e2,0,10);
cout << e2.total;
  EXPECT_EQ(captured.str(), "45");
}

TEST(PaperExamples, TheTalksLambda) {
  const uint64_t num_nodes = 1000;
  std::vector<int> seen(num_nodes);
parallel_for<uint64_t>(0, num_nodes,
    [&](uint64_t node) {
        seen[node]++;
    });
  EXPECT_EQ(seen, std::vector<int>(num_nodes, 1));
}
// clang-format on

}  // namespace

// Placement: orders on made-up machines of several shapes, requests from the environment, reasons, drawings, pinning.
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

namespace callisto::machine {
namespace {

using numbers = std::vector<unsigned>;

limits unlimited(const topology& t) {
  limits l{{}, "affinity mask", std::nullopt, {}};
  for (const context& c : t.contexts()) l.cpus.push_back(c.os_index);
  std::sort(l.cpus.begin(), l.cpus.end());
  return l;
}

placement_request request(placement_rule rule, std::optional<unsigned> threads = std::nullopt, numbers list = {}) {
  return {threads, rule, std::move(list)};
}

numbers os_indices(const placement& p) {
  numbers out;
  for (const context& c : p.contexts) out.push_back(c.os_index);
  return out;
}

std::string all_reasons(const placement& p) {
  std::string text;
  for (const std::string& reason : p.reasons) text += reason + '\n';
  return text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const usage_error& e) {
    return e.what();
  }
  return {};
}

/// Requires the property that makes an order spread. For every prefix, the groups at each level differ by at most one
/// thread within their wider group (machines of equal parts only).
void expect_spread(const topology& t, const std::vector<context>& order) {
  for (std::size_t n = 1; n <= order.size(); ++n) {
    const auto balanced = [&](unsigned context::* outer, unsigned context::* inner) {
      std::map<unsigned, std::map<unsigned, int>> counts;
      for (const context& c : t.contexts()) counts[c.*outer][c.*inner] = 0;
      for (std::size_t i = 0; i < n; ++i) ++counts[order[i].*outer][order[i].*inner];
      for (const auto& [group, parts] : counts) {
        int least = 1 << 30;
        int most = 0;
        for (const auto& [part, count] : parts) {
          least = std::min(least, count);
          most = std::max(most, count);
        }
        if (most - least > 1) return false;
      }
      return true;
    };
    ASSERT_TRUE(balanced(&context::package, &context::numa)) << n;
    ASSERT_TRUE(balanced(&context::numa, &context::l3)) << n;
    ASSERT_TRUE(balanced(&context::l3, &context::core)) << n;
    std::map<unsigned, int> packages;
    for (std::size_t i = 0; i < n; ++i) ++packages[order[i].package];
    ASSERT_LE(packages.size(), std::min<std::size_t>(n, t.packages()));
    ASSERT_EQ(packages.size(), std::min<std::size_t>(n, t.packages())) << n;
  }
}

void expect_each_context_once(const topology& t, const placement& p) {
  const numbers order = os_indices(p);
  const std::set<unsigned> distinct(order.begin(), order.end());
  EXPECT_EQ(distinct.size(), t.contexts().size());
  EXPECT_EQ(order.size(), t.contexts().size());
}

// 2 packages x 8 cores x 2 threads; contexts 2k and 2k+1 share core k.
const topology& two_by_eight() {
  static const topology t = topology::from_synthetic("package:2 [numa] l3:1 core:8 pu:2");
  return t;
}

TEST(placement, spread_on_two_packages) {
  const topology& t = two_by_eight();
  const placement p = place(t, unlimited(t), request(placement_rule::spread));
  EXPECT_EQ(os_indices(p), (numbers{0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30,
                                    1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31}));
  expect_spread(t, p.contexts);
  EXPECT_TRUE(p.pinned);
  EXPECT_EQ(numbers(p.position_of_thread.begin(), p.position_of_thread.begin() + 4), (numbers{0, 16, 2, 18}));
}

TEST(placement, compact_on_two_packages) {
  const topology& t = two_by_eight();
  const placement p = place(t, unlimited(t), request(placement_rule::compact, 20));
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(p.contexts[i].os_index, i);
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(p.position_of_thread[i], i);
}

TEST(placement, eight_packages_of_sixteen_cores_of_eight_threads) {  // SPARC T5-8, the paper's machine
  const topology t = topology::from_synthetic("package:8 [numa] l3:1 core:16 pu:8");
  const placement p = place(t, unlimited(t), request(placement_rule::spread));
  expect_each_context_once(t, p);
  for (unsigned i = 0; i < 1024; ++i) {
    ASSERT_EQ(p.contexts[i].package, i % 8) << i;
    ASSERT_EQ(p.contexts[i].core % 16, i / 8 % 16) << i;
    ASSERT_EQ(p.contexts[i].thread_in_core, i / 128) << i;
  }
}

TEST(placement, twelve_l3_caches_in_one_package) {  // an EPYC with 12 core complexes in 4 NUMA nodes
  const topology t = topology::from_synthetic("package:1 numa:4 l3:3 core:8 pu:2");
  const placement p = place(t, unlimited(t), request(placement_rule::spread));
  expect_each_context_once(t, p);
  expect_spread(t, p.contexts);
  std::set<unsigned> caches;
  for (unsigned i = 0; i < 12; ++i) caches.insert(p.contexts[i].l3);
  EXPECT_EQ(caches.size(), 12u);
  EXPECT_EQ(p.contexts[1].numa, 1u);
}

TEST(placement, one_core_of_two_threads_and_two_cores_of_one) {
  for (const char* machine : {"package:1 core:1 pu:2", "package:1 core:2 pu:1"}) {
    const topology t = topology::from_synthetic(machine);
    EXPECT_EQ(os_indices(place(t, unlimited(t), request(placement_rule::spread))), (numbers{0, 1}));
    EXPECT_EQ(os_indices(place(t, unlimited(t), request(placement_rule::spread), 1)), (numbers{1, 0}));
  }
}

TEST(placement, second_threads_of_cores_come_last_even_if_parts_are_unequal) {
  const topology& t = two_by_eight();
  limits l = unlimited(t);
  l.cpus = {0, 1, 2, 3, 16, 17, 18, 19, 20, 22};  // 2 cores here, 4 there
  const placement p = place(t, l, request(placement_rule::spread));
  EXPECT_EQ(os_indices(p), (numbers{0, 16, 2, 18, 20, 22, 1, 17, 3, 19}));
}

TEST(placement, a_core_whose_first_thread_is_unusable_still_counts_as_a_core) {
  const topology& t = two_by_eight();
  limits l = unlimited(t);
  l.cpus = {0, 1, 3};
  EXPECT_EQ(os_indices(place(t, l, request(placement_rule::spread))), (numbers{0, 3, 1}));
}

TEST(placement, spread_starts_at_the_leader) {
  const topology& t = two_by_eight();
  const placement p = place(t, unlimited(t), request(placement_rule::spread), 21);
  EXPECT_EQ(p.contexts[0].os_index, 21u);
  EXPECT_EQ(p.position_of_thread[0], 21u);
  EXPECT_EQ(p.position_of_thread[1], 0u);
  EXPECT_EQ(p.contexts[0].package, 1u);
  EXPECT_EQ(p.contexts[1].os_index, 0u);
  EXPECT_EQ(p.contexts[2].os_index, 22u);
  expect_each_context_once(t, p);
  expect_spread(t, p.contexts);
  for (unsigned i = 1; i < 16; ++i) EXPECT_NE(p.contexts[i].os_index, 20u);  // the leader's core is shared last
}

TEST(placement, compact_starts_at_the_leader) {
  const topology& t = two_by_eight();
  const placement p = place(t, unlimited(t), request(placement_rule::compact, 18), 29);
  EXPECT_EQ(os_indices(p), (numbers{29, 28, 30, 31, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 0, 1}));
  EXPECT_EQ(p.position_of_thread[0], 15u);  // of 18: CPUs 0 and 1, then 16 to 31
  EXPECT_EQ(p.position_of_thread[17], 1u);
}

TEST(placement, a_leader_on_an_unusable_context_is_ignored) {
  const topology& t = two_by_eight();
  limits l = unlimited(t);
  l.cpus = {0, 2};
  EXPECT_EQ(os_indices(place(t, l, request(placement_rule::spread), 16)), (numbers{0, 2}));
  EXPECT_EQ(os_indices(place(t, l, request(placement_rule::spread), 4711)), (numbers{0, 2}));
}

TEST(placement, lists) {
  const topology& t = two_by_eight();
  const placement p = place(t, unlimited(t), request(placement_rule::list, std::nullopt, {31, 4, 5}));
  EXPECT_EQ(os_indices(p), (numbers{31, 4, 5}));
  EXPECT_EQ(p.position_of_thread, (numbers{2, 0, 1}));
  EXPECT_TRUE(p.pinned);
  EXPECT_EQ(os_indices(place(t, unlimited(t), request(placement_rule::list, 2, {31, 4, 5}))), (numbers{31, 4}));
  EXPECT_EQ(os_indices(place(t, unlimited(t), request(placement_rule::list, 2, {31, 4, 5}), 5)), (numbers{5, 31}));
  EXPECT_EQ(os_indices(place(t, unlimited(t), request(placement_rule::list, 2, {31, 4, 5}), 9)), (numbers{31, 4}));
}

TEST(placement, impossible_lists_are_refused) {
  const topology& t = two_by_eight();
  limits l = unlimited(t);
  l.cpus = {0, 1, 2, 5};
  const auto error = [&](numbers list, std::optional<unsigned> threads = std::nullopt) {
    return error_of([&] { place(t, l, request(placement_rule::list, threads, list)); });
  };
  EXPECT_EQ(error({0, 9}), "CALLISTO_PLACEMENT=0,9: CPU 9 is not usable by this process (expected CPUs among 0-2,5)");
  EXPECT_EQ(error({0, 2, 0}), "CALLISTO_PLACEMENT=0,2,0: CPU 0 is listed twice");
  EXPECT_EQ(error({0, 2}, 3), "CALLISTO_PLACEMENT=0,2: lists 2 CPUs for 3 threads (expected at least as many)");
  EXPECT_NE(error({}), "");
  EXPECT_EQ(error({0, 2}, 2), "");
}

TEST(placement, a_quota_decides_how_many_and_leaves_them_unpinned) {
  const topology& t = two_by_eight();
  limits l = unlimited(t);
  l.quota = 2.5;
  l.quota_source = "/sys/fs/cgroup/cpu.max";
  const placement p = place(t, l, request(placement_rule::automatic));
  EXPECT_EQ(os_indices(p), (numbers{0, 16, 2}));
  EXPECT_FALSE(p.pinned);
  EXPECT_TRUE(contains(all_reasons(p), "/sys/fs/cgroup/cpu.max grants the time of 2.5 of the 32 usable contexts"));
  EXPECT_TRUE(contains(all_reasons(p), "Not pinned: a CPU quota"));
  EXPECT_TRUE(place(t, l, request(placement_rule::spread)).pinned);
  EXPECT_EQ(place(t, l, request(placement_rule::automatic, 8)).contexts.size(), 8u);
  l.quota = 100.0;
  EXPECT_EQ(place(t, l, request(placement_rule::automatic)).contexts.size(), 32u);
  EXPECT_TRUE(place(t, l, request(placement_rule::automatic)).pinned);
}

TEST(placement, more_threads_than_contexts_wrap_around_and_say_so) {
  const topology t = topology::from_synthetic("package:1 core:2 pu:1");
  const placement p = place(t, unlimited(t), request(placement_rule::spread, 5));
  EXPECT_EQ(os_indices(p), (numbers{0, 1, 0, 1, 0}));
  EXPECT_TRUE(contains(all_reasons(p), "5 threads take turns on 2 contexts"));
  EXPECT_FALSE(contains(all_reasons(place(t, unlimited(t), request(placement_rule::spread, 2))), "take turns"));
}

TEST(placement, limits_of_another_machine_limit_nothing) {
  const topology t = topology::from_synthetic("package:1 core:2 pu:1");
  limits l{{7, 8, 9}, "affinity mask", std::nullopt, {}};
  EXPECT_EQ(os_indices(place(t, l, request(placement_rule::automatic))), (numbers{0, 1}));
}

TEST(placement, reasons_name_what_excludes_contexts) {
  const topology& t = two_by_eight();
  limits l = unlimited(t);
  l.cpus = {0, 1};
  EXPECT_TRUE(contains(all_reasons(place(t, l, {})),
                       "2 threads: one for each usable context, of 32 in the machine; the others are excluded by the "
                       "affinity mask."));
  l.cpus_source = "/sys/fs/cgroup/cpuset.cpus";
  EXPECT_TRUE(contains(all_reasons(place(t, l, {})), "excluded by the cpuset /sys/fs/cgroup/cpuset.cpus."));
  EXPECT_TRUE(contains(all_reasons(place(t, unlimited(t), {})), "32 threads: one for each hardware context"));
  EXPECT_TRUE(contains(all_reasons(place(t, unlimited(t), request(placement_rule::none, 3))), "3 threads: as req"));
}

class placement_environment : public testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    unsetenv("CALLISTO_THREADS");
    unsetenv("CALLISTO_PLACEMENT");
  }
  static placement_request with(const char* threads, const char* placement) {
    if (threads != nullptr) setenv("CALLISTO_THREADS", threads, 1);
    if (placement != nullptr) setenv("CALLISTO_PLACEMENT", placement, 1);
    return placement_request::from_environment();
  }
};

TEST_F(placement_environment, nothing_set) {
  const placement_request r = with(nullptr, nullptr);
  EXPECT_EQ(r.threads, std::nullopt);
  EXPECT_EQ(r.rule, placement_rule::automatic);
  EXPECT_EQ(with("", "").rule, placement_rule::automatic);
}

TEST_F(placement_environment, everything_that_makes_sense) {
  EXPECT_EQ(with("7", "spread").threads, 7u);
  EXPECT_EQ(with("4096", "spread").threads, 4096u);
  EXPECT_EQ(with("7", "spread").rule, placement_rule::spread);
  EXPECT_EQ(with("7", "compact").rule, placement_rule::compact);
  EXPECT_EQ(with("7", "none").rule, placement_rule::none);
  const placement_request r = with("7", "0,2,8-11");
  EXPECT_EQ(r.rule, placement_rule::list);
  EXPECT_EQ(r.list, (numbers{0, 2, 8, 9, 10, 11}));
  const topology& t = two_by_eight();
  EXPECT_FALSE(place(t, unlimited(t), with("7", "none")).pinned);
}

TEST_F(placement_environment, nonsense) {
  for (const char* text : {"0", "abc", "-1", "1.5", "4x", " 4", "4097", "65536", "99999999999999999999"}) {
    EXPECT_EQ(error_of([&] { with(text, nullptr); }),
              "CALLISTO_THREADS=" + std::string(text) + ": expected a number of threads from 1 to 4096");
  }
  TearDown();
  for (const char* text : {"sprea", "Spread", "0,", "3-1", "spread,compact"}) {
    EXPECT_EQ(error_of([&] { with(nullptr, text); }),
              "CALLISTO_PLACEMENT=" + std::string(text) +
                  ": expected spread, compact, none or a list of CPU numbers such as 0,2,8-11");
  }
}

TEST(placement, drawing) {
  const topology t = topology::from_synthetic("package:2 [numa] l3:1 core:2 pu:2");
  EXPECT_EQ(draw(t, place(t, unlimited(t), request(placement_rule::spread, 5))),
            "2 packages, 2 NUMA nodes, 2 L3 caches, 4 cores, 8 contexts\n"
            "package 0\n"
            "  NUMA node 0, L3 0: [0=w0 1=w4] [2=w2 3]\n"
            "package 1\n"
            "  NUMA node 1, L3 1: [4=w1 5]    [6=w3 7]\n"
            "Each core in brackets: its contexts by CPU number, with their workers; w0 is the leader.\n");
}

TEST(placement, drawing_without_l3_and_with_shared_contexts) {
  const topology t = topology::from_synthetic("package:1 core:2 pu:1");
  EXPECT_EQ(draw(t, place(t, unlimited(t), request(placement_rule::spread, 3))),
            "1 package, 1 NUMA node, no L3 cache reported, 2 cores, 2 contexts\n"
            "package 0\n"
            "  NUMA node 0: [0=w0,w2] [1=w1]\n"
            "Each core in brackets: its contexts by CPU number, with their workers; w0 is the leader.\n");
}

TEST(placement, drawings_of_large_machines_keep_within_a_terminal) {
  const topology t = topology::from_synthetic("package:8 [numa] l3:1 core:16 pu:8");
  const std::string text = draw(t, place(t, unlimited(t), request(placement_rule::spread)));
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(end - begin, 110u);
    begin = end + 1;
  }
  EXPECT_TRUE(contains(text, "=w1023"));
}

TEST(placement, pinning_keeps_a_thread_in_its_place) {
  const unsigned cpu = limits::current().cpus.back();
  bool pinned = false;
  cpu_set_t mask;
  std::thread([&] {
    pinned = pin_this_thread(cpu);
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
  }).join();
  EXPECT_TRUE(pinned);
  EXPECT_EQ(CPU_COUNT(&mask), 1);
  EXPECT_TRUE(CPU_ISSET(cpu, &mask));
}

TEST(placement, pinning_to_what_is_not_there_is_refused) {
  EXPECT_FALSE(pin_this_thread(max_cpus - 1));
  EXPECT_FALSE(pin_this_thread(max_cpus));
  EXPECT_FALSE(pin_this_thread(~0u));
}

}  // namespace
}  // namespace callisto::machine

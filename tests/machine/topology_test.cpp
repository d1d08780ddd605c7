// Topology: numbers on made-up machines, missing levels, the machine at hand; lists of CPUs.
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace callisto::machine {
namespace {

TEST(topology, two_packages_with_two_threads_a_core) {
  const topology t = topology::from_synthetic("package:2 [numa] l3:1 l2:8 core:1 pu:2");
  ASSERT_EQ(t.contexts().size(), 32u);
  EXPECT_EQ(t.packages(), 2u);
  EXPECT_EQ(t.numa_nodes(), 2u);
  EXPECT_EQ(t.l3_caches(), 2u);
  EXPECT_EQ(t.cores(), 16u);
  EXPECT_TRUE(t.has_l3());
  for (unsigned i = 0; i < 32; ++i) {
    const context expected{.os_index = i,
                           .core = i / 2,
                           .l2 = i / 2,
                           .l3 = i / 16,
                           .package = i / 16,
                           .numa = i / 16,
                           .thread_in_core = i % 2};
    EXPECT_EQ(t.contexts()[i], expected) << i;
    ASSERT_NE(t.find(i), nullptr);
    EXPECT_EQ(*t.find(i), expected);
  }
  EXPECT_EQ(t.find(32), nullptr);
}

TEST(topology, levels_that_are_not_reported_fold_into_wider_ones) {
  const topology no_l3 = topology::from_synthetic("package:2 core:2 pu:1");
  EXPECT_FALSE(no_l3.has_l3());
  EXPECT_EQ(no_l3.numa_nodes(), 1u);
  for (const context& c : no_l3.contexts()) {
    EXPECT_EQ(c.l3, c.package);
    EXPECT_EQ(c.l2, c.core);
  }
  const topology only_contexts = topology::from_synthetic("pu:3");
  EXPECT_EQ(only_contexts.packages(), 1u);
  EXPECT_EQ(only_contexts.l3_caches(), 1u);
  EXPECT_EQ(only_contexts.cores(), 3u);
  for (const context& c : only_contexts.contexts()) EXPECT_EQ(c.thread_in_core, 0u);
}

TEST(topology, caches_within_numa_nodes_within_a_package) {
  const topology t = topology::from_synthetic("package:1 numa:4 l3:3 core:8 pu:2");
  EXPECT_EQ(t.packages(), 1u);
  EXPECT_EQ(t.numa_nodes(), 4u);
  EXPECT_EQ(t.l3_caches(), 12u);
  for (const context& c : t.contexts()) {
    EXPECT_EQ(c.l3, c.os_index / 16);
    EXPECT_EQ(c.numa, c.os_index / 48);
  }
}

TEST(topology, from_xml) {
  const topology t = topology::from_xml(R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x00000028" complete_cpuset="0x00000028" allowed_cpuset="0x00000028"
          nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0x00000028" complete_cpuset="0x00000028" nodeset="0x00000001"
            complete_nodeset="0x00000001" gp_index="2" local_memory="1048576"/>
    <object type="Core" os_index="0" cpuset="0x00000028" complete_cpuset="0x00000028" nodeset="0x00000001"
            complete_nodeset="0x00000001" gp_index="3">
      <object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001"
              complete_nodeset="0x00000001" gp_index="4"/>
      <object type="PU" os_index="5" cpuset="0x00000020" complete_cpuset="0x00000020" nodeset="0x00000001"
              complete_nodeset="0x00000001" gp_index="5"/>
    </object>
  </object>
</topology>
)");
  ASSERT_EQ(t.contexts().size(), 2u);
  EXPECT_EQ(t.contexts()[0].os_index, 3u);
  EXPECT_EQ(t.contexts()[1].os_index, 5u);
  EXPECT_EQ(t.contexts()[1].thread_in_core, 1u);
  EXPECT_EQ(t.cores(), 1u);
}

TEST(topology, nonsense_is_refused) {
  EXPECT_THROW(topology::from_synthetic("nonsense"), usage_error);
  EXPECT_THROW(topology::from_synthetic(""), usage_error);
  EXPECT_THROW(topology::from_xml("<topology"), usage_error);
}

TEST(topology, flat) {
  const topology t = topology::flat(std::vector<unsigned>{4, 7});
  EXPECT_EQ(t.cores(), 2u);
  EXPECT_EQ(t.packages(), 1u);
  EXPECT_EQ(t.contexts()[1].os_index, 7u);
  EXPECT_EQ(t.contexts()[1].core, 1u);
}

TEST(topology, host_knows_every_context_that_we_may_use) {
  const topology& t = topology::host();
  EXPECT_EQ(&t, &topology::host());
  EXPECT_GE(t.packages(), 1u);
  for (const unsigned cpu : affinity_at_start()) EXPECT_NE(t.find(cpu), nullptr) << cpu;
  for (unsigned context::* level : {&context::core, &context::l2, &context::l3, &context::package, &context::numa}) {
    std::set<unsigned> numbers;
    for (const context& c : t.contexts()) numbers.insert(c.*level);
    EXPECT_EQ(*numbers.rbegin() + 1, numbers.size());  // without gaps
  }
}

TEST(cpu_list, parses_what_the_kernel_and_people_write) {
  using list = std::vector<unsigned>;
  EXPECT_EQ(parse_cpu_list("0"), list{0});
  EXPECT_EQ(parse_cpu_list("0,2,8-11"), (list{0, 2, 8, 9, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5,3-3,0"), (list{5, 3, 0}));
  for (const char* text : {"", ",", "0,", ",0", "a", "0-", "-1", "3-1", "0 1", "0,1 ", "1-2-3", "+1", "0x1", "65536",
                           "99999999999999999999", "0-4294967295", "0-65535,0"}) {
    EXPECT_EQ(parse_cpu_list(text), std::nullopt) << text;
  }
}

TEST(cpu_list, formats_runs_as_ranges) {
  EXPECT_EQ(format_cpu_list(std::vector<unsigned>{0, 1, 2, 5, 7, 8}), "0-2,5,7,8");
  EXPECT_EQ(format_cpu_list(std::vector<unsigned>{3, 2, 1}), "3,2,1");
  EXPECT_EQ(format_cpu_list({}), "");
}

}  // namespace
}  // namespace callisto::machine

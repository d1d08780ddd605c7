// The machine as /sys describes it: made-up trees, and the machine at hand compared with hwloc.
#include <callisto/machine/host/sysfs.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace callisto::machine {
namespace {

namespace fs = std::filesystem;

class Sysfs : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    const fs::path path = root_ + "/sys/devices/system/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text << '\n';
  }
  void cpu(unsigned number, const std::string& core, const std::string& package) const {
    const std::string here = "cpu/cpu" + std::to_string(number) + "/topology/";
    put(here + "core_cpus_list", core);
    put(here + "package_cpus_list", package);
  }
  void cache(unsigned number, unsigned index, const std::string& level, const std::string& type,
             const std::string& shared) const {
    const std::string here = "cpu/cpu" + std::to_string(number) + "/cache/index" + std::to_string(index) + "/";
    put(here + "level", level);
    put(here + "type", type);
    put(here + "shared_cpu_list", shared);
  }

  const scratch_folder scratch_;
  const std::string& root_ = scratch_.path();
};

std::vector<unsigned> column(const sysfs_machine& m, unsigned context::* of) {
  std::vector<unsigned> values;
  for (const context& c : m.contexts) values.push_back(c.*of);
  return values;
}
using numbers = std::vector<unsigned>;

TEST_F(Sysfs, PackagesWithAlternatingCpus) {
  put("cpu/online", "0-7");
  put("node/online", "0-1");
  put("node/node0/cpulist", "0,2,4,6");
  put("node/node1/cpulist", "1,3,5,7");
  for (unsigned c = 0; c < 8; ++c) {
    const std::string core = std::to_string(c % 4) + "," + std::to_string(c % 4 + 4);
    const std::string package = c % 2 == 0 ? "0,2,4,6" : "1,3,5,7";
    cpu(c, core, package);
    cache(c, 0, "1", "Data", core);
    cache(c, 1, "2", "Instruction", package);
    cache(c, 2, "2", "Unified", core);
    cache(c, 3, "3", "Unified", package);
  }
  const auto m = read_sysfs(root_);
  ASSERT_TRUE(m);
  EXPECT_TRUE(m->has_l3);
  EXPECT_EQ(column(*m, &context::os_index), (numbers{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(column(*m, &context::core), (numbers{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(column(*m, &context::l2), (numbers{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(column(*m, &context::l3), (numbers{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(column(*m, &context::numa), (numbers{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(column(*m, &context::thread_in_core), (numbers{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST_F(Sysfs, NodesWithinAPackageAndPackagesWithinANode) {
  put("cpu/online", "0-3");
  for (unsigned c = 0; c < 4; ++c) cpu(c, std::to_string(c), "0-3");
  put("node/online", "0-1");
  put("node/node0/cpulist", "0,2");
  put("node/node1/cpulist", "1,3");
  auto m = read_sysfs(root_);
  ASSERT_TRUE(m);
  EXPECT_FALSE(m->has_l3);
  EXPECT_EQ(column(*m, &context::os_index), (numbers{0, 2, 1, 3}));
  EXPECT_EQ(column(*m, &context::numa), (numbers{0, 0, 1, 1}));
  EXPECT_EQ(column(*m, &context::l3), (numbers{0, 0, 0, 0}));

  for (unsigned c = 0; c < 4; ++c) cpu(c, std::to_string(c), std::to_string(c));
  m = read_sysfs(root_);
  ASSERT_TRUE(m);
  EXPECT_EQ(column(*m, &context::os_index), (numbers{0, 2, 1, 3}));
  EXPECT_EQ(column(*m, &context::package), (numbers{0, 1, 2, 3}));
}

TEST_F(Sysfs, WhatIsOfflineIsNotThere) {
  put("cpu/online", "1,3");
  put("node/online", "0");
  put("node/node0/cpulist", "0-3");
  cpu(1, "0-1", "0-3");
  cpu(3, "2-3", "0-3");
  const auto m = read_sysfs(root_);
  ASSERT_TRUE(m);
  EXPECT_EQ(column(*m, &context::os_index), (numbers{1, 3}));
  EXPECT_EQ(column(*m, &context::core), (numbers{0, 1}));
  EXPECT_EQ(column(*m, &context::l2), (numbers{0, 1}));
  EXPECT_EQ(column(*m, &context::package), (numbers{0, 0}));
}

TEST_F(Sysfs, SaysNothingWhereSomethingIsMissing) {
  EXPECT_FALSE(read_sysfs(root_));
  put("cpu/online", "0-1");
  cpu(0, "0", "0-1");
  EXPECT_FALSE(read_sysfs(root_));
  cpu(1, "nonsense", "0-1");
  EXPECT_FALSE(read_sysfs(root_));
}

TEST(SysfsOfThisMachine, IsAsHwlocSays) {
  const auto m = read_sysfs("");
  if (!m) GTEST_SKIP() << "/sys does not tell";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which has not read /sys yet
  EXPECT_EXIT(
      {
        setenv("HWLOC_COMPONENTS", "-x86", 1);
        const topology& by_hwloc = topology::host();
        const bool same = std::equal(by_hwloc.contexts().begin(), by_hwloc.contexts().end(), m->contexts.begin(),
                                     m->contexts.end()) &&
                          by_hwloc.has_l3() == m->has_l3;
        std::exit(same ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace callisto::machine

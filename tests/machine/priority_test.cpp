// The priority of a process: nice levels as the kernel weighs them, and the weights of control groups.
#include <callisto/machine/host/priority.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace callisto::machine {
namespace {

TEST(Priority, NiceLevelsWeighAsInTheKernel) {
  // kernel/sched/core.c: 88761, 9548, 1024, 110, 15. Rounding differs by less than a level.
  EXPECT_NEAR(weight_of_nice(-20), 88761, 200);
  EXPECT_NEAR(weight_of_nice(-10), 9548, 20);
  EXPECT_EQ(weight_of_nice(0), 1024u);
  EXPECT_NEAR(weight_of_nice(10), 110, 1);
  EXPECT_NEAR(weight_of_nice(19), 15, 1);
}

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(Priority, GroupsMultiply) {
  const scratch_folder folder;
  const std::string root = folder.path();
  write(root + "/proc/self/mountinfo", "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write(root + "/proc/self/cgroup", "0::/batch/night\n");
  EXPECT_DOUBLE_EQ(weight_of_groups(root), 1);
  write(root + "/sys/fs/cgroup/batch/cpu.weight", "50\n");
  EXPECT_DOUBLE_EQ(weight_of_groups(root), 0.5);
  write(root + "/sys/fs/cgroup/batch/night/cpu.weight", "10\n");
  EXPECT_DOUBLE_EQ(weight_of_groups(root), 0.05);
}

TEST(Priority, OldGroupsHaveShares) {
  const scratch_folder folder;
  const std::string root = folder.path();
  write(root + "/proc/self/mountinfo", "31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  write(root + "/proc/self/cgroup", "4:cpu,cpuacct:/batch\n");
  write(root + "/sys/fs/cgroup/cpu/batch/cpu.shares", "2048\n");
  EXPECT_DOUBLE_EQ(weight_of_groups(root), 2);
}

}  // namespace
}  // namespace callisto::machine

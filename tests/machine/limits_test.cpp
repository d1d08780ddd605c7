// Limits: cgroup files of both versions in made-up trees, and this process's own.
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::machine {
namespace {

namespace fs = std::filesystem;

std::vector<unsigned> first_cpus(unsigned n) {
  std::vector<unsigned> cpus(n);
  std::iota(cpus.begin(), cpus.end(), 0u);
  return cpus;
}

/// A made-up root directory with the files that a case needs.
class limits_test : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << text;
  }

  void cgroup(const std::string& text) const { put("/proc/self/cgroup", text); }
  void mounts(const std::string& text) const {
    put("/proc/self/mountinfo", "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n" + text);
  }
  /// Version 2 alone, as current distributions mount it.
  void version2(const std::string& group) const {
    cgroup("0::" + group + "\n");
    mounts("30 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  /// Version 1, as Docker mounts it: the controllers cpu and cpuacct together.
  void version1(const std::string& group, const std::string& mounted = "/") const {
    cgroup("5:cpuset:" + group + "\n4:cpu,cpuacct:" + group + "\n1:name=systemd:" + group + "\n");
    mounts("33 22 0:29 " + mounted + " /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct\n" +
           "34 22 0:30 " + mounted + " /sys/fs/cgroup/cpuset rw,nosuid - cgroup cgroup rw,cpuset\n");
  }

  limits read(unsigned cpus = 64) const { return read_limits(root_, first_cpus(cpus)); }

  const scratch_folder folder_;
  const std::string& root_ = folder_.path();
};

TEST_F(limits_test, no_files_no_limits) {
  const limits l = read();
  EXPECT_EQ(l.cpus, first_cpus(64));
  EXPECT_EQ(l.cpus_source, "affinity mask");
  EXPECT_EQ(l.quota, std::nullopt);
  EXPECT_EQ(l.quota_source, "");
  EXPECT_EQ(default_threads(l), 64u);
}

TEST_F(limits_test, version2_without_quota) {
  version2("/user.slice");
  put("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(read().quota, std::nullopt);
}

TEST_F(limits_test, two_and_a_half_cpus_of_64_feed_three_workers) {
  version2("/");  // a container with a namespace of its own
  put("/sys/fs/cgroup/cpu.max", "250000 100000\n");
  const limits l = read();
  EXPECT_EQ(l.quota, 2.5);
  EXPECT_EQ(l.quota_source, "/sys/fs/cgroup/cpu.max");
  EXPECT_EQ(default_threads(l), 3u);
}

TEST_F(limits_test, the_tightest_ancestor_counts) {
  version2("/a.slice/b.scope/c");
  put("/sys/fs/cgroup/a.slice/cpu.max", "800000 100000\n");
  put("/sys/fs/cgroup/a.slice/b.scope/cpu.max", "75000 50000\n");
  put("/sys/fs/cgroup/a.slice/b.scope/c/cpu.max", "400000 100000\n");
  const limits l = read();
  EXPECT_EQ(l.quota, 1.5);
  EXPECT_EQ(l.quota_source, "/sys/fs/cgroup/a.slice/b.scope/cpu.max");
  EXPECT_EQ(default_threads(l), 2u);
}

TEST_F(limits_test, a_quota_without_a_period_has_the_usual_one) {
  version2("/");
  put("/sys/fs/cgroup/cpu.max", "400000");
  EXPECT_EQ(read().quota, 4.0);
}

TEST_F(limits_test, version1) {
  version1("/docker/1234");
  const std::string group = "/sys/fs/cgroup/cpu,cpuacct/docker/1234/";
  put(group + "cpu.cfs_period_us", "100000\n");
  put(group + "cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(read().quota, std::nullopt);
  put(group + "cpu.cfs_quota_us", "150000\n");
  EXPECT_EQ(read().quota, 1.5);
  EXPECT_EQ(read().quota_source, group + "cpu.cfs_quota_us");
  put("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(read().quota, 0.5);
  EXPECT_EQ(default_threads(read()), 1u);
}

TEST_F(limits_test, a_container_sees_its_own_group_as_the_mount) {
  version1("/docker/1234", "/docker/1234");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(read().quota, 2.0);
  version1("/docker/1234/inner", "/docker/1234");
  EXPECT_EQ(read().quota, 2.0);
  put("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(read().quota, 1.0);
}

TEST_F(limits_test, groups_outside_of_what_is_mounted_fall_back_to_the_mount) {
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  for (const char* group : {"/docker/12345", "/../outside", "/", "relative", "/docker/1234/../x"}) {
    version1(group, "/docker/1234");
    EXPECT_EQ(read().quota, 2.0) << group;
  }
}

TEST_F(limits_test, the_mount_that_shows_most_is_used) {
  cgroup("0::/a/b\n");
  mounts(
      "30 22 0:26 /a/b /inner rw - cgroup2 cgroup2 rw\n"
      "31 22 0:26 / /outer rw - cgroup2 cgroup2 rw\n"
      "32 22 0:26 /other /other rw - cgroup2 cgroup2 rw\n");
  put("/outer/a/cpu.max", "300000 100000\n");
  put("/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(read().quota, 3.0);
}

TEST_F(limits_test, hybrid) {
  cgroup("3:cpuset:/x\n2:cpu,cpuacct:/x\n0::/y\n");
  mounts(
      "31 22 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
      "33 22 0:29 / /sys/fs/cgroup/cpu rw shared:7 master:2 - cgroup cgroup rw,cpu,cpuacct\n"
      "34 22 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
  put("/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "700000\n");
  put("/sys/fs/cgroup/cpuset/x/cpuset.cpus", "0-9\n");
  EXPECT_EQ(read().quota, 7.0);
  EXPECT_EQ(read().cpus, first_cpus(10));
  put("/sys/fs/cgroup/unified/y/cpu.max", "600000 100000\n");
  EXPECT_EQ(read().quota, 6.0);
  EXPECT_EQ(read().quota_source, "/sys/fs/cgroup/unified/y/cpu.max");
}

TEST_F(limits_test, cpusets_narrow_the_affinity_mask) {
  version2("/a/b");
  put("/sys/fs/cgroup/cpuset.cpus.effective", "0-1\n");  // not nearest, so not asked
  put("/sys/fs/cgroup/a/cpuset.cpus.effective", "2-3,6,200\n");
  const limits l = read();
  EXPECT_EQ(l.cpus, (std::vector<unsigned>{2, 3, 6}));
  EXPECT_EQ(l.cpus_source, "/sys/fs/cgroup/a/cpuset.cpus.effective");
  EXPECT_EQ(default_threads(l), 3u);
  EXPECT_EQ(read(3).cpus, (std::vector<unsigned>{2}));
}

TEST_F(limits_test, of_mask_and_cpuset_the_narrower_is_named) {
  version2("/");
  put("/sys/fs/cgroup/cpuset.cpus.effective", "0-15\n");
  EXPECT_EQ(read(8).cpus_source, "affinity mask");
  EXPECT_EQ(read(16).cpus_source, "/sys/fs/cgroup/cpuset.cpus.effective");  // the kernel has narrowed the mask already
  EXPECT_EQ(read(64).cpus_source, "/sys/fs/cgroup/cpuset.cpus.effective");
  EXPECT_EQ(read(64).cpus, first_cpus(16));
}

TEST_F(limits_test, a_cpuset_without_any_usable_context_is_ignored) {
  version2("/");
  put("/sys/fs/cgroup/cpuset.cpus.effective", "100\n");
  EXPECT_EQ(read().cpus, first_cpus(64));
}

TEST_F(limits_test, malformed_quotas_are_ignored) {
  version2("/");
  for (const char* text : {"", "\n", " ", "max", "abc", "100000 0", "0 100000", "-5 100000", "100000 -1", "1 2 3",
                           "1e5 100000", "99999999999999999999 100000", "100000 100000x", "\xff\xfe"}) {
    put("/sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(read().quota, std::nullopt) << text;
  }
  put("/sys/fs/cgroup/cpu.max", "9223372036854775807 1");
  EXPECT_EQ(default_threads(read()), 64u);
}

TEST_F(limits_test, malformed_proc_files_are_ignored) {
  put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  for (const char* text : {"", "\n\n", "0", "0:", "0:/", "::", ":::", "\xff:\n:", "7:memory:/"}) {
    version2("/");
    cgroup(text);
    EXPECT_EQ(default_threads(read()), std::string_view(text).starts_with("::") ? 1u : 64u) << text;
  }
  for (const char* text : {"- - -", "30 22 0:26 / /sys/fs/cgroup rw - cgroup2", "- cgroup2 cgroup2 rw", "\\", " ",
                           "a b c d e f -", "30 22 0:26 / /sys/fs/\\05 rw - cgroup2 cgroup2 rw"}) {
    version2("/");
    mounts(text);
    EXPECT_EQ(default_threads(read()), 64u) << text;
  }
  version2("/");
  fs::remove(root_ + "/sys/fs/cgroup/cpu.max");
  fs::create_directories(root_ + "/sys/fs/cgroup/cpu.max");  // a directory instead of a file
  EXPECT_EQ(default_threads(read()), 64u);
}

TEST_F(limits_test, blanks_in_mount_points_and_colons_in_groups) {
  cgroup("0::/a:b c\n");
  mounts("30 22 0:26 / /my\\040mount rw - cgroup2 cgroup2 rw\n");
  put("/my mount/a:b c/cpu.max", "500000 100000\n");
  EXPECT_EQ(read().quota, 5.0);
}

TEST(limits, default_threads) {
  limits l{first_cpus(4), "affinity mask", std::nullopt, {}};
  EXPECT_EQ(default_threads(l), 4u);
  for (const auto& [quota, threads] : std::vector<std::pair<double, unsigned>>{
           {0.01, 1}, {1.0, 1}, {1.01, 2}, {3.0, 3}, {3.5, 4}, {4.0, 4}, {1e18, 4}}) {
    l.quota = quota;
    EXPECT_EQ(default_threads(l), threads) << quota;
  }
  EXPECT_EQ(default_threads(limits{}), 1u);
}

TEST(limits, of_this_process) {
  const limits l = limits::current();
  ASSERT_FALSE(l.cpus.empty());
  EXPECT_TRUE(std::is_sorted(l.cpus.begin(), l.cpus.end()));
  EXPECT_GE(default_threads(l), 1u);
  EXPECT_LE(default_threads(l), affinity_at_start().size());
}

}  // namespace
}  // namespace callisto::machine

// What is reported about memory, read from made-up trees of /proc and cgroups.
#include <callisto/machine/host/memory.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace callisto::machine {
namespace {

class memory_test : public testing::Test {
 protected:
  memory_test() : root_(testing::TempDir() + "/callisto-memory-" + std::to_string(::getpid())) {}
  ~memory_test() override { std::filesystem::remove_all(root_); }

  void file(const std::string& path, const std::string& content) {
    const std::filesystem::path whole = root_ + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << content;
  }
  memory_left available() const { return read_available_memory(root_); }

 private:
  std::string root_;
};

TEST_F(memory_test, what_the_kernel_calls_available_counts) {
  file("/proc/meminfo", "MemTotal:       2000 kB\nHugePages_Total:       0\nMemAvailable:    1000 kB\n");
  EXPECT_EQ(available().bytes, 1000u * 1024);
  EXPECT_EQ(available().limit, "free memory");
}

TEST_F(memory_test, what_the_tightest_cgroup_leaves_counts_if_it_is_less) {
  file("/proc/meminfo", "MemTotal:       2000 kB\nMemAvailable:    1000 kB\n");
  file("/proc/self/mountinfo", "30 23 0:27 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
  file("/proc/self/cgroup", "0::/outer/inner\n");
  file("/sys/fs/cgroup/outer/memory.max", "700000\n");
  file("/sys/fs/cgroup/outer/memory.current", "200000\n");
  file("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  file("/sys/fs/cgroup/outer/inner/memory.current", "100\n");
  EXPECT_EQ(available().bytes, 500'000u);
  EXPECT_EQ(available().limit, "the limit of its cgroup");
  file("/sys/fs/cgroup/outer/inner/memory.max", "40100\n");
  EXPECT_EQ(available().bytes, 40'000u);
  file("/sys/fs/cgroup/outer/memory.current", "800000\n");
  EXPECT_EQ(available().bytes, 0u);
  for (const char* group : {"/outer", "/outer/inner"})
    file(std::string("/sys/fs/cgroup") + group + "/memory.max", "max\n");
  EXPECT_EQ(available().bytes, 1000u * 1024);
}

TEST_F(memory_test, so_does_one_of_version_1) {
  file("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  file("/proc/self/cgroup", "4:memory:/job\n");
  file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "600000\n");
  file("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100000\n");
  EXPECT_EQ(available().bytes, 500'000u);
}

TEST_F(memory_test, the_address_space_counts_less_what_is_used_of_it) {
  const std::string head = "Limit                     Soft Limit           Hard Limit           Units\n";
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  file("/proc/meminfo", "MemAvailable:    1000000 kB\n");
  file("/proc/self/statm", "3 2 1 1 0 1 0\n");
  file("/proc/self/limits", head + "Max address space         90000000             unlimited            bytes\n");
  EXPECT_EQ(available().bytes, 90'000'000 - 3 * page);
  EXPECT_EQ(available().limit, "the limit of its address space");
  file("/proc/self/limits", head + "Max address space         4096                 unlimited            bytes\n");
  EXPECT_EQ(available().bytes, 0u);
  file("/proc/self/limits", head + "Max address space         unlimited            unlimited            bytes\n");
  EXPECT_EQ(available().bytes, 1'024'000'000u);
}

TEST_F(memory_test, what_cannot_be_read_limits_nothing) {
  EXPECT_EQ(available().bytes, ~std::uint64_t{0});
  EXPECT_GT(available_memory().bytes, 0u);
}

}  // namespace
}  // namespace callisto::machine

// What is said about memory, read from made-up trees of /proc and cgroups.
#include <callisto/machine/memory.hpp>

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
  std::uint64_t available() const { return read_available_memory(root_); }

 private:
  std::string root_;
};

TEST_F(memory_test, what_the_kernel_calls_available_counts) {
  file("/proc/meminfo", "MemTotal:       2000 kB\nHugePages_Total:       0\nMemAvailable:    1000 kB\n");
  EXPECT_EQ(available(), 1000u * 1024);
}

TEST_F(memory_test, what_a_cgroup_leaves_counts_if_it_is_less) {
  file("/proc/meminfo", "MemTotal:       2000 kB\nMemAvailable:    1000 kB\n");
  file("/sys/fs/cgroup/memory.max", "700000\n");
  file("/sys/fs/cgroup/memory.current", "200000\n");
  EXPECT_EQ(available(), 500'000u);
  file("/sys/fs/cgroup/memory.current", "800000\n");
  EXPECT_EQ(available(), 0u);
  file("/sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(available(), 1000u * 1024);
  file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "600000\n");
  file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
  EXPECT_EQ(available(), 500'000u);
}

TEST_F(memory_test, what_cannot_be_read_limits_nothing) {
  EXPECT_EQ(available(), ~std::uint64_t{0});
  EXPECT_GT(available_memory(), 0u);
}

}  // namespace
}  // namespace callisto::machine

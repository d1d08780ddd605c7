// process_name: the program's name, whichever thread asks.
#include <callisto/machine/system/process_name.hpp>

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include <pthread.h>

namespace callisto::machine {
namespace {

TEST(process_name, is_the_first_thread_s_on_any_thread) {
  std::array<char, 16> first{};
  prctl(PR_GET_NAME, first.data());  // tests run on the process's first thread
  std::array<char, 16> seen{};
  std::thread([&] {
    ASSERT_EQ(pthread_setname_np(pthread_self(), "lookout"), 0);
    seen = process_name();
  }).join();
  EXPECT_STREQ(seen.data(), first.data());
  EXPECT_NE(std::string(seen.data()), "lookout");
}

}  // namespace
}  // namespace callisto::machine

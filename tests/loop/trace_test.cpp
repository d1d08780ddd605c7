// Timelines of loops, and what is reported of loops when a process ends.
#include "../sanitizers.hpp"

#include <callisto/callisto.hpp>
#include <callisto/loop/record/report.hpp>
#include <callisto/loop/record/timeline.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto {
namespace {

namespace fs = std::filesystem;

class LoopTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    set_threads(2);
    loop::timeline::clear();
  }
  void TearDown() override { trace_loops(false); }

  std::string file(const std::string& name) const { return folder_.file(name); }

  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  const machine::scratch_folder folder_;
};

TEST_F(LoopTrace, HasALoopAndItsBatches) {
  parallel_for(0, 10, [](int) {});  // before
  trace_loops(true);
  const std::string name = "TestBody (trace_test.cpp:" + std::to_string(__LINE__ + 1) + ")";
  parallel_for(0, 10, [](int) {}, {.batch = 1});
  trace_loops(false);
  parallel_for(0, 10, [](int) {});  // behind
  write_loop_trace(file("t.json"));
  const std::string text = text_of(file("t.json"));
  EXPECT_EQ(text.find("{\"displayTimeUnit\":\"ns\""), 0U);
  EXPECT_NE(text.find("\"left_out\":0"), std::string::npos);
  // On the leader's track, and on the follower's if it took part.
  EXPECT_GE(count(text, name), 1U) << text;
  EXPECT_LE(count(text, name), 2U) << text;
  EXPECT_EQ(count(text, "\"iterations\":10}"), 1U);
  EXPECT_EQ(count(text, "\"name\":\"batch\""), 10U);
  EXPECT_TRUE(text.ends_with("}\n]}\n")) << text;
}

TEST_F(LoopTrace, ABatchThatThrows) {
  trace_loops(true);
  EXPECT_THROW(parallel_for(0, 10, [](int) { throw std::runtime_error("now"); }), std::runtime_error);
  write_loop_trace(file("t.json"));
  EXPECT_GE(count(text_of(file("t.json")), "batch that threw"), 1U);
}

TEST_F(LoopTrace, IsBoundedAndSaysWhatItLeftOut) {
  constexpr unsigned room = 16 * 512;
  constexpr int batches = 2 * room;
  loop::timeline::clear(room);
  trace_loops(true);
  parallel_for(0, batches, [](int) {}, {.batch = 1});
  parallel_for(0, 10, [](int) {});
  write_loop_trace(file("t.json"));
  const std::string text = text_of(file("t.json"));
  const std::size_t kept = count(text, "\"name\":\"batch\"");
  EXPECT_LE(kept, room);
  EXPECT_GE(kept, room / 2);
  const std::size_t at = text.find("\"left_out\":");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(std::strtoull(text.c_str() + at + 11, nullptr, 10) + kept, std::size_t{batches});
  // Batches are left out, loops are not.
  EXPECT_EQ(count(text, "\"iterations\":10}"), 1U);
}

TEST_F(LoopTrace, IsWrittenWhileLoopsRun) {
  loop::timeline::clear(4 * 512);
  trace_loops(true);
  std::atomic<bool> ending{false};
  std::jthread leader([&] {
    while (!ending) parallel_for(0, 100, [](int) {}, {.batch = 10});
  });
  for (int round = 0; round < 2; ++round) write_loop_trace(file("t.json"));
  ending = true;
}

TEST_F(LoopTrace, AFileThatCannotBeWritten) {
  EXPECT_THROW(write_loop_trace("/nonexistent/t.json"), output_error);
  try {
    loop::report_timeline("/nonexistent/t.json", "--trace");
    FAIL();
  } catch (const output_error& e) {
    EXPECT_EQ(std::string(e.what()).find("--trace: "), 0U) << e.what();
  }
}

#if defined(CALLISTO_CHILDREN_WORK)
TEST_F(LoopTrace, AForkedChildReportsForItself) {
  const std::string path = file("t.json");
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    loop::report_timeline(path, "test");
    parallel_for(0, 10, [](int) {});
    const pid_t silent = fork();
    if (silent == 0) {
      loop::report_loops();  // no loop has run here
      _exit(0);
    }
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      parallel_for(0, 20, [](int) {});
      loop::report_loops();
      _exit(0);
    }
    int status = 0;
    waitpid(silent, &status, 0);
    waitpid(grandchild, &status, 0);
    const bool right = !fs::exists(path) && !fs::exists(path + "." + std::to_string(silent)) &&
                       count(text_of(path + "." + std::to_string(grandchild)), "\"iterations\":20}") == 1;
    loop::report_loops();
    loop::report_loops();  // only once
    _exit(right && count(text_of(path), "\"iterations\":10}") == 1 && fs::exists(path) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace callisto

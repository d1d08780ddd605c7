// Talks to a child process, and ends it in all ways that there are.
#include <callisto/app/process/child_process.hpp>

#include <callisto/graph/csr/progress.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

using std::chrono::seconds;

/// Returns the text of the child_failure that `f` throws; empty if `f` throws nothing.
template <class F>
std::string failure_of(F f) {
  try {
    f();
  } catch (const child_failure& e) {
    return e.what();
  }
  return {};
}

/// A shell that runs `script` as a child.
struct shell : child_process {
  explicit shell(const std::string& script, const std::vector<std::pair<std::string, std::string>>& environment = {})
      : child_process("/bin/sh", {"-c", script}, environment) {}
};

TEST(child_process, answers_line_by_line) {
  shell child("while read line; do echo \"<$line>\"; done");
  EXPECT_EQ(child.ask("one", seconds(20), {}), "<one>");
  EXPECT_EQ(child.ask("two words", seconds(20), {}), "<two words>");
}

TEST(child_process, gives_the_child_variables_on_top_of_its_own) {
  shell child("echo \"$CALLISTO_TEST_A|$CALLISTO_TEST_B|${PATH:+path}\"",
              {{"CALLISTO_TEST_A", "1"}, {"CALLISTO_TEST_B", "x=y"}});
  EXPECT_EQ(child.read_line(seconds(20), {}), "1|x=y|path");
}

/// Returns the state of a process as the letter that ps shows; '?' if there is no such process.
char state_of(const std::string& pid) {
  std::ifstream status("/proc/" + pid + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.at(7);
  }
  return '?';
}

TEST(child_process, stands_still_between_halt_and_proceed) {
  shell child("echo $$; while :; do :; done");
  const std::string pid = child.read_line(seconds(20), {});
  EXPECT_NE(state_of(pid), 'T');
  child.halt();
  EXPECT_EQ(state_of(pid), 'T');
  child.proceed();
  EXPECT_NE(state_of(pid), 'T');
}

TEST(child_process, ends_a_child_that_is_left_halted) {
  std::string pid;
  {
    shell child("echo $$; while :; do :; done");
    pid = child.read_line(seconds(20), {});
    child.halt();
  }
  EXPECT_EQ(state_of(pid), '?');
}

TEST(child_process, goes_on_after_a_halt) {
  shell child("while read line; do echo \"<$line>\"; done");
  for (const char* line : {"a", "b", "c"}) {
    child.halt();
    child.proceed();
    EXPECT_EQ(child.ask(line, seconds(20), {}), std::string("<") + line + ">");
  }
}

TEST(child_process, tells_the_exit_code_and_the_last_words) {
  shell child("echo 'something is' >&2; echo 'out of order' >&2; exit 3");
  EXPECT_EQ(failure_of([&] { child.read_line(seconds(20), {}); }), "ended with exit code 3: something is out of order");
}

TEST(child_process, tells_the_signal) {
  shell child("kill -SEGV $$");
  EXPECT_NE(failure_of([&] { child.read_line(seconds(20), {}); }).find("ended by signal 11"), std::string::npos);
}

TEST(child_process, notices_a_death_while_halted) {
  shell child("read line; exit 4");
  EXPECT_NE(failure_of([&] { child.ask("go", seconds(20), {}); }).find("exit code 4"), std::string::npos);
  child.halt();
  child.proceed();
  EXPECT_NE(failure_of([&] { child.ask("more", seconds(20), {}); }), "");
}

TEST(child_process, tells_what_cannot_be_started) {
  child_process child("/no/such/program", {});
  EXPECT_EQ(failure_of([&] { child.read_line(seconds(20), {}); }),
            "ended with exit code 127: No such file or directory");
}

TEST(child_process, does_not_wait_for_ever) {
  shell child("sleep 100");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(failure_of([&] { child.ask("x", seconds(0), {}); }), "no answer in 0 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(20));
}

TEST(child_process, stops_waiting_when_asked_to) {
  shell child("sleep 100");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(child.ask("x", seconds(20), stop.get_token()), graph::cancelled);
}

}  // namespace
}  // namespace callisto::app

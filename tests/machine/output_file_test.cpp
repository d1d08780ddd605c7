// output_file: complete or absent, permissions kept, every failure one line, nothing left behind.
#include "../sanitizers.hpp"

#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class output_file_test : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }

  static void write(const std::string& file, std::string_view text) { std::ofstream(file) << text; }

  static unsigned mode(const std::string& file) {
    struct stat s{};
    EXPECT_EQ(stat(file.c_str(), &s), 0);
    return s.st_mode & 0777u;
  }

  /// Returns the message of the output_error that `f` throws; empty if it throws none.
  static std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const output_error& e) {
      return e.what();
    }
    return {};
  }

  const scratch_folder folder_;
};

TEST_F(output_file_test, appears_only_on_commit) {
  output_file out(path("a"));
  out.append("one\n");
  EXPECT_FALSE(fs::exists(path("a")));
  out.append("two\n");
  out.commit();
  EXPECT_EQ(read(path("a")), "one\ntwo\n");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(output_file_test, without_commit_nothing_is_left_and_the_target_stays) {
  write(path("old"), "old");
  {
    output_file replacing(path("old"));
    output_file creating(path("new"));
    replacing.append("x");
    creating.append("x");
    EXPECT_EQ(entries(), 3u);
  }
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(read(path("old")), "old");
}

TEST_F(output_file_test, appends_larger_than_the_buffer_keep_their_order) {
  std::string expected;
  output_file out(path("a"));
  for (const std::size_t size : {1u, 300'000u, 7u, 262'144u, 262'143u, 2u, 0u, 1'000'000u, 3u}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    out.append(piece);
    expected += piece;
  }
  out.commit();
  EXPECT_TRUE(read(path("a")) == expected);
}

TEST_F(output_file_test, positioned_writes_from_many_threads_and_appends_do_not_disturb_each_other) {
  constexpr std::size_t block = 4096;
  constexpr std::size_t blocks = 64;
  output_file out(path("a"));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&out, t] {
      for (std::size_t b = blocks; b-- > 1;) {
        if (b % 4 == t) out.write_at(b * block, bytes(std::string(block, static_cast<char>('0' + b))));
      }
    });
  }
  for (std::size_t i = 0; i < block; ++i) out.append("h");
  for (std::thread& t : threads) t.join();
  out.commit();
  std::string expected(block, 'h');
  for (std::size_t b = 1; b < blocks; ++b) expected += std::string(block, static_cast<char>('0' + b));
  EXPECT_TRUE(read(path("a")) == expected);
}

TEST_F(output_file_test, keeps_the_mode_of_what_it_replaces) {
  write(path("a"), "old");
  ASSERT_EQ(chmod(path("a").c_str(), 0606), 0);
  output_file out(path("a"));
  out.append("new");
  out.commit();
  EXPECT_EQ(read(path("a")), "new");
  EXPECT_EQ(mode(path("a")), 0606u);
}

TEST_F(output_file_test, a_new_file_gets_what_the_umask_leaves) {
  const mode_t before = umask(027);
  {
    output_file out(path("a"));
    out.commit();
  }
  umask(before);
  EXPECT_EQ(mode(path("a")), 0640u);
  EXPECT_EQ(read(path("a")), "");
}

TEST_F(output_file_test, follows_a_link_and_keeps_it) {
  fs::create_directory(path("sub"));
  write(path("sub/real"), "old");
  fs::create_symlink("sub/real", path("link"));
  output_file out(path("link"));
  out.append("new");
  out.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("sub/real")), "new");
}

TEST_F(output_file_test, relative_names_survive_a_change_of_directory) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  {
    output_file out("a");
    fs::current_path("/");
    out.append("x");
    out.commit();
  }
  fs::current_path(before);
  EXPECT_EQ(read(path("a")), "x");
}

TEST_F(output_file_test, the_longest_name_works) {
  const std::string name(255, 'n');
  output_file out(path(name));
  out.append("x");
  out.commit();
  EXPECT_EQ(read(path(name)), "x");
}

TEST_F(output_file_test, targets_that_cannot_be_written_are_refused_at_once_by_name) {
  write(path("file"), "x");
  EXPECT_EQ(error_of([] { output_file out(""); }), "cannot write a file with an empty name");
  EXPECT_EQ(error_of([&] { output_file out(folder_.path()); }), "cannot write " + folder_.path() + ": Is a directory");
  EXPECT_EQ(error_of([&] { output_file out(path("none/a")); }),
            "cannot write " + path("none/a") + ": No such file or directory");
  EXPECT_EQ(error_of([&] { output_file out(path("none/")); }),
            "cannot write " + path("none/") + ": No such file or directory");
  EXPECT_EQ(error_of([&] { output_file out(path("file/a")); }), "cannot write " + path("file/a") + ": Not a directory");
  EXPECT_EQ(error_of([] { output_file out("/proc/callisto"); }),
            "cannot write /proc/callisto: No such file or directory");
  EXPECT_EQ(error_of([&] { output_file out(path(std::string(256, 'n'))); }),
            "cannot write " + path(std::string(256, 'n')) + ": File name too long");
}

TEST_F(output_file_test, missing_permission_is_reported) {
  // As root every permission is granted, so a child drops its rights first.
  write(path("file"), "x");
  ASSERT_EQ(chmod(path("file").c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    const bool file =
        error_of([&] { output_file out(path("file")); }) == "cannot write " + path("file") + ": Permission denied";
    const bool fresh =
        error_of([&] { output_file out(path("fresh")); }) == "cannot write " + path("fresh") + ": Permission denied";
    _exit(file && fresh ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(output_file_test, a_full_disk_is_reported) {
  output_file out("/dev/full");
  EXPECT_EQ(error_of([&] { out.write_at(0, bytes("x")); }), "cannot write /dev/full: No space left on device");
  out.append("x");
  EXPECT_EQ(error_of([&] { out.commit(); }), "cannot write /dev/full: No space left on device");
}

TEST_F(output_file_test, a_failure_half_way_leaves_nothing) {
  // A limit on the size of files stands in for a full disk: it, too, ends in a short write and then an error.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = 100'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  write(path("a"), "old");
  const std::string large(400'000, 'x');
  const std::string expected = "cannot write " + path("a") + ": File too large";
  EXPECT_EQ(error_of([&] {
              output_file out(path("a"));
              out.append(large);
            }),
            expected);
  EXPECT_EQ(error_of([&] {
              output_file out(path("a"));
              out.write_at(0, bytes(large));
            }),
            expected);
  EXPECT_EQ(error_of([&] {
              output_file out(path("a"));
              out.append(std::string_view(large).substr(0, 200'000));
              out.commit();
            }),
            expected);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read(path("a")), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(output_file_test, a_pipe_is_written_directly_and_has_no_positions) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  {
    output_file out(path("pipe"));
    EXPECT_EQ(error_of([&] { out.write_at(0, bytes("x")); }),
              "cannot write " + path("pipe") + ": it has no positions to write at (expected a regular file)");
    out.append("through");
    out.commit();
  }
  std::array<char, 16> text{};
  EXPECT_EQ(::read(reader, text.data(), text.size()), 7);
  EXPECT_EQ(std::string_view(text.data()), "through");
  close(reader);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(output_file_test, redirected_standard_output_is_appended_to_not_replaced) {
  write(path("log"), "before\n");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const int log = open(path("log").c_str(), O_WRONLY | O_APPEND);
    if (log < 0 || dup2(log, STDOUT_FILENO) < 0) _exit(2);
    const std::string error = error_of([] {
      output_file out("/dev/stdout");
      out.append("ours\n");
      out.commit();
    });
    // O_APPEND would put all bytes at the end, at any offset.
    const std::string positioned = error_of([] { output_file("/dev/stdout").write_at(0, bytes("x")); });
    _exit(error.empty() && !positioned.empty() && ::write(STDOUT_FILENO, "after\n", 6) == 6 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read(path("log")), "before\nours\nafter\n");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(output_file_test, a_link_to_what_does_not_exist_stays) {
  ASSERT_EQ(symlink("made", path("link").c_str()), 0);
  ASSERT_EQ(symlink("/proc/self/fd/987", path("closed").c_str()), 0);  // as /dev/stdout, if it is closed
  {
    output_file out(path("link"));
    out.append("ours\n");
    out.commit();
  }
  EXPECT_EQ(read(path("made")), "ours\n");
  EXPECT_FALSE(error_of([&] { output_file out(path("closed")); }).empty());
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("closed")));
  EXPECT_EQ(entries(), 3u);
}

TEST_F(output_file_test, a_signal_handler_removes_what_is_unfinished) {
  write(path("done"), "");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGINT, [](int) {
      remove_unfinished_outputs();
      _exit(42);
    });
    output_file done(path("done"));
    done.append("done");
    done.commit();
    output_file first(path("first"));
    output_file second(path("second"));
    first.append(std::string(1'000'000, 'x'));
    raise(SIGINT);
    _exit(1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(read(path("done")), "done");
}

#if defined(CALLISTO_CHILDREN_WORK)
TEST_F(output_file_test, nothing_is_left_of_one_that_begins_while_the_process_ends) {
  for (int round = 0; round < 300; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::thread begins([&] {
        while (error_of([&] { output_file(path("a")); }).empty()) {
        }
        for (;;) pause();
      });
      usleep(static_cast<unsigned>(round) % 50 * 20);
      remove_unfinished_outputs();
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(entries(), 0u) << round;
  }
}
#endif

TEST_F(output_file_test, commit_fails_once_the_temporary_was_removed) {
  // In a child, because the names that a signal handler takes are deliberately never freed.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    output_file out(path("a"));
    remove_unfinished_outputs();
    const bool committed =
        error_of([&] { out.commit(); }) != "cannot write " + path("a") + ": No such file or directory";
    const bool begun =
        error_of([&] { output_file(path("b")); }) != "cannot write " + path("b") + ": Operation canceled";
    _exit(committed ? 1 : begun ? 2 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(entries(), 0u);
}

}  // namespace
}  // namespace callisto::machine

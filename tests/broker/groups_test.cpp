// Control groups: a broker confines a process by one, with an error at each step, and is killed; a job's cpuset
// changes.
#include <callisto/broker/confined_process.hpp>
#include <callisto/broker/guest_groups.hpp>
#include <callisto/broker/process_groups.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include "../forked_child.hpp"
#include "affinity.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using cosched::context_set;

context_set set_of_contexts(const std::vector<unsigned>& all) {
  context_set s;
  for (const unsigned c : all) s.add(c);
  return s;
}

std::string text_in(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void allow(pid_t thread, const std::vector<unsigned>& contexts) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned c : contexts) CPU_SET(c, &set);
  ::sched_setaffinity(thread, sizeof set, &set);
}

bool always() { return true; }

/// A process on two contexts of this machine, where groups can be made.
class ConfinedProcess : public testing::Test {
 protected:
  void SetUp() override {
    both_ = affinity_of(0);
    if (both_.size() < 2 || !may_confine_others()) GTEST_SKIP() << "one context, or no group can be made here";
    child_.emplace([&](const tests::child::say& say) {
      allow(0, both_);
      say('a');
      ::pause();
    });
    ASSERT_EQ(child_->hear(), 'a');
  }
  bool in_group(pid_t process) const {
    return text_in("/proc/" + std::to_string(process) + "/cgroup").find("/callisto-confined-" + name_ + "-") !=
           std::string::npos;
  }

  const std::string name_ = "test" + std::to_string(::getpid());
  std::vector<unsigned> both_;
  std::optional<tests::child> child_;
};

TEST_F(ConfinedProcess, CannotUndoItAndGetsAllBack) {
  const pid_t its = child_->pid();
  confined_process one(name_);
  ASSERT_TRUE(one.confine(its, set_of_contexts({both_[0]}), false, always));
  EXPECT_TRUE(in_group(its));
  EXPECT_EQ(affinity_of(its), std::vector<unsigned>{both_[0]});
  allow(its, both_);
  EXPECT_EQ(affinity_of(its), std::vector<unsigned>{both_[0]}) << "an affinity is within the cpuset";
  ASSERT_TRUE(one.confine(its, set_of_contexts({both_[1]}), true, always));
  EXPECT_EQ(affinity_of(its), std::vector<unsigned>{both_[1]});
  ASSERT_TRUE(one.confine(its, set_of_contexts({both_[1]}), false, always));
  one.undo();
  EXPECT_FALSE(one.is_confined());
  EXPECT_FALSE(in_group(its));
  EXPECT_EQ(affinity_of(its), both_);
  EXPECT_EQ(free_confined_processes(name_), 0u) << "no group is left";
}

TEST_F(ConfinedProcess, ItsThreadsGetTheirAffinitiesBack) {
  const pid_t its = child_->pid();
  allow(its, {both_[1]});
  confined_process one(name_);
  ASSERT_TRUE(one.confine(its, set_of_contexts({both_[0]}), true, always));
  EXPECT_EQ(affinity_of(its), std::vector<unsigned>{both_[0]});
  one.undo();
  EXPECT_EQ(affinity_of(its), std::vector<unsigned>{both_[1]});
}

TEST_F(ConfinedProcess, IsFreedAfterItsBrokerWasKilled) {
  const pid_t its = child_->pid();
  {
    tests::child broker([&](const tests::child::say& say) {
      confined_process one(name_);
      say(one.confine(its, set_of_contexts({both_[0]}), true, always) ? 'c' : 'n');
      ::pause();
    });
    ASSERT_EQ(broker.hear(), 'c');
    broker.end();
  }
  ASSERT_TRUE(in_group(its));
  // A broker that finds it before it looks for such groups.
  confined_process one(name_);
  EXPECT_TRUE(one.confine(its, set_of_contexts({both_[1]}), false, always));
  EXPECT_EQ(free_confined_processes("none" + name_), 0u);
  EXPECT_GE(free_confined_processes(name_), 1u);
  EXPECT_FALSE(in_group(its));
  EXPECT_EQ(affinity_of(its), both_);
  EXPECT_EQ(free_confined_processes(name_), 0u);
}

TEST_F(ConfinedProcess, AnotherProcessOfTheNumberStaysAsItIs) {
  const pid_t its = child_->pid();
  confined_process one(name_);
  unsigned asked = 0;
  // It is there at first, and not any more when it has been confined.
  EXPECT_FALSE(one.confine(its, set_of_contexts({both_[0]}), false, [&] { return asked++ == 0; }));
  EXPECT_FALSE(one.confine(its, set_of_contexts({both_[0]}), false, [] { return false; }));
  EXPECT_FALSE(in_group(its));
  EXPECT_EQ(affinity_of(its), both_);
  EXPECT_EQ(free_confined_processes(name_), 0u);
}

/// A tree of files that plays control groups of version 2.
class PlayedGroups : public testing::Test {
 protected:
  PlayedGroups() {
    write("proc/self/mountinfo", "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("proc/self/cgroup", "0::/system.slice\n");
    write("proc/77/cgroup", "0::/user.slice/session\n");
    for (const char* const group : {"", "/user.slice", "/user.slice/session", "/system.slice"}) {
      write(std::string("sys/fs/cgroup") + group + "/cgroup.controllers", "cpuset cpu memory");
      write(std::string("sys/fs/cgroup") + group + "/cgroup.subtree_control", "memory");
      write(std::string("sys/fs/cgroup") + group + "/cgroup.procs", "");
      write(std::string("sys/fs/cgroup") + group + "/cpuset.cpus.effective", "0-3");
    }
    for (const char* const file : own_files) write(own + file, "");
  }
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root() + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string text(const std::string& name) const { return text_in(root() + "/" + name); }
  std::string root() const { return folder_.path(); }

  const std::string session = "sys/fs/cgroup/user.slice/session/";
  const std::string own = session + "callisto-confined-x-77/";
  static constexpr const char* own_files[] = {"cgroup.type", "cpuset.cpus", "cgroup.procs", "cpu.max"};
  const machine::scratch_folder folder_;
};

TEST_F(PlayedGroups, EachRefusalLeavesTheProcessWhereItWas) {
  {
    write(own + "cgroup.controllers", "cpuset cpu");
    write(own + "cgroup.subtree_control", "");
    confined_process one("x", root());
    ASSERT_TRUE(one.confine(77, set_of_contexts({1, 2, 9}), true, always));
    EXPECT_EQ(text(own + "cgroup.subtree_control").substr(0, 4), "+cpu") << "else systemd turns the controllers off";
    EXPECT_EQ(text(own + "cgroup.type"), "threaded");
    EXPECT_EQ(text(own + "cpuset.cpus"), "1,2") << "no more than the group around has";
    EXPECT_EQ(text(own + "cgroup.procs"), "77");
    EXPECT_EQ(text(own + "cpu.max"), "1000 50000");
    EXPECT_EQ(text(session + "cgroup.subtree_control").substr(0, 4), "+cpu");
    EXPECT_EQ(text("sys/fs/cgroup/cgroup.subtree_control").substr(0, 4), "+cpu");
    EXPECT_EQ(text("sys/fs/cgroup/system.slice/cgroup.subtree_control"), "memory");
    EXPECT_FALSE(one.confine(77, set_of_contexts({8}), true, always)) << "nothing would be left";
  }
  for (const char* const file : own_files) {
    if (std::string(file) == "cpu.max") continue;  // without it the contexts alone count
    std::filesystem::remove(root() + "/" + own + file);
    confined_process one("x", root());
    EXPECT_FALSE(one.confine(77, set_of_contexts({1}), false, always)) << file;
    EXPECT_FALSE(one.is_confined());
    write(own + file, "");
  }
  const std::string list = session + "cpuset.cpus.effective";
  write(list, "nonsense");
  confined_process one("x", root());
  EXPECT_FALSE(one.confine(77, set_of_contexts({1}), false, always));
  write(list, "0-3");
  write("sys/fs/cgroup/cgroup.controllers", "cpu memory");
  EXPECT_FALSE(one.confine(77, set_of_contexts({1}), false, always)) << "no cpuset on this machine";
  write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu");
  // Another namespace's group, and one that is not mounted here.
  write("proc/77/cgroup", "0::/../elsewhere\n");
  EXPECT_FALSE(one.confine(77, set_of_contexts({1}), false, always));
  std::filesystem::remove(root() + "/proc/77/cgroup");
  EXPECT_FALSE(one.confine(77, set_of_contexts({1}), false, always));
}

TEST_F(PlayedGroups, AJobsGroupsAndContextsAreFollowed) {
  process_groups its(77, root());
  ASSERT_TRUE(its.contexts());
  EXPECT_EQ(*its.contexts(), set_of_contexts({0, 1, 2, 3}));
  EXPECT_FALSE(its.look());
  EXPECT_TRUE(its.is_in("/user.slice"));
  EXPECT_TRUE(its.is_in("/user.slice/session"));
  EXPECT_TRUE(its.is_in("/"));
  EXPECT_FALSE(its.is_in("/user.slice/sess"));
  EXPECT_FALSE(its.is_in("/system.slice"));
  write(session + "cpuset.cpus.effective", "2");
  EXPECT_TRUE(its.look());
  EXPECT_EQ(*its.contexts(), set_of_contexts({2}));
  // What this broker confines is not the job's cpuset.
  write(own + "cpuset.cpus.effective", "1");
  write("proc/77/cgroup", "0::/user.slice/session/callisto-confined-x-77\n");
  its.look();
  EXPECT_EQ(*its.contexts(), set_of_contexts({2}));
  write("proc/77/cgroup", "0::/system.slice\n");
  EXPECT_TRUE(its.look());
  EXPECT_EQ(*its.contexts(), set_of_contexts({0, 1, 2, 3}));
  EXPECT_TRUE(its.is_in("/system.slice"));
  write("sys/fs/cgroup/system.slice/cpuset.cpus.effective", "nonsense");
  EXPECT_TRUE(its.look());
  EXPECT_FALSE(its.contexts());
  EXPECT_FALSE(process_groups().look());
  EXPECT_FALSE(process_groups(78, root()).contexts()) << "no such process";
}

TEST_F(PlayedGroups, NamedGroupsOfGuestsAreKeptOffAndFreed) {
  const std::string mark = session + "callisto-confined-x-guests";
  const std::string cpus = session + "cpuset.cpus";
  const std::string late = "sys/fs/cgroup/later/cpuset.cpus";
  // What has been written since the last call: the kernel's files are not longer for what they had before.
  const auto written = [&](const std::string& file) {
    const std::string now = text(file);
    write(file, "");
    return now;
  };
  std::filesystem::remove_all(root() + "/" + own);
  write(cpus, "");
  write("sys/fs/cgroup/system.slice/cpuset.cpus", "1-3");
  guest_groups guests("x", root());
  guests.follow({"/user.slice/session", "/system.slice", "/later"}, set_of_contexts({0, 1, 7}));
  EXPECT_EQ(text("sys/fs/cgroup/user.slice/cgroup.subtree_control").substr(0, 7), "+cpuset");
  EXPECT_EQ(text(session + "cgroup.subtree_control"), "memory") << "what is inside of it is not the broker's matter";
  EXPECT_EQ(text("sys/fs/cgroup/system.slice/cpuset.cpus"), "1-3") << "another's cpuset";
  EXPECT_EQ(written(cpus), "0,1") << "no more than the group around has";
  EXPECT_TRUE(std::filesystem::exists(root() + "/" + mark));
  // Another program has undone it, and a group is made later.
  write(late, "");
  guests.look();
  EXPECT_EQ(text(cpus), "0,1");
  EXPECT_EQ(written(late), "0,1");
  guests.look();
  write(cpus, "");
  guests.follow({"/later"}, set_of_contexts({2}));
  EXPECT_EQ(written(cpus), "\n");
  EXPECT_FALSE(std::filesystem::exists(root() + "/" + mark));
  write(late, "");
  guests.look();
  EXPECT_EQ(written(late), "2");
  // Its broker is killed; the next one frees the group.
  EXPECT_EQ(free_confined_processes("x", root()), 1u);
  EXPECT_EQ(written(late), "\n");
  guests.look();
  EXPECT_EQ(written(late), "2");
  guests.undo();
  EXPECT_EQ(written(late), "\n");
  // All contexts are no cpuset of another program: a kernel that leaves none empty has them then.
  write(late, "0-3");
  guests.look();
  EXPECT_EQ(written(late).substr(0, 1), "2");
  guests.undo();
  EXPECT_EQ(free_confined_processes("x", root()), 0u);
}

}  // namespace
}  // namespace callisto::broker

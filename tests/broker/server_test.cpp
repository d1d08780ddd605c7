// A broker in a process of its own, and jobs that behave and misbehave: handshake, damaged messages, limits, copies of
// sockets, death of either side, brokers that are none.
#include <callisto/broker/accounts.hpp>
#include <callisto/broker/client.hpp>
#include <callisto/broker/context_groups.hpp>
#include <callisto/broker/messages.hpp>
#include <callisto/broker/moved_threads.hpp>
#include <callisto/broker/pages.hpp>
#include <callisto/broker/server.hpp>
#include <callisto/cosched/job.hpp>

#include <gtest/gtest.h>

#include "../forked_child.hpp"
#include "affinity.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using machine::descriptor;

/// A folder in which jobs of the test look for a broker and for a table.
class Broker : public testing::Test {
 protected:
  Broker() {
    std::string name = "/tmp/callisto-broker-XXXXXX";
    folder_ = mkdtemp(name.data());
    ::setenv("CALLISTO_COSCHED_DIR", folder_.c_str(), 1);
  }
  ~Broker() override {
    ::unsetenv("CALLISTO_COSCHED_DIR");
    broker_.reset();
    ::unlink(path().c_str());
    ::rmdir(folder_.c_str());
  }
  std::string path() const { return folder_ + "/broker"; }

  void start(unsigned jobs_of_user = 64) {
    broker_.emplace([&](const tests::child::say& say) {
      server serves({.path = path(), .rules = {.jobs_of_user = jobs_of_user}, .root = root_, .online = online_});
      say('b');
      serves.run([] { return false; });
    });
    ASSERT_EQ(broker_->hear(), 'b');
  }
  static cosched::membership how() { return {.contexts = {0}, .main = 0, .broker = find}; }
  static std::unique_ptr<cosched::broker_link> join() {
    std::string refusal;
    auto made = find(how(), refusal);
    EXPECT_EQ(refusal, "");
    return made;
  }
  static report reported() {
    const auto r = ask_for_report();
    EXPECT_TRUE(r);
    return r ? r->says : report();
  }
  /// Waits until the broker has this many jobs.
  static void wait_for(unsigned jobs) {
    while (reported().jobs != jobs) ::usleep(1000);
  }
  descriptor raw() const { return descriptor(connect_to_broker(path())); }
  template <class Message>
  static void tell(const descriptor& to, const Message& m) {
    const auto bytes = bytes_of(m);
    ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// Returns what comes, as a message; nullopt: the connection is closed. `with`: and its descriptors.
  static std::optional<any_message> hear(const descriptor& from, std::vector<descriptor>* with = nullptr) {
    std::array<std::byte, most_bytes_of_all> bytes{};
    iovec all{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE((2 + most_attendants) * sizeof(int))> control{};
    msghdr m{};
    m.msg_iov = &all;
    m.msg_iovlen = 1;
    m.msg_control = control.data();
    m.msg_controllen = with != nullptr ? control.size() : 0;
    const ssize_t got = ::recvmsg(from.get(), &m, MSG_CMSG_CLOEXEC);
    if (const cmsghdr* const c = got > 0 && with != nullptr ? CMSG_FIRSTHDR(&m) : nullptr) {
      std::vector<int> fds((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      std::memcpy(fds.data(), CMSG_DATA(c), fds.size() * sizeof(int));
      for (const int fd : fds) with->emplace_back(fd);
    }
    return got <= 0 ? std::nullopt : parse(std::span(bytes).first(static_cast<std::size_t>(got)));
  }
  static hello good() {
    hello h;
    h.facts.contexts[0] = 1;
    return h;
  }

  std::string folder_;
  std::string root_;
  std::string online_;
  std::optional<tests::child> broker_;
};

bool never() { return false; }

TEST_F(Broker, AJobJoinsRunsAndLeaves) {
  start();
  const auto me = join();
  ASSERT_NE(me, nullptr);
  wait_for(1);
  EXPECT_TRUE(me->alone());
  EXPECT_EQ(me->main_context(), 0u);
  EXPECT_DOUBLE_EQ(me->share_of(0), 1);
  cosched::lease mine;
  ASSERT_TRUE(me->take(0, mine, never, cosched::sharing_limits::watch_period));
  EXPECT_EQ(me->word(0).load(machine::order::relaxed), mine.word);
  EXPECT_EQ(reported().own_contexts, 1u);
  const std::uint64_t before = me->generation();
  const auto other = join();
  wait_for(2);
  EXPECT_FALSE(me->alone());
  EXPECT_NE(me->generation(), before);
  // One context, two jobs: they take turns.
  cosched::lease its;
  me->leave_context(0);
  ASSERT_TRUE(other->take(0, its, never, cosched::sharing_limits::watch_period));
  me->leave();
  wait_for(1);
  EXPECT_TRUE(other->keep(0, its, true));
}

TEST_F(Broker, DamagedMessagesEndTheirConnectionAndNoOther) {
  start();
  const auto me = join();
  wait_for(1);
  const hello whole = good();
  std::vector<std::string> damaged;
  const std::string bytes(reinterpret_cast<const char*>(&whole), sizeof whole);
  for (std::size_t n = 1; n < bytes.size(); n += 13) damaged.push_back(bytes.substr(0, n));
  damaged.push_back(bytes + "x");
  damaged.push_back(std::string(100'000, 'x'));
  for (const std::size_t at : {0u, 6u, 11u, 13u, 16u}) {
    damaged.push_back(bytes);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x5a);
    if (at == 16) damaged.back().replace(16, 128, 128, '\0');
  }
  for (const std::string& d : damaged) {
    const descriptor s = raw();
    ::send(s.get(), d.data(), d.size(), MSG_NOSIGNAL);
    EXPECT_FALSE(hear(s)) << d.size();
  }
  // In the wrong order, twice, of the broker's own kinds, with a wrong nonce, with a descriptor.
  const auto closes = [&](const std::function<void(const descriptor&)>& say) {
    const descriptor s = raw();
    say(s);
    while (hear(s)) {
    }
    EXPECT_EQ(reported().jobs, 1u);
  };
  closes([](const descriptor& s) { tell(s, ring()); });
  closes([](const descriptor& s) { tell(s, confirm()); });
  closes([](const descriptor& s) { tell(s, welcome{.contexts = 1}); });
  closes([](const descriptor& s) { tell(s, report()); });
  closes([](const descriptor& s) { tell(s, usage_page()); });
  closes([](const descriptor& s) { tell(s, good()), tell(s, ask_usage()); });
  closes([](const descriptor& s) { tell(s, good()), tell(s, good()); });
  closes([](const descriptor& s) { tell(s, good()), tell(s, confirm{.nonce = 1}); });
  closes([](const descriptor& s) {
    const hello h = good();
    iovec all{const_cast<hello*>(&h), sizeof h};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr m{};
    m.msg_iov = &all;
    m.msg_iovlen = 1;
    m.msg_control = control.data();
    m.msg_controllen = control.size();
    cmsghdr* const c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = s.get();
    std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
    ::sendmsg(s.get(), &m, MSG_NOSIGNAL);
  });
  EXPECT_FALSE(me->is_lost());
  cosched::lease mine;
  EXPECT_TRUE(me->take(0, mine, never, cosched::sharing_limits::watch_period));
}

TEST_F(Broker, AnotherVersionIsRefusedInWords) {
  start();
  hello other = good();
  other.head.version = protocol_version + 1;
  const descriptor s = raw();
  tell(s, other);
  const auto said = hear(s);
  ASSERT_TRUE(said && std::holds_alternative<refusal>(*said));
  EXPECT_EQ(std::get<refusal>(*said).reason, refusal_reason::version);
}

TEST_F(Broker, LimitsRefuseTheNewestJobAndNoOther) {
  start(2);
  const auto a = join();
  const auto b = join();
  std::string refusal;
  EXPECT_EQ(find(how(), refusal), nullptr);
  EXPECT_EQ(refusal, path() + ": this user has as many jobs as it allows (jobs_per_user)");
  // A job that is refused runs alone; it does not go into a table, where it would meet none of the others.
  EXPECT_EQ(cosched::job::join(how(), {folder_}, refusal), nullptr);
  EXPECT_FALSE(refusal.empty());
  // Connections that say nothing are as many as the limit allows, and then closed; jobs stay.
  std::vector<descriptor> silent;
  for (unsigned i = 0; i < 40; ++i) silent.push_back(raw());
  for (const descriptor& s : silent) EXPECT_FALSE(hear(s));
  EXPECT_EQ(reported().jobs, 2u);
}

TEST_F(Broker, AFloodIsReadSlowlyAndLosesNoJob) {
  start();
  const auto me = join();
  descriptor flooding = raw();
  tell(flooding, good());
  std::vector<descriptor> with;
  const auto yes = hear(flooding, &with);
  ASSERT_TRUE(yes && std::holds_alternative<welcome>(*yes));
  ASSERT_EQ(with.size(), 2 + attendants_of(std::get<welcome>(*yes).contexts));
  tell(flooding, confirm{.nonce = std::get<welcome>(*yes).nonce});
  wait_for(2);
  const ring one{.context = 0};
  const change same{.facts = good().facts};
  for (unsigned i = 0; i < 20'000; ++i) {
    ::send(with[2].get(), &one, sizeof one, MSG_NOSIGNAL | MSG_DONTWAIT);
    ::send(flooding.get(), &same, sizeof same, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  flooding = descriptor();
  wait_for(1);
  EXPECT_FALSE(me->is_lost());
  cosched::lease mine;
  EXPECT_TRUE(me->take(0, mine, never, cosched::sharing_limits::watch_period)) << "its own bell is heard";
}

TEST_F(Broker, ABellThatIsClosedOrNamesAnotherContextEndsNoOtherJob) {
  start();
  const auto me = join();
  const auto member = [&](std::vector<descriptor>& with) {
    descriptor s = raw();
    tell(s, good());
    const auto yes = hear(s, &with);
    EXPECT_TRUE(yes && std::holds_alternative<welcome>(*yes));
    if (yes) tell(s, confirm{.nonce = std::get<welcome>(*yes).nonce});
    wait_for(2);
    return s;
  };
  {
    std::vector<descriptor> with;
    const descriptor s = member(with);
    with.clear();
    cosched::lease mine;
    EXPECT_TRUE(me->take(0, mine, never, cosched::sharing_limits::watch_period));
    me->leave_context(0);
    EXPECT_EQ(reported().jobs, 2u) << "a job without bells stays: its process is there";
  }
  wait_for(1);
  const hello again = good();
  const ring elsewhere{.context = cosched::max_contexts - 1};
  const std::array<std::span<const std::byte>, 3> wrong{bytes_of(elsewhere), bytes_of(again),
                                                        bytes_of(elsewhere).first(3)};
  for (const auto& bytes : wrong) {
    std::vector<descriptor> with;
    const descriptor s = member(with);
    ::send(with[2].get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    EXPECT_FALSE(hear(s)) << "the connection is closed";
    wait_for(1);
  }
  EXPECT_FALSE(me->is_lost());
}

TEST_F(Broker, AChildWithTheSocketIsNotTheJob) {
  start();
  {
    // The child dies, its own child keeps the socket, until the test closes a pipe.
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const descriptor to(ends[1]);
    const descriptor from(ends[0]);
    tests::child job([&](const tests::child::say& say) {
      const auto me = join();
      if (fork() == 0) {
        ::close(ends[1]);
        char end = 0;
        _exit(::read(ends[0], &end, 1) == 0 ? 0 : 1);
      }
      say(me != nullptr ? 'j' : 'n');
      ::pause();
    });
    ASSERT_EQ(job.hear(), 'j');
    wait_for(1);
    job.end();
    wait_for(0);
  }
  const descriptor s = raw();
  tell(s, good());
  const auto yes = hear(s);
  ASSERT_TRUE(yes && std::holds_alternative<welcome>(*yes));
  // What a child says with a copy of the socket is not heeded: not the nonce, and no nonsense either.
  tests::child copy([&](const tests::child::say& say) {
    tell(s, confirm{.nonce = std::get<welcome>(*yes).nonce});
    tell(s, report());
    say('x');
  });
  ASSERT_EQ(copy.hear(), 'x');
  EXPECT_EQ(reported().jobs, 0u);
  tell(s, confirm{.nonce = std::get<welcome>(*yes).nonce});
  wait_for(1);
}

TEST_F(Broker, JobsAreListedInPagesAndNoReaderHoldsTheBrokerUp) {
  start();
  EXPECT_EQ(ask_for_usage(path() + "-none"), std::nullopt);
  std::vector<std::unique_ptr<cosched::broker_link>> jobs;
  for (unsigned j = 0; j < 2 * usage_page::most_lines + 1; ++j) jobs.push_back(join());
  wait_for(static_cast<unsigned>(jobs.size()));
  cosched::lease mine;
  ASSERT_TRUE(jobs[20]->take(0, mine, never, cosched::sharing_limits::watch_period));
  std::optional<broker_usage> lists;
  // A broker that is late answers nothing.
  const auto ask = [&] {
    do {
      lists = ask_for_usage(path());
    } while (!lists);
  };
  ask();
  EXPECT_TRUE(lists->all_users) << "of a broker of one user";
  ASSERT_EQ(lists->jobs.size(), jobs.size());
  std::uint32_t contexts = 0;
  for (unsigned j = 0; j < jobs.size(); ++j) {
    EXPECT_EQ(lists->jobs[j].number, j);
    EXPECT_EQ(lists->jobs[j].process, static_cast<std::uint32_t>(::getpid()));
    contexts += lists->jobs[j].contexts;
  }
  EXPECT_LE(contexts, 1u);
  ASSERT_EQ(lists->users.size(), 1u);
  EXPECT_EQ(lists->users[0].account, ::getuid());
  EXPECT_EQ(lists->users[0].number, jobs.size());
  // What ended jobs had stays their user's.
  cosched::lease its;
  ASSERT_TRUE(jobs[1]->take(0, its, never, cosched::sharing_limits::watch_period));
  ask();
  EXPECT_GT(lists->users[0].had, 0u);
  jobs.clear();
  wait_for(0);
  const std::uint64_t had = lists->users[0].had;
  ask();
  EXPECT_TRUE(lists->jobs.empty());
  ASSERT_EQ(lists->users.size(), 1u);
  EXPECT_GE(lists->users[0].had, had);
  EXPECT_EQ(lists->users[0].number, 0u);
  // Readers that ask and do not read, and one that asks for what is not there.
  std::vector<descriptor> deaf;
  for (unsigned i = 0; i < 4; ++i) {
    deaf.push_back(raw());
    for (unsigned k = 0; k < 100; ++k) tell(deaf.back(), ask_usage());
  }
  const descriptor s = raw();
  tell(s, ask_usage{.from = ~std::uint64_t{0}});
  const auto none = hear(s);
  ASSERT_TRUE(none && std::holds_alternative<usage_page>(*none));
  EXPECT_EQ(std::get<usage_page>(*none).count, 0u);
  EXPECT_EQ(std::get<usage_page>(*none).next, usage_page::no_more);
  EXPECT_FALSE(hear(s)) << "one answer a connection";
  EXPECT_EQ(reported().jobs, 0u);
}

TEST_F(Broker, AGuestLearnsItsPlaceAndNothingElse) {
  start();
  const auto none = ask_for_place();
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty()) << "the policy has no contexts for guests";
  EXPECT_EQ(reported().jobs, 0u);
  broker_.emplace([&](const tests::child::say& say) {
    policy rules;
    rules.reserved.add(70);
    server serves({.path = path(), .rules = rules, .root = root_, .online = online_});
    say('b');
    serves.run([] { return false; });
  });
  ASSERT_EQ(broker_->hear(), 'b');
  const descriptor s = raw();
  tell(s, ask_place());
  const auto answer = hear(s);
  ASSERT_TRUE(answer && std::holds_alternative<place>(*answer));
  EXPECT_EQ(std::get<place>(*answer).contexts[1], 1u << 6);
  EXPECT_FALSE(hear(s)) << "one answer a connection";
}

TEST(BrokerMessages, AListIsTakenOnlyIfEachOfItsMembersCanBe) {
  usage_page good{.count = 1};
  good.lines[0].number = 7;
  EXPECT_TRUE(parse(bytes_of(good)));
  usage_page wrong = good;
  wrong.count = usage_page::most_lines + 1;
  EXPECT_FALSE(parse(bytes_of(wrong)));
  wrong = good;
  wrong.lines[1].name[3] = 'x';
  EXPECT_FALSE(parse(bytes_of(wrong))) << "a line that is not counted";
  wrong = good;
  wrong.what = usage_of{3};
  EXPECT_FALSE(parse(bytes_of(wrong)));
  EXPECT_FALSE(parse(bytes_of(good).first(sizeof good - 1)));
  EXPECT_TRUE(parse(bytes_of(ask_usage())));
  EXPECT_FALSE(parse(bytes_of(ask_usage{.what = usage_of{0}})));
  EXPECT_FALSE(parse(bytes_of(ask_usage{.zero = 1})));
}

TEST_F(Broker, WithoutItsBrokerAJobGoesOnAndFindsTheNextOne) {
  start();
  std::string refusal;
  const auto me = cosched::job::join(how(), {folder_}, refusal);
  ASSERT_NE(me, nullptr) << refusal;
  EXPECT_TRUE(me->has_broker());
  EXPECT_EQ(me->path(), path());
  wait_for(1);
  const auto other = join();
  wait_for(2);
  cosched::job::seat here(*me, 0);
  ASSERT_TRUE(here.take(never));
  EXPECT_TRUE(here.undisturbed());
  EXPECT_FALSE(me->stands_aside());
  broker_->end();
  EXPECT_TRUE(here.undisturbed()) << "it keeps what it has";
  while (!me->stands_aside()) {
    ::usleep(1000);
    me->look_after();
  }
  EXPECT_TRUE(here.keep());
  EXPECT_TRUE(me->member());
  start();
  while (me->stands_aside()) ::usleep(10'000);
  EXPECT_FALSE(here.keep()) << "the new broker has granted nothing";
  EXPECT_TRUE(here.take(never));
  wait_for(1);
}

TEST_F(Broker, ThreadsOfAJobThatDoesNotAnswerAreMovedOff) {
  const std::vector<unsigned> both = affinity_of(0);
  if (both.size() < 2) GTEST_SKIP() << "one context";
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned c : both) CPU_SET(c, &set);
  start();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const descriptor to(ends[1]);
  const descriptor from(ends[0]);
  const cosched::membership on_both{.contexts = both, .main = both[0], .broker = find};
  tests::child deaf([&](const tests::child::say& say) {
    ::sched_setaffinity(0, sizeof set, &set);
    std::string refusal;
    const auto its = find(on_both, refusal);
    std::array<cosched::lease, 2> leases;
    for (const unsigned i : {0u, 1u}) its->take(both[i], leases[i], never, cosched::sharing_limits::watch_period);
    say('t');
    char heard = 0;
    if (::read(from.get(), &heard, 1) != 1) _exit(1);
    for (const unsigned c : both) its->leave_context(c);
    say('l');
    ::pause();
  });
  ASSERT_EQ(deaf.hear(), 't');
  std::string refusal;
  const auto me = find(on_both, refusal);
  ASSERT_NE(me, nullptr);
  while (me->main_context() == cosched::context_assignment::no_context) ::usleep(1000);
  const unsigned mine = me->main_context();
  cosched::lease lease;
  ASSERT_TRUE(me->take(mine, lease, never, cosched::sharing_limits::watch_period));
  while (affinity_of(deaf.pid()) == both) ::usleep(1000);
  EXPECT_EQ(affinity_of(deaf.pid()), std::vector<unsigned>{mine == both[0] ? both[1] : both[0]});
  const enforcement grade = reported().grade;
  EXPECT_NE(grade, enforcement::debt);
  const auto confined = [&] {
    std::ifstream groups("/proc/" + std::to_string(deaf.pid()) + "/cgroup");
    return std::string(std::istreambuf_iterator<char>(groups), {}).find("/callisto-confined-") != std::string::npos;
  };
  if (grade == enforcement::group) {
    while (!confined()) ::usleep(1000);
    ::sched_setaffinity(deaf.pid(), sizeof set, &set);
    EXPECT_EQ(affinity_of(deaf.pid()).size(), 1u) << "a thread cannot undo it";
  }
  ASSERT_EQ(::write(to.get(), "x", 1), 1);
  ASSERT_EQ(deaf.hear(), 'l');
  while (affinity_of(deaf.pid()) != both || confined()) ::usleep(1000);
}

TEST_F(Broker, AChangedCpusetOfAJobIsFollowed) {
  const std::vector<unsigned> both = affinity_of(0);
  if (both.size() < 2) GTEST_SKIP() << "one context";
  // Files that play this process's control group.
  root_ = folder_ + "/root";
  const std::string group = root_ + "/sys/fs/cgroup/job";
  const std::string process = root_ + "/proc/" + std::to_string(::getpid());
  for (const std::string& f : {root_ + "/proc/self", process, group}) std::filesystem::create_directories(f);
  std::ofstream(root_ + "/proc/self/mountinfo") << "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  std::ofstream(process + "/cgroup") << "0::/job\n";
  std::ofstream(root_ + "/sys/fs/cgroup/cgroup.controllers") << "cpuset\n";
  const auto allow = [&](const std::string& list) {
    const descriptor to(::open((group + "/cpuset.cpus.effective").c_str(), O_WRONLY | O_CREAT, 0600));
    // Whole at each moment, as for the list of CPUs that are plugged in.
    const std::string text = list + std::string(40 - list.size(), '\n');
    ASSERT_EQ(::pwrite(to.get(), text.data(), text.size(), 0), 40);
  };
  const std::string one = std::to_string(both[0]);
  const std::string all = one + "," + std::to_string(both[1]);
  allow(all);
  start();
  std::string refusal;
  const auto me = find({.contexts = both, .main = both[1], .broker = find}, refusal);
  ASSERT_NE(me, nullptr);
  std::array<cosched::lease, 2> leases;
  for (const unsigned i : {0u, 1u})
    ASSERT_TRUE(me->take(both[i], leases[i], never, cosched::sharing_limits::watch_period));
  const auto granted = [&](unsigned i) { return offer::of(me->word(both[i]).load(machine::order::relaxed)).granted; };
  allow(one);
  while (granted(1)) ::usleep(1000);
  EXPECT_FALSE(me->keep(both[1], leases[1], true));
  while (me->main_context() != both[0]) ::usleep(1000);
  EXPECT_TRUE(granted(0));
  // Other contexts than any that the job knows: its own word counts.
  allow("1000");
  EXPECT_TRUE(me->take(both[1], leases[1], never, cosched::sharing_limits::watch_period));
  allow(all);
  while (me->main_context() != both[1]) ::usleep(1000);
  EXPECT_TRUE(me->keep(both[1], leases[1], true));
  std::filesystem::remove_all(root_);
}

TEST(MovedThreads, AThreadThatCanRunNowhereElseGetsTheLowestClassForAWhile) {
  if (!may_move_others()) GTEST_SKIP() << "no CAP_SYS_NICE";
  const unsigned here = affinity_of(0).front();
  tests::child pinned([&](const tests::child::say& say) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(here, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    say('p');
    ::pause();
  });
  ASSERT_EQ(pinned.hear(), 'p');
  const int before = ::sched_getscheduler(pinned.pid());
  ASSERT_NE(before, SCHED_IDLE);
  moved_threads m;
  EXPECT_GE(m.keep_off(pinned.pid(), here, {}, 64), 1u) << "and the threads of a sanitizer";
  EXPECT_EQ(::sched_getscheduler(pinned.pid()), SCHED_IDLE);
  EXPECT_EQ(affinity_of(pinned.pid()), std::vector<unsigned>{here});
  m.give_back(here);
  EXPECT_EQ(::sched_getscheduler(pinned.pid()), before);
  // A thread of a real-time class keeps it: it has it from an administrator.
  const sched_param one{.sched_priority = 1};
  if (::sched_setscheduler(pinned.pid(), SCHED_FIFO, &one) == 0) {
    m.keep_off(pinned.pid(), here, {}, 64);
    EXPECT_EQ(::sched_getscheduler(pinned.pid()), SCHED_FIFO);
    m.give_all_back();
    EXPECT_EQ(::sched_getscheduler(pinned.pid()), SCHED_FIFO);
  }
}

TEST_F(Broker, UnpluggedCpusAreTakenFromTheirJobsAndComeBack) {
  const std::vector<unsigned> both = affinity_of(0);
  if (both.size() < 2) GTEST_SKIP() << "one context";
  online_ = folder_ + "/online";
  const auto plug = [&](const std::string& list) {
    const descriptor to(::open(online_.c_str(), O_WRONLY | O_CREAT, 0600));
    // Whole at each moment: the shorter list comes with spaces of line feeds.
    const std::string text = list + std::string(40 - list.size(), '\n');
    ASSERT_EQ(::pwrite(to.get(), text.data(), text.size(), 0), 40);
  };
  const std::string one = std::to_string(both[0]);
  const std::string all = one + "," + std::to_string(both[1]);
  plug(all);
  start();
  std::string refusal;
  const auto me = find({.contexts = both, .main = both[0], .broker = find}, refusal);
  ASSERT_NE(me, nullptr);
  std::array<cosched::lease, 2> leases;
  for (const unsigned i : {0u, 1u})
    ASSERT_TRUE(me->take(both[i], leases[i], never, cosched::sharing_limits::watch_period));
  const auto granted = [&](unsigned i) { return offer::of(me->word(both[i]).load(machine::order::relaxed)).granted; };
  EXPECT_TRUE(granted(1));
  plug(one);
  while (granted(1)) ::usleep(1000);
  EXPECT_TRUE(granted(0));
  EXPECT_FALSE(me->keep(both[1], leases[1], true));
  // The broker writes one word after the other.
  while (me->share_of(both[1]) != 0) ::usleep(1000);
  plug(all);
  EXPECT_TRUE(me->take(both[1], leases[1], never, cosched::sharing_limits::watch_period));
  EXPECT_TRUE(granted(0));
  ::unlink(online_.c_str());
}

TEST_F(Broker, AStoppedBrokerHoldsNoJobUp) {
  start();
  const auto me = join();
  const auto other = join();
  wait_for(2);
  cosched::lease mine;
  cosched::lease its;
  ASSERT_TRUE(other->take(0, its, never, cosched::sharing_limits::watch_period));
  broker_->stop();
  const auto granted = [&] { return offer::of(me->word(0).load(machine::order::relaxed)).granted; };
  EXPECT_TRUE(me->take(0, mine, never, cosched::sharing_limits::watch_period));
  EXPECT_FALSE(granted());
  EXPECT_TRUE(me->is_lost());
  const auto asked = ask_for_report();
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->answers);
  EXPECT_TRUE(me->keep(0, mine, true)) << "it runs as if none shared";
  broker_->kill(SIGCONT);
  other->leave_context(0);
  while (!granted()) me->take(0, mine, never, cosched::sharing_limits::watch_period);
  while (me->is_lost()) ::usleep(1000);
  EXPECT_EQ(reported().jobs, 2u) << "neither had to join again";
}

TEST_F(Broker, AJobInATableMovesToTheBroker) {
  std::string refusal;
  {
    const auto me = cosched::job::join(how(), {folder_}, refusal);
    ASSERT_NE(me, nullptr) << refusal;
    EXPECT_FALSE(me->has_broker());
    const std::string table = me->path();
    cosched::job::seat here(*me, 0);
    ASSERT_TRUE(here.take(never));
    start();
    while (!me->has_broker()) me->look_after();
    wait_for(1);
    EXPECT_FALSE(here.keep()) << "what it had was the table's";
    EXPECT_TRUE(here.take(never));
    EXPECT_EQ(reported().own_contexts, 1u);
    ::unlink(table.c_str());
  }
  wait_for(0);
}

TEST_F(Broker, PagesWithoutSealsAreNotMapped) {
  for (const bool short_one : {false, true}) {
    // A broker of this user that would shorten a page later.
    const descriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strcpy(at.sun_path, path().c_str());
    ::unlink(path().c_str());
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    ::listen(listener.get(), 4);
    tests::child fake([&](const tests::child::say& say) {
      const descriptor s(::accept(listener.get(), nullptr, nullptr));
      hear(s);
      auto pages = make_pages(short_one ? 1 : 2);
      const int open = ::memfd_create("open", MFD_ALLOW_SEALING);
      if (::ftruncate(open, static_cast<off_t>(bytes_of_replies(2))) != 0) _exit(1);
      const welcome w{.contexts = 2};
      iovec all{const_cast<welcome*>(&w), sizeof w};
      alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> control{};
      msghdr m{};
      m.msg_iov = &all;
      m.msg_iovlen = 1;
      m.msg_control = control.data();
      m.msg_controllen = control.size();
      cmsghdr* const c = CMSG_FIRSTHDR(&m);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(4 * sizeof(int));
      const std::array<int, 4> fds{pages->offers.get(), short_one ? pages->replies.get() : open, s.get(), s.get()};
      std::memcpy(CMSG_DATA(c), fds.data(), sizeof fds);
      ::sendmsg(s.get(), &m, MSG_NOSIGNAL);
      say(hear(s) ? 'y' : 'n');
    });
    std::string refusal;
    EXPECT_EQ(find(how(), refusal), nullptr);
    EXPECT_EQ(refusal, "");
    EXPECT_EQ(fake.hear(), 'n') << "no confirmation came";
  }
}

TEST_F(Broker, NoWordOfAJobWakesOrMovesAThreadOfAnother) {
  start();
  // The attacker is a process of its own, as another user's would be.
  tests::child holder([&](const tests::child::say& say) {
    const auto its = join();
    cosched::lease held;
    its->take(0, held, never, cosched::sharing_limits::watch_period);
    say('h');
    while (its->keep(0, held, true)) {
      // Requeues and wakes whatever sleeps on any word of its page: its victim sleeps on the same context's.
      alignas(4) static std::uint32_t mine = 0;
      auto* const word = const_cast<void*>(static_cast<const void*>(&its->word(0)));
      const long moved = ::syscall(SYS_futex, word, FUTEX_CMP_REQUEUE, 1000, 1000, &mine,
                                   static_cast<std::uint32_t>(its->word(0).load(machine::order::relaxed)));
      const long woken = ::syscall(SYS_futex, word, FUTEX_WAKE, 1000, nullptr, nullptr, 0);
      // A change of the word meanwhile is no success.
      if (moved > 0 || woken > 0) say('!');
    }
    say('k');
    ::pause();
  });
  ASSERT_EQ(holder.hear(), 'h');
  const auto me = join();
  cosched::lease mine;
  EXPECT_TRUE(me->take(0, mine, never, cosched::sharing_limits::watch_period));
  EXPECT_EQ(holder.hear(), 'k') << "it found a thread of the other job";
}

TEST_F(Broker, AProgramThatMayMakeNoSocketRunsWithoutABroker) {
  start();
  tests::child filtered([&](const tests::child::say& say) {
    const std::array<sock_filter, 4> code{{
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_socket},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    }};
    const sock_fprog program{code.size(), const_cast<sock_filter*>(code.data())};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
      say('s');
      ::pause();
    }
    std::string refusal;
    const auto me = cosched::job::join(how(), {folder_}, refusal);
    if (me == nullptr || me->has_broker()) _exit(1);
    cosched::job::seat here(*me, 0);
    if (!here.take(never) || !here.keep()) _exit(1);
    me->look_after();
    ::unlink(me->path().c_str());
    say('r');
    ::pause();
  });
  const char said = filtered.hear();
  if (said == 's') GTEST_SKIP() << "no seccomp filters";
  EXPECT_EQ(said, 'r') << "it runs in a table";
  EXPECT_EQ(reported().jobs, 0u);
}

TEST(BrokerPages, AJobCannotChangeWhatTheBrokerSays) {
  auto made = make_pages(3);
  ASSERT_TRUE(made);
  const int offers = made->offers.get();
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, offers, 0), MAP_FAILED);
  EXPECT_NE(::ftruncate(offers, 0), 0);
  EXPECT_NE(::ftruncate(made->replies.get(), 0), 0);
  EXPECT_NE(::ftruncate(made->replies.get(), 1 << 20), 0);
  EXPECT_NE(::pwrite(offers, "x", 1, 0), 1);
  const descriptor again(::open(("/proc/self/fd/" + std::to_string(offers)).c_str(), O_RDWR));
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, again.get(), 0), MAP_FAILED);
  std::string why;
  EXPECT_TRUE(accept_pages(offers, made->replies.get(), 3, why));
  EXPECT_FALSE(accept_pages(offers, made->replies.get(), 4, why));
  EXPECT_EQ(why, "a page has a wrong kind or size");
}

TEST(Accounts, SubordinateNumbersCountAsTheirAccount) {
  const accounts a("ann:100000:65536\n1002:200000:10\nnone:300000:5\nbad:x:y\n:1:2\n",
                   "root:x:0:0\nann:x:1001:1001:,,,:/\n");
  EXPECT_EQ(a.of(1001), 1001u);
  EXPECT_EQ(a.of(100000), 1001u);
  EXPECT_EQ(a.of(165535), 1001u);
  EXPECT_EQ(a.of(165536), 165536u);
  EXPECT_EQ(a.of(200009), 1002u);
  EXPECT_EQ(a.of(300000), 300000u);
  EXPECT_EQ(accounts().of(7), 7u);
}

}  // namespace
}  // namespace callisto::broker

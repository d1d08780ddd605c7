// Packets in, offers out. No input of a job is trusted: a connection that sends anything but what its state allows is
// closed, and one of an account that sends too much is not read for a while.
//
// 1. *Job:* connects. The kernel says which user and process it is.
// 2. *Job:* sends hello. *Broker:* opens a descriptor of the process, sends the pages and a nonce.
// 3. *Job:* sends the nonce. The kernel adds the sender's process, which must be the one of step 2, alive.
// 4. *Job:* rings, changes its facts. A message of another process (a child with a copy of the socket) is not heeded.
// 5. *Job, ends in any way:* its descriptor says so, also if a child keeps the socket. A closed socket ends it, too.
#include <callisto/broker/server.hpp>

#include <callisto/broker/arbiter.hpp>
#include <callisto/broker/connection.hpp>
#include <callisto/broker/enforcer.hpp>
#include <callisto/broker/messages.hpp>
#include <callisto/broker/online_cpus.hpp>
#include <callisto/broker/resting_jobs.hpp>
#include <callisto/broker/sockets.hpp>
#include <callisto/broker/usage_pages.hpp>
#include <callisto/cosched/current_assignment.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using machine::descriptor;
using machine::order;

constexpr std::uint64_t ms = 1'000'000;  ///< in nanoseconds
/// How long a connection may take to become a job's.
constexpr std::uint64_t patience = 1000 * ms;
/// Connections of an account that are not jobs' yet, beside those that are.
constexpr unsigned strangers_of_user = 8;
/// How many control groups of jobs a broker looks at in P_high, some 10 us each.
constexpr unsigned most_looks = 32;

}  // namespace

struct server::impl final : arbiter_world {
  explicit impl(server_settings s)
      : how(std::move(s)),
        core_of(cores_of_machine()),
        online(how.online),
        enforces(how.path, how.for_all_users, how.root),
        decides(open_cores(), how.delays, *this) {
    listener = listen_at(how.path, how.for_all_users);
    queue = descriptor(::epoll_create1(EPOLL_CLOEXEC));
    if (queue.get() < 0 || !hear(listener.get(), listener.get(), EPOLLIN)) {
      throw error(std::string("epoll: ") + std::strerror(errno));
    }
    enforces.free_what_a_killed_broker_left(how.path, how.root);
    enforces.keep_guests(how.rules);
    decides.set_limit(how.rules.contexts_of_user);
    ::prctl(PR_SET_TIMERSLACK, 1000UL);
    // Only a hand-over waits for it, and it never computes for long. Refused without the right: then as any process.
    ::setpriority(PRIO_PROCESS, 0, -15);
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
      files.rlim_cur = files.rlim_max;
      ::setrlimit(RLIMIT_NOFILE, &files);
    }
  }

  // --- the policy

  /// Returns core_of without contexts that are reserved or unplugged.
  std::vector<unsigned> open_cores() const {
    std::vector<unsigned> open = core_of;
    for (unsigned c = 0; c < open.size(); ++c) {
      if (how.rules.reserved.has(c) || !online.has(c)) open[c] = cosched::no_core;
    }
    return open;
  }
  double messages_of_user() const {
    const unsigned said = how.rules.messages_of_user;
    return said != 0 ? said : 2000 + 200 * static_cast<double>(core_of.size());
  }
  /// Returns the weight of an account: its own, else the largest of its jobs' groups.
  unsigned weight_of(std::uint64_t account) const {
    if (const auto its = how.rules.users.find(account); its != how.rules.users.end()) return its->second;
    unsigned most = how.rules.weight;
    for (const auto& [key, c] : connections) {
      if (c->account != account || c->at == stage::connected) continue;
      for (const gid_t g : c->groups) {
        if (const auto its = how.rules.groups.find(g); its != how.rules.groups.end())
          most = std::max(most, its->second);
      }
      for (const auto& [group, weight] : how.rules.control_groups) {
        if (weight > most && c->control_groups.is_in(group)) most = weight;
      }
    }
    return most;
  }
  void adopt(policy next, std::uint64_t now) {
    how.rules = std::move(next);
    for (const auto& [account, its] : of_account) {
      if (its.jobs != 0) decides.set_weight(account, weight_of(account));
    }
    decides.set_limit(how.rules.contexts_of_user);
    decides.set_cores(open_cores(), now);
    enforces.keep_guests(how.rules);
  }

  // --- the World of the arbiter

  reply look(unsigned job, unsigned context) override { return side(job, context).look(); }
  void say(unsigned job, unsigned context, const offer& what, bool wakes) override {
    side(job, context).say(what);
    if (wakes) machine::unpark_shared(by_job[job]->pages->pages.offer(context).word, ~0u);
  }
  void watch(unsigned job, unsigned context, bool on) override { side(job, context).watch(on); }
  void tell_share(unsigned job, unsigned context, double share) override {
    // relaxed, as below: generation orders them.
    pages_of(job).offer(context).share.store(static_cast<std::uint64_t>(share * 0x1p32), order::relaxed);
  }
  void tell_change(unsigned job, unsigned main, bool alone) override {
    offers_head& head = pages_of(job).head();
    head.main.store(main == division::no_context ? 0 : main + 1, order::relaxed);
    head.alone.store(alone ? 1 : 0, order::relaxed);
    head.generation.fetch_add(1, order::release);  // release: publishes what came before to the job's acquire
    machine::unpark_shared(head.generation, ~0u);
    if (enforces.confines(job)) enforces.follow(offender_of(job));
  }
  offender offender_of(unsigned job) const {
    const connection& c = *by_job[job];
    return {job, c.peer.pid, c.process, demand_of(c).contexts, decides.confinement_of(job)};
  }
  bool keep_off(unsigned job, unsigned context) override {
    return enforces.keep_off(offender_of(job), context, of_account[by_job[job]->account].tokens);
  }
  void give_back(unsigned job, unsigned context) override { enforces.give_back(offender_of(job), context); }
  bool dormant(unsigned job) override { return rests[job].rests(machine::shared_nanoseconds(), how.delays); }
  std::uint64_t processor_time(unsigned job) override { return machine::processor_time_of(by_job[job]->peer.pid); }
  bool could_run(unsigned job) override { return machine::could_run(by_job[job]->peer.pid); }

  pair_of_pages& pages_of(unsigned job) { return by_job[job]->pages->pages; }
  broker_side<native> side(unsigned job, unsigned context) {
    const pair_of_pages& p = pages_of(job);
    return {p.offer(context), p.reply(context)};
  }

  // --- connections

  /// Has the kernel report a descriptor under a key: a socket's number, or its complement for a process.
  bool hear(int fd, int key, unsigned events, int how_to = EPOLL_CTL_ADD) {
    epoll_event e{};
    e.events = events;
    e.data.fd = key;
    return ::epoll_ctl(queue.get(), how_to, fd, &e) == 0;
  }

  void accept_all(std::uint64_t now) {
    for (;;) {
      descriptor its(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (its.get() < 0) {
        // Without descriptors the next ones wait; those that are there go on.
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
          hear(listener.get(), listener.get(), 0, EPOLL_CTL_MOD);
          deaf_until = now + 100 * ms;
        }
        return;
      }
      auto c = std::make_unique<connection>();
      socklen_t size = sizeof c->peer;
      if (::getsockopt(its.get(), SOL_SOCKET, SO_PEERCRED, &c->peer, &size) != 0 || c->peer.pid <= 0) continue;
      c->account = how.known.of(c->peer.uid);
      account_state& its_account = of_account[c->account];
      if (its_account.connections >= how.rules.jobs_of_user + strangers_of_user) continue;
      const int key = its.get();
      c->socket = std::move(its);
      c->since = now;
      if (!hear(key, key, EPOLLIN)) continue;
      ++its_account.connections;
      connections[key] = std::move(c);
    }
  }

  void close(int key, std::uint64_t now) {
    const auto found = connections.find(key);
    if (found == connections.end()) return;
    connection& c = *found->second;
    account_state& its = of_account[c.account];
    --its.connections;
    if (c.at == stage::member) {
      --its.jobs;
      decides.leave(c.job, now);
      enforces.free(c.job);
      by_job[c.job] = nullptr;
    }
    connections.erase(found);
  }

  /// Takes a token of the account; false: it has sent too much.
  bool may_send(account_state& its, std::uint64_t now) const {
    const double most = messages_of_user();
    its.tokens =
        its.filled_at == 0 ? most : std::min(most, its.tokens + static_cast<double>(now - its.filled_at) * most * 1e-9);
    its.filled_at = now;
    if (its.tokens < 1) return false;
    its.tokens -= 1;
    return true;
  }

  /// Reads what a connection has sent, at most some messages. False: the connection is to be closed.
  bool read(connection& c, std::uint64_t now) {
    for (unsigned turn = 0; turn < 64; ++turn) {
      if (!may_send(of_account[c.account], now)) {
        c.muted = true;
        hear(c.socket.get(), c.socket.get(), 0, EPOLL_CTL_MOD);
        return true;
      }
      std::array<std::byte, most_bytes + 1> bytes{};
      iovec all{bytes.data(), bytes.size()};
      // Room for credentials alone: the kernel closes descriptors that are sent along, and says so.
      alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
      msghdr m{};
      m.msg_iov = &all;
      m.msg_iovlen = 1;
      m.msg_control = control.data();
      m.msg_controllen = control.size();
      const ssize_t got = ::recvmsg(c.socket.get(), &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (got < 0) return errno == EAGAIN || errno == EINTR;
      if (got == 0 || (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return false;
      ucred from{};
      const cmsghdr* const head = CMSG_FIRSTHDR(&m);
      if (head == nullptr || head->cmsg_type != SCM_CREDENTIALS) return false;
      std::memcpy(&from, CMSG_DATA(head), sizeof from);
      // A process with a copy of the socket, such as a child, is not the job.
      if (from.pid != c.peer.pid) continue;
      if (!heed(c, std::span(bytes).first(static_cast<std::size_t>(got)), now)) return false;
    }
    return true;
  }

  bool heed(connection& c, std::span<const std::byte> bytes, std::uint64_t now) {
    const std::optional<any_message> m = parse(bytes);
    if (c.at == stage::connected) {
      if (m && std::holds_alternative<hello>(*m)) return greet(c, std::get<hello>(*m));
      if (m && std::holds_alternative<ask_report>(*m)) return tell_report(c);
      if (m && std::holds_alternative<ask_usage>(*m)) return tell_usage(c, std::get<ask_usage>(*m), now);
      if (m && std::holds_alternative<ask_place>(*m)) return tell_place(c);
      if (!m && version_of_hello(bytes).value_or(protocol_version) != protocol_version) {
        return turn_away(c, refusal_reason::version);
      }
      return false;
    }
    if (!m) return false;
    if (c.at == stage::welcomed) {
      const auto* const its = std::get_if<confirm>(&*m);
      return its != nullptr && its->nonce == c.nonce && is_there(c.process) && let_in(c, now);
    }
    if (const auto* const r = std::get_if<ring>(&*m)) {
      decides.rung(c.job, r->context, now);
      return true;
    }
    if (const auto* const changed = std::get_if<change>(&*m)) {
      c.facts = changed->facts;
      decides.change(c.job, demand_of(c), now);
      return true;
    }
    return false;
  }

  template <class Message>
  static bool send(const connection& c, const Message& m) {
    const auto bytes = bytes_of(m);
    return ::send(c.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
  }
  /// Says why a job is refused; the connection is then closed.
  static bool turn_away(const connection& c, refusal_reason why) {
    send(c, refusal{.reason = why});
    return false;
  }

  bool greet(connection& c, const hello& said) {
    const account_state& its = of_account[c.account];
    if (its.jobs >= how.rules.jobs_of_user) return turn_away(c, refusal_reason::user_full);
    if (decides.jobs() + 1 >= most_jobs) return turn_away(c, refusal_reason::full);
    c.process = process_of(c.socket.get(), c.peer);
    if (!is_there(c.process)) return turn_away(c, refusal_reason::unknown_process);
    c.pages = make_pages(static_cast<unsigned>(core_of.size()));
    if (!c.pages || ::getrandom(&c.nonce, sizeof c.nonce, 0) != sizeof c.nonce) {
      return turn_away(c, refusal_reason::full);
    }
    c.facts = said.facts;
    c.groups = groups_of(c.socket.get(), c.peer);
    const welcome answer{.nonce = c.nonce, .contexts = static_cast<std::uint32_t>(core_of.size())};
    const std::array<int, 2> fds{c.pages->offers.get(), c.pages->replies.get()};
    if (!send_with(c.socket.get(), bytes_of(answer), fds)) return false;
    c.pages->offers = descriptor();
    c.pages->replies = descriptor();
    c.at = stage::welcomed;
    return true;
  }

  bool let_in(connection& c, std::uint64_t now) {
    account_state& its = of_account[c.account];
    if (its.jobs >= how.rules.jobs_of_user) return false;
    // The arbiter says things to the job before it returns its number.
    unsigned next = 0;
    while (next < most_jobs && (by_job[next] != nullptr || next == cosched::no_job)) ++next;
    if (next == most_jobs) return false;
    by_job[next] = &c;
    rests[next] = rest_of_job(c.peer.pid);
    c.pages->pages.head().number.store(next, order::relaxed);  // relaxed: for people
    beat(*c.pages, now);
    c.control_groups = process_groups(c.peer.pid, how.root);
    const auto job = decides.join(c.account, weight_of(c.account), demand_of(c), now);
    if (job != next || !hear(c.process.get(), ~c.socket.get(), EPOLLIN)) throw error("a job's number or process");
    c.job = next;
    c.at = stage::member;
    ++its.jobs;
    return true;
  }

  bool tell_report(const connection& c) {
    report r{.grade = enforces.grade(), .jobs = decides.jobs(), .users = decides.users()};
    for (const auto& [key, its] : connections) {
      if (its->at != stage::member || its->account != c.account) continue;
      ++r.own_jobs;
      r.own_contexts += decides.held_by(its->job);
    }
    r.own_weight = weight_of(c.account);
    r.own_debt = decides.debt_of(c.account);
    r.forced = decides.forced();
    send(c, r);
    return false;
  }

  bool tell_place(const connection& c) const {
    send(c, place_of(how.rules.contexts_of_guests()));
    return false;
  }

  /// True if the policy lets the process at the other end see the jobs of all users.
  bool sees_all(const connection& c) const {
    const policy& p = how.rules;
    if (!how.for_all_users || c.peer.uid == 0 || p.all_see_all || p.seeing_users.contains(c.peer.uid)) return true;
    if (p.seeing_groups.empty()) return false;
    return std::ranges::any_of(groups_of(c.socket.get(), c.peer), [&](gid_t g) { return p.seeing_groups.contains(g); });
  }
  bool tell_usage(const connection& c, const ask_usage& asked, std::uint64_t now) {
    // The answer takes time of the broker's thread: it counts as 16 messages of the account.
    of_account[c.account].tokens -= 16;
    decides.count(now);
    std::vector<listed_job> all;
    for (unsigned j = 0; j < most_jobs; ++j) {
      const connection* const its = by_job[j];
      if (its != nullptr) all.push_back({j, its->account, its->peer.pid, its->facts});
    }
    send(c, answer_to(asked, decides, all, sees_all(c) ? std::nullopt : std::optional(c.account),
                      [this](std::uint64_t account) { return weight_of(account); }));
    return false;
  }

  /// Closes connections that do not become jobs', and hears again those that were muted.
  void look_around(std::uint64_t now) {
    std::vector<int> over;
    for (const auto& [key, c] : connections) {
      if (c->at != stage::member && now - c->since > patience) over.push_back(key);
      if (c->muted && may_send(of_account[c->account], now)) {
        c->muted = false;
        hear(key, key, EPOLLIN, EPOLL_CTL_MOD);
      }
    }
    for (const int key : over) close(key, now);
    if (deaf_until != 0 && now >= deaf_until) {
      deaf_until = 0;
      hear(listener.get(), listener.get(), EPOLLIN, EPOLL_CTL_MOD);
    }
  }

  /// Says on a job's page that the broker works. relaxed: a time by itself.
  static void beat(const made_pages& of, std::uint64_t now) { of.pages.head().beat.store(now, order::relaxed); }
  void beat_all(std::uint64_t now) const {
    for (const connection* c : by_job) {
      if (c != nullptr) beat(*c->pages, now);
    }
  }

  /// Waits until a descriptor has something, or until `due`.
  void wait_until(std::uint64_t due, std::uint64_t now) {
    pollfd p{queue.get(), POLLIN, 0};
    const std::uint64_t ns = due <= now ? 0 : due - now;
    const timespec t{.tv_sec = static_cast<time_t>(ns / (1000 * ms)), .tv_nsec = static_cast<long>(ns % (1000 * ms))};
    ::ppoll(&p, 1, &t, nullptr);
  }

  void run(const std::function<bool()>& stop) {
    std::uint64_t due = 0;
    std::uint64_t looked_at = 0;
    while (!stop()) {
      std::uint64_t now = machine::shared_nanoseconds();
      wait_until(std::min(due, now + longest_rest()), now);
      now = machine::shared_nanoseconds();
      // A broker that itself woke late (stopped, a suspended machine) blames no job for that time.
      if (due != 0 && due != arbiter::never && now > due + how.delays.grace() / 4) decides.excuse(now - due, now);
      std::array<epoll_event, 64> events{};
      bool accepts = false;
      const int n = ::epoll_wait(queue.get(), events.data(), static_cast<int>(events.size()), 0);
      for (int i = 0; i < n; ++i) {
        const int key = events[static_cast<std::size_t>(i)].data.fd;
        if (key == listener.get()) {
          accepts = true;
        } else if (key < 0) {
          close(~key, now);  // the process has ended
        } else if (const auto c = connections.find(key); c != connections.end() && !read(*c->second, now)) {
          close(key, now);
        }
      }
      // Last: a new socket may get the number of one that was closed above.
      if (accepts) accept_all(now);
      if (now - looked_at >= 10 * ms) {
        looked_at = now;
        look_around(now);
        beat_all(now);
        follow_cpus(now);
      }
      due = decides.pass(now);
    }
  }
  /// Takes contexts that are unplugged from their jobs, and divides those that are plugged in again.
  void follow_cpus(std::uint64_t now) {
    if (now - cpus_seen_at < how.delays.p_high) return;
    cpus_seen_at = now;
    if (online.look()) decides.set_cores(open_cores(), now);
    enforces.look_at_guests();
    // A few at a time, in turn: with many jobs a change is found later.
    unsigned looks = 0;
    for (unsigned n = 0; n < most_jobs && looks < most_looks; ++n) {
      looked_at_job = (looked_at_job + 1) % most_jobs;
      if (by_job[looked_at_job] == nullptr) continue;
      ++looks;
      if (by_job[looked_at_job]->control_groups.look()) follow_groups(looked_at_job, now);
    }
  }
  /// A job's process is in other control groups than before, or its cpuset has changed.
  void follow_groups(unsigned job, std::uint64_t now) {
    const connection& c = *by_job[job];
    decides.set_weight(c.account, weight_of(c.account));
    decides.change(job, demand_of(c), now);
  }
  /// Returns how long the broker may sleep although no message comes.
  std::uint64_t longest_rest() const {
    if (anything_open()) return 20 * ms;
    return decides.jobs() != 0 || !how.rules.guest_groups.empty() ? std::min(200 * ms, how.delays.p_high) : 200 * ms;
  }
  bool anything_open() const {
    return deaf_until != 0 || std::ranges::any_of(connections, [](const auto& c) {
             return c.second->muted || c.second->at != stage::member;
           });
  }

  server_settings how;
  const std::vector<unsigned> core_of;
  online_cpus online;
  std::uint64_t cpus_seen_at = 0;
  unsigned looked_at_job = 0;
  std::array<connection*, most_jobs> by_job{};
  std::array<rest_of_job, most_jobs> rests{};
  enforcer enforces;
  arbiter decides;
  descriptor listener;
  descriptor queue;
  std::map<int, std::unique_ptr<connection>> connections;
  std::map<std::uint64_t, account_state> of_account;
  std::uint64_t deaf_until = 0;
};

server::server(server_settings how) : in_(std::make_unique<impl>(std::move(how))) {}
server::~server() {
  for (unsigned j = 0; j < most_jobs; ++j) in_->enforces.free(j);
  in_->enforces.free_guests();
  ::unlink(in_->how.path.c_str());
}
void server::run(const std::function<bool()>& stop) { in_->run(stop); }
void server::adopt(policy rules) { in_->adopt(std::move(rules), machine::shared_nanoseconds()); }
enforcement server::grade() const noexcept { return in_->enforces.grade(); }
unsigned server::jobs() const noexcept { return in_->decides.jobs(); }

}  // namespace callisto::broker

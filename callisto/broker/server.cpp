// Packets in, offers out. No input of a job is trusted: a connection that sends anything but what its state allows is
// closed, and one of an account that sends too much is not read for a while.
//
// 1. *Job:* connects. The kernel says which user and process it is.
// 2. *Job:* sends hello. *Broker:* opens a descriptor of the process, sends the pages and a nonce.
// 3. *Job:* sends the nonce. The kernel adds the sender's process, which must be the one of step 2, alive.
// 4. *Job:* changes its facts. A message of another process (a child with a copy of the socket) is not heeded.
// 5. *Job:* rings, by the bell of the attendant that serves the context. A ring says only that a reply has changed.
// 6. *Job, ends in any way:* its descriptor says so, also if a child keeps the socket. A closed socket ends it, too.
//
// The first thread hears 1 to 4 and 6, the attendants hear 5. `deciding` is held for all that they share.
#include <callisto/broker/server.hpp>

#include <callisto/broker/arbiter.hpp>
#include <callisto/broker/attendants.hpp>
#include <callisto/broker/connection.hpp>
#include <callisto/broker/enforcer.hpp>
#include <callisto/broker/event_queue.hpp>
#include <callisto/broker/job_world.hpp>
#include <callisto/broker/messages.hpp>
#include <callisto/broker/online_cpus.hpp>
#include <callisto/broker/sockets.hpp>
#include <callisto/broker/usage_pages.hpp>
#include <callisto/cosched/current_assignment.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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
constexpr unsigned no_attendant = ~0u;

}  // namespace

struct server::impl {
  explicit impl(server_settings s)
      : how(std::move(s)),
        core_of(cores_of_machine()),
        online(how.online),
        enforces(how.path, how.for_all_users, how.root),
        jobs(enforces, decides, of_account, how.delays),
        decides(open_cores(), how.delays, jobs),
        serving(contexts()),
        due(attendants_of(contexts()), arbiter::never) {
    listener = how.listener >= 0 ? descriptor(how.listener) : listen_at(how.path, how.for_all_users);
    if (!queue.add(listener.get(), listener.get())) throw error(std::string("epoll: ") + std::strerror(errno));
    enforces.free_what_a_killed_broker_left(how.path, how.root);
    enforces.keep_guests(how.rules);
    decides.set_limit(how.rules.contexts_of_user);
    come_first();
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
      files.rlim_cur = files.rlim_max;
      ::setrlimit(RLIMIT_NOFILE, &files);
    }
  }

  unsigned contexts() const noexcept { return static_cast<unsigned>(core_of.size()); }

  // --- the policy

  /// Returns core_of without contexts that are reserved or unplugged.
  std::vector<unsigned> open_cores() const {
    std::vector<unsigned> open = core_of;
    for (unsigned c = 0; c < open.size(); ++c) {
      if (how.rules.reserved.has(c) || !online.has(c)) open[c] = cosched::no_core;
    }
    return open;
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
  void adopt(policy next) {
    const std::scoped_lock held(deciding);
    const std::uint64_t now = machine::shared_nanoseconds();
    how.rules = std::move(next);
    for (const auto& [account, its] : of_account) {
      if (its.jobs != 0) decides.set_weight(account, weight_of(account));
    }
    decides.set_limit(how.rules.contexts_of_user);
    decides.set_cores(open_cores(), now);
    enforces.keep_guests(how.rules);
    rouse_all_but(no_attendant);
  }

  // --- connections

  void accept_all(std::uint64_t now) {
    for (;;) {
      descriptor its(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (its.get() < 0) {
        // Without descriptors the next ones wait; those that are there go on.
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
          queue.set(listener.get(), listener.get(), false);
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
      if (!queue.add(key, key)) continue;
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
      jobs.by_number[c.job] = nullptr;
    }
    connections.erase(found);
  }

  bool may_send(account_state& its, std::uint64_t now) const {
    return its.take_token(how.rules.most_messages(contexts()), now);
  }

  /// Hears a connection no more until its account may send again; or hears it again.
  void mute(connection& c, bool muted) {
    c.muted = muted;
    const int key = c.socket.get();
    queue.set(key, key, !muted);
    for (unsigned a = 0; a < c.bells.size(); ++a) serving.queue(a).set(c.bells[a].get(), key, !muted);
  }

  /// Reads what a connection has sent, at most some messages. False: the connection is to be closed.
  bool read(connection& c, std::uint64_t now) {
    for (unsigned turn = 0; turn < 64; ++turn) {
      if (!may_send(of_account[c.account], now)) {
        mute(c, true);
        return true;
      }
      const packet got = receive_packet(c.socket.get());
      if (got.is_none) return true;
      if (got.is_fault) return false;
      // A process with a copy of the socket, such as a child, is not the job.
      if (got.sender != c.peer.pid) continue;
      if (!heed(c, got.bytes(), now)) return false;
    }
    return true;
  }

  /// Reads the rings that came by a bell, at most some. False: the connection is to be closed.
  bool read_bell(connection& c, unsigned attendant, std::uint64_t now) {
    const stretch its = contexts_of_attendant(attendant, contexts());
    for (unsigned turn = 0; turn < 64; ++turn) {
      if (!may_send(of_account[c.account], now)) {
        mute(c, true);
        return true;
      }
      std::array<std::byte, sizeof(ring) + 1> bytes{};
      const ssize_t got = ::recv(c.bells[attendant].get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got < 0) return errno == EAGAIN || errno == EINTR;
      if (got == 0) {
        // The job has closed its end: the clock alone shows the broker a change there.
        c.bells[attendant] = descriptor();
        return true;
      }
      const std::optional<any_message> m = parse(std::span(bytes).first(static_cast<std::size_t>(got)));
      const auto* const r = m ? std::get_if<ring>(&*m) : nullptr;
      if (r == nullptr || r->context < its.first || r->context >= its.last) return false;
      decides.rung(c.job, r->context, now);
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
    c.pages = make_pages(contexts());
    std::vector<descriptor> theirs = make_bells(c.bells, attendants_of(contexts()));
    if (!c.pages || theirs.empty() || ::getrandom(&c.nonce, sizeof c.nonce, 0) != sizeof c.nonce) {
      return turn_away(c, refusal_reason::full);
    }
    c.facts = said.facts;
    c.groups = groups_of(c.socket.get(), c.peer);
    const welcome answer{.nonce = c.nonce, .contexts = contexts()};
    std::vector<int> fds{c.pages->offers.get(), c.pages->replies.get()};
    for (const descriptor& d : theirs) fds.push_back(d.get());
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
    while (next < most_jobs && (jobs.by_number[next] != nullptr || next == cosched::no_job)) ++next;
    if (next == most_jobs) return false;
    jobs.by_number[next] = &c;
    jobs.rests[next] = rest_of_job(c.peer.pid);
    c.pages->pages.head().number.store(next, order::relaxed);  // relaxed: for people
    beat(*c.pages, now);
    c.control_groups = process_groups(c.peer.pid, how.root);
    const auto job = decides.join(c.account, weight_of(c.account), demand_of(c), now);
    if (job != next || !queue.add(c.process.get(), ~c.socket.get())) throw error("a job's number or process");
    for (unsigned a = 0; a < c.bells.size(); ++a) serving.queue(a).add(c.bells[a].get(), c.socket.get());
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

  bool tell_usage(const connection& c, const ask_usage& asked, std::uint64_t now) {
    // The answer takes time of the broker's thread: it counts as 16 messages of the account.
    of_account[c.account].tokens -= 16;
    decides.count(now);
    std::vector<listed_job> all;
    for (unsigned j = 0; j < most_jobs; ++j) {
      const connection* const its = jobs.by_number[j];
      if (its != nullptr) all.push_back({j, its->account, its->peer.pid, its->facts});
    }
    const bool sees_all = !how.for_all_users || how.rules.lets_see_all(c.peer.uid, groups_of(c.socket.get(), c.peer));
    send(c, answer_to(asked, decides, all, sees_all ? std::nullopt : std::optional(c.account),
                      [this](std::uint64_t account) { return weight_of(account); }));
    return false;
  }

  /// Closes connections that do not become jobs', and hears again those that were muted.
  void look_around(std::uint64_t now) {
    std::vector<int> over;
    for (const auto& [key, c] : connections) {
      if (c->at != stage::member && now - c->since > patience) over.push_back(key);
      if (c->muted && may_send(of_account[c->account], now)) mute(*c, false);
    }
    for (const int key : over) close(key, now);
    if (deaf_until != 0 && now >= deaf_until) {
      deaf_until = 0;
      queue.set(listener.get(), listener.get(), true);
    }
  }

  /// Says on a job's page that the broker works. relaxed: a time by itself.
  static void beat(const made_pages& of, std::uint64_t now) { of.pages.head().beat.store(now, order::relaxed); }
  void beat_all(std::uint64_t now) const {
    for (const connection* c : jobs.by_number) {
      if (c != nullptr) beat(*c->pages, now);
    }
  }

  // --- the threads
  stretch group_of(unsigned attendant) const noexcept { return contexts_of_attendant(attendant, contexts()); }

  /// A broker that itself woke late (stopped, a suspended machine) blames no job for that time.
  void excuse_what_was_late(std::uint64_t now) {
    for (unsigned a = 0; a < due.size(); ++a) {
      if (due[a] == arbiter::never || now <= due[a] + how.delays.grace() / 4) continue;
      decides.excuse(group_of(a), now - due[a], now);
      due[a] = now;
    }
  }
  /// Wakes attendants that have something to do earlier than they know.
  void rouse_all_but(unsigned self) {
    for (unsigned a = 0; a < due.size(); ++a) {
      const std::uint64_t then = a == self ? due[a] : decides.due(group_of(a));
      if (then >= due[a]) continue;
      due[a] = then;
      serving.nudge(a);
    }
  }

  /// Hears bells for an attendant, and decides where time has changed something.
  std::uint64_t serve(unsigned attendant, std::span<const int> keys) {
    const std::scoped_lock held(deciding);
    const std::uint64_t now = machine::shared_nanoseconds();
    excuse_what_was_late(now);
    for (const int key : keys) {
      const auto c = connections.find(key);
      if (c == connections.end() || c->second->at != stage::member) continue;
      if (!read_bell(*c->second, attendant, now)) close(key, now);
    }
    due[attendant] = decides.pass(group_of(attendant), now);
    rouse_all_but(attendant);
    return due[attendant];
  }

  /// Hears connections, and looks at jobs from time to time, until `stop()`.
  void run(const std::function<bool()>& stop) {
    const attendants::service service = [this](unsigned a, std::span<const int> keys) { return serve(a, keys); };
    serving.start(service);
    const struct at_end {
      attendants& of;
      ~at_end() { of.end(); }
    } ends{serving};
    std::uint64_t looked_at = 0;
    std::uint64_t rest = 0;
    while (!stop()) {
      const std::span<const int> keys = queue.wait(machine::shared_nanoseconds() + rest);
      std::unique_lock held(deciding);
      const std::uint64_t now = machine::shared_nanoseconds();
      excuse_what_was_late(now);
      bool accepts = false;
      for (const int key : keys) {
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
        follow_cpus(now, held);
      }
      rest = longest_rest();
      rouse_all_but(no_attendant);
    }
  }
  /// Takes contexts that are unplugged from their jobs, and divides those that are plugged in again. Looks at control
  /// groups without the lock in between: an attendant waits for one look at most.
  void follow_cpus(std::uint64_t now, std::unique_lock<std::mutex>& held) {
    if (now - cpus_seen_at < how.delays.p_high) return;
    cpus_seen_at = now;
    if (online.look()) {
      decides.set_cores(open_cores(), now);
      serving.bind_again();
    }
    enforces.look_at_guests();
    // A few at a time, in turn: with many jobs a change is found later.
    unsigned looks = 0;
    for (unsigned n = 0; n < most_jobs && looks < most_looks; ++n) {
      looked_at_job = (looked_at_job + 1) % most_jobs;
      if (jobs.by_number[looked_at_job] == nullptr) continue;
      ++looks;
      if (jobs.by_number[looked_at_job]->control_groups.look()) follow_groups(looked_at_job, now);
      decides.count(now);
      decides.set_overrun(looked_at_job, jobs.overruns(looked_at_job, now), now);
      held.unlock();
      held.lock();
    }
  }
  /// A job's process is in other control groups than before, or its cpuset has changed.
  void follow_groups(unsigned job, std::uint64_t now) {
    const connection& c = *jobs.by_number[job];
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
  mutable std::mutex deciding;  ///< guards all but `queue`
  enforcer enforces;
  std::map<std::uint64_t, account_state> of_account;
  job_world jobs;
  arbiter decides;
  descriptor listener;
  event_queue queue;  ///< of the first thread
  attendants serving;
  std::vector<std::uint64_t> due;                          ///< by attendant: when it wakes at the latest
  std::map<int, std::unique_ptr<connection>> connections;  ///< by a key: a socket's number; its complement: a process's
  std::uint64_t deaf_until = 0;
};

server::server(server_settings how) : in_(std::make_unique<impl>(std::move(how))) {}
server::~server() {
  for (unsigned j = 0; j < most_jobs; ++j) in_->enforces.free(j);
  in_->enforces.free_guests();
  if (in_->how.listener < 0) ::unlink(in_->how.path.c_str());
}
void server::run(const std::function<bool()>& stop) { in_->run(stop); }
void server::adopt(policy rules) { in_->adopt(std::move(rules)); }
enforcement server::grade() const noexcept { return in_->enforces.grade(); }
unsigned server::jobs() const noexcept {
  const std::scoped_lock held(in_->deciding);
  return in_->decides.jobs();
}

}  // namespace callisto::broker

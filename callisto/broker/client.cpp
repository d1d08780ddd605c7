// The handshake, the job's steps on its pages, and what it does when its broker dies: it keeps what it has and takes
// nothing more; after the grace period its threads run as if none shared; each second it tries to connect again.
#include <callisto/broker/client.hpp>

#include <callisto/broker/context_groups.hpp>
#include <callisto/broker/messages.hpp>
#include <callisto/broker/pages.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/process_name.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

using cosched::lease;
using machine::descriptor;
using machine::order;

constexpr std::uint64_t second = 1'000'000'000;
/// The longest silence of a working broker, which says each 0.2 s that it works; and for how long the job must have
/// seen it silent: a job that itself woke late (stopped, a suspended machine) blames no broker for that.
constexpr std::uint64_t silence = 6 * second / 10;
constexpr std::uint64_t seen_silent = 2 * second / 10;
constexpr std::uint64_t between_looks = 5'000'000;  ///< at whether the broker lives, in nanoseconds

std::uint64_t now_ns() noexcept { return machine::shared_nanoseconds(); }

/// The pages of one connection with a broker.
struct session {
  descriptor socket;
  std::array<descriptor, most_attendants> bells;
  pair_of_pages pages;
  unsigned contexts = 0;
};

const char* words_of(refusal_reason why) noexcept {
  switch (why) {
    case refusal_reason::version:
      return "it speaks another version of the protocol";
    case refusal_reason::full:
      return "it has no room for another job";
    case refusal_reason::user_full:
      return "this user has as many jobs as it allows (jobs_per_user)";
    default:
      return "it does not know this process";
  }
}

struct answer {
  std::optional<any_message> message;
  std::array<descriptor, 2 + most_attendants> descriptors;  ///< the pages', then the bells
  bool late = false;                                        ///< nothing came in time
};

/// Receives one message, with the descriptors of a welcome at most.
answer receive(int socket) {
  std::array<std::byte, most_bytes_of_all + 1> bytes{};
  iovec all{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE((2 + most_attendants) * sizeof(int))> control{};
  msghdr m{};
  m.msg_iov = &all;
  m.msg_iovlen = 1;
  m.msg_control = control.data();
  m.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
  answer a;
  a.late = got < 0 && errno == EAGAIN;
  for (cmsghdr* c = got < 0 ? nullptr : CMSG_FIRSTHDR(&m); c != nullptr; c = CMSG_NXTHDR(&m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    std::array<int, 2 + most_attendants> fds{};
    const std::size_t bytes_of_fds = std::min(sizeof fds, c->cmsg_len - CMSG_LEN(0));
    std::memcpy(fds.data(), CMSG_DATA(c), bytes_of_fds);
    for (std::size_t i = 0; i < bytes_of_fds / sizeof(int); ++i) {
      a.descriptors[i] = descriptor(fds[i]);
      // The numbers of the standard streams, where a program has closed them, are not for bells.
      if (fds[i] < 3) a.descriptors[i] = descriptor(::fcntl(fds[i], F_DUPFD_CLOEXEC, 3));
    }
  }
  if (got > 0 && (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) {
    a.message = parse(std::span(bytes).first(static_cast<std::size_t>(got)));
  }
  return a;
}

template <class Message>
bool send(int socket, const Message& m) noexcept {
  const auto bytes = bytes_of(m);
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

/// Connects, and says hello; null: there is no broker that can be trusted there. Unless it `waits`, no call on the
/// socket ever blocks.
std::unique_ptr<session> knock(const std::string& path, const job_facts& facts, bool waits) {
  auto made = std::make_unique<session>();
  made->socket = descriptor(connect_to_broker(path, waits));
  if (made->socket.get() < 0 || !send(made->socket.get(), hello{.facts = facts})) return nullptr;
  return made;
}

/// Hears the answer, and confirms it. `late`: there is none yet. False without that: the broker cannot be trusted, or
/// it refuses and `refusal` says why.
bool hear_answer(session& of, const std::string& path, std::string& refusal, bool& late) {
  answer a = receive(of.socket.get());
  late = a.late;
  if (!a.message) return false;
  if (const auto* const no = std::get_if<broker::refusal>(&*a.message)) {
    refusal = path + ": " + words_of(no->reason);
    return false;
  }
  const auto* const yes = std::get_if<welcome>(&*a.message);
  std::string fault;
  if (yes == nullptr) return false;
  std::optional<pair_of_pages> pages =
      accept_pages(a.descriptors[0].get(), a.descriptors[1].get(), yes->contexts, fault);
  for (unsigned b = 0; b < attendants_of(yes->contexts); ++b) {
    of.bells[b] = std::move(a.descriptors[2 + b]);
    if (of.bells[b].get() < 0) return false;
  }
  if (!pages || !send(of.socket.get(), confirm{.nonce = yes->nonce})) return false;
  of.pages = *std::move(pages);
  of.contexts = yes->contexts;
  return true;
}

/// Does both, and waits for the answer: when the program begins, 2 s on a busy machine, since a job that has no answer
/// then shares with no broker's job. Later half a second, since threads with work wait.
std::unique_ptr<session> enter(const std::string& path, const job_facts& facts, std::string& refusal) {
  static native::atomic<unsigned> tried{0};
  std::unique_ptr<session> made = knock(path, facts, true);
  if (made == nullptr) return nullptr;
  // relaxed: it only elects one caller.
  if (tried.exchange(1, order::relaxed) == 0) {
    const timeval long_enough{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(made->socket.get(), SOL_SOCKET, SO_RCVTIMEO, &long_enough, sizeof long_enough);
  }
  bool late = false;
  return hear_answer(*made, path, refusal, late) ? std::move(made) : nullptr;
}

class link final : public cosched::broker_link {
 public:
  link(std::string path, const job_facts& facts, const cosched::timing& delays, std::unique_ptr<session> first)
      : path_(std::move(path)), delays_(delays), facts_(facts) {
    now_.store(first.get(), order::relaxed);
    all_.push_back(std::move(first));
  }

  const std::string& path() const noexcept override { return path_; }
  unsigned number() const noexcept override {
    return static_cast<unsigned>(here().pages.head().number.load(order::relaxed));  // relaxed: for people
  }
  std::uint64_t generation() const noexcept override {
    // acquire: pairs with the broker's release, so that what it told before is visible.
    return here().pages.head().generation.load(order::acquire);
  }
  const native::atomic<std::uint64_t>& generation_word() const noexcept override {
    return here().pages.head().generation;
  }
  bool alone() const noexcept override {
    return here().pages.head().alone.load(order::relaxed) != 0;  // relaxed, these three: a picture of one moment
  }
  unsigned main_context() const noexcept override {
    const std::uint64_t main = here().pages.head().main.load(order::relaxed);
    return main == 0 || main > here().contexts ? cosched::context_assignment::no_context
                                               : static_cast<unsigned>(main - 1);
  }
  double share_of(unsigned context) const noexcept override {
    const session& s = here();
    return context >= s.contexts ? 0 : static_cast<double>(s.pages.offer(context).share.load(order::relaxed)) * 0x1p-32;
  }

  bool is_lost() override {
    const std::uint64_t lost = lost_at_.load(order::relaxed);  // relaxed: a time by itself
    if (lost == 0) return is_silent();
    if (now_ns() - lost < delays_.grace()) return false;
    return !comes_back();
  }

  void look_after() override {
    const std::uint64_t now = now_ns();
    std::uint64_t last = looked_at_.load(order::relaxed);  // relaxed, both: only paces
    if (lost_at_.load(order::relaxed) != 0 || now - last < between_looks ||
        !looked_at_.compare_exchange(last, now, order::relaxed)) {
      return;
    }
    char byte = 0;
    const ssize_t got = ::recv(here().socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) lost();
  }

  void tell(const cosched::context_set& contexts, std::uint64_t main, unsigned weight) override {
    const std::scoped_lock held(telling_);
    facts_.main = static_cast<std::uint32_t>(main);
    facts_.weight = std::max(1u, weight);
    for (unsigned i = 0; i < cosched::context_set::words; ++i) facts_.contexts[i] = contexts.word(i);
    // A full socket: the broker has not read for a while. Repeated at the next change.
    send(here().socket.get(), change{.facts = facts_});
  }

  void leave() override { ::shutdown(here().socket.get(), SHUT_RDWR); }
  void abandon() noexcept override {
    session& s = *now_.load(order::relaxed);
    s.socket = descriptor();
    for (descriptor& b : s.bells) b = descriptor();
    s.pages.offers.make_private();
    s.pages.replies.make_private();
  }

  const native::atomic<std::uint64_t>& word(unsigned context) const noexcept override {
    const session& s = here();
    return context < s.contexts ? s.pages.offer(context).word : unknown_;
  }
  bool keep(unsigned context, lease& mine, bool gives) override {
    look_after();
    const session& s = here();
    if (context >= s.contexts || is_lost()) return true;
    world w{*this, s};
    return side(s, context).keep(w, mine, gives);
  }
  bool take(unsigned context, lease& mine, const std::function<bool()>& give_up, std::uint64_t longest) override {
    for (;;) {
      const session& s = here();
      if (context >= s.contexts) return true;
      world w{*this, s};
      std::uint64_t seen = 0;
      if (side(s, context).try_take(w, mine, seen)) return true;
      look_after();
      if (is_lost()) return true;
      if (give_up()) {
        side(s, context).withdraw(w);
        return false;
      }
      w.park(s.pages.offer(context).word, static_cast<std::uint32_t>(seen), std::min(longest, delays_.p_high));
    }
  }
  void idle(unsigned context) override {
    const session& s = here();
    world w{*this, s};
    if (context < s.contexts) side(s, context).idle(w);
  }
  void leave_context(unsigned context) override {
    const session& s = here();
    world w{*this, s};
    if (context < s.contexts) side(s, context).leave(w);
  }
  void wake_waiters(unsigned context) override {
    const session& s = here();
    if (context < s.contexts) machine::unpark_shared(s.pages.offer(context).word, ~0u);
  }

 private:
  /// The system, as the steps of job_side need it.
  struct world {
    link& of;
    const session& in;
    static std::uint64_t now() noexcept { return now_ns(); }
    void ring(unsigned context) const noexcept {
      // A full bell: the attendant has rings to read, and looks at the clock meanwhile.
      const descriptor& bell = in.bells[attendant_of(context, in.contexts)];
      if (!send(bell.get(), broker::ring{.context = context}) && errno != EAGAIN) of.lost();
    }
    static void park(const native::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t ns) noexcept {
      machine::park_shared(word, low, ns, ~0u);
    }
  };

  /// True if the broker is there, and stopped. Its jobs do without it until it works again.
  bool is_silent() noexcept {
    const std::uint64_t beat = here().pages.head().beat.load(order::relaxed);  // relaxed, all: times by themselves
    const std::uint64_t now = now_ns();
    if (beat == 0 || beat >= now || now - beat <= silence) return false;
    std::uint64_t since = silent_since_.load(order::relaxed);
    if (since < beat) {
      silent_since_.compare_exchange(since, now, order::relaxed);
      return false;
    }
    return since < now && now - since > seen_silent;
  }

  /// Returns the newest session. acquire: pairs with the release in comes_back().
  const session& here() const noexcept { return *now_.load(order::acquire); }
  static job_side<native> side(const session& s, unsigned context) noexcept {
    return {s.pages.offer(context), s.pages.reply(context), context};
  }
  void lost() noexcept {
    std::uint64_t none = 0;
    lost_at_.compare_exchange(none, now_ns(), order::relaxed);
  }
  /// True if there is a broker again. Tries once a second, and waits for nothing: threads with work call this.
  bool comes_back() {
    const std::unique_lock held(telling_, std::try_to_lock);
    const std::uint64_t now = now_ns();
    if (!held || lost_at_.load(order::relaxed) == 0) return lost_at_.load(order::relaxed) == 0;
    if (next_ == nullptr || now - tried_at_ >= second) {
      if (now - tried_at_ < second) return false;
      tried_at_ = now;
      next_ = knock(path_, facts_, false);
      if (next_ == nullptr) return false;
    }
    std::string refusal;
    bool late = false;
    if (!hear_answer(*next_, path_, refusal, late)) {
      if (!late) next_.reset();
      return false;
    }
    now_.store(next_.get(), order::release);
    // Seats may still read words of earlier sessions.
    all_.push_back(std::move(next_));
    lost_at_.store(0, order::relaxed);
    return true;
  }

  const std::string path_;
  const cosched::timing delays_;
  native::atomic<session*> now_{nullptr};
  native::atomic<std::uint64_t> lost_at_{0};  ///< 0: there is a broker
  native::atomic<std::uint64_t> looked_at_{0};
  const native::atomic<std::uint64_t> unknown_{0};  ///< the word of contexts that the broker does not know
  native::atomic<std::uint64_t> silent_since_{0};   ///< when this job first saw that the broker is silent
  std::mutex telling_;                              ///< guards the next four
  job_facts facts_;
  std::uint64_t tried_at_ = 0;
  std::unique_ptr<session> next_;  ///< has said hello, and not been answered yet
  std::vector<std::unique_ptr<session>> all_;
};

job_facts facts_of(const cosched::membership& how) {
  job_facts f;
  f.weight = how.weight;
  f.main = how.main && *how.main < cosched::max_contexts ? *how.main + 1 : 0;
  for (const unsigned c : how.contexts) {
    if (c < cosched::max_contexts) f.contexts[c / 64] |= std::uint64_t{1} << (c % 64);
  }
  f.name = machine::process_name();
  return f;
}

}  // namespace

std::vector<std::string> broker_places() {
  if (const std::string_view only = machine::file_variable("CALLISTO_COSCHED_DIR"); !only.empty()) {
    return {std::string(only) + "/broker"};
  }
  return {"/run/callisto/broker", "/run/user/" + std::to_string(::getuid()) + "/callisto-broker"};
}

namespace {

/// True if this process is in a user namespace, and `peer` is its name for all users outside. There the kernel does not
/// tell root from other users: so the folder around the socket must be such a user's, and writable for that user alone.
/// In a container it is there if the container's maker has mounted it.
bool is_outside_of_namespace(uid_t peer, const std::string& path) {
  using machine::contents_of;
  const auto outside = machine::to_number(contents_of("/proc/sys/kernel/overflowuid").value_or(""));
  if (!outside || *outside != static_cast<std::int64_t>(peer)) return false;
  std::istringstream map(contents_of("/proc/self/uid_map").value_or("0 0 4294967295"));
  std::uint64_t first = 0, theirs = 0, count = 0;
  if (!(map >> first >> theirs >> count) || (first == 0 && theirs == 0 && count == 4'294'967'295)) return false;
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (real == nullptr) return false;
  const std::string folder = std::string(real.get()).substr(0, std::string_view(real.get()).rfind('/'));
  struct stat is{};
  return ::stat(folder.c_str(), &is) == 0 && is.st_uid == peer && (is.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

int connect_to_broker(const std::string& path, bool waits) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  // One cheap call where there is no broker.
  if (path.size() >= sizeof to.sun_path || ::access(path.c_str(), W_OK) != 0) return -1;
  std::memcpy(to.sun_path, path.c_str(), path.size() + 1);
  descriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (waits ? 0 : SOCK_NONBLOCK), 0));
  const timeval half{.tv_sec = 0, .tv_usec = 500'000};
  ::setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &half, sizeof half);
  ::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &half, sizeof half);
  ucred its{};
  socklen_t size = sizeof its;
  if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 ||
      ::getsockopt(made.get(), SOL_SOCKET, SO_PEERCRED, &its, &size) != 0 ||
      (its.uid != 0 && its.uid != ::geteuid() && !is_outside_of_namespace(its.uid, path))) {
    return -1;
  }
  return ::fcntl(made.get(), F_DUPFD_CLOEXEC, 3);
}

bool listens_at(const std::string& path) { return descriptor(connect_to_broker(path)).get() >= 0; }

std::string socket_left() {
  for (const std::string& path : broker_places()) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    struct stat is{};
    if (path.size() >= sizeof to.sun_path || ::stat(path.c_str(), &is) != 0 || !S_ISSOCK(is.st_mode) ||
        (is.st_uid != 0 && is.st_uid != ::geteuid())) {
      continue;
    }
    std::memcpy(to.sun_path, path.c_str(), path.size() + 1);
    const descriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (made.get() >= 0 && ::connect(made.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 &&
        errno == ECONNREFUSED) {
      return path;
    }
  }
  return {};
}

std::optional<broker_report> ask_for_report() {
  for (const std::string& path : broker_places()) {
    const descriptor socket(connect_to_broker(path));
    if (socket.get() < 0 || !send(socket.get(), ask_report())) continue;
    const answer a = receive(socket.get());
    if (a.late) return broker_report{.path = path, .says = {}, .answers = false};
    if (!a.message) continue;
    if (const auto* const says = std::get_if<report>(&*a.message)) return broker_report{.path = path, .says = *says};
  }
  return std::nullopt;
}

namespace {

/// Asks for one page. A broker closes connections of a process that says nothing for long, as may happen under load,
/// and those of a user that has too many: then again.
std::optional<usage_page> page_of(const std::string& path, const ask_usage& question) {
  for (unsigned turn = 0; turn < 3; ++turn) {
    const descriptor socket(connect_to_broker(path));
    if (socket.get() < 0 || !send(socket.get(), question)) continue;
    const answer a = receive(socket.get());
    if (a.late) return std::nullopt;
    const auto* const page = a.message ? std::get_if<usage_page>(&*a.message) : nullptr;
    if (page != nullptr && page->what == question.what) return *page;
  }
  return std::nullopt;
}

}  // namespace

std::optional<broker_usage> ask_for_usage(const std::string& path) {
  constexpr std::size_t most_lines = 65'536;
  broker_usage made;
  for (const usage_of what : {usage_of::jobs, usage_of::users}) {
    std::vector<usage_line>& to = what == usage_of::jobs ? made.jobs : made.users;
    for (ask_usage question{.what = what};;) {
      const std::optional<usage_page> page = page_of(path, question);
      if (!page) return std::nullopt;
      made.all_users = page->all_users != 0;
      to.insert(to.end(), page->lines.begin(), page->lines.begin() + page->count);
      // A broker that is none could go on for ever.
      if (page->next == usage_page::no_more || page->next <= question.from || to.size() >= most_lines) break;
      question.from = page->next;
    }
  }
  return made;
}

std::optional<cosched::context_set> ask_for_place() {
  for (const std::string& path : broker_places()) {
    const descriptor socket(connect_to_broker(path));
    if (socket.get() < 0 || !send(socket.get(), ask_place())) continue;
    const answer a = receive(socket.get());
    const auto* const its = a.message ? std::get_if<place>(&*a.message) : nullptr;
    return its == nullptr ? std::nullopt : std::optional(contexts_of(*its));
  }
  return std::nullopt;
}

std::unique_ptr<cosched::broker_link> find(const cosched::membership& how, std::string& refusal) {
  const job_facts facts = facts_of(how);
  for (const std::string& path : broker_places()) {
    if (std::unique_ptr<session> first = enter(path, facts, refusal)) {
      return std::make_unique<link>(path, facts, how.delays, std::move(first));
    }
    if (!refusal.empty()) return nullptr;
  }
  return nullptr;
}

}  // namespace callisto::broker

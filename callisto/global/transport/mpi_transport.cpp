// The transport on MPI: nonblocking sends and receives of bytes, through a plugin.
#include <callisto/global/transport/mpi_plugin.hpp>
#include <callisto/global/transport/node_memory.hpp>
#include <callisto/global/transport/open.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace callisto::global {

namespace {

constexpr int packet_tag = 1;
constexpr int control_tag = 2;
constexpr int packet_slots = mpi_receive_slots - 1;
constexpr int control_slot = packet_slots;
constexpr int control_sends = 4;  ///< send slots that packets leave free

/// The message of each rank to all other ranks at the start.
struct introduction {
  std::uint64_t program = 0;
  std::int32_t node_leader = 0;
  std::int32_t has_memory = 0;
  char host[64] = {};
  char path[160] = {};                          ///< of the node's memory, from its leader
  std::array<std::uint64_t, 64> contexts = {};  ///< that it may run on, a bit each
};

/// Counts the messages of one rank.
struct mpi_traffic {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

class mpi_transport final : public transport {
 public:
  mpi_transport(const callisto_mpi_functions& mpi, std::uint64_t program) : mpi_(mpi) {
    open_.store(true, std::memory_order_relaxed);  // relaxed: main alone makes sessions
    // A launcher that is killed takes its ranks along.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    callisto_mpi_place place{};
    if (const char* wrong = mpi_.start(&place); wrong != nullptr)
      throw usage_error(std::string("callisto::global: ") + mpi_.name + ": " + wrong);
    rank_ = place.rank;
    ranks_ = place.ranks;
    meet(place, program);
    for (int slot = 0; slot < packet_slots; ++slot) post_receive(slot);
    mpi_.receive(control_slot, control_tag, &control_, sizeof control_);
    for (int slot = mpi_send_slots; slot-- > 0;) free_.push_back(slot);
  }

  ~mpi_transport() override { open_.store(false, std::memory_order_relaxed); }      // relaxed: as above
  static bool is_open() noexcept { return open_.load(std::memory_order_relaxed); }  // relaxed: as above

  int rank() const noexcept override { return rank_; }
  int ranks() const noexcept override { return ranks_; }
  int node_of(int rank) const noexcept override { return nodes_[static_cast<std::size_t>(rank)]; }
  std::string host_of(int rank) const override { return hosts_[static_cast<std::size_t>(rank)]; }

  int rivals() const noexcept override { return rivals_; }
  int place_among_rivals() const noexcept override { return place_among_rivals_; }

  packet_pointer take(int to, std::size_t capacity) override {
    if (is_near(to))
      if (packet_pointer p = memory_->take()) return p;
    return pool_.take(capacity);
  }
  void give(packet_pointer p) noexcept override {
    if (p->home >= 0)
      memory_->give(std::move(p));
    else
      pool_.give(std::move(p));
  }

  bool try_send(int to, packet_pointer& p) override {
    if (p->home >= 0 && is_near(to)) {
      memory_->post(places_[static_cast<std::size_t>(to)], std::move(p));
      return true;
    }
    if (free_.size() <= control_sends) collect_sent();
    if (free_.size() <= control_sends) return false;
    const int slot = free_.back();
    free_.pop_back();
    mpi_.send(slot, to, packet_tag, p->bytes(), static_cast<int>(p->size()));
    ++messages_.sent;
    sending_[static_cast<std::size_t>(slot)] = std::move(p);
    ring(to);
    return true;
  }
  packet_pointer sent() override {
    if (sent_.empty() && free_.size() != mpi_send_slots) collect_sent();
    if (sent_.empty()) return nullptr;
    packet_pointer p = std::move(sent_.back());
    sent_.pop_back();
    return p;
  }
  bool sending() const noexcept override { return is_sending_.load(std::memory_order_relaxed); }  // relaxed: a hint

  packet_pointer receive() override {
    // relaxed: wait() compares it with the doorbell, and only sleeps if nothing was rung since this look
    const std::uint32_t rings = memory_ ? memory_->rings() : 0;
    if (memory_) seen_rings_.store(rings, std::memory_order_relaxed);
    const bool is_turn_of_mpi = ++looks_ % 16 == 0;
    if (!is_turn_of_mpi)
      if (packet_pointer p = receive_near()) return p;
    // From ranks of this node, MPI carries what found no room in the memory, and they ring then. A look costs 0.1 us.
    if (memory_ && is_one_node_ && !is_turn_of_mpi && rings == rings_at_mpi_) return nullptr;
    rings_at_mpi_ = rings;
    if (packet_pointer p = receive_by_mpi()) return p;
    return receive_near();
  }

  void post_control(int to, const control_message& m) override {
    if (free_.empty()) collect_sent();
    if (free_.empty()) return;
    const int slot = free_.back();
    free_.pop_back();
    control_message& kept = controls_[static_cast<std::size_t>(slot)];
    kept = m;
    mpi_.send(slot, to, control_tag, &kept, sizeof kept);
    ++messages_.sent;
  }
  bool take_control(control_message& m) override {
    int source = 0;
    int bytes = 0;
    if (!mpi_.ended_receive(control_slot, &source, &bytes)) return false;
    ++messages_.received;
    m = control_;
    m.source = source;
    mpi_.receive(control_slot, control_tag, &control_, sizeof control_);
    return true;
  }

  void wait(std::chrono::microseconds most) override {
    // Packets of other nodes ring no bell: sleep longer the longer none came.
    if (!is_one_node_ || !memory_) {
      const int times = fruitless_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a hint
      most = std::min(most, std::chrono::microseconds(20 << std::min(times / 8, 5)));
    }
    if (memory_)
      memory_->sleep(seen_rings_.load(std::memory_order_relaxed), most);  // relaxed: see receive()
    else
      std::this_thread::sleep_for(most);
  }
  void wake() noexcept override {
    if (memory_) memory_->ring(place_);
  }

  void say_idle(bool is_idle) noexcept override {
    if (memory_) memory_->say_idle(is_idle);
  }
  bool is_idle(int rank) const noexcept override { return is_near(rank) && memory_->is_idle(place_on_node(rank)); }

  using transport::abort;
  void abort(const std::string& reason, int status) override {
    machine::remove_unfinished_outputs();
    const bool is_first = !memory_ || memory_->take_last_word();
    if (memory_) memory_->say_goodbye();
    // If another rank of this node has aborted, or a rank of rank 0's node does, that ends this process too. If it does
    // not in time, this rank aborts the job; the first rank of a node also tells the reason.
    if (!is_first || node_of(rank_) != node_of(0)) std::this_thread::sleep_for(std::chrono::seconds(2));
    const std::string line = reason + "\n";
    if (is_first && ::write(STDERR_FILENO, line.data(), line.size()) < 0) _exit(status);
    alarm(3);  // ends this process if MPI cannot
    // MPICH's launcher ends all ranks as soon as it is asked, and may not have read this line by then.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    mpi_.abort(status);
    _exit(status);
  }
  void leave() override {
    if (memory_) memory_->say_goodbye();
    receive_the_rest();
    while (free_.size() != mpi_send_slots) collect_sent();
    for (int slot = 0; slot < mpi_receive_slots; ++slot) mpi_.cancel_receive(slot);
    mpi_.finish();
  }

  bool owns_process() const noexcept override { return true; }
  node_memory* memory() noexcept override { return memory_ ? &*memory_ : nullptr; }
  int place_on_node(int rank) const noexcept override { return places_[static_cast<std::size_t>(rank)]; }

 private:
  packet_pointer receive_near() noexcept {
    packet_pointer p = memory_ ? memory_->receive() : nullptr;
    if (p != nullptr && p->size() > p->capacity) p->header() = packet_header{};  // damaged, and handled as such
    return p;
  }
  packet_pointer receive_by_mpi() {
    int source = 0;
    int bytes = 0;
    if (!mpi_.ended_receive(next_, &source, &bytes)) return nullptr;
    ++messages_.received;
    fruitless_.store(0, std::memory_order_relaxed);  // relaxed: a hint for wait()
    packet_pointer p = std::move(receiving_[static_cast<std::size_t>(next_)]);
    p->peer = source;
    // The header counts the bytes; a packet of another length is damaged, and handled as such.
    if (bytes < static_cast<int>(sizeof(packet_header))) p->header() = packet_header{};
    if (static_cast<int>(p->size()) != bytes) p->header().magic = 0;
    post_receive(next_);
    next_ = (next_ + 1) % packet_slots;
    return p;
  }

  void meet(const callisto_mpi_place& place, std::uint64_t program) {
    introduction mine;
    mine.program = program;
    mine.node_leader = place.node_leader;
    gethostname(mine.host, sizeof mine.host - 1);
    for (const unsigned c : machine::limits::current().cpus) mine.contexts[c / 64 % 64] |= std::uint64_t{1} << c % 64;
    const bool is_leader = place.node_leader == place.rank;
    if (is_leader) std::snprintf(mine.path, sizeof mine.path, "%s", node_memory::new_path().c_str());
    std::vector<introduction> all(static_cast<std::size_t>(ranks_));
    mpi_.gather(&mine, all.data(), sizeof mine);
    std::map<int, int> nodes;
    std::map<int, int> populations;
    for (const introduction& i : all) {
      nodes_.push_back(nodes.emplace(i.node_leader, static_cast<int>(nodes.size())).first->second);
      places_.push_back(populations[i.node_leader]++);
      hosts_.emplace_back(i.host);
      bool meets = false;
      for (std::size_t w = 0; w != mine.contexts.size(); ++w) meets |= (mine.contexts[w] & i.contexts[w]) != 0;
      if (i.node_leader != place.node_leader || !meets) continue;
      if (hosts_.size() == static_cast<std::size_t>(rank_) + 1) place_among_rivals_ = rivals_;
      ++rivals_;
    }
    is_one_node_ = nodes.size() == 1;
    place_ = places_[static_cast<std::size_t>(rank_)];
    // The leader makes the node's memory before other ranks map it; if one rank cannot, no rank uses it.
    const std::string path = all[static_cast<std::size_t>(place.node_leader)].path;
    const auto try_map = [&] {
      try {
        memory_.emplace(path, populations[place.node_leader], place_, is_leader);
        mine.has_memory = 1;
      } catch (const error&) {
        mine.has_memory = 0;
      }
    };
    if (is_leader) try_map();
    mpi_.gather(&mine, all.data(), sizeof mine);
    if (!is_leader) try_map();
    mpi_.gather(&mine, all.data(), sizeof mine);
    if (is_leader && memory_) memory_->hide();
    for (const introduction& i : all)
      if (i.node_leader == place.node_leader && i.has_memory == 0) memory_.reset();
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r].program != all[0].program) {
        const std::string line = "callisto::global: rank " + std::to_string(r) + " at host " + hosts_[r] +
                                 " runs another program than rank 0 at host " + hosts_[0] +
                                 ", or other builds of its libraries; start the same binary everywhere";
        if (rank_ == 0) abort(line, 2);
        std::this_thread::sleep_for(std::chrono::seconds(5));  // rank 0 ends the job
        _exit(2);
      }
  }

  /// Takes what other ranks have sent and the job has no use for: MPICH warns of messages that were not received. No
  /// rank sends from here on, so all is received when as many messages have come as were sent, by all ranks. It is a
  /// barrier, too: no rank takes its receives back before.
  void receive_the_rest() {
    std::vector<mpi_traffic> all(static_cast<std::size_t>(ranks_));
    mpi_traffic together;
    do {
      control_message unused;
      while (take_control(unused)) {
      }
      while (receive_by_mpi() != nullptr) {
      }
      mpi_.gather(&messages_, all.data(), sizeof messages_);
      together = {};
      for (const mpi_traffic& m : all) {
        together.sent += m.sent;
        together.received += m.received;
      }
    } while (together.received != together.sent);
  }

  void post_receive(int slot) {
    packet_pointer p = pool_.take(most_packet);
    mpi_.receive(slot, packet_tag, p->bytes(), static_cast<int>(p->capacity));
    receiving_[static_cast<std::size_t>(slot)] = std::move(p);
  }

  void collect_sent() {
    std::array<int, mpi_send_slots> ended{};
    const int count = mpi_.ended_sends(ended.data());
    for (int i = 0; i < count; ++i) {
      const auto slot = static_cast<std::size_t>(ended[static_cast<std::size_t>(i)]);
      free_.push_back(static_cast<int>(slot));
      if (sending_[slot] != nullptr) sent_.push_back(std::move(sending_[slot]));
    }
    is_sending_.store(free_.size() != mpi_send_slots, std::memory_order_relaxed);  // relaxed: a hint
  }

  /// True if packets in the node's memory reach `to`.
  bool is_near(int to) const noexcept { return memory_ && to >= 0 && to != rank_ && node_of(to) == node_of(rank_); }

  void ring(int to) {
    is_sending_.store(true, std::memory_order_relaxed);  // relaxed: a hint
    if (is_near(to)) memory_->ring(places_[static_cast<std::size_t>(to)]);
  }

  static inline std::atomic<bool> open_{false};  ///< one is there: MPI knows one job a process

  const callisto_mpi_functions& mpi_;
  int rank_ = 0;
  int ranks_ = 1;
  int place_ = 0;
  int rivals_ = 0;
  int place_among_rivals_ = 0;
  bool is_one_node_ = true;
  std::vector<int> nodes_;
  std::vector<int> places_;
  std::vector<std::string> hosts_;
  std::optional<node_memory> memory_;

  std::array<packet_pointer, mpi_send_slots> sending_;
  std::array<control_message, mpi_send_slots> controls_;
  std::vector<int> free_;
  std::vector<packet_pointer> sent_;
  std::array<packet_pointer, packet_slots> receiving_;
  control_message control_;
  mpi_traffic messages_;
  int next_ = 0;  ///< the receive that ends first
  unsigned looks_ = 0;
  std::uint32_t rings_at_mpi_ = 0;  ///< rings before the last look at MPI
  std::atomic<std::uint32_t> seen_rings_{0};
  std::atomic<int> fruitless_{0};
  std::atomic<bool> is_sending_{false};
};

}  // namespace

std::unique_ptr<transport> open_mpi_plugin(const std::string& path, std::uint64_t program) {
  if (mpi_transport::is_open())
    throw usage_error(
        "callisto::global: a second session, while the first one lives; expected one session in a process");
  // Global: Open MPI loads components that look for its symbols there.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw usage_error("callisto::global: cannot load the MPI plugin: " + std::string(dlerror()) +
                      "; expected an installed MPI, or CALLISTO_MPI");
  const auto functions = reinterpret_cast<const callisto_mpi_functions* (*)()>(dlsym(library, "callisto_mpi"));
  if (functions == nullptr)
    throw usage_error("callisto::global: CALLISTO_MPI: '" + path + "' is no MPI plugin of Callisto");
  const callisto_mpi_functions* mpi = functions();
  if (mpi->version != mpi_plugin_version)
    throw usage_error("callisto::global: CALLISTO_MPI: '" + path + "' is of another version of Callisto");
  return std::make_unique<mpi_transport>(*mpi, program);
}

}  // namespace callisto::global

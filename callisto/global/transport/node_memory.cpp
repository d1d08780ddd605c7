#include <callisto/global/transport/limits.hpp>
#include <callisto/global/transport/node_memory.hpp>

#include <algorithm>
#include <cstdio>
#include <new>

#include <sys/stat.h>
#include <unistd.h>

namespace callisto::global {

using machine::order;

namespace {

using stack = shared_stack<machine::native>;

/// The packets of each rank: 64, or what fits.
std::uint32_t packets_of_each(int places) noexcept {
  const std::size_t fit = rank_limits::node_packets / packet_memory(most_packet) / static_cast<std::size_t>(places);
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(fit, 8, 64));
}

}  // namespace

/// Zeroed memory is a silent bell and empty stacks.
struct alignas(128) node_memory::bell {
  doorbell<machine::native> door;
  machine::native::atomic<std::uint32_t> goodbye;
  machine::native::atomic<std::uint32_t> process;
  machine::native::atomic<std::uint64_t> world;  ///< of the process's number
  alignas(128) stack inbox;                      ///< packets for this rank
  alignas(128) stack returned;                   ///< packets of this rank that other ranks have handled
  alignas(128) machine::native::atomic<std::uint32_t> idle;
  machine::native::atomic<std::uint32_t> last_word;  ///< of the leader's place: a rank of the node has told its end
};

std::string node_memory::new_path() {
  return machine::shared_folders().front() + "/callisto-global-" + std::to_string(getpid()) + "-" +
         std::to_string(machine::shared_nanoseconds());
}

namespace {

/// Returns a number of the namespace in which this process has its number.
std::uint64_t world_of_processes() noexcept {
  struct stat of{};
  return stat("/proc/self/ns/pid", &of) == 0 ? of.st_ino : 0;
}

/// Where the parts of the memory begin: bells, links of packets, packets.
struct parts {
  parts(int places, std::size_t bell) noexcept {
    const std::size_t packets = static_cast<std::size_t>(places) * packets_of_each(places);
    links = bell * static_cast<std::size_t>(places);
    first_packet = (links + packets * sizeof(std::uint32_t) + 4095) / 4096 * 4096;
    bytes = first_packet + packets * packet_memory(most_packet);
  }
  std::size_t links;
  std::size_t first_packet;
  std::size_t bytes;
};

}  // namespace

node_memory::node_memory(const std::string& path, int places, int place, bool is_leader)
    : file_(path, parts(places, sizeof(bell)).bytes,
            is_leader ? machine::shared_file::access::create : machine::shared_file::access::write),
      places_(places),
      place_(place),
      packets_each_(packets_of_each(places)) {
  file_.try_lock(sizeof(bell) * static_cast<std::size_t>(place));
  at(place).world.store(world_of_processes(), order::relaxed);                    // relaxed: see the next line
  at(place).process.store(static_cast<std::uint32_t>(getpid()), order::release);  // release: publishes the world
  for (std::uint32_t i = packets_each_; i-- > 0;) {
    const std::uint32_t number = static_cast<std::uint32_t>(place) * packets_each_ + i;
    new (packet_at(number)) packet(most_packet);
    packet_at(number)->home = static_cast<std::int32_t>(number);
    own_.push_back(number);
  }
  arrived_.reserve(static_cast<std::size_t>(places) * packets_each_);
}

packet* node_memory::packet_at(std::uint32_t number) const noexcept {
  return reinterpret_cast<packet*>(file_.data() + parts(places_, sizeof(bell)).first_packet +
                                   number * packet_memory(most_packet));
}

stack::link* node_memory::links() const noexcept {
  return reinterpret_cast<stack::link*>(file_.data() + parts(places_, sizeof(bell)).links);
}

// relaxed, both: a hint
void node_memory::say_idle(bool is_idle) noexcept { at(place_).idle.store(is_idle ? 1 : 0, order::relaxed); }
bool node_memory::is_idle(int place) const noexcept { return at(place).idle.load(order::relaxed) != 0; }

packet_pointer node_memory::take() noexcept {
  const std::lock_guard guard(own_lock_);
  if (own_.empty())
    for (std::uint32_t n = at(place_).returned.take_all(); n != 0; n = links()[n - 1]) own_.push_back(n - 1);
  if (own_.empty()) return nullptr;
  packet_pointer p(packet_at(own_.back()));
  own_.pop_back();
  new (p->bytes()) packet_header{};
  p->peer = -1;
  return p;
}

void node_memory::give(packet_pointer p) noexcept {
  const auto number = static_cast<std::uint32_t>(p.release()->home);
  const int owner = static_cast<int>(number / packets_each_);
  if (owner != place_) {
    at(owner).returned.push(number, links());
    return;
  }
  const std::lock_guard guard(own_lock_);
  own_.push_back(number);  // never more than there were at first
}

void node_memory::post(int place, packet_pointer p) noexcept {
  at(place).inbox.push(static_cast<std::uint32_t>(p.release()->home), links());
  ring(place);
}

packet_pointer node_memory::receive() noexcept {
  if (arrived_.empty())
    for (std::uint32_t n = at(place_).inbox.take_all(); n != 0; n = links()[n - 1]) arrived_.push_back(n - 1);
  if (arrived_.empty()) return nullptr;
  packet_pointer p(packet_at(arrived_.back()));
  arrived_.pop_back();
  return p;
}

void node_memory::hide() const noexcept { std::remove(file_.path().c_str()); }

node_memory::bell& node_memory::at(int place) const noexcept { return reinterpret_cast<bell*>(file_.data())[place]; }

std::uint32_t node_memory::rings() const noexcept { return at(place_).door.rings(); }

void node_memory::sleep(std::uint32_t seen, std::chrono::microseconds most) noexcept {
  doorbell<machine::native>& door = at(place_).door;
  if (door.lie_down(seen))
    machine::park_shared(door.word(), seen, static_cast<std::uint64_t>(most.count()) * 1000, ~0u);
  door.get_up();
}

void node_memory::ring(int place) noexcept {
  doorbell<machine::native>& door = at(place).door;
  if (door.ring()) machine::unpark_shared(door.word(), ~0u);
}

pid_t node_memory::process(int place) const noexcept {
  const auto number = static_cast<pid_t>(at(place).process.load(order::acquire));    // acquire: pairs with the release
  return at(place).world.load(order::relaxed) == world_of_processes() ? number : 0;  // relaxed: after the acquire
}

bool node_memory::lives(int place) const noexcept {
  // The lock first: a rank says goodbye before its process, and with it the lock, ends.
  return place == place_ || file_.locked_by_another(sizeof(bell) * static_cast<std::size_t>(place)) ||
         has_said_goodbye(place);
}

// release and acquire: what was told stands on the terminal before another rank is silent about it.
void node_memory::say_goodbye() noexcept { at(place_).goodbye.store(1, order::release); }
bool node_memory::has_said_goodbye(int place) const noexcept { return at(place).goodbye.load(order::acquire) != 0; }

// acq_rel: orders nothing but the lines of ranks among each other.
bool node_memory::take_last_word() noexcept { return at(0).last_word.exchange(1, order::acq_rel) == 0; }

}  // namespace callisto::global

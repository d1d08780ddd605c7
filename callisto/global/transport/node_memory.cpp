#include <callisto/global/transport/node_memory.hpp>

#include <cstdio>

#include <unistd.h>

namespace callisto::global {

using machine::order;

/// Zeroed memory is a silent bell.
struct alignas(128) node_memory::bell {
  machine::native::atomic<std::uint64_t> rings;  ///< the low half counts
  machine::native::atomic<std::uint32_t> sleepers;
  machine::native::atomic<std::uint32_t> goodbye;
};

std::string node_memory::new_path() {
  return machine::shared_folders().front() + "/callisto-global-" + std::to_string(getpid()) + "-" +
         std::to_string(machine::shared_nanoseconds());
}

node_memory::node_memory(const std::string& path, int places, int place, bool is_leader)
    : file_(path, sizeof(bell) * static_cast<std::size_t>(places),
            is_leader ? machine::shared_file::access::create : machine::shared_file::access::write),
      place_(place) {
  file_.try_lock(sizeof(bell) * static_cast<std::size_t>(place));
}

void node_memory::hide() const noexcept { std::remove(file_.path().c_str()); }

node_memory::bell& node_memory::at(int place) const noexcept { return reinterpret_cast<bell*>(file_.data())[place]; }

std::uint32_t node_memory::rings_at(int place) const noexcept {
  // acquire: pairs with ring()'s addition; what was sent before the ring is found after it.
  return static_cast<std::uint32_t>(at(place).rings.load(order::acquire));
}

void node_memory::sleep(std::uint32_t seen, std::chrono::microseconds most) noexcept {
  bell& mine = at(place_);
  // acq_rel: a ring that does not see this sleeper comes before it, so the park below finds another number.
  mine.sleepers.fetch_add(1, order::acq_rel);
  // acq_rel: reads the last ring of all, as a read-modify-write does.
  if (static_cast<std::uint32_t>(mine.rings.fetch_add(0, order::acq_rel)) == seen)
    machine::park_shared(mine.rings, seen, static_cast<std::uint64_t>(most.count()) * 1000, ~0u);
  mine.sleepers.fetch_sub(1, order::acq_rel);  // acq_rel: as above
}

void node_memory::ring(int place) noexcept {
  bell& b = at(place);
  b.rings.fetch_add(1, order::acq_rel);  // acq_rel: publishes what was sent; see sleep()
  // acq_rel: a read-modify-write after that on `rings`, which the sleeper has in the other order.
  if (b.sleepers.fetch_add(0, order::acq_rel) != 0) machine::unpark_shared(b.rings, ~0u);
}

bool node_memory::lives(int place) const noexcept {
  return place == place_ || has_said_goodbye(place) ||
         file_.locked_by_another(sizeof(bell) * static_cast<std::size_t>(place));
}

// release and acquire: what was told stands on the terminal before another rank is silent about it.
void node_memory::say_goodbye() noexcept { at(place_).goodbye.store(1, order::release); }
bool node_memory::has_said_goodbye(int place) const noexcept { return at(place).goodbye.load(order::acquire) != 0; }

}  // namespace callisto::global

#include <callisto/global/simulated/wires.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace callisto::global::simulation {

wires::wires(const network& how, unsigned nodes)
    : how_(how),
      group_(how.shape == topology::fat_tree ? how.leaf : how.group),
      groups_((nodes + group_ - 1) / group_),
      links_(how.shape == topology::fat_tree ? std::max(1U, static_cast<unsigned>(std::lround(how.leaf / how.taper)))
                                             : how.global_links),
      ends_(from_nanoseconds(how.latency)),
      switch_(from_nanoseconds(how.switch_latency)),
      slowness_(nodes, 1),
      out_(nodes),
      in_(nodes) {
  if (how.shape == topology::fat_tree) {
    up_.resize(std::size_t{groups_} * links_);
    down_.resize(up_.size());
  } else {
    up_.resize(std::size_t{groups_} * groups_ * links_);
  }
}

unsigned wires::switches(unsigned from, unsigned to) const noexcept {
  const bool is_near = group_of(from) == group_of(to);
  // A dragonfly's group has a router at each end of a path, as its two routers at the link between groups do.
  if (how_.shape == topology::dragonfly) return is_near ? 2 : 4;
  return is_near ? 1 : 3;
}

picoseconds wires::latency(unsigned from, unsigned to) const noexcept { return ends_ + switches(from, to) * switch_; }

picoseconds wires::least_latency() const noexcept {
  return ends_ + (how_.shape == topology::dragonfly ? 2 : 1) * switch_;
}

wires::passage wires::send(unsigned from, unsigned to, std::uint64_t bytes, picoseconds at) {
  const double on_wire = static_cast<double>(bytes + how_.framing);
  const picoseconds serial = from_nanoseconds(on_wire / how_.bandwidth * 1e9);
  const picoseconds gap = std::max(serial, from_nanoseconds(1e9 / how_.rate));
  const picoseconds begin = std::max(at, out_[from]);
  const auto slowed = [](picoseconds time, double factor) {
    return factor == 1 ? time : static_cast<picoseconds>(static_cast<double>(time) * factor);
  };
  out_[from] = begin + slowed(gap, slowness_[from]);
  picoseconds head = begin + latency(from, to);
  if (const unsigned a = group_of(from), b = group_of(to); a != b) {
    const picoseconds on_link = from_nanoseconds(on_wire / how_.link * 1e9);
    const unsigned choice = to % links_;  // paths are fixed by the destination
    const auto take = [&](picoseconds& free) {
      head = std::max(head, free);
      free = head + on_link;
    };
    if (how_.shape == topology::fat_tree) {
      take(up_[std::size_t{a} * links_ + choice]);
      take(down_[std::size_t{b} * links_ + choice]);
    } else {
      take(up_[(std::size_t{a} * groups_ + b) * links_ + choice]);
    }
  }
  head = std::max(head, in_[to]);
  in_[to] = head + slowed(gap, slowness_[to]);
  return {begin + slowed(serial, slowness_[from]), head + slowed(serial, std::max(slowness_[from], slowness_[to]))};
}

}  // namespace callisto::global::simulation

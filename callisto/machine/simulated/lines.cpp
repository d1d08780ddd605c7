// The engine's lines: the directory of owners and sharers, journeys, store buffers, and waits for a word to change.
#include <callisto/machine/simulated/engine_state.hpp>

#include <algorithm>
#include <cstring>

namespace callisto::machine::simulation {

engine::line& engine::line_at(const void* address) noexcept {
  const std::uint64_t number = reinterpret_cast<std::uintptr_t>(address) >> line_bits_;
  const std::size_t mask = places_.size() - 1;
  for (std::size_t p = mixed(number) & mask;; p = (p + 1) & mask) {
    if (places_[p].number == number && places_[p].at != nullptr) return *places_[p].at;
    if (places_[p].at == nullptr) return add_line(number);
  }
}

engine::line& engine::add_line(std::uint64_t number) noexcept {
  const auto put = [](std::vector<place>& places, const place& what) {
    std::size_t p = mixed(what.number) & (places.size() - 1);
    while (places[p].at != nullptr) p = (p + 1) & (places.size() - 1);
    places[p] = what;
  };
  if (2 * lines_.size() >= places_.size()) {
    std::vector<place> larger(2 * places_.size());
    for (const place& p : places_) {
      if (p.at != nullptr) put(larger, p);
    }
    places_.swap(larger);
  }
  line& l = lines_.emplace_back();
  l.ordinal = static_cast<std::uint32_t>(lines_.size());
  l.sharers.assign(words_, 0);
  put(places_, {number, &l});
  return l;
}

void engine::record(const simulated_context& c, const line& l, unsigned what) noexcept {
  hash_ =
      mixed(hash_ ^ (wheel_.now() << 20) ^ (std::uint64_t{c.number} << 4) ^ what ^ (std::uint64_t{l.ordinal} << 44));
}

bool engine::may_read(const line& l, unsigned core) const noexcept {
  return wheel_.now() < l.read_until && (l.owner == static_cast<int>(core) || l.shared_by(core));
}

bool engine::may_write(const line& l, unsigned core) const noexcept {
  if (l.owner == static_cast<int>(core)) return wheel_.now() < l.write_until;
  return l.sharer_count == 1 && l.owner == -1 && l.shared_by(core) && l.reads_in_flight == 0 &&
         wheel_.now() < l.read_until;
}

/// Returns the distance from `core` to the nearest copy of the line.
distance engine::nearest(const line& l, unsigned core) const noexcept {
  const unsigned context = core * machine_.contexts;
  if (l.owner >= 0) return machine_.between(static_cast<unsigned>(l.owner) * machine_.contexts, context);
  if (l.sharer_count == 0) return distance::same_cache;  // at home, or not used yet
  const unsigned per_socket = machine_.caches * machine_.cores;
  const unsigned cache = core / machine_.cores * machine_.cores;
  const unsigned socket = core / per_socket * per_socket;
  if (l.shared_among(cache, cache + machine_.cores, core)) return distance::same_cache;
  if (l.shared_among(socket, socket + per_socket, core)) return distance::same_socket;
  return distance::other_socket;
}

/// Returns the distance from `core` to the farthest copy, which a write invalidates.
distance engine::farthest(const line& l, unsigned core) const noexcept {
  const unsigned context = core * machine_.contexts;
  if (l.owner >= 0) return machine_.between(static_cast<unsigned>(l.owner) * machine_.contexts, context);
  const unsigned cores = machine_.total_cores();
  const unsigned per_socket = machine_.caches * machine_.cores;
  const unsigned cache = core / machine_.cores * machine_.cores;
  const unsigned socket = core / per_socket * per_socket;
  if (l.shared_among(0, socket, core) || l.shared_among(socket + per_socket, cores, core)) {
    return distance::other_socket;
  }
  if (l.shared_among(socket, cache, core) || l.shared_among(cache + machine_.cores, socket + per_socket, core)) {
    return distance::same_socket;
  }
  return distance::same_cache;
}

void engine::ask(line& l, request& r) noexcept {
  r.where = &l;
  if (l.first == nullptr && !l.write_in_flight && (l.reads_in_flight == 0 || r.kind == reading)) {
    grant(l, r);
  } else {
    l.push(r);
  }
}

/// Starts the line's journey for `r`, when the line's holder lets it go. Until the request has arrived there, the
/// holder goes on using the line. Requires that the line is not on its way to a writer, and on its way to readers only
/// if `r` reads.
void engine::grant(line& l, request& r) noexcept {
  const unsigned core = r.asker->core;
  std::uint64_t begin = std::max(wheel_.now(), l.held_until);
  std::uint64_t takes = 0;
  const auto travel = [&](distance from) {
    r.from = from;
    takes = cost_.hop[static_cast<unsigned>(from)];
    const std::uint64_t there = cost_.request[static_cast<unsigned>(from)];
    begin = std::max(begin, wheel_.now() + there);
    takes -= there;
  };
  r.from = distance::same_core;
  if (r.kind == reading) {
    ++l.reads_in_flight;
    if (may_read(l, core)) {
      takes = cost_.load;  // a sibling's request came first
    } else {
      travel(nearest(l, core));
      l.write_until = std::min(l.write_until, begin);
    }
  } else {
    l.write_in_flight = true;
    if (r.kind == performing_far) {
      const bool at_home = l.owner < 0 && l.sharer_count == 0;
      if (!at_home) r.from = distance::same_cache;
      takes = cost_.far + (at_home ? 0 : cost_.hop[static_cast<unsigned>(distance::same_cache)]);
    } else if (l.owner == static_cast<int>(core)) {
      takes = cost_.update;
    } else {
      travel(farthest(l, core));
    }
    l.read_until = l.write_until = begin;
  }
  wheel_.insert(r.arrival, begin + std::max<std::uint64_t>(1, takes));
}

/// Grants the line to the next request: to a writer, or to all readers ahead of the next writer.
void engine::serve(line& l) noexcept {
  if (l.write_in_flight || l.first == nullptr) return;
  if (l.first->kind != reading) {
    if (l.reads_in_flight != 0) return;
    request& r = *l.first;
    l.unlink(r);
    grant(l, r);
    return;
  }
  while (l.first != nullptr && l.first->kind == reading) {
    request& r = *l.first;
    l.unlink(r);
    grant(l, r);
  }
}

/// Serves the siblings' requests after the line has arrived at `core` for writing, as far as the hold window allows.
void engine::serve_siblings(line& l, unsigned core) noexcept {
  if (l.first == nullptr) return;
  std::uint64_t free = wheel_.now() + cost_.update;
  for (simulated_context* const c : cores_[core].members) {
    for (request* const r : {&c->own, &c->store}) {
      if (!r->queued || r->where != &l || r->kind == performing_far) continue;
      const bool reads = r->kind == reading;
      if (!reads && free > l.held_until) continue;
      l.unlink(*r);
      r->kind = local;
      r->from = distance::same_core;
      wheel_.insert(r->arrival, reads ? wheel_.now() + std::max<std::uint64_t>(1, cost_.load) : free);
      if (!reads) free += cost_.update;
    }
  }
}

void engine::arrive(request& r) noexcept {
  line& l = *r.where;
  const unsigned core = r.asker->core;
  if (r.kind == reading) {
    --l.reads_in_flight;
    if (l.owner >= 0 && l.owner != static_cast<int>(core)) {
      l.add_sharer(static_cast<unsigned>(l.owner));
      l.owner = -1;
      l.write_until = forever;
    }
    if (l.owner < 0) l.add_sharer(core);
  } else if (r.kind != local) {
    l.write_in_flight = false;
    l.owner = r.kind == writing ? static_cast<int>(core) : -1;
    l.clear_sharers();
    l.read_until = l.write_until = forever;
    if (r.kind == writing && r.from != distance::same_core) {
      l.held_until = wheel_.now() + cost_.hold[static_cast<unsigned>(r.from)];
      serve_siblings(l, core);
    }
  }
  ++r.asker->spent.moves[static_cast<unsigned>(r.from)];
  serve(l);
}

/// Requests the line and blocks until it may be read or written, or has been changed at its home.
void engine::wait_for(line& l, unsigned what) noexcept {
  simulated_context& c = *self_;
  if (c.owed != 0) spend(0);
  c.own.kind = what;
  ask(l, c.own);
  const bool waits = c.doing == activity::waiting || c.doing == activity::parked;
  block(waits ? c.doing : activity::moving, 0);
  c.moved = true;
}

/// True if a sibling wrote the line last, so that the access pays a hop within the core.
bool engine::is_siblings(line& l, const simulated_context& c) const noexcept {
  return l.fresh && l.writer != &c && l.writer->core == c.core;
}

bool engine::begin_load(const void* address, std::uint64_t& bits) noexcept {
  simulated_context& c = *self_;
  ++c.spent.accesses;
  c.moved = false;
  c.cost = cost_.load;
  if (!c.stores.empty()) {
    const auto found = std::find_if(c.stores.rbegin(), c.stores.rend(), [&](auto& p) { return p.address == address; });
    if (found != c.stores.rend()) {
      if (!found->add) {
        c.seen = nullptr;
        bits = found->bits;
        return true;
      }
      wait_for_stores();
    }
  }
  line& l = line_at(address);
  if (!may_read(l, c.core)) wait_for(l, reading);
  if (c.moved) c.cost = cost_.instructions;
  if (is_siblings(l, c)) {
    l.fresh = false;
    ++c.spent.moves[0];
    c.cost = cost_.hop[0];
  }
  c.seen = &l;
  c.seen_version = l.version;
  record(c, l, 0);
  return false;
}

void engine::end_load() noexcept { spend(self_->cost); }

engine::line& engine::begin_update(void* address) noexcept {
  simulated_context& c = *self_;
  wait_for_stores();
  ++c.spent.accesses;
  c.moved = c.far = false;
  line& l = line_at(address);
  if (!may_write(l, c.core)) wait_for(l, writing);
  c.cost = c.moved ? cost_.instructions : cost_.update;
  if (!c.moved && is_siblings(l, c)) {
    ++c.spent.moves[0];
    c.cost = std::max(cost_.update, cost_.hop[0]);
  }
  record(c, l, 1);
  return l;
}

void engine::end_update(line& l, bool failed) noexcept {
  simulated_context& c = *self_;
  if (!failed || c.moved) written(l, c);
  if (failed) {
    ++c.spent.failed_exchanges;
    c.cost += cost_.failed;
  }
  spend(c.cost);
}

engine::line& engine::begin_fetch(void* address) noexcept {
  if (machine_.fetch_add != fetch_add_kind::far) return begin_update(address);
  simulated_context& c = *self_;
  wait_for_stores();
  line& l = line_at(address);
  if (may_write(l, c.core)) return begin_update(address);
  ++c.spent.accesses;
  wait_for(l, performing_far);
  c.far = true;
  record(c, l, 2);
  return l;
}

void engine::end_fetch(line& l) noexcept {
  simulated_context& c = *self_;
  if (!c.far) return end_update(l, false);
  c.far = false;
  written(l, c);
  // The result travels back.
  wake_at(c, wheel_.now() + cost_.hop[static_cast<unsigned>(distance::same_cache)]);
  block(activity::moving, 0);
  spend(cost_.instructions);
}

/// Records a write of the line, or its arrival for writing. Contexts that wait for the line look at their next turn.
void engine::written(line& l, simulated_context& by) noexcept {
  ++l.version;
  l.writer = &by;
  l.fresh = true;
  if (l.owner != static_cast<int>(by.core) && l.sharer_count != 0) {
    l.owner = static_cast<int>(by.core);
    l.clear_sharers();
  }
  const std::uint64_t now = wheel_.now();
  for (simulated_context* const c : l.waiters) {
    c->waits_on = nullptr;
    wake_at(*c, now + c->wait_period - (now - c->wait_phase) % c->wait_period);
  }
  l.waiters.clear();
}

// Stores.

void engine::post(void* address, std::uint64_t bits, unsigned bytes, bool add) noexcept {
  simulated_context& c = *self_;
  ++c.spent.accesses;
  // An object on the context's own stack may have ended, and another be in its place, when the store leaves the buffer.
  const auto* const at = static_cast<const std::byte*>(address);
  const bool at_once = at >= c.stack_end && at < c.stack_top;
  if (at_once) wait_for_stores();
  if (c.owed != 0) spend(0);
  if (c.stores.size() >= machine_.store_buffer) {
    c.wants_slot = true;
    block(activity::moving, 0);
  }
  c.stores.push_back({address, bits, bytes, add});
  if (c.stores.size() == 1) drain(c);
  if (at_once) wait_for_stores();
  spend(cost_.store);
}

/// Lets stores leave the buffer in order, until one must wait for its line.
void engine::drain(simulated_context& c) noexcept {
  while (!c.stores.empty()) {
    const posted& p = c.stores.front();
    line& l = line_at(p.address);
    if (!may_write(l, c.core)) {
      c.store.kind = p.add ? performing_far : writing;
      ask(l, c.store);
      return;
    }
    take_effect(c, l);
  }
}

void engine::take_effect(simulated_context& c, line& l) noexcept {
  const posted p = c.stores.front();
  c.stores.pop_front();
  ++c.stores_done;
  std::uint64_t bits = 0;
  if (p.add) std::memcpy(&bits, p.address, p.bytes);
  bits += p.bits;
  std::memcpy(p.address, &bits, p.bytes);
  record(c, l, 3);
  written(l, c);
  if (c.wants_slot || (c.wants_empty && c.stores.empty())) {
    c.wants_slot = c.wants_empty = false;
    wake_at(c, wheel_.now());
  }
}

void engine::wait_for_stores() noexcept {
  simulated_context& c = *self_;
  if (c.owed != 0) spend(0);
  if (c.stores.empty()) return;
  c.wants_empty = true;
  const bool waits = c.doing == activity::waiting || c.doing == activity::parked;
  block(waits ? c.doing : activity::moving, 0);
}

void engine::fence_all(std::uint64_t cycles) noexcept {
  wait_for_stores();
  std::vector<std::uint64_t> until;
  until.reserve(contexts_.size());
  for (const auto& c : contexts_) until.push_back(c->stores_done + c->stores.size());
  execute(cycles, activity::claiming);
  for (std::size_t i = 0; i < until.size(); ++i) {
    while (contexts_[i]->stores_done < until[i]) execute(cost_.instructions + 1, activity::claiming);
  }
}

// Waiting.

std::uint64_t engine::begin_wait() noexcept {
  spend(0);
  set_activity(*self_, activity::waiting);
  return wheel_.now();
}

bool engine::wait(const void* address, bool lasting, std::uint64_t begun) noexcept {
  simulated_context& c = *self_;
  const std::uint64_t now = wheel_.now();
  const std::uint64_t limit = lasting ? cost_.lasting_limit : cost_.brief_limit;
  if (limit != forever && now - begun >= limit) return false;
  if (c.seen == nullptr) {
    // The value seen is still in this context's store buffer, so no other context can have it yet.
    if (!c.stores.empty()) wait_for_stores();
    return true;
  }
  line& l = line_at(address);
  c.wait_phase = now;
  c.wait_period = !lasting ? cost_.brief : machine_.wait_monitor ? 1 : cost_.lasting;
  if (l.version != c.seen_version) {
    // The line was written since the load, while the load was being paid for.
    wake_at(c, now + c.wait_period);
  } else {
    c.waits_on = &l;
    c.waiter_slot = l.waiters.size();
    l.waiters.push_back(&c);
    if (limit != forever) wake_at(c, begun + limit);
  }
  block(activity::waiting, poll_duty_[lasting ? 1 : 0]);
  if (c.waits_on == nullptr) return true;
  c.waits_on = nullptr;
  l.waiters.back()->waiter_slot = c.waiter_slot;
  l.waiters[c.waiter_slot] = l.waiters.back();
  l.waiters.pop_back();
  return false;
}

void engine::end_wait() noexcept { set_activity(*self_, activity::claiming); }

void engine::begin_park(const void* address) noexcept {
  set_activity(*self_, activity::parked);
  wait_for_stores();
  spend(cost_.park);
  std::uint64_t bits = 0;
  begin_load(address, bits);
}

void engine::end_park(const void* address, bool sleep) noexcept {
  if (sleep) {
    sleepers_[address].push_back(self_);
    block(activity::parked, 0);
  }
  set_activity(*self_, activity::claiming);
}

void engine::unpark(const void* address, unsigned count) noexcept {
  wait_for_stores();
  auto& asleep = sleepers_[address];
  unsigned woken = 0;
  do {
    spend(cost_.unpark);
    if (asleep.empty()) return;
    wake_at(*asleep.front(), wheel_.now() + cost_.wake);
    asleep.pop_front();
  } while (++woken < count && !asleep.empty());
}

}  // namespace callisto::machine::simulation

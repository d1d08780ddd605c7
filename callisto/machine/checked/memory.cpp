// Atomics and plain data: what an access may read, what it publishes, and whether it races.
#include <callisto/machine/checked/execution.hpp>

#include <algorithm>
#include <bit>

namespace callisto::machine::checking {
namespace {

bool acquires(order o) noexcept { return o == order::acquire || o == order::acq_rel; }
bool releases(order o) noexcept { return o == order::release || o == order::acq_rel; }

}  // namespace

execution::location& execution::locate(object o, const char* what) {
  if (o.number != 0 && o.number <= used_locations_) {
    location& l = locations_[o.number - 1];
    if (l.address == o.address) {
      if (l.alive) return l;
      fail(kind::use_after_lifetime, "thread " + std::to_string(current_) + ": " + what + " of " + name(l) +
                                         ", which has ended; " + last_step(current_));
    }
  }
  fail(kind::use_after_lifetime, "thread " + std::to_string(current_) + ": " + what +
                                     " of memory where no object lives that this execution made; " +
                                     last_step(current_));
}

void execution::contend(location& l, bool writes) {
  if (current_ == outside) return;
  l.users |= only(current_);
  l.written |= writes;
  if (!l.contended && !l.reported && l.written && std::popcount(l.users) > 1) {
    l.reported = true;
    newly_contended_.emplace_back(l.creator, l.ordinal);
  }
}

execution::location& execution::arrive(intent in, object o, order stated, const place& where) {
  site_entry& site = sites.find(where, in.what, stated);
  ++site.count;
  in.at = &site;
  count_step();
  me().next = in;
  location* l = &locate(o, name_of(in.what));
  me().next.where = l;
  contend(*l, in.writes);
  if (current_ != outside && (l->contended || fair_ || in.until != nullptr || in.on_queue)) {
    reach();
    l = &locate(o, name_of(in.what));
  }
  check_after_construction(*l);
  l->touched[current_] = me().seen[current_];
  return *l;
}

void execution::check_after_construction(const location& l) {
  if (l.creator == current_ || me().seen[l.creator] >= l.made) return;
  fail(kind::data_race, "thread " + std::to_string(current_) + " uses " + name(l) + ", whose construction by thread " +
                            std::to_string(l.creator) + " is not ordered before; " + last_step(current_));
}

unsigned execution::oldest_readable(const checked_thread& t, const location& l) const noexcept {
  const unsigned newest = l.newest();
  if (newest == 0) return 0;
  if (fair_) return newest;
  const auto known = static_cast<unsigned>(t.seen[l.place_in_views]);
  return std::max(known, newest - std::min(newest, options_.stale));
}

void execution::read(location& l, unsigned at, bool acquiring) {
  if (at == 0) return;
  checked_thread& t = me();
  t.seen[l.place_in_views] = std::max(t.seen[l.place_in_views], static_cast<stamp>(at));
  const stored& m = *l.stores[at - 1];
  if (!m.publishes) return;
  if (acquiring) {
    t.seen.join(m.seen, m.width);
  } else {
    t.pending.join(m.seen, m.width);
    t.has_pending = true;
  }
}

void execution::append(location& l, std::uint64_t value, bool is_plain_store, bool releasing, const stored* chain) {
  checked_thread& t = me();
  if (l.place_in_views == 0) {
    if (width_ == view::capacity) fail(kind::misuse, "too many atomics are written in one execution");
    l.place_in_views = width_++;
  }
  if (value != l.value(l.newest())) {
    for (unsigned i = 0; i < count_; ++i) threads_[i].forced = 0;
  }
  if (used_messages_ == messages_.size()) messages_.emplace_back();
  stored& m = messages_[used_messages_++];
  l.stores.push_back(&m);
  t.seen[l.place_in_views] = static_cast<stamp>(l.newest());
  m.value = value;
  m.writer = current_;
  m.is_plain_store = is_plain_store;
  m.publishes = releasing || t.has_released;
  m.width = width_;
  if (releasing) {
    m.seen.copy(t.seen, width_);
    ++t.seen[current_];  // the thread's later operations are not published
  } else if (t.has_released) {
    m.seen.copy(t.released, width_);
  }
  // A read-modify-write continues the release sequence of the store that it replaces.
  if (chain == nullptr || !chain->publishes) return;
  if (m.publishes) {
    m.seen.join(chain->seen, chain->width);
  } else {
    m.publishes = true;
    m.width = chain->width;
    m.seen.copy(chain->seen, chain->width);
  }
}

void execution::record_event(operation what, const location* l, unsigned read, unsigned written, unsigned extra) {
  checked_thread& t = me();
  const std::uint64_t object = l == nullptr ? 0 : std::uint64_t{symmetric_id(l->creator)} << 20 | l->ordinal;
  t.past += fingerprint::of(std::uint64_t{symmetric_id(current_)} << 56 | static_cast<std::uint64_t>(what) << 48 |
                                (t.events++ & 0xffffff) << 24 | object,
                            read | std::uint64_t{written} << 16 | std::uint64_t{extra} << 32);
}

object_number execution::begin(const void* address, bool is_atomic, std::uint64_t value, const place& where) {
  if (used_locations_ == locations_.size()) locations_.emplace_back();
  location& l = locations_[used_locations_++];
  checked_thread& t = me();
  l.address = address;
  l.made_at = where;
  l.number = used_locations_;
  l.creator = current_;
  l.ordinal = t.made++;
  l.is_atomic = is_atomic;
  l.alive = true;
  l.contended = is_atomic && contended.has(current_, l.ordinal);
  l.written = l.reported = false;
  l.users = 0;
  l.made = l.last_write = t.seen[current_];
  l.last_writer = current_;
  l.touched.fill(0);
  l.place_in_views = 0;
  l.unparked = 0;
  l.initial = value;
  l.stores.clear();
  if (t.made > 1u << 20) fail(kind::misuse, "a thread makes too many objects");
  if (tracing_) log("makes", &l, is_atomic ? "= " + shown_value(value) : "", "");
  return l.number;
}

void execution::end(object o) noexcept {
  if (o.number == 0) return;
  location& l = locate(o, "end of lifetime");
  check_after_construction(l);
  for (unsigned u = 0; u <= outside; ++u) {
    const stamp last = std::max(l.touched[u], u == l.last_writer ? l.last_write : stamp{0});
    if (u != current_ && last > me().seen[u]) {
      fail(kind::use_after_lifetime, "thread " + std::to_string(current_) + " ends " + name(l) +
                                         ", and an access by thread " + std::to_string(u) + " is not ordered before; " +
                                         last_step(u) + "; " + last_step(current_));
    }
  }
  l.alive = false;
  if (tracing_) log("ends", &l, "", "");
}

std::uint64_t execution::load(object o, order stated, const place& where) {
  location& l = arrive({.what = operation::load}, o, stated, where);
  const unsigned newest = l.newest();
  const unsigned at = newest - value_choice(newest - oldest_readable(me(), l) + 1);
  read(l, at, acquires(me().next.at->used));
  record_event(operation::load, &l, at, 0);
  if (tracing_) log_step(l, read_value(l, at));
  return l.value(at);
}

void execution::store(object o, std::uint64_t value, order stated, const place& where) {
  location& l = arrive({.what = operation::store, .writes = true}, o, stated, where);
  if (!options_.allow_racing_stores && l.newest() > 0) {
    const auto known = static_cast<unsigned>(me().seen[l.place_in_views]);
    for (unsigned at = known + 1; at <= l.newest(); ++at) {
      const stored& other = *l.stores[at - 1];
      if (!other.is_plain_store || other.value == value) continue;
      fail(kind::racing_stores, "threads " + std::to_string(other.writer) + " and " + std::to_string(current_) +
                                    " store " + shown_value(other.value) + " and " + shown_value(value) + " to " +
                                    name(l) + ", unordered; " + last_step(current_));
    }
  }
  if (tracing_) log_step(l, shown_value(l.value(l.newest())) + " -> " + shown_value(value));
  append(l, value, true, releases(me().next.at->used), nullptr);
  record_event(operation::store, &l, 0, l.newest());
}

std::uint64_t execution::modify(object o, operation what, std::uint64_t operand, std::uint64_t mask, order stated,
                                const place& where) {
  location& l = arrive({.what = what, .writes = true}, o, stated, where);
  const unsigned newest = l.newest();
  const std::uint64_t before = l.value(newest);
  std::uint64_t after = operand;
  switch (what) {
    case operation::fetch_add:
      after = before + operand;
      break;
    case operation::fetch_sub:
      after = before - operand;
      break;
    case operation::fetch_and:
      after = before & operand;
      break;
    case operation::fetch_or:
      after = before | operand;
      break;
    default:
      break;
  }
  after &= mask;
  if (tracing_) log_step(l, shown_value(before) + " -> " + shown_value(after));
  const order used = me().next.at->used;
  read(l, newest, acquires(used));
  append(l, after, false, releases(used), newest == 0 ? nullptr : l.stores[newest - 1]);
  record_event(what, &l, newest, newest + 1);
  return before;
}

bool execution::compare_exchange(object o, std::uint64_t& expected, std::uint64_t desired, order stated,
                                 const place& where) {
  location& l = arrive({.what = operation::compare_exchange, .writes = true}, o, stated, where);
  // The outcomes are: success; each other value that the thread may read; and one failure without cause. That failure
  // reads the oldest store of the expected value, which tells the thread least.
  const unsigned newest = l.newest();
  const unsigned oldest = oldest_readable(me(), l);
  const bool can_succeed = l.value(newest) == expected;
  unsigned others = 0;
  unsigned same = newest + 1;
  for (unsigned at = newest + 1; at-- > oldest;) {
    if (l.value(at) == expected) {
      same = at;
    } else {
      ++others;
    }
  }
  const bool can_be_weak = !fair_ && same <= newest && me().spurious < options_.spurious_failures;
  unsigned chosen = value_choice((can_succeed ? 1 : 0) + others + (can_be_weak ? 1 : 0));
  if (can_succeed && chosen-- == 0) {
    if (tracing_) log_step(l, shown_value(expected) + " -> " + shown_value(desired));
    const order used = me().next.at->used;
    read(l, newest, acquires(used));
    append(l, desired, false, releases(used), newest == 0 ? nullptr : l.stores[newest - 1]);
    record_event(operation::compare_exchange, &l, newest, newest + 1);
    return true;
  }
  unsigned at = same;
  if (chosen < others) {
    for (at = newest; l.value(at) == expected || chosen-- != 0;) --at;
  } else {
    ++me().spurious;
    me().forced = 0;
  }
  read(l, at, false);
  record_event(operation::compare_exchange, &l, at, 0, at == same ? 1 : 0);
  if (tracing_) {
    log_step(l, (at == same ? "fails without cause, reads " : "expects " + shown_value(expected) + ", reads ") +
                    read_value(l, at));
  }
  expected = l.value(at);
  return false;
}

std::uint64_t execution::wait(object o, const awaited& until, const place& where) {
  location& l = arrive({.what = operation::wait_while, .until = &until}, o, order::acquire, where);
  checked_thread& t = me();
  // The choices are, in this order: values that end the wait; if the wait may end early, other values; if no thread can
  // run, the newest value, which a waiter has seen when its patience is used up.
  const unsigned newest = l.newest();
  const unsigned oldest = oldest_readable(t, l);
  const auto keeps = [&](unsigned at) { return until.keep(until.context, l.value(at)); };
  unsigned ends = 0;
  for (unsigned at = newest + 1; at-- > oldest;) ends += keeps(at) ? 0 : 1;
  if (current_ == outside && ends == 0) fail(kind::deadlock, "a wait outside of the threads");
  const unsigned others = current_ != outside && can_return_early(t) ? newest - oldest + 1 - ends : 0;
  const bool may_be_forced = current_ != outside && forced_ && t.forced < forced_returns;
  unsigned chosen = value_choice(ends + others + (may_be_forced ? 1 : 0));
  const bool early = chosen >= ends;
  const bool forced = chosen == ends + others;
  if (early) chosen -= ends;
  unsigned at = newest;
  if (forced) {
    ++t.forced;
  } else {
    for (; keeps(at) != early || chosen-- != 0;) --at;
    if (early) return_early();
  }
  read(l, at, acquires(t.next.at->used));
  record_event(operation::wait_while, &l, at, 0, forced ? 2 : early ? 1 : 0);
  if (tracing_) log_step(l, read_value(l, at) + (early ? ", patience used up" : ""));
  return l.value(at);
}

void execution::park(object o, std::uint32_t low, const place& where) {
  location& l = arrive({.what = operation::park, .on_queue = true}, o, order::relaxed, where);
  checked_thread& t = me();
  // The kernel compares under a lock that unpark takes too. So a park after an unpark sees every store that the caller
  // of unpark had seen.
  const unsigned newest = l.newest();
  const unsigned oldest = std::max(oldest_readable(t, l), static_cast<unsigned>(l.unparked));
  const unsigned at = newest - value_choice(newest - oldest + 1);
  read(l, at, false);
  if (static_cast<std::uint32_t>(l.value(at)) != low) {
    record_event(operation::park, &l, at, 0);
    if (tracing_) log_step(l, read_value(l, at) + ", does not park");
    return;
  }
  record_event(operation::park, &l, at, 0, 1);
  if (tracing_) log_step(l, read_value(l, at) + ", parks");
  if (current_ == outside) fail(kind::deadlock, "a park outside of the threads");
  t.state = life::parked;
  pass_on();
  t.state = life::at_work;
  if (!t.woken) return_early();
  record_event(operation::park, &l, 0, 0, t.woken ? 2 : 3);
  if (tracing_) log("park", &l, t.woken ? "returns" : "returns without cause", shown(where));
  t.woken = false;
}

void execution::unpark(object o, unsigned count, const place& where) {
  location& l = arrive({.what = operation::unpark, .on_queue = true}, o, order::relaxed, where);
  l.unparked = std::max(l.unparked, me().seen[l.place_in_views == 0 ? view::capacity - 1 : l.place_in_views]);
  thread_set asleep = 0;
  for (unsigned i = 0; i < count_; ++i) {
    if (threads_[i].state == life::parked && !threads_[i].woken && threads_[i].next.where == &l) asleep |= only(i);
  }
  std::string woken;
  for (; count > 0 && asleep != 0; --count) {
    // Wakes any sleeper, not necessarily the one that came first.
    const bool all = static_cast<unsigned>(std::popcount(asleep)) <= count;
    unsigned pick = all ? 0 : value_choice(static_cast<unsigned>(std::popcount(asleep)));
    thread_set s = asleep;
    for (; pick > 0; --pick) s &= s - 1;
    const auto i = static_cast<unsigned>(std::countr_zero(s));
    asleep &= ~only(i);
    checked_thread& sleeper = threads_[i];
    sleeper.woken = true;
    sleeper.next.where = nullptr;
    sleeper.past +=
        fingerprint::of(~std::uint64_t{2}, std::uint64_t{symmetric_id(current_)} << 56 |
                                               (sleeper.events & 0xffffff) << 24 | (me().events & 0xffffff));
    if (tracing_) woken += " thread " + std::to_string(i);
  }
  record_event(operation::unpark, &l, 0, 0);
  if (tracing_) log_step(l, woken.empty() ? "nobody is parked" : "wakes" + woken);
}

void execution::check_plain(const location& l, bool writes, const place* where) {
  check_after_construction(l);
  const auto fail_with = [&](unsigned u, const char* did) {
    fail(kind::data_race, "thread " + std::to_string(current_) + (where == nullptr ? "" : " at " + shown(*where)) +
                              (writes ? " writes " : " reads ") + name(l) + ", which thread " + std::to_string(u) +
                              " " + did + ", unordered; " + last_step(u) + "; " + last_step(current_));
  };
  if (l.last_writer != current_ && me().seen[l.last_writer] < l.last_write) fail_with(l.last_writer, "wrote");
  if (!writes) return;
  for (unsigned u = 0; u <= outside; ++u) {
    if (u != current_ && me().seen[u] < l.touched[u]) fail_with(u, "read");
  }
}

void execution::plain_read(object o) {
  location& l = locate(o, "read");
  check_plain(l, false, nullptr);
  l.touched[current_] = me().seen[current_];
  if (tracing_) log("reads", &l, "", "");
}

void execution::plain_write(object o, const place* where) {
  location& l = locate(o, "write");
  check_plain(l, true, where);
  l.last_writer = current_;
  l.last_write = me().seen[current_];
  if (tracing_) log("writes", &l, "", where == nullptr ? "" : shown(*where));
}

}  // namespace callisto::machine::checking

// The rules of memory and of scheduling of the checked machine.
#include <callisto/machine/checked/execution.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <new>
#include <stdexcept>
#include <tuple>

namespace callisto::machine::checking {
namespace {

bool acquires(order o) noexcept { return o == order::acquire || o == order::acq_rel; }
bool releases(order o) noexcept { return o == order::release || o == order::acq_rel; }

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = 512 << 10;
#else
constexpr std::size_t stack_bytes = 128 << 10;
#endif

}  // namespace

const char* name_of(kind k) noexcept {
  static constexpr const char* names[] = {"assertion",          "data race", "deadlock",      "livelock",
                                          "use after lifetime", "exception", "racing stores", "misuse"};
  return names[static_cast<unsigned>(k)];
}

// --- contended_set

std::string contended_set::text() const {
  std::string text;
  for (unsigned c = 0; c < known_.size(); ++c) {
    for (unsigned o = 0; o < known_[c].size(); ++o) {
      if (!known_[c][o]) continue;
      if (!text.empty()) text += ',';
      text += std::to_string(c) + '.' + std::to_string(o);
    }
  }
  return text;
}

contended_set contended_set::parse(const std::string& text) {
  contended_set set;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t read = 0;
    const unsigned long c = std::stoul(text.substr(i), &read);
    i += read + 1;
    const unsigned long o = std::stoul(text.substr(i), &read);
    i += read;
    if (c > fences || o >= 1u << 20) throw std::out_of_range("no such atomic");
    set.add(static_cast<unsigned>(c), static_cast<unsigned>(o));
  }
  return set;
}

// --- a run

execution::execution(const program& p, const options& o)
    : sites(o.weaken), program_(p), options_(o), count_(p.threads) {
  for (unsigned t = 0; t <= outside; ++t) {
    if (t < count_ || t == outside) threads_[t].context = std::make_unique<fiber>(stack_bytes, live, this);
    threads_[t].seen.clear();
    threads_[t].pending.clear();
    threads_[t].released.clear();
    threads_[t].lit.clear();
    threads_[t].due.clear();
  }
  fences_.clear();
  subject_ = ::operator new(p.bytes, std::align_val_t{p.alignment});
}

execution::~execution() { ::operator delete(subject_, std::align_val_t{program_.alignment}); }

bool execution::was_suspended() const noexcept {
  return options_.suspend && options_.suspend->thread < count_ && threads_[options_.suspend->thread].suspended;
}

void execution::adopt_new_contention() {
  for (const auto& [creator, ordinal] : newly_contended_) contended.add(creator, ordinal);
}

void execution::run(decisions& d, bool tracing) {
  decisions_ = &d;
  tracing_ = tracing;
  outcome_ = outcome::completed;
  message_.clear();
  trace_.clear();
  steps_ = 0;
  early_ = 0;
  heavy_reported_ = false;
  fair_ = forced_ = false;
  newly_contended_.clear();
  used_locations_ = used_messages_ = 0;
  fences_so_far_ = 0;
  for (auto& t : threads_) {
    if (t.context == nullptr) continue;
    t.state = life::fresh;
    t.next = {};
    t.suspended = t.woken = t.has_pending = t.has_released = false;
    t.early = t.spurious = t.forced = t.made = 0;
    t.steps = t.events = t.ticks = 0;
    t.past = {};
    t.seen.clear(width_);
    t.pending.clear(width_);
    t.released.clear(width_);
    t.lit.clear(width_);
    t.due.clear(width_);
    t.light_fences = t.reached = 0;
    t.context->restart(live, this);
  }
  fences_.clear(width_);
  width_ = view::clocks;
  subject_lives_ = false;
  d.begin_execution();
  detail::current = this;

  threads_[outside].seen[outside] = 1;
  phase_ = phase::making;
  current_ = outside;
  fiber::switch_to(scheduler_, *threads_[outside].context);
  if (outcome_ == outcome::completed) {
    // Each thread up to its first scheduling point.
    phase_ = phase::starting;
    for (unsigned t = 0; t < count_ && outcome_ == outcome::completed; ++t) {
      threads_[t].seen.copy(threads_[outside].seen, width_);
      threads_[t].seen[t] = 1;
      threads_[t].suspended = options_.suspend && options_.suspend->thread == t && options_.suspend->after == 0;
      if (threads_[t].suspended) continue;
      current_ = t;
      fiber::switch_to(scheduler_, *threads_[t].context);
    }
  }
  if (outcome_ == outcome::completed) {
    phase_ = phase::running;
    current_ = outside;
    threads_[outside].context->restart(live, this);
    fiber::switch_to(scheduler_, *threads_[outside].context);
  }
  if (outcome_ == outcome::completed && program_.finish != nullptr) {
    phase_ = phase::finishing;
    current_ = outside;
    for (unsigned t = 0; t < count_; ++t) threads_[outside].seen.join(threads_[t].seen, width_);
    threads_[outside].context->restart(live, this);
    fiber::switch_to(scheduler_, *threads_[outside].context);
  }
  detail::current = nullptr;
  if (subject_lives_) program_.destroy(subject_);
}

void execution::live(void* self) { static_cast<execution*>(self)->live_on(); }

void execution::live_on() {
  try {
    if (phase_ == phase::making) {
      program_.make(subject_);
      subject_lives_ = true;
    } else if (phase_ == phase::finishing) {
      program_.finish(subject_);
    } else if (current_ != outside) {
      program_.run(subject_, current_);
    }
  } catch (const std::exception& e) {
    fail(kind::exception, std::string("an exception left the thread: ") + e.what());
  } catch (...) {
    fail(kind::exception, "an exception left the thread");
  }
  if (phase_ == phase::making || phase_ == phase::finishing) leave(outcome::completed);
  if (current_ != outside) {
    me().state = life::ended;
    log("ends", nullptr, "", "");
    if (phase_ == phase::starting) return_to_scheduler();
  }
  pass_on();
  std::terminate();  // nobody comes back here
}

void execution::go_to(unsigned thread) noexcept {
  const unsigned from = current_;
  current_ = thread;
  fiber::switch_to(*threads_[from].context, *threads_[thread].context);
}

void execution::return_to_scheduler() noexcept { fiber::switch_to(*me().context, scheduler_); }

void execution::leave(outcome o) noexcept {
  outcome_ = o;
  return_to_scheduler();
  std::terminate();
}

void execution::fail(kind k, std::string message) {
  failed_as_ = k;
  message_ = std::move(message);
  leave(outcome::failed);
}

// --- scheduling

void execution::reach() {
  if (phase_ == phase::starting) {
    me().state = life::at_work;
    return_to_scheduler();
  } else {
    pass_on();
  }
}

void execution::pass_on() {
  const unsigned next = decide();
  if (next != current_) go_to(next);
}

bool execution::can_run(const strand& t) const {
  if (t.state == life::parked) return t.woken;
  if (t.next.until == nullptr) return true;
  const location& l = *t.next.where;
  // A waiter whose object has ended goes on, to be told so.
  if (!l.alive) return true;
  for (unsigned at = l.newest() + 1, oldest = oldest_readable(t, l); at-- > oldest;) {
    if (!t.next.until->keep(t.next.until->context, l.value(at))) return true;
  }
  return false;
}

bool execution::can_return_early(const strand& t) const {
  return !fair_ && (t.state == life::parked || t.next.until != nullptr) && t.early < options_.early_returns &&
         early_ < options_.early_returns_in_all;
}

void execution::return_early() {
  ++me().early;
  ++early_;
  me().forced = 0;
}

unsigned execution::decide() {
  thread_set ready = 0, idle = 0, patient = 0, unfinished = 0;
  for (unsigned i = 0; i < count_; ++i) {
    const strand& t = threads_[i];
    if (t.state == life::ended || t.suspended) continue;
    unfinished |= only(i);
    if (can_run(t)) {
      ready |= only(i);
    } else {
      if (can_return_early(t)) idle |= only(i);
      if (t.state != life::parked && t.forced < forced_returns) patient |= only(i);
    }
  }
  if (unfinished == 0) leave(outcome::completed);
  forced_ = ready == 0;
  // Stuck, unless somebody returns early, which cannot be relied on. If being stuck is not a failure, both are
  // explored.
  if (forced_ && patient == 0 && (idle == 0 || value_choice(2) == 0)) stuck();
  crossroads road{ready | idle, idle, false, current_};
  if (forced_) road = {patient | idle, patient | idle, true, current_};
  if (fair_) {
    const thread_set later = road.enabled & ~((only(current_) << 1) - 1);
    return static_cast<unsigned>(std::countr_zero(later != 0 ? later : road.enabled));
  }
  const unsigned chosen = decisions_->thread(road, decisions_->wants_state() ? state() : state_name{});
  if (chosen == decisions::nobody) leave(outcome::cut_short);
  if (chosen == decisions::misfit) {
    fail(kind::misuse, "the decisions do not fit: the subject depends on something that the checker does not see");
  }
  thread_set asleep = decisions_->asleep();
  for (thread_set s = asleep; s != 0; s &= s - 1) {
    const auto u = static_cast<unsigned>(std::countr_zero(s));
    if (conflict(threads_[u], threads_[chosen])) asleep &= ~only(u);
  }
  decisions_->set_asleep(asleep);
  return chosen;
}

bool execution::conflict(const strand& s, const strand& t) const noexcept {
  const intent& a = s.next;
  const intent& b = t.next;
  const auto may_be_early = [](const strand& u) { return u.state == life::parked || u.next.until != nullptr; };
  // One may use up what the other could return early with.
  if (options_.early_returns_in_all != ~0u && may_be_early(s) && may_be_early(t)) return true;
  if (a.where != b.where) return false;
  if (a.where == nullptr) {
    const auto number = [this](const strand& u) { return static_cast<unsigned>(&u - threads_.data()); };
    if (a.what == operation::light_fence) return b.what == operation::heavy_fence && b.of == number(s);
    if (b.what == operation::light_fence) return a.what == operation::heavy_fence && a.of == number(t);
    const auto is_fence = [](const intent& i) {
      return i.what == operation::fence || i.what == operation::heavy_fence;
    };
    return is_fence(a) && is_fence(b);
  }
  return a.writes || b.writes || (a.on_queue && b.on_queue);
}

/// What stands for a thread in hashes.
unsigned execution::alias(unsigned thread) const noexcept {
  return thread != outside && thread >= program_.first_alike ? program_.first_alike : thread;
}

state_name execution::state() const {
  state_name name;
  std::array<fingerprint, max_threads> of;
  for (unsigned i = 0; i < count_; ++i) {
    const strand& t = threads_[i];
    of[i] = t.past;
    if (t.forced != 0) of[i] += fingerprint::of(~std::uint64_t{0}, std::uint64_t{alias(i)} << 32 | t.forced);
    name.position[i] = static_cast<std::uint8_t>(i);
    if (i < program_.first_alike) {
      name.hash += of[i];
    } else {
      // Which events were one thread's must not be lost in the sum.
      name.hash += fingerprint::of(of[i].low, of[i].high);
    }
  }
  if (options_.how == strategy::preemptions && current_ != outside) {
    name.hash += fingerprint::of(of[current_].low ^ alias(current_), ~of[current_].high);
  }
  if (program_.first_alike + 1 < count_) {
    std::array<std::uint8_t, max_threads> sorted = name.position;
    std::sort(sorted.begin() + program_.first_alike, sorted.begin() + count_,
              [&of](unsigned a, unsigned b) { return std::tie(of[a], a) < std::tie(of[b], b); });
    for (unsigned i = program_.first_alike; i < count_; ++i) name.position[sorted[i]] = static_cast<std::uint8_t>(i);
  }
  return name;
}

void execution::stuck() {
  if (!was_suspended()) fail(kind::deadlock, "no thread can go on: " + standing());
  for (unsigned i = 0; i < count_; ++i) {
    const strand& t = threads_[i];
    if (t.state == life::ended || t.suspended) continue;
    const place& p = t.next.at->where;
    const blocked_thread b{i, name_of(t.next.what), shown_file(p.file_name()), p.line(), 1};
    const auto known = std::find_if(blocked.begin(), blocked.end(), [&b](const blocked_thread& k) {
      return k.thread == b.thread && k.operation == b.operation && k.file == b.file && k.line == b.line;
    });
    if (known == blocked.end()) {
      blocked.push_back(b);
    } else {
      ++known->executions;
    }
  }
  leave(outcome::completed);
}

std::string execution::standing() const {
  std::string text;
  for (unsigned i = 0; i < count_; ++i) {
    const strand& t = threads_[i];
    if (t.state == life::ended) continue;
    if (!text.empty()) text += "; ";
    text += "thread " + std::to_string(i) + (t.state == life::parked ? " is parked on " : " stands before ") +
            (t.state == life::parked ? "" : std::string(name_of(t.next.what)) + " of ") +
            (t.next.where == nullptr
                 ? "nothing"
                 : name(*t.next.where) + " = " + shown_value(t.next.where->value(t.next.where->newest()))) +
            " at " + (t.next.at == nullptr ? "its start" : shown(t.next.at->where));
  }
  return text;
}

unsigned execution::value_choice(unsigned n) {
  if (n == 1 || fair_) return 0;
  const unsigned chosen = decisions_->value(n);
  if (chosen == decisions::misfit) {
    fail(kind::misuse, "the decisions do not fit: the subject depends on something that the checker does not see");
  }
  return chosen;
}

void execution::count_step() {
  ++steps_;
  if (current_ == outside) return;
  if (options_.suspend && options_.suspend->thread == current_ && me().steps >= options_.suspend->after) {
    me().suspended = true;
    log("is suspended", nullptr, "", "");
    reach();
    std::terminate();  // it is never chosen
  }
  ++me().steps;
  const std::uint64_t bound = std::min<std::uint64_t>(options_.max_steps, 15'000);
  if (steps_ > bound) fair_ = true;
  if (steps_ > 2 * bound) {
    fail(kind::livelock, "no end after " + std::to_string(steps_) + " steps, the last " + std::to_string(bound) +
                             " of them with threads taking turns: " + standing());
  }
}

// --- memory

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

unsigned execution::oldest_readable(const strand& t, const location& l) const noexcept {
  const unsigned newest = l.newest();
  if (newest == 0) return 0;
  if (fair_) return newest;
  const auto known = static_cast<unsigned>(t.seen[l.place_in_views]);
  return std::max(known, newest - std::min(newest, options_.stale));
}

void execution::read(location& l, unsigned at, bool acquiring) {
  if (at == 0) return;
  strand& t = me();
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
  strand& t = me();
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
    ++t.seen[current_];  // what comes after is not published
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

void execution::note(operation what, const location* l, unsigned read, unsigned written, unsigned extra) {
  strand& t = me();
  const std::uint64_t object = l == nullptr ? 0 : std::uint64_t{alias(l->creator)} << 20 | l->ordinal;
  t.past += fingerprint::of(std::uint64_t{alias(current_)} << 56 | static_cast<std::uint64_t>(what) << 48 |
                                (t.events++ & 0xffffff) << 24 | object,
                            read | std::uint64_t{written} << 16 | std::uint64_t{extra} << 32);
}

object_number execution::begin(const void* address, bool is_atomic, std::uint64_t value, const place& where) {
  if (used_locations_ == locations_.size()) locations_.emplace_back();
  location& l = locations_[used_locations_++];
  strand& t = me();
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
  note(operation::load, &l, at, 0);
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
  note(operation::store, &l, 0, l.newest());
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
  note(what, &l, newest, newest + 1);
  return before;
}

bool execution::compare_exchange(object o, std::uint64_t& expected, std::uint64_t desired, order stated,
                                 const place& where) {
  location& l = arrive({.what = operation::compare_exchange, .writes = true}, o, stated, where);
  // Success is one outcome; so is finding any other value that may be read, and, for a weak exchange, failing though
  // the value is the expected one: the oldest such, which tells the thread least.
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
    note(operation::compare_exchange, &l, newest, newest + 1);
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
  note(operation::compare_exchange, &l, at, 0, at == same ? 1 : 0);
  if (tracing_) {
    log_step(l, (at == same ? "fails without cause, reads " : "expects " + shown_value(expected) + ", reads ") +
                    read_value(l, at));
  }
  expected = l.value(at);
  return false;
}

std::uint64_t execution::wait(object o, const awaited& until, const place& where) {
  location& l = arrive({.what = operation::wait_while, .until = &until}, o, order::acquire, where);
  strand& t = me();
  // Values that end the wait; then, if it may end early, others; then, if nothing else can run, the newest one, which a
  // wait has seen by the time at which its patience is used up.
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
  note(operation::wait_while, &l, at, 0, forced ? 2 : early ? 1 : 0);
  if (tracing_) log_step(l, read_value(l, at) + (early ? ", patience used up" : ""));
  return l.value(at);
}

void execution::park(object o, std::uint32_t low, const place& where) {
  location& l = arrive({.what = operation::park, .on_queue = true}, o, order::relaxed, where);
  strand& t = me();
  // The kernel compares under a lock that unpark takes, too: a park after an unpark sees what its caller had seen.
  const unsigned newest = l.newest();
  const unsigned oldest = std::max(oldest_readable(t, l), static_cast<unsigned>(l.unparked));
  const unsigned at = newest - value_choice(newest - oldest + 1);
  read(l, at, false);
  if (static_cast<std::uint32_t>(l.value(at)) != low) {
    note(operation::park, &l, at, 0);
    if (tracing_) log_step(l, read_value(l, at) + ", does not park");
    return;
  }
  note(operation::park, &l, at, 0, 1);
  if (tracing_) log_step(l, read_value(l, at) + ", parks");
  if (current_ == outside) fail(kind::deadlock, "a park outside of the threads");
  t.state = life::parked;
  pass_on();
  t.state = life::at_work;
  if (!t.woken) return_early();
  note(operation::park, &l, 0, 0, t.woken ? 2 : 3);
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
    // Any of them, not the one that came first.
    const bool all = static_cast<unsigned>(std::popcount(asleep)) <= count;
    unsigned pick = all ? 0 : value_choice(static_cast<unsigned>(std::popcount(asleep)));
    thread_set s = asleep;
    for (; pick > 0; --pick) s &= s - 1;
    const auto i = static_cast<unsigned>(std::countr_zero(s));
    asleep &= ~only(i);
    strand& sleeper = threads_[i];
    sleeper.woken = true;
    sleeper.next.where = nullptr;
    sleeper.past +=
        fingerprint::of(~std::uint64_t{2}, std::uint64_t{alias(current_)} << 56 | (sleeper.events & 0xffffff) << 24 |
                                               (me().events & 0xffffff));
    if (tracing_) woken += " thread " + std::to_string(i);
  }
  note(operation::unpark, &l, 0, 0);
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

std::uint64_t execution::ticks() noexcept { return ++me().ticks * 1000; }

void execution::fence(fence_order o) {
  count_step();
  strand& t = me();
  if (o == fence_order::seq_cst && current_ != outside) {
    t.next = {.what = operation::fence};
    reach();
  }
  if (o != fence_order::release && t.has_pending) t.seen.join(t.pending, width_);
  if (o == fence_order::seq_cst) {
    join_fences(t);
    note(operation::fence, nullptr, ++fences_so_far_, 0);
  }
  if (o != fence_order::acquire) {
    t.released.copy(t.seen, width_);
    t.has_released = true;
    ++t.seen[current_];
  }
  if (tracing_) {
    static constexpr const char* names[] = {"acquire", "release", "acq_rel", "seq_cst"};
    log(std::string("fence ") + names[static_cast<unsigned>(o)], nullptr, "", "");
  }
}

/// The order of sequentially consistent fences comes to this one of t.
void execution::join_fences(strand& t) noexcept {
  t.seen.join_stores(fences_, width_);
  fences_.join_stores(t.seen, width_);
}

void execution::light_fence(const place& where) {
  count_step();
  strand& t = me();
  if (current_ != outside && contended.has(contended_set::fences, 0)) {
    t.next = {.what = operation::light_fence, .at = &sites.find(where, operation::light_fence, order::relaxed)};
    reach();
  }
  if (t.reached != 0) t.seen.join_stores(t.due, width_);
  t.lit.copy(t.seen, width_);
  note(operation::light_fence, nullptr, t.reached, ++t.light_fences);
  t.reached = 0;
  if (tracing_) log("light_fence", nullptr, "", shown(where));
}

void execution::heavy_fence(const place& where) {
  strand& t = me();
  site_entry& site = sites.find(where, operation::heavy_fence, order::relaxed);
  // An acquire and a release fence of the caller, too.
  if (t.has_pending) t.seen.join(t.pending, width_);
  if (current_ == outside) return;
  if (!contended.has(contended_set::fences, 0) && !heavy_reported_) {
    heavy_reported_ = true;
    newly_contended_.emplace_back(contended_set::fences, 0);
  }
  thread_set others = ((only(count_) - 1) & ~only(current_));
  bool first = true;
  do {
    count_step();
    // The moment of another thread, any of them. The caller's own fence at the beginning of the call falls together
    // with the first one, that at the end with the last: apart, they would order more, not less.
    unsigned chosen = current_;
    if (others != 0) {
      thread_set s = others;
      for (unsigned pick = value_choice(static_cast<unsigned>(std::popcount(others))); pick > 0; --pick) s &= s - 1;
      chosen = static_cast<unsigned>(std::countr_zero(s));
      if (others != only(chosen)) {
        // The choice is part of the state, for both.
        note(operation::heavy_fence, nullptr, 0, 0, alias(chosen));
        threads_[chosen].past += fingerprint::of(~std::uint64_t{4}, t.events);
      }
      others &= ~only(chosen);
    }
    t.next = {.what = operation::heavy_fence, .at = &site, .of = chosen};
    reach();
    if (first) join_fences(t);
    first = false;
    ++fences_so_far_;
    if (chosen != current_) {
      strand& u = threads_[chosen];
      fences_.join_stores(u.lit, width_);
      u.due.join_stores(fences_, width_);
      u.reached = fences_so_far_;
      u.past += fingerprint::of(~std::uint64_t{3}, std::uint64_t{alias(current_)} << 56 | (u.events & 0xffffff) << 24 |
                                                       (t.events & 0xffffff));
    }
    if (others == 0) join_fences(t);
    note(operation::heavy_fence, nullptr, fences_so_far_, threads_[chosen].light_fences, alias(chosen));
    if (tracing_) log("heavy_fence", nullptr, "for thread " + std::to_string(chosen), shown(where));
  } while (others != 0);
  t.released.copy(t.seen, width_);
  t.has_released = true;
  ++t.seen[current_];
}

// --- words

std::string execution::name(const location& l) const {
  const std::string short_name = (l.is_atomic ? "atomic " : "plain ") + std::to_string(l.number);
  return l.made_at.line() == 0 ? short_name : short_name + " (" + shown(l.made_at) + ")";
}

std::string execution::shown_value(std::uint64_t v) const {
  if (v < 1'000'000) return std::to_string(v);
  for (unsigned i = 0; i < used_locations_; ++i) {
    if (reinterpret_cast<std::uintptr_t>(locations_[i].address) == v) return "&" + name(locations_[i]);
  }
  // Flags in high bits read better in hexadecimal.
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (; v != 0; v >>= 4) text.insert(text.begin(), digits[v & 15]);
  return "0x" + text;
}

std::string execution::last_step(unsigned thread) const {
  if (thread == outside) return "outside of the threads";
  const site_entry* at = threads_[thread].next.at;
  return "thread " + std::to_string(thread) +
         (at == nullptr ? " has done no operation yet"
                        : " was last at " + std::string(name_of(at->what)) + ", " + shown(at->where));
}

std::string execution::read_value(const location& l, unsigned at) const {
  std::string text = "reads " + shown_value(l.value(at));
  if (const unsigned older = l.newest() - at; older > 0) {
    text += " (stale: the newest of " + std::to_string(older) + " later is " + shown_value(l.value(l.newest())) + ")";
  }
  return text;
}

void execution::log(const std::string& what, const location* l, const std::string& values, const std::string& where) {
  if (!tracing_) return;
  const auto padded = [](std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text + ' ';
  };
  std::string line = padded(current_ == outside ? "outside" : "thread " + std::to_string(current_), 9);
  line += padded(what, 24);
  if (l != nullptr) line += padded(name(*l), 44);
  line += padded(values, 24);
  line += where;
  line.erase(line.find_last_not_of(' ') + 1);
  trace_ += line + '\n';
}

void execution::log_step(const location& l, const std::string& values) {
  const site_entry& at = *me().next.at;
  std::string what = name_of(at.what);
  if (at.what != operation::park && at.what != operation::unpark) {
    what += std::string(" ") + name_of(at.used);
    if (at.used != at.stated) what += std::string(" (weakened)");
  }
  log(what, &l, values, shown(at.where));
}

// --- what objects call

object_number begin_atomic(const void* address, std::uint64_t value, const place& where) {
  return detail::current->begin(address, true, value, where);
}
object_number begin_plain(const void* address, const place& where) {
  return detail::current->begin(address, false, 0, where);
}
void end_object(object o) noexcept { detail::current->end(o); }
std::uint64_t do_load(object o, order r, const place& where) { return detail::current->load(o, r, where); }
void do_store(object o, std::uint64_t value, order r, const place& where) {
  detail::current->store(o, value, r, where);
}
std::uint64_t do_modify(object o, operation what, std::uint64_t operand, std::uint64_t mask, order r,
                        const place& where) {
  return detail::current->modify(o, what, operand, mask, r, where);
}
bool do_compare_exchange(object o, std::uint64_t& expected, std::uint64_t desired, order r, const place& where) {
  return detail::current->compare_exchange(o, expected, desired, r, where);
}
std::uint64_t do_wait(object o, const awaited& until, const place& where) {
  return detail::current->wait(o, until, where);
}
void do_park(object o, std::uint32_t low, const place& where) { detail::current->park(o, low, where); }
void do_unpark(object o, unsigned count, const place& where) { detail::current->unpark(o, count, where); }
void do_light_fence(const place& where) { detail::current->light_fence(where); }
void do_heavy_fence(const place& where) { detail::current->heavy_fence(where); }
void do_plain_read(object o) { detail::current->plain_read(o); }
void do_plain_write(object o, const place* where) { detail::current->plain_write(o, where); }

std::uint64_t do_ticks() noexcept {
  static thread_local std::uint64_t alone = 0;
  return running() ? detail::current->ticks() : ++alone * 1000;
}

void fence(fence_order o) {
  if (running()) detail::current->fence(o);
}

bool has_ended(unsigned thread) noexcept { return !running() || detail::current->has_ended(thread); }

void require(bool condition, const char* what) {
  if (condition) return;
  if (!running()) throw std::logic_error(what);
  detail::current->fail(kind::assertion, what);
}

}  // namespace callisto::machine::checking

// One execution: its run, and the scheduling of its threads.
#include <callisto/machine/checked/execution.hpp>

#include <callisto/machine/system/sanitizers.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <new>
#include <stdexcept>
#include <tuple>

namespace callisto::machine::checking {
namespace {

#if defined(CALLISTO_UNDER_ASAN)
constexpr std::size_t stack_bytes = 512 << 10;
#else
constexpr std::size_t stack_bytes = 128 << 10;
#endif

}  // namespace

// Contended atomics.

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

// A run.

execution::execution(const program& p, const options& o)
    : sites(o.weaken), program_(p), options_(o), count_(p.threads) {
  for (unsigned t = 0; t <= outside; ++t) {
    if (t < count_ || t == outside) threads_[t].context = std::make_unique<fiber>(stack_bytes, live, this);
    threads_[t].seen.clear();
    threads_[t].pending.clear();
    threads_[t].released.clear();
    threads_[t].at_light_fence.clear();
    threads_[t].owed.clear();
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
    t.at_light_fence.clear(width_);
    t.owed.clear(width_);
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
    // Runs each thread to its first scheduling point.
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
  std::terminate();  // no switch returns here
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

// Scheduling.

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

bool execution::can_run(const checked_thread& t) const {
  if (t.state == life::parked) return t.woken;
  if (t.next.until == nullptr) return true;
  const location& l = *t.next.where;
  // If the object has ended, the waiter runs, and locate() reports the failure.
  if (!l.alive) return true;
  for (unsigned at = l.newest() + 1, oldest = oldest_readable(t, l); at-- > oldest;) {
    if (!t.next.until->keep(t.next.until->context, l.value(at))) return true;
  }
  return false;
}

bool execution::can_return_early(const checked_thread& t) const {
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
    const checked_thread& t = threads_[i];
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
  // No thread can run. An early return would help, but programs cannot rely on one. If being stuck is not a failure,
  // the checker explores both.
  if (forced_ && patient == 0 && (idle == 0 || value_choice(2) == 0)) stuck();
  crossroads road{ready | idle, idle, false, current_};
  if (forced_) road = {patient | idle, patient | idle, true, current_};
  if (fair_) {
    const thread_set later = road.enabled & ~((only(current_) << 1) - 1);
    return static_cast<unsigned>(std::countr_zero(later != 0 ? later : road.enabled));
  }
  const unsigned chosen = decisions_->thread(road, decisions_->wants_state() ? state() : state_name{});
  if (chosen == decisions::no_thread) leave(outcome::cut_short);
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

bool execution::conflict(const checked_thread& s, const checked_thread& t) const noexcept {
  const intent& a = s.next;
  const intent& b = t.next;
  const auto may_be_early = [](const checked_thread& u) { return u.state == life::parked || u.next.until != nullptr; };
  // One thread may use up the last early return that the second thread could take.
  if (options_.early_returns_in_all != ~0u && may_be_early(s) && may_be_early(t)) return true;
  if (a.where != b.where) return false;
  if (a.where == nullptr) {
    const auto number = [this](const checked_thread& u) { return static_cast<unsigned>(&u - threads_.data()); };
    if (a.what == operation::light_fence) return b.what == operation::heavy_fence && b.of == number(s);
    if (b.what == operation::light_fence) return a.what == operation::heavy_fence && a.of == number(t);
    const auto is_fence = [](const intent& i) {
      return i.what == operation::fence || i.what == operation::heavy_fence;
    };
    return is_fence(a) && is_fence(b);
  }
  return a.writes || b.writes || (a.on_queue && b.on_queue);
}

unsigned execution::symmetric_id(unsigned thread) const noexcept {
  return thread != outside && thread >= program_.first_alike ? program_.first_alike : thread;
}

state_name execution::state() const {
  state_name name;
  std::array<fingerprint, max_threads> of;
  for (unsigned i = 0; i < count_; ++i) {
    const checked_thread& t = threads_[i];
    of[i] = t.past;
    if (t.forced != 0) of[i] += fingerprint::of(~std::uint64_t{0}, std::uint64_t{symmetric_id(i)} << 32 | t.forced);
    name.position[i] = static_cast<std::uint8_t>(i);
    if (i < program_.first_alike) {
      name.hash += of[i];
    } else {
      // The hash must keep apart which events belong to one thread, which a plain sum would lose.
      name.hash += fingerprint::of(of[i].low, of[i].high);
    }
  }
  if (options_.how == strategy::preemptions && current_ != outside) {
    name.hash += fingerprint::of(of[current_].low ^ symmetric_id(current_), ~of[current_].high);
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
    const checked_thread& t = threads_[i];
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
    std::terminate();  // decide() never chooses a suspended thread
  }
  ++me().steps;
  const std::uint64_t bound = std::min<std::uint64_t>(options_.max_steps, 15'000);
  if (steps_ > bound) fair_ = true;
  if (steps_ > 2 * bound) {
    fail(kind::livelock, "no end after " + std::to_string(steps_) + " steps, the last " + std::to_string(bound) +
                             " of them with threads taking turns: " + standing());
  }
}

std::uint64_t execution::ticks() noexcept { return ++me().ticks * 1000; }

}  // namespace callisto::machine::checking

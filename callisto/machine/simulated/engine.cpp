// The engine: setting up, running, and time (contexts, pipelines, absences). Lines are in lines.cpp.
#include <callisto/machine/simulated/engine_state.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace callisto::machine::simulation {
namespace {

std::uint64_t to_cycles(double value) {
  return value == description::never ? forever : static_cast<std::uint64_t>(std::llround(value));
}

/// Fibers of finished engines. Mapping a thousand new stacks for each run would cost more than many a run.
thread_local std::vector<std::unique_ptr<fiber>> spare_fibers;

}  // namespace

const char* to_string(activity a) noexcept {
  constexpr std::array<const char*, activities> names = {"work", "claiming", "moving", "waiting", "parked", "away"};
  return names[static_cast<unsigned>(a)];
}

account& account::operator+=(const account& other) noexcept {
  for (unsigned a = 0; a < activities; ++a) cycles[a] += other.cycles[a];
  for (unsigned d = 0; d < distances; ++d) moves[d] += other.moves[d];
  accesses += other.accesses;
  failed_exchanges += other.failed_exchanges;
  return *this;
}

account outcome::total() const noexcept {
  account sum;
  for (const account& a : contexts) sum += a;
  return sum;
}

// Setting up, running, ending.

engine::engine(const description& machine, options how) : machine_(machine), options_(std::move(how)) {
  const auto with_instructions = [&](double value) { return to_cycles(value + machine_.instructions); };
  cost_.load = with_instructions(machine_.load);
  cost_.store = with_instructions(machine_.store);
  cost_.update = with_instructions(machine_.atomic);
  cost_.failed = to_cycles(machine_.cas_retry);
  cost_.instructions = to_cycles(machine_.instructions);
  cost_.far = to_cycles(machine_.fetch_add_far);
  cost_.brief = std::max<std::uint64_t>(1, to_cycles(machine_.wait_brief));
  cost_.lasting = std::max<std::uint64_t>(1, to_cycles(machine_.wait_lasting));
  cost_.brief_limit = to_cycles(machine_.wait_brief_limit);
  cost_.lasting_limit = to_cycles(machine_.wait_lasting_limit);
  cost_.park = to_cycles(machine_.park);
  cost_.unpark = to_cycles(machine_.unpark);
  cost_.wake = to_cycles(machine_.wake);
  for (unsigned d = 0; d < distances; ++d) {
    cost_.hop[d] = std::max<std::uint64_t>(1, to_cycles(machine_.hop[d]));
    cost_.request[d] = to_cycles(machine_.hop[d] * machine_.hop_request);
    cost_.hold[d] = to_cycles(machine_.hop[d] * machine_.hold);
  }
  const double saturating = machine_.pipelines / machine_.ipc;
  may_saturate_ = saturating < machine_.contexts;
  capacity_ = static_cast<std::uint64_t>(std::llround(saturating * full_duty * (1u << core_clock_bits)));
  const auto duty = [&](double period) {
    return static_cast<unsigned>(std::llround(full_duty * std::min(1.0, machine_.wait_poll / period)));
  };
  poll_duty_[0] = duty(machine_.wait_brief);
  poll_duty_[1] = machine_.wait_monitor ? 0 : duty(machine_.wait_lasting);
  words_ = (machine_.total_cores() + 63) / 64;
  context_at_.assign(machine_.total_contexts(), 0);
  cores_.resize(machine_.total_cores());
  for (std::size_t k = 0; k < cores_.size(); ++k) {
    cores_[k].done.kind = core_done;
    cores_[k].done.index = static_cast<std::uint32_t>(k);
  }
  places_.resize(1024);
  line_bits_ = static_cast<unsigned>(std::countr_zero(machine_.line));
}

engine::~engine() {
  for (const auto& c : contexts_) {
    if (options_.stack_bytes == default_stack_bytes) spare_fibers.push_back(std::move(c->own_fiber));
  }
  while (!owned_.empty()) {
    const owned last = owned_.back();
    owned_.pop_back();
    last.destroy(last.room);
    ::operator delete(last.room, std::align_val_t{last.alignment});
  }
}

void engine::spawn(unsigned number, std::function<void()> body) {
  if (number >= context_at_.size() || context_at_[number] != 0) {
    throw std::logic_error(
        fmt::format("context {} cannot be spawned: given before, or beyond {}", number, context_at_.size()));
  }
  auto owner = std::make_unique<simulated_context>();
  simulated_context& c = *owner;
  c.number = number;
  c.core = machine_.core_of(number);
  c.of = this;
  c.body = std::move(body);
  if (options_.stack_bytes == default_stack_bytes && !spare_fibers.empty()) {
    c.own_fiber = std::move(spare_fibers.back());
    spare_fibers.pop_back();
    c.own_fiber->restart(&engine::start, &c);
  } else {
    c.own_fiber = std::make_unique<fiber>(options_.stack_bytes, &engine::start, &c);
  }
  const auto index = static_cast<std::uint32_t>(contexts_.size());
  c.resume.kind = resume_context;
  c.own.arrival.kind = c.store.arrival.kind = request_arrives;
  c.store.arrival.index = index * 2 + 1;
  c.own.arrival.index = index * 2;
  c.resume.index = index;
  c.own.asker = c.store.asker = &c;
  c.store.is_store = true;
  c.random = mixed(options_.seed ^ mixed(number));
  const std::uint64_t begin = options_.start_within == 0 ? 0 : (c.random = mixed(c.random)) % options_.start_within;
  c.since = begin;
  for (const absence& a : options_.absences) {
    if (a.context == number) c.given.push_back(a);
  }
  std::sort(c.given.begin(), c.given.end(), [](auto& a, auto& b) { return a.begin > b.begin; });
  if (options_.random_absence_every != 0) {
    c.next_random_absence = begin + (c.random = mixed(c.random)) % (2 * options_.random_absence_every);
  }
  contexts_.push_back(std::move(owner));
  context_at_[number] = index + 1;
  c.place = cores_[c.core].members.size();
  cores_[c.core].members.push_back(&c);
  cores_[c.core].ends.push_back(forever);
  wheel_.insert(c.resume, begin);
  plan_absence(c);
  ++unfinished_;
}

outcome engine::run() {
  engine* const outer = running_;
  running_ = this;
  go_on();
  running_ = outer;
  if (thrown_) std::rethrow_exception(thrown_);
  outcome result;
  result.finished = unfinished_ == 0;
  result.cycles = wheel_.now();
  result.events = events_;
  result.hash = hash_;
  if (!result.finished && wheel_.now() < options_.max_cycles) result.stuck = describe_stuck();
  for (const auto& c : contexts_) {
    if (!c->done) set_activity(*c, c->doing == activity::work ? activity::claiming : activity::work);
    result.contexts.push_back(c->spent);
  }
  return result;
}

void engine::start(void* of_context) noexcept {
  simulated_context& c = *static_cast<simulated_context*>(of_context);
  engine& e = *c.of;
  c.stack_top = static_cast<const std::byte*>(__builtin_frame_address(0));
  c.stack_end = c.stack_top - e.options_.stack_bytes;
  e.set_duty(c, full_duty);
  try {
    c.body();
  } catch (...) {
    e.thrown_ = std::current_exception();
  }
  e.finish_context(c);
}

void engine::finish_context(simulated_context& c) noexcept {
  if (!thrown_) wait_for_stores();
  set_duty(c, 0);
  set_activity(c, c.doing == activity::moving ? activity::claiming : activity::moving);
  c.done = true;
  --unfinished_;
  go_on();
}

std::string engine::describe_stuck() const {
  std::string text;
  unsigned shown = 0;
  for (const auto& c : contexts_) {
    if (c->done) continue;
    if (++shown > 8) return text + ", ...";
    text += fmt::format("{}context {} {} since cycle {}", text.empty() ? "" : ", ", c->number, to_string(c->doing),
                        c->since);
    if (c->waits_on != nullptr) text += fmt::format(" for line {}", c->waits_on->ordinal);
  }
  return text;
}

// Time.

std::uint64_t engine::now() const noexcept {
  // A read of the clock is no separate event: the next access pays for it.
  self_->owed += cost_.instructions;
  return wheel_.now() + self_->owed;
}

unsigned engine::self() const noexcept { return self_->number; }
spare_room& engine::rooms() noexcept { return self_->rooms; }

/// Runs events until one resumes a context, then switches to that context. The caller has nothing to do until one of
/// its events comes.
void engine::go_on() noexcept {
  simulated_context* const me = self_;
  simulated_context* next = nullptr;
  while (unfinished_ != 0 && !thrown_) {
    event* const e = wheel_.pop();
    if (e == nullptr || e->time > options_.max_cycles) break;
    ++events_;
    if (e->kind == resume_context) {
      next = contexts_[e->index].get();
    } else if (e->kind == core_done) {
      pipes& k = cores_[e->index];
      catch_up(k);
      const auto first = std::min_element(k.ends.begin(), k.ends.end());
      *first = forever;
      next = k.members[static_cast<std::size_t>(first - k.ends.begin())];
      plan(k);
    } else {
      simulated_context& asker = *contexts_[e->index / 2];
      request& r = e->index % 2 == 0 ? asker.own : asker.store;
      arrive(r);
      if (r.is_store) {
        take_effect(asker, *r.where);
        drain(asker);
      } else {
        next = &asker;
      }
    }
    if (next != nullptr) break;
  }
  if (next == me) return;
  self_ = next;
  fiber::switch_to(me == nullptr ? main_ : *me->own_fiber, next == nullptr ? main_ : *next->own_fiber);
}

void engine::wake_at(simulated_context& c, std::uint64_t time) noexcept {
  if (c.resume.pending) wheel_.remove(c.resume);
  wheel_.insert(c.resume, time);
}

void engine::set_activity(simulated_context& c, activity a) noexcept {
  if (a == c.doing) return;
  const std::uint64_t now = wheel_.now();
  if (now > c.since) {
    c.spent.cycles[static_cast<unsigned>(c.doing)] += now - c.since;
    if (options_.trace) options_.trace({c.number, c.doing, c.since, now});
  }
  c.since = now;
  c.doing = a;
}

/// Blocks the running context until one of its events comes. Meanwhile it is accounted to `as` and takes `duty` of the
/// pipelines.
void engine::block(activity as, unsigned duty) noexcept {
  simulated_context& c = *self_;
  const activity was = c.doing;
  set_activity(c, as);
  set_duty(c, duty);
  go_on();
  set_duty(c, full_duty);
  set_activity(c, was);
}

void engine::catch_up(pipes& k) noexcept {
  k.clock += (wheel_.now() - k.since) * k.rate;
  k.since = wheel_.now();
}

/// Sets a context's share of its core's pipelines. Executing contexts share them equally; waiting contexts take part in
/// proportion to the time that they poll.
void engine::set_duty(simulated_context& c, unsigned duty) noexcept {
  if (!may_saturate_ || c.duty == duty) return;
  pipes& k = cores_[c.core];
  k.duty += duty - c.duty;
  c.duty = duty;
  const std::uint64_t rate = k.duty == 0 ? full_rate : std::clamp<std::uint64_t>(capacity_ / k.duty, 1, full_rate);
  if (rate == k.rate) return;
  catch_up(k);
  k.rate = rate;
  plan(k);
}

/// Plans the event of the first context of the core that finishes its work.
void engine::plan(pipes& k) noexcept {
  k.first = *std::min_element(k.ends.begin(), k.ends.end());
  if (k.first == forever) {
    if (k.done.pending) wheel_.remove(k.done);
    return;
  }
  const std::uint64_t left = k.first > k.clock ? k.first - k.clock : 0;
  const std::uint64_t time = k.since + (left + k.rate - 1) / k.rate;
  if (k.done.pending) {
    if (k.done.time == time) return;
    wheel_.remove(k.done);
  }
  wheel_.insert(k.done, time);
}

/// Executes for `cycles` on the core's pipelines, with the absences that fall into this time.
void engine::spend(std::uint64_t cycles) noexcept {
  simulated_context& c = *self_;
  cycles += c.owed;
  c.owed = 0;
  for (;;) {
    const std::uint64_t now = wheel_.now();
    const bool leaves = c.next_absence <= now + cycles;
    const std::uint64_t part = !leaves ? cycles : c.next_absence > now ? c.next_absence - now : 0;
    if (part != 0) {
      pipes& k = cores_[c.core];
      // At the full rate this takes `part` cycles, else more. The division pays only if no event comes before.
      std::uint64_t time = now + part;
      bool quiet = wheel_.quiet_through(time);
      if (quiet && k.rate != full_rate) {
        time = now + ((part << core_clock_bits) + k.rate - 1) / k.rate;
        quiet = wheel_.quiet_through(time);
      }
      if (quiet && time <= options_.max_cycles) {
        ++events_;
        wheel_.advance_to(time);
      } else if (may_saturate_) {
        catch_up(k);
        const std::uint64_t ends = k.clock + (part << core_clock_bits);
        k.ends[c.place] = ends;
        if (ends < k.first) plan(k);
        go_on();
      } else {
        wheel_.insert(c.resume, time);
        go_on();
      }
    }
    if (!leaves) return;
    cycles -= part;
    be_away();
  }
}

void engine::be_away() noexcept {
  simulated_context& c = *self_;
  wake_at(c, wheel_.now() + c.absence_cycles);
  block(activity::away, 0);
  plan_absence(c);
}

void engine::plan_absence(simulated_context& c) noexcept {
  const std::uint64_t now = wheel_.now();
  while (!c.given.empty() && c.given.back().begin < now) c.given.pop_back();
  if (c.next_random_absence <= now && options_.random_absence_every != 0) {
    c.random = mixed(c.random);
    c.next_random_absence = now + 1 + c.random % (2 * options_.random_absence_every);
  }
  const bool is_given = !c.given.empty() && c.given.back().begin <= c.next_random_absence;
  c.next_absence = is_given ? c.given.back().begin : c.next_random_absence;
  c.absence_cycles = is_given ? c.given.back().cycles : options_.random_absence_cycles;
  if (is_given) c.given.pop_back();
}

void engine::stall(std::uint64_t cycles) noexcept {
  spend(0);
  if (cycles == 0) return;
  wake_at(*self_, wheel_.now() + cycles);
  block(activity::moving, 0);
}

void engine::execute(std::uint64_t cycles, activity as) noexcept {
  simulated_context& c = *self_;
  const activity was = c.doing;
  spend(0);
  set_activity(c, as);
  spend(cycles);
  set_activity(c, was);
}

}  // namespace callisto::machine::simulation

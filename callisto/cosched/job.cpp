// A process's membership on the native machine: the file, its locks, futexes and the clock.
#include <callisto/cosched/job.hpp>

#include <callisto/cosched/job_state.hpp>
#include <callisto/machine/host/priority.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace callisto::cosched {
namespace {

using machine::native;
using machine::order;

/// How often a job reads the weights of its control groups, which takes 0.2 ms at most.
constexpr std::uint64_t groups_period = 1'000'000'000;  // nanoseconds

}  // namespace

context_set set_of(const std::vector<unsigned>& contexts) {
  context_set set;
  for (const unsigned c : contexts) {
    if (c < max_contexts) set.add(c);
  }
  return set;
}

job::job(std::unique_ptr<impl> in) noexcept : in_(std::move(in)) {}

job::~job() {
  if (in_ != nullptr) leave();
}

void job::leave() {
  const std::scoped_lock held(in_->telling);
  if (!member()) return;
  in_->expelled.store(1, order::relaxed);
  if (broker_link* const link = in_->broker()) return link->leave();
  // This process holds the slot's lock, so no other job has the slot.
  in_->shared->leave(*in_, in_->number);
  wake_watchers();
  in_->file->unlock(shared_table::lock_of(in_->number));
}

void job::abandon(std::unique_ptr<job> parents) noexcept {
  // Neither leaves nor unmaps: a seat of a thread that the child does not have may point there, and the locks are the
  // parent's. Closing the descriptor, which is a copy, drops none of them. Leaked on purpose. The memory becomes the
  // child's own: it may give up rights, and must not reach the parent's table then.
  if (parents->in_->file) parents->in_->file->make_private();
  if (broker_link* const link = parents->in_->broker()) link->abandon();
  static_cast<void>(parents.release());
}

unsigned job::number() const noexcept { return has_broker() ? in_->broker()->number() : in_->number; }
const std::string& job::path() const noexcept { return has_broker() ? in_->broker()->path() : in_->file->path(); }
bool job::has_broker() const noexcept { return in_->broker() != nullptr; }
bool job::member() const noexcept { return in_->expelled.load(order::relaxed) == 0; }  // relaxed: a flag by itself
std::uint64_t job::repairs() const noexcept { return in_->repaired.load(order::relaxed); }

std::uint64_t job::generation() const noexcept {
  const broker_link* const link = in_->broker();
  return link != nullptr ? link->generation() : in_->shared->generation();
}
void job::wait_for_change(std::uint64_t generation, std::uint64_t nanoseconds) const noexcept {
  const broker_link* const link = in_->broker();
  machine::park_shared(link != nullptr ? link->generation_word() : in_->shared->generation_word(),
                       static_cast<std::uint32_t>(generation), nanoseconds, impl::everybodys_group);
}
bool job::wait_for_change_or(std::uint64_t generation, const native::atomic<std::uint64_t>& own,
                             std::uint32_t low) const noexcept {
  const broker_link* const link = in_->broker();
  return machine::park_shared_or_own(link != nullptr ? link->generation_word() : in_->shared->generation_word(),
                                     static_cast<std::uint32_t>(generation), own, low);
}
void job::wake_watchers() const noexcept {
  // The job cannot write a broker's page, but can wake its own threads there.
  machine::unpark_shared(has_broker() ? const_cast<native::atomic<std::uint64_t>&>(in_->broker()->generation_word())
                                      : in_->shared->generation_word(),
                         impl::everybodys_group);
}

unsigned job::main_context() {
  impl& in = *in_;
  if (const broker_link* const link = in.broker()) return link->main_context();
  const unsigned main = in.divided()->main[in.number];
  if (in.requested.load(order::relaxed) != context_assignment::no_context) {  // relaxed, as below: a number
    const unsigned requested = in.requested.exchange(context_assignment::no_context, order::relaxed);
    // The assignment has changed since. If another thread of the job wants that context, it says so again.
    if (requested != context_assignment::no_context && requested != main && member())
      in.shared->at(requested).withdraw(in.number);
  }
  return main;
}

void job::set_weight(unsigned weight) {
  const std::scoped_lock held(in_->telling);
  in_->mine.weight = std::clamp(weight, 1u, max_weight);
  in_->mine.priority = machine::usual_priority;
  in_->follows_priority = false;
  in_->tell();
}

bool job::set_main(unsigned context) {
  const std::scoped_lock held(in_->telling);
  if (!member() || context >= max_contexts || in_->mine.main == context + 1) return false;
  in_->mine.main = context + 1;
  in_->tell();
  return true;
}

void job::set_contexts(const std::vector<unsigned>& contexts) {
  const std::scoped_lock held(in_->telling);
  if (!member()) return;
  const context_set wanted = set_of(contexts);
  if (wanted == in_->mine.contexts) return;
  in_->mine.contexts = wanted;
  in_->tell();
}

bool job::alone() {
  const broker_link* const link = in_->broker();
  return link != nullptr ? link->alone() : in_->divided()->jobs <= 1;
}

bool job::stands_aside() {
  impl& in = *in_;
  if (in.broker() != nullptr) [[unlikely]]
    return without_broker();
  if ((!in.may_step_aside && in.takes_turns) || !member()) return false;
  const std::uint64_t now = in.now();
  std::uint64_t last = in.aside_looked_at.load(order::relaxed);  // relaxed, all: a hint, and its pace
  // relaxed: as above. A light job's loops are short, and one of them is not to pay for each look.
  if (now - last >= (in.is_light.load(order::relaxed) != 0 ? sharing_limits::own_window / 4 : impl::millisecond) &&
      in.aside_looked_at.compare_exchange(last, now, order::relaxed)) {
    in.look_aside(now, false);
  }
  return in.stands_aside.load(order::relaxed) != 0;
}

/// True if the job had a broker, which is gone.
bool job::without_broker() { return member() && in_->broker()->is_lost(); }

bool job::stands_aside_as_light() const noexcept {
  return in_->stands_aside.load(order::relaxed) == static_cast<std::uint32_t>(aside::light);  // relaxed: a hint
}

void job::look_around() {
  impl& in = *in_;
  if (!in.may_step_aside || !member() || in.broker() != nullptr) return;
  const std::uint64_t now = in.now();
  std::uint64_t last = in.looked_around_at.load(order::relaxed);  // relaxed, both: only paces
  if (now - last >= sharing_limits::outsiders_window &&
      in.looked_around_at.compare_exchange(last, now, order::relaxed)) {
    in.look_aside(now, true);
  }
}

void job::shares_of(std::span<const unsigned> contexts, std::span<double> shares) {
  if (const broker_link* const link = in_->broker()) {
    std::transform(contexts.begin(), contexts.end(), shares.begin(), [&](unsigned c) { return link->share_of(c); });
    return;
  }
  const std::shared_ptr<const context_assignment> d = in_->divided();
  std::transform(contexts.begin(), contexts.end(), shares.begin(),
                 [&](unsigned context) { return d->high[context].share_of(in_->number); });
}

bool job::has_turns_on(unsigned context) {
  const broker_link* const link = in_->broker();
  return link != nullptr ? link->share_of(context) > 0 : in_->divided()->high[context].has(in_->number);
}

void job::wake_waiters(unsigned context) {
  if (broker_link* const link = in_->broker()) return link->wake_waiters(context);
  if (context < max_contexts) in_->shared->at(context).wake_waiters(*in_, in_->number);
}

void job::notify_holder(unsigned context) {
  // A broker's job finds out by itself, at its next look.
  if (context < max_contexts && !has_broker()) in_->shared->at(context).notify_holder();
}

void job::look_after() {
  // Another thread that does this may wait for a broker's answer.
  const std::unique_lock held(in_->telling, std::try_to_lock);
  if (!held || !member()) return;
  in_->look_for_broker();
  if (broker_link* const link = in_->broker()) {
    link->look_after();
    if (const unsigned priority = in_->follows_priority ? in_->priority() : 0;
        priority != 0 && priority != in_->mine.priority) {
      in_->mine.priority = priority;
      in_->tell();
    }
    return;
  }
  // Taking the lock again does nothing while this process holds it.
  if (!in_->file->try_lock(shared_table::lock_of(in_->number))) {
    in_->expelled.store(1, order::relaxed);
    return;
  }
  if (const unsigned wished = in_->shared->take_wish(in_->number); wished != 0) {
    in_->mine.weight = wished;
    in_->mine.priority = machine::usual_priority;
    in_->follows_priority = false;
    in_->shared->write(in_->number, in_->mine);
  }
  // renice(1) and moves between groups come without a message.
  if (const unsigned priority = in_->follows_priority ? in_->priority() : 0;
      priority != 0 && priority != in_->mine.priority) {
    in_->mine.priority = priority;
    in_->shared->write(in_->number, in_->mine);
  } else if (in_->shared->record_of(in_->number) != in_->mine) {
    in_->repaired.fetch_add(1, order::relaxed);
    in_->shared->write(in_->number, in_->mine);
  }
}

void job::look_after_in_time() {
  const std::uint64_t now = in_->now();
  std::uint64_t last = in_->looked_at.load(order::relaxed);  // relaxed, both: only paces
  if (now - last >= in_->delays.p_high && in_->looked_at.compare_exchange(last, now, order::relaxed)) look_after();
}

// --- a job's record and knowledge

void job::impl::tell() {
  if (broker_link* const link = broker()) {
    link->tell(mine.contexts, mine.main, valid_weight(mine.weight) * valid_priority(mine.priority));
  } else {
    shared->write(number, mine);
  }
}

void job::impl::look_for_broker() {
  constexpr std::uint64_t period = 1'000'000'000;
  if (find_broker == nullptr || broker() != nullptr || now() - looked_for_broker_at < period) return;
  looked_for_broker_at = now();
  membership how{.contexts = {},
                 .main = mine.main == 0 ? std::nullopt : std::optional(static_cast<unsigned>(mine.main - 1)),
                 .weight = valid_weight(mine.weight) * valid_priority(mine.priority),
                 .delays = delays};
  for (unsigned c = 0; c < max_contexts; ++c) {
    if (mine.contexts.has(c)) how.contexts.push_back(c);
  }
  std::string refusal;
  std::unique_ptr<broker_link> found = find_broker(how, refusal);
  if (found == nullptr) return;
  // First out of the table: the job has nothing of the broker's yet. Its seats find their contexts gone.
  shared->leave(*this, number);
  machine::unpark_shared(shared->generation_word(), everybodys_group);
  file->unlock(shared_table::lock_of(number));
  use_broker(std::move(found));
}

unsigned job::impl::priority() {
  if (const std::uint64_t at = now(); at - groups_read_at >= groups_period) {
    groups_read_at = at;
    groups = machine::weight_of_groups("");
  }
  return machine::priority_of_this_process(groups);
}

void job::impl::look_aside(std::uint64_t now, bool has_no_work) {
  const std::unique_lock held(looking_aside, std::try_to_lock);
  if (!held) return;
  const aside found = around.look(
      *shared, number, now, native::working_time(), has_no_work,
      [](std::uint64_t process) { return machine::processor_time_of(static_cast<pid_t>(process)); },
      [](const context_set& contexts) {
        return machine::busy_time_of([&](unsigned c) { return c < max_contexts && contexts.has(c); });
      });
  is_light.store(around.light() ? 1 : 0, order::relaxed);  // relaxed: a hint
  const aside without = may_step_aside ? found : aside::no;
  const aside why = without == aside::no && is_crowded() ? aside::crowded : without;
  // relaxed: a hint.
  if (stands_aside.exchange(static_cast<std::uint32_t>(why), order::relaxed) == static_cast<std::uint32_t>(why)) return;
  shared->tell_aside(number, why);
  machine::unpark_shared(shared->generation_word(), everybodys_group);
}

bool job::impl::is_crowded() {
  if (takes_turns) return false;
  if (const std::uint64_t now = shared->generation(); std::exchange(crowded_for, now) != now) {
    crowded = owners.would_take_turns(*shared, number);
  }
  return crowded;
}

}  // namespace callisto::cosched

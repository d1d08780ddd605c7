// A thread's seat on a context: when it may run there, and how it looks after an owner that sleeps.
#include <callisto/cosched/job_state.hpp>
#include <callisto/machine/host/placement.hpp>

#include <algorithm>
#include <utility>

namespace callisto::cosched {
namespace {

using machine::native;
using machine::order;

}  // namespace

bool job::impl::dormant(unsigned job) {
  const activity_sampler::activity a = activity_of(job);
  if (a.awake || a.quiet_for < delays.h_high) return false;
  // On a machine that is busy with other things, runnable threads wait for longer than that.
  if (machine::could_run(a.pid)) {
    activities.could_run(job);
    return false;
  }
  // The first thread that finds out wakes the threads that wait for the job's other contexts.
  if (!activities.tell_dormant(job) || waiting() <= 1) return true;
  for (unsigned c = 0; c < max_contexts; ++c) {
    if ((shared->at(c).wants() & only(number)) != 0) shared->at(c).wake_waiters(*this, number);
  }
  return true;
}

activity_sampler::activity job::impl::activity_of(unsigned job) {
  if (job >= max_jobs || job == number) return {};
  const std::optional<job_record> r = shared->record_of(job);
  if (!r || r->pid == 0 || r->pid > max_pid) return {};
  return activities.look(job, *r, now(), delays);
}

unsigned job::impl::silent_owner(const seat& s) {
  const unsigned top = s.slices_->holder(now());
  if (top >= max_jobs || top == number) return no_job;
  if (s.turns_ != nullptr ? s.turns_->main[top] != s.context_ : !s.is_owners_main_) return no_job;
  return (shared->at(s.context_).wants() & only(top)) == 0 ? top : no_job;
}

std::uint64_t job::impl::look_at_owner_of(const seat& s) {
  const unsigned owner = silent_owner(s);
  if (owner == no_job) return 0;
  const activity_sampler::activity a = activity_of(owner);
  if (!a.awake) return std::max(delays.p_low, std::min(delays.h_high, a.quiet_for / 64));
  shared->at(s.context_).request_for(owner);
  return 0;
}

void job::impl::displace(const missed_answers& missed, unsigned context) {
  const unsigned job = missed.last;
  if (job >= max_jobs || job == number) return;
  const auto thread = static_cast<pid_t>(shared->at(context).thread_of(job));
  const unsigned elsewhere = divided()->main[job];
  const std::optional<job_record> r = shared->record_of(job);
  if (thread <= 0 || elsewhere == context_assignment::no_context || elsewhere == context || !r || r->pid > max_pid)
    return;
  // Only a thread of that process, whatever the table says.
  const auto pid = static_cast<pid_t>(r->pid);
  if (machine::look_at_process(pid).start == r->start) machine::pin_thread_of(pid, thread, elsewhere);
}

job::seat::seat(job& of, unsigned context, int thread) noexcept : of_(&of), context_(context), thread_(thread) {
  const broker_link* const link = of.in_->broker();
  word_ = link != nullptr ? &link->word(context) : &of.in_->shared->at(context).word();
}

job::seat::~seat() {
  if (of_ == nullptr) return;
  impl& in = *of_->in_;
  if (!of_->member()) return;
  if (broker_link* const link = in.broker()) {
    if (link_ == link) link->leave_context(context_);
    return;
  }
  learn(true);
  in.shared->at(context_).leave(in, in.number, *slices_);
}

/// Looks at the assignment if it has changed. False, if not `patiently`: another thread of the process computes it now.
bool job::seat::learn(bool patiently) {
  impl& in = *of_->in_;
  for (unsigned attempt = 0;; ++attempt) {
    const std::uint64_t generation = in.shared->generation();
    if (slices_ != nullptr && generation == knows_for_) return true;
    const std::uint64_t word = in.owners.word(context_);
    const std::uint64_t owner = word & owner_word::owner_mask;
    if (word >> 32 == (generation & 0xffffffff) && (word & owner_word::known) != 0) {
      knows_for_ = generation;
      is_owners_main_ = (word & owner_word::main) != 0;
      turns_ = owner == owner_word::turns ? in.divided() : nullptr;
      slices_ = turns_ != nullptr ? &turns_->high[context_] : owner == 0 ? &in.no_one : &in.each_alone[owner - 1];
      return true;
    }
    if (in.owners.try_assignment(*in.shared) != nullptr) continue;
    if (!patiently) return false;
    owner_cache::pause_in_turn(attempt + 1);
  }
}

bool job::seat::undisturbed() const noexcept {
  return word_->load(order::relaxed) == mine_.word;  // relaxed: as context_entry::undisturbed()
}

bool job::seat::keep(bool gives) {
  impl& in = *of_->in_;
  of_->look_after_in_time();
  if (!of_->member()) return true;
  if (in.broker() != nullptr) [[unlikely]]
    return keep_brokers(gives);
  // The seat stays disturbed, and its next check-in comes here again.
  if (!learn(false)) return true;
  look_within_ = in.look_at_owner_of(*this);
  return in.shared->at(context_).keep(in, in.number, *slices_, mine_, gives);
}

void job::seat::look_at_owner() {
  impl& in = *of_->in_;
  if (of_->member() && in.broker() == nullptr && learn(false)) look_within_ = in.look_at_owner_of(*this);
}

void job::seat::set_thread(int thread) {
  impl& in = *of_->in_;
  thread_ = thread;
  if (of_->member() && in.broker() == nullptr)
    in.shared->at(context_).set_thread(in.number, static_cast<std::uint32_t>(thread));
}

const native::atomic<std::uint64_t>& job::seat::word() const noexcept { return *word_; }

// The steps of a broker's job are out of line: a job in a table pays one branch on a pointer.

bool job::seat::keep_brokers(bool gives) {
  broker_link* const link = of_->in_->broker();
  look_within_ = 0;
  // A lease of the table is void.
  const bool kept = link_ == link && link->keep(context_, mine_, gives);
  // A link that has found a new broker has a new word.
  if (kept) word_ = &link->word(context_);
  return kept;
}

bool job::seat::take_from_broker(const std::function<bool()>& give_up, std::uint64_t longest) {
  link_ = of_->in_->broker();
  const bool taken = link_->take(context_, mine_, [&] { return !of_->member() || give_up(); }, longest);
  word_ = &link_->word(context_);
  return taken || !of_->member();
}

bool job::seat::take(const std::function<bool()>& give_up, std::uint64_t longest) {
  impl& in = *of_->in_;
  look_within_ = 0;
  if (!of_->member()) return true;
  if (in.broker() != nullptr) [[unlikely]]
    return take_from_broker(give_up, longest);
  const auto time_slices_now = [&]() -> const time_slices& {
    learn(true);
    return *slices_;
  };
  const auto enough = [&] {
    // A job with a damaged slot may have no share, and so no thread that runs and repairs it.
    of_->look_after_in_time();
    return !of_->member() || in.broker() != nullptr || give_up();
  };
  context_entry<native>& entry = in.shared->at(context_);
  const std::uint32_t missed_before = entry.unanswered().times;
  in.waits.fetch_add(1, order::relaxed);  // relaxed, both: a hint
  const bool taken = entry.take(in, in.number, time_slices_now, in.delays, mine_, enough, longest);
  in.waits.fetch_sub(1, order::relaxed);
  if (in.broker() != nullptr) [[unlikely]]
    return take_from_broker(give_up, longest);
  if (taken && of_->member()) {
    if (const missed_answers missed = entry.unanswered(); missed.times != missed_before) in.displace(missed, context_);
    entry.set_thread(in.number, static_cast<std::uint32_t>(thread_));
    look_within_ = in.silent_owner(*this) != no_job ? in.delays.p_low : 0;
  }
  return taken || !of_->member();
}

void job::seat::idle() {
  impl& in = *of_->in_;
  look_within_ = 0;
  if (!of_->member()) return;
  if (broker_link* const link = in.broker(); link != nullptr) [[unlikely]] {
    if (link_ == link) link->idle(context_);
    return;
  }
  // Only the choice of the job to wake depends on it.
  learn(slices_ == nullptr);
  in.shared->at(context_).idle(in, in.number, *slices_);
}

}  // namespace callisto::cosched

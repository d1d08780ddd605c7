// Meeting: barriers, the beginning and the end of regions, cancellation.
#include <callisto/openmp/region/team.hpp>

#include <callisto/distributor/layout.hpp>
#include <callisto/openmp/tasking/task_pool.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <memory>
#include <utility>

namespace callisto::openmp {

struct team::made_layout {
  explicit made_layout(const distributor::layout& of) : is(of) {}
  const distributor::layout is;
  std::unique_ptr<made_layout> next;
};

team::team() : first_share(new workshare) {}

team::~team() {
  delete first_share;
  delete tasks.load(order::relaxed);  // relaxed: nobody else is left
}

const distributor::layout& team::layout() {
  // acquire: what its maker wrote.
  const distributor::layout* found = layout_.load(order::acquire);
  if (found != nullptr && found->threads() == threads) return *found;
  // Not under the latch, whose holder must not wait for malloc()'s locks (see `locked`). In vain where another thread
  // is quicker, or it was there: once, when a region has another number of threads than the last one.
  auto fresh = std::make_unique<made_layout>(distributor::layout::flat(threads));
  const locked held(layouts_latch_);
  const made_layout* with = layouts_.get();
  while (with != nullptr && with->is.threads() != threads) with = with->next.get();
  if (with == nullptr) {
    fresh->next = std::move(layouts_);
    layouts_ = std::move(fresh);
    with = layouts_.get();
  }
  layout_.store(&with->is, order::release);  // release: as above
  return with->is;
}

void team::barrier(omp_thread& self) noexcept {
  meet<false>(self);
  self.at.current->below.begin(&self);
}

bool team::barrier_cancellable(omp_thread& self) noexcept {
  const bool cancelled = meet<true>(self);
  self.at.current->below.begin(&self);
  return cancelled;
}

template <class Wanted>
std::uint64_t team::wait(omp_thread& self, Wanted wanted) noexcept {
  const suspendable::shielded shield(*self.self);
  return workers::sync_wait_value(phase_, wanted, *self.self);
}

inline std::uint64_t team::arrive(omp_thread& self, std::uint64_t how) noexcept {
  task& t = *self.at.current;
  if (std::exchange(t.announced, false)) {
    // From here on the last of its descendants says that they are finished, unless that was before.
    const bool finished = !t.below.has_descendants() || task::counts::references_in(t.below.share()) == 1;
    if (finished) how -= one_task;
  }
  // release: what this thread did is visible to all behind the barrier. acquire: for the last one, what all did.
  return work_.fetch_add(how, order::acq_rel) + how;
}

template <bool Cancellable>
bool team::meet(omp_thread& self) noexcept {
  // Before it arrives: afterwards the barrier may be over. acquire, through read(): pairs with what cancel() did.
  const std::uint64_t seen = phase_.read();
  if (Cancellable && (seen & cancelled_flag) != 0) return true;
  const std::uint64_t all = arrive(self, one_arrived);
  if (all == threads) {
    pass_barrier();
    return false;
  }
  if (all >= one_task) run_ready_tasks(self);
  for (;;) {
    const std::uint64_t now = wait(self, [seen](std::uint64_t phase) {
      return generation_of(phase) != generation_of(seen) || (phase & help_flag) != 0 ||
             (Cancellable && (phase & cancelled_flag) != 0);
    });
    if (generation_of(now) != generation_of(seen)) return false;
    if (Cancellable && (now & cancelled_flag) != 0) {
      // Who cancelled does not come, so the barrier is not over, and will not be. relaxed: the region's end orders.
      work_.fetch_sub(one_arrived, order::relaxed);
      return true;
    }
    take_call_for_help();
    run_ready_tasks(self);
  }
}

/// By whoever found that all have arrived and no task is left. Nobody else writes to `work_` then.
void team::pass_barrier() noexcept {
  work_.store(0, order::relaxed);  // relaxed, here and below: published by phase_
  share_cancelled.store(0, order::relaxed);
  const locked held(latch_);
  const std::uint64_t phase = phase_.read();
  phase_.write((phase & ~(help_flag | cancelled_flag)) + one_generation);
}

void team::flag(std::uint64_t bits) noexcept {
  const locked held(latch_);
  phase_.write(phase_.read() | bits);
}

void team::cancel() noexcept { flag(cancelled_flag); }

void team::finish_work() noexcept {
  // release: what the tasks did is visible behind the barrier. acquire: if it is over now, what all did.
  const std::uint64_t all = work_.fetch_sub(one_task, order::acq_rel) - one_task;
  if (all == threads) {
    pass_barrier();
  } else if (all == threads * one_ended) {
    finish_region();
  }
}

void team::ask_for_help() noexcept {
  if ((phase_.read() & help_flag) == 0) flag(help_flag);
}

/// Before the caller looks for tasks, so that for one that it does not find it is asked again.
void team::take_call_for_help() noexcept {
  {
    const locked held(latch_);
    phase_.write(phase_.read() & ~help_flag);
  }
  // acq_rel: adds nothing, but stands in one order with add_work(): either the caller finds the task that was put up
  // before that, or who put it up finds the flag cleared.
  work_.fetch_add(0, order::acq_rel);
}

void team::start() noexcept {
  // relaxed: published by phase_, as all that the leader wrote about the region.
  work_.store(0, order::relaxed);
  singles.store(0, order::relaxed);
  share_cancelled.store(0, order::relaxed);
  const locked held(latch_);
  phase_.write((generation_of(phase_.read()) + 1) << generation_shift | std::uint64_t{threads} << threads_shift);
}

void team::finish_as_leader(omp_thread& self) noexcept {
  const std::uint64_t all = arrive(self, one_ended);
  if (all == threads * one_ended) return;
  if (all >= one_task) run_ready_tasks(self);
  for (;;) {
    const std::uint64_t now = wait(self, [](std::uint64_t phase) { return (phase & (done_flag | help_flag)) != 0; });
    if ((now & done_flag) != 0) return;
    take_call_for_help();
    run_ready_tasks(self);
  }
}

/// By whoever found that all are at the end and no task is left, unless it is the leader.
void team::finish_region() noexcept { flag(done_flag); }

std::uint64_t team::finish_as_member(omp_thread& self) noexcept {
  const std::uint64_t generation = generation_of(phase_.read());
  const std::uint64_t all = arrive(self, one_ended);
  if (all == threads * one_ended) {
    finish_region();
  } else if (all >= one_task) {
    help_at_end(self, generation);
  }
  return generation;
}

/// A member at the end helps with tasks only after it has taken back that it is at the end: then the region is not over
/// before it says so again. If the region is over already, and maybe another one runs, it finds no such task, or it
/// finds another generation, and has delayed that region's end by an instant.
void team::help_at_end(omp_thread& self, std::uint64_t generation) noexcept {
  // relaxed: what counts is found by the exchange.
  std::uint64_t all = work_.load(order::relaxed);
  do {
    if (all < one_task || (all & (one_task - 1)) < one_ended) return;
    // acquire: the tasks.
  } while (!work_.compare_exchange(all, all - one_ended, order::acquire));
  if (generation_of(phase_.read()) == generation) run_ready_tasks(self);
  // As in arrive(). The number of threads belongs to the region that runs now: read behind the exchange.
  const std::uint64_t now = work_.fetch_add(one_ended, order::acq_rel) + one_ended;
  if (now == threads * one_ended) finish_region();
}

bool team::wait_for_region(omp_thread& self, unsigned number, std::uint64_t last) noexcept {
  for (;;) {
    const std::uint64_t now = wait(self, [number, last](std::uint64_t phase) {
      if ((phase & dissolved_flag) != 0) return true;
      if (threads_of(phase) <= number) return false;
      return generation_of(phase) != last || (phase & help_flag) != 0;
    });
    if ((now & dissolved_flag) != 0) return false;
    if (generation_of(now) != last) return true;
    take_call_for_help();
    help_at_end(self, last);
  }
}

void team::dissolve() noexcept { flag(dissolved_flag); }

void team::begin_anew_in_child(omp_thread& self, task& implicit) noexcept {
  in_child = true;
  threads = 1;
  work_.store(0, order::relaxed);  // relaxed: nobody else is there
  // Descendants that other threads ran will not be finished.
  implicit.announced = false;
  if (implicit.below.counts_alone(&self) && implicit.below.has_descendants()) implicit.below.share();
  // Another thread may have held it.
  std::destroy_at(&latch_);
  std::construct_at(&latch_);
}

}  // namespace callisto::openmp

// The meeting points: barriers, the beginning and the end of regions, cancellation.
#include <callisto/openmp/region/team.hpp>

#include <callisto/distributor/layout.hpp>
#include <callisto/openmp/region/tool.hpp>
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
  delete tasks.load(order::relaxed);  // relaxed: no other thread is left
}

const distributor::layout& team::layout() {
  // acquire: pairs with the release below.
  const distributor::layout* found = layout_.load(order::acquire);
  if (found != nullptr && found->threads() == threads) return *found;
  // Allocates before it takes the latch: the holder of a latch must not wait for malloc()'s locks (see `locked`). The
  // memory is wasted if another thread is quicker or the layout exists. That happens once after a change of the
  // region's size.
  auto fresh = std::make_unique<made_layout>(distributor::layout::flat(threads));
  const locked held(layouts_latch_);
  const made_layout* with = layouts_.get();
  while (with != nullptr && with->is.threads() != threads) with = with->next.get();
  if (with == nullptr) {
    fresh->next = std::move(layouts_);
    layouts_ = std::move(fresh);
    with = layouts_.get();
  }
  layout_.store(&with->is, order::release);  // release: publishes the layout to the acquire above
  return with->is;
}

namespace {

template <class Wait>
[[gnu::noinline, gnu::cold]] auto wait_and_tell(omp_thread& self, tool::sync_kind kind, Wait wait) {
  const tool::waiting_in noted(self, kind);
  return wait();
}

}  // namespace

void team::barrier(omp_thread& self, tool::sync_kind kind) noexcept {
  if (tool::watched()) [[unlikely]] {
    wait_and_tell(self, kind, [this, &self] { meet<false>(self); });
  } else {
    meet<false>(self);
  }
  self.at.current->below.begin(&self);
}

bool team::barrier_cancellable(omp_thread& self, tool::sync_kind kind) noexcept {
  const bool cancelled =
      tool::watched() ? wait_and_tell(self, kind, [this, &self] { return meet<true>(self); }) : meet<true>(self);
  self.at.current->below.begin(&self);
  return cancelled;
}

template <class Wanted>
std::uint64_t team::wait(omp_thread& self, Wanted wanted) noexcept {
  const suspendable::shielded shield(*self.self);
  return waiting::sync_wait_value(phase_, wanted, *self.self);
}

inline std::uint64_t team::arrive(omp_thread& self, std::uint64_t how) noexcept {
  task& t = *self.at.current;
  if (std::exchange(t.announced, false)) {
    // From here on the last of its descendants reports that they are finished, unless they are finished already.
    const bool finished = !t.below.has_descendants() || task::counts::references_in(t.below.share()) == 1;
    if (finished) how -= one_task;
  }
  // release: publishes what this thread did to the threads behind the barrier. acquire: the last thread sees what all
  // did.
  return work_.fetch_add(how, order::acq_rel) + how;
}

template <bool Cancellable>
bool team::meet(omp_thread& self) noexcept {
  // Read before the arrival: afterwards the barrier may be over. acquire, through read(): pairs with cancel()'s write.
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
      // The thread that cancelled does not arrive, so this barrier never ends. relaxed: the region's end orders.
      work_.fetch_sub(one_arrived, order::relaxed);
      return true;
    }
    take_call_for_help();
    run_ready_tasks(self);
  }
}

/// Called by the thread that found that all have arrived and no task is left. No other thread writes `work_` meanwhile.
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
  // release: publishes what the tasks did to the threads behind the barrier. acquire: the last one sees what all did.
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

/// Clears the call for help. Called before the caller looks for tasks, so that a task that it misses causes a new call.
void team::take_call_for_help() noexcept {
  {
    const locked held(latch_);
    phase_.write(phase_.read() & ~help_flag);
  }
  // acq_rel: adds nothing, but is ordered with add_work(). Either the caller finds the task that was published before,
  // or the publisher finds the flag cleared and sets it again.
  work_.fetch_add(0, order::acq_rel);
}

void team::start() noexcept {
  // relaxed: published by phase_, like all that the leader wrote about the region.
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

/// Called by the thread that found that all are at the end and no task is left, unless that is the leader.
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

/// Runs tasks as a member at the region's end. It first takes back its arrival, so the region cannot end before it
/// arrives again. If the region is already over, and perhaps another one runs, the exchange finds no such task, or the
/// generation differs. Then it has only delayed that region's end for an instant.
void team::help_at_end(omp_thread& self, std::uint64_t generation) noexcept {
  // relaxed: the exchange decides.
  std::uint64_t all = work_.load(order::relaxed);
  do {
    if (all < one_task || (all & (one_task - 1)) < one_ended) return;
    // acquire: the tasks.
  } while (!work_.compare_exchange(all, all - one_ended, order::acquire));
  if (generation_of(phase_.read()) == generation) run_ready_tasks(self);
  // As in arrive(). Read after the exchange: `threads` belongs to the region that is running.
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
  work_.store(0, order::relaxed);  // relaxed: no other thread is there
  // Descendants that other threads ran will never finish.
  implicit.announced = false;
  if (implicit.below.counts_alone(&self) && implicit.below.has_descendants()) implicit.below.share();
  // Another thread may have held it.
  std::destroy_at(&latch_);
  std::construct_at(&latch_);
}

}  // namespace callisto::openmp

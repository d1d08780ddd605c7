#include <callisto/global/session/phase.hpp>

#include <callisto/global/session/session_state.hpp>

#include <mutex>
#include <span>
#include <utility>

namespace callisto::global {
namespace {

/// Makes what was thrown from what another rank tells of it.
phase_failure failure_of(int rank, std::uint32_t kind, std::span<const std::byte> text) {
  return {.rank = rank,
          .kind = kind,
          .text = {reinterpret_cast<const char*>(text.data()), text.size()},
          .original = nullptr};
}

/// The phases of the rank that handles a message.
phase_control& here_phase() { return session_state::here().phase; }

}  // namespace

// --- main

void phase_control::begin() {
  runs_.store(true, std::memory_order_relaxed);  // relaxed: a hint
}

void phase_control::expect_end() {
  const std::scoped_lock guard(rank_.lock);
  waiting_ = true;
}

bool phase_control::is_over() {
  const std::scoped_lock guard(rank_.lock);
  return over_;
}

phase_failure phase_control::finish() {
  const std::scoped_lock guard(rank_.lock);
  waiting_ = false;
  over_ = false;
  runs_.store(false, std::memory_order_relaxed);  // relaxed: a hint
  return std::exchange(outcome_, {});
}

bool phase_control::is_running() const noexcept { return runs_.load(std::memory_order_relaxed); }  // relaxed: a hint

// --- cancellation

void phase_control::note_failure(phase_failure of) {
  {
    const std::scoped_lock guard(rank_.lock);
    if (!(running_phase() == phase_ ? failure_ : next_failure_).take(std::move(of))) return;
  }
  broadcast_cancel();
}

void phase_control::broadcast_cancel() {
  std::uint64_t of = 0;
  {
    const std::scoped_lock guard(rank_.lock);
    of = running_phase();
  }
  if (!cancel(of)) return;
  for (int r = 0; r != rank_.context.ranks; ++r) {
    if (r != rank_.context.rank) rank_.tell(r, [of] { here_phase().cancel(of); });
  }
}

/// Cancels a phase at this rank; false if it is already.
bool phase_control::cancel(std::uint64_t of) {
  const std::scoped_lock guard(rank_.lock);
  if (cancelled_phase_ >= of) return false;
  cancelled_phase_ = of;
  show_cancelled();
  return true;
}

/// Returns the phase of the tasks that run here now: this rank's or, once another rank was in the next one, that.
/// Nothing of this rank's is under way then. Under the lock.
std::uint64_t phase_control::running_phase() const {
  // relaxed: see hear_of_phase()
  const std::uint32_t latest = rank_.context.latest_phase.load(std::memory_order_relaxed);
  return phase_ + (static_cast<std::int32_t>(latest - static_cast<std::uint32_t>(phase_)) > 0 ? 1 : 0);
}

/// Says what tasks are to know. Under the lock.
void phase_control::show_cancelled() {
  rank_.context.is_cancelled.store(cancelled_phase_ == running_phase(), std::memory_order_relaxed);  // relaxed: a hint
}

// --- the end

bool phase_control::report_if_quiet() {
  wave::step step = wave::step::wait;
  activity_sums sums;
  phase_failure told_failure;
  told_collective in;
  {
    const std::scoped_lock guard(rank_.lock);
    if (!waiting_ || over_ || !search_.is_due()) return false;
    const auto own = quiet_sums(rank_.cores, [this] { return rank_.engine->counts(); });
    if (!own) return false;
    step = search_.add_own(*own);
    sums = search_.sums();
    told_failure = failure_;
    in = order_.at();
    if (step == wave::step::next_wave) search_.begin_next();
  }
  if (told_failure.text.size() > rank_parts::most_text) told_failure.text.resize(rank_parts::most_text);
  if (step == wave::step::report) {
    rank_.tell(
        rank_.tree.parent(),
        [me = rank_.context.rank, in, sums, rank = told_failure.rank, kind = told_failure.kind](
            std::span<const std::byte> text) { here_phase().take_report(me, in, sums, failure_of(rank, kind, text)); },
        std::as_bytes(std::span(told_failure.text)));
  } else if (step == wave::step::next_wave) {
    tell_children_next();
  } else if (step == wave::step::end) {
    take_end(told_failure);
    tell_children_end(told_failure);
  }
  rank_.engine->flush();
  return true;
}

void phase_control::tell_children_next() {
  rank_.tree.for_children([this](int child) { rank_.tell(child, [] { here_phase().take_next_wave(); }); });
}

/// After take_end(): a child that is told may report for the next phase at once, to another core.
void phase_control::tell_children_end(const phase_failure& of) {
  rank_.tree.for_children([&](int child) {
    rank_.tell(
        child,
        [rank = of.rank, kind = of.kind](std::span<const std::byte> text) {
          const phase_failure why = failure_of(rank, kind, text);
          here_phase().take_end(why);
          here_phase().tell_children_end(why);
        },
        std::as_bytes(std::span(of.text)));
  });
}

// Messages about a wave name no phase: a child reports when it was asked to, or at the begin of the next phase.
void phase_control::take_report(int child, const told_collective& child_at, const activity_sums& sums,
                                phase_failure of) {
  order_.hear_of(child, child_at);
  {
    const std::scoped_lock guard(rank_.lock);
    search_.take_report(sums);
    failure_.take(std::move(of));
  }
  rank_.cores[0]->nudge();
}

void phase_control::take_next_wave() {
  {
    const std::scoped_lock guard(rank_.lock);
    search_.begin_next();
  }
  tell_children_next();
  rank_.cores[0]->nudge();
}

void phase_control::take_end(phase_failure of) {
  {
    const std::scoped_lock guard(rank_.lock);
    over_ = true;
    // This rank may have the original.
    outcome_ = of.rank == failure_.rank ? std::move(failure_) : std::move(of);
    failure_ = std::exchange(next_failure_, {});
    search_.begin_phase();
    ++phase_;
    rank_.context.hear_of_phase(static_cast<std::uint32_t>(phase_));
    show_cancelled();
  }
  wake(rank_.cores[0]->root());
}

void phase_control::describe(std::string& text, const std::string& me) const {
  if (!waiting_) {
    text += me + "main runs, or waits for a far operation or a collective one; it " + order_.at().text() + "\n";
    return;
  }
  text += me + "main waits for the end of phase " + std::to_string(phase_) + " (it " + order_.at().text() + "), ";
  text += search_.is_due()     ? "this rank has tasks that have not ended\n"
          : search_.reported() ? "other ranks have not all ended their parts\n"
                               : "ranks below it in the tree have not reported\n";
}

}  // namespace callisto::global

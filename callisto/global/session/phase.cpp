#include <callisto/global/session/phase.hpp>

#include <callisto/global/session/session_state.hpp>

#include <algorithm>
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

/// The text of a failure, as much as fits into a message.
std::span<const std::byte> sent_text(const phase_failure& of) {
  return std::as_bytes(std::span(of.text).first(std::min(of.text.size(), rank_parts::most_text)));
}

}  // namespace

phase_control::phase_control(rank_parts& rank, collective_order& order) noexcept
    : rank_(rank), order_(order), hands_(rank, order), steps_(hands_, rank.tree) {}

void phase_control::note_failure(phase_failure of) {
  if (steps_.note(std::move(of))) broadcast_cancel();
}

void phase_control::broadcast_cancel() {
  const std::uint64_t of = steps_.running();
  if (!steps_.cancel(of)) return;
  for (int r = 0; r != rank_.context.ranks; ++r) {
    if (r != rank_.context.rank) rank_.tell(r, [of] { session_state::here().phase.steps_.cancel(of); });
  }
}

bool phase_control::report_if_quiet() {
  if (!steps_.report_if_quiet()) return false;
  rank_.engine->flush();
  return true;
}

// Under the lock.
std::optional<activity_sums> phase_control::hands::quiet() {
  in_ = order_.at();
  return quiet_sums(rank_.cores, [this] { return rank_.engine->counts(); });
}

std::uint32_t phase_control::hands::latest_phase() const noexcept {
  return rank_.context.latest_phase.load(std::memory_order_relaxed);  // relaxed: see hear_of_phase()
}

void phase_control::hands::show_cancelled(bool is_cancelled) noexcept {
  rank_.context.is_cancelled.store(is_cancelled, std::memory_order_relaxed);  // relaxed: a hint
}

void phase_control::hands::report(const activity_sums& sums, const phase_failure& of) {
  rank_.tell(
      rank_.tree.parent(),
      [me = rank_.context.rank, in = in_, sums, rank = of.rank, kind = of.kind](std::span<const std::byte> text) {
        session_state& here = session_state::here();
        here.order.hear_of(me, in);
        here.phase.steps_.take_report(sums, failure_of(rank, kind, text));
      },
      sent_text(of));
}

void phase_control::hands::tell_next() {
  rank_.tree.for_children(
      [this](int child) { rank_.tell(child, [] { session_state::here().phase.steps_.take_next_wave(); }); });
}

void phase_control::hands::tell_end(const phase_failure& of) {
  rank_.tree.for_children([&](int child) {
    rank_.tell(
        child,
        [rank = of.rank, kind = of.kind](std::span<const std::byte> text) {
          session_state::here().phase.steps_.take_end(failure_of(rank, kind, text));
        },
        sent_text(of));
  });
}

void phase_control::describe(std::string& text, const std::string& me) const {
  if (!steps_.is_waiting()) {
    text += me + "main runs, or waits for a far operation or a collective one; it " + order_.at().text() + "\n";
    return;
  }
  const wave& search = steps_.search();
  text +=
      me + "main waits for the end of phase " + std::to_string(steps_.phase()) + " (it " + order_.at().text() + "), ";
  text += search.is_due()     ? "this rank has tasks that have not ended\n"
          : search.reported() ? "other ranks have not all ended their parts\n"
                              : "ranks below it in the tree have not reported\n";
}

}  // namespace callisto::global

#include <callisto/global/session/deadlock.hpp>

#include <callisto/global/session/collective.hpp>
#include <callisto/global/session/session_state.hpp>
#include <callisto/global/tasks/wait_note.hpp>
#include <callisto/global/transport/limits.hpp>

#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

namespace callisto::global {
int threads_of_process() noexcept {
  std::error_code failed;
  int count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/task", failed), end; !failed && at != end;
       at.increment(failed))
    ++count;
  return failed ? 0 : count;
}

/// Returns what the workers of a core wait for, on its thread: "main waits for x at a.cpp:7, 2 tasks wait for y at
/// ...".
std::string deadlock_search::waits_of(core& c) const {
  std::map<std::string, std::uint64_t> counts;
  std::string text;
  std::uint64_t noted = 0;
  c.for_each_wait([&](const wait_note& note) {
    const std::string wait = std::string(note.what) + " at " + portable_place(note.where).text();
    if (note.by == &c.root()) {
      text += (text.empty() ? "main waits for " : ", ") + wait;
    } else {
      ++counts[wait];
      ++noted;
    }
  });
  if (c.workers_with_task() > noted) counts["wake()"] += c.workers_with_task() - noted;
  for (const auto& [wait, n] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(n) + (n == 1 ? " task waits for " : " tasks wait for ") + wait;
    if (text.size() > rank_parts::most_text / 4) return text + ", and more";
  }
  return text;
}

void deadlock_search::note_idle(core& c, unsigned idle) {
  const std::uint64_t now = rank_clock::ticks();
  const unsigned number = c.number();
  if (idle == 0) idle_from_[number] = now;
  if (now - idle_from_[number] < rank_clock::ticks_of(rank_limits::still_ns)) return;
  {
    const std::scoped_lock guard(rank_.lock);
    if (cores_[number] == 0) {
      waits_[number] = waits_of(c);
      workers_[number] = c.workers_with_task();
      cores_[number] = 1;
    }
  }
  if (number == 0) report_if_still(now);
}

void deadlock_search::note_work(const core& c) {
  const std::scoped_lock guard(rank_.lock);
  cores_[c.number()] = 0;
}

/// Returns what this rank has done if no worker of it can go on by itself. Under the lock.
std::optional<still_sums> deadlock_search::still_now() const {
  still_sums sums;
  std::uint64_t unfinished = 0;
  for (std::size_t i = 0; i != rank_.cores.size(); ++i) {
    const core& c = *rank_.cores[i];
    if (cores_[i] == 0) return std::nullopt;
    unfinished += c.begun() - c.ended() - workers_[i];
    sums.switches += c.counts().switches;
  }
  if (unfinished != 0) return std::nullopt;  // a task that no worker has begun
  const message_counts messages = rank_.engine->counts();
  sums.sent = messages.sent;
  sums.handled = messages.handled;
  sums.told = rank_.told.load(std::memory_order_relaxed);
  sums.heard = rank_.heard.load(std::memory_order_relaxed);
  return sums;
}

/// Returns the sums of this rank and those below it, and what they wait for, if all are still and have not reported. In
/// rank 0, compares them with the last round's.
std::optional<still_sums> deadlock_search::own_report(std::uint64_t now, std::string& waits) {
  const std::scoped_lock guard(rank_.lock);
  if (reported_ || children_ != rank_.tree.children()) return std::nullopt;
  std::optional<still_sums> sums = still_now();
  if (!sums) return std::nullopt;
  *sums += of_children_;
  reported_ = true;
  waits = "rank " + std::to_string(rank_.context.rank) + ": ";
  for (std::size_t i = 0; i != rank_.cores.size(); ++i)
    if (!waits_[i].empty()) waits += (i == 0 ? "" : ", ") + waits_[i];
  waits += waits_of_children_;
  if (waits.size() > rank_parts::most_text) waits.resize(rank_parts::most_text);
  if (rank_.context.rank == 0) {
    equal_rounds_ = sums->nothing_under_way() && last_ == *sums ? equal_rounds_ + 1 : 0;
    last_ = *sums;
    next_round_at_ = now + rank_clock::ticks_of(rank_limits::still_pause_ns);
  }
  return sums;
}

/// Reports to the rank above, if all below have. Rank 0 ends the job if some rounds are equal.
void deadlock_search::report_if_still(std::uint64_t now) {
  bool is_due = false;
  {
    const std::scoped_lock guard(rank_.lock);
    is_due = next_round_at_ != 0 && now >= next_round_at_;
  }
  if (is_due) begin_round();
  std::string waits;
  const std::optional<still_sums> sums = own_report(now, waits);
  if (!sums) return;
  if (rank_.context.rank != 0) {
    send_system(
        rank_.tree.parent(),
        [sums = *sums](std::span<const std::byte> text) { session_state::here().deadlock.take_report(sums, text); },
        std::as_bytes(std::span(waits)));
    rank_.engine->flush();
    return;
  }
  if (equal_rounds_ < rank_limits::still_rounds) return;  // only this thread writes it
  // A thread of the program's own may be about to wake a worker.
  if (threads_before_main_ != 0 && (threads_before_main_ != 1 || threads_of_process() != own_threads_)) return;
  rank_.end_job(rank_.net->name_of(0) + ": deadlock: no task can go on, and no message is under way; " + waits);
}

void deadlock_search::take_report(const still_sums& sums, std::span<const std::byte> text) {
  const std::scoped_lock guard(rank_.lock);
  of_children_ += sums;
  waits_of_children_ += "; " + std::string(reinterpret_cast<const char*>(text.data()), text.size());
  ++children_;
}

/// Asks this rank and those below it to report again.
void deadlock_search::begin_round() {
  {
    const std::scoped_lock guard(rank_.lock);
    next_round_at_ = 0;
    reported_ = false;
    children_ = 0;
    of_children_ = {};
    waits_of_children_.clear();
  }
  rank_.tree.for_children([](int child) { send_system(child, [] { session_state::here().deadlock.begin_round(); }); });
  rank_.engine->flush();
}

}  // namespace callisto::global

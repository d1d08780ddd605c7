// The iterations of one loop at one rank.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/loops/loop_options.hpp>
#include <callisto/global/memory/answer.hpp>
#include <callisto/global/memory/delayed_posts.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/completion_event.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto::global::detail {

/// True if a loop that begins here is one of all ranks: main calls, outside of a phase and of a loop.
inline bool is_collective() {
  const core* const c = core::here();
  return c != nullptr && !of_thread::in_plain_loop && &this_worker() == &this_core().root() &&
         !session::here().in_phase();
}

struct part_of_rank {
  std::uint64_t first;
  std::uint64_t count;
};
/// Returns this rank's part of n iterations; parts differ by one iteration at most.
inline part_of_rank part_of(std::uint64_t n) {
  const auto ranks = static_cast<std::uint64_t>(here().ranks);
  const auto rank = static_cast<std::uint64_t>(here().rank);
  const std::uint64_t least = n / ranks;
  const std::uint64_t more = n % ranks;
  return {rank * least + std::min(rank, more), least + (rank < more ? 1 : 0)};
}

/// Returns the iterations of a batch: enough batches that a core's workers can all wait at once, and not too long, so
/// that messages are looked at.
inline std::uint64_t batch_of(std::uint64_t n, const loop_options& options) {
  if (options.batch != 0) return options.batch;
  return std::clamp<std::uint64_t>(n / (rank_limits::batches_a_core * static_cast<std::uint64_t>(here().threads)), 1,
                                   rank_limits::most_in_batch);
}

/// The iterations [0, n) of one loop at this rank, which its cores claim batch by batch.
template <class Batch>
class rank_loop {
 public:
  rank_loop(std::uint64_t n, Batch& run, const loop_options& options)
      : n_(n), batch_(batch_of(n, options)), run_(run), options_(options), session_(session::here()) {}

  /// Claims a batch and runs it, after it has queued the task that claims the next one: that one begins when this batch
  /// waits or ends. `ended` says that a task has ended.
  template <class Ended>
  void run_next(Ended ended) {
    // relaxed: a claim hands out numbers; the loop's data were published when its tasks were queued.
    const std::uint64_t from = next_.fetch_add(batch_, std::memory_order_relaxed);
    if (from >= n_) return;
    if (session_.phase_cancelled() || options_.stop.stop_requested() || has_failed()) {
      dropped_.store(true, std::memory_order_relaxed);  // relaxed: read after all tasks have ended
      next_.store(n_, std::memory_order_relaxed);       // relaxed: a claim that misses it looks again itself
      return;
    }
    if (from + batch_ < n_) {
      ended.enroll();
      spawn([this, ended] {
        [[maybe_unused]] const auto end = ended.at_end();
        run_next(ended);
      });
    }
    const std::uint64_t to = std::min(from + batch_, n_);
    if constexpr (Ended::keeps_exception) {
      try {
        run_batch(from, to);
      } catch (...) {
        fail(std::current_exception());
      }
    } else {
      run_batch(from, to);  // an exception ends the phase, which throws it in main of all ranks
    }
  }

  void run_batch(std::uint64_t from, std::uint64_t to) {
    const batch_of_posts delays;
    run_(from, to);
  }

  /// Keeps the first exception of a loop that rethrows by itself.
  void fail(std::exception_ptr thrown) noexcept {
    // relaxed: one thread writes `first_`, and the end of the loop publishes it.
    if (!failed_.exchange(true, std::memory_order_relaxed)) first_ = std::move(thrown);
  }
  bool has_failed() const noexcept { return failed_.load(std::memory_order_relaxed); }  // relaxed: only drops more
  bool has_dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  void rethrow() {
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  std::atomic<std::uint64_t> next_{0};
  std::uint64_t n_;
  std::uint64_t batch_;
  Batch& run_;
  const loop_options& options_;
  session& session_;
  std::atomic<bool> dropped_{false};
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
};

/// The tasks of a collective loop end with its phase.
struct ends_with_phase {
  static constexpr bool keeps_exception = false;
  struct nothing {
    nothing() noexcept {}
  };
  void enroll() const noexcept {}
  nothing at_end() const noexcept { return {}; }
};
/// Those of a loop in a task end with its event.
struct ends_with_event {
  static constexpr bool keeps_exception = true;
  completion_ticket ticket;
  void enroll() const { ticket.enroll(); }
  settles_at_end at_end() const { return settles_at_end(ticket); }
};

/// Gives a thread of a loop without workers its rank, until the loop ends. A thread that has a rank keeps it.
class plain_thread {
 public:
  void enter(rank_context* rank) {
    before_ = here_or_null();
    was_plain_ = std::exchange(of_thread::in_plain_loop, true);
    if (before_ == nullptr) set_here(rank);
    inside_ = true;
  }
  ~plain_thread() {
    if (!inside_) return;
    of_thread::in_plain_loop = was_plain_;
    if (before_ == nullptr) set_here(nullptr);
  }

 private:
  rank_context* before_ = nullptr;
  bool was_plain_ = false;
  bool inside_ = false;
};

/// The body of a loop of one rank, for callisto::parallel_for.
template <class Batch>
struct plain_body {
  Batch& run;
  rank_context* rank;
  void fork(plain_thread& t) { t.enter(rank); }
  void work(plain_thread&, std::uint64_t first, std::uint64_t last) {
    const batch_of_posts delays;
    run(first, last);
  }
  void join(plain_thread&) {}
};

/// Runs all iterations on the calling thread, as callisto::parallel_for does with one thread.
template <class Body>
bool run_alone(std::uint64_t n, Body& body, plain_thread& state, const loop_options& options) {
  const std::uint64_t batch = !options.stop.stop_possible() ? n
                              : options.batch != 0          ? options.batch
                                                            : rank_limits::between_stop_looks;
  for (std::uint64_t from = 0; from < n; from += batch) {
    if (options.stop.stop_requested()) return false;
    body.work(state, from, std::min(from + batch, n));
  }
  return true;
}

/// Runs a loop without workers on threads of callisto::parallel_for: at most as many as the rank has cores.
template <class Batch>
bool run_plain(std::uint64_t n, Batch& run, const loop_options& options, const std::source_location& where) {
  rank_context& me = here();
  plain_body<Batch> body{run, &me};
  if (me.threads == 1 && !of_thread::in_plain_loop) {
    plain_thread only;
    body.fork(only);
    return run_alone(n, body, only, options);
  }
  return callisto::parallel_for<plain_body<Batch>, plain_thread, std::uint64_t>(
      body, 0, n,
      callisto::loop_options{
          .batch = options.batch, .stop = options.stop, .threads = static_cast<unsigned>(me.threads)},
      where);
}

/// Runs the iterations [0, n) of this rank by run(from, to): as part of the collective loop `what` if the caller is
/// main, else as a loop of this rank alone.
template <class Batch>
bool run_iterations(std::uint64_t n, Batch run, const loop_options& options, const collective& what) {
  const std::source_location& where = what.where;
  if (of_thread::in_plain_loop) return run_plain(n, run, options, where);
  const bool is_of_all = is_collective();
  if (is_of_all && here().ranks == 1 && !options.workers) {
    const bool is_whole = run_plain(n, run, options, where);
    // A body may have posted to its own rank, or queued tasks: what a loop began ends with it.
    const message_counts sent = counts();
    if (sent.sent != sent.handled || this_core().has_work()) session::here().run_phase([] {});
    return is_whole;
  }
  session& s = session::here();
  rank_loop<Batch> all(n, run, options);
  if (is_of_all) {
    s.run_phase([&] { s.on_each_core([&all](unsigned) { all.run_next(ends_with_phase{}); }); }, what);
    return !all.has_dropped();
  }
  require_may_block(where);
  completion_event ended;
  const ends_with_event end{ended.ticket()};
  ended.enroll(s.threads());
  s.on_each_core([&all, end](unsigned) {
    const auto at_end = end.at_end();
    all.run_next(end);
  });
  ended.wait(where);
  all.rethrow();
  return !all.has_dropped();
}

}  // namespace callisto::global::detail

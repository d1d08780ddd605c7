// The instances that native_loops.hpp declares, and how a loop runs on the native machine.
#include <callisto/loop/native_loops.hpp>

#include <callisto/distributor/schedule.hpp>
#include <callisto/loop/limits.hpp>
#include <callisto/loop/record/recorder.hpp>
#include <callisto/loop/record/site_totals.hpp>
#include <callisto/workers/teams/in_body.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <utility>

#include <sys/resource.h>

namespace callisto {

template class distributor::splitting_ranges<machine::native>;
template class distributor::any_distributor<machine::native>;
template class loop::loop_item<machine::native, distributor::splitting_ranges<machine::native>>;
template class loop::loop_item<machine::native, distributor::any_distributor<machine::native>>;

namespace loop {
namespace {

/// How many threads a loop may have.
struct bounds {
  std::uint32_t most;  ///< 0: any number
  bool leader_first;   ///< it begins with its leader alone
};

/// Leads a loop with a distributor.
[[gnu::noinline]] bool hand_out(const native_body& body, std::uint64_t n, const loop_options& options, loop_site& site,
                                const std::source_location& where, const workers::loop_team_choice& wanted,
                                const workers::loop_team_choice& with, bounds limits) {
  const distributor::layout& threads = with.where;
  const std::uint32_t most = with.outer || limits.most >= threads.threads() ? 0 : limits.most;
  schedule how = options.schedule;
  if (how.automatic()) how = wanted.how;
  if (how.automatic()) how = schedule::best(threads, options.together);
  recorded_loop recorded(site, where, n, threads.threads());
  const auto* const absent =
      (most != 0 || limits.leader_first) && !with.outer ? workers::all_but_leader(with) : workers::absent_from(with);
  const auto lead_item = [&]<class Item>(const typename Item::body& of) {
    Item item(of, n, threads, how.stages(), options.batch, options.stop, site.hint(threads.threads()),
              recorded.handle(), absent, most);
    if (n == 1 || threads.threads() == 1) {
      item.run(0, nullptr, nullptr);
    } else {
      // Again, if threads have left since another job wanted their contexts, and no thread that stayed saw what was
      // left.
      do {
        workers::lead(item, with);
      } while (item.deserted());
    }
    recorded.end();
    return item.result();
  };
  return how.stages().front().kind == distributor::stage_kind::ranges
             ? lead_item.template operator()<native_body::by_ranges>(body.usual)
             : lead_item.template operator()<native_body::by_others>(body.other);
}

/// The beginning of a loop that the leader expects to end within a few microseconds, by what a thread alone did at its
/// site: before followers could come and go, so that announcing it is not worth while. The leader runs one iteration,
/// then pieces, and looks at the clock between them: a guess chooses how the loop begins, never how it goes on.
class solo_beginning final : public native_body::by_others::solo_batches {
 public:
  solo_beginning(std::uint64_t n, const loop_site& site, const loop_options& options, std::uint64_t began) noexcept
      : n_(n),
        // A piece costs some 20 ns, most of it for the clock: one each 300 ns.
        most_(std::max<std::uint64_t>(1, site.pace_alone() / loop_limits::pieces_alone)),
        batch_(options.batch),
        stop_(options.stop),
        began_(began) {}

  distributor::range next() noexcept override {
    if (at_ == n_) return {};
    if (at_ != 0 &&
        machine::native::ticks() - began_ > machine::native::ticks_per_second() / loop_limits::beginnings_a_second)
      return {};
    if (stop_.stop_possible() && stop_.stop_requested()) {
      stopped_ = true;
      return {};
    }
    const std::uint64_t from = at_;
    at_ += std::min(batch_ != 0 ? batch_ : size_, n_ - at_);
    size_ = most_;
    return {from, at_};
  }

  /// Returns how many iterations have run.
  std::uint64_t done() const noexcept { return at_; }
  bool stopped() const noexcept { return stopped_; }

 private:
  const std::uint64_t n_;
  const std::uint64_t most_;   ///< the largest piece
  const std::uint64_t batch_;  ///< the caller's; 0: any size
  const std::stop_token& stop_;
  const std::uint64_t began_;
  std::uint64_t at_ = 0;
  std::uint64_t size_ = 1;
  bool stopped_ = false;
};

/// The beginning of a loop inside of another one, and all of it while no thread is idle: the thread runs pieces, and
/// looks between them for threads that sleep for want of work. Pieces double, so that a short loop has few; from the
/// fifth on they take 5 us at most.
class inner_beginning final : public native_body::by_others::solo_batches {
 public:
  inner_beginning(std::uint64_t n, const loop_options& options) noexcept
      : n_(n), batch_(options.batch), stop_(options.stop), stoppable_(options.stop.stop_possible()) {}

  distributor::range next() noexcept override {
    if (at_ == n_) return {};
    if (n_ - at_ > 1 && (idle_ = workers::idle_threads()) != nullptr) return {};
    if (stoppable_ && stop_.stop_requested()) {
      stopped_ = true;
      return {};
    }
    if (batch_ != 0) {
      size_ = batch_;
    } else if (at_ > loop_limits::untimed) {
      size_by_time();
    } else if (at_ != 0) {
      size_ *= 2;
    }
    const std::uint64_t from = at_;
    at_ += std::min(size_, n_ - at_);
    return {from, at_};
  }

  std::uint64_t done() const noexcept { return at_; }
  bool stopped() const noexcept { return stopped_; }
  /// Returns the threads that can help with the rest.
  const workers::loop_team_choice& idle() const noexcept { return *idle_; }

 private:
  void size_by_time() noexcept {
    const std::uint64_t now = machine::native::ticks();
    const std::uint64_t target = machine::native::ticks_per_second() / loop_limits::beginnings_a_second;
    const std::uint64_t took = began_ == 0 ? target : std::max<std::uint64_t>(1, now - began_);
    began_ = now;
    // At most 8 times the last piece: the clock may have stood still for the thread.
    const double grown =
        static_cast<double>(size_) * std::min(8.0, static_cast<double>(target) / static_cast<double>(took));
    size_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(grown, 1e18)));
  }

  const std::uint64_t n_;
  const std::uint64_t batch_;  ///< the caller's; 0: any size
  const std::stop_token& stop_;
  const bool stoppable_;
  bool stopped_ = false;
  std::uint64_t at_ = 0;
  std::uint64_t size_ = 1;
  std::uint64_t began_ = 0;  ///< ticks when the last timed piece began; 0: none yet
  const workers::loop_team_choice* idle_ = nullptr;
};

/// Runs the loop, or what the leader alone has not run of it, with the threads that it gets.
bool lead_all(const native_body& body, std::uint64_t n, const loop_options& options, loop_site& site,
              const std::source_location& where, const workers::loop_team_choice& wanted, std::uint32_t most) {
  const workers::claim claimed(wanted, n > 1);
  return hand_out(body, n, options, site, where, wanted, claimed.with, {most, false});
}

/// True if a loop of n iterations that one thread runs is one batch: nothing to hand out, and no thread to ask or tell.
bool is_one_batch(std::uint64_t n, const loop_options& options) noexcept {
  // relaxed: as in recorded_loop.
  return (options.batch == 0 || n <= options.batch) && !options.stop.stop_possible() &&
         recording.load(machine::order::relaxed) == 0;
}

/// Runs a loop inside of another one: on the calling thread, until some thread is idle.
[[gnu::noinline]] bool lead_inner(const native_body& body, std::uint64_t n, const loop_options& options,
                                  loop_site& site, const std::source_location& where,
                                  const workers::loop_team_choice& wanted) {
  loop_site::timing timed(&site, n, 2);
  inner_beginning beginning(n, options);
  if (const distributor::range first = beginning.next(); !first.empty()) {
    body.other(first, native_body::by_others::batches(&beginning));
  }
  bool all = true;
  if (beginning.done() == n) {
    timed.alone();
  } else {
    all = !beginning.stopped() && hand_out(body.without(beginning.done()), n - beginning.done(), options, site, where,
                                           wanted, beginning.idle(), {0, true});
  }
  if (all) timed.ended();
  return all;
}

/// True if a loop inside of another one will probably end before a follower could come, so that looking for idle
/// threads is not worth while. Each 16th such loop of a thread looks nevertheless, and is measured.
bool ends_soon(std::uint64_t n, const loop_site& site) noexcept {
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::uint32_t count = 0;
  return site.is_brief(n, 2) && ++count % 16 != 0;
}

/// Returns the limit of a loop: the smaller of options.threads and the calling thread's limit; 0: none.
std::uint32_t limit_of(const loop_options& options) noexcept {
  // 0 wraps to the largest number, and back.
  return std::min<std::uint32_t>(options.threads - 1, machine::native::most_threads() - 1) + 1;
}

/// True if loops are recorded. Reads the environment before the process's first loop; may throw output_error for it.
bool are_recorded() {
  // relaxed: as in recorded_loop.
  if (recording.load(machine::order::relaxed) == 0) return false;
  settle_recording();
  return recording.load(machine::order::relaxed) != 0;
}

}  // namespace

namespace {

/// Runs a loop inside of another one that will probably end soon: it begins without a look for idle threads. If it
/// lasts, the rest is handed out like any loop.
bool lead_brief_inner(const native_body& body, std::uint64_t n, const loop_options& options, loop_site& site,
                      const std::source_location& where, const workers::loop_team_choice& wanted) {
  loop_site::timing timed(&site, n, 2);
  solo_beginning beginning(n, site, options, timed.begin());
  if (const distributor::range first = beginning.next(); !first.empty()) {
    body.other(first, native_body::by_others::batches(&beginning));
  }
  const std::uint64_t done = beginning.done();
  if (done == n) return true;
  timed.began_alone(done);
  return !beginning.stopped() && lead_inner(body.without(done), n - done, options, site, where, wanted);
}

/// True if the system has taken the processor from the calling thread since the last call, or may have.
[[gnu::cold]] bool was_preempted() noexcept {
  static constinit thread_local long seen = 0;
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return std::exchange(seen, used.ru_nivcsw) != used.ru_nivcsw;
}

/// Says what a wrong guess cost: a loop that was expected to be brief began with `first` ticks alone, and the rest took
/// `rest`. The next loops of the site are then handed out at once, as many as cost less than that. A thread that was
/// preempted says nothing of its loop.
[[gnu::cold, gnu::noinline]] void guessed_wrong(loop_site& site, std::uint64_t first, std::uint64_t rest) noexcept {
  const std::uint64_t lost = std::min(first, rest);
  const std::uint64_t second = machine::native::ticks_per_second();
  if (lost > second / 20'000 && !was_preempted()) site.distrust(lost / (second / 250'000));
}

/// Leads a loop that is expected to be brief: the leader begins alone, and hands out what is left. False if it stopped.
bool lead_brief(const native_body& body, std::uint64_t n, const loop_options& options, loop_site& site,
                const std::source_location& where, const workers::loop_team_choice& wanted, std::uint32_t most,
                loop_site::timing& timed) {
  solo_beginning beginning(n, site, options, timed.begin());
  if (const distributor::range first = beginning.next(); !first.empty()) {
    body.other(first, native_body::by_others::batches(&beginning));
  }
  if (beginning.done() == n) {
    timed.alone();
    return true;
  }
  const std::uint64_t first = timed.began_alone(beginning.done());
  const bool all = !beginning.stopped() &&
                   lead_all(body.without(beginning.done()), n - beginning.done(), options, site, where, wanted, most);
  guessed_wrong(site, first, machine::native::ticks() - timed.begin() - first);
  return all;
}

}  // namespace

bool lead(unsigned level, const native_body& body, std::uint64_t n, const loop_options& options, loop_site& sites,
          const std::source_location& where) {
  const std::uint32_t most = limit_of(options);
  const workers::loop_team_choice& wanted = most == 1 ? workers::alone() : workers::loop_team_here(level);
  const unsigned threads = wanted.where.threads();
  const bool several = threads > 1;
  const bool inside = !several && level == 0 && most == 0 && n > 1 && workers::inside_flat();
  if (inside) {
    loop_site& site = sites.at(where);
    if (!are_recorded()) {
      return ends_soon(n, site) ? lead_brief_inner(body, n, options, site, where, wanted)
                                : lead_inner(body, n, options, site, where, wanted);
    }
  }
  loop_site::timing timed(several ? &sites.at(where) : nullptr, n, threads);
  if (!inside && most != 1 && workers::follow_affinity(timed.begin())) [[unlikely]] {
    return lead(level, body, n, options, sites, where);
  }
  const workers::in_body here;
  // One iteration needs no item of a loop, which takes 5 to 16 KiB of the stack: recursions go deep by such loops.
  if ((!several || (n == 1 && level == 0)) && is_one_batch(n, options)) {
    body.other({0, n}, native_body::by_others::batches());
    return true;
  }
  loop_site& site = sites.at(where);
  // relaxed: as in recorded_loop.
  const bool is_brief = several && site.begins_alone(n, threads) && options.schedule.automatic() &&
                        wanted.how.automatic() && recording.load(machine::order::relaxed) == 0;
  const bool all = is_brief ? lead_brief(body, n, options, site, where, wanted, most, timed)
                            : lead_all(body, n, options, site, where, wanted, most);
  if (all) timed.ended();
  return all;
}

}  // namespace loop
}  // namespace callisto

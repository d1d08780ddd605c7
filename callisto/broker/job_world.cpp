// Stores and wake-ups on pages, and questions to the kernel.
#include <callisto/broker/job_world.hpp>

#include <callisto/broker/process_threads.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <algorithm>
#include <vector>

namespace callisto::broker {

using machine::order;

void job_world::say(unsigned job, unsigned context, const offer& what, bool wakes) {
  side(job, context).say(what);
  if (wakes) machine::unpark_shared(pages_of(job).offer(context).word, ~0u);
}

void job_world::tell_share(unsigned job, unsigned context, double share) {
  // relaxed, as below: generation orders them.
  pages_of(job).offer(context).share.store(static_cast<std::uint64_t>(share * 0x1p32), order::relaxed);
}

void job_world::tell_change(unsigned job, unsigned main, bool alone) {
  offers_head& head = pages_of(job).head();
  head.main.store(main == division::no_context ? 0 : main + 1, order::relaxed);
  head.alone.store(alone ? 1 : 0, order::relaxed);
  head.generation.fetch_add(1, order::release);  // release: publishes what came before to the job's acquire
  machine::unpark_shared(head.generation, ~0u);
  if (enforces_.confines(job)) enforces_.follow(offender_of(job));
}

offender job_world::offender_of(unsigned job) const {
  const connection& c = *by_number[job];
  return {job, c.peer.pid, c.process, demand_of(c).contexts, decides_.confinement_of(job)};
}

bool job_world::keep_off(unsigned job, unsigned context) {
  return enforces_.keep_off(offender_of(job), context, of_account_[by_number[job]->account].tokens);
}

bool job_world::dormant(unsigned job) { return rests[job].rests(machine::shared_nanoseconds(), delays_); }

std::uint64_t job_world::processor_time(unsigned job) { return machine::processor_time_of(by_number[job]->peer.pid); }

bool job_world::could_run(unsigned job) { return machine::could_run(by_number[job]->peer.pid); }

namespace {

/// Returns how many threads of the process run, or wait only for a processor; of one with more than `most_looked_at`
/// threads, that number.
unsigned threads_that_could_run(pid_t process) {
  constexpr unsigned most_looked_at = 64;
  const std::vector<pid_t> all = threads_of(process, most_looked_at);
  if (all.empty()) return most_looked_at;
  return static_cast<unsigned>(
      std::ranges::count_if(all, [](pid_t thread) { return machine::look_at_process(thread).state == 'R'; }));
}

}  // namespace

bool job_world::overruns(unsigned job, std::uint64_t now) {
  connection& c = *by_number[job];
  const unsigned leaving = 1;  // a thread that has just lost its context
  return c.runs_over.look({
      .now = now,
      .used = machine::processor_time_of(c.peer.pid),
      .had = decides_.had_by(job).had,
      .competes = decides_.users() > 1 && decides_.has_competitors(job),
      .surplus = decides_.overruns(job) && threads_that_could_run(c.peer.pid) > decides_.held_by(job) + leaving,
  });
}

}  // namespace callisto::broker

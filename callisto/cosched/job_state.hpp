// Parts of a job: the table, its slot, and its knowledge of other jobs. For job.cpp, job_join.cpp and seat.cpp.
#pragma once

#include <callisto/cosched/activity_sampler.hpp>
#include <callisto/cosched/broker_link.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/cosched/owner_cache.hpp>
#include <callisto/cosched/surroundings.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace callisto::cosched {

/// Returns the set of these contexts, as far as the table has them.
context_set set_of(const std::vector<unsigned>& contexts);

/// The World of the table's protocols (context_entry.hpp), and what the protocols are told.
struct job::impl {
  using native = machine::native;
  using order = machine::order;
  using shared_file = machine::shared_file;

  static constexpr std::uint64_t millisecond = 1'000'000;  ///< in nanoseconds
  /// The futex group of words on which all jobs sleep.
  static constexpr std::uint32_t everybodys_group = 1;

  /// Without a file, if the job is a broker's.
  impl(std::optional<machine::shared_file> f, const membership& how)
      : file(std::move(f)),
        find_broker(how.broker),
        delays(how.delays),
        follows_priority(how.follows_priority),
        may_step_aside(how.may_step_aside),
        takes_turns(how.takes_turns) {
    // The bytes are words of the table, whichever process wrote them; all bit patterns are valid.
    if (file) shared = reinterpret_cast<shared_table*>(file->data());
    for (unsigned j = 0; j < max_jobs; ++j) each_alone[j].add(j, 1);
  }

  /// Returns the link with a broker; null: the job is in the table. A job never goes back to the table. acquire: pairs
  /// with the release in use_broker().
  broker_link* broker() const noexcept { return broker_now.load(order::acquire); }
  void use_broker(std::unique_ptr<broker_link> link) noexcept {
    link_owner = std::move(link);
    broker_now.store(link_owner.get(), order::release);
  }
  /// Joins the broker that `how` finds; null: there is none, or it refuses and `refusal` says why.
  static std::unique_ptr<job> join_broker(const membership& how, std::string& refusal);
  /// Looks once a second whether there is a broker now. If so, leaves the table for it. Under `telling`.
  void look_for_broker();

  // --- World

  std::uint64_t now() const noexcept { return machine::shared_nanoseconds(); }
  void park(const native::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t nanoseconds,
            unsigned job) const noexcept {
    machine::park_shared(word, low, nanoseconds, futex_groups_of(only(job)));
  }
  void unpark(native::atomic<std::uint64_t>& word, job_set jobs) const noexcept {
    machine::unpark_shared(word, futex_groups_of(jobs));
  }
  bool gone(unsigned job) {
    if (job == number) return false;
    // The locks belong to the process: two of its threads could both hold one lock, and the first thread could drop it
    // under the second.
    const std::scoped_lock held(reaping);
    return shared->gone(*file, *this, job);
  }
  bool dormant(unsigned job);
  unsigned waiting() const noexcept { return waits.load(order::relaxed); }  // relaxed: a hint

  activity_sampler::activity activity_of(unsigned job);
  /// Returns the job that has high priority on the seat's context, if its main thread belongs there and it does not
  /// want the context; no_job if there is none. A job keeps that context as long as it is awake (rule 1). If all of it
  /// slept and the context was borrowed, it may wake up in sequential code that cannot ask.
  unsigned silent_owner(const seat& s);
  /// Returns when to look again at a sleeping owner, as seat::look_within(). If the owner has woken up, requests the
  /// context for it, which asks the holder to look.
  std::uint64_t look_at_owner_of(const seat& s);
  /// Moves the thread that lost this context without an answer to the context of its job's main thread, if that is
  /// elsewhere. The owner then has the processor for itself, and what the thread holds up in its own job ends. Any
  /// process of the user may do that, and the thread can undo it, which is not so for SCHED_IDLE. The thread comes back
  /// by itself when it has the context again.
  void displace(const missed_answers& missed, unsigned context);
  // --- joining (job_join.cpp)

  /// Returns the cores of the table's header, which it makes if there is none, or repairs; none: another process has
  /// stopped while it wrote the header. `repairs`: set if this one has written it.
  std::optional<std::vector<unsigned>> find_header(bool& repairs);
  /// Takes a slot with what `how` says; false: the table is full. Joined threads no longer blame the last user of the
  /// slot.
  bool take_slot(const membership& how);
  /// Frees the slots of jobs that died. A dead job blocks no job, but has its share until a job notices its end.
  void bury_the_dead(bool header_was_repaired);
  /// Requests the context of the main thread for a job that has just joined, so that its holder makes room at once.
  /// That thread would ask by itself at its first loop. But until then it may wait for the system for a slice or two,
  /// while another job's thread runs beside it.
  void request_for_main();
  /// Says what `mine` says, to the other jobs or to the broker. Under `telling`.
  void tell();
  // --- standing aside (job.cpp)

  /// Returns the priority of this process. Under `telling`.
  unsigned priority();
  /// Samples processor time and decides whether the job stands aside. `has_no_work` as in surroundings.
  void look_aside(std::uint64_t now, bool has_no_work);
  /// True if the job would take turns on its main context, and does not take turns.
  bool is_crowded();
  // --- answers to the protocols

  std::shared_ptr<const context_assignment> divided() { return owners.assignment(*shared); }

  std::optional<shared_file> file;
  shared_table* shared = nullptr;
  std::unique_ptr<broker_link> link_owner;
  native::atomic<broker_link*> broker_now{nullptr};
  const broker_finder find_broker;
  std::uint64_t looked_for_broker_at = 0;  ///< protected by `telling`
  const timing delays;
  unsigned number = no_job;
  job_record mine;        ///< the record that the slot must have; protected by `telling`
  bool follows_priority;  ///< protected by `telling`, as are the two below
  double groups = 1;      ///< the factor by the process's control groups
  std::uint64_t groups_read_at = 0;
  const bool may_step_aside;
  const bool takes_turns;
  native::atomic<std::uint64_t> aside_looked_at{0};
  native::atomic<std::uint32_t> stands_aside{0};  ///< an aside
  native::atomic<std::uint64_t> looked_around_at{0};
  native::atomic<std::uint32_t> is_light{1};
  std::mutex looking_aside;  ///< guards the three below
  surroundings<shared_table> around;
  bool crowded = false;
  std::uint64_t crowded_for = ~std::uint64_t{0};  ///< the generation of `crowded`
  native::atomic<std::uint32_t> expelled{0};
  native::atomic<std::uint64_t> repaired{0};
  native::atomic<std::uint64_t> looked_at{0};  ///< when look_after() last ran
  native::atomic<unsigned> waits{0};           ///< threads in seat::take()
  native::atomic<unsigned> requested{
      context_assignment::no_context};  ///< the context of request_for_main(), until the main thread comes

  std::mutex telling;
  owner_cache owners;
  std::array<time_slices, max_jobs> each_alone;  ///< by job: that job alone has high priority
  time_slices no_one;
  std::mutex reaping;
  activity_sampler activities;
};

}  // namespace callisto::cosched

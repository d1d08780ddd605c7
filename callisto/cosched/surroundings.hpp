// Facts by which a job decides whether it stands aside: the weights of all jobs, and the processor time of processes.
//
// A loop of a light job takes some 30 us, and begins with a look. So a look by a thread that has a loop to run costs a
// clock and a generation: the slots are read again only when the table has changed, and what other programs use is left
// to threads without work.
#pragma once

#include <callisto/cosched/limits.hpp>
#include <callisto/cosched/stepping_aside.hpp>
#include <callisto/cosched/table.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace callisto::cosched {

/// The surroundings of one job in a `Table`. One thread at a time uses it.
template <class Table>
class surroundings {
 public:
  /// Returns why the job `me` stands aside from now on. `own` is the processor time of its process, at work
  /// (machine::native::working_time). `has_no_work`: the caller has nothing better to do. `used_by(process)` returns
  /// the processor time of another job's process, `busy_on(contexts)` of all programs there, in nanoseconds.
  template <class UsedBy, class BusyOn>
  aside look(const Table& shared, unsigned me, std::uint64_t now, std::int64_t own, bool has_no_work, UsedBy used_by,
             BusyOn busy_on) {
    read(shared, me);
    if (jobs_ <= 1) return aside::no;
    stepping_aside::sample s{.at = now, .own = own};
    if (!crowded_ && now - looked_around_ >=
                         (has_no_work || !decides_.light() ? decides_.next_window() : sharing_limits::light_window)) {
      looked_around_ = now;
      for (unsigned j = 0; j < max_jobs; ++j) {
        if (process_[j] == 0) continue;
        others_.count(j, process_[j], used_by(process_[j]), j != me && shared.aside_of(j) == aside::light, share_of(j),
                      now);
      }
      s.jobs = others_.total();
      s.busy = busy_on(contexts_);
    }
    const aside found = decides_.look(s, share_of(me), contexts_.count());
    return found == aside::no && crowded_ ? aside::crowded : found;
  }

  /// True if the job uses far less than its share, whatever else look() has found.
  bool light() const noexcept { return decides_.light(); }

 private:
  /// Returns the number of contexts that a job's share comes to. The share counts all jobs, also jobs that stand aside.
  double share_of(unsigned job) const noexcept { return contexts_.count() * weight_[job] / weights_; }

  void read(const Table& shared, unsigned me) {
    const std::uint64_t generation = shared.generation();
    if (std::exchange(read_for_, generation) == generation) return;
    jobs_ = 0;
    weights_ = 0;
    if (const std::optional<job_record> mine = shared.record_of(me)) contexts_ = mine->contexts;
    // Each job that is no light one counts on its contexts in equal parts. All jobs on the same contexts find the same.
    double turns = 0;
    for (unsigned j = 0; j < max_jobs; ++j) {
      const std::optional<job_record> r = shared.record_of(j);
      weight_[j] = r ? double{1} * valid_weight(r->weight) * valid_priority(r->priority) : 0;
      process_[j] = r && r->pid <= max_pid ? r->pid : 0;
      weights_ += weight_[j];
      jobs_ += r ? 1 : 0;
      if (!r || shared.aside_of(j) == aside::light || r->contexts.empty()) continue;
      turns += double{1} * r->contexts.shared_with(contexts_) / r->contexts.count();
    }
    crowded_ = turns > sharing_limits::most_turns * contexts_.count();
  }

  std::uint64_t read_for_ = ~std::uint64_t{0};  ///< the generation of the next six
  unsigned jobs_ = 0;
  double weights_ = 0;
  std::array<double, max_jobs> weight_{};          ///< by job; 0: none
  std::array<std::uint64_t, max_jobs> process_{};  ///< by job; 0: none
  context_set contexts_;                           ///< where the job may run
  bool crowded_ = false;                           ///< too many jobs would take turns there
  std::uint64_t looked_around_ = 0;
  stepping_aside decides_;
  time_of_jobs others_;
};

}  // namespace callisto::cosched

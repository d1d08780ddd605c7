// The table for processes that are no jobs: they look at it and clear it. Reading disturbs no job and takes no lock.
#pragma once

#include <callisto/cosched/stepping_aside.hpp>
#include <callisto/cosched/time_slices.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/host/priority.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callisto::cosched {

/// A job, as its slot describes it and as the kernel sees its process.
struct job_picture {
  unsigned number = no_job;  ///< the number of its slot
  std::uint64_t pid = 0;     ///< 0: the slot is damaged
  std::string name{};        ///< the program's, up to 16 bytes
  std::string argument{};  ///< the first argument of its command line that is no option, without folders; may be empty
  unsigned weight = 1;
  cosched::aside aside = cosched::aside::no;    ///< why it runs as if it did not share
  unsigned priority = machine::usual_priority;  ///< of its process: usual_priority at nice level 0
  std::vector<unsigned> contexts{};             ///< where it may run, ascending
  unsigned main = 0;                            ///< the context of its main thread, or context_assignment::no_context
  double share = 0;                  ///< contexts on which it has high priority; a part of one where jobs take turns
  bool alive = false;                ///< its process holds the slot's lock; if not, no job has noticed its end yet
  char state = 0;                    ///< the state of its process's first thread, as machine::process_view has it
  std::uint64_t processor_time = 0;  ///< nanoseconds of all its threads; 0: unknown
};

/// A hardware context.
struct context_picture {
  unsigned context = 0;  ///< the operating system's number
  unsigned core = 0;
  unsigned priority = no_job;  ///< the job that has high priority now
  unsigned turns = 0;          ///< how many jobs share the context in turns
  unsigned runs = no_job;      ///< the job that has the context
  bool idle = false;           ///< that job has no work there at the moment
  bool asked = false;          ///< another job wants something of the holder
  std::uint64_t since = 0;  ///< when this state began, on the clock of machine::shared_nanoseconds(), to a microsecond
  std::uint32_t hand_overs = 0;      ///< how often the context was given up or taken, modulo 2^23
  job_set wants = 0;                 ///< the jobs that want to run there, or do
  std::uint32_t unanswered = 0;      ///< how often it was taken from a job that did not answer
  unsigned unanswered_by = no_job;   ///< the last such job, unless another job has its number now
  std::uint64_t unanswered_for = 0;  ///< how many nanoseconds ago that was
};

/// Counts the contexts that a job has at one moment.
struct holdings {
  unsigned runs = 0;      ///< it runs there
  unsigned kept = 0;      ///< it has them, and no work there
  unsigned borrowed = 0;  ///< contexts of these two kinds on which other jobs have high priority
  unsigned lent = 0;      ///< it has high priority there now, another job has the context
  unsigned waits = 0;     ///< it wants them and does not have them
  bool silent = false;    ///< it lost a context in the last ten seconds because it did not answer
};
CALLISTO_API holdings holdings_of(unsigned job, const std::vector<context_picture>& contexts);

/// Reads a table. Not thread-safe. Not for a process that is a job: the end of the reader would cost the job its lock
/// (shared_file).
class CALLISTO_API table_reader {
 public:
  /// Opens the first table that can be read in `folders`. Returns null if there is none; `refusal` then says in one
  /// line why existing tables cannot be read, or is empty.
  static std::unique_ptr<table_reader> visit(const std::vector<std::string>& folders, std::string& refusal);
  ~table_reader();

  const std::string& path() const noexcept;
  /// True if the header is whole. If it is not, the cores come from this machine; each job has its own copy.
  bool whole() const noexcept;

  /// True if the file still has its name. Jobs that join after it was deleted are in another table.
  bool in_place() const noexcept;

  /// Returns a number that changes when a job comes, goes or changes its slot. One load.
  std::uint64_t generation() const noexcept;

  /// Returns the jobs by number. Takes about 10 us for each.
  std::vector<job_picture> jobs();

  /// Returns the machine's contexts by number, each at its own moment. Takes below 1 us for each.
  std::vector<context_picture> contexts();

 private:
  struct impl;
  explicit table_reader(std::unique_ptr<impl> in) noexcept;
  std::unique_ptr<impl> in_;
};

/// Findings and actions of reset().
struct cleared {
  std::string path{};
  bool header = false;   ///< it was damaged and is rewritten
  unsigned living = 0;   ///< jobs that live and go on
  unsigned reaped = 0;   ///< jobs that had ended unnoticed
  unsigned freed = 0;    ///< contexts that belonged to a job that does not exist
  std::string stands{};  ///< why the header could not be repaired; empty: it is whole
};

/// Clears the first table in `folders` that can be written: remains of ended jobs, a damaged header, random bytes, and
/// the record of jobs that did not answer. Living jobs lose nothing, at any time: reset() does under the table's locks
/// what they do themselves when they notice. Returns nullopt as table_reader::visit() returns null. Not for a process
/// that is a job.
CALLISTO_API std::optional<cleared> reset(const std::vector<std::string>& folders, std::string& refusal);

/// Asks a living job for another weight, by its number in the first table of `folders` that can be written. The job
/// takes it within P_high if it runs or waits, else with its next loop. Returns false if there is no such job; throws
/// usage_error for a weight out of range, and returns nullopt as table_reader::visit() returns null. Not for a process
/// that is a job.
CALLISTO_API std::optional<bool> wish_weight(const std::vector<std::string>& folders, unsigned job, unsigned weight,
                                             std::string& refusal);

}  // namespace callisto::cosched

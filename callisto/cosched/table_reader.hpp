// The table as those see it, and clear it up, who are no jobs: looking disturbs nobody, and takes no lock.
#pragma once

#include <callisto/cosched/time_slices.hpp>
#include <callisto/export.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callisto::cosched {

/// A job, as it says itself and as the kernel sees it.
struct job_picture {
  unsigned number = no_job;  ///< of its slot
  std::uint64_t pid = 0;     ///< 0: the slot is damaged
  std::string name{};        ///< of the program, up to 16 bytes; whatever it is called
  std::string argument{};    ///< of its command line: the first that is no option, without folders; may be empty
  unsigned weight = 1;
  std::vector<unsigned> contexts{};  ///< where it may run, ascending
  unsigned main = 0;                 ///< the context of its main thread; division::no_context: none
  double share = 0;                  ///< contexts on which it has high priority; parts where there are turns
  bool alive = false;                ///< whether its process holds the slot's lock; else nobody has noticed its end yet
  char state = 0;                    ///< of its process's first thread, as machine::process_view has it
  std::uint64_t processor_time = 0;  ///< nanoseconds, of all its threads; 0: cannot be told
};

/// A hardware context.
struct context_picture {
  unsigned context = 0;  ///< the operating system's number
  unsigned core = 0;
  unsigned priority = no_job;    ///< the job that has high priority now
  unsigned turns = 0;            ///< how many jobs have it in turns
  unsigned runs = no_job;        ///< the job that has the context
  bool idle = false;             ///< that one has no work there at the moment
  bool asked = false;            ///< somebody wants something of it
  std::uint64_t since = 0;       ///< when this began, on the clock of machine::shared_nanoseconds(), to a microsecond
  std::uint32_t hand_overs = 0;  ///< how often the context was given up or taken, modulo 2^23
  job_set wants = 0;             ///< who wishes to run there, or does
  std::uint32_t unanswered = 0;  ///< how often it was taken from a job that did not answer
  unsigned unanswered_by = no_job;   ///< the last of these, if its number is not another's by now,
  std::uint64_t unanswered_for = 0;  ///< and how many nanoseconds ago that was
};

/// What a job has at one moment; contexts counted.
struct holdings {
  unsigned runs = 0;      ///< it runs there
  unsigned kept = 0;      ///< it has them, without work
  unsigned borrowed = 0;  ///< of those two, others have high priority on so many
  unsigned lent = 0;      ///< it has high priority there now, another has the context
  unsigned waits = 0;     ///< it wants them, and does not have them
  bool silent = false;    ///< it lost one in the last ten seconds since it did not answer
};
CALLISTO_API holdings holdings_of(unsigned job, const std::vector<context_picture>& contexts);

/// Not thread-safe. Not for a process that is a job: the end of a visit would cost it its lock (shared_file).
class CALLISTO_API table_reader {
 public:
  /// Visits the first table that can be read in `folders`. Null if there is none; then `refusal` says in one line why
  /// those that are there cannot be read, or is empty.
  static std::unique_ptr<table_reader> visit(const std::vector<std::string>& folders, std::string& refusal);
  ~table_reader();

  const std::string& path() const noexcept;
  /// Whether the header is whole. If not, the machine at hand tells the cores; jobs have copies of their own.
  bool whole() const noexcept;

  /// Whether the file is still the one of its name: jobs that come after it was deleted are in another.
  bool in_place() const noexcept;

  /// Changes when a job comes or goes, or says something else. A load.
  std::uint64_t generation() const noexcept;

  /// By number. Some 10 microseconds for each.
  std::vector<job_picture> jobs();

  /// Those of the machine, by number: a moment of each, not the same one of all. Well under a microsecond for each.
  std::vector<context_picture> contexts();

 private:
  struct impl;
  explicit table_reader(std::unique_ptr<impl> in) noexcept;
  std::unique_ptr<impl> in_;
};

/// What reset() has found and done.
struct cleared {
  std::string path{};
  bool header = false;   ///< it was damaged, and is written anew
  unsigned living = 0;   ///< jobs that live, and go on
  unsigned buried = 0;   ///< jobs that had ended unnoticed
  unsigned freed = 0;    ///< contexts that belonged to a job that does not exist
  std::string stands{};  ///< why the header could not be mended; empty: it is whole
};

/// Clears the first table in `folders` that can be written: what jobs that have ended left behind, a damaged header,
/// what random bytes say, and the record of who did not answer. Jobs that live lose nothing, whenever it runs: it does
/// under the table's locks what they do themselves when they notice. nullopt as visitor::visit(). Not for a process
/// that is a job.
CALLISTO_API std::optional<cleared> reset(const std::vector<std::string>& folders, std::string& refusal);

}  // namespace callisto::cosched

// The screen of `callisto top`: means over intervals of looks at the table, and the jobs that had each context earlier.
#pragma once

#include <callisto/app/cli/terminal.hpp>
#include <callisto/cosched/table_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace callisto::app {

/// Takes looks at the table, some tens per second, and sums them up by interval. An interval is a column of the
/// history. Not thread-safe.
class top_screen {
 public:
  /// Adds one look at the contexts.
  void add(const std::vector<cosched::context_picture>& contexts);

  /// Ends an interval at `now`, in nanoseconds, with the present jobs. `busy`: the processor time of all programs on
  /// the contexts since some beginning, in nanoseconds; 0: unknown.
  void close(std::uint64_t now, std::vector<cosched::job_picture> jobs, std::uint64_t busy = 0);

  /// The orders of the lines of jobs.
  enum class order { job, processor, runs, waits, name };

  /// Returns the order that comes after `now` in turn.
  static order after(order now) noexcept;

  struct style {
    terminal::extent size;   ///< limit on the columns of a line and on the number of lines
    bool colours = false;    ///< true: jobs have colours, and headings stand out
    bool keys = false;       ///< true: the last line explains the keys
    std::size_t scroll = 0;  ///< number of contexts' lines left out at the top, if not all fit
    order by = order::job;   ///< by processor time, contexts it runs on or waits for: the most first
    std::string only;        ///< jobs with this in their name alone, letters of either case; empty: all
    bool typing = false;     ///< true: the last line shows `only` as a person types it
    std::string clock;       ///< the time of day
    std::string table;       ///< the table's file
  };

  /// Returns what the words of the screen mean, as lines that fit. Each line but the last ends with a line feed.
  static std::string help(const terminal::extent& size);

  /// Returns the screen as lines. Each line but the last ends with a line feed.
  std::string render(const style& how) const;

 private:
  /// A job's means over an interval.
  struct averages {
    double runs = 0, kept = 0, borrowed = 0, lent = 0, waits = 0;
    bool silent = false;
    double processor = 0;  ///< processor time in contexts; below 0: not known yet
  };
  struct context_hold {
    std::map<unsigned, unsigned> looks;  ///< number of looks that found each job here; with idle_bit: without work
    std::uint32_t hand_overs_before = 0;
    bool seen_before = false;
    double per_second = 0;
    /// The job that most looks of each interval found here, newest interval last. no_job: none; with idle_bit: without
    /// work.
    std::deque<unsigned> history;
  };
  static constexpr unsigned idle_bit = 256;

  std::vector<cosched::job_picture> chosen(const style& how) const;
  std::string line_of(const cosched::job_picture& job, const style& how) const;
  std::string line_of(const cosched::context_picture& context, const style& how) const;

  std::vector<cosched::job_picture> jobs_;
  std::vector<cosched::context_picture> contexts_;
  std::map<unsigned, context_hold> held_;             ///< by number of the context
  std::map<unsigned, averages> sums_;                 ///< by job, for the interval in progress
  std::map<unsigned, averages> shown_;                ///< by job, for the last interval
  std::map<std::uint64_t, std::uint64_t> processor_;  ///< by process, when the last interval ended
  unsigned looks_ = 0;
  std::uint64_t closed_at_ = 0;
  std::uint64_t busy_ = 0;  ///< of all programs, when the last interval ended
  double others_ = -1;      ///< contexts that other programs used in the last interval; below 0: not known
};

}  // namespace callisto::app

// The screen of `callisto top`: means over intervals of looks at the table, and the jobs that had each context before.
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

/// Takes looks at the table, some tens a second, and sums them up in intervals; an interval is a column of the history.
/// Not thread-safe.
class top_screen {
 public:
  /// Adds one look at the contexts.
  void add(const std::vector<cosched::context_picture>& contexts);

  /// Ends an interval: `now` in nanoseconds, and the jobs as they are.
  void close(std::uint64_t now, std::vector<cosched::job_picture> jobs);

  struct style {
    terminal::extent size;   ///< no line is longer, and there are no more lines
    bool colours = false;    ///< jobs have colours, and headings stand out
    bool keys = false;       ///< says below which keys do what
    std::size_t scroll = 0;  ///< lines of contexts that are left out, as far as there are more than fit
    std::string clock;       ///< the time of day
    std::string table;       ///< the table's file
  };

  /// The screen as lines, each but the last ended by a line feed.
  std::string render(const style& how) const;

 private:
  /// What a job had in the last interval, on average.
  struct averages {
    double runs = 0, kept = 0, borrowed = 0, lent = 0, waits = 0;
    bool silent = false;
    double processor = 0;  ///< contexts' worth of processor time; below 0: not known yet
  };
  struct context_hold {
    std::map<unsigned, unsigned> looks;  ///< by job (with idle_bit: without work), the looks that found it here
    std::uint32_t hand_overs_before = 0;
    bool seen_before = false;
    double per_second = 0;
    /// The job that most looks of an interval found here, newest interval last; no_job; with idle_bit: without work.
    std::deque<unsigned> history;
  };
  static constexpr unsigned idle_bit = 256;

  std::string line_of(const cosched::job_picture& job, const style& how) const;
  std::string line_of(const cosched::context_picture& context, const style& how) const;

  std::vector<cosched::job_picture> jobs_;
  std::vector<cosched::context_picture> contexts_;
  std::map<unsigned, context_hold> held_;             ///< by context
  std::map<unsigned, averages> sums_;                 ///< by job, of the interval that goes on
  std::map<unsigned, averages> shown_;                ///< of the last one
  std::map<std::uint64_t, std::uint64_t> processor_;  ///< by process, at the end of the last interval
  unsigned looks_ = 0;
  std::uint64_t closed_at_ = 0;
};

}  // namespace callisto::app

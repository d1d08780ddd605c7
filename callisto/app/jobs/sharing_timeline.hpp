// Joins looks at the table to a timeline of the jobs on each context, for ui.perfetto.dev.
#pragma once

#include <callisto/cosched/table_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace callisto::app {

/// Makes a timeline from samples. A stretch is a time during which one job had a context, with or without work; one
/// that begins and ends between two looks is not seen. The table has the time at which its current state began, to a
/// microsecond, and counts every hand-over. Beginnings are therefore exact, and the number of missed hand-overs is
/// known. A stretch ends when the next begins, or when it was last seen if hand-overs were missed. Not thread-safe.
class sharing_timeline {
 public:
  /// Sets the names of the jobs for the looks that follow.
  void name(const std::vector<cosched::job_picture>& jobs);

  /// Adds the contexts as seen at `now`, on the clock of machine::shared_nanoseconds(). Cuts off what began before the
  /// first look.
  void add(const std::vector<cosched::context_picture>& contexts, std::uint64_t now);

  /// Returns the timeline in the Chrome trace format, with a track for each context.
  std::string to_chrome_trace() const;

  std::uint64_t hand_overs() const noexcept { return hand_overs_; }  ///< exact number since the first look
  std::uint64_t missed() const noexcept { return missed_; }  ///< the hand-overs between stretches that were seen
  std::size_t stretches() const noexcept { return stretches_.size(); }
  std::size_t left_out() const noexcept { return left_out_; }  ///< number of stretches for which there was no room

 private:
  struct stretch {
    unsigned context;
    std::size_t who;  ///< index of the job's label in labels_
    bool idle;
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct context_hold {
    cosched::context_picture last;
    std::size_t who;  ///< index of the job's label, taken at the beginning: a job's number can be used again
    std::uint64_t begin;
    std::uint64_t seen;
  };
  void end(const context_hold& t, std::uint64_t at);
  std::size_t label_of(unsigned job);

  std::map<unsigned, context_hold> now_;          ///< the stretch in progress on each context
  std::map<unsigned, std::size_t> label_of_job_;  ///< the present label of each job's number
  std::vector<std::string> labels_;
  std::vector<stretch> stretches_;
  std::uint64_t first_look_ = 0;
  std::uint64_t last_look_ = 0;
  std::uint64_t hand_overs_ = 0;
  std::uint64_t missed_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace callisto::app

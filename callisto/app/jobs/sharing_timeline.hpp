// Who had which context when, put together from moments of the table, as a timeline for ui.perfetto.dev.
#pragma once

#include <callisto/cosched/table_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace callisto::app {

/// Sampled: what begins and ends between two looks is not seen. But the table says when what it shows has begun, to a
/// microsecond, and counts every hand-over, so that the beginnings are exact, and how much was missed is known. Where
/// hand-overs were missed, a stretch ends when it was last seen; else when the next begins. Not thread-safe.
class sharing_timeline {
 public:
  /// Who is who from now on.
  void name(const std::vector<cosched::job_picture>& jobs);

  /// What was seen at `now`, on the clock of machine::shared_nanoseconds(). Beginnings before the first look are cut
  /// off.
  void add(const std::vector<cosched::context_picture>& contexts, std::uint64_t now);

  /// The Chrome trace format: a track for each context.
  std::string to_chrome_trace() const;

  std::uint64_t hand_overs() const noexcept { return hand_overs_; }  ///< exactly, since the first look
  std::uint64_t missed() const noexcept { return missed_; }          ///< of these, between stretches that were seen
  std::size_t stretches() const noexcept { return stretches_.size(); }
  std::size_t left_out() const noexcept { return left_out_; }  ///< stretches for which there was no room

 private:
  struct stretch {
    unsigned context;
    std::size_t who;  ///< in labels_
    bool idle;
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct context_hold {
    cosched::context_picture last;
    std::size_t who;  ///< in labels_, as its number was known when this began: another job may have the number next
    std::uint64_t begin;
    std::uint64_t seen;
  };
  void end(const context_hold& t, std::uint64_t at);
  std::size_t label_of(unsigned job);

  std::map<unsigned, context_hold> now_;          ///< by context
  std::map<unsigned, std::size_t> label_of_job_;  ///< at the moment
  std::vector<std::string> labels_;
  std::vector<stretch> stretches_;
  std::uint64_t first_look_ = 0;
  std::uint64_t last_look_ = 0;
  std::uint64_t hand_overs_ = 0;
  std::uint64_t missed_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace callisto::app

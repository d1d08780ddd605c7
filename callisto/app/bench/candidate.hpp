// A candidate of `callisto bench schedule`: a program that runs loops of one runtime to order
// (bench/peers/protocol.hpp).
#pragma once

#include <callisto/app/process/child_process.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::app {

/// How a runtime can hand out iterations.
struct loop_method {
  std::string name;
  bool takes_batches = false;
  bool chooses_batches = false;
  bool runs_ranges = false;
};

/// What a candidate says of itself.
struct candidate_description {
  std::string name;
  std::string version;
  std::string library;
  std::vector<loop_method> methods;
  std::string refusal;  ///< why it is not a fair one; then nothing else is said
};

/// The description in `lines`, without the line "end". Throws child_failure if it makes no sense.
candidate_description parse_description(const std::vector<std::string>& lines);

/// Seconds that loops took, and what they computed together.
struct loop_timing {
  double seconds = 0;
  std::uint64_t sum = 0;
  std::uint64_t count = 0;

  bool same_result(const loop_timing& other) const noexcept { return sum == other.sum && count == other.count; }
};

/// What `time SECONDS SUM COUNT` says. Throws child_failure if that is not what `answer` is.
loop_timing parse_timing(std::string_view answer);

struct launch_timing {
  double seconds = 0;  ///< of one launch
  double share = 0;    ///< of the launches in which two threads took part
};

/// What `launch SECONDS SHARE` says. Throws child_failure if that is not what `answer` is.
launch_timing parse_launch(std::string_view answer);

/// The running program. Members throw child_failure (its message names no program) and graph::cancelled. Between
/// proceed() and halt() it may run, otherwise it stands still. For one thread.
class candidate_process {
 public:
  /// Starts `program` and asks what it is.
  candidate_process(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment, const std::stop_token& stop);

  const candidate_description& description() const noexcept { return description_; }

  void proceed() { process_.proceed(); }
  void halt() { process_.halt(); }

  /// `work` is the WORK of the protocol.
  loop_timing run(std::size_t method, std::uint64_t batch, unsigned repeats, const std::string& work);
  loop_timing sequential(unsigned repeats, const std::string& work);
  loop_timing perfect(unsigned threads, const std::string& work);
  /// Seconds for `n` iterations that do nothing.
  double empty(std::size_t method, std::uint64_t batch, std::uint64_t n);
  launch_timing launch(std::size_t method, std::uint64_t batch, std::string_view wait, unsigned count);

 private:
  std::string ask(const std::string& order);

  std::stop_token stop_;
  child_process process_;
  candidate_description description_;
};

}  // namespace callisto::app

// A candidate of `callisto-lab bench schedule`: a program that runs loops of one runtime on request
// (lab/peers/protocol.hpp).
#pragma once

#include <callisto/app/process/child_process.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::lab {

/// A method by which a runtime hands out iterations.
struct loop_method {
  std::string name;
  bool takes_batches = false;
  bool chooses_batches = false;
  bool runs_ranges = false;
};

/// A candidate's description of itself.
struct candidate_description {
  std::string name;
  std::string version;
  std::string library;
  std::vector<loop_method> methods;
  std::string refusal;  ///< why a comparison would be unfair; if not empty, the other members are empty
};

/// Returns the description in `lines`, which do not include the line "end". Throws child_failure if it is malformed.
candidate_description parse_description(const std::vector<std::string>& lines);

/// The seconds that loops took, and the result that they computed together.
struct loop_timing {
  double seconds = 0;
  std::uint64_t sum = 0;
  std::uint64_t count = 0;

  bool same_result(const loop_timing& other) const noexcept { return sum == other.sum && count == other.count; }
};

/// Returns the values of an answer `time SECONDS SUM COUNT`. Throws child_failure if `answer` has another form.
loop_timing parse_timing(std::string_view answer);

struct launch_timing {
  double seconds = 0;  ///< seconds of one launch
  double share = 0;    ///< share of the launches in which two threads took part
};

/// Returns the values of an answer `launch SECONDS SHARE`. Throws child_failure if `answer` has another form.
launch_timing parse_launch(std::string_view answer);

/// A candidate's running program. It runs between proceed() and halt(), and is stopped otherwise. Members throw
/// child_failure, with a message that names no program, and graph::cancelled. Not thread-safe.
class candidate_process {
 public:
  /// Starts `program` and reads its description.
  candidate_process(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment, const std::stop_token& stop);

  const candidate_description& description() const noexcept { return description_; }

  void proceed() { process_.proceed(); }
  void halt() { process_.halt(); }

  /// Runs a loop `repeats` times with a method and batch size. `work` is the protocol's WORK.
  loop_timing run(std::size_t method, std::uint64_t batch, unsigned repeats, const std::string& work);
  loop_timing sequential(unsigned repeats, const std::string& work);
  loop_timing perfect(unsigned threads, const std::string& work);
  /// Returns the seconds of a loop of `n` iterations that do nothing.
  double empty(std::size_t method, std::uint64_t batch, std::uint64_t n);
  launch_timing launch(std::size_t method, std::uint64_t batch, std::string_view wait, unsigned count);

 private:
  std::string ask(const std::string& order);

  std::stop_token stop_;
  child_process process_;
  candidate_description description_;
};

}  // namespace callisto::lab

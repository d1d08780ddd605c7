// Starts the programs and reads their lines.
#include <lab/experiments/gap_peer.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/process/child_process.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace callisto::lab {
namespace {

constexpr std::string_view announcement = "Trial Time:";
constexpr unsigned trials = 2;
/// The time limit for reading a file and for a trial.
constexpr std::chrono::seconds patience{1800};

}  // namespace

double parse_trial_time(std::string_view line) {
  if (!line.starts_with(announcement)) return -1;
  line.remove_prefix(announcement.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  double seconds = 0;
  const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), seconds);
  if (failure != std::errc() || end == line.data() || !(seconds >= 0)) {
    throw child_failure(fmt::format("expected seconds after '{}', found '{}'", announcement, one_line(line)));
  }
  return seconds;
}

gap_peer::gap_peer(std::string folder, unsigned threads) : folder_(std::move(folder)), threads_(threads) {
  const auto all = gap_kernels();
  if (std::none_of(all.begin(), all.end(), [this](const gap_kernel& k) { return has(k); })) {
    throw usage_error(
        fmt::format("--peer: {}: expected a folder with programs bfs, pr, ...; none is there", one_line(folder_)));
  }
}

bool gap_peer::has(const gap_kernel& kernel) const {
  return ::access((folder_ + '/' + kernel.name).c_str(), X_OK) == 0;
}

double gap_peer::run_once(const std::string& program, const std::vector<std::string>& arguments,
                          const std::stop_token& stop) const {
  child_process child(program, arguments, {{"OMP_NUM_THREADS", std::to_string(threads_)}});
  double seconds = -1;
  for (unsigned seen = 0; seen < trials;) {
    const double time = parse_trial_time(child.read_line(patience, stop));
    if (time < 0) continue;
    seconds = time;
    ++seen;
  }
  return seconds;
}

gap_peer::settings gap_peer::tune(const gap_kernel& kernel, const std::string& file,
                                  const std::vector<std::uint64_t>& sources, const std::stop_token& stop) const {
  settings best;
  if (kernel.what != gap_kernel::kind::sssp) return best;
  double least = std::numeric_limits<double>::infinity();
  // Tries deltas from those that suit weights of 1 to 255 on graphs with hubs to those that suit metres or seconds on
  // roads.
  for (unsigned delta = 1; delta <= 1u << 16; delta *= 4) {
    const settings with{"-d", std::to_string(delta)};
    const double seconds = run(kernel, with, file, sources, stop);
    if (seconds < least) {
      least = seconds;
      best = with;
    }
  }
  return best;
}

double gap_peer::run(const gap_kernel& kernel, const settings& with, const std::string& file,
                     const std::vector<std::uint64_t>& sources, const std::stop_token& stop) const {
  const std::string program = folder_ + '/' + kernel.name;
  std::vector<std::string> arguments{"-f", file, "-n", std::to_string(trials)};
  arguments.insert(arguments.end(), with.begin(), with.end());
  if (kernel.what == gap_kernel::kind::pr) {
    arguments.insert(arguments.end(), {"-i", std::to_string(gap_sweeps), "-t", fmt::format("{:g}", gap_tolerance)});
  }
  if (kernel.what == gap_kernel::kind::bc) arguments.insert(arguments.end(), {"-i", "1"});
  if (kernel.sources == 0) return run_once(program, arguments, stop);
  double sum = 0;
  for (const std::uint64_t source : sources) {
    std::vector<std::string> from_here = arguments;
    from_here.insert(from_here.end(), {"-r", std::to_string(source)});
    sum += run_once(program, from_here, stop);
  }
  return sum;
}

}  // namespace callisto::lab

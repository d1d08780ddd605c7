// The requesting side of the protocol.
#include <lab/experiments/candidate.hpp>

#include <callisto/app/base/text.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>

namespace callisto::lab {
namespace {

constexpr std::chrono::seconds patience{60};  // no loop takes 1 s: a candidate that takes this long hangs
constexpr std::size_t most_lines = 100;

[[noreturn]] void misunderstood(std::string_view answer, std::string_view expected) {
  throw child_failure(fmt::format("answers '{}' instead of {}", one_line(answer.substr(0, 200)), expected));
}

/// Returns the text after `word` and a space, or an empty string if `line` does not begin with them.
std::string behind(const std::string& line, std::string_view word) {
  return line.size() > word.size() && line.starts_with(word) && line[word.size()] == ' ' ? line.substr(word.size() + 1)
                                                                                         : std::string();
}

}  // namespace

candidate_description parse_description(const std::vector<std::string>& lines) {
  candidate_description d;
  for (const std::string& line : lines) {
    if (std::string text = behind(line, "refuse"); !text.empty()) {
      d.refusal = std::move(text);
      return d;
    }
    if (std::string text = behind(line, "name"); !text.empty()) {
      d.name = std::move(text);
    } else if (text = behind(line, "version"); !text.empty()) {
      d.version = std::move(text);
    } else if (text = behind(line, "library"); !text.empty()) {
      d.library = std::move(text);
    } else if (text = behind(line, "method"); !text.empty()) {
      std::istringstream words(text);
      loop_method m;
      std::string flags;
      if (!(words >> m.name >> flags) || flags.find_first_not_of("bar") != std::string::npos) {
        misunderstood(line, "'method NAME FLAGS'");
      }
      m.takes_batches = flags.find('b') != std::string::npos;
      m.chooses_batches = flags.find('a') != std::string::npos;
      m.runs_ranges = flags.find('r') != std::string::npos;
      d.methods.push_back(std::move(m));
    } else {
      misunderstood(line, "a description");
    }
  }
  if (d.name.empty() || d.methods.empty()) throw child_failure("describes itself without a name or without methods");
  return d;
}

loop_timing parse_timing(std::string_view answer) {
  std::istringstream words{std::string(answer)};
  std::string verb;
  loop_timing t;
  if (!(words >> verb >> t.seconds >> std::hex >> t.sum >> std::dec >> t.count) || verb != "time" ||
      !std::isfinite(t.seconds) || t.seconds <= 0) {
    misunderstood(answer, "'time SECONDS SUM COUNT'");
  }
  return t;
}

launch_timing parse_launch(std::string_view answer) {
  std::istringstream words{std::string(answer)};
  std::string verb;
  launch_timing t;
  if (!(words >> verb >> t.seconds >> t.share) || verb != "launch" || !std::isfinite(t.seconds) || t.seconds <= 0 ||
      !(t.share >= 0 && t.share <= 1)) {
    misunderstood(answer, "'launch SECONDS SHARE'");
  }
  return t;
}

candidate_process::candidate_process(const std::string& program, const std::vector<std::string>& arguments,
                                     const std::vector<std::pair<std::string, std::string>>& environment,
                                     const std::stop_token& stop)
    : stop_(stop), process_(program, arguments, environment) {
  std::vector<std::string> lines{ask("describe")};
  while (!lines.back().starts_with("refuse ") && lines.back() != "end") {
    if (lines.size() == most_lines) throw child_failure("describes itself without an end");
    lines.push_back(process_.read_line(patience, stop_));
  }
  if (lines.back() == "end") lines.pop_back();
  description_ = parse_description(lines);
}

std::string candidate_process::ask(const std::string& order) {
  std::string answer = process_.ask(order, patience, stop_);
  if (const std::string why = behind(answer, "error"); !why.empty()) {
    throw child_failure(fmt::format("cannot '{}': {}", order, one_line(why)));
  }
  return answer;
}

loop_timing candidate_process::run(std::size_t method, std::uint64_t batch, unsigned repeats, const std::string& work) {
  return parse_timing(ask(fmt::format("run {} {} {} {}", method, batch, repeats, work)));
}

loop_timing candidate_process::sequential(unsigned repeats, const std::string& work) {
  return parse_timing(ask(fmt::format("sequential {} {}", repeats, work)));
}

loop_timing candidate_process::perfect(unsigned threads, const std::string& work) {
  return parse_timing(ask(fmt::format("perfect {} {}", threads, work)));
}

double candidate_process::empty(std::size_t method, std::uint64_t batch, std::uint64_t n) {
  return parse_timing(ask(fmt::format("empty {} {} {}", method, batch, n))).seconds;
}

launch_timing candidate_process::launch(std::size_t method, std::uint64_t batch, std::string_view wait,
                                        unsigned count) {
  return parse_launch(ask(fmt::format("launch {} {} {} {}", method, batch, wait, count)));
}

}  // namespace callisto::lab

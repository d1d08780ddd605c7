// Joins looks to stretches, and writes the Chrome trace format ("Trace Event Format", documented with
// chrome://tracing).
#include <callisto/app/jobs/sharing_timeline.hpp>

#include <callisto/app/base/json.hpp>
#include <callisto/app/jobs/table_access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace callisto::app {
namespace {

/// The number of stretches that a browser can show, as in timelines of loops.
constexpr std::size_t most_stretches = 262'144;

/// The table counts hand-overs modulo this.
constexpr std::uint32_t hand_over_values = 1u << 23;

}  // namespace

void sharing_timeline::name(const std::vector<cosched::job_picture>& jobs) {
  for (const cosched::job_picture& job : jobs) {
    const std::string label = fmt::format("{} {}", shown_name(job), job.pid);
    const auto at = label_of_job_.find(job.number);
    if (at != label_of_job_.end() && labels_[at->second] == label) continue;
    label_of_job_[job.number] = labels_.size();
    labels_.push_back(label);
  }
}

std::size_t sharing_timeline::label_of(unsigned job) {
  const auto [at, added] = label_of_job_.try_emplace(job, labels_.size());
  // A job without a name came and went between two looks at the jobs.
  if (added) labels_.push_back(job == cosched::no_job ? std::string() : fmt::format("job {}", job));
  return at->second;
}

void sharing_timeline::end(const context_hold& t, std::uint64_t at) {
  if (t.last.runs == cosched::no_job || at <= t.begin) return;
  if (stretches_.size() == most_stretches) {
    ++left_out_;
    return;
  }
  stretches_.push_back({t.last.context, t.who, t.last.idle, t.begin, at});
}

void sharing_timeline::add(const std::vector<cosched::context_picture>& contexts, std::uint64_t now) {
  if (first_look_ == 0) first_look_ = now;
  last_look_ = now;
  for (const cosched::context_picture& c : contexts) {
    const auto [at, added] = now_.try_emplace(c.context, context_hold{c, label_of(c.runs), now, now});
    context_hold& t = at->second;
    if (added) continue;
    const std::uint32_t more = (c.hand_overs - t.last.hand_overs) % hand_over_values;
    hand_overs_ += more;
    // A change of job takes one hand-over, or two if the context was without a job between them.
    const std::uint32_t explained = t.last.runs == c.runs                                         ? 0
                                    : t.last.runs == cosched::no_job || c.runs == cosched::no_job ? 1
                                                                                                  : 2;
    const bool gap = more > explained;
    if (gap) missed_ += more - explained;
    if (c.runs != t.last.runs || c.idle != t.last.idle || more != 0) {
      const std::uint64_t begin = std::clamp(c.since, t.seen, now);
      end(t, gap ? t.seen : begin);
      t.begin = begin;
      t.who = label_of(c.runs);
    }
    t.last = c;
    t.seen = now;
  }
}

std::string sharing_timeline::to_chrome_trace() const {
  const auto microseconds = [this](std::uint64_t at) { return static_cast<double>(at - first_look_) * 1e-3; };
  std::string text = "{\"displayTimeUnit\":\"ms\",\"otherData\":";
  text += to_line({{"seconds", static_cast<double>(last_look_ - first_look_) * 1e-9},
                   {"hand_overs", hand_overs_},
                   {"hand_overs_between_stretches", missed_},
                   {"left_out", left_out_}});
  text += ",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"contexts\"}}";
  const auto out = std::back_inserter(text);
  const auto write = [&](const std::string& who, unsigned context, bool idle, std::uint64_t begin, std::uint64_t end) {
    fmt::format_to(out, R"(,{}{{"ph":"X","name":{},"pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f}}})", "\n",
                   to_line(who + (idle ? ", idle" : "")), context, microseconds(begin),
                   static_cast<double>(end - begin) * 1e-3);
  };
  for (const auto& [context, t] : now_) {
    fmt::format_to(out,
                   R"(,{}{{"ph":"M","name":"thread_name","pid":1,"tid":{},"args":{{"name":"context {}, core {}"}}}})",
                   "\n", context, context, t.last.core);
  }
  for (const stretch& s : stretches_) write(labels_[s.who], s.context, s.idle, s.begin, s.end);
  // Writes the stretches in progress.
  for (const auto& [context, t] : now_) {
    if (t.last.runs == cosched::no_job || t.seen <= t.begin) continue;
    write(labels_[t.who], context, t.last.idle, t.begin, t.seen);
  }
  return text + "\n]}\n";
}

}  // namespace callisto::app

// Computes averages, and makes lines that fit.
#include <callisto/app/jobs/top_screen.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/jobs/screen_text.hpp>
#include <callisto/app/jobs/table_access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace callisto::app {
namespace {

using cosched::no_job;

constexpr std::size_t longest_history = 1024;

/// Returns the columns for the names of jobs: the rest of 80 columns, and half of the columns beyond 80.
constexpr std::size_t name_columns(std::size_t columns) {
  constexpr std::size_t usual = 17;
  constexpr std::size_t longest = 40;
  return columns <= 80 ? usual : std::min(longest, usual + (columns - 80) / 2);
}

/// ECMA-48 colours that are legible on light and on dark backgrounds: no black, white or plain yellow.
constexpr std::array colours{36, 35, 32, 34, 31, 33};

std::string coloured(unsigned job, std::string_view text, bool on) {
  if (!on || job == no_job || text.empty()) return std::string(text);
  return fmt::format("\x1b[1;{}m{}\x1b[0m", colours[job % colours.size()], text);
}

std::string heading_of_jobs(std::size_t columns) {
  return fmt::format("JOB {:{}} STATE      CPU% RUNS HIGH WAIT WGHT LENT BORR KEPT     PID", "NAME",
                     name_columns(columns));
}
/// The words for the orders of jobs, in the order of `top_screen::order`.
constexpr std::array<std::string_view, 5> orders{"job", "CPU%", "RUNS", "WAIT", "name"};

/// A job that answers too late ran elsewhere if it used more than what it had by this many contexts.
constexpr double ran_elsewhere = 0.05;
constexpr std::string_view heading_of_contexts = "CONTEXT CORE HIGH RUNS WAITING    /S  HISTORY";

}  // namespace

void top_screen::add(const std::vector<cosched::context_picture>& contexts) {
  contexts_ = contexts;
  ++looks_;
  cosched::job_set seen = 0;
  for (const cosched::context_picture& c : contexts) {
    const unsigned who = c.runs == no_job ? no_job : c.idle ? c.runs | idle_bit : c.runs;
    ++held_[c.context].looks[who];
    seen |= c.wants;
    for (const unsigned job : {c.runs, c.priority, c.unanswered_by}) {
      if (job != no_job) seen |= cosched::only(job);
    }
  }
  for (unsigned job = 0; job < cosched::max_jobs; ++job) {
    if ((seen & cosched::only(job)) == 0) continue;
    const cosched::holdings now = cosched::holdings_of(job, contexts);
    averages& sum = sums_[job];
    sum.runs += now.runs;
    sum.kept += now.kept;
    sum.borrowed += now.borrowed;
    sum.lent += now.lent;
    sum.waits += now.waits;
    sum.silent |= now.silent;
  }
}

void top_screen::close(std::uint64_t now, std::vector<cosched::job_picture> jobs, std::uint64_t busy) {
  const double seconds = closed_at_ == 0 ? 0 : static_cast<double>(now - closed_at_) * 1e-9;
  shown_.clear();
  for (const auto& [job, sum] : sums_) {
    const auto mean = [&](double of) { return of / std::max(1u, looks_); };
    shown_[job] = {mean(sum.runs), mean(sum.kept), mean(sum.borrowed), mean(sum.lent), mean(sum.waits), sum.silent, 0};
  }
  std::map<std::uint64_t, std::uint64_t> processor;
  double of_jobs = 0;
  for (const cosched::job_picture& job : jobs) {
    processor[job.pid] = job.processor_time;
    const auto before = processor_.find(job.pid);
    const bool known = before != processor_.end() && seconds > 0 && job.processor_time >= before->second;
    shown_[job.number].processor =
        known ? static_cast<double>(job.processor_time - before->second) * 1e-9 / seconds : -1;
    of_jobs += std::max(0.0, shown_[job.number].processor);
  }
  const std::uint64_t busy_before = std::exchange(busy_, busy);
  others_ = busy_before != 0 && busy >= busy_before && seconds > 0
                ? std::max(0.0, static_cast<double>(busy - busy_before) * 1e-9 / seconds - of_jobs)
                : -1;
  processor_ = std::move(processor);
  for (const cosched::context_picture& c : contexts_) {
    context_hold& t = held_[c.context];
    // The table counts hand-overs modulo 2^23.
    const std::uint32_t more = (c.hand_overs - t.hand_overs_before) & 0x7fffff;
    t.per_second = t.seen_before && seconds > 0 ? more / seconds : 0;
    t.hand_overs_before = c.hand_overs;
    t.seen_before = true;
    const auto most = std::max_element(t.looks.begin(), t.looks.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    t.history.push_back(most == t.looks.end() ? no_job : most->first);
    if (t.history.size() > longest_history) t.history.pop_front();
    t.looks.clear();
  }
  jobs_ = std::move(jobs);
  sums_.clear();
  looks_ = 0;
  closed_at_ = now;
}

top_screen::order top_screen::after(order now) noexcept {
  return static_cast<order>((static_cast<unsigned>(now) + 1) % orders.size());
}

/// Returns the jobs that `how` asks for, in its order.
std::vector<cosched::job_picture> top_screen::chosen(const style& how) const {
  std::vector<cosched::job_picture> those;
  std::ranges::copy_if(jobs_, std::back_inserter(those), [&](const cosched::job_picture& job) {
    return small(shown_name(job)).find(small(how.only)) != std::string::npos;
  });
  const auto of = [&](const cosched::job_picture& job) {
    const auto found = shown_.find(job.number);
    const averages a = found == shown_.end() ? averages{} : found->second;
    return how.by == order::processor ? a.processor : how.by == order::runs ? a.runs : a.waits;
  };
  if (how.by == order::name) {
    std::ranges::stable_sort(those, {}, [](const cosched::job_picture& job) { return small(shown_name(job)); });
  } else if (how.by != order::job) {
    std::ranges::stable_sort(those, std::greater<>(), of);
  }
  return those;
}

std::string top_screen::line_of(const cosched::job_picture& job, const style& how) const {
  const auto found = shown_.find(job.number);
  const averages a = found == shown_.end() ? averages{} : found->second;
  cosched::holdings now = cosched::holdings_of(job.number, contexts_);
  // The state describes the whole interval.
  now.runs = a.runs >= 0.005 ? 1 : 0;
  // Not a job that had no processor and so could not answer, but one that ran where it had no context.
  now.silent = (now.silent || a.silent) && a.processor > a.runs + a.kept + ran_elsewhere;
  const std::string rest = fmt::format(
      " {} {:<9} {:>5} {} {} {} {:>4} {} {} {} {:>7}", fit(shown_name(job), name_columns(how.size.columns), true),
      state_of(job, now, jobs_.size() == 1),
      a.processor < 0 ? std::string("-") : fmt::format("{:.0f}", a.processor * 100), brief(a.runs), brief(job.share),
      brief(a.waits), shown_weight(job, jobs_), brief(a.lent), brief(a.borrowed), brief(a.kept), job.pid);
  const std::string letter = fmt::format("{:>3}", letter_of(job.number));
  return coloured(job.number, fit(letter, how.size.columns), how.colours) +
         fit(rest, how.size.columns - std::min<std::size_t>(3, how.size.columns));
}

std::string top_screen::line_of(const cosched::context_picture& c, const style& how) const {
  const context_hold& t = held_.at(c.context);
  const auto letter = [](unsigned job) { return job == no_job ? '-' : letter_of(job); };
  std::string waiting;
  unsigned more = 0;
  for (unsigned job = 0; job < cosched::max_jobs; ++job) {
    if ((c.wants & cosched::only(job)) == 0 || job == c.runs) continue;
    if (waiting.size() < 6) {
      waiting += letter_of(job);
    } else {
      ++more;
    }
  }
  if (more != 0) waiting.back() = '>';
  const std::string left = fmt::format("{:>7} {:>4} {:>4} {:>4} {:<7} {:>5.0f}  ", c.context, c.core,
                                       letter(c.priority), c.runs != no_job && c.idle ? '.' : letter(c.runs),
                                       waiting.empty() ? std::string("-") : waiting, t.per_second);
  if (left.size() >= how.size.columns) return fit(left, how.size.columns);
  const std::size_t room = std::min(how.size.columns - left.size(), t.history.size());
  std::string line = left;
  // Writes the colour once per stretch of one job: a slow line has less to transfer.
  for (std::size_t i = t.history.size() - room; i < t.history.size();) {
    const unsigned who = t.history[i];
    std::size_t end = i;
    while (end < t.history.size() && t.history[end] == who) ++end;
    const bool idle = who >= idle_bit;
    const unsigned job = idle ? who - idle_bit : who;
    line += coloured(job, std::string(end - i, job == no_job ? ' ' : idle ? '.' : letter_of(job)), how.colours);
    i = end;
  }
  return line;
}

std::string top_screen::help(const terminal::extent& size) {
  constexpr std::string_view lines[] = {
      "Of each job, means over an interval:",
      "  CPU%    its processor time, in % of one context",
      "  RUNS    contexts on which it runs",
      "  HIGH    contexts on which it has high priority: its share",
      "  WAIT    contexts that it wants and does not have",
      "  WGHT    its weight; 'callisto set JOB --weight W' changes it in a table",
      "  LENT    contexts of its share that other jobs use",
      "  BORR    contexts of other jobs' shares that it uses",
      "  KEPT    contexts that it keeps without work",
      "Its state:",
      "  light, outsiders   it does not share for the moment: it mostly sleeps, or other",
      "                     programs compete; crowded: too many would take turns",
      "  silent             it ran where it had no context, and did not answer: look at it",
      "  stopped            by a signal; ended: the process is gone",
      "Sharing is off: each job is light, outsiders or crowded.",
      "Others: what programs that are no jobs use, in % of one context.",
      "Of each context: the job of HIGH priority, that RUNS (. without work), that wait,",
      "hand-overs in a second (/S), and which job had it before.",
      "Under a broker: HAD, context time since the job joined; FORCED, how often a context",
      "was taken since the job did not answer.",
      "s orders the jobs by CPU%, RUNS, WAIT, name, or as they came; / shows those with",
      "a text in their name.",
      "Any key goes back.",
  };
  std::string text;
  std::size_t left = std::max<std::size_t>(size.rows, 1);
  for (const std::string_view line : lines) {
    if (left-- == 0) break;
    if (!text.empty()) text += '\n';
    text += fit(line, size.columns);
  }
  return text;
}

std::string top_screen::render(const style& how) const {
  const std::size_t width = how.size.columns;
  const std::size_t height = std::max<std::size_t>(how.size.rows, 1);
  const auto used = static_cast<std::size_t>(
      std::count_if(contexts_.begin(), contexts_.end(), [](const auto& c) { return c.runs != no_job && !c.idle; }));
  // Jobs that stand aside hold no context of the table, however busy they are.
  const bool sharing_is_off = !jobs_.empty() && std::ranges::all_of(jobs_, [](const cosched::job_picture& job) {
    return job.aside != cosched::aside::no;
  });
  std::string said =
      fmt::format("callisto top: {} on {}", counted(jobs_.size(), "job"), counted(contexts_.size(), "context"));
  // Programs that are no jobs run there, too: a context without a job is not said to be idle.
  if (!jobs_.empty()) said += sharing_is_off ? ", sharing is off" : fmt::format(", {} in use by jobs", used);
  if (others_ >= 0) said += fmt::format("; others: {:.0f} %", others_ * 100);
  std::vector<std::string> lines;
  // The clock stands at the right if there is room.
  std::string first = said;
  if (first.size() + how.clock.size() + 2 <= width) {
    first += std::string(width - first.size() - how.clock.size(), ' ') + how.clock;
  }
  lines.push_back(fit(first, width));
  lines.push_back(fit(how.table, width));
  lines.push_back(emphasized(fit(heading_of_jobs(how.size.columns), width, how.colours), how.colours));

  // The contexts get at least half of the remaining lines, and the lines that the jobs do not need.
  const std::size_t fixed =
      5 + (how.keys ? 1 : 0);  // three lines above, an empty one, the second heading; one for the keys
  const std::size_t room = height > fixed ? height - fixed : 0;
  const std::vector<cosched::job_picture> jobs = chosen(how);
  const std::size_t for_contexts = std::min(contexts_.size(), std::max(room / 2, room - std::min(room, jobs.size())));
  const std::size_t for_jobs = std::min(jobs.size(), room - std::min(room, for_contexts));
  if (jobs.empty()) {
    lines.push_back(
        fit(jobs_.empty() ? "  no job is running" : fmt::format("  no job has '{}' in its name", how.only), width));
  }
  for (std::size_t i = 0; i < for_jobs; ++i) {
    const bool cut = i + 1 == for_jobs && for_jobs < jobs.size();
    lines.push_back(cut ? fit(fmt::format("    and {} more", jobs.size() - i), width) : line_of(jobs[i], how));
  }
  lines.emplace_back();
  lines.push_back(emphasized(fit(heading_of_contexts, width, how.colours), how.colours));
  const std::size_t begin = std::min(how.scroll, contexts_.size() - for_contexts);
  for (std::size_t i = begin; i < begin + for_contexts; ++i) lines.push_back(line_of(contexts_[i], how));
  if (how.keys) {
    const std::string more = for_contexts < contexts_.size()
                                 ? fmt::format("; contexts {} to {} of {}: up, down, space", begin + 1,
                                               begin + for_contexts, contexts_.size())
                                 : std::string();
    lines.resize(std::max(lines.size(), height - 1));
    std::string keys = "q quits, ? explains, s orders, / filters";
    if (how.typing) {
      keys = fmt::format("jobs with this in their name: {}_  (Enter: shows them, Escape: all)", how.only);
    } else {
      if (how.by != order::job) keys += fmt::format("; by {}", orders[static_cast<std::size_t>(how.by)]);
      if (!how.only.empty()) keys += fmt::format("; '{}' alone", how.only);
      keys += "; . without work" + more;
    }
    lines.push_back(fit(keys, width));
  }
  if (lines.size() > height) lines.resize(height);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace callisto::app

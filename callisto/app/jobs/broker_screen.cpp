// Computes means from counters that only grow.
#include <callisto/app/jobs/broker_screen.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/jobs/screen_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

namespace callisto::app {
namespace {

constexpr std::size_t columns_of_user = 12;
constexpr std::string_view heading_of_broker =
    "USER          JOB NAME              RUNS BORR LENT WGHT FORCED     PID  HAD";

}  // namespace

void broker_screen::close(std::uint64_t now, const broker::broker_report& by,
                          std::optional<broker::broker_usage> lists) {
  const double passed = closed_at_ == 0 ? 0 : static_cast<double>(now - closed_at_);
  closed_at_ = now;
  by_ = by;
  lists_ = std::move(lists);
  shown_.clear();
  std::map<identity, broker::usage_line> now_there;
  for (const broker::usage_line& l : lists_ ? lists_->jobs : std::vector<broker::usage_line>()) {
    const auto before = before_.find(of(l));
    // A job of its first interval shows what it has at the moment.
    means m{.runs = static_cast<double>(l.contexts)};
    if (before != before_.end() && passed > 0 && l.had >= before->second.had) {
      m.runs = static_cast<double>(l.had - before->second.had) / passed;
      m.borrowed = static_cast<double>(l.borrowed - before->second.borrowed) / passed;
      m.lent = static_cast<double>(l.lent - before->second.lent) / passed;
    }
    shown_[of(l)] = m;
    now_there[of(l)] = l;
  }
  before_ = std::move(now_there);
}

std::vector<broker::usage_line> broker_screen::chosen(const top_screen::style& how) const {
  std::vector<broker::usage_line> those;
  if (lists_) {
    std::ranges::copy_if(lists_->jobs, std::back_inserter(those), [&](const broker::usage_line& l) {
      return small(shown_name(l)).find(small(how.only)) != std::string::npos ||
             small(names_.of(l.account)).find(small(how.only)) != std::string::npos;
    });
  }
  using order = top_screen::order;
  if (how.by == order::name) {
    std::ranges::stable_sort(those, {}, [](const broker::usage_line& l) { return small(shown_name(l)); });
  } else if (how.by != order::job) {
    std::ranges::stable_sort(those, std::greater<>(), [&](const broker::usage_line& l) {
      const means& m = shown_.at(of(l));
      return how.by == order::waits ? m.lent : m.runs;
    });
  }
  return those;
}

std::string broker_screen::line_of(const broker::usage_line& l, const top_screen::style& how) const {
  const means& m = shown_.at(of(l));
  return fit(
      fmt::format("{} {:>4} {} {} {} {} {:>4.3g} {:>6} {:>7}  {}", fit(names_.of(l.account), columns_of_user, true),
                  l.number, fit(shown_name(l), 17, true), brief(m.runs), brief(m.borrowed), brief(m.lent), weight_of(l),
                  l.forced, l.process, human_seconds(static_cast<double>(l.had) * 1e-9)),
      how.size.columns);
}

std::string broker_screen::render(const top_screen::style& how) const {
  const std::size_t width = how.size.columns;
  const std::size_t height = std::max<std::size_t>(how.size.rows, 1);
  if (!by_) return {};
  std::vector<std::string> lines;
  std::string first =
      by_->answers ? fmt::format("callisto top: {} of {} under a broker; forced: {}", counted(by_->says.jobs, "job"),
                                 counted(by_->says.users, "user"), with_separators(by_->says.forced))
                   : std::string("callisto top: a broker that does not answer; its jobs run as if none shared");
  if (columns(first) + how.clock.size() + 2 <= width) {
    first += std::string(width - columns(first) - how.clock.size(), ' ') + how.clock;
  }
  lines.push_back(fit(first, width));
  lines.push_back(
      fit(one_line(by_->path) + (by_->answers ? fmt::format("; enforcement: {}; {}", broker::name_of(by_->says.grade),
                                                            !lists_             ? "it lists no jobs"
                                                            : lists_->all_users ? "all users' jobs"
                                                                                : "your jobs")
                                              : std::string()),
          width));
  lines.push_back(emphasized(fit(heading_of_broker, width, how.colours), how.colours));
  const std::vector<broker::usage_line> jobs = chosen(how);
  if (jobs.empty()) {
    lines.push_back(fit(how.only.empty() ? std::string("  no job is running")
                                         : fmt::format("  no job or user has '{}' in its name", how.only),
                        width));
  }
  const std::size_t fixed = 3 + (how.keys ? 1 : 0);
  const std::size_t room = std::min(jobs.size(), height > fixed ? height - fixed : 0);
  const std::size_t begin = std::min(how.scroll, jobs.size() - room);
  for (std::size_t i = begin; i < begin + room; ++i) lines.push_back(line_of(jobs[i], how));
  if (how.keys) {
    lines.resize(std::max(lines.size(), height - 1));
    std::string keys = how.typing ? fmt::format("jobs with this in their or their user's name: {}_", how.only)
                                  : std::string("q quits, ? explains, s orders, / filters");
    if (!how.typing && how.by != top_screen::order::job) {
      keys += how.by == top_screen::order::name    ? "; by name"
              : how.by == top_screen::order::waits ? "; by LENT"
                                                   : "; by RUNS";
    }
    if (!how.typing && !how.only.empty()) keys += fmt::format("; '{}' alone", how.only);
    if (room < jobs.size())
      keys += fmt::format("; {} to {} of {}: up, down, space", begin + 1, begin + room, jobs.size());
    lines.push_back(fit(keys, width));
  }
  if (lines.size() > height) lines.resize(height);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace callisto::app

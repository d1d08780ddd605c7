// Every name of a job comes from the job itself: none is printed as it is.
#include <callisto/app/jobs/broker_listing.hpp>

#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/jobs/account_file.hpp>
#include <callisto/machine/host/priority.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

using broker::usage_line;

double seconds_of(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

void add_usage(json& to, const usage_line& of) {
  to["contexts"] = of.contexts;
  to["had_seconds"] = seconds_of(of.had);
  to["borrowed_seconds"] = seconds_of(of.borrowed);
  to["lent_seconds"] = seconds_of(of.lent);
  to["forced"] = of.forced;
}

/// Returns the value of a label between its quotes.
std::string label(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '\\' || c == '"') made += '\\';
    made += c;
  }
  return made;
}

/// Metrics of one name each: Prometheus wants the lines of a name together.
class metrics {
 public:
  void begin(std::string_view name, std::string_view kind, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
  }
  void add(double value, const std::string& labels = {}) {
    text_ += labels.empty() ? fmt::format("{} {}\n", name_, value) : fmt::format("{}{{{}}} {}\n", name_, labels, value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

struct measure {
  std::string_view name, kind, help;
  double (*of)(const usage_line&);
};
constexpr measure measures[] = {
    {"contexts", "gauge", "Contexts at the moment.", [](const usage_line& l) { return double(l.contexts); }},
    {"context_seconds_total", "counter", "Context time that was had.",
     [](const usage_line& l) { return seconds_of(l.had); }},
    {"borrowed_context_seconds_total", "counter", "Of it, on contexts where another job had high priority.",
     [](const usage_line& l) { return seconds_of(l.borrowed); }},
    {"lent_context_seconds_total", "counter", "Context time of its own priority that other jobs had.",
     [](const usage_line& l) { return seconds_of(l.lent); }},
    {"forced_total", "counter", "Contexts taken since a job did not answer.",
     [](const usage_line& l) { return double(l.forced); }},
};
constexpr measure measures_of_users[] = {
    {"weight", "gauge", "Weight beside other users.", [](const usage_line& l) { return double(l.weight); }},
    {"jobs", "gauge", "Jobs at the moment.", [](const usage_line& l) { return double(l.number); }},
    {"debt_seconds", "gauge", "Context time that the user owes to others.",
     [](const usage_line& l) { return seconds_of(l.debt); }},
};
constexpr measure measures_of_jobs[] = {
    {"weight", "gauge", "Weight beside the user's other jobs.", [](const usage_line& l) { return weight_of(l); }},
};

}  // namespace

user_names::user_names(std::string_view passwd) {
  std::istringstream lines{std::string(passwd)};
  for (const auto& [name, number] : accounts_in(lines)) names_.emplace(number, one_line(whole_characters(name)));
}

user_names user_names::of_system() {
  std::ostringstream text;
  text << std::ifstream("/etc/passwd").rdbuf();
  return user_names(text.str());
}

std::string user_names::of(std::uint64_t account) const {
  const auto its = names_.find(account);
  return its == names_.end() ? std::to_string(account) : its->second;
}

std::string shown_name(const usage_line& job) {
  const std::string_view all(job.name.data(), job.name.size());
  const std::string name = one_line(whole_characters(all.substr(0, all.find('\0'))));
  return name.empty() ? "?" : name;
}

std::vector<usage_line> jobs_of_broker() {
  const std::optional<broker::broker_report> by = broker::ask_for_report();
  std::optional<broker::broker_usage> lists = by && by->answers ? broker::ask_for_usage(by->path) : std::nullopt;
  return lists ? std::move(lists->jobs) : std::vector<usage_line>();
}

double weight_of(const usage_line& job) noexcept { return static_cast<double>(job.weight) / machine::usual_priority; }

json jobs_to_json(const broker::broker_usage& lists, const user_names& names) {
  json all = json::array();
  for (const usage_line& l : lists.jobs) {
    json one{{"user", names.of(l.account)}, {"uid", l.account},      {"job", l.number}, {"pid", l.process},
             {"name", shown_name(l)},       {"weight", weight_of(l)}};
    add_usage(one, l);
    all.push_back(std::move(one));
  }
  return all;
}

json users_to_json(const broker::broker_usage& lists, const user_names& names) {
  json all = json::array();
  for (const usage_line& l : lists.users) {
    json one{{"user", names.of(l.account)},
             {"uid", l.account},
             {"jobs", l.number},
             {"weight", l.weight},
             {"debt_seconds", seconds_of(l.debt)}};
    add_usage(one, l);
    all.push_back(std::move(one));
  }
  return all;
}

std::string to_words(const broker::broker_usage& lists, const user_names& names) {
  using align = table::align;
  const auto cells = [](std::vector<std::string> before, const usage_line& l) {
    for (std::string& more : std::vector<std::string>{std::to_string(l.contexts), human_seconds(seconds_of(l.had)),
                                                      human_seconds(seconds_of(l.borrowed)),
                                                      human_seconds(seconds_of(l.lent)), with_separators(l.forced)}) {
      before.push_back(std::move(more));
    }
    return before;
  };
  std::string text;
  if (lists.users.size() > 1) {
    table users(
        {{"user", align::left}, {"jobs"}, {"weight"}, {"has"}, {"had"}, {"borrowed"}, {"lent"}, {"forced"}, {"debt"}});
    for (const usage_line& l : lists.users) {
      auto row = cells({names.of(l.account), std::to_string(l.number), std::to_string(l.weight)}, l);
      row.push_back(human_seconds(seconds_of(l.debt)));
      users.add_row(std::move(row));
    }
    text += users.render() + '\n';
  }
  if (lists.jobs.empty()) return text + (lists.all_users ? "It has no job.\n" : "It has no job of yours.\n");
  table jobs({{"user", align::left},
              {"job"},
              {"pid"},
              {"name", align::left},
              {"weight"},
              {"has"},
              {"had"},
              {"borrowed"},
              {"lent"},
              {"forced"}});
  for (const usage_line& l : lists.jobs) {
    jobs.add_row(cells({names.of(l.account), std::to_string(l.number), std::to_string(l.process), shown_name(l),
                        fmt::format("{:.3g}", weight_of(l))},
                       l));
  }
  return text + jobs.render();
}

std::string to_metrics(const std::optional<broker::broker_report>& by, const std::optional<broker::broker_usage>& lists,
                       const user_names& names) {
  metrics all;
  all.begin("callisto_broker_up", "gauge", "1: the broker answers.");
  all.add(by && by->answers ? 1 : 0);
  if (!by || !by->answers) return std::move(all).text();
  all.begin("callisto_broker_jobs", "gauge", "Jobs of all users.");
  all.add(by->says.jobs);
  all.begin("callisto_broker_users", "gauge", "Users that have jobs.");
  all.add(by->says.users);
  all.begin("callisto_broker_forced_total", "counter", "Contexts taken from jobs that did not answer.");
  all.add(static_cast<double>(by->says.forced));
  if (!lists) return std::move(all).text();
  const auto user = [&](const usage_line& l) {
    return fmt::format("user=\"{}\",uid=\"{}\"", label(names.of(l.account)), l.account);
  };
  const auto add = [&](const measure& m, std::string_view of, const std::vector<usage_line>& lines, auto labels) {
    if (lines.empty()) return;
    all.begin(fmt::format("callisto_{}_{}", of, m.name), m.kind, m.help);
    for (const usage_line& l : lines) all.add(m.of(l), labels(l));
  };
  for (const measure& m : measures) add(m, "user", lists->users, user);
  for (const measure& m : measures_of_users) add(m, "user", lists->users, user);
  const auto job = [&](const usage_line& l) {
    return fmt::format("{},job=\"{}\",pid=\"{}\",name=\"{}\"", user(l), l.number, l.process, label(shown_name(l)));
  };
  for (const measure& m : measures) add(m, "job", lists->jobs, job);
  for (const measure& m : measures_of_jobs) add(m, "job", lists->jobs, job);
  return std::move(all).text();
}

}  // namespace callisto::app

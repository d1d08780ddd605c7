// callisto status: shows the jobs and the contexts of each; with --trace, records a timeline.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/jobs/broker_listing.hpp>
#include <callisto/app/jobs/placed_programs.hpp>
#include <callisto/app/jobs/sharing_timeline.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/broker/client.hpp>
#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace callisto::app {
namespace {

using cosched::no_job;

constexpr std::chrono::microseconds between_looks{500};

struct status_arguments {
  run_options run;
  std::string trace;
  std::string metrics;
  double seconds = 10;
};

/// Returns the numbers of the jobs in a set.
std::vector<unsigned> members_of(cosched::job_set jobs) {
  std::vector<unsigned> all;
  for (unsigned j = 0; j < cosched::max_jobs; ++j) {
    if ((jobs & cosched::only(j)) != 0) all.push_back(j);
  }
  return all;
}

/// Returns the programs of `callisto run` that neither are jobs, of the table or of a broker, nor have started one, by
/// process.
std::map<pid_t, std::string> programs_without_a_slot(const std::vector<cosched::job_picture>& jobs,
                                                     const std::optional<broker::broker_usage>& lists) {
  std::map<pid_t, std::string> programs = programs_of_run();
  const auto is_job = [&](pid_t pid) {
    programs.erase(pid);
    if (!programs.empty()) programs.erase(program_of_run(pid));
  };
  for (const cosched::job_picture& job : jobs) is_job(static_cast<pid_t>(job.pid));
  if (lists) {
    for (const broker::usage_line& job : lists->jobs) is_job(static_cast<pid_t>(job.process));
  }
  return programs;
}

/// Returns a line about them; empty if there are none.
std::string named(const std::map<pid_t, std::string>& programs) {
  std::string text;
  for (const auto& [pid, name] : programs) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", pid, one_line(whole_characters(name)));
  }
  return text.empty() ? text : fmt::format("Of 'callisto run', but no job so far: {}\n", text);
}

json number_or_null(unsigned number, unsigned none) { return number == none ? json(nullptr) : json(number); }

json to_json(const cosched::table_reader* table, const std::vector<cosched::job_picture>& jobs,
             const std::vector<cosched::context_picture>& contexts, const std::optional<broker::broker_usage>& lists) {
  json object;
  object["table"] = table == nullptr ? json(nullptr) : json(table->path());
  object["whole"] = table == nullptr || table->whole();
  object["jobs"] = json::array();
  for (const cosched::job_picture& job : jobs) {
    const cosched::holdings has = cosched::holdings_of(job.number, contexts);
    object["jobs"].push_back({{"job", job.number},
                              {"pid", job.pid},
                              {"name", job.name},
                              {"weight", job.weight},
                              {"priority", static_cast<double>(job.priority) / machine::usual_priority},
                              {"contexts", job.contexts},
                              {"main", number_or_null(job.main, cosched::context_assignment::no_context)},
                              {"share", job.share},
                              {"runs", has.runs},
                              {"kept", has.kept},
                              {"borrowed", has.borrowed},
                              {"lent", has.lent},
                              {"waits", has.waits},
                              {"state", state_of(job, has, jobs.size() == 1)},
                              {"cooperates", job.alive && !has.silent && job.state != 'T' && job.state != 't'},
                              {"processor_seconds", static_cast<double>(job.processor_time) * 1e-9}});
  }
  object["programs"] = json::array();
  for (const auto& [pid, name] : programs_without_a_slot(jobs, lists))
    object["programs"].push_back({{"pid", pid}, {"name", name}});
  object["contexts"] = json::array();
  const std::uint64_t now = machine::shared_nanoseconds();
  for (const cosched::context_picture& c : contexts) {
    json one{{"context", c.context},
             {"core", c.core},
             {"priority", number_or_null(c.priority, no_job)},
             {"turns", c.turns},
             {"runs", number_or_null(c.runs, no_job)},
             {"idle", c.idle},
             {"asked", c.asked},
             {"seconds", static_cast<double>(now - c.since) * 1e-9},
             {"wanted_by", members_of(c.wants)},
             {"hand_overs", c.hand_overs},
             {"unanswered", c.unanswered},
             {"unanswered_by", number_or_null(c.unanswered_by, no_job)}};
    if (c.unanswered != 0) one["unanswered_seconds_ago"] = static_cast<double>(c.unanswered_for) * 1e-9;
    object["contexts"].push_back(std::move(one));
  }
  return object;
}

json to_json(const broker::broker_report& by) {
  if (!by.answers) return {{"socket", by.path}, {"answers", false}};
  return {{"socket", by.path},
          {"answers", true},
          {"enforcement", broker::name_of(by.says.grade)},
          {"jobs", by.says.jobs},
          {"users", by.says.users},
          {"own_weight", by.says.own_weight},
          {"own_jobs", by.says.own_jobs},
          {"own_contexts", by.says.own_contexts},
          {"own_debt_seconds", static_cast<double>(by.says.own_debt) * 1e-9},
          {"forced", by.says.forced}};
}

std::string to_words(const broker::broker_report& by) {
  if (!by.answers && !broker::listens_at(by.path)) {
    return fmt::format(
        "The broker of {} has ended without a farewell. Its jobs run as if none shared until there is another.\n",
        one_line(by.path));
  }
  if (!by.answers) {
    return fmt::format("A broker listens ({}) and does not answer. Its jobs run as if none shared until it does.\n",
                       one_line(by.path));
  }
  return fmt::format(
      "A broker divides this machine ({}): {} of {}\n"
      "  yours: {}, on {}; weight {}; debt {}\n"
      "  enforcement: {}. What a job keeps after it was asked, other users get back later{}.\n"
      "  Contexts taken from jobs that did not answer (forced): {}\n",
      one_line(by.path), counted(by.says.jobs, "job"), counted(by.says.users, "user"), counted(by.says.own_jobs, "job"),
      counted(by.says.own_contexts, "context"), by.says.own_weight,
      human_seconds(static_cast<double>(by.says.own_debt) * 1e-9), broker::name_of(by.says.grade),
      by.says.grade == broker::enforcement::group    ? ", and its process is confined to others"
      : by.says.grade == broker::enforcement::thread ? ", and its threads are moved off the context"
                                                     : "",
      with_separators(by.says.forced));
}

std::string to_words(const cosched::table_reader& visited, const std::vector<cosched::job_picture>& jobs,
                     const std::vector<cosched::context_picture>& contexts, bool quiet) {
  using align = table::align;
  std::string text;
  if (!quiet) {
    text = fmt::format("{}: {}, {}\n", one_line(visited.path()), counted(jobs.size(), "job"),
                       counted(contexts.size(), "context"));
    if (!visited.whole()) text += "The header is damaged; the next job that joins mends it, or 'callisto reset'.\n";
    text += '\n';
  }
  if (jobs.empty()) return text + "No job is running.\n";
  table of_jobs({{"job"},
                 {"pid"},
                 {"name", align::left},
                 {"weight"},
                 {"main"},
                 {"share"},
                 {"runs"},
                 {"kept"},
                 {"borrowed"},
                 {"lent"},
                 {"waits"},
                 {"state", align::left},
                 {"may run on", align::left}});
  for (const cosched::job_picture& job : jobs) {
    const cosched::holdings has = cosched::holdings_of(job.number, contexts);
    of_jobs.add_row({std::to_string(job.number), std::to_string(job.pid), shown_name(job), shown_weight(job, jobs),
                     job.main == cosched::context_assignment::no_context ? "-" : std::to_string(job.main),
                     fmt::format("{:.2f}", job.share), std::to_string(has.runs), std::to_string(has.kept),
                     std::to_string(has.borrowed), std::to_string(has.lent), std::to_string(has.waits),
                     state_of(job, has, jobs.size() == 1), machine::format_cpu_list(job.contexts)});
  }
  text += of_jobs.render() + '\n';
  table of_contexts({{"context"},
                     {"core"},
                     {"priority"},
                     {"runs"},
                     {"", align::left},
                     {"for"},
                     {"wanted by", align::left},
                     {"hand-overs"},
                     {"unanswered", align::left}});
  const std::uint64_t now = machine::shared_nanoseconds();
  const auto name = [](unsigned job) { return job == no_job ? std::string("-") : std::to_string(job); };
  for (const cosched::context_picture& c : contexts) {
    const std::vector<unsigned> wanting = members_of(c.runs == no_job ? c.wants : c.wants & ~cosched::only(c.runs));
    of_contexts.add_row(
        {std::to_string(c.context), std::to_string(c.core),
         c.turns > 1 ? fmt::format("{} of {}", name(c.priority), c.turns) : name(c.priority), name(c.runs),
         c.runs == no_job ? ""
         : c.idle         ? "idle"
         : c.asked        ? "asked"
                          : "",
         human_seconds(static_cast<double>(now - c.since) * 1e-9),
         wanting.empty() ? "-" : fmt::format("{}", fmt::join(wanting, ",")), with_separators(c.hand_overs),
         c.unanswered == 0 ? "-"
                           : fmt::format("{},{} {} ago", with_separators(c.unanswered),
                                         c.unanswered_by == no_job ? "" : " by " + name(c.unanswered_by),
                                         human_seconds(static_cast<double>(c.unanswered_for) * 1e-9))});
  }
  return text + of_contexts.render();
}

/// Returns what the broker says, or what a broker that ended has left: a socket at which no process listens.
std::optional<broker::broker_report> broker_or_its_remains() {
  if (std::optional<broker::broker_report> by = broker::ask_for_report()) return by;
  const std::string left = broker::socket_left();
  if (left.empty()) return std::nullopt;
  return broker::broker_report{.path = left, .says = {}, .answers = false};
}

/// Runs --trace: records looks at the table for some time.
void record(const status_arguments& o, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.trace, "--trace");
  result file(o.trace, "--trace");
  const std::unique_ptr<cosched::table_reader> visited = visit_table();
  if (const std::vector<broker::usage_line> its = jobs_of_broker(); !its.empty()) {
    warn(fmt::format("--trace: the timeline has jobs of the table alone, and not the broker's {}",
                     counted(its.size(), "job")));
  }
  if (visited == nullptr) {
    throw unusable_table(
        fmt::format("--trace: there is no table: no job has shared this machine yet ({})", table_places()));
  }
  look_promptly();
  progress_bar bar(o.run.progress_wanted());
  const auto whole = static_cast<std::uint64_t>(o.seconds * 1e3);
  bar.begin("recording", whole, "ms");
  sharing_timeline timeline;
  const std::uint64_t begin = machine::shared_nanoseconds();
  std::uint64_t told = 0;
  std::uint64_t passed = 0;
  for (std::optional<std::uint64_t> named; passed < whole;) {
    if (stop.stop_requested()) throw graph::cancelled();
    // Reads the contexts before the names: if a job comes between the two reads, its name is known before it is seen on
    // a context.
    const std::vector<cosched::context_picture> contexts = visited->contexts();
    const std::uint64_t seen = machine::shared_nanoseconds();
    if (const std::uint64_t generation = visited->generation(); named != generation) {
      named = generation;
      timeline.name(visited->jobs());
    }
    timeline.add(contexts, seen);
    std::this_thread::sleep_for(between_looks);
    passed = (machine::shared_nanoseconds() - begin) / 1'000'000;
    bar.advance(passed - told);
    told = passed;
  }
  bar.finish();
  file.write(timeline.to_chrome_trace());
  file.commit();
  if (o.run.as_json) {
    print(to_text({{"trace", o.trace},
                   {"seconds", o.seconds},
                   {"stretches", timeline.stretches()},
                   {"left_out", timeline.left_out()},
                   {"hand_overs", timeline.hand_overs()},
                   {"hand_overs_between_stretches", timeline.missed()}}));
  } else if (!o.run.quiet) {
    print(fmt::format("{} in {}, {} of them between stretches that were seen; timeline: {}\n",
                      counted(timeline.hand_overs(), "hand-over"), human_seconds(o.seconds),
                      with_separators(timeline.missed()), one_line(o.trace)));
  }
}

/// Runs --metrics: writes what the broker tells.
void write_metrics(const status_arguments& o) {
  if (o.run.as_json) refuse_beside_json(o.metrics, "--metrics");
  result file(o.metrics, "--metrics");
  const std::optional<broker::broker_report> by = broker::ask_for_report();
  file.write(
      to_metrics(by, by && by->answers ? broker::ask_for_usage(by->path) : std::nullopt, user_names::of_system()));
  file.commit();
  if (o.run.as_json) print(to_text({{"metrics", o.metrics}, {"answers", by && by->answers}}));
}

void run(const status_arguments& o) {
  const std::unique_ptr<cosched::table_reader> visited = visit_table();
  std::vector<cosched::job_picture> jobs;
  std::vector<cosched::context_picture> contexts;
  if (visited == nullptr) {
    if (const std::string why = why_no_table(); !why.empty()) {
      throw unusable_table(fmt::format("jobs cannot share this machine, each runs alone: {}", why));
    }
  } else {
    jobs = visited->jobs();
    contexts = visited->contexts();
  }
  const std::optional<broker::broker_report> by = broker_or_its_remains();
  const auto lists = by && by->answers ? broker::ask_for_usage(by->path) : std::nullopt;
  const user_names names = lists ? user_names::of_system() : user_names({});
  if (o.run.as_json) {
    json object = to_json(visited.get(), jobs, contexts, lists);
    if (by) object["broker"] = to_json(*by);
    if (lists) {
      object["broker"]["all_users"] = lists->all_users;
      object["broker_jobs"] = jobs_to_json(*lists, names);
      object["broker_users"] = users_to_json(*lists, names);
    }
    print(to_text(object));
  } else if (by) {
    print(to_words(*by) + (lists ? "\n" + to_words(*lists, names) : "") +
          (jobs.empty() ? "" : "\n" + to_words(*visited, jobs, contexts, o.run.quiet)) +
          (by->answers ? named(programs_without_a_slot(jobs, lists)) : std::string()));
  } else if (visited == nullptr) {
    print(fmt::format("There is no table: no job has shared this machine yet ({})\n{}", table_places(),
                      named(programs_without_a_slot(jobs, lists))));
  } else {
    print(to_words(*visited, jobs, contexts, o.run.quiet) + named(programs_without_a_slot(jobs, lists)));
  }
}

}  // namespace

command add_status(const command_parser& app) {
  const command_parser parser =
      app.add_subcommand("status", "Show the jobs that share the machine, and where they run");
  const auto o = std::make_shared<status_arguments>();
  o->run.add_reporting_to(parser);
  add_trace(parser, o->trace, "Write a timeline of where jobs run into FILE, for ui.perfetto.dev");
  const command_option seconds = add_parsed(
      parser, "--seconds", "S",
      [o](const std::string& text) { o->seconds = parse_real("--seconds", text, {.low = 0.1, .high = 86400}); },
      "For so long [10]");
  seconds.needs("--trace");
  parser
      .add_option("--metrics", o->metrics,
                  "Write what the broker tells of jobs and users into FILE, in Prometheus' text format")
      .type_name("FILE");
  parser.more("A job is `ended` if it has died and no other job has noticed yet.");
  parser.footer(
      "Looks at the table without being a job. Of each job: its share (contexts on which it has high priority, parts\n"
      "where there are turns), on how many it runs, how many it keeps without work or has borrowed, how many of its\n"
      "own others have at the moment, and for how many it waits. A job that is 'silent' has lost a context since it\n"
      "did not answer when asked to make room; a 'stopped' one does not cooperate either. A 'light' job uses far less "
      "than\n"
      "its share, and one with 'outsiders' competes with programs that are no jobs: both run as if they did not share. "
      "Of each\ncontext: which "
      "job has high priority (of how many, where they take turns), which runs and for how long, which others want it, "
      "how often it\n"
      "changed hands, and how often it was taken from a job that did not answer.\n\n"
      "--trace looks at the contexts 2,000 times a second: when a job got a context is exact to a microsecond, and so "
      "is\n"
      "the number of hand-overs, but what begins and ends between two looks is not in the picture.\n\n"
      "Under a broker it lists the jobs of the users that the policy lets you see: the contexts that each has, the\n"
      "context time that it had since it joined, of that the time on contexts where another job had high priority\n"
      "(borrowed), the time of its own priority that others had (lent), and how often a context was taken since the\n"
      "job did not answer (forced).\n\n"
      "Examples:\n"
      "  callisto status\n"
      "  callisto status --json | jq '.jobs[] | select(.cooperates | not) | .pid'\n"
      "  callisto status --trace sharing.json --seconds 5\n"
      "  callisto status --metrics /var/lib/prometheus/node-exporter/callisto.prom");
  return {parser, [o](const std::stop_token& stop) {
            if (!o->metrics.empty()) {
              write_metrics(*o);
            } else if (o->trace.empty()) {
              run(*o);
            } else {
              record(*o, stop);
            }
          }};
}

}  // namespace callisto::app

// callisto set: changes the weight of a job that runs.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/jobs/broker_listing.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace callisto::app {
namespace {

using namespace std::chrono_literals;

struct set_arguments {
  std::string job;
  std::optional<unsigned> weight;
};

/// Returns the living job that the user means by a number: below 64 the job's own, else its process's.
std::optional<cosched::job_picture> find(cosched::table_reader& table, std::uint64_t number) {
  for (cosched::job_picture& job : table.jobs()) {
    if (job.alive && (number < cosched::max_jobs ? job.number == number : job.pid == number)) return std::move(job);
  }
  return std::nullopt;
}

/// Refuses a number under which 'callisto status' shows a job of a broker: a user may mean that one. The
/// weight of a broker's job cannot be changed.
void refuse_job_of_broker(std::uint64_t number, const std::optional<cosched::job_picture>& of_table) {
  for (const broker::usage_line& its : jobs_of_broker()) {
    if (number < cosched::max_jobs ? its.number != number : its.process != number) continue;
    const std::string other = of_table ? fmt::format("; of the table's job {} ({}): name it by its process, {}",
                                                     of_table->number, shown_name(*of_table), of_table->pid)
                                       : std::string();
    throw usage_error(
        fmt::format("JOB: {} is job {} ({}, process {}) of the broker, which keeps the weight that its "
                    "program began with{}",
                    number, its.number, shown_name(its), its.process, other));
  }
}

void run(const set_arguments& o, const std::stop_token& stop) {
  const std::uint64_t number = parse_count("JOB", o.job, 0);
  if (!o.weight) throw usage_error("--weight: expected, as there is nothing else to set");
  const auto none = [&] {
    return usage_error(fmt::format("JOB: expected a job that 'callisto status' shows, found '{}'", number));
  };
  const auto table = visit_table();
  const std::optional<cosched::job_picture> job = table == nullptr ? std::nullopt : find(*table, number);
  refuse_job_of_broker(number, job);
  if (!job) throw none();
  std::string refusal;
  const std::optional<bool> asked = cosched::wish_weight(machine::shared_folders(), job->number, *o.weight, refusal);
  if (!asked) refuse_unusable_table(refusal);
  if (!asked || !*asked) throw none();
  // A job that runs or waits takes the weight within P_high, 100 ms.
  for (int i = 0; i < 100; ++i) {
    const std::optional<cosched::job_picture> now = find(*table, job->number);
    if (!now || now->pid != job->pid) throw none();
    if (now->weight == *o.weight) {
      print(fmt::format("job {} ({}) has weight {}\n", job->number, shown_name(*job), *o.weight));
      return;
    }
    std::this_thread::sleep_for(5ms);
    if (stop.stop_requested()) return;
  }
  print(fmt::format("job {} ({}) has weight {} from its next loop on\n", job->number, shown_name(*job), *o.weight));
}

}  // namespace

command add_set(const command_parser& app) {
  const command_parser parser = app.add_subcommand("set", "Change the weight of a job that runs");
  const auto o = std::make_shared<set_arguments>();
  parser.add_option("JOB", o->job, "The job's number in 'callisto status'; from 64 on, its process number").required();
  add_parsed(
      parser, "--weight", "W",
      [o](const std::string& text) {
        o->weight = static_cast<unsigned>(parse_count("--weight", text, 1, cosched::max_weight));
      },
      fmt::format("Its share relative to other jobs', 1 to {}", cosched::max_weight));
  parser.footer(
      "The weight takes the place of what CALLISTO_WEIGHT or the process's priority say, until the job ends or "
      "another\n"
      "is set. A job that runs no loop takes it with its next one. A broker's job keeps the weight that it began "
      "with.\n\n"
      "Examples:\n"
      "  callisto set 3 --weight 5\n"
      "  callisto set $(pgrep simulation) --weight 2");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app

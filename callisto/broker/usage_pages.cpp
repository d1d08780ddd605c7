// Fills pages.
#include <callisto/broker/usage_pages.hpp>

#include <map>

namespace callisto::broker {
namespace {

void add(usage_line& to, const usage& more) {
  to.had += more.had;
  to.borrowed += more.borrowed;
  to.lent += more.lent;
  to.forced += more.forced;
}

usage_line line_of(const listed_job& job, const arbiter& of) {
  usage_line l{.account = job.account, .number = job.number, .process = static_cast<std::uint32_t>(job.process)};
  add(l, of.had_by(job.number));
  l.contexts = of.held_by(job.number);
  l.weight = job.facts.weight;
  l.name = job.facts.name;
  return l;
}

/// Returns a line for each account that has or had a job.
std::map<std::uint64_t, usage_line> lines_of_users(const arbiter& of, const std::vector<listed_job>& jobs) {
  std::map<std::uint64_t, usage_line> all;
  for (const auto& [account, had] : of.had_before()) add(all[account], had);
  for (const listed_job& j : jobs) {
    usage_line& its = all[j.account];
    add(its, of.had_by(j.number));
    its.contexts += of.held_by(j.number);
    ++its.number;
  }
  for (auto& [account, its] : all) {
    its.account = account;
    its.debt = of.debt_of(account);
  }
  return all;
}

/// Adds a line. False: the page is full, and the next page begins with `key`.
bool put(usage_page& page, std::uint64_t key, const usage_line& l) {
  if (page.count == usage_page::most_lines) {
    page.next = key;
    return false;
  }
  page.lines[page.count++] = l;
  return true;
}

}  // namespace

usage_page answer_to(const ask_usage& asked, const arbiter& of, const std::vector<listed_job>& jobs,
                     std::optional<std::uint64_t> only, const std::function<unsigned(std::uint64_t)>& weight_of) {
  usage_page page{.what = asked.what, .all_users = only ? 0u : 1u};
  const auto listed = [&](std::uint64_t key, std::uint64_t account) {
    return key >= asked.from && (!only || account == *only);
  };
  if (asked.what == usage_of::jobs) {
    for (const listed_job& j : jobs) {
      if (listed(j.number, j.account) && !put(page, j.number, line_of(j, of))) break;
    }
    return page;
  }
  for (auto& [account, l] : lines_of_users(of, jobs)) {
    if (!listed(account, account)) continue;
    if (!put(page, account, l)) break;
    page.lines[page.count - 1].weight = weight_of(account);
  }
  return page;
}

}  // namespace callisto::broker

// Reads the table's words, and reaps ended jobs that no job has reaped.
#include <callisto/cosched/table_reader.hpp>

#include <callisto/cosched/current_assignment.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include <sys/stat.h>

namespace callisto::cosched {
namespace {

using machine::shared_file;

constexpr std::uint64_t recently = 10'000'000'000;

/// Opens the first file in `folders` that can be opened; `refusal` gets the reasons for files that cannot.
std::optional<shared_file> open_first(const std::vector<std::string>& folders, shared_file::access how,
                                      std::string& refusal) {
  refusal.clear();
  const auto refuse = [&](const error& e) { refusal.append(refusal.empty() ? "" : "; ").append(e.what()); };
  std::string name;
  try {
    name = table_name();
  } catch (const error& e) {
    refuse(e);
    return std::nullopt;
  }
  for (const std::string& folder : folders) {
    const std::string path = std::string(folder).append("/").append(name);
    // A dangling link keeps jobs from this folder, too.
    struct stat is{};
    if (::lstat(path.c_str(), &is) != 0) continue;
    try {
      return shared_file(path, sizeof(shared_table), how);
    } catch (const error& e) {
      refuse(e);
    }
  }
  return std::nullopt;
}

/// Returns text for people. A damaged table has any bytes there, and the kernel cuts long names anywhere. A byte
/// outside printable ASCII becomes a question mark.
std::string name_of(const job_record& r) {
  std::array<char, sizeof r.name> text{};
  std::memcpy(text.data(), r.name.data(), sizeof r.name);
  std::string name(text.begin(), std::find(text.begin(), text.end(), '\0'));
  std::replace_if(name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

/// Returns the first argument of the program that the kernel calls `name`; empty if the program was not called by that
/// name (a script, which an interpreter runs).
std::string argument_of(pid_t pid, const std::string& name) {
  constexpr std::size_t most = 4096;  // an option more may be anywhere in a long line
  std::string line(most, '\0');
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  file.read(line.data(), static_cast<std::streamsize>(most));
  line.resize(static_cast<std::size_t>(file.gcount()));
  std::istringstream rest(line);
  const auto next = [&rest] {
    std::string word;
    std::getline(rest, word, '\0');
    return word.substr(word.find_last_of('/') + 1);
  };
  if (name.empty() || next().compare(0, name.size(), name) != 0) return {};
  std::string word = next();
  while (word.starts_with('-')) word = next();
  return word;
}

/// The World of reap() (context_entry.hpp).
struct reaper {
  std::uint64_t now() const noexcept { return machine::shared_nanoseconds(); }
  void unpark(machine::native::atomic<std::uint64_t>& word, job_set jobs) const noexcept {
    machine::unpark_shared(word, futex_groups_of(jobs));
  }
};

/// True if a job stays in slot `j`. An ended job is reaped. A job that reaps holds the slot's lock, too, for a moment;
/// the slot's record tells the two jobs apart. Where random bytes say nothing, the answer waits until `end`: a living
/// job writes its slot anew when it looks, so only one that is stopped or sleeps keeps a slot locked and damaged that
/// long.
bool stays(shared_table& shared, const shared_file& file, reaper& world, unsigned j,
           std::chrono::steady_clock::time_point end) {
  while (!shared.gone(file, world, j)) {
    const std::optional<job_record> r = shared.record_of(j);
    if (r && r->pid <= max_pid) {
      const machine::process_view process = machine::look_at_process(static_cast<pid_t>(r->pid));
      if (process.state != 0 && process.start == r->start) return true;
    }
    if (std::chrono::steady_clock::now() > end) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

holdings holdings_of(unsigned job, const std::vector<context_picture>& contexts) {
  holdings h;
  for (const context_picture& c : contexts) {
    if (c.runs == job) {
      ++(c.idle ? h.kept : h.runs);
      if (c.priority != job && c.priority != no_job) ++h.borrowed;
    } else {
      if (c.priority == job && c.runs != no_job) ++h.lent;
      if ((c.wants & only(job)) != 0) ++h.waits;
    }
    if (c.unanswered_by == job && c.unanswered_for < recently) h.silent = true;
  }
  return h;
}

struct table_reader::impl {
  explicit impl(shared_file f) : file(std::move(f)) {
    // All bit patterns are valid words of the table, and are only loaded.
    shared = reinterpret_cast<const shared_table*>(file.data());
    auto cores = shared->cores();
    // The first job may be writing it, which takes less than a millisecond.
    for (int attempt = 0; !cores && attempt < 20; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      cores = shared->cores();
    }
    whole = cores.has_value();
    current = current_assignment(cores ? *std::move(cores) : cores_of_host());
  }

  shared_file file;
  const shared_table* shared;
  bool whole;
  current_assignment current;
};

table_reader::table_reader(std::unique_ptr<impl> in) noexcept : in_(std::move(in)) {}
table_reader::~table_reader() = default;

std::unique_ptr<table_reader> table_reader::visit(const std::vector<std::string>& folders, std::string& refusal) {
  std::optional<shared_file> file = open_first(folders, shared_file::access::read, refusal);
  if (!file) return nullptr;
  return std::unique_ptr<table_reader>(new table_reader(std::make_unique<impl>(*std::move(file))));
}

const std::string& table_reader::path() const noexcept { return in_->file.path(); }
bool table_reader::whole() const noexcept { return in_->whole; }
bool table_reader::in_place() const noexcept { return in_->file.in_place(); }

std::uint64_t table_reader::generation() const noexcept { return in_->shared->generation(); }

std::vector<job_picture> table_reader::jobs() {
  const std::shared_ptr<const context_assignment> d = in_->current.of(*in_->shared);
  std::vector<job_picture> all;
  for (unsigned j = 0; j < max_jobs; ++j) {
    const std::optional<job_record> r = in_->shared->record_of(j);
    if (!r) continue;
    job_picture p;
    p.number = j;
    p.name = name_of(*r);
    p.weight = valid_weight(r->weight);
    p.priority = valid_priority(r->priority);
    p.aside = in_->shared->aside_of(j);
    for (unsigned c = 0; c < max_contexts; ++c) {
      // Of a damaged slot, only contexts that exist.
      if (r->contexts.has(c) && in_->current.cores()[c] != no_core) p.contexts.push_back(c);
      p.share += d->high[c].share_of(j);
    }
    p.main = d->main[j];
    p.alive = in_->file.locked_by_another(shared_table::lock_of(j));
    if (r->pid <= max_pid) {
      p.pid = r->pid;
      const auto pid = static_cast<pid_t>(r->pid);
      const machine::process_view seen = machine::look_at_process(pid);
      // Not the account of a later process of the same number.
      if (seen.start == r->start) {
        p.state = seen.state;
        p.argument = argument_of(pid, p.name);
        p.processor_time = machine::processor_time_of(pid);
      }
    }
    all.push_back(std::move(p));
  }
  return all;
}

std::vector<context_picture> table_reader::contexts() {
  const std::shared_ptr<const context_assignment> d = in_->current.of(*in_->shared);
  const std::vector<unsigned>& core_of = in_->current.cores();
  job_set there = 0;  // a request may outlive its job
  for (unsigned j = 0; j < max_jobs; ++j) {
    if (in_->shared->record_of(j)) there |= only(j);
  }
  std::vector<context_picture> all;
  for (unsigned c = 0; c < max_contexts; ++c) {
    if (core_of[c] == no_core) continue;
    const context_entry<machine::native>& entry = in_->shared->at(c);
    const context_state s = entry.state();
    const missed_answers missed = entry.unanswered();
    const std::uint64_t now = machine::shared_nanoseconds();
    all.push_back({.context = c,
                   .core = core_of[c],
                   .priority = d->high[c].holder(now),
                   .turns = static_cast<unsigned>(d->high[c].size()),
                   .runs = s.runs,
                   .idle = s.idle,
                   .asked = s.asked,
                   .since = now - s.elapsed(now),
                   .hand_overs = s.grants,
                   .wants = entry.wants() & there,
                   .unanswered = missed.times,
                   .unanswered_by = missed.last,
                   .unanswered_for = missed.elapsed(now)});
  }
  return all;
}

std::optional<bool> wish_weight(const std::vector<std::string>& folders, unsigned job, unsigned weight,
                                std::string& refusal) {
  if (weight != valid_weight(weight)) {
    throw usage_error("a weight of " + std::to_string(weight) + ": expected 1 to " + std::to_string(max_weight));
  }
  const std::optional<shared_file> file = open_first(folders, shared_file::access::write, refusal);
  if (!file) return std::nullopt;
  auto* const shared = reinterpret_cast<shared_table*>(file->data());
  if (job >= max_jobs || !file->locked_by_another(shared_table::lock_of(job))) return false;
  shared->wish_weight(job, weight);
  return true;
}

std::optional<cleared> reset(const std::vector<std::string>& folders, std::string& refusal) {
  const std::optional<shared_file> file = open_first(folders, shared_file::access::write, refusal);
  if (!file) return std::nullopt;
  auto* const shared = reinterpret_cast<shared_table*>(file->data());
  reaper world;
  cleared done{.path = file->path(), .stands = {}};
  if (!shared->cores()) {
    if (file->try_lock(shared_table::header_lock)) {
      if (!shared->cores()) shared->make_header(cores_of_host());
      done.header = true;
      file->unlock(shared_table::header_lock);
    } else {
      done.stands = "another process holds the header's lock";
    }
  }
  const std::vector<unsigned> core_of = shared->cores().value_or(cores_of_host());
  // Living jobs look, and write anew what is damaged.
  shared->changed();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (unsigned j = 0; j < max_jobs; ++j) {
    // Before the job is reaped, and only its own contexts: contexts of living jobs come and go.
    unsigned held = 0;
    for (unsigned c = 0; c < max_contexts; ++c)
      held += core_of[c] != no_core && shared->at(c).state().runs == j ? 1 : 0;
    const bool used = shared->record_of(j).has_value();
    if (stays(*shared, *file, world, j, end)) {
      ++done.living;
    } else {
      done.reaped += used ? 1 : 0;
      done.freed += held;
    }
  }
  for (unsigned c = 0; c < max_contexts; ++c) shared->at(c).forget_unanswered();
  shared->changed();
  return done;
}

}  // namespace callisto::cosched

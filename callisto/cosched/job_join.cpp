// How a process joins the table, and how it recovers from what it finds there:
//
// 1. A folder that another user has taken, or that cannot be used: goes on to the next one, and says so once.
// 2. A header that is missing or damaged: writes it (find_header()).
// 3. A job that stopped while it wrote the header: does not wait for it.
// 4. A full table: goes on to the next folder (take_slot()).
// 5. Jobs that died: frees their slots (bury_the_dead()).
#include <callisto/cosched/job_state.hpp>
#include <callisto/cosched/run_message.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/one_line.hpp>
#include <callisto/machine/system/process_name.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include <unistd.h>

namespace callisto::cosched {
namespace {

using machine::native;
using machine::order;
using machine::shared_file;

job_record record_for(const membership& how) {
  job_record r;
  r.pid = static_cast<std::uint64_t>(getpid());
  r.start = machine::look_at_process(getpid()).start;
  r.weight = std::clamp(how.weight, 1u, max_weight);
  r.main = how.main && *how.main < max_contexts ? *how.main + 1 : 0;
  r.contexts = set_of(how.contexts);
  const std::array<char, 16> name = machine::process_name();
  static_assert(sizeof name == sizeof r.name);
  std::memcpy(r.name.data(), name.data(), sizeof r.name);
  return r;
}

/// Says on standard error, once a process, that another user has made a file where this user's jobs look for theirs.
void tell_of_foreign_file(const std::string& which, const std::string& instead) {
  static native::atomic<unsigned> told{0};
  // relaxed: it only elects one caller.
  if (told.exchange(1, order::relaxed) != 0) return;
  std::fprintf(stderr, "callisto: %s\n", machine::one_line(which + "; " + instead).c_str());
}

/// Why the folders were refused.
class refusals {
 public:
  explicit refusals(std::string& text) : text_(text) { text_.clear(); }
  void add(const std::string& why) { text_ += (text_.empty() ? "" : "; ") + why; }
  /// Another user has made the file.
  void add_foreign(const std::string& why) {
    foreign_ = why;
    add(why);
  }
  bool empty() const noexcept { return text_.empty(); }
  void forget() noexcept { text_.clear(); }
  /// Says on standard error what another user has made, if there was any.
  void tell_foreign(const std::string& instead) const {
    if (!foreign_.empty()) tell_of_foreign_file(foreign_, instead);
  }

 private:
  std::string& text_;
  std::string foreign_;
};

/// Opens the table in this folder; none: it cannot be used.
std::optional<shared_file> open_table(const std::string& folder, refusals& why) {
  try {
    return shared_file(folder + "/" + table_name(), sizeof(shared_table), shared_file::access::create);
  } catch (const machine::foreign_file& e) {
    why.add_foreign(e.what());
  } catch (const error& e) {
    why.add(e.what());
  }
  return std::nullopt;
}

}  // namespace

std::string table_name() { return "callisto-" + std::to_string(table_version) + "-" + machine::shared_world(); }

std::optional<std::vector<unsigned>> job::impl::find_header(bool& repairs) {
  // A job that makes or repairs the header needs less than a millisecond. This one does not wait for a job that stands
  // still.
  std::optional<std::vector<unsigned>> cores = shared->cores();
  for (int attempt = 0; !cores && attempt < 100; ++attempt) {
    if (file->try_lock(shared_table::header_lock)) {
      cores = shared->cores();
      if (!cores) {
        shared->make_header(cores_of_host());
        cores = shared->cores();
        repairs = true;
      }
      file->unlock(shared_table::header_lock);
    } else {
      pause_for(millisecond);
      cores = shared->cores();
    }
  }
  return cores;
}

bool job::impl::take_slot(const membership& how) {
  mine = record_for(how);
  if (how.follows_priority) mine.priority = priority();
  const std::optional<unsigned> slot = shared->join(*file, *this, mine);
  if (!slot) return false;
  number = *slot;
  for (unsigned c = 0; c < max_contexts; ++c) {
    if (owners.cores()[c] != no_core) shared->at(c).clear_blame(number);
  }
  return true;
}

void job::impl::bury_the_dead(bool header_was_repaired) {
  if (header_was_repaired) return shared->reap_the_dead(*file, *this, number);
  for (unsigned j = 0; j < max_jobs; ++j) {
    if (j != number && shared->record_of(j)) gone(j);
  }
}

void job::impl::request_for_main() {
  const std::shared_ptr<const context_assignment> now = divided();
  const unsigned main = now->main[number];
  if (main == context_assignment::no_context || now->jobs <= 1) return;
  requested.store(main, order::relaxed);  // relaxed: no other thread knows this yet
  shared->at(main).request_for(number);
}

std::unique_ptr<job> job::impl::join_broker(const membership& how, std::string& refusal) {
  membership at_broker = how;
  auto in = std::make_unique<impl>(std::nullopt, how);
  in->mine = record_for(how);
  if (how.follows_priority) in->mine.priority = in->priority();
  at_broker.weight = valid_weight(in->mine.weight) * valid_priority(in->mine.priority);
  std::unique_ptr<broker_link> link = how.broker(at_broker, refusal);
  if (link == nullptr) return nullptr;
  in->use_broker(std::move(link));
  std::unique_ptr<job> joined(new job(std::move(in)));
  tell_run_of_job();
  return joined;
}

std::unique_ptr<job> job::join(const membership& how, const std::vector<std::string>& folders, std::string& refusal) {
  refusals why(refusal);
  if (std::any_of(how.contexts.begin(), how.contexts.end(), [](unsigned c) { return c >= max_contexts; })) {
    why.add("CPUs numbered above " + std::to_string(max_contexts - 1) + " cannot be shared");
    return nullptr;
  }
  if (how.broker != nullptr) {
    std::unique_ptr<job> joined = impl::join_broker(how, refusal);
    // A broker that refuses the job has the other jobs: in a table it would meet none of them.
    if (joined == nullptr && !refusal.empty()) tell_run_of_job(refusal);
    if (joined != nullptr || !refusal.empty()) return joined;
  }
  for (const std::string& folder : folders) {
    std::optional<shared_file> file = open_table(folder, why);
    if (!file) continue;
    auto in = std::make_unique<impl>(*std::move(file), how);
    bool repairs = false;
    std::optional<std::vector<unsigned>> cores = in->find_header(repairs);
    // Another process may have been stopped while it wrote the header; the header says what this machine says, too.
    in->owners.reset(cores ? *std::move(cores) : cores_of_host());
    if (!in->take_slot(how)) {
      why.add(in->file->path() + ": has room for " + std::to_string(max_jobs) + " jobs, and as many are running");
      continue;
    }
    in->bury_the_dead(repairs);
    in->looked_at.store(in->now(), order::relaxed);  // relaxed: only paces look_after()
    // A job that may step aside begins so, and takes no context yet.
    if (!how.may_step_aside) in->request_for_main();
    why.forget();
    std::unique_ptr<job> joined(new job(std::move(in)));
    joined->wake_watchers();
    tell_run_of_job();
    why.tell_foreign("jobs meet in " + joined->path());
    return joined;
  }
  why.tell_foreign("the machine is shared with no other job");
  if (why.empty()) why.add("no folder for the table");
  return nullptr;
}

}  // namespace callisto::cosched

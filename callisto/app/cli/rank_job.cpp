#include <callisto/app/cli/rank_job.hpp>

#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/program_name.hpp>
#include <callisto/app/cli/signals.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/one_line.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <utility>

namespace callisto::app {

namespace {

// Only the thread that runs the command writes them, before it starts threads.
int ranks_of_job = 1;
bool is_first = true;
std::shared_ptr<graph::partners> partners_of_job;

}  // namespace

rank_job::rank_job() {
  global::session_options how = global::session_options::from_environment();
  const unsigned wanted = how.threads;
  how.threads = 1;  // main's: kernels run on the threads of loops
  session_ = std::make_unique<global::session>(0, nullptr, how);
  ranks_of_job = session_->ranks();
  if (ranks_of_job == 1) {
    throw usage_error(
        "a launcher started several processes of this command, which do not find each other: the launcher is of "
        "another MPI than theirs");
  }
  is_first = session_->rank() == 0;
  set_threads(wanted != 0 ? wanted : session_->contexts());
  // The launcher ends ranks by signals, and tells why, or the rank that failed does.
  silence_interruption();
  if (!is_first) silence_all_notes();
}

rank_job::~rank_job() {
  partners_of_job.reset();
  session_.reset();
}

void rank_job::fail(const std::string& text, int code) {
  const std::string line = is_first ? std::string(program_name()) + ": " + machine::one_line(text)
                                    : session_->name() + ": " + machine::one_line(text);
  session_->end_job(line, code);
}

int rank_job::ranks() noexcept { return ranks_of_job; }
bool rank_job::tells() noexcept { return is_first; }
graph::partners* rank_job::among() noexcept { return partners_of_job.get(); }
void rank_job::set_among(std::shared_ptr<graph::partners> those) { partners_of_job = std::move(those); }

}  // namespace callisto::app

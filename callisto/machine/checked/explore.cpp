// The loop over executions, and the writing of replay strings.
#include <callisto/machine/checked/decisions.hpp>
#include <callisto/machine/checked/execution.hpp>
#include <callisto/machine/checked/explore.hpp>
#include <callisto/machine/system/sanitizers.hpp>

#include <signal.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#if defined(CALLISTO_UNDER_ASAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace callisto::machine::checking {
namespace {

/// Ends the execution, not the process, if an exception leaves a noexcept function.
[[noreturn]] void on_terminate() {
  if (running()) detail::current->fail(kind::exception, "std::terminate: an exception left a noexcept function");
  std::fputs("terminate called outside of an execution\n", stderr);
  std::abort();
}

/// Does so if a thread follows a pointer to nowhere: with a lowered order it may read one that is not set yet. The
/// thread's stack, which the signal came to, is left behind as in every failure.
extern "C" void on_bad_access(int signal) {
  if (running()) detail::current->fail(kind::use_after_lifetime, "an access to memory that does not exist");
  std::signal(signal, SIG_DFL);  // the access is repeated, and ends the process
}

/// The handlers and the leak checker's state while executions run.
class surroundings {
 public:
  surroundings() noexcept : before_(std::set_terminate(on_terminate)) {
    struct sigaction bad_access = {};
    bad_access.sa_handler = on_bad_access;
    bad_access.sa_flags = SA_NODEFER;  // the handler does not return, and another execution may fail so, too
    sigaction(SIGSEGV, &bad_access, &bad_access_before_);
#if defined(CALLISTO_UNDER_ASAN)
    __lsan_disable();  // executions that are cut short leak what their threads own
#endif
  }
  ~surroundings() {
#if defined(CALLISTO_UNDER_ASAN)
    __lsan_enable();
#endif
    sigaction(SIGSEGV, &bad_access_before_, nullptr);
    std::set_terminate(before_);
  }
  surroundings(const surroundings&) = delete;

 private:
  std::terminate_handler before_;
  struct sigaction bad_access_before_ = {};
};

std::string text_of(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end < numbers.size() && numbers[end] == numbers[i]) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[i]);
    if (end - i > 1) text += '*' + std::to_string(end - i);
    i = end;
  }
  return text;
}

/// Replays the failing execution with a trace and returns its failure.
failure retell(const program& p, const options& o, const contended_set& contended, const execution& found,
               const std::vector<unsigned>& taken) {
  failure f;
  f.what = found.failed_as();
  f.message = found.message();
  f.replay = contended.text() + ';' + text_of(taken);
  options again = o;
  again.how = strategy::replay;
  again.replay = text_of(taken);
  decisions d(again);
  execution e(p, again);
  e.contended = contended;
  e.run(d, true);
  f.trace = e.trace();
  f.trace += e.how() == execution::outcome::failed && e.failed_as() == f.what
                 ? std::string(name_of(f.what)) + ": " + e.message() + '\n'
                 : "(not the same when replayed: the subject depends on something that the checker does not see)\n";
  return f;
}

}  // namespace

result explore(const program& p, const options& given) {
  if (p.threads == 0 || p.threads > max_threads) throw std::invalid_argument("a subject has 1 to 15 threads");
  options o = given;
  result r;
  contended_set contended;
  if (o.how == strategy::replay) {
    const std::size_t split = o.replay.find(';');
    try {
      if (split == std::string::npos) throw std::invalid_argument("no ';'");
      contended = contended_set::parse(o.replay.substr(0, split));
      o.replay.erase(0, split + 1);
      decisions check(o);
    } catch (const std::exception&) {
      r.failure = failure{kind::misuse, "not a replay string: " + given.replay, "", ""};
      return r;
    }
  }

  const surroundings here;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  decisions d(o);
  execution e(p, o);
  e.contended = contended;
  const bool exhausts = o.how == strategy::exhaustive || o.how == strategy::preemptions;
  bool more = true;
  while (more && !r.failure && r.executions < o.max_executions &&
         (r.executions % 64 != 0 || seconds() < o.max_seconds)) {
    e.run(d, false);
    ++r.executions;
    r.steps += e.steps();
    if (e.how() == execution::outcome::failed) {
      r.failure = retell(p, o, e.contended, e, d.taken());
      break;
    }
    if (e.how() == execution::outcome::completed) {
      ++r.completed;
      if (e.was_made_fair()) ++r.bounded;
      if (e.was_suspended()) ++r.suspended;
    }
    if (e.met_new_contention()) {
      e.adopt_new_contention();
      if (exhausts) {
        // The executions explored before lack scheduling points.
        d.clear();
        r.completed = r.bounded = r.suspended = 0;
        e.blocked.clear();
        continue;
      }
    }
    more = d.next(e.steps());
  }
  r.exhausted = exhausts && !more && !r.failure && r.bounded == 0;
  r.states = d.states();
  r.sites = e.sites.all();
  r.blocked = e.blocked;
  r.seconds = seconds();
  return r;
}

}  // namespace callisto::machine::checking

#include "rank_main.hpp"

#include <callisto/callisto.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/session/uncaught.hpp>
#include <callisto/machine/host/launcher.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/one_line.hpp>

#include <chrono>
#include <new>

#include <unistd.h>

namespace callisto::python {

namespace {

using namespace std::chrono_literals;

constexpr auto watch_period = 50ms;
constexpr int interrupted = 130;

rank_main* of_process = nullptr;  // guarded by the GIL

std::string words_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc& e) {
    const std::string words = e.what();
    return words == "std::bad_alloc" ? "cannot allocate memory" : words;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of a type that is no std::exception";
  }
}

}  // namespace

rank_main& rank_main::join() {
  if (of_process == nullptr) of_process = new rank_main;
  return here();
}

rank_main& rank_main::here() {
  if (of_process == nullptr) throw usage_error("this process has joined no job: import callisto_graph.cluster first");
  if (of_process->process_ != getpid()) throw usage_error("a process that a rank has forked is no rank");
  if (of_process->ended_) throw usage_error("the job of ranks has ended in this process");
  return *of_process;
}

rank_main::rank_main() : process_(getpid()), thread_([this] { serve(); }) {
  const auto join_job = [this] {
    global::session_options how = global::session_options::from_environment();
    const unsigned wanted = how.threads;
    how.threads = 1;  // main's: kernels run on the threads of loops
    auto made = std::make_unique<global::session>(0, nullptr, how);
    const machine::launched_process launched = machine::launcher_of_process();
    if (made->ranks() == 1 && launched.ranks > 1) {
      throw usage_error("a launcher started " + std::to_string(launched.ranks) +
                        " processes of this program, which do not find each other: the launcher is of another MPI "
                        "than theirs");
    }
    rank_ = made->rank();
    ranks_ = made->ranks();
    name_ = made->name();
    if (ranks_ > 1) set_threads(wanted != 0 ? wanted : made->contexts());
    session_ = std::move(made);
  };
  try {
    call(join_job, throwers::all_or_job);
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
    throw;
  }
}

void rank_main::leave() {
  if (of_process == nullptr || of_process->process_ != getpid() || of_process->ended_) return;
  rank_main& self = *of_process;
  self.call([&self] { self.session_.reset(); }, throwers::job);
  {
    const std::lock_guard lock(self.mutex_);
    self.ended_ = true;
  }
  self.changed_.notify_all();
  self.thread_.join();
}

void rank_main::end_job(const std::string& text, int status) {
  call([&] { fail(text, status); }, throwers::all_or_job);
}

void rank_main::fail(const std::string& text, int status) {
  session_->end_job((rank_ == 0 ? "callisto" : name_) + ": " + machine::one_line(text), status);
}

void rank_main::call(const std::function<void()>& operation, throwers which) {
  const std::function<void()> work = [&] {
    try {
      operation();
    } catch (...) {
      const std::exception_ptr thrown = std::current_exception();
      bool by_all = false;
      try {
        std::rethrow_exception(thrown);
      } catch (const usage_error&) {
        by_all = which == throwers::all_or_job;
      } catch (...) {
        by_all = false;
      }
      // The other ranks wait in the operation: they cannot go on, and neither can this one.
      if (!by_all && session_ != nullptr && ranks_ > 1) fail(words_of(thrown), global::exit_code_of(thrown));
      throw;
    }
  };
  std::exception_ptr python;  // what a signal handler raised
  {
    const nb::gil_scoped_release released;
    const std::lock_guard one(calls_);
    std::unique_lock lock(mutex_);
    work_ = &work;
    thrown_ = nullptr;
    changed_.notify_all();
    while (!changed_.wait_for(lock, watch_period, [this] { return work_ == nullptr; })) {
      lock.unlock();
      {
        const nb::gil_scoped_acquire held;
        if (python == nullptr && PyErr_CheckSignals() != 0) {
          if (ranks_ > 1) {
            // One rank cannot stop an operation of all, and the thread is in it.
            const std::string line = name_ + ": interrupted in an operation of all ranks\n";
            _exit(write(STDERR_FILENO, line.data(), line.size()) < 0 ? 1 : interrupted);
          }
          try {
            nb::raise_python_error();
          } catch (...) {
            python = std::current_exception();
          }
        }
      }
      lock.lock();
    }
    if (python == nullptr) python = std::exchange(thrown_, nullptr);
  }
  if (python != nullptr) std::rethrow_exception(python);
}

void rank_main::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return work_ != nullptr || ended_; });
    if (work_ == nullptr) return;
    const std::function<void()>& work = *work_;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace callisto::python

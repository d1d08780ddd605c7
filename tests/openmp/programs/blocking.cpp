// Threads of a region that block for each other in the system, by all that C and C++ have for it, while there are more
// of them than contexts. Nothing here depends on time: the waits are counted, and each round needs every thread.
#include "check.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <vector>

#include <linux/futex.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// What one thread hands to the next: pass() lets the next thread go on, await() waits for the thread before.
class baton {
 public:
  virtual ~baton() = default;
  virtual void pass() = 0;
  virtual void await() = 0;
};

class by_semaphore final : public baton {
 public:
  by_semaphore() { sem_init(&on_, 0, 0); }
  void pass() override { sem_post(&on_); }
  void await() override {
    while (sem_wait(&on_) != 0) check(errno == EINTR, "sem_wait");
  }

 private:
  sem_t on_{};
};

class by_cpp_semaphore final : public baton {
 public:
  void pass() override { on_.release(); }
  void await() override { on_.acquire(); }

 private:
  std::counting_semaphore<> on_{0};
};

/// `Limited`: waits with a limit, which the C library does by another system call.
template <bool Limited>
class by_condition final : public baton {
 public:
  void pass() override {
    {
      const std::scoped_lock held(mutex_);
      ++there_;
    }
    changed_.notify_one();
  }
  void await() override {
    std::unique_lock held(mutex_);
    const auto is_there = [this] { return there_ > 0; };
    if constexpr (Limited) {
      check(changed_.wait_for(held, std::chrono::hours(1), is_there), "a wait with a limit");
    } else {
      changed_.wait(held, is_there);
    }
    --there_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int there_ = 0;
};

class by_atomic final : public baton {
 public:
  void pass() override {
    ++passed_;
    passed_.notify_one();
  }
  void await() override {
    for (unsigned seen = passed_; seen == awaited_; seen = passed_) passed_.wait(seen);
    ++awaited_;
  }

 private:
  std::atomic<unsigned> passed_{0};
  unsigned awaited_ = 0;
};

class by_futex final : public baton {
 public:
  void pass() override {
    word_ = 1;
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void await() override {
    while (word_.exchange(0) == 0) syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }

 private:
  std::atomic<std::uint32_t> word_{0};
};

/// Files of which one end is written to, and the other one read from.
class by_files : public baton {
 public:
  explicit by_files(const std::array<int, 2>& ends) : ends_(ends) {}
  ~by_files() override {
    close(ends_[0]);
    if (ends_[1] != ends_[0]) close(ends_[1]);
  }
  void pass() override { check(write(ends_[1], &one_, sizeof one_) == sizeof one_, "write"); }
  void await() override {
    std::uint64_t got = 0;
    check(read(ends_[0], &got, sizeof got) == sizeof got && got == one_, "read");
  }

 protected:
  const std::array<int, 2> ends_;

 private:
  const std::uint64_t one_ = 1;
};

std::array<int, 2> a_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  return ends;
}
std::array<int, 2> a_socket() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) std::abort();
  return ends;
}
std::array<int, 2> an_event() {
  const int file = eventfd(0, 0);
  if (file < 0) std::abort();
  return {file, file};
}

class by_pipe final : public by_files {
 public:
  by_pipe() : by_files(a_pipe()) {}
};
class by_socket final : public by_files {
 public:
  by_socket() : by_files(a_socket()) {}
};
class by_event final : public by_files {
 public:
  by_event() : by_files(an_event()) {}
};
class by_poll final : public by_files {
 public:
  by_poll() : by_files(a_pipe()) {}
  void await() override {
    pollfd on{ends_[0], POLLIN, 0};
    while (poll(&on, 1, -1) != 1) check(errno == EINTR, "poll");
    by_files::await();
  }
};

thread_local long thread_has_passed = 0;

/// Passes a baton round a ring of threads. An exception is in flight at each wait, and errno has a value.
template <class Baton>
void pass_round(int threads, int rounds, const char* what) {
  std::vector<std::unique_ptr<baton>> to;
  for (int n = 0; n < threads; ++n) to.push_back(std::make_unique<Baton>());
  long passed = 0;
  int kept = 0;
#pragma omp parallel num_threads(threads) reduction(+ : kept)
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t next = (me + 1) % to.size();
    thread_has_passed = 0;
    for (int round = 0; round < rounds; ++round) {
      if (me != 0) to[me]->await();
      ++passed;  // one thread at a time has the baton
      ++thread_has_passed;
      try {
        throw std::runtime_error(what);
      } catch (const std::runtime_error& e) {
        to[next]->pass();
        if (me == 0) to[me]->await();
        kept += std::strcmp(e.what(), what) == 0 && std::uncaught_exceptions() == 0 ? 1 : 0;
      }
    }
    kept += thread_has_passed == rounds ? 0 : 1'000'000;
  }
  check(passed == static_cast<long>(threads) * rounds, what);
  check(kept == threads * rounds, "exceptions and thread-local data stay with their thread");
}

void meet(int threads) {
  constexpr int rounds = 300;
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(threads));
  std::atomic<int> serial{0};
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < rounds; ++round) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
  }
  pthread_barrier_destroy(&barrier);
  check(serial == rounds, "pthread_barrier_wait");

  std::vector<std::unique_ptr<std::latch>> latches;
  for (int round = 0; round < rounds; ++round) latches.push_back(std::make_unique<std::latch>(threads));
  std::atomic<int> late{0};
  std::vector<std::atomic<int>> come(rounds);
#pragma omp parallel num_threads(threads)
  for (std::size_t round = 0; round < latches.size(); ++round) {
    ++come[round];
    latches[round]->arrive_and_wait();
    if (come[round] != threads) ++late;
  }
  check(late == 0, "std::latch");

  // Blocks and the runtime's own waits in turns, in region after region.
  std::atomic<int> sum{0};
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(threads));
  for (int region = 0; region < 50; ++region) {
#pragma omp parallel num_threads(threads)
    {
      pthread_barrier_wait(&barrier);
      ++sum;
#pragma omp barrier
      pthread_barrier_wait(&barrier);
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 20; ++i) ++sum;
#pragma omp single
#pragma omp task
      ++sum;
    }
  }
  pthread_barrier_destroy(&barrier);
  check(sum == 50 * (threads + 21), "blocks between barriers");
}

/// A mutex that a thread holds while it sleeps.
void contend(int threads) {
  std::mutex mutex;
  int inside = 0;
  int most = 0;
  long entered = 0;
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < 20; ++round) {
    const std::scoped_lock held(mutex);
    most = ++inside > most ? inside : most;
    ++entered;
    usleep(20);
    --inside;
  }
  check(most == 1 && entered == 20L * threads, "std::mutex");
}

/// Returns the number of the kernel's thread that the calling thread is for the C library: what a mutex notes down.
int number_for_the_library() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const int owner = mutex.__data.__owner;
  pthread_mutex_unlock(&mutex);
  return owner;
}
bool is_on_its_own_thread() { return number_for_the_library() == static_cast<int>(syscall(SYS_gettid)); }

/// Members that block again and again run on their own threads in the end, except at most one for each context. They go
/// back when they no longer block.
void change_threads(int threads) {
  if (threads <= omp_get_num_procs()) return;
  // libgomp's threads are their own always, and so are those of Callisto under sanitizers and on old kernels.
  std::atomic<bool> has_workers{false};
#pragma omp parallel num_threads(threads)
  if (!is_on_its_own_thread()) has_workers = true;
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(threads));
  std::atomic<int> apart{0};
  std::atomic<bool> all{false};
#pragma omp parallel num_threads(threads)
  {
    for (bool was = false; !all;) {
      const bool is = is_on_its_own_thread();
      if (is != was) apart += is ? 1 : -1;
      was = is;
      if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) all = apart >= threads - omp_get_num_procs();
      pthread_barrier_wait(&barrier);
    }
  }
  pthread_barrier_destroy(&barrier);
  std::atomic<bool> back{false};
#pragma omp parallel num_threads(threads)
  for (int round = 0, over = 0; round < 10'000 && over == 0; ++round) {
    if (omp_get_thread_num() != 0 && !is_on_its_own_thread()) back = true;
#pragma omp barrier
    over = back ? 1 : 0;  // the same for all: no thread writes it between the barriers
#pragma omp barrier
  }
  check(back || !has_workers, "a member that blocks no longer goes back to the workers");
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 4;
  alarm(280);               // a thread that waits for ever ends the program
  change_threads(threads);  // first: nothing has blocked yet
  constexpr int rounds = 200;
  pass_round<by_semaphore>(threads, rounds, "sem_wait");
  pass_round<by_cpp_semaphore>(threads, rounds, "std::counting_semaphore");
  pass_round<by_condition<false>>(threads, rounds, "std::condition_variable");
  pass_round<by_condition<true>>(threads, rounds, "std::condition_variable::wait_for");
  pass_round<by_atomic>(threads, rounds, "std::atomic::wait");
  pass_round<by_futex>(threads, rounds, "futex");
  pass_round<by_pipe>(threads, rounds, "pipe");
  pass_round<by_socket>(threads, rounds, "socket");
  pass_round<by_event>(threads, rounds, "eventfd");
  pass_round<by_poll>(threads, rounds, "poll");
  meet(threads);
  contend(threads);
  return verdict();
}

// Members write, send or receive more than there is room for, while others without a context compute. No call returns a
// part if the system would have continued. A signal of the program's own still ends a call.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>

#include <omp.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.hpp"

namespace {

int threads = 4;
constexpr std::size_t bytes = std::size_t{1} << 18;
constexpr std::size_t step = std::size_t{1} << 16;

/// Byte n of the transferred data.
unsigned char pattern(std::size_t n) { return static_cast<unsigned char>(n % 251); }
std::vector<unsigned char> pattern() {
  std::vector<unsigned char> all(bytes);
  for (std::size_t n = 0; n < bytes; ++n) all[n] = pattern(n);
  return all;
}

/// Returns the result of a member's call(); all other members compute meanwhile.
ssize_t by_member(const std::function<ssize_t()>& call) {
  std::atomic<bool> over{false};
  ssize_t result = 0;
#pragma omp parallel num_threads(threads)
  if (omp_get_thread_num() == threads / 2) {
    result = call();
    over = true;
  } else {
    while (!over) {
      const double begin = omp_get_wtime();
      while (omp_get_wtime() < begin + 1e-5) {
      }
    }
  }
  return result;
}

void connect(bool sockets, int (&ends)[2]) {
  if ((sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) != 0) std::exit(2);
}

/// put(file, data) writes all of it, for a thread that reads a little now and then.
bool all_is_put(bool sockets, const std::function<ssize_t(int, unsigned char*)>& put) {
  int ends[2];
  connect(sockets, ends);
  std::size_t right = 0;
  std::thread reader([&] {
    std::vector<unsigned char> part(step);
    std::size_t at = 0;
    for (ssize_t got; (got = read(ends[0], part.data(), step)) > 0; at += static_cast<std::size_t>(got)) {
      for (std::size_t n = 0; n < static_cast<std::size_t>(got); ++n) right += part[n] == pattern(at + n) ? 1 : 0;
      usleep(1000);
    }
  });
  auto data = pattern();
  const ssize_t done = by_member([&] { return put(ends[1], data.data()); });
  close(ends[1]);
  reader.join();
  close(ends[0]);
  return done == static_cast<ssize_t>(bytes) && right == bytes;
}

bool all_is_received() {
  int ends[2];
  connect(true, ends);
  std::thread writer([&] {
    const auto data = pattern();
    for (std::size_t at = 0; at < bytes; at += step, usleep(1000))
      if (write(ends[1], data.data() + at, step) != static_cast<ssize_t>(step)) std::exit(2);
  });
  std::vector<unsigned char> into(bytes);
  const ssize_t done = by_member([&] { return recv(ends[0], into.data(), bytes, MSG_WAITALL); });
  writer.join();
  close(ends[0]);
  close(ends[1]);
  return done == static_cast<ssize_t>(bytes) && into == pattern();
}

/// The leader writes to a pipe without a reader at work, and its thread gets signals again and again.
bool is_ended_by_signal() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  int ends[2];
  connect(false, ends);
  const auto data = pattern();
  std::atomic<bool> over{false};
  ssize_t part = 0, none = 0;
#pragma omp parallel num_threads(threads)
  if (omp_get_thread_num() == 0) {
    timer_t timer;
    sigevent how{};
    how.sigev_notify = SIGEV_THREAD_ID;
    how.sigev_signo = SIGUSR1;
    how._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    timer_create(CLOCK_MONOTONIC, &how, &timer);
    const itimerspec often{{0, 7'000'000}, {0, 20'000'000}};
    timer_settime(timer, 0, &often, nullptr);
    part = write(ends[1], data.data(), bytes);
    none = write(ends[1], data.data(), bytes);
    if (errno != EINTR) none = 0;
    timer_delete(timer);
    over = true;
  } else {
    while (!over) {
    }
  }
  close(ends[0]);
  close(ends[1]);
  return part > 0 && part < static_cast<ssize_t>(bytes) && none == -1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) threads = std::atoi(arguments[1]);
  alarm(60);
  check(all_is_put(false, [](int to, unsigned char* data) { return write(to, data, bytes); }), "write()");
  const auto cut = [](unsigned char* data, iovec(&into)[4]) {
    into[0] = {data, 100};
    into[1] = {data + 100, bytes / 2};
    into[2] = {nullptr, 0};
    into[3] = {data + 100 + bytes / 2, bytes / 2 - 100};
  };
  check(all_is_put(false,
                   [&](int to, unsigned char* data) {
                     iovec parts[4];
                     cut(data, parts);
                     return writev(to, parts, 4);
                   }),
        "writev()");
  check(all_is_put(true, [](int to, unsigned char* data) { return send(to, data, bytes, 0); }), "send()");
  check(all_is_put(true,
                   [&](int to, unsigned char* data) {
                     iovec parts[4];
                     cut(data, parts);
                     msghdr message{};
                     message.msg_iov = parts;
                     message.msg_iovlen = 4;
                     return sendmsg(to, &message, 0);
                   }),
        "sendmsg()");
  check(all_is_received(), "recv() with MSG_WAITALL");
  std::vector<unsigned char> noise(4 * bytes);
  const ssize_t drawn = by_member([&] { return getrandom(noise.data(), noise.size(), 0); });
  check(drawn == static_cast<ssize_t>(noise.size()), "getrandom()");
  check(is_ended_by_signal(), "a signal of the program's own");
  errno = 0;
  check(write(-1, "", 1) == -1 && errno == EBADF, "a file that is not there");
  check(writev(1, nullptr, static_cast<int>(threads) - 1000) == -1 && errno == EINVAL, "less than no buffers");
  return verdict();
}

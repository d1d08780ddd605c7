// Two users' jobs under a broker, each in a session of its own, as programs that root starts.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto::lab {

/// Returns a monotonic time in nanoseconds, the same one in all processes.
inline std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

/// Where jobs meet: in a table in the folder, or as users of the broker that listens there.
struct meeting_place {
  std::string folder;
  bool has_broker = false;
  std::chrono::microseconds pause{1500};  ///< longer than the borrower needs to take the context
};
constexpr unsigned owner_weight = 8;
constexpr uid_t first_user = 64300;  ///< the owner's; the other's is the next

/// Makes this process a user's, with a session of its own and a folder that leads to the broker's socket.
inline void become_user(const meeting_place& there, uid_t user) {
  const std::string own = fmt::format("{}/{}", there.folder, user);
  if (::setsid() < 0 || ::setenv("CALLISTO_COSCHED_DIR", own.c_str(), 1) != 0 || ::setgid(user) != 0 ||
      ::setuid(user) != 0) {
    std::perror("to become another user");
    std::_Exit(1);
  }
}

inline void pin(unsigned context) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(context, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// Works for about 100 ns between two lease polls.
inline void work() {
  for (int i = 0; i < 100; ++i) asm volatile("");
}

inline double quantile(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0
                        : values[std::min(values.size() - 1,
                                          static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// What the command line asks for.
struct options {
  bool quick = false;
  const char* broker = nullptr;  ///< the command with the broker; null: a table instead
};

/// Reads `[--quick] [--broker CALLISTO]`. Exits with one line and code 2 if it finds anything else, or if this process
/// cannot be two users, each with a context of `contexts`.
inline options options_of(int argc, char** argv, const char* program, unsigned contexts = 1) {
  options found;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--quick") {
      found.quick = true;
    } else if (option == "--broker" && i + 1 < argc) {
      found.broker = argv[++i];
    } else {
      fmt::print(stderr, "usage: {} [--quick] [--broker CALLISTO]\n", program);
      std::exit(2);
    }
  }
  if (found.broker != nullptr && (::getuid() != 0 || std::thread::hardware_concurrency() < contexts)) {
    fmt::print(stderr, "{}: --broker needs root, which can be two users, and {} context{}\n", program, contexts,
               contexts == 1 ? "" : "s");
    std::exit(2);
  }
  return found;
}

/// Makes a T that this process shares with its children.
template <class T>
T& in_shared_memory() {
  void* const memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("shared memory");
    std::exit(1);
  }
  return *new (memory) T;
}

/// Ends a broker that start_broker() has started; -1: there is none.
inline void stop_broker(pid_t broker) {
  if (broker <= 0) return;
  ::kill(broker, SIGTERM);
  ::waitpid(broker, nullptr, 0);
}

/// Starts a broker, which root alone can, for the two users; returns its process when it listens.
inline pid_t start_broker(const meeting_place& there, const char* command) {
  ::chmod(there.folder.c_str(), 0755);
  for (const uid_t user : {first_user, first_user + 1}) {
    const std::string own = fmt::format("{}/{}", there.folder, user);
    if (::mkdir(own.c_str(), 0755) != 0 || ::symlink("../broker", (own + "/broker").c_str()) != 0 ||
        ::chown(own.c_str(), user, user) != 0) {
      std::perror("users' folders");
      std::exit(1);
    }
  }
  const std::string socket = there.folder + "/broker";
  const std::string weight = fmt::format("{}={}", first_user, owner_weight);
  const pid_t broker = ::fork();
  if (broker == 0) {
    ::execl(command, command, "broker", "--quiet", "--socket", socket.c_str(), "--weight", weight.c_str(), nullptr);
    std::perror(command);
    std::_Exit(1);
  }
  while (::access(socket.c_str(), F_OK) != 0) {
    if (::waitpid(broker, nullptr, WNOHANG) != 0) std::exit(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return broker;
}

/// Runs a function as a user in a process of its own.
template <class F>
pid_t start_as(const meeting_place& there, uid_t user, const F& what) {
  std::fflush(stdout);  // a child would print it again
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (there.has_broker) become_user(there, user);
  what();
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace callisto::lab

#include <callisto/global/session/uncaught.hpp>
#include <callisto/machine/host/launcher.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace callisto::global {

namespace {

std::terminate_handler terminate_before = nullptr;
std::atomic<end_of_rank> end_of_this_rank{nullptr};

/// The time in which the end of rank 0 takes the other ranks along.
constexpr std::chrono::milliseconds for_rank_0{1500};

/// True for one process of those that this launcher has started on this node, while it lives: the name is free when it
/// ends.
bool take_last_word() noexcept {
  static const int socket_of_process = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_of_process < 0) return true;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  // A zero comes first: the name is in no folder.
  const int length = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "callisto-last-word-%ld-%ld",
                                   static_cast<long>(geteuid()), static_cast<long>(getppid()));
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
  return bind(socket_of_process, reinterpret_cast<const sockaddr*>(&name), bytes) == 0;
}

/// Prints the line of a process that has not joined a job, and ends it. The ranks cannot speak to each other: rank 0
/// tells for all, and another one of each node if rank 0 has not ended by then.
[[noreturn]] void end_before_job(const std::string& cause, int status) {
  const machine::launched_process launched = machine::launcher_of_process();
  const bool is_alone = launched.by == machine::launchers::none || launched.ranks == 1;
  std::string line = cause.starts_with("callisto") ? cause : "callisto: " + cause;
  if (!is_alone && launched.rank != 0) {
    std::this_thread::sleep_for(for_rank_0);
    if (!take_last_word()) std::_Exit(status);
    line = "callisto: rank " + std::to_string(launched.rank) + ": " + cause;
  }
  line += '\n';
  if (!is_alone && launched.rank == 0) take_last_word();
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) std::_Exit(status);
  // Open MPI's launcher ends the other ranks with the first; other launchers let each rank end by itself.
  if (!is_alone)
    std::this_thread::sleep_for(launched.by == machine::launchers::open_mpi ? std::chrono::milliseconds(100)
                                                                            : 2 * for_rank_0);
  std::_Exit(status);
}

[[noreturn]] void on_terminate() {
  const std::exception_ptr thrown = std::current_exception();
  const int status = exit_code_of(thrown);
  bool is_ours = false;
  std::string cause = "std::terminate";
  if (thrown != nullptr) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      cause = "cannot allocate memory";
    } catch (const error& e) {
      is_ours = true;
      cause = e.what();
    } catch (const std::exception& e) {
      cause = e.what();
    } catch (...) {
      cause = "an exception of a type that is no std::exception";
    }
  }
  // acquire: pairs with set_end_of_rank()
  if (const end_of_rank tell = end_of_this_rank.load(std::memory_order_acquire); tell != nullptr) tell(cause, status);
  if (is_ours) end_before_job(cause, status);
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

}  // namespace

int exit_code_of(const std::exception_ptr& thrown) noexcept {
  if (thrown == nullptr) return 1;
  try {
    std::rethrow_exception(thrown);
  } catch (const usage_error&) {
    return 2;
  } catch (const input_error&) {
    return 3;
  } catch (const output_error&) {
    return 4;
  } catch (const std::bad_alloc&) {
    return 5;
  } catch (...) {
    return 1;
  }
}

void explain_uncaught_errors() noexcept {
  static std::once_flag once;
  std::call_once(once, [] { terminate_before = std::set_terminate(&on_terminate); });
}

// release: publishes what `tell` uses to on_terminate()
void set_end_of_rank(end_of_rank tell) noexcept { end_of_this_rank.store(tell, std::memory_order_release); }

}  // namespace callisto::global

// What processes of one user share with each other: a file in memory, its locks that tell who is alive, futex words.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace callisto::machine {

/// Nanoseconds on a clock that all processes of a boot (and of a time namespace) read alike; never 0. 22 ns.
CALLISTO_API std::uint64_t shared_nanoseconds() noexcept;

/// Blocks while the low half of `word`, which lies in memory that processes share, equals `low`: until unpark_shared()
/// for a group of the set `groups`, or for `nanoseconds` at most; may return early. Orders nothing. A raw futex: the
/// processes' death leaves nothing behind in the word, as it does in pthread objects.
CALLISTO_API void park_shared(const native::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t nanoseconds,
                              std::uint32_t groups) noexcept;

/// Lets threads of all processes return that were parked on `word` for one of `groups`.
CALLISTO_API void unpark_shared(native::atomic<std::uint64_t>& word, std::uint32_t groups) noexcept;

/// A file in memory that processes of one user map, of fixed size. It is mode 0600 and this user's, or refused: nobody
/// else can read or write it. Move-only; the mapping and this process's locks end with the object.
///
/// Locks. A process can hold one lock on each byte (fcntl(2), advisory, not on the data). The kernel drops them when
/// the process ends, however it ends, and when it calls exec; a child of fork() has none of them. So a byte whose lock
/// is held tells that its holder lives, and process numbers that are used again confuse nobody. The price: the kernel
/// also drops them when this process closes *any* descriptor of the file, so a process opens the file once.
class CALLISTO_API shared_file {
 public:
  enum class access {
    create,  ///< made if it is not there; its memory is reserved, so that using it cannot fail later
    write,   ///< there already
    read,    ///< there already; the memory must not be written, and no lock can be taken
  };

  /// Throws callisto::error in one line: no such folder or file, no permission, no space, not this user's own, not a
  /// regular file, a size other than `bytes` (which `create` corrects).
  shared_file(const std::string& path, std::size_t bytes, access how);
  shared_file(shared_file&&) noexcept;
  shared_file& operator=(shared_file&&) = delete;
  ~shared_file();

  std::byte* data() const noexcept { return data_; }
  const std::string& path() const noexcept { return path_; }

  /// Takes the lock of the byte at `at` if no other process has it. Never blocks. Idempotent.
  bool try_lock(std::size_t at) const noexcept;
  void unlock(std::size_t at) const noexcept;
  /// Whether another process has it; about 300 ns.
  bool locked_by_another(std::size_t at) const noexcept;

  /// Whether the descriptor is still this file's: a program that closes descriptors that are not its own has also
  /// dropped the locks. From then on no lock can be taken, and every other one counts as held.
  bool ours() const noexcept;

  /// Whether the path still leads to this file; a system call.
  bool in_place() const noexcept;

 private:
  std::string path_;
  std::size_t bytes_ = 0;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::byte* data_ = nullptr;
};

/// Where processes that should meet look for each other: `CALLISTO_COSCHED_DIR` alone if it is set, else /dev/shm and
/// XDG_RUNTIME_DIR as far as they are set, in this order.
CALLISTO_API std::vector<std::string> shared_folders();

/// Differs between boots, users, and namespaces of users, processes or clocks: who has the same can see each other's
/// process numbers and read the same clock. Sixteen hexadecimal digits. Throws callisto::error where /proc cannot be
/// read, as without a free descriptor.
CALLISTO_API std::string shared_world();

/// What /proc tells about a process (proc(5)).
struct process_view {
  char state =
      0;  ///< of its first thread: 'R' runs or could, 'S' and 'D' sleep, 'T' and 't' are stopped; 0: no such process
  std::uint64_t start = 0;  ///< the clock tick since boot at which it started: with its number, names it for ever
};

/// About 3 microseconds.
CALLISTO_API process_view look_at_process(pid_t pid) noexcept;

/// Whether some thread of the process runs, or waits for nothing but a processor. About 3 microseconds for each thread
/// that sleeps. False if there is no such process.
CALLISTO_API bool could_run(pid_t pid) noexcept;

/// The processor time that a process has used, in nanoseconds; 0 if it cannot be told. About 300 ns.
CALLISTO_API std::uint64_t processor_time_of(pid_t pid) noexcept;

}  // namespace callisto::machine

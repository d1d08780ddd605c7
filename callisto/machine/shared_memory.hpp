// State that processes of one user share: a file in memory, locks that tell which process lives, and futex words.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace callisto::machine {

/// Returns nanoseconds on a clock that all processes of a boot (and of a time namespace) read alike; never 0. Takes 22
/// ns.
CALLISTO_API std::uint64_t shared_nanoseconds() noexcept;

/// Blocks while the low half of `word`, which lies in memory that processes share, equals `low`: until unpark_shared()
/// for a group of the set `groups`, or for at most `nanoseconds`. May return early. Orders nothing. It is a raw futex:
/// unlike pthread objects, the word keeps nothing of a process that dies.
CALLISTO_API void park_shared(const native::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t nanoseconds,
                              std::uint32_t groups) noexcept;

/// Blocks while the low halves of both words equal what they are given with: until unpark_shared() for `word`, or an
/// unpark() of `own`, which is of this process alone. May return early. Orders nothing. False, at once: the kernel
/// cannot (futex_waitv(2), Linux 5.16).
CALLISTO_API bool park_shared_or_own(const native::atomic<std::uint64_t>& word, std::uint32_t low,
                                     const native::atomic<std::uint64_t>& own, std::uint32_t own_low) noexcept;

/// Lets threads of all processes return that are parked on `word` for one of `groups`.
CALLISTO_API void unpark_shared(native::atomic<std::uint64_t>& word, std::uint32_t groups) noexcept;

/// Thrown if what has the file's name belongs to another user.
class CALLISTO_API foreign_file : public error {
 public:
  using error::error;
};

/// A file in memory of fixed size that processes of one user map. It has mode 0600, one name, and belongs to this user,
/// or is refused: no other user can read or write it. Move-only; the mapping and this process's locks end with the
/// object.
///
/// Locks: a process can hold one lock on each byte (fcntl(2), advisory, not on the data). The kernel drops them when
/// the process ends in any way, and when it calls exec; a child of fork() has none. So a held byte tells that its
/// holder lives, and reused process numbers confuse no process. The price: the kernel also drops them when this process
/// closes *any* descriptor of the file, so a process opens the file once.
class CALLISTO_API shared_file {
 public:
  enum class access {
    create,  ///< made if it is missing; its memory is reserved, so that using it cannot fail later
    write,   ///< must exist
    read,    ///< must exist; the memory must not be written, and no lock can be taken
  };

  /// Opens the file. Throws callisto::error with one line: no such folder or file, no permission, no space, not a
  /// regular file, several names, a size other than `bytes` (which `create` corrects); foreign_file if it is another
  /// user's.
  shared_file(const std::string& path, std::size_t bytes, access how);
  shared_file(shared_file&&) noexcept;
  shared_file& operator=(shared_file&&) = delete;
  ~shared_file();

  std::byte* data() const noexcept { return data_; }
  const std::string& path() const noexcept { return path_; }

  /// Makes the memory a copy of this process's own, at the same address, and gives the descriptor back. For the child
  /// of a fork: what it writes from now on reaches no other process, whatever rights it has or gives up.
  void make_private() noexcept;

  /// Takes the lock of the byte at `at` if no other process has it. Never blocks. Idempotent.
  bool try_lock(std::size_t at) const noexcept;
  void unlock(std::size_t at) const noexcept;
  /// True if another process has the lock; about 300 ns.
  bool locked_by_another(std::size_t at) const noexcept;

  /// True if the descriptor is still this file's. A program that closes foreign descriptors has also dropped the locks.
  /// From then on no lock can be taken, and every other one counts as held.
  bool ours() const noexcept;

  /// True if the path still leads to this file; a system call.
  bool in_place() const noexcept;

 private:
  std::string path_;
  std::size_t bytes_ = 0;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::byte* data_ = nullptr;
};

/// Returns the folders where processes that should meet look for each other: `CALLISTO_COSCHED_DIR` alone if it is set,
/// else /run/user/UID if it is this user's alone, /dev/shm, and XDG_RUNTIME_DIR if it is set, in this order. Programs
/// in secure mode heed neither variable.
CALLISTO_API std::vector<std::string> shared_folders();

/// Returns sixteen hexadecimal digits that differ between boots, users, and namespaces of users, processes or clocks.
/// Processes with the same digits can see each other's process numbers and read the same clock. Throws callisto::error
/// if /proc cannot be read, for example without a free descriptor.
CALLISTO_API std::string shared_world();

/// A process as /proc shows it (proc(5)).
struct process_view {
  char state = 0;  ///< the state of its first thread: 'R' runs or could, 'S' and 'D' sleep, 'T' and 't' are stopped; 0:
                   ///< no such process
  std::uint64_t start = 0;  ///< the clock tick since boot at which it started; with its number, names it for all time
};

/// Looks at a process in /proc. Takes about 3 us.
CALLISTO_API process_view look_at_process(pid_t pid) noexcept;

/// True if a thread of the process runs, or waits only for a processor. Takes about 3 us for each sleeping thread.
/// False if there is no such process.
CALLISTO_API bool could_run(pid_t pid) noexcept;

/// Returns for how many nanoseconds the contexts were busy since the system started, of those for which
/// `counts(context)` is true, by /proc/stat; 0 if unknown. Counts in ticks, mostly of 10 ms. Takes some 20 us, and more
/// with many contexts.
CALLISTO_API std::uint64_t busy_time_of(const std::function<bool(unsigned)>& counts);

/// Returns the processor time that a process has used, in nanoseconds; 0 if unknown. Takes about 300 ns.
CALLISTO_API std::uint64_t processor_time_of(pid_t pid) noexcept;

}  // namespace callisto::machine

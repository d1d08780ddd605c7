// Files in memory, fcntl locks, shared futexes and what /proc tells about other processes, on Linux.
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/secure_environment.hpp>
#include <callisto/machine/system/signal_mask.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

timespec to_timespec(std::uint64_t nanoseconds) noexcept {
  timespec t;
  t.tv_sec = static_cast<time_t>(nanoseconds / second);
  t.tv_nsec = static_cast<long>(nanoseconds % second);
  return t;
}

/// Returns the low half of a 64-bit word, as the kernel reads it.
const std::uint32_t* low_half(const void* word) noexcept {
  return static_cast<const std::uint32_t*>(word) + (std::endian::native == std::endian::big ? 1 : 0);
}

struct flock lock_of(std::size_t at, short kind) noexcept {
  struct flock l{};
  l.l_type = kind;
  l.l_whence = SEEK_SET;
  l.l_start = static_cast<off_t>(at);
  l.l_len = 1;
  return l;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw error(path + ": " + why); }
[[noreturn]] void refuse(const std::string& path, const char* what, int code) {
  refuse(path, std::string(what) + ": " + std::strerror(code));
}

/// Throws why a file cannot be used: foreign_file if another user's is in the way.
[[noreturn]] void refuse_file(const std::string& path, const std::string& what) {
  struct stat is{};
  if (lstat(path.c_str(), &is) == 0 && is.st_uid != geteuid()) throw foreign_file(path + ": belongs to another user");
  refuse(path, what);
}

/// Does posix_fallocate(). Returns an error where a limit on the size of files (RLIMIT_FSIZE) would make the kernel
/// send SIGXFSZ, which ends programs that know nothing of this file.
int reserve(int fd, off_t bytes) noexcept {
  constexpr signal_bits beyond_limit = bit_of(SIGXFSZ);
  const signals_blocked_here held(beyond_limit);
  const int code = posix_fallocate(fd, 0, bytes);
  // The kernel sends the signal to this thread; it is taken before it can be delivered.
  const timespec at_once{};
  if (code == EFBIG) syscall(SYS_rt_sigtimedwait, &beyond_limit, nullptr, &at_once, sizeof beyond_limit);
  return code;
}

/// Returns what a link or a short file of /proc says; nothing if the kernel has none such. Throws error if it exists
/// and cannot be read at the moment.
std::string proc_text(const char* path, bool link) {
  std::array<char, 64> text;
  ssize_t n = -1;
  if (link) {
    n = readlink(path, text.data(), text.size());
  } else if (const int fd = open(path, O_RDONLY | O_CLOEXEC); fd >= 0) {
    n = read(fd, text.data(), text.size());
    const int code = errno;
    close(fd);
    errno = code;
  }
  if (n < 0 && errno != ENOENT) refuse(path, "cannot be read", errno);
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : std::string();
}

}  // namespace

std::uint64_t shared_nanoseconds() noexcept {
  timespec t;
  // The system's own, whatever stands before clock_gettime() (libfaketime): all jobs read these times, and the kernel
  // waits by them.
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return std::uint64_t(t.tv_sec) * second + std::uint64_t(t.tv_nsec) + 1;
}

void park_shared(const native::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t nanoseconds,
                 std::uint32_t groups) noexcept {
  const int saved = errno;
  // The bitset variant's timeout is a point in time. Not FUTEX_PRIVATE_FLAG: the kernel finds the word by what is
  // mapped, not by this process's address.
  const timespec until = to_timespec(shared_nanoseconds() + nanoseconds);
  // By default the kernel may let a thread sleep 50 us longer: as long as lending a context may take. The slack is the
  // thread's, so it gets its own back. -1: unknown; realtime threads have none.
  const int slack = prctl(PR_GET_TIMERSLACK);
  if (slack > 1) prctl(PR_SET_TIMERSLACK, 1);
  syscall(SYS_futex, low_half(&word), FUTEX_WAIT_BITSET, low, &until, nullptr, groups);
  if (slack > 1) prctl(PR_SET_TIMERSLACK, slack);
  errno = saved;
}

bool park_shared_or_own(const native::atomic<std::uint64_t>& word, std::uint32_t low,
                        const native::atomic<std::uint64_t>& own, std::uint32_t own_low) noexcept {
  // As <linux/futex.h> has them since 5.16; Debian 11's has not.
  struct waiter {
    std::uint64_t value;
    std::uint64_t address;
    std::uint32_t flags;
    std::uint32_t reserved;
  };
  constexpr long futex_waitv = 449;
  constexpr std::uint32_t of_32_bits = 2;
  const auto address_of = [](const void* w) { return reinterpret_cast<std::uintptr_t>(low_half(w)); };
  const std::array both{waiter{low, address_of(&word), of_32_bits, 0},
                        waiter{own_low, address_of(&own), of_32_bits | FUTEX_PRIVATE_FLAG, 0}};
  const int saved = errno;
  const bool can =
      syscall(futex_waitv, both.data(), both.size(), 0, nullptr, 0) >= 0 || errno == EAGAIN || errno == EINTR;
  errno = saved;
  return can;
}

void unpark_shared(native::atomic<std::uint64_t>& word, std::uint32_t groups) noexcept {
  const int saved = errno;
  syscall(SYS_futex, low_half(&word), FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, groups);
  errno = saved;
}

shared_file::shared_file(const std::string& path, std::size_t bytes, access how) : path_(path), bytes_(bytes) {
  const int mode = (how == access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  // In two steps, so that an existing file is not changed. Twice, since another process may make or delete it between
  // the two.
  bool made = false;
  for (int attempt = 0; attempt < 2 && fd_ < 0; ++attempt) {
    fd_ = open(path.c_str(), mode);
    if (fd_ >= 0 || how != access::create || errno != ENOENT) break;
    fd_ = open(path.c_str(), mode | O_CREAT | O_EXCL, 0600);
    made = fd_ >= 0;
    if (made) static_cast<void>(fchmod(fd_, 0600));  // restores what the umask took away
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) refuse_file(path, std::string("cannot be opened: ") + std::strerror(errno));
  // If a program has closed its standard output, what it prints must not get into the file.
  if (fd_ <= STDERR_FILENO) {
    const int low = std::exchange(fd_, fcntl(fd_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    close(low);
    if (fd_ < 0) refuse(path, "cannot be opened", errno);
  }
  const auto close_and_refuse = [&](const std::string& why) {
    close(std::exchange(fd_, -1));
    refuse_file(path, why);
  };
  struct stat is{};
  if (fstat(fd_, &is) != 0) close_and_refuse(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(is.st_mode)) close_and_refuse("is not a regular file");
  if (is.st_uid != geteuid()) close_and_refuse("belongs to another user");
  // Under another name it may be a file of this user that means something else.
  if (is.st_nlink > 1) close_and_refuse("has " + std::to_string(is.st_nlink) + " names, expected one");
  if ((is.st_mode & 0077) != 0) close_and_refuse("is open to other users (expected mode 0600)");
  device_ = is.st_dev;
  inode_ = is.st_ino;
  const auto size = static_cast<off_t>(bytes);
  if (how == access::create) {
    // Never shorter: that would take memory from processes that have it mapped.
    if (is.st_size > size)
      close_and_refuse("has " + std::to_string(is.st_size) + " bytes, expected " + std::to_string(bytes));
    if (const int code = reserve(fd_, size); code != 0) {
      // An empty file would only keep other processes from the next folder.
      if (made) unlink(path.c_str());
      close_and_refuse(std::string("cannot have ") + std::to_string(bytes) + " bytes: " + std::strerror(code) +
                       (code == EFBIG ? " (see ulimit -f)" : ""));
    }
  } else if (is.st_size != size) {
    close_and_refuse("has " + std::to_string(is.st_size) + " bytes, expected " + std::to_string(bytes));
  }
  void* const at = mmap(nullptr, bytes, how == access::read ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (at == MAP_FAILED) close_and_refuse(std::string("cannot be mapped: ") + std::strerror(errno));
  data_ = static_cast<std::byte*>(at);
}

shared_file::shared_file(shared_file&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(other.bytes_),
      fd_(std::exchange(other.fd_, -1)),
      device_(other.device_),
      inode_(other.inode_),
      data_(std::exchange(other.data_, nullptr)) {}

shared_file::~shared_file() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (fd_ >= 0 && ours()) close(fd_);
}

void shared_file::make_private() noexcept {
  if (data_ != nullptr) mmap(data_, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd_, 0);
  if (fd_ >= 0 && ours()) close(fd_);
  fd_ = -1;
}

bool shared_file::try_lock(std::size_t at) const noexcept {
  const int saved = errno;
  struct flock l = lock_of(at, F_WRLCK);
  const bool taken = ours() && fcntl(fd_, F_SETLK, &l) == 0;
  errno = saved;
  return taken;
}

void shared_file::unlock(std::size_t at) const noexcept {
  const int saved = errno;
  struct flock l = lock_of(at, F_UNLCK);
  if (ours()) fcntl(fd_, F_SETLK, &l);
  errno = saved;
}

bool shared_file::locked_by_another(std::size_t at) const noexcept {
  const int saved = errno;
  struct flock l = lock_of(at, F_WRLCK);
  const bool free = ours() && fcntl(fd_, F_GETLK, &l) == 0 && l.l_type == F_UNLCK;
  errno = saved;
  return !free;
}

bool shared_file::ours() const noexcept {
  const int saved = errno;
  struct stat now{};
  const bool same = fstat(fd_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
  errno = saved;
  return same;
}

bool shared_file::in_place() const noexcept {
  const int saved = errno;
  struct stat now{};
  const bool same = lstat(path_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
  errno = saved;
  return same;
}

std::vector<std::string> shared_folders() {
  if (const std::string_view only = file_variable("CALLISTO_COSCHED_DIR"); !only.empty()) return {std::string(only)};
  std::vector<std::string> folders;
  // Only this user can make a file there. It does not depend on the environment, which cron and ssh do not set.
  std::string own = "/run/user/" + std::to_string(geteuid());
  struct stat is{};
  if (lstat(own.c_str(), &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() && (is.st_mode & 0077) == 0) {
    folders.push_back(own);
  }
  folders.emplace_back("/dev/shm");
  if (const std::string_view said = file_variable("XDG_RUNTIME_DIR"); !said.empty() && said != own) {
    folders.emplace_back(said);
  }
  return folders;
}

std::string shared_world() {
  std::string name = proc_text("/proc/sys/kernel/random/boot_id", false) + std::to_string(geteuid());
  for (const char* space : {"/proc/self/ns/user", "/proc/self/ns/pid", "/proc/self/ns/time"}) {
    name += '|' + proc_text(space, true);
  }
  // FNV-1a, 64 bits (Fowler, Noll, Vo): the name need not be secret, only short.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string text(16, '0');
  for (char& digit : text) {
    digit = "0123456789abcdef"[hash >> 60];
    hash <<= 4;
  }
  return text;
}

namespace {

/// Returns what a `stat` file says, by its path as openat(2) takes it.
process_view view_of(int folder, const char* path) noexcept {
  std::array<char, 1024> text;
  ssize_t n = -1;
  if (const int fd = openat(folder, path, O_RDONLY | O_CLOEXEC); fd >= 0) {
    n = read(fd, text.data(), text.size());
    close(fd);
  }
  if (n <= 0) return {};
  // The name, in parentheses, may hold anything; behind it stand the state and, as the 20th word, the start (proc(5),
  // field 22).
  const std::string_view all(text.data(), static_cast<std::size_t>(n));
  std::size_t at = all.rfind(')');
  if (at == std::string_view::npos || at + 2 >= all.size()) return {};
  process_view seen{.state = all[at + 2]};
  for (int word = 0; word < 20 && at != std::string_view::npos; ++word) at = all.find(' ', at + 1);
  if (at != std::string_view::npos) std::from_chars(all.data() + at + 1, all.data() + all.size(), seen.start);
  return seen;
}

}  // namespace

process_view look_at_process(pid_t pid) noexcept {
  const int saved = errno;
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid));
  const process_view seen = view_of(AT_FDCWD, path.data());
  errno = saved;
  return seen;
}

bool could_run(pid_t pid) noexcept {
  const int saved = errno;
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/task", static_cast<int>(pid));
  bool found = false;
  // Not by readdir(3), which allocates: the caller may run beside threads that were stopped inside malloc.
  if (const int threads = open(path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); threads >= 0) {
    alignas(dirent64) std::array<char, 4096> entries;
    for (long n = 0; !found && (n = syscall(SYS_getdents64, threads, entries.data(), entries.size())) > 0;) {
      for (long at = 0; !found && at < n;) {
        const auto* const thread = reinterpret_cast<const dirent64*>(entries.data() + at);
        std::array<char, sizeof thread->d_name + 8> stat{};
        std::snprintf(stat.data(), stat.size(), "%s/stat", thread->d_name);
        found = thread->d_name[0] != '.' && view_of(threads, stat.data()).state == 'R';
        at += thread->d_reclen;
      }
    }
    close(threads);
  }
  errno = saved;
  return found;
}

std::uint64_t busy_time_of(const std::function<bool(unsigned)>& counts) {
  const auto tick = second / static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_CLK_TCK)));
  std::uint64_t busy = 0;
  // cpuN user nice system idle iowait irq softirq (proc(5)); time that a host takes away is none of a program's.
  for (const std::string& line : split_at(contents_of("/proc/stat").value_or(""), '\n')) {
    unsigned context = 0;
    std::array<unsigned long long, 7> t{};
    if (std::sscanf(line.c_str(), "cpu%u %llu %llu %llu %llu %llu %llu %llu", &context, &t[0], &t[1], &t[2], &t[3],
                    &t[4], &t[5], &t[6]) == 8 &&
        counts(context)) {
      busy += (t[0] + t[1] + t[2] + t[5] + t[6]) * tick;
    }
  }
  return busy;
}

std::uint64_t processor_time_of(pid_t pid) noexcept {
  clockid_t clock;
  timespec t;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return std::uint64_t(t.tv_sec) * second + std::uint64_t(t.tv_nsec);
}

}  // namespace callisto::machine

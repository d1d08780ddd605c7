// Temporaries, their registry for signal handlers, and the rename that publishes them.
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;
// Linux writes at most about 2 GiB in a call; smaller calls also let parallel writers of one file take turns.
constexpr std::size_t largest_write = std::size_t{64} << 20;

// The registry is a list that only grows and reuses its slots, so a signal handler can walk it at any moment. The
// thread that takes a name out of its slot by an atomic operation owns it: no name is freed while a handler reads it.
struct slot {
  std::atomic<char*> name;
  slot* next;
};
static_assert(std::atomic<char*>::is_always_lock_free, "needed within signal handlers");
constinit std::atomic<slot*> slots{nullptr};

// One thread makes a temporary while another ends the process: either the first sees that the process ends, or the
// second waits until the temporary exists. seq_cst, all: each writes its own word and reads its peer's.
constinit std::atomic<bool> ends{false};
constinit std::atomic<unsigned> makers{0};
class maker {
 public:
  maker() noexcept { makers.fetch_add(1); }
  ~maker() { makers.fetch_sub(1); }
  maker(const maker&) = delete;
  maker& operator=(const maker&) = delete;
  static bool comes_too_late() noexcept { return ends.load(); }
};

/// Registers a copy of `name` and returns it.
char* register_name(const std::string& name) {
  char* const copy = strdup(name.c_str());
  if (copy == nullptr) throw std::bad_alloc();
  for (slot* s = slots.load(std::memory_order_acquire); s != nullptr; s = s->next) {
    char* vacant = nullptr;
    if (s->name.compare_exchange_strong(vacant, copy, std::memory_order_acq_rel)) return copy;
  }
  slot* const fresh = new (std::nothrow) slot{copy, slots.load(std::memory_order_relaxed)};
  if (fresh == nullptr) {
    std::free(copy);
    throw std::bad_alloc();
  }
  while (!slots.compare_exchange_weak(fresh->next, fresh, std::memory_order_acq_rel)) {
  }
  return copy;
}

void unregister_name(char* name) noexcept {
  for (slot* s = slots.load(std::memory_order_acquire); s != nullptr; s = s->next) {
    char* found = name;
    if (s->name.compare_exchange_strong(found, nullptr, std::memory_order_acq_rel)) return std::free(name);
  }
}

/// `path` absolute and without symbolic links; its last component need not exist. Empty with errno set on failure.
std::string resolve(const std::string& path, int links = 0) {
  using c_string = std::unique_ptr<char, decltype(&std::free)>;
  if (const c_string whole(realpath(path.c_str(), nullptr), &std::free); whole != nullptr) return whole.get();
  if (errno != ENOENT) return {};
  const std::size_t slash = path.find_last_of('/');
  // A link to what does not exist stays, and the file is made where it leads: /dev/stdout is such a link if descriptor
  // 1 is closed.
  char link[PATH_MAX];
  if (const ssize_t n = readlink(path.c_str(), link, sizeof link - 1); n > 0) {
    if (links == 40) {
      errno = ELOOP;
      return {};
    }
    const std::string to(link, static_cast<std::size_t>(n));
    return resolve(to.front() == '/' || slash == std::string::npos ? to : path.substr(0, slash + 1) + to, links + 1);
  }
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const c_string parent(realpath(directory.c_str(), nullptr), &std::free);
  if (parent == nullptr) return {};
  if (name.empty()) {  // "missing/", where realpath of the parent succeeded only if the directory appeared just now
    errno = EISDIR;
    return {};
  }
  return (std::strcmp(parent.get(), "/") == 0 ? std::string() : std::string(parent.get())) + '/' + name;
}

/// The name of a temporary for `target`: hidden, in the same directory, short enough for any name of a target.
std::string temporary_name(const std::string& target) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::uniform_int_distribution<std::size_t> letter(0, sizeof letters - 2);
  const std::size_t slash = target.find_last_of('/');
  std::string name = target.substr(0, slash + 1) + '.' + target.substr(slash + 1, 200) + '.';
  for (int i = 0; i < 6; ++i) name += letters[letter(random)];
  return name;
}

bool same_file(int fd, const struct stat& other) noexcept {
  struct stat s;
  return fstat(fd, &s) == 0 && s.st_dev == other.st_dev && s.st_ino == other.st_ino;
}

/// Makes a rename in `directory` durable. File systems that cannot do so, and directories that may not be read, are
/// no failure: the file itself is complete.
int sync_directory(const std::string& directory) noexcept {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return 0;
  const int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error == EINVAL || error == ENOTSUP || error == EROFS ? 0 : error;
}

}  // namespace

output_file::output_file(std::string path) : path_(std::move(path)) {
  if (path_.empty()) throw output_error("cannot write a file with an empty name");
  buffer_.reserve(buffer_bytes);
  if (path_ == "-") {
    open_direct(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    return;
  }
  struct stat s;
  const bool exists = stat(path_.c_str(), &s) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(s.st_mode)) fail(EISDIR);
  if (exists) {
    // A file that the shell opened for us is shared, not reopened: reopening would forget its position and O_APPEND.
    for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) {
      if (!same_file(standard, s)) continue;
      open_direct(fcntl(standard, F_DUPFD_CLOEXEC, 0));
      return;
    }
    if (!S_ISREG(s.st_mode)) {
      open_direct(open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
      return;
    }
    // A rename needs no permission to write the target; a user that took this permission away meant it.
    if (faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  }
  target_ = resolve(path_);
  if (target_.empty()) fail(errno);
  open_temporary(exists ? s.st_mode & 0777u : 0666u, exists);
}

output_file::~output_file() { discard(); }

void output_file::open_direct(int fd) {
  if (fd < 0) fail(errno);
  fd_ = fd;
  origin_ = lseek(fd, 0, SEEK_CUR);
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || (flags & O_APPEND) != 0) origin_ = -1;  // pwrite would append whatever the offset
}

void output_file::open_temporary(unsigned mode, bool replaces) {
  const maker makes;
  if (maker::comes_too_late()) fail(ECANCELED);
  for (int attempt = 0; fd_ < 0; ++attempt) {
    // Registered before it exists, so that no signal falls between.
    temporary_ = register_name(temporary_name(target_));
    fd_ = open(temporary_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd_ >= 0) break;
    const int error = errno;
    unregister_name(std::exchange(temporary_, nullptr));
    if (error != EEXIST || attempt == 100) fail(error);
  }
  if (replaces && fchmod(fd_, mode) != 0) {  // open() took the umask away
    const int error = errno;
    discard();
    fail(error);
  }
}

void output_file::append(std::span<const std::byte> bytes) {
  if (bytes.size() > buffer_bytes - buffer_.size()) flush();
  if (bytes.size() >= buffer_bytes) return write_through(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void output_file::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void output_file::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd_, bytes.data(), std::min(bytes.size(), largest_write));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    if (n == 0) fail(ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void output_file::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (origin_ < 0) fail(ESPIPE);
  while (!bytes.empty()) {
    const ssize_t n =
        pwrite(fd_, bytes.data(), std::min(bytes.size(), largest_write), origin_ + static_cast<std::int64_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    if (n == 0) fail(ENOSPC);
    offset += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void output_file::commit() {
  flush();
  const bool direct = temporary_ == nullptr;
  if (!direct && fsync(fd_) != 0) fail(errno);
  // On Linux the descriptor is gone even when close reports a failure (of a network file system, say).
  if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail(errno);
  if (direct) return;
  if (rename(temporary_, target_.c_str()) != 0) fail(errno);
  unregister_name(std::exchange(temporary_, nullptr));
  if (const int error = sync_directory(target_.substr(0, target_.find_last_of('/') + 1)); error != 0) fail(error);
}

void output_file::discard() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  if (temporary_ == nullptr) return;
  unlink(temporary_);
  unregister_name(std::exchange(temporary_, nullptr));
}

void output_file::fail(int error) const {
  const std::string reason = error == ESPIPE ? "it has no positions to write at (expected a regular file)"
                                             : std::system_category().message(error);
  const std::string message = "cannot write " + (path_ == "-" ? "standard output" : path_) + ": " + reason;
  struct stat s;
  if (error == EPIPE && fstat(fd_, &s) == 0 && same_file(STDOUT_FILENO, s)) throw broken_pipe(message);
  throw output_error(message);
}

void remove_unfinished_outputs() noexcept {
  const int saved = errno;
  ends.store(true);
  // Not for ever: the other thread may hang, or be the one that this handler interrupted.
  constexpr timespec moment{0, 1'000'000};
  for (int moments = 0; makers.load() != 0 && moments < 200; ++moments) nanosleep(&moment, nullptr);
  for (slot* s = slots.load(std::memory_order_acquire); s != nullptr; s = s->next) {
    // The name is not freed: free() is not async-signal-safe, and the process is about to end.
    if (const char* name = s->name.exchange(nullptr, std::memory_order_acq_rel); name != nullptr) unlink(name);
  }
  errno = saved;
}

}  // namespace callisto::machine

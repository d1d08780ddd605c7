// Files written whole or not at all.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::machine {

/// Thrown if the reader of standard output has gone.
class CALLISTO_API broken_pipe : public output_error {
 public:
  using output_error::output_error;
};

/// A file that appears under its name only when it is complete: bytes go to a hidden temporary in the same directory,
/// which commit() makes durable and renames over the target. Without commit() the destructor removes the temporary, and
/// the target stays as it was.
///
/// A replaced target keeps its permission bits; a new one gets 0666 less the umask. A symbolic link to a file is
/// followed, so the link stays. Targets that cannot be replaced are written directly: no regular file (a terminal, a
/// pipe, /dev/full), or already the target of standard output or error (/dev/stdout). "-" is standard output.
///
/// Every failure throws output_error, or broken_pipe if it is standard output without a reader, with one line that
/// names the path as given. Many threads may call write_at() at once, also while one thread calls append(); the other
/// members are for one thread at a time.
class CALLISTO_API output_file {
 public:
  explicit output_file(std::string path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  /// Adds bytes behind those of the previous append() (from the start of the file at first). Buffered, so a failure
  /// may show in a later call.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }

  /// Writes bytes at `offset` from the start of the file, unbuffered; does not change where append() writes. Fails on
  /// targets without positions (pipes, terminals).
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  /// Completes the file: after it returns, the target holds everything written, even if the power fails. Called once;
  /// nothing is written afterwards.
  void commit();

  /// The absolute path of the file that gets the bytes until commit(), for other processes that write a part; null if
  /// the target is written directly.
  const char* temporary() const noexcept { return temporary_; }

  /// The path as given.
  const std::string& path() const noexcept { return path_; }

 private:
  void open_direct(int fd);
  void open_temporary(unsigned mode, bool replaces);
  void flush();
  void write_through(std::span<const std::byte> bytes);
  void discard() noexcept;
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string target_;         ///< absolute, links resolved; empty when written directly
  char* temporary_ = nullptr;  ///< registered name of the temporary; null when written directly and after commit()
  int fd_ = -1;
  std::int64_t origin_ = 0;  ///< where offset 0 of write_at() is in the descriptor; negative: it has no positions
  std::vector<std::byte> buffer_;
};

/// Removes the temporaries of every output_file that is not committed, for handlers of signals that end the process.
/// Async-signal-safe; may run at any moment on any thread. A later commit() of such a file fails, and so does every
/// output_file that begins afterwards. Waits at most 0.2 s for files that are about to begin.
CALLISTO_API void remove_unfinished_outputs() noexcept;

}  // namespace callisto::machine

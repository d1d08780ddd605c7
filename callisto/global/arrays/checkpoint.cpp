#include <callisto/global/arrays/checkpoint.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace callisto::global::detail {

namespace {

/// The begin of a file: what it holds. Elements follow at `begin_of_elements`.
struct file_head {
  std::array<char, 8> magic{'c', 'l', 's', 't', 'a', 'r', 'r', '1'};
  std::uint64_t element_bytes = 0;
  std::uint64_t size = 0;
  std::uint64_t copies = 1;  ///< parts that each have `size` elements: the ranks, of a symmetric array
  bool operator==(const file_head&) const = default;
};
constexpr std::uint64_t begin_of_elements = 4096;

machine::descriptor opened(const std::string& path, int flags) noexcept {
  return machine::descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
}

/// Moves all bytes by `step` (pread or pwrite). Returns 0, an errno, or -1 if the file ends.
template <class Step>
int move_all(Step step, std::byte* at, std::uint64_t bytes, std::uint64_t offset) noexcept {
  while (bytes != 0) {
    const ssize_t moved = step(at, std::min<std::uint64_t>(bytes, 1U << 30), static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) return -1;
    at += moved;
    bytes -= static_cast<std::uint64_t>(moved);
    offset += static_cast<std::uint64_t>(moved);
  }
  return 0;
}

/// Calls f(local byte, bytes, file offset) for each contiguous run of this rank's elements, until one returns not 0.
template <class F>
int for_each_run(const array_record& record, std::size_t element_bytes, F f) {
  const auto rank = static_cast<std::uint64_t>(here().rank);
  const std::uint64_t count = record.count_at(rank);
  const bool is_cyclic = record.how().kind == distribution::kinds::block_cyclic;
  const std::uint64_t run = is_cyclic ? record.how().block_size : std::max<std::uint64_t>(count, 1);
  for (std::uint64_t local = 0; local < count; local += run) {
    const std::uint64_t length = std::min(run, count - local);
    const std::uint64_t index = record.how().kind == distribution::kinds::symmetric ? rank * record.size() + local
                                                                                    : record.index_at({rank, local});
    const int failure = f(record.part_of(rank) + local * element_bytes, length * element_bytes,
                          begin_of_elements + index * element_bytes);
    if (failure != 0) return failure;
  }
  return 0;
}

/// The first rank that failed, with its reason; every rank gets the same.
struct failure {
  int rank = -1;
  int reason = 0;
};
failure first_failure(int reason, const std::source_location& where) {
  const failure own{reason == 0 ? -1 : here().rank, reason};
  return reduce_all(
      own, [](failure a, failure b) { return a.rank < 0 || (b.rank >= 0 && b.rank < a.rank) ? b : a; }, where);
}

std::string text_of(const failure& f) {
  return "rank " + std::to_string(f.rank) + ": " + (f.reason < 0 ? "the file ends early" : std::strerror(f.reason));
}

file_head head_of(const array_record& record, std::size_t element_bytes) {
  file_head head;
  head.element_bytes = element_bytes;
  head.size = record.size();
  if (record.how().kind == distribution::kinds::symmetric) head.copies = static_cast<std::uint64_t>(here().ranks);
  return head;
}

}  // namespace

void save_array(std::uint32_t number, std::size_t element_bytes, const std::string& path,
                const std::source_location& where) {
  const array_record& record = array_of(number);
  const std::string temporary = path + ".unfinished";
  const auto end_unless_sound = [&](int reason) {
    const failure f = first_failure(reason, where);
    if (f.rank < 0) return;
    if (here().rank == 0) ::unlink(temporary.c_str());
    throw output_error(path + ": an array cannot be saved: " + text_of(f));
  };

  int reason = 0;
  if (here().rank == 0) {
    const machine::descriptor made = opened(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    file_head head = head_of(record, element_bytes);
    const std::uint64_t bytes = begin_of_elements + head.size * head.copies * element_bytes;
    if (made.get() < 0 || ::ftruncate(made.get(), static_cast<off_t>(bytes)) != 0) {
      reason = errno;
    } else {
      reason =
          move_all([&](std::byte* at, std::uint64_t n, off_t offset) { return ::pwrite(made.get(), at, n, offset); },
                   reinterpret_cast<std::byte*>(&head), sizeof head, 0);
    }
  }
  end_unless_sound(reason);

  {
    const machine::descriptor file = opened(temporary, O_WRONLY);
    reason = file.get() < 0 ? errno
                            : for_each_run(
                                  record, element_bytes,
                                  [&](std::byte* at, std::uint64_t bytes, std::uint64_t offset) {
                                    return move_all([&](std::byte* from, std::uint64_t n,
                                                        off_t to) { return ::pwrite(file.get(), from, n, to); },
                                                    at, bytes, offset);
                                  });
    if (reason == 0 && ::fsync(file.get()) != 0) reason = errno;
  }
  end_unless_sound(reason);

  reason = 0;
  if (here().rank == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  end_unless_sound(reason);
}

void restore_array(std::uint32_t number, std::size_t element_bytes, const std::string& path,
                   const std::source_location& where) {
  const array_record& record = array_of(number);
  const machine::descriptor file = opened(path, O_RDONLY);
  const auto read = [&](std::byte* at, std::uint64_t n, off_t offset) { return ::pread(file.get(), at, n, offset); };
  file_head head;
  int reason = file.get() < 0 ? errno : move_all(read, reinterpret_cast<std::byte*>(&head), sizeof head, 0);
  if (const failure f = first_failure(reason, where); f.rank >= 0) {
    throw input_error(path, 0, "an array cannot be restored: " + text_of(f));
  }
  const file_head expected = head_of(record, element_bytes);
  // All ranks read the same bytes, so all throw.
  if (head.magic != expected.magic) throw input_error(path, 0, "no array that callisto::global::save wrote");
  if (head != expected) {
    throw input_error(path, 0,
                      "holds " + std::to_string(head.copies) + " x " + std::to_string(head.size) + " elements of " +
                          std::to_string(head.element_bytes) + " bytes; expected " + std::to_string(expected.copies) +
                          " x " + std::to_string(expected.size) + " of " + std::to_string(expected.element_bytes));
  }
  reason = for_each_run(record, element_bytes, [&](std::byte* at, std::uint64_t bytes, std::uint64_t offset) {
    return move_all(read, at, bytes, offset);
  });
  if (const failure f = first_failure(reason, where); f.rank >= 0) {
    throw input_error(path, 0, "an array cannot be restored: " + text_of(f));
  }
}

}  // namespace callisto::global::detail

#include <callisto/global/arrays/checkpoint.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

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
  std::int32_t rank = -1;
  std::array<char, 236> reason{};

  failure() noexcept = default;
  failure(int of, std::string_view why) noexcept : rank(of) {
    std::ranges::copy(why.substr(0, reason.size() - 1), reason.begin());
  }
  std::string text() const { return "rank " + std::to_string(rank) + ": " + reason.data(); }
};
failure first_failure(const std::string& reason, const std::source_location& where) {
  return reduce_all(
      reason.empty() ? failure() : failure(here().rank, reason),
      [](const failure& a, const failure& b) { return a.rank < 0 || (b.rank >= 0 && b.rank < a.rank) ? b : a; }, where);
}

std::string reason_of(int error) {
  return error == 0 ? std::string() : error < 0 ? "the file ends early" : std::system_category().message(error);
}

file_head head_of(const array_record& record, std::size_t element_bytes) {
  file_head head;
  head.element_bytes = element_bytes;
  head.size = record.size();
  if (record.how().kind == distribution::kinds::symmetric) head.copies = static_cast<std::uint64_t>(here().ranks);
  return head;
}

}  // namespace

/// Where the ranks write, as rank 0 tells: a file beside the target, or nowhere, if what is there is written in place.
struct target_of_save {
  std::array<char, 4096> path{};
  std::uint64_t is_in_place = 0;
};

/// Opens what rank 0 has made, under the name of the folder that this rank was given: the absolute one may be another
/// at another host.
machine::descriptor opened_of_rank_0(const std::string& path, const char* made) noexcept {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
  const char* const name = std::strrchr(made, '/');
  machine::descriptor near = opened(folder + (name == nullptr ? made : name + 1), O_WRONLY);
  return near.get() >= 0 ? std::move(near) : opened(made, O_WRONLY);
}

/// Writes this rank's elements at their places.
int write_own(const array_record& record, std::size_t element_bytes, const machine::descriptor& file) {
  int error = file.get() < 0 ? errno
                             : for_each_run(
                                   record, element_bytes,
                                   [&](std::byte* at, std::uint64_t bytes, std::uint64_t offset) {
                                     return move_all([&](std::byte* from, std::uint64_t n,
                                                         off_t to) { return ::pwrite(file.get(), from, n, to); },
                                                     at, bytes, offset);
                                   });
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  return error;
}

/// Writes all elements in order by rank 0, which gets them from the other ranks piece by piece: for what has no places,
/// such as a pipe. Returns what failed at rank 0.
std::string write_in_order(const array_record& record, std::size_t element_bytes, std::uint64_t all_bytes,
                           machine::output_file* out, const std::source_location& where) {
  std::string reason;
  std::vector<std::byte> piece;
  for (std::uint64_t begin = 0; begin < all_bytes; begin += most_payload) {
    const std::uint64_t end = std::min<std::uint64_t>(begin + most_payload, all_bytes);
    piece.assign(end - begin, std::byte{0});
    for_each_run(record, element_bytes, [&](const std::byte* at, std::uint64_t bytes, std::uint64_t offset) {
      const std::uint64_t first = offset - begin_of_elements;
      const std::uint64_t from = std::max(first, begin);
      const std::uint64_t to = std::min(first + bytes, end);
      if (from < to) std::memcpy(piece.data() + (from - begin), at + (from - first), to - from);
      return 0;
    });
    reduce_all(std::span(piece), std::bit_or<>(), where);
    if (out == nullptr || !reason.empty()) continue;
    try {
      out->append(piece);
    } catch (const output_error& e) {
      reason = e.what();  // the other ranks go on, to the common end
    }
  }
  return reason;
}

void save_array(std::uint32_t number, std::size_t element_bytes, const std::string& path,
                const std::source_location& where) {
  const array_record& record = array_of(number);
  const file_head head = head_of(record, element_bytes);
  const bool is_writer = here().rank == 0;
  std::optional<machine::output_file> file;  // in rank 0; goes away unless it is committed
  const auto end_unless_sound = [&](const std::string& reason) {
    const failure f = first_failure(reason, where);
    if (f.rank < 0) return;
    file.reset();
    throw output_error(path + ": an array cannot be saved: " + f.text());
  };

  std::string reason;
  target_of_save target;
  if (is_writer) {
    try {
      file.emplace(path);
      target.is_in_place = file->temporary() == nullptr ? 1 : 0;
      if (target.is_in_place == 0) {
        if (std::strlen(file->temporary()) >= target.path.size()) throw output_error("its path is too long");
        std::ranges::copy(std::string_view(file->temporary()), target.path.begin());
      }
      std::vector<std::byte> begin(begin_of_elements, std::byte{0});
      std::memcpy(begin.data(), &head, sizeof head);
      if (target.is_in_place == 0)
        file->write_at(0, begin);
      else
        file->append(begin);
    } catch (const output_error& e) {
      reason = e.what();
    }
  }
  end_unless_sound(reason);
  reduce_all(std::as_writable_bytes(std::span(&target, 1)), std::bit_or<>(), where);  // all other ranks have zeros
  if (target.is_in_place != 0) {
    reason =
        write_in_order(record, element_bytes, head.size * head.copies * element_bytes, file ? &*file : nullptr, where);
  } else {
    reason = reason_of(write_own(record, element_bytes, opened_of_rank_0(path, target.path.data())));
  }
  end_unless_sound(reason);
  reason.clear();
  if (is_writer) {
    try {
      file->commit();
    } catch (const output_error& e) {
      reason = e.what();
    }
  }
  end_unless_sound(reason);
}

void restore_array(std::uint32_t number, std::size_t element_bytes, const std::string& path,
                   const std::source_location& where) {
  const array_record& record = array_of(number);
  const machine::descriptor file = opened(path, O_RDONLY);
  const auto read = [&](std::byte* at, std::uint64_t n, off_t offset) { return ::pread(file.get(), at, n, offset); };
  file_head head;
  int error = file.get() < 0 ? errno : move_all(read, reinterpret_cast<std::byte*>(&head), sizeof head, 0);
  if (const failure f = first_failure(reason_of(error), where); f.rank >= 0) {
    throw input_error(path, 0, "an array cannot be restored: " + f.text());
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
  error = for_each_run(record, element_bytes, [&](std::byte* at, std::uint64_t bytes, std::uint64_t offset) {
    return move_all(read, at, bytes, offset);
  });
  if (const failure f = first_failure(reason_of(error), where); f.rank >= 0) {
    throw input_error(path, 0, "an array cannot be restored: " + f.text());
  }
}

}  // namespace callisto::global::detail

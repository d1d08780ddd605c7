// Collective operations, which the mains of all ranks call together, one at a time, and how ranks find that their mains
// call different operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <string_view>

namespace callisto::global {

/// The end of a file's path and a line: what travels of a place in the program.
struct portable_place {
  std::uint32_t line = 0;
  std::array<char, 44> file{};  ///< ends with a zero

  portable_place() noexcept = default;
  explicit portable_place(const std::source_location& where) noexcept : line(where.line()) {
    std::string_view path = where.file_name();
    if (path.size() >= file.size()) {
      path.remove_prefix(path.size() - (file.size() - 1));
      if (const auto slash = path.find('/'); slash != std::string_view::npos) path.remove_prefix(slash + 1);
    }
    std::ranges::copy(path, file.begin());
  }
  /// Returns "FILE:LINE".
  std::string text() const { return std::string(file.data()) + ':' + std::to_string(line); }
};

/// A collective operation. Of two ranks, the operations with the same number have the same kind and bounds.
struct collective {
  enum class kinds : std::uint32_t {
    phase,
    loop,        ///< over the iterations [first, first + count)
    array_loop,  ///< over the `count` elements of the array number `first`
    reduction,   ///< or gathering, broadcast, barrier
    exchange,
    leaving,  ///< main has ended
  };
  kinds kind = kinds::phase;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::source_location where = std::source_location::current();
};

/// A rank's message to another rank about the collective operation in which its main is.
struct told_collective {
  std::uint64_t number = 0;  ///< from 1: how many it has called
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  collective::kinds kind = collective::kinds::phase;
  portable_place where;

  told_collective() noexcept = default;
  told_collective(std::uint64_t number_in, const collective& of) noexcept
      : number(number_in), first(of.first), count(of.count), kind(of.kind), where(of.where) {}

  bool agrees_with(const told_collective& other) const noexcept {
    return kind == other.kind && first == other.first && count == other.count;
  }
  /// Returns what follows "main ": "calls parallel_for over [0, 20) at a.cpp:12, as its collective operation 3".
  std::string text() const;
};

}  // namespace callisto::global

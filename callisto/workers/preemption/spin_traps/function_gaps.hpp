// Gaps between the functions of a program: what compilers leave between the end of one and the aligned beginning of the
// next, where no thread ever comes.
//
// The table by which exceptions find their handlers says where functions begin and how long they are: the sorted table
// of .eh_frame_hdr, and its entries in .eh_frame (Linux Standard Base 5.0, Core, 10.6). Compilers write it for every
// function, for C and Fortran, too. Code that no entry covers, and that is nothing but filling, is a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <link.h>

namespace callisto::workers {

class function_gaps {
 public:
  /// No functions.
  function_gaps() noexcept = default;
  /// Reads the table at offset `header` of `segment`, the memory that holds it and the entries. A table that is written
  /// in another way than GCC and Clang write it on x86-64 yields no functions. Reads nothing outside of `segment`,
  /// whatever that holds.
  function_gaps(std::span<const std::uint8_t> segment, std::size_t header) noexcept;

  /// Returns those of a program or library that is loaded.
  static function_gaps of(const dl_phdr_info& object) noexcept;

  struct gap {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;  ///< at most 15 bytes behind `begin`, and no later than the next function
  };
  /// Returns the gap behind the function that the instruction is in; nullopt: the function is unknown.
  std::optional<gap> behind(std::uintptr_t instruction) const noexcept;
  /// Returns the gap before that function.
  std::optional<gap> before(std::uintptr_t instruction) const noexcept;

 private:
  /// Returns the number of the last function that begins there or before; functions(): there is none.
  std::size_t last_from(std::uintptr_t address) const noexcept;
  std::uintptr_t begin_of(std::size_t function) const noexcept;
  std::optional<gap> gap_behind(std::size_t function) const noexcept;
  /// Returns where the function ends; 0: unknown.
  std::uintptr_t end_of(std::size_t function) const noexcept;
  std::size_t functions() const noexcept { return rows_.size() / row_bytes; }

  static constexpr std::size_t row_bytes = 8;

  std::span<const std::uint8_t> segment_;
  std::uintptr_t header_ = 0;           ///< the table's address, which rows are relative to
  std::span<const std::uint8_t> rows_;  ///< 4 bytes for a function's beginning, and 4 for its entry
};

}  // namespace callisto::workers

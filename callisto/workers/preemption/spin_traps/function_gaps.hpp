// Gaps between the functions of a program: what compilers leave between the end of one and the aligned beginning of the
// next, where nobody ever comes.
//
// Where functions begin and how long they are the table says by which exceptions find their handlers: the sorted one of
// .eh_frame_hdr, and its entries in .eh_frame (Linux Standard Base 5.0, Core, 10.6). Compilers write it for every
// function, for C and Fortran, too. What no entry covers, and is nothing but filling, is a gap.
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
  /// Those of the table that begins at offset `header` of `segment`, the memory that holds it and the entries. A table
  /// that is not written as GCC and Clang do on x86-64 has none. Reads nothing outside of `segment`, whatever it holds.
  function_gaps(std::span<const std::uint8_t> segment, std::size_t header) noexcept;

  /// Those of a program or library that is loaded.
  static function_gaps of(const dl_phdr_info& object) noexcept;

  struct gap {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;  ///< at most 15 bytes behind; no more than the next function's beginning
  };
  /// Behind the function that the instruction is in; nothing: it is in none that is known.
  std::optional<gap> behind(std::uintptr_t instruction) const noexcept;
  /// Before it.
  std::optional<gap> before(std::uintptr_t instruction) const noexcept;

 private:
  /// The number of the last function that begins there or before; functions(): there is none.
  std::size_t last_from(std::uintptr_t address) const noexcept;
  std::uintptr_t begin_of(std::size_t function) const noexcept;
  std::optional<gap> gap_behind(std::size_t function) const noexcept;
  /// 0: not known.
  std::uintptr_t end_of(std::size_t function) const noexcept;
  std::size_t functions() const noexcept { return rows_.size() / row_bytes; }

  static constexpr std::size_t row_bytes = 8;

  std::span<const std::uint8_t> segment_;
  std::uintptr_t header_ = 0;           ///< its address, which rows are relative to
  std::span<const std::uint8_t> rows_;  ///< of four bytes where a function begins, and four where its entry is
};

}  // namespace callisto::workers

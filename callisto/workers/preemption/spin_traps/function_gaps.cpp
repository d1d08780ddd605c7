// Functions and their ends, by .eh_frame_hdr and .eh_frame.
#include <callisto/workers/preemption/spin_traps/function_gaps.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace callisto::workers {
namespace {

template <class T>
T read(const std::uint8_t* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// DW_EH_PE_...: values of four bytes, relative to themselves, plain, and relative to the header.
constexpr std::uint8_t relative_to_itself = 0x1B;
constexpr std::uint8_t plain = 0x03;
constexpr std::uint8_t relative_to_header = 0x3B;

constexpr std::size_t header_bytes = 12;
/// The part of an entry that is read: its length, its kind, the function's beginning and its length.
constexpr std::size_t entry_bytes = 16;
constexpr std::uintptr_t alignment = 16;

std::uintptr_t address(const std::uint8_t* at) noexcept { return reinterpret_cast<std::uintptr_t>(at); }

}  // namespace

function_gaps::function_gaps(std::span<const std::uint8_t> segment, std::size_t header) noexcept {
  if (header > segment.size() || segment.size() - header < header_bytes) return;
  const std::uint8_t* const at = segment.data() + header;
  if (at[0] != 1 || at[1] != relative_to_itself || at[2] != plain || at[3] != relative_to_header) return;
  const std::size_t rows = read<std::uint32_t>(at + 8);
  if (rows > (segment.size() - header - header_bytes) / row_bytes) return;
  segment_ = segment;
  header_ = address(at);
  rows_ = segment.subspan(header + header_bytes, rows * row_bytes);
}

function_gaps function_gaps::of(const dl_phdr_info& object) noexcept {
  const std::span segments(object.dlpi_phdr, object.dlpi_phnum);
  for (const auto& table : segments) {
    if (table.p_type != PT_GNU_EH_FRAME) continue;
    for (const auto& s : segments) {
      const std::uintptr_t header = table.p_vaddr - s.p_vaddr;
      if (s.p_type == PT_LOAD && (s.p_flags & PF_R) != 0 && table.p_vaddr >= s.p_vaddr && header < s.p_filesz)
        return {{reinterpret_cast<const std::uint8_t*>(object.dlpi_addr + s.p_vaddr), s.p_filesz}, header};
    }
  }
  return {};
}

std::optional<function_gaps::gap> function_gaps::behind(std::uintptr_t instruction) const noexcept {
  const std::size_t function = last_from(instruction);
  if (function == functions() || instruction >= end_of(function)) return std::nullopt;
  return gap_behind(function);
}

std::optional<function_gaps::gap> function_gaps::before(std::uintptr_t instruction) const noexcept {
  const std::size_t function = last_from(instruction);
  if (function == functions() || function == 0 || instruction >= end_of(function)) return std::nullopt;
  return gap_behind(function - 1);
}

std::optional<function_gaps::gap> function_gaps::gap_behind(std::size_t function) const noexcept {
  const std::uintptr_t begin = end_of(function);
  if (begin == 0) return std::nullopt;
  std::uintptr_t end = (begin + alignment - 1) / alignment * alignment;
  if (function + 1 < functions()) end = std::min(end, begin_of(function + 1));
  if (end <= begin) return std::nullopt;
  return gap{begin, end};
}

std::size_t function_gaps::last_from(std::uintptr_t address) const noexcept {
  std::size_t low = 0;  // the functions below it begin there or before
  for (std::size_t high = functions(); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (begin_of(middle) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? functions() : low - 1;
}

std::uintptr_t function_gaps::begin_of(std::size_t function) const noexcept {
  return header_ + static_cast<std::uintptr_t>(read<std::int32_t>(&rows_[function * row_bytes]));
}

std::uintptr_t function_gaps::end_of(std::size_t function) const noexcept {
  const std::uintptr_t entry =
      header_ + static_cast<std::uintptr_t>(read<std::int32_t>(&rows_[function * row_bytes + 4]));
  const std::uintptr_t offset = entry - address(segment_.data());
  if (offset > segment_.size() || segment_.size() - offset < entry_bytes) return 0;
  const std::uint8_t* const at = segment_.data() + offset;
  // The entry repeats the beginning, which proves how it is written.
  const std::uintptr_t begin = entry + 8 + static_cast<std::uintptr_t>(read<std::int32_t>(at + 8));
  return begin == begin_of(function) ? begin + read<std::uint32_t>(at + 12) : 0;
}

}  // namespace callisto::workers

// Where the program's code is, and traps in it.
#include <callisto/workers/preemption/spin_traps/program_code.hpp>

#include <callisto/workers/preemption/spin_traps/function_gaps.hpp>
#include <callisto/workers/preemption/spin_traps/spin_jump.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace callisto::workers::spin_traps {
namespace {

constexpr std::uint8_t jump_opcode = 0xE9;
constexpr std::uint8_t no_operation = 0x90;
constexpr std::uintptr_t page_bytes = 4096;  // x86-64's
/// Bytes on each side of an instruction in which its loop is looked for: more than 16 instructions.
constexpr std::size_t reach = 256;

// From note_program():
/// Executable segments of the program itself.
std::array<std::span<const std::uint8_t>, 4> text;
function_gaps gaps;
bool can_jump = false;

/// For dl_iterate_phdr(), which has the program first.
int note_segments(dl_phdr_info* object, std::size_t, void*) noexcept {
  constexpr auto readable_code = PF_R | PF_X;
  std::size_t found = 0;
  for (const auto& segment : std::span(object->dlpi_phdr, object->dlpi_phnum))
    if (segment.p_type == PT_LOAD && (segment.p_flags & readable_code) == readable_code && found < text.size())
      text[found++] = {reinterpret_cast<const std::uint8_t*>(object->dlpi_addr + segment.p_vaddr), segment.p_filesz};
  gaps = function_gaps::of(*object);
  return 1;
}

/// Maps an executable page there, if it is free.
bool map_page(std::uintptr_t address) noexcept {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const got =
      mmap(wanted, page_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) return true;
  if (got != MAP_FAILED) munmap(got, page_bytes);  // a kernel before Linux 4.17
  return false;
}

/// Returns memory for so much code, within reach of jumps from the program's; 0: there is none.
std::uintptr_t take_room(std::size_t bytes) noexcept {
  constexpr std::uintptr_t pages = 2;
  static std::uintptr_t next = 0;
  static std::uintptr_t end = 0;
  if (next == 0) {
    const auto program = reinterpret_cast<std::uintptr_t>(text[0].data()) & ~(page_bytes - 1);
    for (std::uintptr_t back = 64 * page_bytes; back <= 64 * 64 * page_bytes && back < program && next == 0;
         back += 64 * page_bytes) {
      const std::uintptr_t begin = program - back;
      if (!map_page(begin)) continue;
      next = begin;
      end = begin + page_bytes;
      while (end < begin + pages * page_bytes && map_page(end)) end += page_bytes;
    }
  }
  if (end - next < bytes) return 0;
  return std::exchange(next, next + bytes);
}

/// Takes exactly these bytes of memory. False: their page is in use, and not by traps.
bool take_exactly(std::uintptr_t address, std::size_t bytes) noexcept {
  static std::array<std::uintptr_t, 64> ours{};
  for (std::uintptr_t page = address & ~(page_bytes - 1); page < address + bytes; page += page_bytes) {
    if (std::find(ours.begin(), ours.end(), page) != ours.end()) continue;
    const auto free = std::find(ours.begin(), ours.end(), 0);
    if (free == ours.end() || !map_page(page)) return false;
    *free = page;
  }
  return true;
}

/// Returns an address in this gap with room for a jump, which no other trap uses and a branch that ends at `branch_end`
/// reaches; 0: there is none.
std::uintptr_t find_room(const function_gaps::gap& gap, std::uintptr_t branch_end) noexcept {
  const place p = around(gap.begin);
  const std::size_t bytes = gap.end - gap.begin;
  if (p.code.size() - p.at < bytes) return 0;
  std::span<const std::uint8_t> rest = p.code.subspan(p.at, bytes);
  // Skips the jumps of other traps; filling does not begin so.
  while (rest.size() >= spin_jump::jump_bytes && rest[0] == jump_opcode) rest = rest.subspan(spin_jump::jump_bytes);
  const std::uintptr_t at = gap.end - rest.size();
  const auto distance = static_cast<std::ptrdiff_t>(at - branch_end);
  const bool can =
      rest.size() >= spin_jump::jump_bytes && is_filling(rest) && distance >= INT8_MIN && distance <= INT8_MAX;
  return can ? at : 0;
}

/// Makes the branch lead to a landing by way of this gap. False: impossible.
bool jump_by_gap(trapped_loop& w, const std::optional<function_gaps::gap>& gap) noexcept {
  const std::uintptr_t branch_end = w.branch() + w.loop.branch_bytes;
  const std::uintptr_t from = gap ? find_room(*gap, branch_end) : 0;
  const std::uintptr_t to = from != 0 ? take_room(spin_jump::landing_bytes) : 0;
  if (to == 0) return false;
  const auto landing = spin_jump::landing(to, w.begin);
  const auto jump = spin_jump::jump(from, to);
  if (!landing || !jump || !write_code(to, *landing)) return false;
  // What the jump leaves of the filling stays filling.
  std::array<std::uint8_t, 16> filled;
  filled.fill(no_operation);
  std::copy(jump->begin(), jump->end(), filled.begin());
  if (!write_code(from, std::span(filled).first(gap->end - from))) return false;
  w.at = w.branch() + 1;
  w.original = *reinterpret_cast<const std::uint8_t*>(w.at);
  w.trapped = static_cast<std::uint8_t>(from - branch_end);
  w.room = to;
  w.room_end = to + spin_jump::landing_bytes - 1;
  return true;
}

/// Makes the flush in the loop a jump to a landing. False: there is none, or it is impossible.
bool jump_by_flush(trapped_loop& w, std::span<const std::uint8_t> code) noexcept {
  const std::optional<std::size_t> flush = find_flush(code, w.loop);
  if (!flush) return false;
  constexpr std::uintptr_t distance = 0x240C8348;  // of its second byte and the three behind it
  const auto base = reinterpret_cast<std::uintptr_t>(code.data());
  const std::uintptr_t from = base + *flush;
  const std::uintptr_t by = from + spin_jump::jump_bytes + distance;
  const std::uintptr_t to = take_room(sizeof(spin_pass::code) + spin_jump::landing_bytes);
  if (to == 0) return false;
  const std::optional<spin_pass> pass = copy_pass(code, w.loop, *flush, static_cast<std::ptrdiff_t>(to - base));
  if (!pass) return false;
  const auto landing = spin_jump::landing(to + pass->bytes, w.begin);
  const auto jump = spin_jump::jump(by, to);
  if (!landing || !jump || !take_exactly(by, jump->size())) return false;
  if (!write_code(to, std::span(pass->code).first(pass->bytes)) || !write_code(to + pass->bytes, *landing) ||
      !write_code(by, *jump))
    return false;
  w.at = from;
  w.original = code[*flush];
  w.trapped = jump_opcode;
  w.room = to;
  w.room_end = to + pass->bytes + spin_jump::landing_bytes - 1;
  return true;
}

}  // namespace

// Opens the file each time: in a child of fork(), an open one would be the parent's memory.
bool write_code(std::uintptr_t address, std::span<const std::uint8_t> code) noexcept {
  const int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t written = pwrite(file, code.data(), code.size(), static_cast<off_t>(address));
  close(file);
  return written == static_cast<ssize_t>(code.size());
}

void note_program() noexcept {
  dl_iterate_phdr(note_segments, nullptr);
  can_jump = spin_jump::is_possible();
}

place around(std::uintptr_t instruction) noexcept {
  const auto* const at = reinterpret_cast<const std::uint8_t*>(instruction);
  for (const auto& segment : text) {
    if (at < segment.data() || at >= segment.data() + segment.size()) continue;
    const auto before = static_cast<std::size_t>(at - segment.data());
    const std::size_t first = before > reach ? before - reach : 0;
    return {segment.subspan(first, std::min(segment.size() - first, before - first + reach)), before - first};
  }
  return {};
}

trapped_loop make_trap(const spin_loop& loop, std::span<const std::uint8_t> code) noexcept {
  const auto base = reinterpret_cast<std::uintptr_t>(code.data());
  trapped_loop w{.begin = base + loop.begin, .loop = loop};
  constexpr std::uint8_t near_branch_bytes = 2;
  if (!can_jump) return w;
  const bool by_gap = loop.branch_bytes == near_branch_bytes &&
                      (jump_by_gap(w, gaps.behind(w.branch())) || jump_by_gap(w, gaps.before(w.branch())));
  if (!by_gap) jump_by_flush(w, code);
  return w;
}

}  // namespace callisto::workers::spin_traps

// Where the program's code is, and whether an instruction of it is in a loop that waits.
#include <callisto/workers/preemption/program_loops.hpp>

#if defined(__x86_64__)

#include <callisto/workers/preemption/spin_loop.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <link.h>

namespace callisto::workers {
namespace {

/// Bytes on each side of an instruction in which its loop is looked for: more than 16 instructions.
constexpr std::size_t reach = 256;

/// Executable segments of the program itself.
using segments = std::array<std::span<const std::uint8_t>, 4>;
segments text;

/// For dl_iterate_phdr(), which has the program first.
int note_segments(dl_phdr_info* object, std::size_t, void*) noexcept {
  constexpr auto readable_code = PF_R | PF_X;
  std::size_t found = 0;
  for (const auto& segment : std::span(object->dlpi_phdr, object->dlpi_phnum))
    if (segment.p_type == PT_LOAD && (segment.p_flags & readable_code) == readable_code && found < text.size())
      text[found++] = {reinterpret_cast<const std::uint8_t*>(object->dlpi_addr + segment.p_vaddr), segment.p_filesz};
  return 1;
}

bool waits_at(std::uintptr_t instruction) noexcept {
  const auto* const at = reinterpret_cast<const std::uint8_t*>(instruction);
  for (const auto& segment : text) {
    if (at < segment.data() || at >= segment.data() + segment.size()) continue;
    const auto before = static_cast<std::size_t>(at - segment.data());
    const std::size_t first = before > reach ? before - reach : 0;
    const auto code = segment.subspan(first, std::min(segment.size() - first, before - first + reach));
    return find_spin_loop(code, before - first).has_value();
  }
  return false;
}

}  // namespace

wait_test waits_of_program() {
  // The set of workers that gets the test starts its timers afterwards: a handler sees what this wrote.
  static const int noted = dl_iterate_phdr(note_segments, nullptr);
  static_cast<void>(noted);
  return waits_at;
}

}  // namespace callisto::workers

#else

namespace callisto::workers {

wait_test waits_of_program() {
  return [](std::uintptr_t) noexcept { return false; };
}

}  // namespace callisto::workers

#endif

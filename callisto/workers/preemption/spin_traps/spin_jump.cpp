// The way from a landing to the handler, and the code of landings.
#include <callisto/workers/preemption/spin_traps/spin_jump.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace callisto::workers::spin_jump {
namespace {

std::optional<std::uint32_t> distance(std::uintptr_t from, std::uintptr_t to) noexcept {
  const auto d = static_cast<std::int64_t>(to - from);
  if (d < INT32_MIN || d > INT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(d);
}

}  // namespace

std::optional<std::array<std::uint8_t, jump_bytes>> jump(std::uintptr_t from, std::uintptr_t to) noexcept {
  const auto d = distance(from + jump_bytes, to);
  if (!d) return std::nullopt;
  std::array<std::uint8_t, jump_bytes> code{0xE9};
  for (unsigned n = 0; n < 4; ++n) code[1 + n] = static_cast<std::uint8_t>(*d >> (8 * n));
  return code;
}

#if defined(__x86_64__)

// The parts of the processor's state that functions need not keep, and that the handler, and what runs until it
// returns, may change: the x87's, the vector registers of all widths, and APX's general ones. Not the tiles of AMX,
// which take kilobytes and hold nothing while a thread waits, nor the protection keys, which are the thread's.
constexpr std::uint64_t components = 0x1 | 0x2 | 0x4 | 0xE0 | (std::uint64_t{1} << 19);
// In the compacted form the parts follow each other: 512 + 64 + 256 + 64 + 512 + 1024 + 128 bytes (Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 1, section 13.4); all are multiples of 64, as some must be aligned.

extern "C" {
[[gnu::visibility("hidden"), gnu::used]] constinit std::uint64_t callisto_spin_jump_components = 0;
[[gnu::visibility("hidden"), gnu::used]] constinit handler callisto_spin_jump_handler = nullptr;
[[gnu::visibility("hidden")]] void callisto_spin_jump_entry();
}

// On the stack: the return address in the landing, the flags, and the program's red zone of 128 bytes.
asm(R"(
.text
.p2align 4
.type callisto_spin_jump_entry, @function
callisto_spin_jump_entry:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset rbp, 0
  movq %rsp, %rbp
  .cfi_def_cfa_register rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  subq $2560, %rsp
  andq $-64, %rsp
  xorl %eax, %eax
  movq %rax, 512(%rsp)
  movq %rax, 520(%rsp)
  movq %rax, 528(%rsp)
  movq %rax, 536(%rsp)
  movq %rax, 544(%rsp)
  movq %rax, 552(%rsp)
  movq %rax, 560(%rsp)
  movq %rax, 568(%rsp)
  movl callisto_spin_jump_components(%rip), %eax
  movl 4+callisto_spin_jump_components(%rip), %edx
  xsavec64 (%rsp)
  cld
  testb $1, 512(%rsp)
  jz 1f
  fninit
1:
  movq 8(%rbp), %rdi
  call *callisto_spin_jump_handler(%rip)
  movl callisto_spin_jump_components(%rip), %eax
  movl 4+callisto_spin_jump_components(%rip), %edx
  xrstor64 (%rsp)
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  .cfi_def_cfa rsp, 8
  .cfi_restore rbp
  ret
  .cfi_endproc
.size callisto_spin_jump_entry, .-callisto_spin_jump_entry
)");

bool is_possible() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned has_xgetbv = 1U << 27;
  constexpr unsigned has_xsavec = 1U << 1;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & has_xgetbv) == 0) return false;
  if (__get_cpuid_count(0xD, 1, &a, &b, &c, &d) == 0 || (a & has_xsavec) == 0) return false;
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  callisto_spin_jump_components = (std::uint64_t{high} << 32 | low) & components;
  return true;
}

void call(handler h) noexcept { callisto_spin_jump_handler = h; }

std::optional<std::array<std::uint8_t, landing_bytes>> landing(std::uintptr_t address, std::uintptr_t begin) noexcept {
  // The entry may be anywhere in memory, so its address stands behind the code.
  std::array<std::uint8_t, landing_bytes> code{0x48, 0x8D, 0x64, 0x24, 0x80,             // lea -128(%rsp),%rsp
                                               0x9C,                                     // pushfq
                                               0xFF, 0x15, 20,   0,    0,    0,          // call *20(%rip)
                                               0x9D,                                     // popfq
                                               0x48, 0x8D, 0xA4, 0x24, 0x80, 0,   0, 0,  // lea 128(%rsp),%rsp
                                               0xE9, 0,    0,    0,    0,                // jmp begin
                                               0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC};      // filling
  constexpr std::size_t jump_at = 21;
  constexpr std::size_t entry_at = 32;
  const auto back = jump(address + jump_at, begin);
  if (!back) return std::nullopt;
  for (std::size_t n = 0; n < jump_bytes; ++n) code[jump_at + n] = (*back)[n];
  const auto entry = reinterpret_cast<std::uintptr_t>(&callisto_spin_jump_entry);
  for (unsigned n = 0; n < 8; ++n) code[entry_at + n] = static_cast<std::uint8_t>(entry >> (8 * n));
  return code;
}

#else

bool is_possible() noexcept { return false; }
void call(handler) noexcept {}
std::optional<std::array<std::uint8_t, landing_bytes>> landing(std::uintptr_t, std::uintptr_t) noexcept {
  return std::nullopt;
}

#endif

}  // namespace callisto::workers::spin_jump

// Calls from the middle of a program's code change nothing that the program could see.
#include <callisto/workers/preemption/spin_traps/spin_jump.hpp>

#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <cpuid.h>
#include <sys/mman.h>

/// The general registers without the stack pointer, the flags, and the ends of the red zone.
struct general {
  std::array<std::uint64_t, 15> registers;  // rax, rbx, rcx, rdx, rsi, rdi, rbp, r8 to r15
  std::uint64_t flags;
  std::uint64_t red_first, red_last;
};

extern "C" {
/// Jumps to `target` with all of that in place, and notes what it finds at callisto_probe_back.
[[gnu::visibility("hidden")]] void callisto_probe(std::uintptr_t target, const general* in, general* out,
                                                  const void* vectors_in, void* vectors_out, std::uint64_t components);
[[gnu::visibility("hidden")]] void callisto_probe_back();
}

asm(R"(
.text
.type callisto_probe, @function
callisto_probe:
  .cfi_startproc
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  pushq %rdx
  pushq %r8
  pushq %r9
  subq $16, %rsp
  movq %rdi, (%rsp)
  movq %r9, %rax
  movq %r9, %rdx
  shrq $32, %rdx
  xrstor64 (%rcx)
  pushq 120(%rsi)
  popfq
  movq 128(%rsi), %rax
  movq %rax, -8(%rsp)
  movq 136(%rsi), %rax
  movq %rax, -128(%rsp)
  movq 0(%rsi), %rax
  movq 8(%rsi), %rbx
  movq 16(%rsi), %rcx
  movq 24(%rsi), %rdx
  movq 40(%rsi), %rdi
  movq 48(%rsi), %rbp
  movq 56(%rsi), %r8
  movq 64(%rsi), %r9
  movq 72(%rsi), %r10
  movq 80(%rsi), %r11
  movq 88(%rsi), %r12
  movq 96(%rsi), %r13
  movq 104(%rsi), %r14
  movq 112(%rsi), %r15
  movq 32(%rsi), %rsi
  jmp *(%rsp)
.globl callisto_probe_back
.hidden callisto_probe_back
callisto_probe_back:
  movq %rsi, 8(%rsp)
  movq 32(%rsp), %rsi
  movq %rax, 0(%rsi)
  movq %rbx, 8(%rsi)
  movq %rcx, 16(%rsi)
  movq %rdx, 24(%rsi)
  movq %rdi, 40(%rsi)
  movq %rbp, 48(%rsi)
  movq %r8, 56(%rsi)
  movq %r9, 64(%rsi)
  movq %r10, 72(%rsi)
  movq %r11, 80(%rsi)
  movq %r12, 88(%rsi)
  movq %r13, 96(%rsi)
  movq %r14, 104(%rsi)
  movq %r15, 112(%rsi)
  movq 8(%rsp), %rax
  movq %rax, 32(%rsi)
  movq -8(%rsp), %rax
  movq %rax, 128(%rsi)
  movq -128(%rsp), %rax
  movq %rax, 136(%rsi)
  pushfq
  popq 120(%rsi)
  cld
  movq 24(%rsp), %rcx
  movq 16(%rsp), %rax
  movq %rax, %rdx
  shrq $32, %rdx
  xsave64 (%rcx)
  fninit
  addq $16, %rsp
  popq %r9
  popq %r8
  popq %rdx
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
  .cfi_endproc
.size callisto_probe, .-callisto_probe
)");

namespace callisto::workers {
namespace {

/// The processor's vector registers, as XSAVE numbers them: bits, and the offset of each in its area.
struct vectors {
  static constexpr std::size_t legacy_bytes = 512;
  static constexpr std::size_t first_register = 32;  // of the x87
  static constexpr std::size_t legacy_end = 416;

  struct part {
    std::size_t at, bytes;
  };

  vectors() {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    components = low & 0xE7;
    for (unsigned n = 2; n < 8; ++n) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      __get_cpuid_count(0xD, n, &a, &b, &c, &d);
      if ((components >> n & 1) != 0) parts.push_back({b, a});
    }
    for (const part& p : parts) area_bytes = std::max(area_bytes, p.at + p.bytes);
  }

  std::uint64_t components = 0;
  std::vector<part> parts;
  std::size_t area_bytes = legacy_bytes + 64;
};

struct alignas(64) line {
  std::array<std::uint8_t, 64> bytes{};
};
using area = std::vector<line>;
std::uint8_t* bytes_of(area& a) { return a.front().bytes.data(); }

struct {
  unsigned calls = 0;
  std::uintptr_t landing = 0;
  bool is_forward = false;
  std::uint16_t x87_status = 0;
  bool has_avx = false;
} seen;

void clobber(std::uintptr_t landing) noexcept {
  ++seen.calls;
  seen.landing = landing;
  std::uint64_t flags = 0;
  asm volatile("pushfq\n\tpopq %0" : "=r"(flags));
  seen.is_forward = (flags & 0x400) == 0;
  // As many values as the x87 has room for: functions find it empty.
  asm volatile("fnclex\n\tfldz\n\tfldz\n\tfldz\n\tfldz\n\tfldz\n\tfldz\n\tfldz\n\tfldz\n\tfnstsw %0\n\tfninit"
               : "=m"(seen.x87_status));
  if (seen.has_avx) {
    asm volatile("vzeroall" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
  } else {
    asm volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm15, %%xmm15" ::: "xmm0", "xmm15");
  }
  asm volatile(
      "xorl %%eax, %%eax\n\txorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\txorl %%esi, %%esi\n\txorl %%edi, %%edi\n\t"
      "xorl %%r8d, %%r8d\n\txorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d" ::
          : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
}

TEST(SpinJump, ACallChangesNothing) {
  if (!spin_jump::is_possible()) GTEST_SKIP() << "this processor has no XSAVEC";
  const vectors v;
  seen.has_avx = (v.components & 4) != 0;
  // Near enough for a jump of four bytes.
  constexpr std::uintptr_t page = 4096;
  const auto back = reinterpret_cast<std::uintptr_t>(&callisto_probe_back);
  void* room = MAP_FAILED;
  for (std::uintptr_t away = 16; room == MAP_FAILED && away < 4096; away *= 2)
    room = mmap(reinterpret_cast<void*>((back & ~(page - 1)) - away * page), page, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  const auto at = reinterpret_cast<std::uintptr_t>(room);
  const auto code = spin_jump::landing(at, back);
  ASSERT_TRUE(code);
  std::memcpy(room, code->data(), code->size());
  ASSERT_EQ(mprotect(room, page, PROT_READ | PROT_EXEC), 0);
  spin_jump::call(clobber);

  std::mt19937_64 random(1);
  for (unsigned round = 0; round < 200; ++round) {
    general in{}, out{};
    for (auto& r : in.registers) r = random();
    in.red_first = random();
    in.red_last = random();
    // Carry, parity, adjust, zero, sign, direction, overflow; and the bit that is always set.
    in.flags = (random() & 0xCD5) | 0x202;
    area vectors_in((v.area_bytes + 63) / 64), vectors_out(vectors_in.size());
    std::uint8_t* const from = bytes_of(vectors_in);
    // For the x87 its usual control word, all registers in use, and mostly numbers; for vectors their control word.
    const std::uint16_t control = 0x37F;
    const std::uint32_t vector_control = 0x1F80 | (round % 4) << 13;
    std::memcpy(from, &control, sizeof control);
    from[4] = round % 2 == 0 ? 0xFF : 0;
    std::memcpy(from + 24, &vector_control, sizeof vector_control);
    for (std::size_t n = vectors::first_register; n < vectors::legacy_end; ++n)
      from[n] = static_cast<std::uint8_t>(random());
    for (std::size_t r = 0; r < 8; ++r) {
      // The padding of a value of eighty bits.
      std::memset(from + vectors::first_register + 16 * r + 10, 0, 6);
      from[vectors::first_register + 16 * r + 7] |= 0x80;
    }
    for (const auto& p : v.parts)
      for (std::size_t n = 0; n < p.bytes; ++n) from[p.at + n] = static_cast<std::uint8_t>(random());
    std::memcpy(from + vectors::legacy_bytes, &v.components, sizeof v.components);

    callisto_probe(at, &in, &out, from, bytes_of(vectors_out), v.components);

    ASSERT_EQ(seen.calls, round + 1);
    EXPECT_GE(seen.landing, at);
    EXPECT_LT(seen.landing, at + spin_jump::landing_bytes);
    EXPECT_TRUE(seen.is_forward);
    EXPECT_EQ(seen.x87_status & 0x41, 0) << "the x87 was empty";
    ASSERT_EQ(out.registers, in.registers);
    EXPECT_EQ(out.flags, in.flags);
    EXPECT_EQ(out.red_first, in.red_first);
    EXPECT_EQ(out.red_last, in.red_last);
    const std::uint8_t* const to = bytes_of(vectors_out);
    EXPECT_EQ(std::memcmp(to, from, 2), 0) << "the x87's control word";
    EXPECT_EQ(to[4], from[4]);
    EXPECT_EQ(std::memcmp(to + 24, from + 24, 4), 0) << "the vectors' control word";
    EXPECT_EQ(std::memcmp(to + vectors::first_register, from + vectors::first_register,
                          vectors::legacy_end - vectors::first_register),
              0);
    for (const auto& p : v.parts) EXPECT_EQ(std::memcmp(to + p.at, from + p.at, p.bytes), 0) << p.at;
  }
  spin_jump::call(nullptr);
  munmap(room, page);
}

TEST(SpinJump, IsImpossibleOverTooFar) {
  constexpr std::uintptr_t far = std::uintptr_t{1} << 31;
  EXPECT_FALSE(spin_jump::jump(far * 4, far * 4 + far + spin_jump::jump_bytes));
  EXPECT_TRUE(spin_jump::jump(far * 4, far * 4 + far + spin_jump::jump_bytes - 1));
  EXPECT_TRUE(spin_jump::jump(far * 4, far * 3 + spin_jump::jump_bytes));
  EXPECT_FALSE(spin_jump::jump(far * 4, far * 3 + spin_jump::jump_bytes - 1));
  EXPECT_FALSE(spin_jump::landing(far * 4, far * 8));
  const std::array<std::uint8_t, 5> expected{0xE9, 0xFB, 0xFF, 0xFF, 0xFF};
  EXPECT_EQ(spin_jump::jump(0x1000, 0x1000), expected);
}

}  // namespace
}  // namespace callisto::workers
#endif

// The calling thread's floating-point environment: rounding, exceptions that trap, denormals as zero.
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace callisto::machine {

/// How a thread rounds, traps and treats denormals. The flags of past exceptions are not part of it. Any thread may use
/// it for itself; reading takes a few nanoseconds, applying the same unless the environments differ.
class floating_environment {
 public:
  /// Returns the calling thread's.
  static floating_environment here() noexcept {
    floating_environment now;
#if defined(__x86_64__)
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(now.mxcsr_), "=m"(now.x87_));
    now.mxcsr_ &= ~past_exceptions;
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(now.fpcr_));
#else
    now.rounding_ = std::fegetround();
#endif
    return now;
  }

  /// Makes it the calling thread's.
  void apply() const noexcept {
    const floating_environment now = here();
    if (now == *this) [[likely]]
      return;
#if defined(__x86_64__)
    asm volatile("ldmxcsr %0" : : "m"(mxcsr_));
    if (now.x87_ != x87_) asm volatile("fldcw %0" : : "m"(x87_));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(fpcr_));
#else
    std::fesetround(rounding_);
#endif
  }

  bool operator==(const floating_environment&) const noexcept = default;

 private:
#if defined(__x86_64__)
  static constexpr std::uint32_t past_exceptions = 0x3f;
  std::uint32_t mxcsr_ = 0;
  std::uint16_t x87_ = 0;
#elif defined(__aarch64__)
  std::uint64_t fpcr_ = 0;
#else
  int rounding_ = 0;
#endif
};

}  // namespace callisto::machine

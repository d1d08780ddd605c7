// Frames of ticks on x86-64 and AArch64.
#include <callisto/workers/preemption/tick_frame.hpp>

#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/thread_timer.hpp>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace callisto::workers::ticks {

namespace {

// For the handler: found by one load, without a call, under any identity.
constinit thread_local unsigned calls_ended [[gnu::tls_model("initial-exec")]] = 0;
constinit thread_local long last_ended_with [[gnu::tls_model("initial-exec")]] = 0;

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool sees_ended_calls = true;
#else
constexpr bool sees_ended_calls = false;
#endif

/// True if the interrupted thread waited in a system call: the kernel had the call begin anew, as SA_RESTART says, or
/// ended it with EINTR. A thread that is about to make a call looks the same.
bool is_in_call([[maybe_unused]] const mcontext_t& machine) noexcept {
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 2> call{0x0F, 0x05};
  const auto at = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  const auto is_call = [&](std::uintptr_t where) {
    // Both bytes are in the page of the interrupted instruction, which can be read.
    constexpr std::uintptr_t least_page = 4096;
    return where / least_page == at / least_page && (where + 1) / least_page == at / least_page &&
           std::memcmp(reinterpret_cast<const void*>(where), call.data(), call.size()) == 0;
  };
  return is_call(at) || (machine.gregs[REG_RAX] == -EINTR && is_call(at - call.size()));
#else
  return false;
#endif
}

}  // namespace

interruption read_interruption(const void* frame, const siginfo_t& how, std::uint64_t period) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(frame)->uc_mcontext;
  interruption at;
  at.is_call = how.si_code == call_code;
  at.is_late = !at.is_call && how.si_overrun != 0;
  at.is_in_call = is_in_call(machine);
  at.period = period;
#if defined(__x86_64__)
  at.instruction = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  // All registers but the instruction's address and the flags, which depend on where a comparison was interrupted.
  static_assert(REG_R8 == 0 && REG_RSP == 15 && REG_RIP == 16);
  for (int r = REG_R8; r <= REG_RSP; ++r)
    at.registers = std::rotl(at.registers, 5) * 0x9E3779B97F4A7C15 + static_cast<std::uint64_t>(machine.gregs[r]);
#elif defined(__aarch64__)
  at.instruction = machine.pc;
  at.registers = machine.sp;
  for (const std::uint64_t r : machine.regs) at.registers = std::rotl(at.registers, 5) * 0x9E3779B97F4A7C15 + r;
#else
  static_cast<void>(machine);
#endif
  return at;
}

void note_ended_call(const void* frame) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(frame)->uc_mcontext;
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 2> call{0x0F, 0x05};
  const auto next = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  const auto result = static_cast<long>(machine.gregs[REG_RAX]);
#elif defined(__aarch64__)
  constexpr std::array<unsigned char, 4> call{0x01, 0x00, 0x00, 0xD4};
  const auto next = static_cast<std::uintptr_t>(machine.pc);
  const auto result = static_cast<long>(machine.regs[0]);
#else
  constexpr std::array<unsigned char, 0> call{};
  const std::uintptr_t next = 0;
  const long result = 0;
  static_cast<void>(machine);
#endif
  // Code in the same page as the next instruction can be read. At the beginning of a page the last instruction is taken
  // for a call; tick_ended_call() compares the result.
  constexpr std::uintptr_t least_page = 4096;
  if (next % least_page >= call.size() &&
      std::memcmp(reinterpret_cast<const void*>(next - call.size()), call.data(), call.size()) != 0)
    return;
  last_ended_with = result;
  ++calls_ended;
}

machine::signal_bits mask_in(const void* frame) noexcept {
  machine::signal_bits mask = 0;
  std::memcpy(&mask, &static_cast<const ucontext_t*>(frame)->uc_sigmask, sizeof mask);
  return mask;
}

void return_as_this_thread(void* frame) noexcept {
  stack_t& alternate = static_cast<ucontext_t*>(frame)->uc_stack;
  stack_t here{};
  syscall(SYS_sigaltstack, nullptr, &here);
  // A stack of the program's that the kernel disarms while a handler runs is in the frame only.
  constexpr auto disarms_itself = std::uint32_t{1} << 31;
  if ((static_cast<std::uint32_t>(alternate.ss_flags) & disarms_itself) == 0) alternate = here;
}

}  // namespace callisto::workers::ticks

namespace callisto::workers {

unsigned calls_ended_by_ticks() noexcept { return ticks::calls_ended; }
bool tick_ended_call(unsigned before, long result) noexcept {
  return ticks::calls_ended != before && (!ticks::sees_ended_calls || ticks::last_ended_with == result);
}

}  // namespace callisto::workers

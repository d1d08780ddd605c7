// The frame of a tick: functions that read facts about the interrupted thread from it, and write into it for the
// handler. For the sources of this folder.
#pragma once

#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/workers/preemption/interruption.hpp>

#include <csignal>
#include <cstdint>

namespace callisto::workers::ticks {

/// Reads the frame that the kernel has made of the interrupted thread.
interruption read_interruption(const void* frame, const siginfo_t& how, std::uint64_t period) noexcept;
/// If the interrupted thread stands just behind a system call, a tick has ended the call, with what is in the register
/// for results: notes that. A call that is to be made again, as SA_RESTART says, has the thread stand before it.
void note_ended_call(const void* frame) noexcept;
/// Returns what the interrupted thread blocked. The frame has the kernel's set, which is shorter than the C library's.
machine::signal_bits mask_in(const void* frame) noexcept;
/// The interrupted activation resumes on the calling thread, not necessarily the thread it was interrupted on. Writes
/// this thread's alternate stack into the frame, from which the kernel sets it. A thread with another thread's
/// alternate stack would run handlers on top of that thread's. The mask is that of what goes on.
void return_as_this_thread(void* frame) noexcept;

}  // namespace callisto::workers::ticks

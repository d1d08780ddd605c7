// Which signals workers block, what runs on their threads, and what the program blocks beyond that. For the sources of
// this folder.
#pragma once

#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/workers/preemption/thread_timer.hpp>

namespace callisto::workers::ticks {

/// Notes what workers block, which is alike for all.
void workers_have_mask(machine::signal_bits mask) noexcept;
/// Returns what workers block, and what runs on them unless the program says otherwise.
machine::signal_bits usual_mask() noexcept;
/// True if one of these signals has come for the calling thread, or for a process that blocks it everywhere.
bool is_pending(machine::signal_bits which) noexcept;
/// True if the program blocks more than usual there, as in one of its handlers. If the handler were left, its mask
/// would stay on this thread, and the handler would go on with another's. Often a tick finds a handler at its first
/// instruction: the kernel delivers both signals when a system call returns. A mask that stays for long becomes usual;
/// later if there are alternate stacks, since a handler that ends on another thread than it began on changes that
/// thread's (return_as_this_thread()).
bool has_more_blocked(thread_timer& p, const void* frame) noexcept;

}  // namespace callisto::workers::ticks

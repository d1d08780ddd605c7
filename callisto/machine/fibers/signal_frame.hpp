// The frame that the kernel makes on a stack for a handler of signals. A handler on an alternate stack must not be left
// for another context: the next signal on that stack would overwrite its frame. So the frame moves first, to a stack
// that nothing else uses, and the handler goes on there. The frame is self-contained: wherever it stands, returning
// from it continues what was interrupted.
#pragma once

#include <signal.h>

namespace callisto::machine {

/// True if a handler's frame, given by its `context` argument, stands on the interrupted thread's alternate stack.
bool is_on_alternate_stack(const void* context) noexcept;

/// True if what was interrupted stood on the thread's alternate stack.
bool has_interrupted_alternate_stack(const void* context) noexcept;

/// Moves a handler's frame from the alternate stack, where it interrupted another stack, to the free stack below
/// `stack`. Then calls call(info, context) there, and returns from the signal. x86-64 only; elsewhere
/// it calls call() where it is, and returns.
void move_signal_frame(void* stack, siginfo_t* info, void* context, void (*call)(siginfo_t*, void*)) noexcept;

}  // namespace callisto::machine

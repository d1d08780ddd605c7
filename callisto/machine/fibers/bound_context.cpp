// The switch of bound contexts: that of fibers, without what belongs to other threads.
#include <callisto/machine/fibers/bound_context.hpp>

#include <callisto/machine/fibers/exception_globals.hpp>
#include <callisto/machine/fibers/stack_switch.hpp>
#include <callisto/machine/system/sanitizers.hpp>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define CALLISTO_WATCHED_CONTEXTS 1
#endif
#if defined(CALLISTO_UNDER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define CALLISTO_WATCHED_CONTEXTS 1
#endif
#if defined(CALLISTO_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#define CALLISTO_WATCHED_CONTEXTS 1
#endif

namespace callisto::machine {

struct bound_context::watched {
  entry start = nullptr;
  void* argument = nullptr;
#if !defined(__x86_64__) && !defined(__aarch64__)
  ucontext_t context;
#endif
#if defined(CALLISTO_UNDER_ASAN)
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  static inline thread_local watched* left = nullptr;
#endif
#if defined(CALLISTO_UNDER_TSAN)
  void* tsan = nullptr;
  bool own = false;  ///< made for a stack of ours
#endif

  /// Runs first on a context after a switch.
  [[gnu::noinline]] void arrive() noexcept {
#if defined(CALLISTO_UNDER_ASAN)
    __sanitizer_finish_switch_fiber(fake_stack, &left->bottom, &left->bytes);
#endif
  }
};

bound_context::~bound_context() {
#if defined(CALLISTO_UNDER_TSAN)
  if (watched_ != nullptr && watched_->own) __tsan_destroy_fiber(watched_->tsan);
#endif
  delete watched_;
}

void bound_context::become_this_threads() {
#if defined(CALLISTO_WATCHED_CONTEXTS)
  if (watched_ == nullptr) watched_ = new watched;
#endif
#if defined(CALLISTO_UNDER_TSAN)
  watched_->tsan = __tsan_get_current_fiber();
#endif
}

void bound_context::first_entry(void* self) noexcept {
  watched& w = *static_cast<watched*>(self);
  w.arrive();
  w.start(w.argument);
  __builtin_trap();
}

void bound_context::prepare([[maybe_unused]] std::byte* bottom, std::byte* top, entry start, void* argument) {
  exceptions_ = {};
#if defined(CALLISTO_WATCHED_CONTEXTS)
  if (watched_ == nullptr) watched_ = new watched;
  watched_->start = start;
  watched_->argument = argument;
#if defined(CALLISTO_UNDER_ASAN)
  // An earlier user of the memory may have left frames.
  __asan_unpoison_memory_region(bottom, static_cast<std::size_t>(top - bottom));
  watched_->fake_stack = nullptr;
  watched_->bottom = bottom;
  watched_->bytes = static_cast<std::size_t>(top - bottom);
#endif
#if defined(CALLISTO_UNDER_TSAN)
  if (!watched_->own) watched_->tsan = __tsan_create_fiber(0);
  watched_->own = true;
#endif
  start = &first_entry;
  argument = watched_;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  stack_ = first_frame(top, start, argument);
#else
  make_first_context<&first_entry>(watched_->context, bottom, static_cast<std::size_t>(top - bottom), watched_);
#endif
}

exceptions_in_flight& bound_context::of_this_thread() noexcept {
  return *reinterpret_cast<exceptions_in_flight*>(abi::__cxa_get_globals());
}

[[gnu::noinline]] void bound_context::switch_to(bound_context& from, bound_context& to,
                                                exceptions_in_flight& exceptions) noexcept {
  from.exceptions_ = exceptions;
  exceptions = to.exceptions_;
#if defined(CALLISTO_UNDER_TSAN)
  __tsan_switch_to_fiber(to.watched_->tsan, 0);
#endif
#if defined(CALLISTO_UNDER_ASAN)
  watched::left = from.watched_;
  __sanitizer_start_switch_fiber(&from.watched_->fake_stack, to.watched_->bottom, to.watched_->bytes);
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
  swapcontext(&from.watched_->context, &to.watched_->context);
  from.watched_->arrive();
#elif defined(CALLISTO_UNDER_ASAN)
  callisto_fiber_switch(&from.stack_, to.stack_);
  from.watched_->arrive();
#else
  // The last act, so that compilers make it a jump.
  callisto_fiber_switch(&from.stack_, to.stack_);
#endif
}

}  // namespace callisto::machine

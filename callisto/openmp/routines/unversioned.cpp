// The omp_* routines for objects that call them without a version.
//
// GCC's linker gives each reference the version of the libgomp that it found. A library that leaves the choice of its
// runtime to its user, as MKL does, has references without one, and the loader binds them to a preloaded library. Such
// a reference finds the first version of a library; so the first one is made of these forms, which programs never link
// to. Each asks which runtime the call is for (settings/other_runtimes.hpp), and goes on in that one's function.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/settings/other_runtimes.hpp>

#include <atomic>

namespace callisto::openmp {
namespace {

/// Returns how many regions of other runtimes the calling thread was in when it began the innermost region of ours. A
/// member was in none.
int others_around(const omp_thread* self) noexcept {
  return self != nullptr && self->at.number == 0 ? self->in().level_in_others : 0;
}

}  // namespace
}  // namespace callisto::openmp

using namespace callisto::openmp;

/// Returns the function that the call of `name` at `caller` is for. `here`: this library's function; null: it was not
/// looked up yet. relaxed: it has one value.
extern "C" [[gnu::visibility("hidden")]] void* callisto_openmp_choose(const char* name, const void* caller,
                                                                      std::atomic<void*>& here) noexcept {
  const chosen_runtime chosen = runtime_for(name, caller);
  void* function = chosen.function;
  if (chosen.of == chosen_runtime::kind::by_region) {
    int levels = 0;
    for (const auto& r : chosen.each) {
      const int level = r.level != nullptr ? r.level() : 0;
      if (level > 0) function = r.function;
      levels += level;
    }
    if (levels <= others_around(this_thread_or_null)) function = nullptr;
  }
  if (function != nullptr) return function;
  function = here.load(std::memory_order_relaxed);
  if (function == nullptr) here.store(function = function_here(name), std::memory_order_relaxed);
  return function;
}

#if defined(__x86_64__)
// Keeps the registers that have arguments: no routine has a floating-point argument.
asm(R"(
  .text
  .p2align 4
  .type callisto_openmp_forward, @function
callisto_openmp_forward:
  .cfi_startproc
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $8, %rsp
  .cfi_def_cfa_offset 64
  movq %r11, %rdi
  movq 56(%rsp), %rsi
  movq %r10, %rdx
  callq callisto_openmp_choose
  movq %rax, %r11
  addq $8, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  .cfi_def_cfa_offset 8
  jmpq *%r11
  .cfi_endproc
  .size callisto_openmp_forward, . - callisto_openmp_forward
)");

#define CALLISTO_ROUTINE(NAME)                                                \
  asm(".section .rodata.callisto_names, \"a\"\n"                              \
      ".Lcallisto_" #NAME ": .asciz \"" #NAME                                 \
      "\"\n"                                                                  \
      ".section .bss.callisto_here, \"aw\", @nobits\n"                        \
      ".p2align 3\n"                                                          \
      ".Lcallisto_here_" #NAME                                                \
      ": .zero 8\n"                                                           \
      ".text\n"                                                               \
      ".globl callisto_unversioned_" #NAME                                    \
      "\n"                                                                    \
      ".type callisto_unversioned_" #NAME                                     \
      ", @function\n"                                                         \
      "callisto_unversioned_" #NAME                                           \
      ":\n"                                                                   \
      ".cfi_startproc\n"                                                      \
      "endbr64\n"                                                             \
      "leaq .Lcallisto_" #NAME                                                \
      "(%rip), %r11\n"                                                        \
      "leaq .Lcallisto_here_" #NAME                                           \
      "(%rip), %r10\n"                                                        \
      "jmp callisto_openmp_forward\n"                                         \
      ".cfi_endproc\n"                                                        \
      ".size callisto_unversioned_" #NAME ", . - callisto_unversioned_" #NAME \
      "\n"                                                                    \
      ".symver callisto_unversioned_" #NAME ", " #NAME "@CALLISTO_UNVERSIONED\n");
#include "callisto_openmp_routines.inc"  // written by CMake, of libgomp.map
#endif

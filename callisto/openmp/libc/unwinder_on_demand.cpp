// The functions of libgcc_s that unwind the stack, found when an exception needs them.
//
// The compiler's code and the C++ library inside of this library call them. Nearly all programs that the library is
// preloaded into never do, but all would load libgcc_s when they start. The C library opens it in the same way, for
// pthread_exit(). One unwinder serves the process: the program's exceptions and this library's may cross.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <unwind.h>

namespace {

/// Returns a function of libgcc_s; ends the process without it.
void* find(const char* name) noexcept {
  void* const library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const found = library != nullptr ? dlsym(library, name) : nullptr;
  if (found != nullptr) return found;
  std::fprintf(stderr, "\nlibgomp: libgcc_s.so.1 must be installed for exceptions to work: no %s\n", name);
  std::abort();
}

/// Returns the function, and keeps its address in `kept`.
template <class F>
F* function(std::atomic<F*>& kept, const char* name) noexcept {
  // relaxed, both: the address is all that is handed over, and each thread finds the same.
  F* known = kept.load(std::memory_order_relaxed);
  if (known == nullptr) {
    known = reinterpret_cast<F*>(find(name));
    kept.store(known, std::memory_order_relaxed);
  }
  return known;
}

}  // namespace

// The version script hides them. Each goes on in the function of libgcc_s with its name, which unwinds through its
// frame, too.
#define CALLISTO_FORWARD(RESULT, NAME, PARAMETERS, ARGUMENTS)         \
  extern "C" RESULT NAME PARAMETERS {                                 \
    static constinit std::atomic<RESULT(*) PARAMETERS> kept{nullptr}; \
    return function(kept, #NAME) ARGUMENTS;                           \
  }

CALLISTO_FORWARD(_Unwind_Reason_Code, _Unwind_RaiseException, (_Unwind_Exception * e), (e))
CALLISTO_FORWARD(_Unwind_Reason_Code, _Unwind_Resume_or_Rethrow, (_Unwind_Exception * e), (e))
CALLISTO_FORWARD(void, _Unwind_DeleteException, (_Unwind_Exception * e), (e))
CALLISTO_FORWARD(_Unwind_Ptr, _Unwind_GetIPInfo, (_Unwind_Context * c, int* before), (c, before))
CALLISTO_FORWARD(void*, _Unwind_GetLanguageSpecificData, (_Unwind_Context * c), (c))
CALLISTO_FORWARD(_Unwind_Ptr, _Unwind_GetRegionStart, (_Unwind_Context * c), (c))
CALLISTO_FORWARD(_Unwind_Ptr, _Unwind_GetDataRelBase, (_Unwind_Context * c), (c))
CALLISTO_FORWARD(_Unwind_Ptr, _Unwind_GetTextRelBase, (_Unwind_Context * c), (c))
CALLISTO_FORWARD(void, _Unwind_SetGR, (_Unwind_Context * c, int number, _Unwind_Word value), (c, number, value))
CALLISTO_FORWARD(void, _Unwind_SetIP, (_Unwind_Context * c, _Unwind_Ptr at), (c, at))

extern "C" void _Unwind_Resume(_Unwind_Exception* e) {
  static constinit std::atomic<void (*)(_Unwind_Exception*)> kept{nullptr};
  function(kept, "_Unwind_Resume")(e);
  std::abort();  // It does not return.
}

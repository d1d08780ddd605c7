// abi::__cxa_get_globals(), which the C++ ABI prescribes: libstdc++ declares it, libc++abi only has it.
#pragma once

#include <cstddef>

#include <cxxabi.h>

#ifdef _LIBCPP_VERSION
namespace __cxxabiv1 {
extern "C" void* __cxa_get_globals() noexcept;
}
#endif

// The version of libgomp that this library imitates: that of the compiler that built it, because the system's libraries
// were built with the same one. GCC 13 changed libgomp's texts and its rules for absent devices. In GCC 16 the default
// device has a number, and a null pointer is present on no device.
#pragma once

namespace callisto::openmp {

#if defined(__GNUC__) && !defined(__clang__)
inline constexpr bool as_gcc_13 = __GNUC__ >= 13;
inline constexpr bool as_gcc_16 = __GNUC__ >= 16;
#else
inline constexpr bool as_gcc_13 = false;
inline constexpr bool as_gcc_16 = false;
#endif

}  // namespace callisto::openmp

// Which libgomp this library stands for: that of the compiler that built it, as the system's libraries are built. Its
// texts, and its rules for devices that are not there, changed with GCC 13. With GCC 16 the default device got a
// number, and null is present nowhere.
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

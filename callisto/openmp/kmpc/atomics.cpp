// Atomic operations that compilers call instead of instructions: Intel's many, clang's few. Integers and floating-point
// numbers of up to 8 bytes are exchanged by one instruction; larger types have a lock each.
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/locks/word_lock.hpp>

#include <bit>
#include <complex>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace callisto::openmp::kmpc {
namespace {

template <std::size_t Bytes>
struct word_of;
template <>
struct word_of<1> {
  using type = std::uint8_t;
};
template <>
struct word_of<2> {
  using type = std::uint16_t;
};
template <>
struct word_of<4> {
  using type = std::uint32_t;
};
template <>
struct word_of<8> {
  using type = std::uint64_t;
};

word_lock whole_lock;
template <class T>
word_lock lock_of;

/// Values before and after an update.
template <class T>
struct change {
  T before;
  T after;
};

/// Replaces *at by f(*at), atomically.
template <class T, class F>
change<T> update(T* at, F f) {
  if constexpr (sizeof(T) <= 8) {
    using word = typename word_of<sizeof(T)>::type;
    auto* const place = reinterpret_cast<word*>(at);
    word seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    for (;;) {
      const T before = std::bit_cast<T>(seen), after = static_cast<T>(f(before));
      // seq_cst: an atomic construct may order all memory.
      if (__atomic_compare_exchange_n(place, &seen, std::bit_cast<word>(after), true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED))
        return {before, after};
    }
  } else {
    const std::scoped_lock held(lock_of<T>);
    const T before = *at;
    return {before, *at = f(before)};
  }
}

template <class T>
T read(T* at) {
  if constexpr (sizeof(T) <= 8) {
    return std::bit_cast<T>(
        __atomic_load_n(reinterpret_cast<typename word_of<sizeof(T)>::type*>(at), __ATOMIC_SEQ_CST));
  } else {
    const std::scoped_lock held(lock_of<T>);
    return *at;
  }
}

template <class T>
T compare_and_swap(T* at, T expected, T desired) {
  // seq_cst: as above. Writes what it finds to `expected`.
  __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

/// Integers wrap around.
template <class T, class F>
T wrapping(T a, T b, F f) {
  using wide = std::conditional_t<(sizeof(T) < 4), u32, std::make_unsigned_t<T>>;
  return static_cast<T>(f(static_cast<wide>(a), static_cast<wide>(b)));
}

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp::kmpc;
using callisto::openmp::word_lock;

using fixed1 = std::int8_t;
using fixed2 = std::int16_t;
using fixed4 = std::int32_t;
using fixed8 = std::int64_t;
using fixed1u = std::uint8_t;
using fixed2u = std::uint16_t;
using fixed4u = std::uint32_t;
using fixed8u = std::uint64_t;
using float4 = float;
using float8 = double;
using float10 = long double;
// C's types, which are passed as registers' values.
using cmplx4 = float _Complex;
using cmplx8 = double _Complex;
using cmplx10 = long double _Complex;

#define CALLISTO_WRAP(symbol) [](auto p, auto q) { return p symbol q; }
#define CALLISTO_ADD(T, a, b) (wrapping<T>(a, b, CALLISTO_WRAP(+)))
#define CALLISTO_SUB(T, a, b) (wrapping<T>(a, b, CALLISTO_WRAP(-)))
#define CALLISTO_MUL(T, a, b) (wrapping<T>(a, b, CALLISTO_WRAP(*)))

/// T: the type. `value`: the new value, of `x` (the variable's) and `y` (the argument).
#define CALLISTO_UPDATE(T, name, Y, value)                                            \
  CALLISTO_OPENMP_ABI void __kmpc_atomic_##T##_##name(compiled_at, i32, T* at, Y y) { \
    update(at, [y](T x) { return static_cast<T>(value); });                           \
  }
/// The form that returns the value before or, with the flag, after.
#define CALLISTO_CAPTURE(T, name, value)                                                     \
  CALLISTO_OPENMP_ABI T __kmpc_atomic_##T##_##name(compiled_at, i32, T* at, T y, i32 flag) { \
    const change<T> c = update(at, [y](T x) { return static_cast<T>(value); });              \
    return flag != 0 ? c.after : c.before;                                                   \
  }
#define CALLISTO_BOTH(T, name, value) \
  CALLISTO_UPDATE(T, name, T, value)  \
  CALLISTO_CAPTURE(T, name##_cpt, value)
/// An operation that is not commutative, with its reverse.
#define CALLISTO_FOUR(T, name, value, reverse) \
  CALLISTO_BOTH(T, name, value)                \
  CALLISTO_UPDATE(T, name##_rev, T, reverse)   \
  CALLISTO_CAPTURE(T, name##_cpt_rev, reverse)
#define CALLISTO_READ(T) \
  CALLISTO_OPENMP_ABI T __kmpc_atomic_##T##_rd(compiled_at, i32, T* at) { return read(at); }
#define CALLISTO_WRITE(T)                                                         \
  CALLISTO_OPENMP_ABI void __kmpc_atomic_##T##_wr(compiled_at, i32, T* at, T y) { \
    update(at, [y](T) { return y; });                                             \
  }
#define CALLISTO_SWAP(T)                                                        \
  CALLISTO_OPENMP_ABI T __kmpc_atomic_##T##_swp(compiled_at, i32, T* at, T y) { \
    return update(at, [y](T) { return y; }).before;                             \
  }

#define CALLISTO_FIXED(T, U)                                            \
  CALLISTO_BOTH(T, add, CALLISTO_ADD(T, x, y))                          \
  CALLISTO_FOUR(T, sub, CALLISTO_SUB(T, x, y), CALLISTO_SUB(T, y, x))   \
  CALLISTO_BOTH(T, mul, CALLISTO_MUL(T, x, y))                          \
  CALLISTO_FOUR(T, div, x / y, y / x)                                   \
  CALLISTO_FOUR(U, div, x / y, y / x)                                   \
  CALLISTO_BOTH(T, andb, x& y)                                          \
  CALLISTO_BOTH(T, orb, x | y)                                          \
  CALLISTO_BOTH(T, xor, x ^ y)                                          \
  CALLISTO_BOTH(T, neqv, x ^ y)                                         \
  CALLISTO_BOTH(T, eqv, x ^ static_cast<T>(~y))                         \
  CALLISTO_FOUR(T, shl, static_cast<U>(x) << y, static_cast<U>(y) << x) \
  CALLISTO_FOUR(T, shr, x >> y, y >> x)                                 \
  CALLISTO_FOUR(U, shr, x >> y, y >> x)                                 \
  CALLISTO_BOTH(T, andl, (x != 0 && y != 0) ? 1 : 0)                    \
  CALLISTO_BOTH(T, orl, (x != 0 || y != 0) ? 1 : 0)                     \
  CALLISTO_BOTH(T, max, x < y ? y : x)                                  \
  CALLISTO_BOTH(T, min, x < y ? x : y)                                  \
  CALLISTO_UPDATE(T, mul_float8, float8, static_cast<float8>(x) * y)    \
  CALLISTO_UPDATE(T, div_float8, float8, static_cast<float8>(x) / y)    \
  CALLISTO_READ(T) CALLISTO_WRITE(T) CALLISTO_SWAP(T)
CALLISTO_FIXED(fixed1, fixed1u)
CALLISTO_FIXED(fixed2, fixed2u)
CALLISTO_FIXED(fixed4, fixed4u)
CALLISTO_FIXED(fixed8, fixed8u)

#define CALLISTO_FLOAT(T)              \
  CALLISTO_BOTH(T, add, x + y)         \
  CALLISTO_FOUR(T, sub, x - y, y - x)  \
  CALLISTO_BOTH(T, mul, x* y)          \
  CALLISTO_FOUR(T, div, x / y, y / x)  \
  CALLISTO_BOTH(T, max, x < y ? y : x) \
  CALLISTO_BOTH(T, min, x < y ? x : y) \
  CALLISTO_READ(T) CALLISTO_WRITE(T) CALLISTO_SWAP(T)
CALLISTO_FLOAT(float4)
CALLISTO_FLOAT(float8)
CALLISTO_FLOAT(float10)
CALLISTO_UPDATE(float4, add_float8, float8, x + y)
CALLISTO_UPDATE(float4, sub_float8, float8, x - y)
CALLISTO_UPDATE(float4, mul_float8, float8, x* y)
CALLISTO_UPDATE(float4, div_float8, float8, x / y)

#define CALLISTO_COMPLEX(T)           \
  CALLISTO_BOTH(T, add, x + y)        \
  CALLISTO_FOUR(T, sub, x - y, y - x) \
  CALLISTO_BOTH(T, mul, x* y)         \
  CALLISTO_FOUR(T, div, x / y, y / x) \
  CALLISTO_READ(T) CALLISTO_WRITE(T) CALLISTO_SWAP(T)
CALLISTO_COMPLEX(cmplx8)
CALLISTO_COMPLEX(cmplx10)

// Results of this type are written to an address.
#define CALLISTO_CAPTURE_TO(name, value)                                                                               \
  CALLISTO_OPENMP_ABI void __kmpc_atomic_cmplx4_##name(compiled_at, i32, cmplx4* at, cmplx4 y, cmplx4* to, i32 flag) { \
    const change<cmplx4> c = update(at, [y](cmplx4 x) { return value; });                                              \
    *to = flag != 0 ? c.after : c.before;                                                                              \
  }
#define CALLISTO_COMPLEX4(name, value)         \
  CALLISTO_UPDATE(cmplx4, name, cmplx4, value) \
  CALLISTO_CAPTURE_TO(name##_cpt, value)       \
  CALLISTO_UPDATE(cmplx4, name##_cmplx8, cmplx8, value)
CALLISTO_COMPLEX4(add, x + y)
CALLISTO_COMPLEX4(sub, x - y)
CALLISTO_COMPLEX4(mul, x* y)
CALLISTO_COMPLEX4(div, x / y)
CALLISTO_UPDATE(cmplx4, sub_rev, cmplx4, y - x)
CALLISTO_UPDATE(cmplx4, div_rev, cmplx4, y / x)
CALLISTO_CAPTURE_TO(sub_cpt_rev, y - x)
CALLISTO_CAPTURE_TO(div_cpt_rev, y / x)
CALLISTO_READ(cmplx4)
CALLISTO_WRITE(cmplx4)
CALLISTO_OPENMP_ABI void __kmpc_atomic_cmplx4_swp(compiled_at, i32, cmplx4* at, cmplx4 y, cmplx4* to) {
  *to = update(at, [y](cmplx4) { return y; }).before;
}

// atomic compare.
#define CALLISTO_COMPARE(bytes, T)                                                                              \
  CALLISTO_OPENMP_ABI bool __kmpc_atomic_bool_##bytes##_cas(compiled_at, i32, T* at, T expected, T desired) {   \
    return compare_and_swap(at, expected, desired) == expected;                                                 \
  }                                                                                                             \
  CALLISTO_OPENMP_ABI T __kmpc_atomic_val_##bytes##_cas(compiled_at, i32, T* at, T expected, T desired) {       \
    return compare_and_swap(at, expected, desired);                                                             \
  }                                                                                                             \
  CALLISTO_OPENMP_ABI bool __kmpc_atomic_bool_##bytes##_cas_cpt(compiled_at, i32, T* at, T expected, T desired, \
                                                                T* captured) {                                  \
    const T found = compare_and_swap(at, expected, desired);                                                    \
    if (found != expected) *captured = found;                                                                   \
    return found == expected;                                                                                   \
  }                                                                                                             \
  CALLISTO_OPENMP_ABI T __kmpc_atomic_val_##bytes##_cas_cpt(compiled_at, i32, T* at, T expected, T desired,     \
                                                            T* captured) {                                      \
    const T found = compare_and_swap(at, expected, desired);                                                    \
    *captured = found == expected ? desired : found;                                                            \
    return found;                                                                                               \
  }
CALLISTO_COMPARE(1, std::uint8_t)
CALLISTO_COMPARE(2, std::uint16_t)
CALLISTO_COMPARE(4, std::uint32_t)
CALLISTO_COMPARE(8, std::uint64_t)

// Any operation, by a function f(result, x, y) of compiled code: under one lock.
#define CALLISTO_BY_FUNCTION(bytes)                                                   \
  CALLISTO_OPENMP_ABI void __kmpc_atomic_##bytes(compiled_at, i32, void* at, void* y, \
                                                 void (*f)(void*, void*, void*)) {    \
    const std::scoped_lock held(whole_lock);                                          \
    f(at, at, y);                                                                     \
  }
CALLISTO_BY_FUNCTION(1)
CALLISTO_BY_FUNCTION(2)
CALLISTO_BY_FUNCTION(4)
CALLISTO_BY_FUNCTION(8)
CALLISTO_BY_FUNCTION(10)
CALLISTO_BY_FUNCTION(16)
CALLISTO_BY_FUNCTION(20)
CALLISTO_BY_FUNCTION(32)
CALLISTO_OPENMP_ABI void __kmpc_atomic_start() { whole_lock.lock(); }
CALLISTO_OPENMP_ABI void __kmpc_atomic_end() { whole_lock.unlock(); }

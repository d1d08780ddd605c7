// Versions of common_bits for the instruction sets that matter, and the choice between them at run time.
//
// The library is built for the baseline of its architecture, in which x86-64 lacks even a population count. A target
// attribute compiles each faster version for its own instruction set.
#include <callisto/graph/triangles/common_bits.hpp>

#include <bit>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace callisto::graph {
namespace {

std::uint64_t common_bits_portable(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < words; ++i) count += static_cast<std::uint64_t>(std::popcount(a[i] & b[i]));
  return count;
}

#if defined(__x86_64__)

__attribute__((target("popcnt"))) std::uint64_t common_bits_popcnt(const std::uint64_t* a, const std::uint64_t* b,
                                                                   std::size_t words) noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < words; ++i) count += static_cast<std::uint64_t>(__builtin_popcountll(a[i] & b[i]));
  return count;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) std::uint64_t common_bits_avx512(const std::uint64_t* a,
                                                                                    const std::uint64_t* b,
                                                                                    std::size_t words) noexcept {
  __m512i counts = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; words - i >= 8; i += 8) {
    const __m512i common = _mm512_and_si512(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
    counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(common));
  }
  if (i < words) {
    const auto rest = static_cast<__mmask8>((1U << (words - i)) - 1);
    const __m512i common =
        _mm512_and_si512(_mm512_maskz_loadu_epi64(rest, a + i), _mm512_maskz_loadu_epi64(rest, b + i));
    counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(common));
  }
  // _mm512_reduce_add_epi64 would do it, but GCC 12 warns about its own header there.
  alignas(64) std::uint64_t lanes[8];
  _mm512_store_si512(lanes, counts);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

#endif

}  // namespace

std::vector<common_bits_function> common_bits_versions() {
  std::vector<common_bits_function> versions;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
    versions.push_back(common_bits_avx512);
  if (__builtin_cpu_supports("popcnt")) versions.push_back(common_bits_popcnt);
#endif
  versions.push_back(common_bits_portable);
  return versions;
}

}  // namespace callisto::graph

// The numbers of schedules in compiled code.
#pragma once

#include <cstdint>

namespace callisto::openmp::kmpc::schedules {

inline constexpr std::int32_t static_chunked = 33;
inline constexpr std::int32_t static_whole = 34;
inline constexpr std::int32_t dynamic = 35;
inline constexpr std::int32_t guided = 36;
inline constexpr std::int32_t runtime = 37;
inline constexpr std::int32_t automatic = 38;
inline constexpr std::int32_t static_greedy = 40;
inline constexpr std::int32_t static_balanced = 41;
inline constexpr std::int32_t guided_iterative = 42;
inline constexpr std::int32_t guided_analytical = 43;
inline constexpr std::int32_t static_balanced_chunked = 45;
inline constexpr std::int32_t guided_simd = 46;
inline constexpr std::int32_t runtime_simd = 47;
/// Added to a schedule, up to `automatic`, for a loop with ordered regions.
inline constexpr std::int32_t ordered = 32;
inline constexpr std::int32_t distribute_static_chunked = 91;
/// Added to a schedule if its chunks are not to be merged.
inline constexpr std::int32_t unmerged = 128;

inline constexpr std::int32_t nonmonotonic_bit = std::int32_t{1} << 30;
inline constexpr std::int32_t modifier_bits = nonmonotonic_bit | std::int32_t{1} << 29;

/// Returns the schedule without modifiers, and without the form for chunks that are not to be merged.
constexpr std::int32_t plain(std::int32_t schedule) noexcept {
  schedule &= ~modifier_bits;
  return schedule > unmerged ? schedule - unmerged : schedule;
}
/// True if a plain schedule has ordered regions.
constexpr bool is_ordered(std::int32_t schedule) noexcept {
  return schedule > static_chunked + ordered - 1 && schedule <= automatic + ordered;
}

}  // namespace callisto::openmp::kmpc::schedules

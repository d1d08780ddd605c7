// An arc as a number: the bits of its row followed by the bits of its target.
//
// The top bits of the number select a bucket, so only the other bits, the key, are stored while an arc is sorted.
// Mostly a key fits 4 bytes.
#pragma once

#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace callisto::graph::construction {

/// The number of bits of each part, and the conversions between (row, target) and (bucket, key).
class key_layout {
 public:
  static constexpr unsigned most_vertex_bits = 37;

  /// Throws usage_error if a graph of `vertices` vertices is too large.
  static void check(std::uint64_t vertices) {
    if (vertices > std::uint64_t{1} << most_vertex_bits) {
      throw usage_error(fmt::format("a graph of {} vertices is larger than the limit of 2^37", vertices));
    }
  }

  key_layout(std::uint64_t vertices, std::uint64_t arcs) : vertices_(vertices) {
    check(vertices);
    vertex_bits_ = vertices == 0 ? 0 : static_cast<unsigned>(std::bit_width(vertices - 1));
    // A bucket has about 2^15 arcs, so that it is sorted in the cache, and at most 2^16 rows if there are few arcs.
    // There are at most 2^11 buckets: placing arcs writes to all of them in turn and should stay in the cache.
    const auto wanted = static_cast<unsigned>(std::max(std::bit_width(arcs >> 15), std::bit_width(vertices >> 16)));
    bucket_bits_ = std::min({wanted, 11u, 2 * vertex_bits_});
    key_bits_ = 2 * vertex_bits_ - bucket_bits_;
    key_mask_ = key_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - key_bits_);
    target_mask_ = vertex_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - vertex_bits_);
    splits_rows_ = bucket_bits_ > vertex_bits_;
  }

  std::uint64_t vertices() const noexcept { return vertices_; }
  bool splits_rows() const noexcept { return splits_rows_; }
  std::size_t buckets() const noexcept { return std::size_t{1} << bucket_bits_; }
  unsigned vertex_bits() const noexcept { return vertex_bits_; }
  unsigned key_bits() const noexcept { return key_bits_; }

  std::size_t bucket(std::uint64_t row, std::uint64_t target) const noexcept {
    return splits_rows_ ? (row << vertex_bits_ | target) >> key_bits_ : row >> (vertex_bits_ - bucket_bits_);
  }
  std::uint64_t key(std::uint64_t row, std::uint64_t target) const noexcept {
    return (row << vertex_bits_ | target) & key_mask_;  // the bits above the mask are the bucket's
  }
  std::uint64_t row(std::size_t bucket, std::uint64_t key) const noexcept {
    return splits_rows_ ? (bucket << key_bits_ | key) >> vertex_bits_
                        : bucket << (vertex_bits_ - bucket_bits_) | key >> vertex_bits_;
  }
  std::uint64_t target(std::size_t bucket, std::uint64_t key) const noexcept {
    return (splits_rows_ ? bucket << key_bits_ | key : key) & target_mask_;
  }
  /// Returns the first row that begins in this bucket or a later one, at most vertices().
  std::uint64_t first_row(std::size_t bucket) const noexcept {
    const std::uint64_t row = splits_rows_ ? ((bucket << key_bits_) + target_mask_) >> vertex_bits_
                                           : std::uint64_t{bucket} << (vertex_bits_ - bucket_bits_);
    return std::min(row, vertices_);
  }

 private:
  std::uint64_t vertices_;
  unsigned vertex_bits_;
  unsigned bucket_bits_;
  unsigned key_bits_;
  bool splits_rows_;  ///< a row may span buckets, because there are more buckets than vertices
  std::uint64_t key_mask_;
  std::uint64_t target_mask_;
};

}  // namespace callisto::graph::construction

// The ranks of a session as the partners of a kernel.
#pragma once

#include <callisto/graph/csr/partners.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace callisto::cluster {

/// Partners that are the ranks of this thread's session. Main of every rank makes and uses them.
class rank_partners final : public graph::partners {
 public:
  /// `bounds`: the first vertex of each rank's part, and the number of vertices; the same at all ranks.
  explicit rank_partners(std::vector<std::uint64_t> bounds);

 private:
  void share_bytes(std::byte* all, const std::vector<std::uint64_t>& bounds) override;
  void collect_bytes(std::byte* all, const std::vector<std::uint64_t>& bounds) override;
  void exchange_bytes(std::span<const std::byte> from, const std::vector<std::uint64_t>& counts,
                      const make_room& room) override;
};

/// Returns the bounds of `parts` parts of the vertices: whole pieces (graph::partner_piece()), of about as much memory
/// each, where a vertex counts as six arcs. `offsets` and `more` are the offsets of rows, one more than vertices;
/// `more` may be empty.
std::vector<std::uint64_t> balanced_bounds(std::span<const std::uint64_t> offsets, std::span<const std::uint64_t> more,
                                           std::size_t parts);

/// Returns such bounds of `vertices` vertices of which the pieces have `arcs` arcs.
std::vector<std::uint64_t> bounds_of_pieces(std::uint64_t vertices, std::span<const std::uint64_t> arcs,
                                            std::size_t parts);

}  // namespace callisto::cluster

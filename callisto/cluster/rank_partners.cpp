#include <callisto/cluster/rank_partners.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/machine/system/kept_pages.hpp>

#include <algorithm>
#include <utility>

namespace callisto::cluster {

rank_partners::rank_partners(std::vector<std::uint64_t> bounds)
    : partners(static_cast<std::size_t>(global::here().rank), std::move(bounds)) {
  // Ranks share a machine, and have little memory each.
  constexpr std::size_t most_kept = std::size_t{4} << 20;
  if (count() != 1) machine::keep_pages(most_kept);
}

void rank_partners::share_bytes(std::byte* all, const std::vector<std::uint64_t>& bounds) {
  global::share_parts(std::span(all, bounds.back()), bounds);
}

void rank_partners::collect_bytes(std::byte* all, const std::vector<std::uint64_t>& bounds) {
  global::collect_parts(std::span(all, bounds.back()), bounds);
}

void rank_partners::exchange_bytes(std::span<const std::byte> from, const std::vector<std::uint64_t>& counts,
                                   const make_room& room) {
  const std::vector<std::uint64_t> came =
      global::detail::exchange_counts(counts, from.size(), std::source_location::current());
  std::uint64_t bytes = 0;
  for (const std::uint64_t n : came) bytes += n;
  global::detail::exchange_bytes(global::detail::pieces_of<const std::byte>(from, counts),
                                 global::detail::pieces_of<std::byte>(room(bytes), came),
                                 std::source_location::current());
}

namespace {

/// The arcs of 4 bytes that weigh as much as a vertex of any degree: its offset takes 8 bytes, its state in kernels 4
/// to 100. A vertex takes the time of about two arcs; a larger number would make parts of few vertices slow.
constexpr std::uint64_t arcs_of_vertex = 6;

/// Returns bounds of parts of whole pieces; before(i) is the weight of the first i pieces.
template <class Before>
std::vector<std::uint64_t> bounds_by_weight(std::uint64_t vertices, std::size_t parts, const Before& before) {
  const std::uint64_t piece = graph::partner_piece(vertices);
  std::vector<std::uint64_t> bounds{0};
  const std::uint64_t pieces = (vertices + piece - 1) / piece;
  const std::uint64_t all = vertices == 0 ? 0 : before(pieces);
  std::uint64_t at = 0;  // pieces before the bound
  for (std::size_t p = 1; p < parts; ++p) {
    const std::uint64_t wanted = all / parts * p + all % parts * p / parts;
    while (at < pieces && before(at + 1) <= wanted) ++at;
    // The piece in which the bound lies goes to the side that it loads less.
    if (at < pieces && wanted - std::min(wanted, before(at)) > before(at + 1) - wanted) ++at;
    bounds.push_back(std::min(vertices, at * piece));
  }
  bounds.push_back(vertices);
  return bounds;
}

}  // namespace

std::vector<std::uint64_t> balanced_bounds(std::span<const std::uint64_t> offsets, std::span<const std::uint64_t> more,
                                           std::size_t parts) {
  const std::uint64_t vertices = offsets.empty() ? 0 : offsets.size() - 1;
  const std::uint64_t piece = graph::partner_piece(vertices);
  const auto weight_before = [&](std::uint64_t v) {
    return arcs_of_vertex * v + offsets[v] + (more.empty() ? 0 : more[v]);
  };
  return bounds_by_weight(vertices, parts,
                          [&](std::uint64_t i) { return weight_before(std::min(vertices, i * piece)); });
}

std::vector<std::uint64_t> bounds_of_pieces(std::uint64_t vertices, std::span<const std::uint64_t> arcs,
                                            std::size_t parts) {
  const std::uint64_t piece = graph::partner_piece(vertices);
  std::vector<std::uint64_t> before{0};
  for (const std::uint64_t n : arcs) before.push_back(before.back() + n);
  return bounds_by_weight(vertices, parts,
                          [&](std::uint64_t i) { return arcs_of_vertex * std::min(vertices, i * piece) + before[i]; });
}

}  // namespace callisto::cluster

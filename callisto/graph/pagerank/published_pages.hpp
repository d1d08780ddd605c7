// The published contributions that a process needs: its own vertices', and pages of other vertices' that its rows read.
// Where few pages are read, as in a star or a grid, a process gets no other pages, and has no memory for them.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/blocks.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {

template <class Real>
class published_pages {
 public:
  published_pages() = default;

  /// Returns the pages of other processes that rows of own vertices read, but for those that skipped(v) is true of. If
  /// these are most pages: all pages.
  template <class Vertex, class Skipped>
  static std::vector<std::uint64_t> read_by(const adjacency<Vertex>& in, const partners& among,
                                            const Skipped& skipped) {
    const std::uint64_t own = among.last() - among.first();
    std::vector<char> wanted((in.offsets.size() - 1) / vertices + 1);
    std::uint64_t found = 0;
    for (std::uint64_t v = among.first(); v != among.last() && 4 * found <= 3 * wanted.size(); ++v) {
      if (skipped(v)) continue;
      for (const Vertex u : in.row(v)) {
        if (u - among.first() < own) continue;
        char& page = wanted[u / vertices];
        found += page == 0 ? 1 : 0;
        page = 1;
      }
    }
    const bool all = 4 * found > 3 * wanted.size();
    std::vector<std::uint64_t> pages;
    for (std::uint64_t p = 0; p != wanted.size(); ++p) {
      if (all || wanted[p] != 0) pages.push_back(p);
    }
    return pages;
  }

  /// Tells other processes which of their pages this one reads. Empty afterwards if processes read more than half of
  /// all pages: then all contributions go to all.
  published_pages(const std::vector<std::uint64_t>& pages, const block_layout& layout, partners& among) {
    if (are_many(among.sum(std::uint64_t{pages.size()}), among)) return;
    is_chosen_ = true;
    std::vector<std::uint64_t> asked;
    std::vector<std::uint64_t> counts;
    for (std::size_t p = 0; p != among.count(); ++p) {
      const std::uint64_t first = among.bounds()[p];
      const std::uint64_t last = among.bounds()[p + 1];
      const std::size_t before = asked.size();
      for (auto page = std::lower_bound(pages.begin(), pages.end(), first / vertices);
           p != among.number() && first != last && page != pages.end() && *page * vertices < last; ++page)
        asked.push_back(*page);
      counts.push_back(asked.size() - before);
      add(std::span(asked).subspan(before), {first, last}, layout, come_);
    }
    const std::vector<std::uint64_t> got_of = numbers_from(counts, among);
    const std::vector<std::uint64_t> wanted = among.exchange(asked, counts);
    std::size_t at = 0;
    for (std::size_t p = 0; p != among.count(); ++p) {
      add(std::span(wanted).subspan(at, got_of[p]), {among.first(), among.last()}, layout, go_);
      at += got_of[p];
      for (std::uint64_t c = 0; c != block_colours; ++c) ends_[c].push_back(go_[c].size());
    }
  }

  /// True if processes read more than half of all pages, of which `pages` are the pages of all.
  static bool are_many(std::uint64_t pages, const partners& among) noexcept {
    return 2 * pages > (among.bounds().back() / vertices + 1) * among.count();
  }

  bool is_chosen() const noexcept { return is_chosen_; }

  /// Sends contributions of own blocks of a colour from `fresh`; other processes' come into `published`.
  void exchange(std::uint64_t colour, const Real* fresh, Real* published, partners& among) {
    std::vector<std::uint64_t> counts;
    sent_.clear();
    std::size_t next = 0;
    for (const std::size_t end : ends_[colour]) {
      const std::size_t before = sent_.size();
      for (; next != end; ++next) {
        const auto [first, last] = go_[colour][next];
        sent_.insert(sent_.end(), fresh + first, fresh + last);
      }
      counts.push_back(sent_.size() - before);
    }
    const std::vector<Real> came = among.exchange(sent_, counts);
    const Real* value = came.data();
    for (const auto& [first, last] : come_[colour]) {
      std::copy(value, value + (last - first), published + first);
      value += last - first;
    }
  }

 private:
  using stretch = std::pair<std::uint64_t, std::uint64_t>;  ///< vertices [first, second)
  using stretches = std::array<std::vector<stretch>, block_colours>;

  static constexpr std::uint64_t vertices = 4096 / sizeof(Real);  ///< of a page

  static std::vector<std::uint64_t> numbers_from(const std::vector<std::uint64_t>& numbers, partners& among) {
    return among.exchange(numbers, std::vector<std::uint64_t>(among.count(), 1));
  }

  /// Adds the stretches of pages in a part, cut where blocks end, by the blocks' colours.
  static void add(std::span<const std::uint64_t> pages, stretch part, const block_layout& layout, stretches& to) {
    for (const std::uint64_t page : pages) {
      const std::uint64_t end = std::min(part.second, (page + 1) * vertices);
      for (std::uint64_t v = std::max(part.first, page * vertices); v < end;) {
        const std::uint64_t block = layout.block_of(v);
        const std::uint64_t last = std::min(end, layout.last(block));
        to[layout.colour_of(block)].emplace_back(v, last);
        v = last;
      }
    }
  }

  bool is_chosen_ = false;
  stretches go_;                                              ///< by destination
  std::array<std::vector<std::size_t>, block_colours> ends_;  ///< by destination: the end of its stretches
  stretches come_;                                            ///< by source
  std::vector<Real> sent_;
};

}  // namespace callisto::graph

// Facts about the graph in the comments before a table: SNAP, KONECT, and Callisto's own.
#include <callisto/graph/files/formats/header_words.hpp>
#include <callisto/graph/files/formats/table_guesses.hpp>
#include <callisto/graph/files/input/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph::formats::tables {

using namespace std::string_view_literals;

konect_words read_comments(const std::vector<std::string_view>& comments, const read_options& options,
                           table_layout& layout, read_report& report) {
  const auto state = [&](bool undirected) {
    report.direction_known = true;
    layout.undirected = undirected;
  };
  stated_direction stated;
  for (const std::string_view line : comments) {
    const std::string text = input::lower_case(line);
    const stated_direction here = direction_in(line);
    stated.directed |= here.directed;
    stated.undirected |= here.undirected;
    stated.each_pair |= here.each_pair;
    const std::size_t at = text.find(", vertices ");
    if (at != text.npos) {
      const input::columns words = input::split(std::string_view(text).substr(at));
      if (words.count == 5 && words.text[3] == "to"sv) {
        const auto first = input::to_unsigned(words.text[2]);
        const auto last = input::to_unsigned(words.text[4]);
        if (first && last && *first <= *last && *last - *first < std::uint64_t{1} << 37) {
          layout.vertices = std::pair(*first, *last);
        }
      }
    }
  }
  if (stated.directed || stated.undirected) state(!stated.directed);
  if (options.directed || options.undirected) {
    // The user decides: nothing to tell.
  } else if (stated.directed && stated.undirected) {
    report.notes.emplace_back(
        "the comments say directed, and undirected, too: taken as directed (--undirected ignores directions)");
  } else if (stated.directed && stated.each_pair) {
    report.notes.emplace_back(
        "the header is ambiguous, directed but with each unordered pair once: taken as directed (--undirected ignores "
        "directions)");
  }
  if (comments.empty() || !comments.front().starts_with('%')) return {};
  const std::string first = input::lower_case(comments.front().substr(1));
  const input::columns words = input::split(first);
  if (words.count == 0 || words.count > 3) return {};
  if (words.text[0] == "sym"sv) {
    state(true);
  } else if (words.text[0] == "asym"sv) {
    state(false);
  } else if (words.text[0] == "bip"sv) {
    state(true);
    layout.bipartite = true;
    report.notes.emplace_back("the header says bipartite: vertices are called left-ID and right-ID");
  } else {
    return {};
  }
  konect_words konect;
  konect.found = words.count > 1;  // Network Repository writes "% sym" alone
  konect.unweighted = words.text[1] == "unweighted"sv || words.text[1] == "dynamic"sv;
  if (words.text[1] == "dynamic"sv) {
    report.notes.emplace_back("edges come and go in this file (dynamic): all that ever were are read");
  }
  return konect;
}

}  // namespace callisto::graph::formats::tables

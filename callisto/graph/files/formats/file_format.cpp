// Names and suffixes of the file formats.
#include <callisto/graph/files/formats/file_format.hpp>

#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>

namespace callisto::graph {
namespace {

struct named {
  file_format format;
  std::string_view name;
};

constexpr std::array<named, 8> names{{
    {file_format::automatic, "automatic"},
    {file_format::edge_list, "edge-list"},
    {file_format::weighted_edge_list, "weighted-edge-list"},
    {file_format::matrix_market, "matrix-market"},
    {file_format::dimacs, "dimacs"},
    {file_format::metis, "metis"},
    {file_format::gapbs_sg, "gapbs-sg"},
    {file_format::gapbs_wsg, "gapbs-wsg"},
}};

struct suffixed {
  std::string_view suffix;
  file_format format;
};

constexpr std::array<suffixed, 10> suffixes{{
    {".el", file_format::edge_list},
    {".txt", file_format::edge_list},
    {".tsv", file_format::edge_list},
    {".wel", file_format::weighted_edge_list},
    {".mtx", file_format::matrix_market},
    {".gr", file_format::dimacs},
    {".graph", file_format::metis},
    {".metis", file_format::metis},
    {".sg", file_format::gapbs_sg},
    {".wsg", file_format::gapbs_wsg},
}};

}  // namespace

std::string_view name_of(file_format format) noexcept {
  return std::find_if(names.begin(), names.end(), [&](const named& n) { return n.format == format; })->name;
}

file_format format_from_name(std::string_view name) {
  std::string all;
  for (const named& n : names) {
    if (n.name == name) return n.format;
    all += (all.empty() ? "" : ", ") + std::string(n.name);
  }
  throw usage_error("'" + std::string(name) + "' is not a file format; there are " + all);
}

file_format format_from_suffix(std::string_view path) noexcept {
  for (const std::string_view compression : {".gz", ".zst"}) {
    if (path.ends_with(compression)) {
      path.remove_suffix(compression.size());
      break;
    }
  }
  const auto found =
      std::find_if(suffixes.begin(), suffixes.end(), [&](const suffixed& s) { return path.ends_with(s.suffix); });
  return found == suffixes.end() ? file_format::automatic : found->format;
}

}  // namespace callisto::graph

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

constexpr std::array<named, 24> names{{
    {file_format::automatic, "automatic"},
    {file_format::edge_list, "edge-list"},
    {file_format::weighted_edge_list, "weighted-edge-list"},
    {file_format::matrix_market, "matrix-market"},
    {file_format::dimacs, "dimacs"},
    {file_format::metis, "metis"},
    {file_format::gapbs_sg, "gapbs-sg"},
    {file_format::gapbs_wsg, "gapbs-wsg"},
    {file_format::table, "table"},
    {file_format::adjacency_list, "adjacency-list"},
    {file_format::ligra, "ligra"},
    {file_format::pajek, "pajek"},
    {file_format::gml, "gml"},
    {file_format::graphml, "graphml"},
    {file_format::gexf, "gexf"},
    {file_format::npz, "npz"},
    {file_format::npy, "npy"},
    {file_format::node_link, "json"},
    {file_format::dot, "dot"},
    {file_format::lgl, "lgl"},
    {file_format::sif, "sif"},
    {file_format::tgf, "tgf"},
    {file_format::dl, "dl"},
    {file_format::ntriples, "ntriples"},
}};

struct suffixed {
  std::string_view suffix;
  file_format format;
};

constexpr std::array<suffixed, 32> suffixes{{
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
    {".csv", file_format::table},
    {".edges", file_format::table},
    {".adjlist", file_format::adjacency_list},
    {".adj", file_format::ligra},
    {".net", file_format::pajek},
    {".paj", file_format::pajek},
    {".gml", file_format::gml},
    {".graphml", file_format::graphml},
    {".gexf", file_format::gexf},
    {".npz", file_format::npz},
    {".npy", file_format::npy},
    {".json", file_format::node_link},
    {".dot", file_format::dot},
    {".gv", file_format::dot},
    {".lgl", file_format::lgl},
    {".sif", file_format::sif},
    {".tgf", file_format::tgf},
    {".dl", file_format::dl},
    {".nt", file_format::ntriples},
    {".nq", file_format::ntriples},
    {".col", file_format::dimacs},
    {".clq", file_format::dimacs},
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

bool can_be_written(file_format format) noexcept {
  return format != file_format::automatic && format != file_format::adjacency_list && format != file_format::ligra &&
         format != file_format::npz && format != file_format::npy && format != file_format::lgl &&
         format != file_format::sif && format != file_format::tgf && format != file_format::dl &&
         format != file_format::ntriples;
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

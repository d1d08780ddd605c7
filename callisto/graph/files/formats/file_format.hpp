// The file formats of graphs, other than the native one, and their names.
#pragma once

#include <callisto/export.hpp>

#include <string>
#include <string_view>

namespace callisto::graph {

/// A file format. Files of every format may be compressed.
enum class file_format {
  automatic,           ///< found from the content
  edge_list,           ///< text, "from to" a line, # and % comments; vertices are arbitrary 64-bit labels (SNAP, .el)
  weighted_edge_list,  ///< text, "from to weight" a line (.wel)
  matrix_market,       ///< text, coordinate format (.mtx)
  dimacs,              ///< text, shortest-path format of the 9th DIMACS challenge (.gr)
  metis,               ///< text, a line of neighbours for each vertex (.graph)
  gapbs_sg,            ///< binary, the GAP Benchmark Suite's serialized graph (.sg)
  gapbs_wsg,           ///< gapbs_sg with 32-bit integer weights (.wsg)
  table,               ///< text, a line an edge: any separator, header, names (.csv, .tsv)
  adjacency_list,      ///< text, a vertex and its neighbours a line, as NetworkX writes it (.adjlist)
  ligra,               ///< text, Ligra's AdjacencyGraph and WeightedAdjacencyGraph (.adj)
  pajek,               ///< text, Pajek's networks (.net)
  gml,                 ///< text, Graph Modelling Language (.gml)
  graphml,             ///< XML (.graphml)
  gexf,                ///< XML, Gephi's format (.gexf)
  npz,                 ///< a sparse matrix of scipy, or arrays of edges (.npz)
  npy,                 ///< an array of numpy: pairs of vertices or a matrix (.npy)
  node_link,           ///< JSON of nodes and links: NetworkX, d3, Cytoscape, graphology (.json)
  dot,                 ///< text, the language of Graphviz (.dot, .gv)
  lgl,                 ///< text, Large Graph Layout: a vertex, then its neighbours (.lgl)
  sif,                 ///< text, Cytoscape's simple interaction format (.sif)
  dl,                  ///< text, UCINET's data language (.dl)
  ntriples,            ///< text, RDF: subject, predicate, object (.nt, .nq)
  tgf,                 ///< text, the trivial graph format: vertices, "#", edges (.tgf)
};

/// Returns the name in flags and messages: "edge-list", "matrix-market", ...
CALLISTO_API std::string_view name_of(file_format format) noexcept;

/// Returns the format of that name. Throws usage_error if there is none.
CALLISTO_API file_format format_from_name(std::string_view name);

/// True if write_graph() writes the format.
CALLISTO_API bool can_be_written(file_format format) noexcept;

/// Returns the format of the suffix of `path`, without .gz or .zst; automatic if the suffix is not known.
CALLISTO_API file_format format_from_suffix(std::string_view path) noexcept;

}  // namespace callisto::graph

// How a file is read: what the user chooses and the readers of all formats follow.
#pragma once

#include <callisto/graph/files/formats/file_format.hpp>

#include <cstddef>

namespace callisto::graph {

struct read_options {
  /// The format. automatic: found from the content; if two formats fit, the suffix of the file's name decides.
  file_format format = file_format::automatic;
  /// Takes the edges of a format that lists arcs (all but METIS, symmetric Matrix Market and undirected .sg, .wsg) as
  /// undirected.
  bool undirected = false;
  /// Bytes of text that a thread parses at a time; 0: the reader chooses. For tests: results never depend on it.
  std::size_t chunk_bytes = 0;
};

}  // namespace callisto::graph

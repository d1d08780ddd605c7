// What the kernels of the GAP benchmark took, as text and as JSON.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/graph/input.hpp>

#include <string>
#include <vector>

namespace callisto::app {

/// One kernel on one graph.
struct gap_row {
  std::string kernel;
  std::vector<double> seconds;  ///< of each trial; empty if it failed
  std::string failure;
  std::vector<double> peer_seconds;  ///< of the same trials, right after; empty without a peer or if it failed
  std::string peer_failure;
  std::string peer_settings;  ///< chosen for the peer's program by trial; empty: none
};

struct gap_graph {
  std::string name;
  graph_size size{};
  double made_seconds = 0;   ///< generating or reading, and building
  double order_seconds = 0;  ///< putting the hubs first; 0: the order is the given one
  std::vector<gap_row> rows;
};

struct gap_report {
  unsigned threads = 1;
  std::uint64_t seed = 1;
  bool verified = false;
  std::string peer;  ///< the folder; empty: none
  std::vector<gap_graph> graphs;
};

json to_json(const gap_report& report);
std::string to_words(const gap_report& report);

}  // namespace callisto::app

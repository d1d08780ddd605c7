// Reports the times of the GAP benchmark's kernels as text and as JSON.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/graph/input.hpp>
#include <lab/names.hpp>

#include <optional>
#include <string>
#include <vector>

namespace callisto::lab {

/// One kernel on one graph.
struct gap_row {
  std::string kernel;
  std::vector<double> seconds;  ///< one per trial; empty if the kernel failed
  std::string failure;
  std::vector<double> peer_seconds;  ///< the peer's times of the same trials, taken right after Callisto's; empty
                                     ///< without a peer or if it failed
  std::string peer_failure;
  std::string peer_settings;  ///< the settings that gap_peer::tune() chose; empty: none
};

struct gap_graph {
  std::string name;
  graph_size size{};
  double made_seconds = 0;   ///< seconds of generating or reading, and of building
  double order_seconds = 0;  ///< seconds of putting the hubs first; 0: the order is the given one
  std::vector<gap_row> rows;
};

struct gap_report {
  unsigned threads = 1;
  std::uint64_t seed = 1;
  bool verified = false;
  std::string peer;  ///< the peer's folder; empty: none
  std::vector<gap_graph> graphs;
  std::optional<double> other_programs = {};  ///< contexts that they used on average; none: unknown
  std::string busy = {};                      ///< the line for people if that was too much
};

json to_json(const gap_report& report);
std::string to_words(const gap_report& report);

}  // namespace callisto::lab

// The parts of a JSON document that holds a graph, while node_link.cpp reads it.
#pragma once

#include <callisto/graph/attributes/attributes.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace callisto::graph::formats {

struct node_link_parts {
  /// Content of a container of the document.
  enum class place {
    top,         ///< the graph: its lists, and whether it is directed
    options,     ///< of graphology
    vertices,    ///< a list of vertices, or an object with an entry a vertex
    edges,       ///< a list of edges
    elements,    ///< a list of either
    vertex,      ///< an object
    edge,        ///< an object, or a list of two ends and perhaps a weight
    element,     ///< an object that is a vertex or an edge
    part,        ///< an object within one of these three objects, with more entries of it
    end_from,    ///< an object that is an end of an edge
    end_to,      ///< the same for the other end
    position,    ///< an object with the places x and y of the vertex that is read
    adjacency,   ///< a list with a list of neighbours a vertex
    neighbours,  ///< the neighbours of one vertex
    neighbour,   ///< an object
    key_list,    ///< the neighbours of the vertex that the key names
    nothing,     ///< what is skipped
  };

  enum class kind { none, boolean, number, text };

  struct frame {
    place is;
    std::string key;          ///< of the entry that is read, in an object
    std::uint64_t count = 0;  ///< entries so far, in a list
  };

  /// An attribute of a vertex or an edge.
  struct attribute {
    std::string name;
    std::optional<std::string> value = {};  ///< nothing if it is a list or an object
    std::optional<column_type> type = {};
  };
  using attributes = std::vector<attribute>;

  /// Known facts of the vertex or edge that is read.
  struct record {
    std::optional<std::string> id;
    std::optional<std::string> name;
    std::optional<std::string> label;
    std::optional<std::string> from;
    std::optional<std::string> to;
    bool numbers = true;  ///< both ends are numbers of JSON
    std::optional<std::string> weight;
    std::optional<std::string> value;
    bool value_is_text = false;  ///< of JSON
    std::optional<bool> directed;
    bool has_part = false;   ///< its attributes stand in a further object
    attributes others;       ///< the rest
    attributes part_others;  ///< the rest in that object
    attributes places;       ///< of the vertex
  };

  struct listed {
    std::uint32_t id;  ///< a word; no_word if there is none
    std::optional<std::string> label;
    attributes others;
  };
  static constexpr std::uint32_t no_word = std::numeric_limits<std::uint32_t>::max();

  struct link {
    std::uint32_t from;
    std::uint32_t to;
    std::optional<bool> directed;
    std::optional<double> weight;
    attributes others;
  };

  struct adjacent {
    std::uint64_t row;
    std::uint32_t word;
    std::optional<double> weight;
    attributes others;
  };
};

}  // namespace callisto::graph::formats

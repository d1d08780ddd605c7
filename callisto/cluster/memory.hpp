// The memory that the kernels over ranks take.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>

#include <cstdint>
#include <string_view>

namespace callisto::cluster {

/// Returns the bytes that a rank takes at most beyond its part of the graph for the subcommand `kernel`, with its
/// results; the rank that tells has those of all vertices.
std::uint64_t memory_of_rank(std::string_view kernel, const graph::any_graph& graph, const graph::partners& among);

/// Returns how many ranks share the memory of this rank's machine, itself included. Called inside a session.
std::uint64_t ranks_of_machine();

}  // namespace callisto::cluster

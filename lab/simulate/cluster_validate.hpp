// What the simulation predicts of this machine, beside what real ranks on it do.
#pragma once

#include <lab/names.hpp>
#include <lab/simulate/cluster_paper.hpp>

#include <string>

namespace callisto::lab {

/// The programs of cluster_both.hpp on the ranks of the launcher that started this process. Returns, at rank 0, what
/// they did as a table, or as bare numbers; empty at other ranks.
std::string run_real_ranks(unsigned scale, bool bare);

/// Measures steps and ways between ranks here, predicts the programs on 1, 2 and 4 ranks over shared memory and over
/// TCP between two namespaces of the network, and runs them. Without root there are no namespaces. `net` describes what
/// is not measured.
paper_table validate(const paper_setting& how);
/// Runs that it takes.
inline constexpr std::size_t runs_of_validation = 10;

}  // namespace callisto::lab

// Beyond the paper: many nodes by the hops of messages, on ranks and in the model of aggregation; and faults.
#pragma once

#include <lab/names.hpp>
#include <lab/simulate/cluster_paper.hpp>

#include <cstddef>
#include <span>

namespace callisto::lab {

/// Ranks on each number of nodes, with at most 1, 2 and 3 hops, and as the runtime chooses.
constexpr std::size_t ways_of_scale = 4;
paper_table scale_table(const paper_setting& how, std::span<const unsigned> nodes, double microseconds);

/// The model of aggregation beside ranks, where both can be had, and alone beyond. `most_on_ranks`: of ranks.
paper_table model_table(const paper_setting& how, std::span<const unsigned> nodes, double microseconds,
                        unsigned most_on_ranks);

/// A cluster without a fault, and with a slow node, a slow link, a rank on half a core, and a rank that dies.
constexpr std::size_t kinds_of_faults = 5;
paper_table fault_table(const paper_setting& how, unsigned nodes, double microseconds);

}  // namespace callisto::lab

// The loops of construction, and their progress.
#pragma once

#include <callisto/graph/csr/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string_view>

namespace callisto::graph::construction {

/// Runs f(i) for each i in [0, n) in parallel; iterations are long enough to be claimed one by one. Throws cancelled.
/// All of construction shares this one loop: a loop for each caller, vertex type, key type and weight type took most of
/// a minute to compile.
void for_each_task(const run_control& control, std::size_t n, const std::function<void(std::size_t)>& f,
                   std::source_location where = std::source_location::current());

/// Runs f(first, last) in parallel for ranges that together are [0, n); iterations are short. Throws cancelled.
void for_each_batch(const run_control& control, std::uint64_t n,
                    const std::function<void(std::uint64_t, std::uint64_t)>& f,
                    std::source_location where = std::source_location::current());

/// Reports that a stage over `total` edges begins.
void begin_stage(const run_control& control, std::string_view stage, std::uint64_t total);
/// Reports that `amount` more edges are done.
void advance_stage(const run_control& control, std::uint64_t amount);

}  // namespace callisto::graph::construction

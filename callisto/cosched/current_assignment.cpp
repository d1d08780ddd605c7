// Reads the slots until they stand still.
#include <callisto/cosched/current_assignment.hpp>

#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/pages.hpp>

#include <memory_resource>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace callisto::cosched {

namespace {

/// An assignment in memory that is not malloc's: proxy threads of workers (workers/activations/context_request.hpp) ask
/// for it while another thread that waits for them may hold malloc's lock.
struct assignment_in_pages {
  assignment_in_pages(const std::vector<unsigned>& core_of, std::span<const job_demand> jobs)
      : made(divide(core_of, jobs, arrangement_rule::packed, &memory)) {}

  std::pmr::monotonic_buffer_resource memory{std::size_t{1} << 16, &machine::pages()};
  context_assignment made;
};

}  // namespace

std::vector<unsigned> cores_of_host() {
  std::vector<unsigned> core_of(max_contexts, no_core);
  for (const machine::context& c : machine::topology::host().contexts()) {
    if (c.os_index < max_contexts) core_of[c.os_index] = c.core;
  }
  return core_of;
}

current_assignment::current_assignment(std::vector<unsigned> core_of)
    : core_of_(std::move(core_of)), demands_(max_jobs) {
  for (unsigned c = 0; c < max_contexts; ++c) {
    if (core_of_[c] != no_core) known_.add(c);
  }
}

std::shared_ptr<const context_assignment> current_assignment::of(const shared_table& shared) {
  std::uint64_t seen = shared.generation();
  if (made_ == nullptr || seen != made_for_) {
    std::size_t count = 0;
    // Repeats if a job came or went meanwhile; after the last attempt a later call repeats it.
    for (int attempt = 0; attempt < 4; ++attempt) {
      count = 0;
      for (unsigned j = 0; j < max_jobs; ++j) {
        if (auto c = shared.claim_of(j, known_); c && !c->contexts.empty()) demands_[count++] = *c;
      }
      const std::uint64_t after = shared.generation();
      if (after == seen) break;
      seen = after;
    }
    const auto made = std::allocate_shared<assignment_in_pages>(std::pmr::polymorphic_allocator<>(&machine::pages()),
                                                                core_of_, std::span(demands_).first(count));
    made_ = std::shared_ptr<const context_assignment>(made, &made->made);
    made_for_ = seen;
  }
  return made_;
}

bool current_assignment::would_take_turns(const shared_table& shared, unsigned job) const {
  std::pmr::vector<job_demand> jobs(&machine::pages());
  jobs.reserve(max_jobs);
  for (unsigned j = 0; j < max_jobs; ++j) {
    const aside why = shared.aside_of(j);
    if (j != job && why != aside::no && why != aside::crowded) continue;
    if (auto c = shared.demand_of(j, known_); c && !c->contexts.empty()) jobs.push_back(*c);
  }
  const assignment_in_pages with_all(core_of_, jobs);
  const unsigned main = with_all.made.main[job];
  return main != context_assignment::no_context && with_all.made.high[main].size() > 1;
}

}  // namespace callisto::cosched

// Reading the slots until they stand still.
#include <callisto/cosched/current_division.hpp>

#include <callisto/machine/topology.hpp>

#include <optional>
#include <utility>

namespace callisto::cosched {

std::vector<unsigned> cores_of_host() {
  std::vector<unsigned> core_of(max_contexts, no_core);
  for (const machine::context& c : machine::topology::host().contexts()) {
    if (c.os_index < max_contexts) core_of[c.os_index] = c.core;
  }
  return core_of;
}

current_division::current_division(std::vector<unsigned> core_of) : core_of_(std::move(core_of)) {
  for (unsigned c = 0; c < max_contexts; ++c) {
    if (core_of_[c] != no_core) known_.add(c);
  }
}

std::shared_ptr<const division> current_division::of(const shared_table& shared) {
  std::uint64_t seen = shared.generation();
  if (made_ == nullptr || seen != made_for_) {
    std::vector<claimant> jobs;
    // Again if a job comes or goes meanwhile; in the end somebody will ask again.
    for (int attempt = 0; attempt < 4; ++attempt) {
      jobs.clear();
      for (unsigned j = 0; j < max_jobs; ++j) {
        if (auto c = shared.claim_of(j, known_); c && !c->contexts.empty()) jobs.push_back(*c);
      }
      const std::uint64_t after = shared.generation();
      if (after == seen) break;
      seen = after;
    }
    made_ = std::make_shared<const division>(divide(core_of_, std::move(jobs)));
    made_for_ = seen;
  }
  return made_;
}

}  // namespace callisto::cosched

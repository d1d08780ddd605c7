// The loops over sources.
#include <callisto/graph/betweenness/searches.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace callisto::graph {

template <search_function* function>
void betweenness_searches::search(search_state& state, std::uint64_t batch) {
  const std::uint64_t first = batch * search_lanes;
  const unsigned size = size_of(batch);
  // relaxed, here and below: a hint; a search that misses it ends in the same way.
  if (!high_diameter_.load(std::memory_order_relaxed)) {
    const search_end end = function(state, sweeps_, core_.sources.data() + first, size, control_.stop);
    if (end == search_end::complete && control_.report != nullptr) control_.report->advance(size);
    if (end == search_end::complete || end == search_end::stopped) return;
    if (end == search_end::high_diameter) high_diameter_.store(true, std::memory_order_relaxed);
  }
  const std::scoped_lock held(mutex_);
  for (unsigned i = 0; i < size; ++i) single_.push_back(first + i);
}

void betweenness_searches::search_high_diameter(high_diameter_search& state, std::uint64_t i) {
  const search_end end = state.run(core_.sources[i], control_.stop);
  if (end == search_end::complete && control_.report != nullptr) control_.report->advance(1);
  if (end != search_end::overflown) return;
  const std::scoped_lock held(mutex_);
  single_.push_back(i);
}

void betweenness_searches::search_from(search_state& state, std::uint64_t i) {
  const core_source& source = core_.sources[single_[i]];
  const search_end end = search_single(state, source, control_.stop);
  if (end == search_end::complete && control_.report != nullptr) control_.report->advance(1);
}

template <search_function* function>
struct betweenness_searches::batch_loop {
  betweenness_searches& all;
  std::span<const std::uint64_t> which;
  void fork(search_state*& mine) { mine = all.pool_.take(); }
  void work(search_state*& mine, std::size_t i) { all.search<function>(*mine, which[i]); }
  void join(search_state*& mine) { all.pool_.give_back(mine); }
};

std::vector<const double*> betweenness_searches::scores() const {
  std::vector<const double*> parts;
  for (const auto& part : high_diameter_scores_) parts.push_back(part.data());
  for (const auto& state : pool_.all()) parts.push_back(state->scores.data());
  return parts;
}

std::vector<const double*> betweenness_searches::squares() const {
  std::vector<const double*> parts;
  for (const auto& part : high_diameter_squares_) parts.push_back(part.data());
  for (const auto& state : pool_.all()) parts.push_back(state->squares.data());
  return parts;
}

betweenness_trial betweenness_searches::run(std::span<const std::uint64_t> which, loop_form how) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const loop_options options{.batch = 1, .stop = control_.stop};
  if (how.form == betweenness_form::inner) {
    search_state* state = pool_.take();
    for (const std::uint64_t batch : which) search<search_together>(*state, batch);
    pool_.give_back(state);
  } else if (how.form == betweenness_form::nested) {
    batch_loop<search_together> over{*this, which};
    outer_parallel_for<batch_loop<search_together>, search_state*, std::size_t>(how.level, over, 0, which.size(),
                                                                                options);
  } else {
    batch_loop<search_alone> over{*this, which};
    parallel_for<batch_loop<search_alone>, search_state*, std::size_t>(over, 0, which.size(), options);
  }
  control_.check();
  std::uint64_t sources = 0;
  for (const std::uint64_t batch : which) sources += size_of(batch);
  return {how.form, how.level, sources, std::chrono::duration<double>(clock::now() - begin).count()};
}

bool betweenness_searches::run_high_diameter(std::uint64_t apart) {
  if (!has_high_diameter(core_, core_.sources.front())) return false;
  shared_states<high_diameter_search> states([this] { return std::make_unique<high_diameter_search>(core_, 1); });
  const std::uint64_t size = core_.sources.size();
  over_states(states, apart, control_,
              [this](high_diameter_search& state, std::uint64_t i) { search_high_diameter(state, i); });
  for (const auto& state : states.all()) {
    if (!state->squares.empty()) high_diameter_squares_.push_back(std::move(state->squares));
    if (!state->scores.empty()) high_diameter_scores_.push_back(std::move(state->scores));
  }
  if (apart == size) return true;
  high_diameter_search together(core_, threads());
  for (std::uint64_t i = apart; i < size; ++i) search_high_diameter(together, i);
  control_.check();
  high_diameter_scores_.push_back(std::move(together.scores));
  if (!together.squares.empty()) high_diameter_squares_.push_back(std::move(together.squares));
  return true;
}

void betweenness_searches::leave_to_single() {
  for (std::uint64_t i = 0; i < core_.sources.size(); ++i) single_.push_back(i);
}

void betweenness_searches::run_single(bool together) {
  std::sort(single_.begin(), single_.end());
  if (together) {
    over_states(pool_, single_.size(), control_,
                [this](search_state& state, std::uint64_t i) { search_from(state, i); });
  } else if (!single_.empty()) {
    search_state* state = pool_.take();
    for (std::uint64_t i = 0; i < single_.size(); ++i) search_from(*state, i);
    pool_.give_back(state);
  }
  control_.check();
}

}  // namespace callisto::graph

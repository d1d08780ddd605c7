// Betweenness: the loop over sources in its forms, the choice between them, and the scores.
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/betweenness/core.hpp>
#include <callisto/graph/betweenness/high_diameter.hpp>
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/host/memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// A form and the level of its loop over sources.
struct arrangement {
  betweenness_form form;
  unsigned level;
};

/// States to search with, made of the core and a number when first asked for, and used again.
template <class State>
class state_pool {
 public:
  state_pool(const betweenness_core& core, unsigned number) : core_(core), number_(number) {}

  State* take() {
    const std::scoped_lock held(mutex_);
    if (idle_.empty()) {
      states_.push_back(std::make_unique<State>(core_, number_));
      idle_.reserve(states_.size());  // so that giving back cannot fail
      return states_.back().get();
    }
    State* state = idle_.back();
    idle_.pop_back();
    return state;
  }
  void give_back(State* state) {
    const std::scoped_lock held(mutex_);
    idle_.push_back(state);
  }
  const std::vector<std::unique_ptr<State>>& states() const noexcept { return states_; }

 private:
  const betweenness_core& core_;
  const unsigned number_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<State>> states_;
  std::vector<State*> idle_;
};

/// The batches of sources, search_lanes at a time, and what searches share.
class batches {
 public:
  batches(const betweenness_core& core, const run_control& ctx)
      : core_(core),
        ctx_(ctx),
        pool_(core, static_cast<unsigned>(std::min<std::uint64_t>(search_lanes, core.sources.size()))) {}

  std::uint64_t count() const noexcept { return (core_.sources.size() + search_lanes - 1) / search_lanes; }

  /// The scores by vertex of the core, in parts that are to be summed.
  std::vector<const double*> scores() const {
    std::vector<const double*> parts;
    for (const auto& part : of_narrow_) parts.push_back(part.data());
    for (const auto& state : pool_.states()) parts.push_back(state->scores.data());
    return parts;
  }

  /// Runs these in the form `how`; throws cancelled.
  betweenness_trial run(std::span<const std::uint64_t> which, arrangement how) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const loop_options options{.batch = 1, .stop = ctx_.stop};
    if (how.form == betweenness_form::inner) {
      search_state* state = pool_.take();
      for (const std::uint64_t batch : which) search<search_together>(*state, batch);
      pool_.give_back(state);
    } else if (how.form == betweenness_form::nested) {
      loop<search_together> over{*this, which};
      outer_parallel_for<loop<search_together>, search_state*, std::size_t>(how.level, over, 0, which.size(), options);
    } else {
      loop<search_alone> over{*this, which};
      parallel_for<loop<search_alone>, search_state*, std::size_t>(over, 0, which.size(), options);
    }
    ctx_.check();
    std::uint64_t sources = 0;
    for (const std::uint64_t batch : which) sources += size_of(batch);
    return {how.form, how.level, sources, std::chrono::duration<double>(clock::now() - begin).count()};
  }

  /// Searches from all sources one at a time, if levels at the first one are many and small: from the first `apart` by
  /// threads for themselves, from the others with all of them together. What it cannot do it leaves to run_single().
  /// False: nothing was done. Throws cancelled.
  bool run_narrow(std::uint64_t apart) {
    if (!is_narrow(core_, core_.sources.front())) return false;
    state_pool<narrow_search> states(core_, 1);
    const std::uint64_t size = core_.sources.size();
    narrow_loop over{*this, states};
    parallel_for<narrow_loop, narrow_search*, std::uint64_t>(over, 0, apart,
                                                             loop_options{.batch = 1, .stop = ctx_.stop});
    ctx_.check();
    for (const auto& state : states.states()) {
      if (!state->scores.empty()) of_narrow_.push_back(std::move(state->scores));
    }
    if (apart == size) return true;
    narrow_search together(core_, threads());
    for (std::uint64_t i = apart; i < size; ++i) search_narrow(together, i);
    ctx_.check();
    of_narrow_.push_back(std::move(together.scores));
    return true;
  }

  /// Leaves all sources to run_single().
  void leave_to_single() {
    for (std::uint64_t i = 0; i < core_.sources.size(); ++i) single_.push_back(i);
  }

  /// Searches from the sources that were left to be searched from one at a time, by several threads at once if
  /// `together`; throws cancelled.
  void run_single(bool together) {
    std::sort(single_.begin(), single_.end());
    if (together) {
      single_loop over{*this};
      parallel_for<single_loop, search_state*, std::uint64_t>(over, 0, single_.size(),
                                                              loop_options{.batch = 1, .stop = ctx_.stop});
    } else if (!single_.empty()) {
      search_state* state = pool_.take();
      for (std::uint64_t i = 0; i < single_.size(); ++i) search_from(*state, i);
      pool_.give_back(state);
    }
    ctx_.check();
  }

 private:
  struct narrow_loop {
    batches& all;
    state_pool<narrow_search>& states;
    void fork(narrow_search*& mine) { mine = states.take(); }
    void work(narrow_search*& mine, std::uint64_t i) { all.search_narrow(*mine, i); }
    void join(narrow_search*& mine) { states.give_back(mine); }
  };

  void search_narrow(narrow_search& state, std::uint64_t i) {
    const search_end end = state.run(core_.sources[i], ctx_.stop);
    if (end == search_end::complete && ctx_.report != nullptr) ctx_.report->advance(1);
    if (end != search_end::overflown) return;
    const std::scoped_lock held(mutex_);
    single_.push_back(i);
  }

  using search_function = search_end(search_state&, const search_sweeps&, const core_source*, unsigned,
                                     const std::stop_token&);

  template <search_function* function>
  struct loop {
    batches& all;
    std::span<const std::uint64_t> which;
    void fork(search_state*& mine) { mine = all.pool_.take(); }
    void work(search_state*& mine, std::size_t i) { all.search<function>(*mine, which[i]); }
    void join(search_state*& mine) { all.pool_.give_back(mine); }
  };

  unsigned size_of(std::uint64_t batch) const noexcept {
    return static_cast<unsigned>(std::min<std::uint64_t>(search_lanes, core_.sources.size() - batch * search_lanes));
  }

  template <search_function* function>
  void search(search_state& state, std::uint64_t batch) {
    const std::uint64_t first = batch * search_lanes;
    const unsigned size = size_of(batch);
    // relaxed, here and below: a hint, which spares vain searches.
    if (!narrow_.load(std::memory_order_relaxed)) {
      const search_end end = function(state, sweeps_, core_.sources.data() + first, size, ctx_.stop);
      if (end == search_end::complete && ctx_.report != nullptr) ctx_.report->advance(size);
      if (end == search_end::complete || end == search_end::stopped) return;
      if (end == search_end::narrow) narrow_.store(true, std::memory_order_relaxed);
    }
    const std::scoped_lock held(mutex_);
    for (unsigned i = 0; i < size; ++i) single_.push_back(first + i);
  }

  struct single_loop {
    batches& all;
    void fork(search_state*& mine) { mine = all.pool_.take(); }
    void work(search_state*& mine, std::uint64_t i) { all.search_from(*mine, i); }
    void join(search_state*& mine) { all.pool_.give_back(mine); }
  };

  void search_from(search_state& state, std::uint64_t i) {
    const core_source& source = core_.sources[single_[i]];
    const search_end end = search_single(state, source, ctx_.stop);
    if (end == search_end::complete && ctx_.report != nullptr) ctx_.report->advance(1);
  }

  const betweenness_core& core_;
  const run_control& ctx_;
  search_sweeps sweeps_ = search_sweeps_versions(lanes_for(core_.sources.size())).front();
  state_pool<search_state> pool_;
  std::atomic<bool> narrow_{false};  ///< a search was
  std::mutex mutex_;                 // guards the next
  std::vector<std::uint64_t> single_;
  std::vector<machine::page_array<double>> of_narrow_;  ///< scores
};

/// Bytes for the core, while it is made, and for `states` states, which take `bytes_of_state` a vertex.
template <class Vertex>
std::uint64_t bytes_needed(const csr_graph<Vertex>& g, std::uint64_t states, std::uint64_t bytes_of_state) {
  return g.arcs() * (g.directed() ? 8 : 4) + g.vertices() * (120 + states * bytes_of_state);
}

std::uint64_t memory_for(const betweenness_options& options) {
  return options.memory != 0 ? options.memory : machine::available_memory().bytes;
}

/// Threads that take part in a form's loop over sources.
unsigned threads_at(arrangement how) {
  return how.form == betweenness_form::inner ? 1 : workers::loop_team_here(how.level).where.threads();
}

/// Sources that the scores are of.
std::uint64_t source_count(std::uint64_t vertices, const betweenness_options& options) {
  if (!options.from.empty()) return options.from.size();
  return options.samples != 0 ? options.samples : vertices;
}

/// Bytes that a form needs.
std::uint64_t bytes_for(const any_graph& graph, const betweenness_options& options, arrangement how) {
  return std::visit(
      [&](const auto& g) {
        const std::uint64_t sources = source_count(g.vertices(), options);
        const std::uint64_t few = std::min<std::uint64_t>(sources, search_lanes);  // may get a thread each
        return bytes_needed(g, std::min(std::uint64_t{threads_at(how)}, std::max(sources / search_lanes + 1, few)),
                            how.form == betweenness_form::flat ? search_state::bytes_alone(lanes_for(sources))
                                                               : search_state::bytes_together(lanes_for(sources)));
      },
      graph);
}

/// The forms that may be chosen from, outermost parallelism first: of the nestings those that differ from the others.
std::vector<arrangement> offered(const any_graph& graph, const betweenness_options& options) {
  if (options.form == betweenness_form::nested) return {{options.form, options.level}};
  if (options.form != betweenness_form::automatic) return {{options.form, 0}};
  std::vector<arrangement> forms;
  unsigned before = 0;
  const auto offer = [&](arrangement how) {
    const unsigned now = threads_at(how);
    if (now == before || (now != 1 && bytes_for(graph, options, how) > memory_for(options))) return;
    before = now;
    forms.push_back(how);
  };
  offer({betweenness_form::flat, 0});
  for (unsigned level = 1; level <= levels().highest(); ++level) {
    if (threads_at({betweenness_form::nested, level}) != 1) offer({betweenness_form::nested, level});
  }
  offer({betweenness_form::inner, 0});
  return forms;
}

/// Batches that each form is tried on, or one for each thread if these are more; and how many times as many there must
/// be for it to be worth it: the slower form takes up to twice as long.
constexpr std::uint64_t least_places = 4;
constexpr std::uint64_t batches_a_place = 16;

/// Runs all batches: some of them in every form of `forms`, by turns, the others in the fastest. Without trials in the
/// first of the forms, the fastest nearly everywhere; so also while other jobs leave the process one context, where
/// trials tell nothing.
void run_all(batches& all, const std::vector<arrangement>& forms, betweenness_result& result) {
  const std::uint64_t count = all.count();
  const std::uint64_t wave = threads();
  const std::uint64_t places = std::max(wave, least_places);
  arrangement chosen = forms.front();
  std::vector<std::uint64_t> left(count);
  std::iota(left.begin(), left.end(), std::uint64_t{0});
  if (forms.size() > 1 && count < wave) {
    chosen = forms.back();  // too few for one each
  } else if (forms.size() > 1 && count >= batches_a_place * places && !workers::others_wait()) {
    // Sources are in an order, in which those of one batch may take four times as long as another's, but mostly as long
    // as the next one's. So forms, which are far fewer than a place has batches, are tried on batches beside each
    // other, at places all over the order.
    constexpr auto taken = std::numeric_limits<std::uint64_t>::max();
    const auto take = [&](std::uint64_t from, std::uint64_t number) {
      std::vector<std::uint64_t> which(number, taken);
      for (std::uint64_t i = 0; i < number; ++i) std::swap(which[i], left[i * count / places + from]);
      return which;
    };
    // A first wave, which meets fresh memory and cold code, counts for nobody.
    all.run(take(0, wave), chosen);
    double best = 0;
    for (std::size_t f = 0; f < forms.size(); ++f) {
      result.trials.push_back(all.run(take(1 + f, places), forms[f]));
      const betweenness_trial& trial = result.trials.back();
      const double speed = static_cast<double>(trial.sources) / trial.seconds;
      if (speed > best) chosen = forms[f];
      best = std::max(best, speed);
    }
    std::erase(left, taken);
  }
  all.run(left, chosen);
  result.form = chosen.form;
  result.level = chosen.level;
}

/// What sums over the sources are multiplied by, for vertices outside of the sample and in it.
struct factors {
  double outside;
  double inside;
};

factors factors_for(std::uint64_t vertices, std::uint64_t sources, bool directed, bool normalized) {
  if (vertices < 3) return {0, 0};  // nothing lies between two
  const auto others = static_cast<double>(vertices - 1);
  const auto k = static_cast<double>(sources);
  const double pairs = normalized ? others * (others - 1) : (directed ? 1 : 2);
  if (sources == vertices) return {1 / pairs, 1 / pairs};
  return {others / k / pairs, sources == 1 ? 0 : others / (k - 1) / pairs};
}

void add_up(const betweenness_core& core, const std::vector<const double*>& parts, factors scale,
            machine::page_array<double>& scores) {
  parallel_for(std::uint64_t{0}, core.vertices(), [&](std::uint64_t c) {
    double sum = 0;
    for (const double* part : parts) sum += part[c];
    const std::uint64_t v = core.vertex_of(c);
    scores[v] = sum * (!core.chosen.empty() && core.chosen[v] != 0 ? scale.inside : scale.outside);
  });
}

/// Of so many sources in a graph of many small levels, how many to search from by threads for themselves: all, if that
/// is wanted; else as many as leave no thread without one, and the rest together, which is next to as fast, but needs a
/// few threads and no more than a search's memory.
template <class Vertex>
std::uint64_t narrow_apart(const csr_graph<Vertex>& graph, std::uint64_t sources, const betweenness_options& options) {
  if (options.form == betweenness_form::flat) return sources;
  if (options.form == betweenness_form::inner) return 0;
  const std::uint64_t needed =
      bytes_needed(graph, std::min<std::uint64_t>(sources, threads()), narrow_search::bytes(1)) +
      graph.vertices() * narrow_search::bytes(narrow_search::most_threads);
  if (threads() > 1 && needed > memory_for(options)) return 0;
  const std::uint64_t rest = sources % threads();
  return rest < narrow_search::most_threads ? sources - rest : sources;
}

template <class Vertex>
betweenness_result betweenness_of(const csr_graph<Vertex>& graph, const std::vector<arrangement>& forms,
                                  const betweenness_options& options, const run_control& ctx) {
  betweenness_result result;
  result.scores = machine::page_array<double>(graph.vertices(), machine::page_kind::used);
  result.sources = source_count(graph.vertices(), options);
  const betweenness_core core = make_betweenness_core(graph, options, ctx);
  result.searches = core.sources.size();
  if (core.vertices() != graph.vertices()) {  // else all are stored in the end
    parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { result.scores[v] = 0; });
  }
  if (ctx.report != nullptr) ctx.report->begin("betweenness", result.searches, "sources");
  batches all(core, ctx);
  const bool may_be_narrow =
      options.form != betweenness_form::nested && !core.sources.empty() && narrow_search::suits(core);
  const std::uint64_t apart = may_be_narrow ? narrow_apart(graph, core.sources.size(), options) : 0;
  if (may_be_narrow && all.run_narrow(apart)) {
    result.form = apart != 0 ? betweenness_form::flat : betweenness_form::inner;
  } else if (forms.size() > 1 && graph.directed() && core.sources.size() <= search_lanes &&
             core.sources.size() >= threads()) {
    // Of a few sources in a directed graph some reach little, and the others most of it by few arcs at a time: they are
    // better off with a thread each than together.
    all.leave_to_single();
    result.form = betweenness_form::flat;
  } else {
    run_all(all, forms, result);
  }
  const std::uint64_t alone = bytes_needed(graph, threads(), search_state::bytes_alone(lanes_for(core.sources.size())));
  all.run_single(result.form == betweenness_form::flat || alone <= memory_for(options));
  const factors scale = factors_for(graph.vertices(), result.sources, graph.directed(), options.normalized);
  add_up(core, all.scores(), scale, result.scores);
  return result;
}

}  // namespace

const char* name_of(betweenness_form form) noexcept {
  switch (form) {
    case betweenness_form::flat:
      return "flat";
    case betweenness_form::nested:
      return "nested";
    case betweenness_form::inner:
      return "inner";
    case betweenness_form::automatic:
      break;
  }
  return "automatic";
}

void check_betweenness_arguments(const any_graph& graph, const betweenness_options& options) {
  if (options.level == 0) throw usage_error("level is 0, expected at least 1");
  std::visit(
      [&](const auto& g) {
        if (options.samples > g.vertices()) {
          throw usage_error(
              fmt::format("samples is {}, expected at most the graph's {} vertices", options.samples, g.vertices()));
        }
        if (!options.from.empty() && options.samples != 0) {
          throw usage_error("both samples and from are given, expected one of them");
        }
        std::vector<std::uint64_t> from = options.from;
        std::sort(from.begin(), from.end());
        if (!from.empty() && from.back() >= g.vertices()) {
          throw usage_error(fmt::format("from names vertex {} of a graph that has {}", from.back(), g.vertices()));
        }
        if (const auto twice = std::adjacent_find(from.begin(), from.end()); twice != from.end()) {
          throw usage_error(fmt::format("from names vertex {} more than once", *twice));
        }
        if (g.vertices() > 0xfffffffeu) {
          throw usage_error(fmt::format("the graph has {} vertices, betweenness takes up to 4294967294", g.vertices()));
        }
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, along which betweenness searches");
      },
      graph);
  const arrangement least = offered(graph, options).back();
  const std::string what = fmt::format("betweenness of this graph ({}, {} threads)", name_of(least.form), threads());
  require_memory(what, bytes_for(graph, options, least), options.memory);
}

std::uint64_t betweenness_memory(const any_graph& graph, const betweenness_options& options) {
  return bytes_for(graph, options, offered(graph, options).back());
}

betweenness_result betweenness(const any_graph& graph, const betweenness_options& options, const run_control& ctx) {
  check_betweenness_arguments(graph, options);
  const std::vector<arrangement> forms = offered(graph, options);
  return std::visit([&](const auto& g) { return betweenness_of(g, forms, options, ctx); }, graph);
}

}  // namespace callisto::graph

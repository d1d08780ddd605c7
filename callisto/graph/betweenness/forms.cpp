// Offering forms of the loop over sources, and trying them.
#include <callisto/graph/betweenness/forms.hpp>
#include <callisto/graph/betweenness/memory.hpp>
#include <callisto/graph/betweenness/searches.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Each form is tried on this many batches, or on one for each thread if these are more.
constexpr std::uint64_t least_trial = 4;
/// Trials run only if there are this many times as many batches: a slower form takes up to twice as long.
constexpr std::uint64_t batches_per_trial = 16;

/// Picks batches for trials, which are compared with each other. Sources are in an order in which one batch may take
/// four times as long as another batch, but about as long as its neighbour. So each trial takes one batch from every
/// stretch of the order, and trials take neighbouring batches.
class trial_batches {
 public:
  trial_batches(std::uint64_t count, std::uint64_t stretches) : stretches_(stretches), left_(count) {
    std::iota(left_.begin(), left_.end(), std::uint64_t{0});
  }

  /// Takes the batch at `offset` of each of the first `number` stretches.
  std::vector<std::uint64_t> take(std::uint64_t offset, std::uint64_t number) {
    std::vector<std::uint64_t> which(number, taken);
    const std::uint64_t count = left_.size();
    for (std::uint64_t i = 0; i < number; ++i) std::swap(which[i], left_[i * count / stretches_ + offset]);
    return which;
  }

  std::vector<std::uint64_t> rest() && {
    std::erase(left_, taken);
    return std::move(left_);
  }

 private:
  static constexpr std::uint64_t taken = std::numeric_limits<std::uint64_t>::max();

  const std::uint64_t stretches_;
  std::vector<std::uint64_t> left_;
};

}  // namespace

unsigned threads_at(loop_form how) {
  return how.form == betweenness_form::inner ? 1 : workers::loop_team_here(how.level).where.threads();
}

std::vector<loop_form> offered_forms(const any_graph& graph, const betweenness_options& options) {
  if (options.form == betweenness_form::nested) return {{options.form, options.level}};
  if (options.form != betweenness_form::automatic) return {{options.form, 0}};
  std::vector<loop_form> forms;
  unsigned before = 0;
  const auto offer = [&](loop_form how) {
    const unsigned threads = threads_at(how);
    if (threads == before || (threads != 1 && !has_memory(bytes_for(graph, options, how), options.memory))) return;
    before = threads;
    forms.push_back(how);
  };
  offer({betweenness_form::flat, 0});
  for (unsigned level = 1; level <= levels().highest(); ++level) {
    if (threads_at({betweenness_form::nested, level}) != 1) offer({betweenness_form::nested, level});
  }
  offer({betweenness_form::inner, 0});
  return forms;
}

void search_in_fastest_form(betweenness_searches& all, const std::vector<loop_form>& forms,
                            betweenness_result& result) {
  const std::uint64_t count = all.batches();
  const std::uint64_t wave = threads();
  const std::uint64_t stretches = std::max(wave, least_trial);
  loop_form chosen = forms.front();
  trial_batches batches(count, stretches);
  if (forms.size() > 1 && count < wave) {
    chosen = forms.back();  // fewer batches than threads
  } else if (forms.size() > 1 && count >= batches_per_trial * stretches && !workers::others_wait()) {
    // The first wave meets fresh memory and cold code: it counts for no form.
    all.run(batches.take(0, wave), chosen);
    double best = 0;
    for (std::size_t f = 0; f < forms.size(); ++f) {
      result.trials.push_back(all.run(batches.take(1 + f, stretches), forms[f]));
      const betweenness_trial& trial = result.trials.back();
      const double speed = static_cast<double>(trial.sources) / trial.seconds;
      if (speed > best) chosen = forms[f];
      best = std::max(best, speed);
    }
  }
  all.run(std::move(batches).rest(), chosen);
  result.form = chosen.form;
  result.level = chosen.level;
}

}  // namespace callisto::graph

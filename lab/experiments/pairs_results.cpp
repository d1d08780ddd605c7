// Computes ratios to the programs' times alone.
#include <lab/experiments/pairs_results.hpp>

#include <algorithm>
#include <cmath>

namespace callisto::lab {
namespace {

double of(const run_times& times, pairs_results::which one) {
  switch (one) {
    case pairs_results::which::best:
      return times.best();
    case pairs_results::which::worst:
      return times.worst();
    case pairs_results::which::median:
      break;
  }
  return times.median();
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

const char* name_of(sharing_way way) noexcept {
  switch (way) {
    case sharing_way::halves:
      return "static halves";
    case sharing_way::plain:
      return "plain system";
    case sharing_way::callisto:
      break;
  }
  return "Callisto";
}

const pair_times* pairs_results::find(std::size_t a, std::size_t b, sharing_way way) const noexcept {
  const auto at = std::find_if(pairs.begin(), pairs.end(), [&](const pair_times& p) {
    return p.a == std::min(a, b) && p.b == std::max(a, b) && p.way == way;
  });
  return at == pairs.end() ? nullptr : &*at;
}

std::optional<double> pairs_results::of_pair(std::size_t a, std::size_t b, sharing_way way) const {
  const pair_times* const p = find(a, b, way);
  if (p == nullptr) return std::nullopt;
  return (p->of_a.median() + p->of_b.median()) / (alone[p->a].half.median() + alone[p->b].half.median());
}

std::optional<double> pairs_results::of_job(std::size_t a, std::size_t b, sharing_way way, which w) const {
  const pair_times* const p = find(a, b, way);
  if (p == nullptr) return std::nullopt;
  const double base = alone[a].half.median();
  if (a == b) return std::max(of(p->of_a, w), of(p->of_b, w)) / base;
  return of(a < b ? p->of_a : p->of_b, w) / base;
}

std::vector<double> pairs_results::all_pairs(sharing_way way) const {
  std::vector<double> all;
  for (const pair_times& p : pairs) {
    if (p.way == way) all.push_back(*of_pair(p.a, p.b, way));
  }
  return sorted(std::move(all));
}

std::vector<double> pairs_results::all_jobs(sharing_way way, which w) const {
  std::vector<double> all;
  for (const pair_times& p : pairs) {
    if (p.way != way) continue;
    all.push_back(of(p.of_a, w) / alone[p.a].half.median());
    all.push_back(of(p.of_b, w) / alone[p.b].half.median());
  }
  return sorted(std::move(all));
}

std::vector<double> pairs_results::all_runs(sharing_way way) const {
  std::vector<double> all;
  for (const pair_times& p : pairs) {
    if (p.way != way) continue;
    const auto add = [&](const run_times& times, std::size_t of_whom) {
      const double base = alone[of_whom].half.median();
      for (const double s : times.seconds) all.push_back(s / base);
      if (times.seconds.empty()) all.push_back(times.unfinished / base);
    };
    add(p.of_a, p.a);
    add(p.of_b, p.b);
  }
  return sorted(std::move(all));
}

std::optional<std::pair<double, double>> pairs_results::cost_alone() const {
  double logarithms = 0;
  double worst = 0;
  for (const alone_times& a : alone) {
    if (!a.whole.any() || !a.whole_callisto.any()) return std::nullopt;
    const double ratio = a.whole_callisto.median() / a.whole.median();
    logarithms += std::log(ratio);
    worst = std::max(worst, ratio);
  }
  if (alone.empty()) return std::nullopt;
  return std::pair(std::exp(logarithms / static_cast<double>(alone.size())), worst);
}

}  // namespace callisto::lab

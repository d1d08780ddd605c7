// Turns plans into runs.
#include <lab/simulate/sweep.hpp>

#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <stdexcept>

namespace callisto::lab {

std::vector<run_setup> sweep_plan::setups() const {
  std::vector<run_setup> all;
  const auto add = [&](double hold, const schedule& how, unsigned t, std::uint64_t batch) {
    run_setup s;
    s.how = how;
    s.batch = batch;
    s.threads = t;
    s.hold = hold;
    s.seed = seed;
    s.noise = noise;
    s.jitter = jitter;
    s.joined = joined;
    s.cap = std::max(cap, cap_per_thread * t);
    all.push_back(s);
  };
  for (const double hold : holds) {
    for (const technique& t : techniques) {
      for (const unsigned n : threads) {
        for (const std::uint64_t batch : t.batches) add(hold, t.how, n, batch);
      }
    }
  }
  // With larger batches claims are so rare that no context that wants another batch holds the line.
  constexpr std::uint64_t largest_batch = 64;
  for (const double hold : other_holds) {
    for (const technique& t : techniques) {
      for (std::size_t b = 0; b < t.batches.size(); b += 3) {
        if (t.batches[b] != 0 && t.batches[b] <= largest_batch) add(hold, t.how, threads.back(), t.batches[b]);
      }
    }
  }
  return all;
}

sweep::sweep(const machine::simulation::description& machine, const workload& loop, const sweep_plan& plan,
             const graph::run_control& context)
    : plan_(plan) {
  for (const run_setup& setup : plan.setups()) cells_.push_back({setup, {}});
  // The most expensive loops are among the last, which have many threads. They begin first, so that none of them runs
  // alone at the end.
  const auto run = [&](std::size_t i) {
    sweep_cell& cell = cells_[cells_.size() - 1 - i];
    cell.outcome = run_simulated(machine, loop, cell.setup, context.stop);
    if (context.report != nullptr) context.report->advance(1);
  };
  parallel_for(std::size_t{0}, cells_.size(), run, {.batch = 1, .stop = context.stop});
  if (context.stop.stop_requested()) throw graph::cancelled();
}

std::uint64_t sweep::events() const noexcept {
  std::uint64_t events = 0;
  for (const sweep_cell& c : cells_) events += c.outcome.events;
  return events;
}

const sweep_cell* sweep::find(const schedule& how, std::uint64_t batch, unsigned threads, double hold) const noexcept {
  const auto found = std::find_if(cells_.begin(), cells_.end(), [&](const sweep_cell& c) {
    return c.setup.how == how && c.setup.batch == batch && c.setup.threads == threads && c.setup.hold == hold;
  });
  return found == cells_.end() ? nullptr : &*found;
}

const run_outcome& sweep::at(const schedule& how, std::uint64_t batch, unsigned threads, double hold) const {
  const sweep_cell* cell = find(how, batch, threads, hold);
  if (cell == nullptr) throw std::out_of_range("no such loop in the sweep");
  return cell->outcome;
}

}  // namespace callisto::lab

// From plans to runs.
#include <callisto/app/simulate_sweep.hpp>

#include <algorithm>
#include <stdexcept>

namespace callisto::app {

std::vector<run_setup> sweep_plan::setups() const {
  std::vector<run_setup> all;
  const auto add = [&](double hold, distributor_kind distributor, unsigned t, std::uint64_t batch) {
    run_setup s;
    s.distributor = distributor;
    s.batch = batch;
    s.threads = t;
    s.hold = hold;
    s.seed = seed;
    s.noise = noise;
    s.joined = joined;
    s.cap = cap;
    all.push_back(s);
  };
  for (const double hold : holds) {
    for (const distributor_kind d : distributors) {
      for (const unsigned t : threads) {
        for (const std::uint64_t batch : batches) add(hold, d, t, batch);
      }
    }
  }
  constexpr std::uint64_t largest_batch =
      64;  // beyond, claims are too rare for a line to be held by one who wants more
  for (const double hold : other_holds) {
    for (const distributor_kind d : distributors) {
      for (std::size_t b = 0; b < batches.size(); b += 3) {
        if (batches[b] != 0 && batches[b] <= largest_batch) add(hold, d, threads.back(), batches[b]);
      }
    }
  }
  return all;
}

sweep::sweep(const machine::simulation::description& machine, const workload& loop, const sweep_plan& plan,
             const graph::context& context)
    : plan_(plan) {
  for (const run_setup& setup : plan.setups()) {
    cells_.push_back({setup, run_simulated(machine, loop, setup, context.stop)});
    if (context.report != nullptr) context.report->advance(1);
  }
}

const sweep_cell* sweep::find(distributor_kind distributor, std::uint64_t batch, unsigned threads,
                              double hold) const noexcept {
  const auto found = std::find_if(cells_.begin(), cells_.end(), [&](const sweep_cell& c) {
    return c.setup.distributor == distributor && c.setup.batch == batch && c.setup.threads == threads &&
           c.setup.hold == hold;
  });
  return found == cells_.end() ? nullptr : &*found;
}

const run_outcome& sweep::at(distributor_kind distributor, std::uint64_t batch, unsigned threads, double hold) const {
  const sweep_cell* cell = find(distributor, batch, threads, hold);
  if (cell == nullptr) throw std::out_of_range("no such loop in the sweep");
  return cell->outcome;
}

}  // namespace callisto::app

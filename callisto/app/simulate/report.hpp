// What `callisto simulate` says about its sweeps: tables, JSON, pictures.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <callisto/app/simulate/sweep.hpp>

#include <string>
#include <vector>

namespace callisto::app {

/// One workload and its sweep.
struct simulated_loop {
  const app::workload* loop;
  const app::sweep* runs;
};

/// Speed-up by batch size and threads for each schedule, with the hold window `hold`.
std::string speedup_tables(const simulated_loop& s, double hold);

/// Where the threads' cycles went and how many lines moved, by batch size, for the largest number of threads.
std::string cycle_tables(const simulated_loop& s, double hold);

/// The loops with a speed-up that depends on the length of the hold window by more than a tenth; empty if none does or there
/// is one length only.
std::string hold_table(const simulated_loop& s);

json to_json(const simulated_loop& s);

/// Speed-up against batch size and against the number of threads for each schedule, shares of the cycles, and lines
/// moved; as many plots for each schedule. Their titles begin with `machine`.
void add_plots(const simulated_loop& s, double hold, const std::string& machine, std::vector<svg_plot>& plots);

/// The hold window of tables and pictures: the machine's own, if it is among those simulated.
double main_hold(const machine::simulation::description& machine, const sweep_plan& plan);

/// The machine's keys.
json describe(const machine::simulation::description& machine);

/// "SPARC T5-8: 8 sockets, 128 cores, ..."
std::string title_of(const machine::simulation::description& machine);

/// "2,170,000,000 events simulated in 2 min 51 s (12.7 M events/s)."
std::string simulation_speed(std::uint64_t events, double seconds);

/// A batch size, or "automatic" for 0.
std::string batch_name(std::uint64_t batch);

/// "even: 1,048,576 iterations of 140 cycles"
std::string describe(const workload& loop);

/// A speed-up with three digits, "< 2.00" if it is only an upper bound.
std::string to_text(const run_outcome& outcome);

}  // namespace callisto::app

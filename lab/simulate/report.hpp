// Shows sweeps of `callisto-lab simulate` as tables, JSON and pictures.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <lab/names.hpp>
#include <lab/simulate/sweep.hpp>

#include <string>
#include <vector>

namespace callisto::lab {

/// One workload and the sweep that ran it.
struct simulated_loop {
  const lab::workload* loop;
  const lab::sweep* runs;
};

/// Returns a table for each schedule: speed-up by batch size and threads, with the hold window `hold`.
std::string speedup_tables(const simulated_loop& s, double hold);

/// Returns tables of how the threads spent their cycles and how many lines moved, by batch size, for the largest number
/// of threads.
std::string cycle_tables(const simulated_loop& s, double hold);

/// Returns a table of the loops with a speed-up that depends on the length of the hold window by more than a tenth.
/// Returns an empty text if there is no such loop, or only one length.
std::string hold_table(const simulated_loop& s);

json to_json(const simulated_loop& s);

/// Appends the plots of each schedule: speed-up against batch size and against the number of threads, shares of the
/// cycles, and lines moved. Each schedule has the same number of plots. Their titles begin with `machine`.
void add_plots(const simulated_loop& s, double hold, const std::string& machine, std::vector<svg_plot>& plots);

/// Returns the hold window that tables and pictures show: the machine's own if the plan includes it.
double main_hold(const machine::simulation::description& machine, const sweep_plan& plan);

/// Returns the machine's main properties as a JSON object.
json describe(const machine::simulation::description& machine);

/// Returns a title such as "SPARC T5-8: 8 sockets, 128 cores, ...".
std::string title_of(const machine::simulation::description& machine);

/// Returns a sentence such as "2,170,000,000 events simulated in 2 min 51 s (12.7 M events/s)."
std::string simulation_speed(std::uint64_t events, double seconds);

/// Returns a batch size as text, "automatic" for 0.
std::string batch_name(std::uint64_t batch);

/// Returns a text such as "even: 1,048,576 iterations of 140 cycles".
std::string describe(const workload& loop);

/// Returns a speed-up with three digits, or for example "< 2.00" if it is only an upper bound.
std::string to_text(const run_outcome& outcome);

}  // namespace callisto::lab

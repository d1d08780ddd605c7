// Measures, simulates, and prints the table of both.
#include <lab/simulate/compare_machine.hpp>

#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <lab/simulate/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace callisto::lab {

double comparison::worst() const noexcept {
  double worst = 0;
  for (const compared_speedup& row : rows) {
    if (!row.measured.disturbed) worst = std::max(worst, std::abs(row.error()));
  }
  return worst;
}

bool comparison::steady() const noexcept {
  return std::none_of(rows.begin(), rows.end(), [](const compared_speedup& r) {
    return !r.measured.disturbed && r.measured.high > 1.5 * r.measured.low;
  });
}

comparison compare_with_reality(const machine::simulation::description& m, unsigned threads, std::uint64_t seed,
                                const graph::run_control& context) {
  constexpr unsigned rounds = 15;  // about 1 s: a short run meets fewer changes of the machine
  constexpr std::uint64_t iterations = 1 << 17;
  comparison c;
  c.measured = run_native_loops(
      threads, {schedule::parse("counter(machine)", "schedule"), schedule::parse("counter(thread)", "schedule")},
      {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, rounds, context);
  c.iteration_cycles =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(c.measured.iteration * m.clock * 1e-9)));
  const workload loop = workload::even(iterations, c.iteration_cycles);
  for (const native_speedup& measured : c.measured.speedups) {
    run_setup setup;
    setup.how = measured.how;
    setup.batch = measured.batch;
    setup.threads = threads;
    setup.hold = m.hold;
    setup.seed = seed;
    setup.jitter = 0.15;  // varies the iterations' lengths: otherwise the claims would fall into step
    c.rows.push_back({measured, run_simulated(m, loop, setup, context.stop).speedup});
  }
  return c;
}

std::string to_words(const comparison& c) {
  std::string text = fmt::format(
      "An even loop, {} cycles ({:.1f} ns) an iteration, {}: speed-up over the plain loop.\n"
      "Measured: medians and quartiles; the error is that of the prediction.\n\n",
      c.iteration_cycles, c.measured.iteration, counted(c.measured.threads, "thread"));
  table rows({{"schedule", table::align::left},
              {"batch size"},
              {"measured"},
              {"quartiles"},
              {"predicted"},
              {"error"},
              {"", table::align::left}});
  for (const compared_speedup& row : c.rows) {
    const native_speedup& m = row.measured;
    rows.add_row({m.how.to_string(), with_separators(m.batch), fmt::format("{:.3f}", m.speedup),
                  fmt::format("{:.3f} to {:.3f}", m.low, m.high), fmt::format("{:.3f}", row.predicted),
                  fmt::format("{:+.1f} %", row.error() * 100), m.disturbed ? "disturbed by other processes" : ""});
  }
  text += rows.render(2);
  const auto disturbed =
      std::count_if(c.rows.begin(), c.rows.end(), [](const compared_speedup& r) { return r.measured.disturbed; });
  if (disturbed == std::ssize(c.rows))
    return text + "\nOther processes used the machine all the time: try again later.\n";
  return text + fmt::format("\nLargest error{}: {:.1f} % ({} {:.0f} %)\n", disturbed == 0 ? "" : " of the others",
                            c.worst() * 100, c.worst() <= tolerated_error ? "within" : "beyond", tolerated_error * 100);
}

json to_json(const comparison& c) {
  json rows = json::array();
  for (const compared_speedup& row : c.rows) {
    rows.push_back({{"schedule", row.measured.how.to_string()},
                    {"batch", row.measured.batch},
                    {"measured", row.measured.speedup},
                    {"low", row.measured.low},
                    {"high", row.measured.high},
                    {"predicted", row.predicted},
                    {"error", row.error()},
                    {"disturbed", row.measured.disturbed}});
  }
  return {{"threads", c.measured.threads},          {"iteration_nanoseconds", c.measured.iteration},
          {"iteration_cycles", c.iteration_cycles}, {"worst_error", c.worst()},
          {"tolerated_error", tolerated_error},     {"comparison", std::move(rows)}};
}

}  // namespace callisto::lab

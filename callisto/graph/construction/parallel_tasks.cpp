// The loops of construction, and their progress.
#include <callisto/graph/construction/parallel_tasks.hpp>

#include <callisto/loop/parallel_for.hpp>

#include <algorithm>

namespace callisto::graph::construction {

void for_each_task(const run_control& control, std::size_t n, const std::function<void(std::size_t)>& f,
                   std::source_location where) {
  if (!parallel_for(std::size_t{0}, n, f, loop_options{.batch = 1, .stop = control.stop}, where)) throw cancelled();
}

void for_each_batch(const run_control& control, std::uint64_t n,
                    const std::function<void(std::uint64_t, std::uint64_t)>& f, std::source_location where) {
  constexpr std::uint64_t batch = 1 << 16;
  for_each_task(
      control, static_cast<std::size_t>((n + batch - 1) / batch),
      [&](std::size_t i) { f(i * batch, std::min(n, (i + 1) * batch)); }, where);
}

void begin_stage(const run_control& control, std::string_view stage, std::uint64_t total) {
  if (control.report != nullptr) control.report->begin(stage, total, "edges");
}

void advance_stage(const run_control& control, std::uint64_t amount) {
  if (control.report != nullptr && amount != 0) control.report->advance(amount);
}

}  // namespace callisto::graph::construction

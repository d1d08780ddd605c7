// Runs a kernel while Python goes on: without the GIL, with Ctrl-C and progress.
#pragma once

#include <callisto/graph.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace callisto::python {

namespace nb = nanobind;

/// Runs `kernel` on a thread of its own. The caller waits without the GIL. Every 50 ms it lets Python handle signals
/// and calls `progress(stage, done, total, unit)`, unless that is None. If either raises, the kernel is stopped and the
/// exception goes on from here. Throws what the kernel throws. The caller holds the GIL.
void run_watched(nb::handle progress, const std::function<void(const graph::run_control&)>& kernel);

/// Where a kernel runs, by how long it surely takes.
enum class place : std::uint8_t {
  watched,  ///< run_watched()
  caller,   ///< on the caller, without the GIL: surely below 50 ms
  alone,    ///< on the caller, which takes no followers: waking them costs more time than they save
};

/// Runs `kernel` on the caller, at `where` (caller or alone).
void run_unwatched(place where, const std::function<void(const graph::run_control&)>& kernel);

/// The place of a kernel that looks at each arc a few times; of work on `size` arcs and vertices.
place by_arcs(const graph::any_graph& graph) noexcept;
place by_arcs(std::uint64_t size) noexcept;
/// The place of a kernel that takes time in proportion to arcs^1.5 at most, or looks at each arc a thousand times.
place by_neighbours(const graph::any_graph& graph) noexcept;
/// The place of a kernel that may search from each vertex, or which no number of arcs bounds.
place by_searches(const graph::any_graph& graph) noexcept;

/// Runs kernel(control) at `where` and returns its result. A progress receiver is called in any case.
template <class F>
auto run(nb::handle progress, place where, F&& kernel) {
  using result = std::invoke_result_t<F&, const graph::run_control&>;
  std::optional<result> made;
  const auto keep = [&](const graph::run_control& control) { made.emplace(kernel(control)); };
  if (where == place::watched || !progress.is_none()) {
    run_watched(progress, keep);
  } else {
    run_unwatched(where, keep);
  }
  return std::move(*made);
}

/// Ends all kernels that run, and waits until their callers have been told; later ones are refused. For the exit of
/// the interpreter, which would end their callers without ending the kernels.
void stop_all();

}  // namespace callisto::python

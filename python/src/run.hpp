// Runs a kernel while Python goes on: without the GIL, with Ctrl-C and progress.
#pragma once

#include <callisto/graph.hpp>

#include <nanobind/nanobind.h>

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

/// Runs `kernel` on the caller, without the GIL and without a watch: for work that surely takes below 50 ms.
void run_briefly(const std::function<void(const graph::run_control&)>& kernel);

/// True if a kernel that looks at each arc a few times surely ends within 50 ms.
bool is_brief(const graph::any_graph& graph) noexcept;

/// Runs kernel(control) and returns its result. `brief`: see is_brief(); a progress receiver is called all the same.
template <class F>
auto run(nb::handle progress, bool brief, F&& kernel) {
  using result = std::invoke_result_t<F&, const graph::run_control&>;
  std::optional<result> made;
  const auto keep = [&](const graph::run_control& control) { made.emplace(kernel(control)); };
  if (brief && progress.is_none()) {
    run_briefly(keep);
  } else {
    run_watched(progress, keep);
  }
  return std::move(*made);
}

/// Ends all kernels that run, and waits until their callers have been told; later ones are refused. For the exit of
/// the interpreter, which would end their callers without ending the kernels.
void stop_all();

}  // namespace callisto::python

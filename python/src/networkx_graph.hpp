// The walked graph as bound to Python, and what its bindings share: runs without the GIL, nodes for numbers.
#pragma once

#include "networkx_order.hpp"
#include "run.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace callisto::python {

namespace nb = nanobind;

/// A walked graph with its csr graphs, which kernels take, as Python objects: _core.NxGraph.
class nx_graph : public networkx::walked_graph {
 public:
  using networkx::walked_graph::walked_graph;

  /// The rows along which, or against which, a search goes.
  const networkx::ordered_rows& rows(bool reverse) const { return reverse ? in() : out(); }
  const networkx::ordered_rows* both() const { return directed() ? &in() : nullptr; }
};

/// Runs an algorithm that looks at each arc a few times without the GIL.
template <class F>
auto ordered(const nx_graph& of, F&& algorithm) {
  return run(nb::none(), by_arcs(of.out().arcs()), std::forward<F>(algorithm));
}

/// Runs an algorithm that may take long without the GIL; Ctrl-C stops it.
template <class F>
auto watched(F&& algorithm) {
  return run(nb::none(), place::watched, std::forward<F>(algorithm));
}

[[noreturn]] inline void failed() { throw nb::python_error(); }

inline nb::object stolen(PyObject* made) {
  if (made == nullptr) failed();
  return nb::steal(made);
}

/// Returns the items first, ..., last - 1 of `order` as a list of nodes.
inline nb::object list_of(const nx_graph& of, const std::vector<networkx::vertex>& order, std::size_t first,
                          std::size_t last) {
  const nb::object made = stolen(PyList_New(static_cast<Py_ssize_t>(last - first)));
  for (std::size_t i = first; i < last; ++i) {
    PyObject* const node = of.node(order[i]);
    Py_INCREF(node);
    PyList_SetItem(made.ptr(), static_cast<Py_ssize_t>(i - first), node);
  }
  return made;
}

inline nb::object nodes_of(const nx_graph& of, const std::vector<networkx::vertex>& order) {
  return list_of(of, order, 0, order.size());
}

/// Returns the items first, ..., last - 1 of `order` as a set of nodes, added in this order.
inline nb::object set_of(const nx_graph& of, const std::vector<networkx::vertex>& order, std::size_t first,
                         std::size_t last) {
  const nb::object made = stolen(PySet_New(nullptr));
  for (std::size_t i = first; i < last; ++i) {
    if (PySet_Add(made.ptr(), of.node(order[i])) != 0) failed();
  }
  return made;
}

inline nb::object pair_of(const nx_graph& of, networkx::vertex u, networkx::vertex v) {
  return stolen(PyTuple_Pack(2, of.node(u), of.node(v)));
}

inline void put(const nb::dict& to, PyObject* key, const nb::object& value) {
  if (PyDict_SetItem(to.ptr(), key, value.ptr()) != 0) failed();
}

/// Adds what NetworkX's orders, counts and searches with negative weights need to the module.
void bind_networkx_orders(nb::module_& m);
void bind_networkx_counts(nb::module_& m);
void bind_networkx_negative(nb::module_& m);

}  // namespace callisto::python

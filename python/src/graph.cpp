// _core.Graph: sizes, rows, labels.
#include "graph.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "run.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace callisto::python {
namespace {

/// The arrays of rows: offsets, targets, and weights or None, as views that keep the graph alive.
template <bool In>
nb::tuple rows(const nb::handle_t<held_graph> self) {
  return nb::inst_ptr<held_graph>(self)->visit([&](const auto& g) {
    const auto& side = In ? g.in() : g.out();
    const nb::object weights = side.weights.empty() ? nb::none() : side.weights.visit([&](const auto& values) {
      return numpy_view(values.data(), values.size(), self);
    });
    return nb::make_tuple(numpy_view(side.offsets.data(), side.offsets.size(), self),
                          numpy_view(side.targets.data(), side.targets.size(), self), weights);
  });
}

/// What users call the vertices: None if that is 0 ... n - 1, a list of str if they have names, else an array.
nb::object labels(const held_graph& of) {
  return of.visit([](const auto& g) -> nb::object {
    const std::uint64_t n = g.vertices();
    if (const auto& names = g.names()) {
      nb::list list;
      for (std::uint64_t v = 0; v < n; ++v) {
        const std::string_view name = (*names)[g.label(v)];
        // Bytes that are no UTF-8 become lone surrogates, as in the names of files.
        PyObject* text = PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "surrogateescape");
        if (text == nullptr) nb::raise_python_error();
        list.append(nb::steal(text));
      }
      return list;
    }
    if (g.labels().empty() && g.first_label() == 0) return nb::none();
    std::vector<std::uint64_t> all(n);
    for (std::uint64_t v = 0; v < n; ++v) all[v] = g.label(v);
    return to_numpy(std::move(all));
  });
}

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<held_graph>(m, "Graph", "An immutable graph over the vertices 0 ... n - 1.")
      .def_prop_ro("vertices", &held_graph::vertices)
      .def_prop_ro("arcs", [](const held_graph& of) { return of.visit([](const auto& g) { return g.arcs(); }); })
      .def_prop_ro("directed",
                   [](const held_graph& of) { return of.visit([](const auto& g) { return g.directed(); }); })
      .def_prop_ro("weighted",
                   [](const held_graph& of) { return of.visit([](const auto& g) { return g.weighted(); }); })
      .def_prop_ro("has_labels",
                   [](const held_graph& of) {
                     return of.visit([](const auto& g) {
                       return g.names() != nullptr || !g.labels().empty() || g.first_label() != 0;
                     });
                   })
      .def_prop_ro("named",
                   [](const held_graph& of) { return of.visit([](const auto& g) { return g.names() != nullptr; }); })
      .def_prop_ro("nbytes", [](const held_graph& of) { return graph::csr_bytes(of.any()); })
      .def("labels", &labels)
      .def("out_rows", &rows<false>)
      .def("in_rows", &rows<true>)
      .def(
          "self_loops",
          [](const held_graph& of, nb::handle progress) {
            return run(progress, by_arcs(of.any()),
                       [&](const graph::run_control& control) { return graph::count_self_loops(of.any(), control); });
          },
          nb::arg("progress") = nb::none());
}

}  // namespace callisto::python

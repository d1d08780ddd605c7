// Columns of vertices and edges that stay with a graph: as arrays, from arrays, and as conditions.
#include "arrays.hpp"
#include "bindings.hpp"
#include "graph.hpp"
#include "run.hpp"

#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/attributes/carry.hpp>
#include <callisto/graph/attributes/condition.hpp>
#include <callisto/graph/attributes/edge_numbers.hpp>
#include <callisto/graph/order/reorder.hpp>

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

using graph::column_type;
using graph::run_control;

/// Returns the value of a row as an object of Python; None if it is missing.
nb::object object_of(const graph::column& of, std::uint64_t row) {
  if (!of.has(row)) return nb::none();
  switch (of.type) {
    case column_type::whole:
      return nb::int_(of.whole(row));
    case column_type::real:
      return nb::float_(of.real(row));
    case column_type::truth:
      return nb::bool_(of.truth(row));
    case column_type::text:
      break;
  }
  const std::string_view text = of.text(row);
  PyObject* const made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

/// Returns the rows place(0), place(1) ... of a column: an array of ints, floats (NaN: missing) or bools, or a list if
/// it holds texts, or ints or bools of which some are missing.
template <class Place>
nb::object values_of(const graph::column& of, const Place& place) {
  const bool whole = of.validity.empty();
  if (of.type == column_type::real) {
    std::vector<double> made(of.rows);
    for (std::uint64_t i = 0; i < of.rows; ++i) {
      made[i] = of.has(place(i)) ? of.real(place(i)) : std::numeric_limits<double>::quiet_NaN();
    }
    return to_numpy(std::move(made));
  }
  if (of.type == column_type::whole && whole) {
    std::vector<std::int64_t> made(of.rows);
    for (std::uint64_t i = 0; i < of.rows; ++i) made[i] = of.whole(place(i));
    return to_numpy(std::move(made));
  }
  if (of.type == column_type::truth && whole) {
    machine::page_array<char> made(of.rows);
    for (std::uint64_t i = 0; i < of.rows; ++i) made[i] = of.truth(place(i)) ? 1 : 0;
    return to_numpy_flags(std::move(made));
  }
  nb::list made;
  for (std::uint64_t i = 0; i < of.rows; ++i) made.append(object_of(of, place(i)));
  return made;
}

/// Returns by vertex the rank of its label, which is its row.
template <class Vertex>
std::vector<std::uint64_t> ranks_of(const graph::csr_graph<Vertex>& g) {
  std::vector<std::uint64_t> made(g.vertices());
  for (std::uint64_t i = 0; i < made.size(); ++i) made[g.by_label(i)] = i;
  return made;
}

nb::dict vertex_columns(const held_graph& of) {
  return of.visit([](const auto& g) {
    nb::dict made;
    if (g.attributes() == nullptr) return made;
    const std::vector<std::uint64_t> rank = ranks_of(g);
    for (const auto& column : g.attributes()->vertices) {
      made[column->name.c_str()] = values_of(*column, [&](std::uint64_t v) { return rank[v]; });
    }
    return made;
  });
}

nb::dict edge_columns(const held_graph& of) {
  return of.visit([](const auto& g) {
    nb::dict made;
    if (g.attributes() == nullptr) return made;
    for (const auto& column : g.attributes()->edges) {
      made[column->name.c_str()] = values_of(*column, [](std::uint64_t e) { return e; });
    }
    return made;
  });
}

/// Makes a column of the objects `values`, of which row(i) is the i-th. All are ints, floats, bools or texts, or None.
template <class Row>
std::shared_ptr<const graph::column> column_of_objects(const std::string& name, const nb::list& values,
                                                       const Row& row) {
  auto made = std::make_shared<graph::column>();
  made->name = name;
  made->rows = values.size();
  bool bools = true;
  bool ints = true;
  bool numbers = true;
  bool texts = true;
  bool missing = false;
  for (const nb::handle value : values) {
    if (value.is_none()) {
      missing = true;
      continue;
    }
    const bool is_bool = PyBool_Check(value.ptr());
    const bool is_int = !is_bool && PyLong_Check(value.ptr()) != 0;
    const bool is_float = PyFloat_Check(value.ptr()) != 0;
    const bool is_text = PyUnicode_Check(value.ptr()) != 0;
    if (!is_bool && !is_int && !is_float && !is_text)
      throw usage_error(fmt::format("the column '{}' holds a {}: expected ints, floats, bools or texts", name,
                                    nb::type_name(value.type()).c_str()));
    bools = bools && is_bool;
    ints = ints && is_int;
    numbers = numbers && (is_int || is_float);
    texts = texts && is_text;
  }
  if (!bools && !ints && !numbers && !texts)
    throw usage_error(fmt::format("the column '{}' mixes types: expected numbers, bools or texts", name));
  made->type = bools && made->rows != 0 && !texts ? column_type::truth
               : ints && !texts                   ? column_type::whole
               : numbers && !texts                ? column_type::real
                                                  : column_type::text;
  if (missing) {
    made->validity = machine::page_array<std::uint8_t>((made->rows + 7) / 8);
    for (std::uint64_t i = 0; i < made->rows; ++i) {
      if (!nb::handle(values[row(i)]).is_none()) made->validity[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    }
  }
  const auto at = [&](std::uint64_t i) { return nb::object(values[row(i)]); };
  if (made->type == column_type::text) {
    made->offsets = machine::page_array<std::int64_t>(made->rows + 1);
    std::string bytes;
    for (std::uint64_t i = 0; i < made->rows; ++i) {
      if (const nb::object value = at(i); !value.is_none()) {
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
        if (text == nullptr) nb::raise_python_error();
        bytes.append(text, static_cast<std::size_t>(size));
      }
      made->offsets[i + 1] = static_cast<std::int64_t>(bytes.size());
    }
    made->values = machine::page_array<std::byte>(bytes.size());
    std::memcpy(made->values.data(), bytes.data(), bytes.size());
    return made;
  }
  if (made->type == column_type::truth) {
    made->values = machine::page_array<std::byte>((made->rows + 7) / 8);
    for (std::uint64_t i = 0; i < made->rows; ++i) {
      if (at(i).ptr() == Py_True) made->values[i / 8] |= static_cast<std::byte>(1U << (i % 8));
    }
    return made;
  }
  made->values = machine::page_array<std::byte>(8 * made->rows);
  for (std::uint64_t i = 0; i < made->rows; ++i) {
    const nb::object value = at(i);
    if (value.is_none()) continue;
    if (made->type == column_type::whole) {
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
      if (overflow != 0) throw usage_error(fmt::format("the column '{}' holds a number beyond 64 bits", name));
      std::memcpy(made->values.data() + 8 * i, &number, 8);
    } else {
      const double number = PyFloat_AsDouble(value.ptr());
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      std::memcpy(made->values.data() + 8 * i, &number, 8);
    }
  }
  return made;
}

/// Returns the graph with these columns: lists by vertex, and by edge in the order of edge numbers.
held_graph with_columns(const held_graph& of, const nb::dict& vertices, const nb::dict& edges) {
  return of.visit([&](const auto& g) {
    const std::uint64_t n = g.vertices();
    const std::uint64_t m = graph::edge_numbers(g).size();
    const auto list_of = [](const auto& pair, std::uint64_t rows, const char* what) {
      auto values = nb::cast<nb::list>(pair.second);
      if (values.size() != rows)
        throw usage_error(fmt::format("the column '{}' has {} rows for {} {}", nb::cast<std::string>(pair.first),
                                      values.size(), rows, what));
      return values;
    };
    graph::column_list of_vertices;
    graph::column_list of_edges;
    for (const auto pair : vertices) {
      of_vertices.push_back(column_of_objects(nb::cast<std::string>(pair.first), list_of(pair, n, "vertices"),
                                              [&](std::uint64_t i) { return g.by_label(i); }));
    }
    for (const auto pair : edges) {
      of_edges.push_back(column_of_objects(nb::cast<std::string>(pair.first), list_of(pair, m, "edges"),
                                           [](std::uint64_t i) { return i; }));
    }
    return with_attributes(of, graph::attributes_of(std::move(of_vertices), std::move(of_edges)));
  });
}

/// Calls f(); what it says of the command's option it says of the argument.
template <class F>
auto naming_condition(const F& f) {
  try {
    return f();
  } catch (const usage_error& e) {
    std::string text = e.what();
    constexpr std::string_view option = "--where: ";
    if (text.starts_with(option)) text.replace(0, option.size(), "condition: ");
    throw usage_error(text);
  }
}

/// Returns the graph of what fits a condition: without the edges that fail, then without the vertices that fail.
held_graph where(const held_graph& of, const std::string& text, nb::handle progress) {
  return naming_condition([&] {
    const graph::condition wanted(text);
    return held_graph(run(progress, by_arcs(of.any()), [&](const run_control& control) {
      graph::any_graph kept = shared_graph(of);
      if (of.visit([&](const auto& g) { return wanted.speaks_of_edges(g.attributes().get()); })) {
        if (!of.visit([](const auto& g) { return g.by_label().empty(); })) kept = graph::in_label_order(kept, control);
        graph::any_edge_list edges =
            std::visit([&](const auto& g) -> graph::any_edge_list { return graph::listed(g, control); }, kept);
        const bool directed = std::visit([](const auto& g) { return g.directed(); }, kept);
        wanted.keep_edges(edges, control);
        kept =
            graph::build_graph(std::move(edges), {.undirected = !directed, .repeats = graph::repeats::keep}, control);
      }
      const auto vertices = wanted.kept_vertices(kept, control);
      if (vertices.empty()) return kept;
      return std::visit([&](const auto& g) { return graph::any_graph(graph::induced_subgraph(g, vertices, control)); },
                        kept);
    }));
  });
}

}  // namespace

void bind_attributes(nb::module_& m) {
  m.def("vertex_columns", &vertex_columns);
  m.def("edge_columns", &edge_columns);
  m.def("with_columns", &with_columns, nb::arg("graph"), nb::arg("vertices"), nb::arg("edges"));
  m.def("where", &where, nb::arg("graph"), nb::arg("condition"), nb::arg("progress") = nb::none());
}

}  // namespace callisto::python

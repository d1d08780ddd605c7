#include "networkx_walk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace callisto::python::networkx {

namespace {

[[noreturn]] void refuse(const char* why) {
  PyErr_SetString(PyExc_NotImplementedError, why);
  throw nb::python_error();
}

void require_dict(PyObject* object, const char* why) {
  if (!PyDict_CheckExact(object)) refuse(why);
}

graph::weight_array in_least_room(machine::page_array<double>&& wide) {
  if (!graph::are_short(wide)) return std::move(wide);
  machine::page_array<graph::short_weight> narrow(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) narrow[i] = graph::weight_as<graph::short_weight>(wide[i]);
  return narrow;
}

graph::adjacency<vertex> adjacency_of(std::pair<ordered_rows, machine::page_array<double>>&& from) {
  graph::adjacency<vertex> made;
  made.offsets = machine::page_array<std::uint64_t>(from.first.offsets.size());
  std::copy(from.first.offsets.begin(), from.first.offsets.end(), made.offsets.data());
  made.targets = std::move(from.first.targets);
  made.weights = in_least_room(std::move(from.second));
  return made;
}

/// Returns the graph with ascending rows: turned round once they ascend, twice they are the rows again.
csr csr_of(const walked_graph& graph, std::span<const double> values) {
  auto in = transposed(graph.out(), values);
  if (!graph.directed()) return csr(false, adjacency_of(std::move(in)), {}, {}, 0);
  auto out = transposed(in.first, in.second);
  return csr(true, adjacency_of(std::move(out)), adjacency_of(std::move(in)), {}, 0);
}

/// Objects that dictionaries name, taken up in blocks so that the fetches of their memory overlap: each is apart from
/// the others, and waiting for them one after the other takes most of a walk's time. `take(object, index)` may run
/// Python code: a block holds references to its objects.
template <class Take>
class fetched_ahead {
 public:
  explicit fetched_ahead(Take take) : take_(std::move(take)) {}
  fetched_ahead(const fetched_ahead&) = delete;
  fetched_ahead& operator=(const fetched_ahead&) = delete;
  ~fetched_ahead() {
    for (; taken_ < held_; ++taken_) Py_DECREF(objects_[taken_]);
  }

  void add(PyObject* object, std::uint64_t index) {
    __builtin_prefetch(object);
    objects_[size_] = object;
    indices_[size_++] = index;
    if (size_ == block) take_all();
  }
  void take_all() {
    for (; held_ < size_; ++held_) {
      Py_INCREF(objects_[held_]);
      if (PyDict_CheckExact(objects_[held_])) fetch_entries(objects_[held_]);
    }
    while (taken_ < size_) {
      take_(objects_[taken_], indices_[taken_]);
      Py_DECREF(objects_[taken_++]);
    }
    size_ = held_ = taken_ = 0;
  }

 private:
  static constexpr std::size_t block = 64;

  /// Fetches what a dict holds. Where that lies is CPython's own affair: where it has moved, the fetch is for nothing,
  /// and hurts nothing. Reading the weights of 1.3 M edges takes a quarter less by it. GCC
  /// drops the call of a function that only fetches, unless it is inlined.
  [[gnu::always_inline]] static void fetch_entries(const PyObject* dict) noexcept {
    constexpr std::size_t place = 32;  // in each CPython from 3.10 to 3.14, below the 48 bytes of a dict
    const char* entries = nullptr;
    std::memcpy(&entries, reinterpret_cast<const char*>(dict) + place, sizeof entries);
    __builtin_prefetch(entries);
    __builtin_prefetch(entries + 64);
  }

  Take take_;
  std::size_t size_ = 0;
  std::size_t held_ = 0;   ///< of these references are held
  std::size_t taken_ = 0;  ///< and of these no longer
  std::array<PyObject*, block> objects_;
  std::array<std::uint64_t, block> indices_;
};

[[noreturn]] void changed() {
  PyErr_SetString(PyExc_RuntimeError, "the graph changed while it was read");
  throw nb::python_error();
}

}  // namespace

/// Finds the numbers of nodes. Nodes that are exactly ints of a dense range have a table by value. Other nodes have
/// one by address, since programs mostly use the same objects again; what it misses is looked up by the str's hash if
/// all nodes are exactly str, else in a dictionary, which knows Python's equality.
class walked_graph::numbering {
 public:
  explicit numbering(const nb::list& nodes) : nodes_(nodes) {
    const std::size_t n = nodes.size();
    bool ints = true;
    strings_ = n != 0;
    long long least = std::numeric_limits<long long>::max();
    long long most = std::numeric_limits<long long>::min();
    for (std::size_t v = 0; v < n; ++v) {
      PyObject* const node = at(v);
      strings_ = strings_ && PyUnicode_CheckExact(node);
      if (!ints) continue;
      int overflow = 0;
      const long long value = PyLong_CheckExact(node) ? PyLong_AsLongLongAndOverflow(node, &overflow) : (ints = false);
      ints = ints && overflow == 0;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    if (ints && n != 0 &&
        static_cast<unsigned long long>(most) - static_cast<unsigned long long>(least) < 8 * n + 1024) {
      by_value_.assign(static_cast<std::size_t>(most - least) + 1, no_vertex);
      least_ = least;
      for (std::size_t v = 0; v < n; ++v)
        by_value_[static_cast<std::size_t>(PyLong_AsLongLong(at(v)) - least)] = static_cast<vertex>(v);
      return;
    }
    shift_ = 64 - std::bit_width(4 * n + 1);
    by_address_.resize(std::size_t{1} << (64 - shift_));
    for (std::size_t v = 0; v < n; ++v) {
      std::size_t i = slot_of(reinterpret_cast<std::uintptr_t>(at(v)));
      while (by_address_[i].node != nullptr) i = next(i);
      by_address_[i] = {at(v), static_cast<vertex>(v)};
    }
  }

  /// Returns the number of a node of the graph; of a stranger no_vertex. Throws what its hash and equality throw.
  vertex operator()(PyObject* key) {
    if (!by_value_.empty()) {
      if (PyLong_CheckExact(key)) return by_value(key);
      return by_equality(key);
    }
    if (!addresses_miss()) {
      ++looked_;
      for (std::size_t i = slot_of(reinterpret_cast<std::uintptr_t>(key)); by_address_[i].node != nullptr;
           i = next(i)) {
        if (by_address_[i].node == key) return by_address_[i].number;
      }
      ++missed_;
    }
    return strings_ && PyUnicode_CheckExact(key) ? by_text(key) : by_equality(key);
  }

 private:
  struct entry {
    PyObject* node = nullptr;
    vertex number = no_vertex;
  };
  struct text {
    Py_hash_t hash = 0;
    vertex number = no_vertex;
  };

  PyObject* at(std::size_t v) const { return PyList_GetItem(nodes_.ptr(), static_cast<Py_ssize_t>(v)); }
  std::size_t slot_of(std::uint64_t key) const noexcept { return (key * 0x9e3779b97f4a7c15u) >> shift_; }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (by_address_.size() - 1); }
  bool addresses_miss() const noexcept { return strings_ && looked_ == 1024 ? missed_ > 512 : false; }

  vertex by_value(PyObject* key) const {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(key, &overflow);
    const auto i = static_cast<unsigned long long>(value) - static_cast<unsigned long long>(least_);
    return overflow == 0 && i < by_value_.size() ? by_value_[i] : no_vertex;
  }

  vertex by_text(PyObject* key) {
    if (by_text_.empty()) {
      by_text_.resize(by_address_.size());
      for (std::size_t v = 0; v < nodes_.size(); ++v) {
        const Py_hash_t hash = PyObject_Hash(at(v));
        std::size_t i = slot_of(static_cast<std::uint64_t>(hash));
        while (by_text_[i].number != no_vertex) i = next(i);
        by_text_[i] = {hash, static_cast<vertex>(v)};
      }
    }
    const Py_hash_t hash = PyObject_Hash(key);  // kept in the str
    for (std::size_t i = slot_of(static_cast<std::uint64_t>(hash)); by_text_[i].number != no_vertex; i = next(i)) {
      if (by_text_[i].hash != hash) continue;
      PyObject* const node = at(by_text_[i].number);
      if (node == key || PyUnicode_Compare(node, key) == 0) return by_text_[i].number;
    }
    return no_vertex;
  }

  vertex by_equality(PyObject* key) {
    if (!by_equality_.is_valid()) {
      by_equality_ = nb::dict();
      for (std::size_t v = 0; v < nodes_.size(); ++v) {
        const nb::int_ number(v);
        if (PyDict_SetItem(by_equality_.ptr(), at(v), number.ptr()) != 0) throw nb::python_error();
      }
    }
    PyObject* const found = PyDict_GetItemWithError(by_equality_.ptr(), key);
    if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return found == nullptr ? no_vertex : static_cast<vertex>(PyLong_AsUnsignedLong(found));
  }

  nb::list nodes_;
  bool strings_ = false;
  long long least_ = 0;
  std::vector<vertex> by_value_;
  int shift_ = 0;
  std::vector<entry> by_address_;
  std::vector<text> by_text_;
  std::uint32_t looked_ = 0;  ///< of the first 1024 look-ups by address,
  std::uint32_t missed_ = 0;  ///< and how many found nothing
  nb::dict by_equality_ = nb::steal<nb::dict>(nb::handle());
};

walked_graph::walked_graph(nb::handle adjacency, bool directed, bool multigraph)
    : directed_(directed), multigraph_(multigraph) {
  require_dict(adjacency.ptr(), "the adjacency of the graph is no dict");
  take_nodes(adjacency);
  out_ = walk(adjacency);
  for (vertex v = 0; v < out_.vertices(); ++v) {
    for (const vertex u : out_.row(v)) loops_ += u == v ? 1 : 0;
  }
}

void walked_graph::take_nodes(nb::handle adjacency) {
  nodes_ = nb::steal<nb::list>(PyDict_Keys(adjacency.ptr()));
  if (nodes_.size() >= no_vertex) refuse("the graph has 2^32 - 1 nodes or more");
  numbers_ = std::make_shared<numbering>(nodes_);
}

ordered_rows walked_graph::walk(nb::handle adjacency) const {
  ordered_rows rows;
  rows.offsets.reserve(nodes_.size() + 1);
  PyObject* node = nullptr;
  PyObject* row = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(adjacency.ptr(), &at, &node, &row) != 0;) {
    require_dict(row, "a row of the graph's adjacency is no dict");
    rows.offsets.push_back(rows.offsets.back() + static_cast<std::uint64_t>(PyDict_Size(row)));
  }
  rows.targets = machine::page_array<vertex>(rows.arcs());
  std::uint64_t i = 0;
  vertex v = 0;
  fetched_ahead ends([&](PyObject* neighbour, std::uint64_t arc) {
    const vertex to = (*numbers_)(neighbour);
    if (to == no_vertex) refuse("a neighbour is no node of the graph");
    rows.targets[arc] = to;
  });
  for (Py_ssize_t at = 0; PyDict_Next(adjacency.ptr(), &at, &node, &row) != 0; ++v) {
    if (v == rows.vertices()) changed();
    PyObject* neighbour = nullptr;
    PyObject* data = nullptr;
    for (Py_ssize_t in_row = 0; PyDict_Next(row, &in_row, &neighbour, &data) != 0;) {
      if (i == rows.offsets[v + 1]) changed();
      ends.add(neighbour, i++);
    }
    if (i != rows.offsets[v + 1]) changed();
  }
  ends.take_all();
  return rows;
}

void walked_graph::walk_predecessors(nb::handle predecessors) {
  require_dict(predecessors.ptr(), "the predecessors of the graph are no dict");
  ordered_rows rows = walk(predecessors);
  if (rows.vertices() != out_.vertices() || rows.arcs() != out_.arcs()) changed();
  in_ = std::move(rows);
}

const ordered_rows& walked_graph::in() const {
  if (!directed_) return out_;
  if (!in_) in_ = transposed(out_).first;
  return *in_;
}

vertex walked_graph::find(nb::handle node) const {
  try {
    return (*numbers_)(node.ptr());
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    return no_vertex;
  }
}

graph::any_graph walked_graph::plain() const { return csr_of(*this, {}); }

bool edge_values::same(const edge_values& other) const noexcept {
  return whole_ == other.whole_ && real_ == other.real_ && std::ranges::equal(least_, other.least_) &&
         std::ranges::equal(sums_, other.sums_);
}

edge_values::edge_values(const walked_graph& graph, nb::handle adjacency, nb::handle attribute, double missing) {
  const ordered_rows& rows = graph.out();
  require_dict(adjacency.ptr(), "the adjacency of the graph is no dict");
  if (static_cast<std::uint64_t>(PyDict_Size(adjacency.ptr())) != rows.vertices()) changed();
  least_ = machine::page_array<double>(rows.arcs());
  if (graph.multigraph()) sums_ = machine::page_array<double>(rows.arcs());
  if (rows.arcs() != 0) smallest_ = std::numeric_limits<double>::infinity(), largest_ = -smallest_;

  const auto value_of = [&](PyObject* data) {
    double number = missing;
    if (attribute.is_none()) {
      whole_ = true;
      return 1.0;
    }
    require_dict(data, "the data of an edge are no dict");
    PyObject* const value = PyDict_Size(data) == 0 ? nullptr : PyDict_GetItemWithError(data, attribute.ptr());
    if (value == nullptr) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      whole_ = whole_ || missing == 1;
    } else {
      read(value, number);
    }
    smallest_ = std::min(smallest_, number);
    largest_ = std::max(largest_, number);
    return number;
  };
  bool parallel = false;
  fetched_ahead edges([&](PyObject* data, std::uint64_t arc) {
    if (!graph.multigraph()) {
      least_[arc] = value_of(data);
      return;
    }
    require_dict(data, "the edges between two nodes are no dict");
    double least = std::numeric_limits<double>::infinity();
    double sum = 0;
    PyObject* key = nullptr;
    PyObject* one = nullptr;
    for (Py_ssize_t of_key = 0; PyDict_Next(data, &of_key, &key, &one) != 0;) {
      const double value = value_of(one);
      least = std::min(least, value);
      sum += value;
    }
    parallel = parallel || PyDict_Size(data) > 1;
    least_[arc] = least;
    sums_[arc] = sum;
  });
  vertex v = 0;
  PyObject* node = nullptr;
  PyObject* row = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(adjacency.ptr(), &at, &node, &row) != 0; ++v) {
    std::uint64_t i = rows.offsets[v];
    PyObject* neighbour = nullptr;
    PyObject* data = nullptr;
    require_dict(row, "a row of the graph's adjacency is no dict");
    for (Py_ssize_t in_row = 0; PyDict_Next(row, &in_row, &neighbour, &data) != 0; ++i) {
      if (i == rows.offsets[v + 1]) changed();
      // The two ends of an undirected edge share its data, which lie in the order of the first ends.
      if (!graph.directed() && rows.targets[i] < v) continue;
      edges.add(data, i);
    }
    if (i != rows.offsets[v + 1]) changed();
  }
  edges.take_all();
  if (attribute.is_none()) smallest_ = largest_ = 1;
  if (!parallel) sums_ = {};
  if (graph.directed()) return;
  if (unit()) {  // mostly since no edge has the attribute
    std::fill(least_.begin(), least_.end(), 1.0);
    return;
  }

  // The values at the second ends: those of row v's earlier neighbours, from their rows.
  std::vector<std::uint64_t> from(rows.vertices());  // by the earlier neighbour: its arc to v
  std::vector<std::uint64_t> begin(rows.vertices() + 1);
  for (vertex u = 0; u < rows.vertices(); ++u) {
    for (const vertex to : rows.row(u)) begin[to + 1] += to > u ? 1 : 0;
  }
  for (vertex u = 0; u < rows.vertices(); ++u) begin[u + 1] += begin[u];
  std::vector<std::pair<vertex, std::uint64_t>> earlier(begin.back());
  std::vector<std::uint64_t> fill(begin.begin(), begin.end() - 1);
  for (vertex u = 0; u < rows.vertices(); ++u) {
    for (std::uint64_t i = rows.offsets[u]; i < rows.offsets[u + 1]; ++i) {
      if (rows.targets[i] > u) earlier[fill[rows.targets[i]]++] = {u, i};
    }
  }
  for (vertex u = 0; u < rows.vertices(); ++u) {
    for (std::uint64_t e = begin[u]; e < begin[u + 1]; ++e) from[earlier[e].first] = earlier[e].second;
    for (std::uint64_t i = rows.offsets[u]; i < rows.offsets[u + 1]; ++i) {
      if (rows.targets[i] >= u) continue;
      least_[i] = least_[from[rows.targets[i]]];
      if (!sums_.empty()) sums_[i] = sums_[from[rows.targets[i]]];
    }
  }
}

void edge_values::read(nb::handle value, double& number) {
  PyObject* const object = value.ptr();
  if (PyFloat_CheckExact(object)) {
    number = PyFloat_AsDouble(object);
    real_ = true;
    if (!std::isfinite(number)) refuse("a weight is infinite or no number");
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0 || whole > 1LL << 53 || whole < -(1LL << 53)) refuse("a weight is beyond 2^53");
    number = static_cast<double>(whole);
    whole_ = true;
  } else {
    refuse("a weight is neither an int nor a float");
  }
}

double edge_values::bound_capacities() noexcept {
  double sum = 0;
  for (double& value : least_) {
    value = std::max(value, 0.0);
    if (std::isfinite(value)) sum += value;
  }
  for (double& value : least_) {
    if (!std::isfinite(value)) value = sum + 1;
  }
  return sum;
}

graph::any_graph edge_values::weighted(const walked_graph& graph, bool sum) const {
  return csr_of(graph, sum ? sums() : least());
}

std::pair<ordered_rows, machine::page_array<double>> transposed(const ordered_rows& rows,
                                                                std::span<const double> values) {
  const vertex n = rows.vertices();
  ordered_rows made;
  made.offsets.assign(n + std::size_t{1}, 0);
  for (std::uint64_t i = 0; i < rows.arcs(); ++i) ++made.offsets[rows.targets[i] + std::size_t{1}];
  for (vertex v = 0; v < n; ++v) made.offsets[v + std::size_t{1}] += made.offsets[v];
  made.targets = machine::page_array<vertex>(rows.arcs());
  machine::page_array<double> turned(values.empty() ? 0 : rows.arcs());
  std::vector<std::uint64_t> fill(made.offsets.begin(), made.offsets.end() - 1);
  for (vertex v = 0; v < n; ++v) {
    for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i) {
      const std::uint64_t to = fill[rows.targets[i]]++;
      made.targets[to] = v;
      if (!values.empty()) turned[to] = values[i];
    }
  }
  return {std::move(made), std::move(turned)};
}

}  // namespace callisto::python::networkx

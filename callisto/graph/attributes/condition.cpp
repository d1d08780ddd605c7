// Binds the names of a condition to columns, and evaluates it row by row.
#include <callisto/graph/attributes/condition.hpp>

#include <callisto/graph/attributes/condition_parser.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

namespace callisto::graph {
namespace {

using namespace condition_detail;
using machine::page_array;

/// Kind of what is compared.
enum class kind { number, text, truth };

std::string_view name_of(kind is) noexcept {
  return is == kind::number ? "a number" : is == kind::text ? "a text" : "true or false";
}

/// A value, missing if it is the first.
using value = std::variant<std::monostate, long double, std::string_view, bool>;

/// A row that is looked at.
struct row_view {
  std::uint64_t row = 0;
  double weight = 1;
  std::uint64_t label = 0;
  std::string_view name = {};
};

/// An operand with a known column.
struct bound_operand {
  enum class source { column, weight, label, name, literal } from;
  kind is;
  const column* values = nullptr;
  value literal = {};

  value at(const row_view& r) const noexcept {
    switch (from) {
      case source::weight:
        return static_cast<long double>(r.weight);
      case source::label:
        return static_cast<long double>(r.label);
      case source::name:
        return r.name;
      case source::literal:
        return literal;
      case source::column:
        break;
    }
    if (!values->has(r.row)) return std::monostate();
    switch (values->type) {
      case column_type::whole:
        return static_cast<long double>(values->whole(r.row));
      case column_type::real:
        return static_cast<long double>(values->real(r.row));
      case column_type::truth:
        return values->truth(r.row);
      case column_type::text:
        return values->text(r.row);
    }
    __builtin_unreachable();
  }
};

struct bound_node {
  operation what;
  std::vector<bound_node> parts;
  std::vector<bound_operand> operands;
};

/// True, false, or neither: a value is missing.
using answer = std::optional<bool>;

answer compared(operation what, const value& a, const value& b) {
  if (a.index() == 0 || b.index() == 0) return std::nullopt;
  switch (what) {
    case operation::equal:
      return a == b;
    case operation::unequal:
      return a != b;
    case operation::less:
      return a < b;
    case operation::at_most:
      return a <= b;
    case operation::greater:
      return a > b;
    default:
      return a >= b;
  }
}

answer evaluate(const bound_node& n, const row_view& r) {
  switch (n.what) {
    case operation::all_of:
    case operation::any_of: {
      const bool decides = n.what == operation::any_of;
      answer all = !decides;
      for (const bound_node& part : n.parts) {
        const answer one = evaluate(part, r);
        if (one == decides) return decides;
        if (!one) all.reset();
      }
      return all;
    }
    case operation::negated: {
      const answer one = evaluate(n.parts.front(), r);
      return one ? answer(!*one) : std::nullopt;
    }
    case operation::missing:
      return n.operands[0].at(r).index() == 0;
    case operation::truth: {
      const value found = n.operands[0].at(r);
      return found.index() == 0 ? std::nullopt : answer(std::get<bool>(found));
    }
    case operation::among: {
      const value found = n.operands[0].at(r);
      if (found.index() == 0) return std::nullopt;
      return std::any_of(n.operands.begin() + 1, n.operands.end(),
                         [&](const bound_operand& one) { return one.at(r) == found; });
    }
    default:
      return compared(n.what, n.operands[0].at(r), n.operands[1].at(r));
  }
}

[[noreturn]] void fail(std::size_t place, const std::string& message) {
  throw usage_error("--where: column " + std::to_string(place) + ": " + message);
}

std::string listed_names(const column_list& columns) {
  std::string all;
  for (const auto& c : columns) all += (all.empty() ? "" : ", ") + c->name;
  return all;
}

/// Throws usage_error for a name that neither vertices nor edges have.
[[noreturn]] void fail_unknown(const std::string& name, std::size_t place, const graph_attributes* columns) {
  std::string known;
  if (columns != nullptr && !columns->vertices.empty()) known += "; vertices have " + listed_names(columns->vertices);
  if (columns != nullptr && !columns->edges.empty()) known += "; edges have " + listed_names(columns->edges);
  fail(place,
       "neither vertices nor edges have a column '" + name + "' (a text needs quotes: \"" + name + "\")" + known);
}

/// Finds the columns of one owner: vertices or edges.
class binder {
 public:
  /// `all`: what a name may be of that tells no owner; null: none.
  binder(owner of, const column_list& columns, bool named, const graph_attributes* all)
      : of_(of), columns_(columns), named_(named), all_(all) {}

  bound_node bound(const node& n) const {
    bound_node result{n.what, {}, {}};
    for (const auto& part : n.parts) result.parts.push_back(bound(*part));
    for (const operand& o : n.operands) result.operands.push_back(bound(o, n.column));
    check(n, result);
    return result;
  }

 private:
  using source = bound_operand::source;

  bound_operand bound(const operand& o, std::size_t place) const {
    if (const auto* const number = std::get_if<long double>(&o)) {
      return {source::literal, kind::number, nullptr, *number};
    }
    if (const auto* const text = std::get_if<std::string>(&o)) {
      return {source::literal, kind::text, nullptr, std::string_view(*text)};
    }
    if (const auto* const truth = std::get_if<bool>(&o)) return {source::literal, kind::truth, nullptr, *truth};
    const std::string& name = std::get<column_name>(o).name;
    if (const column* found = find_column(columns_, name); found != nullptr) {
      const kind is = found->type == column_type::text    ? kind::text
                      : found->type == column_type::truth ? kind::truth
                                                          : kind::number;
      return {source::column, is, found, {}};
    }
    if (of_ == owner::edge && name == "weight") return {source::weight, kind::number, nullptr, {}};
    if (of_ == owner::vertex && name == "vertex") {
      return {named_ ? source::name : source::label, named_ ? kind::text : kind::number, nullptr, {}};
    }
    if (std::get<column_name>(o).of == owner::any) fail_unknown(name, place, all_);
    const std::string known = columns_.empty() ? "" : "; there are " + listed_names(columns_);
    fail(place, std::string(of_ == owner::edge ? "edges" : "vertices") + " have no column '" + name + "'" + known);
  }

  static void check(const node& n, const bound_node& b) {
    if (b.operands.empty() || n.what == operation::missing) return;
    const kind first = b.operands.front().is;
    if (n.what == operation::truth && first != kind::truth) {
      fail(n.column, "expected a comparison behind a column that holds " + std::string(name_of(first)));
    }
    for (const bound_operand& o : b.operands) {
      if (o.is != first) {
        fail(n.column,
             "expected " + std::string(name_of(first)) + " to compare with, found " + std::string(name_of(o.is)));
      }
    }
    const bool ordered = n.what == operation::less || n.what == operation::at_most || n.what == operation::greater ||
                         n.what == operation::at_least;
    if (ordered && first == kind::truth) fail(n.column, "expected == or != between true and false");
  }

  owner of_;
  const column_list& columns_;
  bool named_;
  const graph_attributes* all_;
};

/// Calls take(name, place) for the columns that a tree speaks of.
void each_name(const node& n, const std::function<void(const column_name&, std::size_t)>& take) {
  for (const auto& part : n.parts) each_name(*part, take);
  for (const operand& o : n.operands) {
    if (const auto* const name = std::get_if<column_name>(&o)) take(*name, n.column);
  }
}

/// True if a part speaks of edges. Throws usage_error if it speaks of vertices, too.
bool is_of_edges(const node& part, const graph_attributes* columns) {
  bool edges = false;
  bool vertices = false;
  std::size_t last = part.column;
  each_name(part, [&](const column_name& name, std::size_t place) {
    const bool has_edge = columns != nullptr && find_column(columns->edges, name.name) != nullptr;
    const bool has_vertex = columns != nullptr && find_column(columns->vertices, name.name) != nullptr;
    if (name.of == owner::any && has_edge && has_vertex) {
      fail(place, "vertices and edges have a column '" + name.name + "': expected vertex." + name.name + " or edge." +
                      name.name);
    }
    const bool is_edge =
        name.of == owner::edge || (name.of == owner::any && (has_edge || (name.name == "weight" && !has_vertex)));
    (is_edge ? edges : vertices) = true;
    last = place;
  });
  if (edges && vertices) {
    fail(last, "a part speaks of columns of edges and of vertices; expected parts of either, joined by 'and'");
  }
  return edges;
}

bound_node joined(std::vector<bound_node> parts) { return {operation::all_of, std::move(parts), {}}; }

template <class Vertex>
void keep_edges_of(edge_list<Vertex>& list, const bound_node& wanted, const run_control& control) {
  std::vector<std::uint64_t> begins{0};
  for (const auto& block : list.blocks) begins.push_back(begins.back() + block.edges.size());
  std::vector<std::vector<std::uint64_t>> rows(list.blocks.size());
  const auto body = [&](std::size_t b) {
    auto& block = list.blocks[b];
    std::vector<std::uint64_t>& kept = rows[b];
    for (std::uint64_t i = 0; i < block.edges.size(); ++i) {
      const row_view row{.row = begins[b] + i, .weight = list.weighted ? block.weights[i] : 1};
      if (evaluate(wanted, row).value_or(false)) kept.push_back(begins[b] + i);
    }
    edge_block<Vertex> less;
    less.edges = page_array<edge<Vertex>>(kept.size(), machine::page_kind::small);
    if (list.weighted) less.weights = weight_array(kept.size(), machine::page_kind::small);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      less.edges[k] = block.edges[kept[k] - begins[b]];
      if (list.weighted) less.weights.set(k, block.weights[kept[k] - begins[b]]);
    }
    block = std::move(less);
  };
  if (!parallel_for(std::size_t{0}, list.blocks.size(), body, {.batch = 1, .stop = control.stop})) throw cancelled();
  if (list.attributes == nullptr || list.attributes->edges.empty()) return;
  std::vector<std::uint64_t> all;
  for (const auto& part : rows) all.insert(all.end(), part.begin(), part.end());
  list.attributes = attributes_of(list.attributes->vertices, rows_of(list.attributes->edges, all, control));
}

}  // namespace

condition::condition(std::string_view text) {
  const auto tree = parse_condition(text);
  const std::function<void(const std::shared_ptr<const node>&)> split = [&](const std::shared_ptr<const node>& n) {
    if (n->what != operation::all_of) {
      parts_.push_back(n);
      return;
    }
    for (const auto& part : n->parts) split(part);
  };
  split(tree);
  each_name(*tree, [&](const column_name& name, std::size_t) {
    if (name.name != "weight" && name.name != "vertex") names_.push_back(name.name);
  });
}

bool condition::speaks_of_edges(const graph_attributes* columns) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return is_of_edges(*part, columns); });
}

void condition::keep_edges(any_edge_list& list, const run_control& control) const {
  std::visit(
      [&](auto& l) {
        static const column_list none;
        const binder columns(owner::edge, l.attributes != nullptr ? l.attributes->edges : none, false,
                             l.attributes.get());
        std::vector<bound_node> parts;
        for (const auto& part : parts_) {
          if (is_of_edges(*part, l.attributes.get())) parts.push_back(columns.bound(*part));
        }
        if (!parts.empty()) keep_edges_of(l, joined(std::move(parts)), control);
      },
      list);
}

page_array<char> condition::kept_vertices(const any_graph& graph, const run_control& control) const {
  return std::visit(
      [&](const auto& g) {
        static const column_list none;
        const auto& all = g.attributes();
        const binder columns(owner::vertex, all != nullptr ? all->vertices : none, g.names() != nullptr, all.get());
        std::vector<bound_node> parts;
        for (const auto& part : parts_) {
          if (!is_of_edges(*part, all.get())) parts.push_back(columns.bound(*part));
        }
        if (parts.empty()) return page_array<char>();
        const bound_node wanted = joined(std::move(parts));
        page_array<char> kept(g.vertices(), machine::page_kind::small);
        const auto body = [&](std::uint64_t i) {
          const std::uint64_t v = g.by_label(i);
          row_view row{.row = i, .label = g.label(v)};
          if (g.names() != nullptr) row.name = (*g.names())[row.label];
          kept[v] = evaluate(wanted, row).value_or(false) ? 1 : 0;
        };
        if (!parallel_for(std::uint64_t{0}, g.vertices(), body, {.stop = control.stop})) throw cancelled();
        return kept;
      },
      graph);
}

}  // namespace callisto::graph

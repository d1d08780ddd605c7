// Columns of vertices and edges: they follow their owners through every file, order and condition.
#include <callisto/graph/attributes/condition.hpp>
#include <callisto/graph/attributes/edge_numbers.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/files/vertex_table.hpp>
#include <callisto/graph/files/write.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/graph/subgraph/subgraph.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using attributed_graph = csr_graph<std::uint32_t>;

const attributed_graph& attributed(const any_graph& graph) { return std::get<attributed_graph>(graph); }

std::string vertex_name(const attributed_graph& graph, std::uint64_t v) {
  std::string name;
  graph.append_name(name, v);
  return name;
}

/// What a column says in a row, with its type.
std::string said_by(const column& c, std::uint64_t row, bool truth_as_number = false, bool whole_as_text = false) {
  if (!c.has(row)) return "missing";
  const std::string whole = whole_as_text ? "string" : "int64";
  if (truth_as_number && c.type == column_type::truth) return whole + (c.truth(row) ? ":1" : ":0");
  std::string text = (c.type == column_type::whole ? whole : std::string(name_of(c.type))) + ":";
  c.append(text, row);
  return text;
}

using row_of_text = std::vector<std::string>;

/// What a format does not keep.
struct attribute_losses {
  bool vertex_columns = false;
  bool truth = false;
  bool names = false;
  bool whole = false;  ///< large whole numbers become texts
};

row_of_text cells_in_row(const column_list& columns, std::uint64_t i, attribute_losses lost) {
  row_of_text all;
  for (const auto& c : columns) all.push_back(said_by(*c, i, lost.truth, lost.whole));
  return all;
}

/// A graph as what users see of it.
struct attributed_contents {
  std::map<std::string, row_of_text> vertices;
  std::multiset<std::tuple<std::string, std::string, double, row_of_text>> edges;
  std::vector<std::string> names;

  bool operator==(const attributed_contents&) const = default;
};

attributed_contents contents_of(const any_graph& any, attribute_losses lost) {
  const attributed_graph& graph = attributed(any);
  attributed_contents found;
  const auto& all = graph.attributes();
  if (all == nullptr) return found;
  std::vector<std::uint64_t> place(graph.vertices());
  for (std::uint64_t i = 0; i < graph.vertices(); ++i) place[graph.by_label(i)] = i;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const bool alone = graph.out().degree(v) == 0 && graph.in().degree(v) == 0;
    if (lost.vertex_columns && alone) continue;
    found.vertices[vertex_name(graph, v)] =
        lost.vertex_columns ? row_of_text() : cells_in_row(all->vertices, place[v], lost);
  }
  const edge_numbers<std::uint32_t> numbers(graph);
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    for (std::uint64_t a = numbers.begin(v); a < graph.out().offsets[v + 1]; ++a) {
      std::string from = vertex_name(graph, v);
      std::string to = vertex_name(graph, graph.out().targets[a]);
      if (!graph.directed() && to < from) std::swap(from, to);
      found.edges.emplace(from, to, graph.weighted() ? graph.out().weights[a] : 1,
                          cells_in_row(all->edges, numbers.first(v) + (a - numbers.begin(v)), lost));
    }
  }
  for (const column_list* list : {&all->vertices, &all->edges}) {
    if (list == &all->vertices && lost.vertex_columns) continue;
    for (const auto& c : *list) found.names.push_back(lost.names ? "" : c->name);
  }
  return found;
}

const std::vector<std::string> hard_texts = {"",
                                             " a",
                                             "a ",
                                             "a b",
                                             "a,b",
                                             "a;b|c",
                                             "a\"b",
                                             "\"",
                                             "a\nb",
                                             "\r\n",
                                             "a\rb",
                                             "\t",
                                             "a\tb",
                                             "#x",
                                             "//",
                                             "%",
                                             "(a, b)",
                                             "[1]",
                                             "NA",
                                             "true",
                                             "1",
                                             "007",
                                             "1e3",
                                             "-",
                                             "'",
                                             "&amp;",
                                             "<b>",
                                             "]]>",
                                             "\xc3\xa9",
                                             "\xf0\x9f\x98\x80",
                                             "\xef\xbb\xbfx",
                                             "\\",
                                             "\\n",
                                             "sep=;",
                                             std::string(3000, 'x')};
const std::vector<std::string> column_names = {"city", "a b", "x,y", "\xc3\xbc", "say \"hi\"", "<i>", "#n", "c-7"};

class random_attributed_graph {
 public:
  explicit random_attributed_graph(std::uint64_t seed) : random_(seed) {}

  any_graph make() {
    edge_list<std::uint32_t> list;
    list.vertices = 2 + below(8);
    list.meaning = below(2) == 0 ? direction::directed : direction::undirected;
    list.weighted = below(2) == 0;
    if (below(2) == 0) {
      std::set<std::string> names{"plain"};
      const bool hard = below(2) == 0;
      while (names.size() < list.vertices) {
        const std::string& text = hard_texts[below(hard_texts.size())];
        names.insert(hard && !text.empty() ? text : "v\xc3\xa9 " + std::to_string(below(1000)));
      }
      machine::page_array<std::uint64_t> offsets(list.vertices + 1);
      std::string bytes;
      std::size_t at = 0;
      for (const std::string& name : names) {
        bytes += name;
        offsets[++at] = bytes.size();
      }
      machine::page_array<char> characters(bytes.size());
      std::copy(bytes.begin(), bytes.end(), characters.begin());
      list.names = std::make_shared<const vertex_names>(std::move(offsets), std::move(characters));
    } else {
      list.first_label = below(3);
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> ends;
    const bool undirected = list.meaning == direction::undirected;
    for (std::uint64_t i = 0; i <= below(20) || ends.empty(); ++i) {
      auto a = static_cast<std::uint32_t>(below(list.vertices));
      auto b = static_cast<std::uint32_t>(below(list.vertices));
      if (undirected && a > b) std::swap(a, b);
      ends.emplace(a, b);
    }
    auto& block = list.blocks.emplace_back();
    block.edges = machine::page_array<edge<std::uint32_t>>(ends.size());
    if (list.weighted) block.weights = weight_array(ends.size());
    std::size_t at = 0;
    for (const auto& [a, b] : ends) {
      if (list.weighted) block.weights.set(at, 0.5 + static_cast<double>(below(5)));
      block.edges[at++] = {a, b};
    }
    list.attributes = attributes_of(columns(list.vertices), columns(ends.size()));
    return build_graph(std::move(list));
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  /// The first row has values that show the type.
  column_list columns(std::uint64_t rows) {
    column_list list;
    const std::uint64_t first = below(column_names.size());
    for (std::uint64_t c = 0; c < 4; ++c) {
      column_cells cells;
      for (std::uint64_t i = 0; i < rows; ++i) {
        if (i != 0 && below(4) == 0) {
          cells.add_missing();
        } else {
          cells.add(cell(c, i == 0));
        }
      }
      list.push_back(column_of(column_names[(first + c) % column_names.size()], std::span(&cells, 1)));
    }
    return list;
  }

  std::string cell(std::uint64_t type, bool first) {
    switch (type) {
      case 0:
        return first ? "plain" : hard_texts[below(hard_texts.size())];
      case 1:
        return below(9) == 0 ? "-9223372036854775808" : std::to_string(static_cast<std::int64_t>(random_()));
      case 2:
        return first ? "0.1" : below(9) == 0 ? "-0.0" : below(9) == 0 ? "1e+300" : std::to_string(below(100)) + ".5";
      default:
        return below(2) == 0 ? "true" : "false";
    }
  }

  std::mt19937_64 random_;
};

class attributes : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name.c_str()); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  any_graph through(const any_graph& graph, const std::string& suffix) const {
    const std::string to = path("graph." + suffix);
    if (suffix == "cg") {
      write_native(graph, to);
    } else {
      write_graph(graph, to, file_format::automatic);
    }
    return load_graph(to, {.read = {.attributes = {.all = true}}, .verify = suffix == "cg"});
  }

  machine::scratch_folder folder_;
};

/// Returns the value of `columns[0]` in a row.
std::string first_cell(const column_list& columns, std::uint64_t i) {
  std::string text;
  columns.front()->append(text, i);
  return text;
}

/// Fails unless each vertex has its name in the first column, and each edge "FROM>TO" or "FROM>TO:WEIGHT".
void expect_own_values(const any_graph& any, bool weights) {
  const attributed_graph& graph = attributed(any);
  ASSERT_NE(graph.attributes(), nullptr);
  for (std::uint64_t i = 0; i < graph.vertices(); ++i) {
    EXPECT_EQ(first_cell(graph.attributes()->vertices, i), vertex_name(graph, graph.by_label(i)));
  }
  const edge_numbers<std::uint32_t> numbers(graph);
  ASSERT_EQ(graph.attributes()->edges.front()->rows, numbers.size());
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    for (std::uint64_t a = numbers.begin(v); a < graph.out().offsets[v + 1]; ++a) {
      const std::string from = vertex_name(graph, v);
      const std::string to = vertex_name(graph, graph.out().targets[a]);
      const std::string end = weights ? ":" + std::to_string(static_cast<int>(graph.out().weights[a])) : "";
      const std::string found = first_cell(graph.attributes()->edges, numbers.first(v) + (a - numbers.begin(v)));
      const bool turned = !graph.directed() && found == to + ">" + from + end;
      EXPECT_TRUE(found == from + ">" + to + end || turned) << found << " of " << from << " and " << to;
    }
  }
}

/// A table of random edges, each with "FROM>TO:WEIGHT" as an attribute.
std::string table_of_edges(bool named, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text = "source,target,weight,is\n";
  for (int i = 0; i < 60; ++i) {
    const std::string prefix = named ? "v" : "";
    const std::string from = prefix + std::to_string(random() % 12);
    const std::string to = prefix + std::to_string(random() % 12);
    const std::string weight = std::to_string(random() % 4);
    text += from + "," + to + "," + weight + "," + from + ">" + to + ":" + weight + "\n";
  }
  return text;
}

TEST_F(attributes, survive_each_format_and_a_second_one) {
  const char* const more = std::getenv("CALLISTO_ATTRIBUTE_GRAPHS");  // for a longer run by hand
  const int graphs = more != nullptr ? std::atoi(more) : 32;
  const std::vector<std::string> suffixes{"cg", "graphml", "gexf", "gml", "csv", "json", "dot", "net"};
  for (int seed = 0; seed < graphs; ++seed) {
    const any_graph graph = random_attributed_graph(static_cast<std::uint64_t>(seed)).make();
    for (std::size_t f = 0; f < suffixes.size(); ++f) {
      const std::string& first = suffixes[f];
      const std::string& second = suffixes[(f + static_cast<std::size_t>(seed)) % suffixes.size()];
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + first + " and " + second);
      const any_graph read = through(through(graph, first), second);
      const auto uses = [&](std::string_view suffix) { return first == suffix || second == suffix; };
      const attribute_losses lost{.vertex_columns = uses("csv"),
                                  .truth = uses("gml"),
                                  .names = uses("gml") || uses("net"),
                                  .whole = uses("json")};
      ASSERT_EQ(contents_of(read, lost), contents_of(graph, lost));
    }
  }
}

TEST_F(attributes, what_a_format_loses_is_said) {
  const auto lost = [](const any_graph& graph, const char* name) {
    std::string all;
    for (const std::string& line : what_is_lost(graph, name, file_format::automatic)) all += line + "\n";
    return all;
  };
  const std::string edges =
      file("edges.csv", "source,target,kind,code,ok,score\na,b,road,1,true,2.5\nb,c,rail,2,false,1\n");
  const std::string vertices = file("vertices.csv", "name,city\na,Bern\nb,\nc,\"\"\n");
  any_graph graph = load_graph(edges, {.read = {.columns = {"source", "target"}, .attributes = {.all = true}}});
  graph = with_vertex_table(std::move(graph), vertices, {.all = true});
  EXPECT_EQ(lost(graph, "x.cg.graphml"), "");
  EXPECT_NE(lost(graph, "x.mtx").find("attributes of edges are lost: 'kind', 'code', 'ok', 'score'"),
            std::string::npos);
  EXPECT_NE(lost(graph, "x.csv").find("attributes of vertices are lost: 'city'"), std::string::npos);
  EXPECT_NE(lost(graph, "x.csv").find("weights come back of the columns 'score'"), std::string::npos);
  EXPECT_EQ(lost(graph, "x.gml"), "numbers come back of the columns 'ok'\n");
  const auto& city = *attributed(graph).attributes()->vertices.front();
  EXPECT_EQ(said_by(city, 0), "string:Bern");
  EXPECT_EQ(said_by(city, 1), "missing");
  EXPECT_EQ(said_by(city, 2), "string:");
  write_vertex_table(graph, path("out.csv"));
  std::ifstream written(path("out.csv"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), "vertex,city\na,Bern\nb,\nc,\"\"\n");
}

TEST_F(attributes, a_cell_may_end_with_a_line_break_of_windows) {
  const any_graph graph = load_graph(file("edges.csv", "source,target,a,b\n1,2,\"\r\n\",x\n2,3,\"\t\",\"y\"\n"),
                                     {.read = {.attributes = {.all = true}}});
  EXPECT_EQ(said_by(*attributed(graph).attributes()->edges[0], 0), "string:\r\n");
  EXPECT_EQ(said_by(*attributed(graph).attributes()->edges[1], 1), "string:y");
}

TEST_F(attributes, texts_that_xml_cannot_hold_are_refused) {
  const any_graph graph =
      load_graph(file("edges.csv", "source,target,kind\na,b,\x01\n"), {.read = {.attributes = {.all = true}}});
  EXPECT_THROW(write_graph(graph, path("x.graphml"), file_format::automatic), usage_error);
  EXPECT_EQ(contents_of(through(graph, "cg"), {}), contents_of(graph, {}));
}

TEST_F(attributes, nothing_is_read_unless_it_is_wanted) {
  const std::string edges = file("edges.csv", "source,target,weight,kind,since\na,b,1,road,1999\n");
  EXPECT_EQ(attributed(load_graph(edges)).attributes(), nullptr);
  const any_graph one = load_graph(edges, {.read = {.attributes = {.names = {"since"}}}});
  ASSERT_EQ(attributed(one).attributes()->edges.size(), 1u);
  EXPECT_EQ(said_by(*attributed(one).attributes()->edges[0], 0), "int64:1999");
  write_native(load_graph(edges), path("none.cg"));
  write_native(one, path("one.cg"));
  const auto version = [&](const std::string& of) {
    std::ifstream in(path(of), std::ios::binary);
    in.seekg(8);
    return in.get();
  };
  EXPECT_EQ(version("none.cg"), 5);
  EXPECT_EQ(version("one.cg"), 6);
  EXPECT_EQ(attributed(load_graph(path("one.cg"))).attributes(), nullptr);
}

TEST_F(attributes, columns_have_the_type_that_all_cells_fit) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"1", "-2", "NA"}, "int64"}, {{"1", "2.5"}, "double"},  {{"true", "False", ""}, "bool"},
      {{"1", "true"}, "string"},    {{"01", "02"}, "string"},  {{"9223372036854775808"}, "double"},
      {{"1e999"}, "string"},        {{"inf", "-1"}, "double"}, {{"NA", "NaN"}, "string"},
      {{"-0"}, "double"},           {{"+1"}, "string"},        {{"1", "x"}, "string"}};
  for (const auto& [cells, type] : cases) {
    std::vector<column_cells> parts(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) parts[i].add(cells[i]);
    EXPECT_EQ(name_of(column_of("c", parts)->type), type) << cells.front();
  }
  column_cells broken;
  broken.add("Z\xfcrich");
  EXPECT_EQ(column_of("c", std::span(&broken, 1))->text(0), "Z\xc3\xbcrich");
}

TEST_F(attributes, follow_their_vertices_and_edges) {
  for (const bool named : {false, true}) {
    const std::string edges = file("edges.csv", table_of_edges(named, named ? 1 : 2));
    for (const bool undirected : {false, true}) {
      for (const repeats how : {repeats::remove, repeats::heaviest, repeats::keep, repeats::first}) {
        load_options options{.read = {.attributes = {.all = true}},
                             .build = {.undirected = undirected, .repeats = how}};
        any_graph graph = load_graph(edges, options);
        std::string table = "vertex,is\n";
        for (std::uint64_t v = 0; v < attributed(graph).vertices(); ++v)
          table += vertex_name(attributed(graph), v) + "," + vertex_name(attributed(graph), v) + "\n";
        graph = with_vertex_table(std::move(graph), file("vertices.csv", table), {.all = true});
        expect_own_values(graph, true);
        const any_graph hubs = hubs_first(graph);
        expect_own_values(hubs, true);
        expect_own_values(in_label_order(hubs), true);
        expect_own_values(without_self_loops(hubs), true);
        expect_own_values(through(hubs, "cg"), true);
        if (!undirected) expect_own_values(symmetrized(hubs, loops::keep, {}, how), true);
        vertex_choice chosen(attributed(hubs).vertices());
        for (std::uint64_t v = 0; v < chosen.size(); v += 2) chosen[v] = 1;
        expect_own_values(induced_subgraph(attributed(hubs), chosen), true);
      }
    }
  }
}

TEST_F(attributes, of_added_repeats_come_from_the_first) {
  const std::string edges = file("edges.csv", "source,target,weight,kind\na,b,5,x\na,b,1,y\n");
  const any_graph graph =
      load_graph(edges, {.read = {.attributes = {.all = true}}, .build = {.repeats = repeats::sum}});
  EXPECT_EQ(attributed(graph).out().weights[0], 6);
  EXPECT_EQ(said_by(*attributed(graph).attributes()->edges[0], 0), "string:x");
}

TEST_F(attributes, a_damaged_directory_is_refused_or_harmless) {
  write_native(random_attributed_graph(3).make(), path("graph.cg"));
  std::ifstream in(path("graph.cg"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::uint64_t position = 0;
  std::uint64_t length = 0;
  for (std::size_t at = 64; position == 0; at += at == 288 ? 40 : 32) {
    if (bytes[at] != 11) continue;
    std::copy_n(bytes.data() + at + 8, 8, reinterpret_cast<char*>(&position));
    std::copy_n(bytes.data() + at + 16, 8, reinterpret_cast<char*>(&length));
  }
  ASSERT_EQ(length, 8u * 80u);
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    std::string damaged = bytes;
    damaged[position + i] = static_cast<char>(~damaged[position + i]);
    const std::string to = file("damaged.cg", damaged);
    EXPECT_THROW(static_cast<void>(open_native(to, native_check::content)), input_error);
    try {
      static_cast<void>(open_native(to));
    } catch (const input_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, length / 2);
}

class conditions : public attributes {
 protected:
  void SetUp() override {
    edges_ = file("edges.csv",
                  "source,target,weight,kind,toll\na,b,1,road,true\na,b,3,rail,\nb,c,2,road,false\nc,d,5,,true\nd,a,4,"
                  "rail,false\n");
    vertices_ = file("vertices.csv", "name,city,age,size\na,Bern,30,1.5\nb,Basel,,2\nc,Bern,17,\nd,,64,8\n");
  }

  /// Returns the edges that are kept, as "ab3 cd5".
  std::string kept(const std::string& text, bool native = false) const {
    const auto where = std::make_shared<const condition>(text);
    const load_options all{.read = {.attributes = {.all = true}}, .build = {.repeats = repeats::keep}};
    load_options with = all;
    with.where = where;
    any_graph graph;
    if (native) {
      write_native(hubs_first(with_vertex_table(load_graph(edges_, all), vertices_, {.all = true})), path("graph.cg"));
      graph = load_graph(path("graph.cg"), with);
    } else {
      graph = with_vertex_table(load_graph(edges_, with), vertices_, {.all = true});
    }
    const auto chosen = where->kept_vertices(graph, {});
    if (!chosen.empty()) graph = induced_subgraph(attributed(graph), chosen);
    std::set<std::string> found;
    const attributed_graph& g = attributed(graph);
    for (std::uint64_t v = 0; v < g.vertices(); ++v) {
      for (std::uint64_t a = g.out().offsets[v]; a < g.out().offsets[v + 1]; ++a) {
        found.insert(vertex_name(g, v) + vertex_name(g, g.out().targets[a]) +
                     std::to_string(static_cast<int>(g.out().weights[a])));
      }
    }
    std::string line;
    for (const std::string& one : found) line += (line.empty() ? "" : " ") + one;
    return line;
  }

  std::string edges_;
  std::string vertices_;
};

TEST_F(conditions, keep_what_is_true) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"kind == \"road\"", "ab1 bc2"},
      {"kind != 'road'", "ab3 da4"},
      {"not kind == 'road'", "ab3 da4"},
      {"kind is missing", "cd5"},
      {"kind is not missing and weight > 1", "ab3 bc2 da4"},
      {"toll", "ab1 cd5"},
      {"not toll or weight >= 5", "bc2 cd5 da4"},
      {"toll == false", "bc2 da4"},
      {"kind in ('road', \"rail\") && !(weight in [1, 2.0])", "ab3 da4"},
      {"kind not in ('road')", "ab3 da4"},
      {"city == \"Bern\" or city is missing", "cd5 da4"},
      {"age >= 18 or size > 1.75", "ab1 ab3 da4"},
      {"age < size or vertex in ('a', 'b')", "ab1 ab3"},
      {"vertex.city != 'Basel' and edge.weight < 5", ""},
      {"city is not missing and kind == 'road'", "ab1 bc2"},
      {"`weight` == 3", "ab3"},
      {"weight == 1 or weight == 3 and kind == 'road'", "ab1"},
      {"(weight == 1 or weight == 3) and kind == 'rail'", "ab3"},
      {"1 == 1", "ab1 ab3 bc2 cd5 da4"},
      {"1 > 1", ""},
  };
  for (const auto& [text, edges] : cases) {
    EXPECT_EQ(kept(text), edges) << text;
    EXPECT_EQ(kept(text, true), edges) << text;
  }
}

TEST_F(conditions, faults_name_the_column_and_what_is_expected) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "column 1: expected a column or a value, found the end"},
      {"weight >", "column 9: expected a column or a value, found the end"},
      {"weight > 2 weight", "column 12: expected 'and', 'or' or the end, found 'weight'"},
      {"(weight > 2", "column 12: expected ')', found the end"},
      {"kind == 'road", "column 9: expected a ' that closes the quote, found the end"},
      {"kind in 'road'", "column 9: expected '(', found 'road'"},
      {"weight == 1.2.3", "column 11: expected a number, found '1.2.3'"},
      {"kind is lost", "column 9: expected 'missing', found 'lost'"},
      {"3", "column 2: expected a comparison, such as ==, found the end"},
      {"kind == 3", "column 1: expected a text to compare with, found a number"},
      {"kind", "column 1: expected a comparison behind a column that holds a text"},
      {"toll < true", "column 1: expected == or != between true and false"},
      {"weight > 1 and height > 2",
       "column 16: neither vertices nor edges have a column 'height' (a text needs quotes: \"height\"); vertices have "
       "city, age, size; "
       "edges have kind, toll"},
      {"edge.height > 2", "column 1: edges have no column 'height'; there are kind, toll"},
      {"city == 'Bern' or kind == 'road'",
       "column 19: a part speaks of columns of edges and of vertices; expected parts of either, joined by 'and'"},
      {std::string(200, '(') + "toll", "column 101: expected at most 100 parentheses within each other, found more"},
  };
  for (const auto& [text, message] : cases) {
    try {
      static_cast<void>(kept(text));
      ADD_FAILURE() << text;
    } catch (const usage_error& e) {
      EXPECT_EQ(std::string(e.what()), "--where: " + message);
    }
  }
}

}  // namespace
}  // namespace callisto::graph

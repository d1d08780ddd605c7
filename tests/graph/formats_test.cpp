// The formats of other programs that declare vertices, and archives around any format.
#include "readings.hpp"

#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/references.hpp>
#include <callisto/graph/files/read.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using namespace std::string_literals;

TEST(GraphMl, VerticesEdgesAndData) {
  const reading g = read(
      "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "<key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"><default>2</default></key>\n"
      "<graph edgedefault=\"directed\"><node id=\"n0\"/><node id=\"n1\"/><node id=\"lonely\"/>\n"
      "<edge source=\"n0\" target=\"n1\"><data key=\"d0\"> 0.5 </data></edge><edge source=\"n1\" target=\"n0\"/>"
      "</graph></graphml>");
  EXPECT_EQ(g.report.format, file_format::graphml);
  EXPECT_EQ(g.graph.names, (names{"lonely", "n0", "n1"}));
  EXPECT_EQ(g.graph.edges, (edges{{1, 2}, {2, 1}}));
  EXPECT_EQ(g.graph.weights, (weights{0.5, 2}));
  EXPECT_FALSE(g.graph.undirected);
  const reading labelled = read(
      "<graphml><key id='l' for='node' attr.name='label'/><graph edgedefault='undirected'>"
      "<node id='0'><data key='l'>Zoe &amp; co</data></node><node id='1'><data key='l'>Ann</data></node>"
      "<edge source='0' target='1'/></graph></graphml>");
  EXPECT_EQ(labelled.graph.names, (names{"Ann", "Zoe & co"}));
  EXPECT_EQ(labelled.graph.edges, (edges{{1, 0}}));
  EXPECT_TRUE(labelled.graph.undirected);
  // Ids that are numbers are labels.
  const reading numbers = read(
      "<graphml><graph edgedefault='undirected'><node id='10'/><node id='9'/><edge source='10' "
      "target='9'/></graph></graphml>");
  EXPECT_TRUE(numbers.graph.names.empty());
  EXPECT_EQ(numbers.graph.first_label, 9u);
  EXPECT_EQ(numbers.graph.edges, (edges{{1, 0}}));
  EXPECT_NE(error_of("<graphml><graph><node/></graph></graphml>").find("<node> has no attribute 'id'"),
            std::string::npos);
  EXPECT_NE(error_of("<graphml><graph>\n</graphml>").find("graph:2: invalid XML"), std::string::npos);
  EXPECT_NE(error_of("<svg></svg>").find("XML of another kind"), std::string::npos);
}

TEST(Gexf, TypesAndWeights) {
  const std::string head = "<?xml version='1.0' encoding='UTF-8'?>\n<gexf version='1.2'><graph defaultedgetype='";
  const std::string nodes = "'><nodes><node id='0' label='Ann'/><node id='1' label='Bob'/></nodes><edges>";
  const std::string end = "</edges></graph></gexf>";
  const reading g = read(head + "directed" + nodes + "<edge id='0' source='0' target='1' weight='3.5'/>" + end);
  EXPECT_EQ(g.graph.names, (names{"Ann", "Bob"}));
  EXPECT_EQ(g.graph.weights, (weights{3.5}));
  EXPECT_FALSE(g.graph.undirected);
  EXPECT_TRUE(read(head + "undirected" + nodes + "<edge source='0' target='1'/>" + end).graph.undirected);
  const reading mixed = read(head + "undirected" + nodes +
                             "<edge source='0' target='1' type='directed'/><edge source='1' target='0'/>" + end);
  EXPECT_FALSE(mixed.graph.undirected);
  EXPECT_EQ(mixed.graph.edges, (edges{{0, 1}, {1, 0}, {0, 1}}));
  EXPECT_EQ(mixed.report.notes.size(), 1u);
}

TEST(Gml, NestedListsAndLabels) {
  const reading g = read(
      "Creator \"a program\"\n# comment\ngraph\n[\n  directed 1\n  node [ id 5 label \"x y\" graphics [ x 1 w [ z 2 ] "
      "] ]\n"
      "  node [ id 7 label \"b\" ]\n  edge [ source 5 target 7 value 2.5 ]\n]\n");
  EXPECT_EQ(g.report.format, file_format::gml);
  EXPECT_EQ(g.graph.names, (names{"b", "x y"}));
  EXPECT_EQ(g.graph.edges, (edges{{1, 0}}));
  EXPECT_EQ(g.graph.weights, (weights{2.5}));
  EXPECT_FALSE(g.graph.undirected);
  const reading same = read("graph [ node [ id 1 label \"a\" ] node [ id 2 label \"a\" ] edge [ source 1 target 2 ] ]");
  EXPECT_TRUE(same.graph.names.empty());
  EXPECT_EQ(same.graph.first_label, 1u);
  EXPECT_EQ(same.report.notes.size(), 1u);
  EXPECT_TRUE(same.graph.undirected);
  const reading most = read(
      "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"b\" ] node [ id 3 label \"7\" ] node [ id 4 label \"a\" "
      "]\n"
      "node [ id 7 label \"\" ] node [ id 9 label \"c\" ] node [ id 10 label \"d\" ] node [ id 11 label \"e\" ]\n"
      "edge [ source 1 target 9 ] ]");
  EXPECT_EQ(most.graph.names, (names{"7 (3)", "7 (7)", "a (1)", "a (4)", "b", "c", "d", "e"}));
  EXPECT_EQ(most.graph.edges, (edges{{2, 5}}));
  EXPECT_EQ(most.report.notes.size(), 1u);
  EXPECT_NE(error_of("graph [ node [ id 1 ]").find("']' of the graph is missing"), std::string::npos);
  EXPECT_NE(error_of("graph [\n edge [ source 1 ] ]").find("graph:2: an edge has no source or no target"),
            std::string::npos);
}

// Work is counted: for each byte of a line or a label a few looks, however many ends of tuples and references are
// missing.
TEST(Pajek, LinesOfOpenTuplesAndReferencesAreLookedAtOnce) {
  for (const std::string_view open : {"( ", "(a)b ", "((a) "}) {
    std::string line;
    while (line.size() < 20'000) line += open;
    std::deque<std::string> unquoted;
    formats::column_reader reader(line, ' ', unquoted);
    std::size_t columns = 0;
    for (std::string_view cell; reader.next(cell);) ++columns;
    EXPECT_EQ(columns, line.size() / open.size());
    EXPECT_LE(reader.looked_at(), 18 * line.size());
  }
  std::deque<std::string> unquoted;
  formats::column_reader tuples("(0, 1) (0, (2, 3)) {}", ' ', unquoted);
  std::string_view cell;
  EXPECT_TRUE(tuples.next(cell));
  EXPECT_EQ(cell, "(0, 1)");
  EXPECT_TRUE(tuples.next(cell));
  EXPECT_EQ(cell, "(0, (2, 3))");
  std::string label(20'000, '&');
  label += "#65;&#66;&#6&#67;";
  std::size_t looked_at = 0;
  EXPECT_EQ(input::without_references(label, false, &looked_at), std::string(19'999, '&') + "AB&#6C");
  EXPECT_LE(looked_at, label.size());
}

TEST(Pajek, Sections) {
  const reading g =
      read("% comment\n*Vertices 4\n1 \"Ann B\" 0.1 0.2 ic Red\n2 Bob\n3 \"Cid\"\n4 Dan\n*Edges\n1 2 3.5\n2 3\n");
  EXPECT_EQ(g.report.format, file_format::pajek);
  EXPECT_EQ(g.graph.names, (names{"Ann B", "Bob", "Cid", "Dan"}));
  EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(g.graph.weights, (weights{3.5, 1}));
  EXPECT_TRUE(g.graph.undirected);
  const reading arcs = read("*Vertices 3\n*Arcslist\n1 2 3\n3 1\n");
  EXPECT_FALSE(arcs.graph.undirected);
  EXPECT_EQ(arcs.graph.first_label, 1u);
  EXPECT_EQ(arcs.graph.edges, (edges{{0, 1}, {0, 2}, {2, 0}}));
  EXPECT_EQ(read("*Vertices 2\n*Matrix\n0 1\n0 2\n").graph.edges, (edges{{0, 1}, {1, 1}}));
  EXPECT_NE(error_of("*Vertices 2\n*Arcs\n1 3\n").find("graph:3: '3' is out of range"), std::string::npos);
}

TEST(Pajek, ProjectsRelationsAndTwoModes) {
  const reading project = read(
      "% about\n*Partition kinds\n*Vertices 3\n1\n1\n2\n*Network of food\n*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n"
      "*Arcs :1 eats\n1 2\n*Arcs :2 fears\n2 3\n*Vector weights\n*Vertices 3\n0.5\n1\n2\n");
  EXPECT_EQ(project.report.format, file_format::pajek);
  EXPECT_EQ(project.graph.names, (names{"a", "b", "c"}));
  EXPECT_EQ(project.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(project.report.notes, (names{"holds 2 relations, which are read as one graph"}));
  const reading lines = read("*Vertices 3\n*Arcs\n1: 1 2 5 [3]\n22: 2 3 7\n");
  EXPECT_EQ(lines.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(lines.graph.weights, (weights{5, 7}));
  const reading several = read("*Vertices 2\n*Matrix :1\n0 1\n0 0\n*Matrix :2\n0 0\n1 0\n*Network 2\n*Vertices 9\n");
  EXPECT_EQ(several.graph.edges, (edges{{0, 1}, {1, 0}}));
  EXPECT_EQ(several.report.notes.size(), 2u);
  EXPECT_EQ(error_of("*Vertices 5 2\n*Matrix\n1 0 1 2\n"),
            "graph:3: 4 columns in a row of the matrix where 3 are expected, one a vertex of the second mode");
  const reading modes = read("*Vertices 5 2\n*Matrix\n1 0 1\n0 2 0\n");
  EXPECT_EQ(modes.graph.edges, (edges{{0, 2}, {0, 4}, {1, 3}}));
  EXPECT_EQ(modes.graph.weights, (weights{1, 1, 2}));
  EXPECT_TRUE(modes.graph.undirected);
  const reading quotes = read("*Vertices 3\n1 \"a\"\n2 \"b\"\"\n3 \"c\n*Edges\n1 2\n");
  EXPECT_EQ(quotes.graph.names, (names{"a", "b", "c"}));
  EXPECT_EQ(quotes.report.notes.size(), 1u);
  EXPECT_EQ(error_of("*Vertices 3\n1\n2\n2\n"), "graph: expected '*Arcs', '*Edges' or '*Matrix'; there is none");
  EXPECT_EQ(error_of("*Partition p\n*Vertices 2\n1\n2\n"),
            "graph: holds partitions or vectors of vertices, but no network");
}

TEST(Dimacs, ColouringsFlowsAndPace) {
  const reading col = read("c hi\np edge 3 2\ne 1 2\ne 2 3\n");
  EXPECT_EQ(col.graph.vertices, 3u);
  EXPECT_TRUE(col.graph.undirected);
  EXPECT_FALSE(col.graph.weighted);
  EXPECT_EQ(col.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(read("p col 3 4\nn 1 5\ne 1 2\ne 2 3\n", {}, "x.col").report.notes.size(), 1u);
  const reading flow = read("c max\np max 4 2\nn 1 s\nn 4 t\na 1 2 5\na 2 4 3\n");
  EXPECT_FALSE(flow.graph.undirected);
  EXPECT_EQ(flow.graph.weights, (weights{5, 3}));
  const reading pace = read("c PACE\np tw 4 2\n1 2\n3 4\n");
  EXPECT_TRUE(pace.graph.undirected);
  EXPECT_EQ(pace.graph.vertices, 4u);
  // A list of names that are letters is no DIMACS.
  EXPECT_EQ(read("a b\nb c\n").graph.names, (names{"a", "b", "c"}));
  EXPECT_EQ(read("c d\np q\n").graph.names, (names{"c", "d", "p", "q"}));
}

TEST(MatrixMarket, SkewHermitianAndDamagedBanners) {
  const reading skew = read("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 4\n3 2 1\n");
  EXPECT_EQ(skew.graph.edges, (edges{{1, 0}, {0, 1}, {2, 1}, {1, 2}}));
  EXPECT_EQ(skew.graph.weights, (weights{4, -4, 1, -1}));
  EXPECT_FALSE(skew.graph.undirected);
  const reading hermitian = read("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 3 -4\n");
  EXPECT_EQ(hermitian.graph.weights, (weights{5}));
  EXPECT_TRUE(hermitian.graph.undirected);
  const reading one = read("%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 5\n2 3 6\n", {}, "x.mtx");
  EXPECT_EQ(one.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(one.graph.weights, (weights{5, 6}));
  EXPECT_EQ(one.report.notes.size(), 1u);
  const reading none = read("3 3 2\n1 2 5\n2 3 6\n", {}, "x.mtx");
  EXPECT_EQ(none.graph.edges, one.graph.edges);
  EXPECT_EQ(read("% comment\n3 3 2\n1 2\n2 3\n", {}, "x.mtx.gz").graph.weighted, false);
}

TEST(AdjacencyList, Commas) {
  for (const std::string text : {"1,2,3\n2,3\n3\n", "1, 2, 3\n2, 3\n", "1 2 3\n2 3\n"}) {
    EXPECT_EQ(read(text, {}, "x.adjlist").graph.edges, (edges{{0, 1}, {0, 2}, {1, 2}})) << text;
  }
}

TEST(AdjacencyList, NetworkXAndNames) {
  const reading g = read("#/usr/bin/python x.py\n# GMT Fri Jan  1 00:00:00 2021\n# \n0 1 2\n1 2\n2\n7\n");
  EXPECT_EQ(g.report.format, file_format::adjacency_list);
  EXPECT_EQ(g.graph.labels, (std::vector<std::uint64_t>{0, 1, 2, 7}));
  EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(read("ann bob cid\nbob cid\n", {}, "x.adjlist").graph.names, (names{"ann", "bob", "cid"}));
}

TEST(Ligra, PlainAndWeighted) {
  const reading g = read("AdjacencyGraph\n3\n3\n0\n2\n2\n1\n2\n0\n");
  EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {0, 2}, {2, 0}}));
  EXPECT_EQ(read("WeightedAdjacencyGraph\n2\n2\n0\n1\n1\n0\n5\n-6\n").graph.weights, (weights{5, -6}));
  EXPECT_EQ(error_of("AdjacencyGraph\n2\n1\n0\n1\n7\n"), "graph:6: '7' is out of range: vertex numbers are 0 to 1");
  EXPECT_NE(error_of("AdjacencyGraph\n2\n1\n0\n").find("truncated"), std::string::npos);
  EXPECT_NE(error_of("AdjacencyGraph\n2\n1\n1\n0\n0\n").find("row 0 has the entries"), std::string::npos);
}

// ---- archives, made by hand

/// Returns a tar archive of one file.
std::string tar(const std::string& name, const std::string& content) {
  std::string header(512, '\0');
  std::memcpy(header.data(), name.data(), name.size());
  std::memcpy(header.data() + 100, "0000644", 7);
  std::snprintf(header.data() + 124, 12, "%011o", static_cast<unsigned>(content.size()));
  std::memcpy(header.data() + 136, "00000000000", 11);
  header[156] = '0';
  std::memcpy(header.data() + 257, "ustar\00000", 8);
  std::memset(header.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(header.data() + 148, 8, "%06o", sum);
  std::string padded = content;
  padded.resize((content.size() + 511) / 512 * 512, '\0');
  return header + padded;
}

std::string number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  return text;
}

std::uint32_t crc(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// Returns a zip archive of stored files.
std::string zip(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string body;
  std::string directory;
  for (const auto& [name, content] : files) {
    const std::string common = number(20, 2) + number(0, 8) + number(crc(content), 4) + number(content.size(), 4) +
                               number(content.size(), 4) + number(name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02"s + number(20, 2) + common + number(0, 10) + number(body.size(), 4) + name;
    body += "PK\x03\x04"s + common + name + content;
  }
  return body + directory + "PK\x05\x06"s + number(0, 4) + number(files.size(), 2) + number(files.size(), 2) +
         number(directory.size(), 4) + number(body.size(), 4) + number(0, 2);
}

std::string gzipped(const std::string& text) {
  const auto bytes = check::gzipped(std::as_bytes(std::span(text)), 6);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Archives, TarZipAndCompressionsAroundThem) {
  const std::string matrix = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
  const std::string both = tar("cage3/README", "about") + tar("cage3/cage3.mtx", matrix) + std::string(1024, '\0');
  for (const std::string& packed : {both, gzipped(both), zip({{"README.txt", "x"}, {"a/cage3.mtx", matrix}}),
                                    gzipped(gzipped(matrix)), zip({{"raw/edge.csv.gz", gzipped("0,1\n1,2\n")}})}) {
    const reading g = read(packed);
    EXPECT_EQ(g.graph.vertices, 3u);
    EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {1, 2}}));
  }
  EXPECT_NE(read(both).report.notes.front().find("'cage3/cage3.mtx'"), std::string::npos);
  EXPECT_NE(error_of(both, {.member = "other"}, "x.tar").find("without a member 'other'"), std::string::npos);
  EXPECT_EQ(read(zip({{"a.txt", "0 1\n"}, {"b.txt", "0 1\n1 2\n"}}), {.member = "b.txt"}).graph.edges.size(), 2u);
  // A suffix that only graphs have comes before the order of members; errors name the member.
  const reading sure =
      read(zip({{"key.clu", "1\n"}, {"words.txt", "of all\n"}, {"x.NET", "*Vertices 2\n*Edges\n1 2\n"}}));
  EXPECT_EQ(sure.report.format, file_format::pajek);
  EXPECT_EQ(sure.report.notes, (names{"is an archive, of which 'x.NET' is read (--member)"}));
  EXPECT_EQ(error_of(zip({{"a/words.txt", "1 2\n3\n"}}), {}, "x.zip").substr(0, 22), "x.zip/a/words.txt:2: 1");
}

TEST(Archives, Bzip2AndXz) {
  // "0 1\n1 2\n"
  constexpr std::array<unsigned char, 45> bzip2{0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xff, 0xa0,
                                                0x41, 0x00, 0x00, 0x00, 0x02, 0x58, 0x00, 0x00, 0x10, 0x40, 0x00, 0x70,
                                                0x00, 0x20, 0x00, 0x22, 0x1e, 0x8d, 0x06, 0x68, 0x15, 0x2a, 0x18, 0x5d,
                                                0xc9, 0x14, 0xe1, 0x42, 0x43, 0xfe, 0x81, 0x04, 0x00};
  constexpr std::array<unsigned char, 64> xz{
      0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
      0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x07, 0x30, 0x20, 0x31, 0x0a, 0x31,
      0x20, 0x32, 0x0a, 0x00, 0xa7, 0x40, 0x85, 0x06, 0xe0, 0x84, 0xaa, 0x34, 0x00, 0x01, 0x20, 0x08,
      0xbb, 0x19, 0xd9, 0xbb, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
  const auto text = [](const auto& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  EXPECT_EQ(read(text(bzip2)).graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(read(text(xz)).graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_NE(error_of(text(bzip2).substr(0, bzip2.size() - 6)).find("cannot be unpacked"), std::string::npos);
  EXPECT_NE(error_of(text(xz).substr(0, xz.size() - 20)).find("cannot be unpacked"), std::string::npos);
  // A list of names that begins like bzip2.
  EXPECT_EQ(read("BZh1 x\n").graph.names, (names{"BZh1", "x"}));
  EXPECT_EQ(error_of("BZh"), "graph:1: expected two or more columns, found one: 'BZh'");
}

/// Returns an array of numpy of one dimension.
std::string npy(const std::string& type, const std::string& shape, const std::string& bytes) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  return "\x93NUMPY\x01"s + '\0' + number(header.size(), 2) + header + bytes;
}

std::string numbers(const std::vector<std::uint64_t>& values, std::size_t bytes) {
  std::string text;
  for (const auto value : values) text += number(value, bytes);
  return text;
}

TEST(Npz, FormsOfScipy) {
  const std::string shape = npy("<i8", "(2,)", numbers({3, 3}, 8));
  const std::string data = npy("<i4", "(3,)", numbers({5, 6, 7}, 4));
  const auto matrix = [&](const std::string& form, const std::string& inner) {
    return read(zip({{"indices.npy", npy("<i4", "(3,)", numbers({1, 2, 0}, 4))},
                     {"indptr.npy", npy("<i4", "(4,)", numbers({0, 2, 2, 3}, 4))},
                     {"format.npy", npy("|S3", "()", form)},
                     {"shape.npy", shape},
                     {"data.npy", inner}}));
  };
  EXPECT_EQ(matrix("csr", data).graph.edges, (edges{{0, 1}, {0, 2}, {2, 0}}));
  EXPECT_EQ(matrix("csr", data).graph.weights, (weights{5, 6, 7}));
  EXPECT_EQ(matrix("csc", data).graph.edges, (edges{{1, 0}, {2, 0}, {0, 2}}));
  EXPECT_FALSE(matrix("csr", npy("|b1", "(3,)", "\1\1\1")).graph.weighted);
  const reading coo = read(zip({{"row.npy", npy("<i4", "(3,)", numbers({0, 1, 2}, 4))},
                                {"col.npy", npy("<i4", "(3,)", numbers({1, 2, 2}, 4))},
                                {"format.npy", npy("|S3", "()", "coo")},
                                {"shape.npy", shape},
                                {"data.npy", data}}));
  EXPECT_EQ(coo.graph.edges, (edges{{0, 1}, {1, 2}, {2, 2}}));
  EXPECT_EQ(coo.graph.vertices, 3u);
  // A stored False is no edge.
  EXPECT_EQ(matrix("csr", npy("|b1", "(3,)", "\1\0\1"s)).graph.edges, (edges{{0, 1}, {2, 0}}));
}

TEST(Npy, PairsAndMatrices) {
  const reading pairs = read(npy("<i4", "(2, 2)", numbers({0, 3, 1, 2}, 4)));
  EXPECT_EQ(pairs.report.format, file_format::npy);
  EXPECT_EQ(pairs.graph.edges, (edges{{0, 3}, {1, 2}}));
  EXPECT_EQ(pairs.graph.vertices, 4u);
  EXPECT_EQ(read(npy("<i8", "(2, 3)", numbers({0, 1, 2, 1, 2, 0}, 8))).graph.edges, (edges{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(read(npy("|b1", "(3, 3)", "\0\1\0\0\0\1\0\0\0"s)).graph.edges, (edges{{0, 1}, {1, 2}}));
}

TEST(NodeLink, EndsAreIdsOrPlaces) {
  const reading ids = read(
      "{\"directed\":true,\"nodes\":[{\"id\":\"b\"},{\"id\":\"a\"}],"
      "\"links\":[{\"source\":\"b\",\"target\":\"a\",\"value\":8}]}");
  EXPECT_EQ(ids.report.format, file_format::node_link);
  EXPECT_EQ(ids.graph.names, (names{"a", "b"}));
  EXPECT_EQ(ids.graph.edges, (edges{{1, 0}}));
  EXPECT_EQ(ids.graph.weights, (weights{8}));
  EXPECT_TRUE(ids.report.direction_known);
  const reading places =
      read("{\"nodes\":[{\"name\":\"b\"},{\"name\":\"a\"}],\"links\":[{\"source\":0,\"target\":1}]}");
  EXPECT_EQ(places.graph.names, (names{"a", "b"}));
  EXPECT_EQ(places.graph.edges, (edges{{1, 0}}));
  EXPECT_FALSE(places.report.direction_known);
  EXPECT_EQ(read("[(0, 1), (1, 2)]").graph.edges, (edges{{0, 1}, {1, 2}}));
}

TEST(Dot, ChainsAndSubgraphs) {
  const reading g = read("graph { a -- {b c} [weight=2]; b -- d }");
  EXPECT_EQ(g.report.format, file_format::dot);
  EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {0, 2}, {1, 3}}));
  EXPECT_EQ(g.graph.weights, (weights{2, 2, 1}));
  EXPECT_TRUE(g.graph.undirected);
}

TEST(Lgl, NeighboursBelowTheirVertex) {
  const reading g = read("# a\nb 1.5\nc 2\n# b\nc 3\n", {}, "x.lgl");
  EXPECT_EQ(g.report.format, file_format::lgl);
  EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(g.graph.weights, (weights{1.5, 2, 3}));
}

TEST(Tables, BadLinesAreLeftOut) {
  const reading g = read("1 2\n3\n2 x\n2 3\n", {.ids = vertex_ids::numbers, .skip_bad_lines = true});
  EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_TRUE(g.notes("2 lines left out (--skip-bad-lines), the first is line 2: 1 column where 2 are expected"));
}

TEST(Unread, KnownKindsAreNamed) {
  for (const auto& [begin, says] :
       {std::pair("PAR1"s, "Parquet"), std::pair("\x89HDF\r\n"s, "HDF5"), std::pair("7z\xbc\xaf\x27\x1c"s, "7z"),
        std::pair("<html><body>404</body></html>"s, "web page"), std::pair("<!DOCTYPE html>\n<html>"s, "web page"),
        std::pair("%PDF-1.5\n"s, "PDF"), std::pair("nodedef>name VARCHAR\na\n"s, "GDF"),
        std::pair("DL N=2\n"s, "UCINET"), std::pair("dl n=2 format=blockmatrix data:\n"s, "UCINET"),
        std::pair("LEDA.GRAPH\nstring\n"s, "LEDA"), std::pair(">>graph6<<Bw\n"s, "graph6"),
        std::pair("@prefix x: <http://x> .\n"s, "Turtle"),
        std::pair("version https://git-lfs.github.com/spec/v1\n"s, "Git LFS"),
        std::pair(zip({{"[Content_Types].xml", "<x/>"}, {"xl/a.xml", "<x/>"}}), "Excel")}) {
    EXPECT_NE(error_of(begin).find(says), std::string::npos) << says << ": " << error_of(begin);
  }
}

}  // namespace
}  // namespace callisto::graph

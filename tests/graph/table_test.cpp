// Tables of text: separators, headers, names, weights and directions, as public files have them.
#include "readings.hpp"

#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/files/read.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

TEST(Table, AnySeparator) {
  for (const std::string separator : {",", ", ", ";", "|", "\t", " ", "  ", "::", " , ", " \t "}) {
    SCOPED_TRACE(separator);
    const reading g = read("0" + separator + "1\n1" + separator + "2\n");
    EXPECT_EQ(g.graph.vertices, 3u);
    EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_FALSE(g.graph.weighted);
    if (separator == "::") continue;  // a third column means users and what they rate
    const reading w = read("0" + separator + "1" + separator + "0.5\r\n1" + separator + "2" + separator + "3\r\n");
    EXPECT_EQ(w.graph.weights, (weights{0.5, 3}));
    EXPECT_TRUE(w.graph.names.empty());
  }
  EXPECT_EQ(read("0:1\n1:2\n", {.separator = ':'}).graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(read("1;2;0,5\n2;3;1,25\n").graph.weights, (weights{0.5, 1.25}));
}

TEST(Table, Headers) {
  for (const std::string text : {"source,target,weight\n0,1,0.5\n1,2,1.5\n", "Source;Target;Weight\n0;1;0.5\n1;2;1.5\n",
                                 "from to value\n0 1 0.5\n1 2 1.5\n", "u\tv\tw\n0\t1\t0.5\n1\t2\t1.5\n",
                                 "\"src\",\"dst\",\"weight\"\n\"0\",\"1\",\"0.5\"\n\"1\",\"2\",\"1.5\"\n",
                                 "weight,target,source\n0.5,1,0\n1.5,2,1\n", "a,b,c\n0,1,0.5\n1,2,1.5\n"}) {
    SCOPED_TRACE(text);
    const reading g = read(text);
    EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_EQ(g.graph.weights, (weights{0.5, 1.5}));
    EXPECT_TRUE(g.notes("edges from"));
  }
  EXPECT_EQ(read("source target\n0 1\n").graph.edges, (edges{{0, 1}}));
  EXPECT_EQ(read("source,target\nann,bob\n").graph.names, (names{"ann", "bob"}));
  // A first line of names is an edge, unless it names columns.
  EXPECT_EQ(read("ann,bob\nbob,cid\n").graph.edges.size(), 2u);
  EXPECT_EQ(read("source,target\nann,bob\n", {.header = false}).graph.edges.size(), 2u);
  EXPECT_EQ(read("ann,bob\nbob,cid\n", {.header = true}).graph.edges.size(), 1u);
  EXPECT_EQ(error_of("source,target\n"), "graph:1: no edges: the file holds a header only");
  const reading commas = read("a;b;w\nx;y;1,5\ny;z;2,25\n");
  EXPECT_EQ(commas.graph.names, (names{"x", "y", "z"}));
  EXPECT_EQ(commas.graph.weights, (weights{1.5, 2.25}));
}

TEST(Table, EmptyCellsAtTheEndsOfLines) {
  for (const std::string text : {"0,1\n1,2,\n", "0,1,,\n1,2,\n", "0;1;\n1;2\n", "source,target\n0,1,\n1,2,\n"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(read(text).graph.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_FALSE(read(text).graph.weighted);
  }
  EXPECT_EQ(error_of("0,1,2\n1,2,3\n4,5\n"), "graph:3: 2 columns where 3 are expected");
  EXPECT_EQ(error_of("source;target\na b;c\nd\n"), "graph:3: 1 column where 2 are expected");
}

TEST(Table, CountsInLine1) {
  const reading g = read("5 4\n1 2\n2 3\n3 4\n4 5\n");
  EXPECT_EQ(g.graph.edges.size(), 5u);
  EXPECT_TRUE(g.notes("5 vertices and 4 edges (--header yes"));
  EXPECT_EQ(read("5 4\n1 2\n2 3\n3 4\n4 5\n", {.header = true}).graph.edges.size(), 4u);
  for (const std::string text : {"5 4\n1 2\n2 3\n3 4\n", "5 3\n1 2\n2 3\n3 6\n", "3 2\n"}) {
    EXPECT_FALSE(read(text).notes("line 1")) << text;
  }
}

TEST(Table, HeadersThatNameBothEndsAlike) {
  for (const std::string header : {"gene1,gene2", "author_a,author_b", "node_i,node_j", "name.x,name.y", "u,v",
                                   "person,friend", "Subject,Object", "Character A,Character B", "node1,node2"}) {
    SCOPED_TRACE(header);
    const reading g = read(header + "\nann,bob\nbob,cid\n");
    EXPECT_EQ(g.graph.names, (names{"ann", "bob", "cid"}));
    EXPECT_TRUE(g.notes("edges from"));
  }
  // Lines below that look like the first one: all are edges.
  for (const std::string text :
       {"node1,node2\nnode2,node3\n", "v1 v2\nv3 v4\n", "a,b\nc,d\n", "x y\na b\n", "gene1 gene2\ngene3 gene4\n",
        "n1\tn2\nn7\tn8\n", "10 11\n20 21\n", "maria marib\nann bob\n", "(0, 0);(0, 1)\n(2, 2);(3, 3)\n"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(read(text).graph.edges.size(), 2u);
  }
  // A first line that may be a header, or not, is told.
  EXPECT_TRUE(read("boss,worker\nann,bob\nbob,cid\n").notes("not as a header"));
  EXPECT_FALSE(read("ann,bob\nbob,cid\n").notes("not as a header"));
  EXPECT_EQ(read("head,relation,tail\nann,likes,bob\n").graph.edges, (edges{{0, 1}}));
  EXPECT_EQ(read("tail,head\nann,bob\n").graph.edges, (edges{{0, 1}}));
  const reading excel = read("sep=;\nsource;target\nann;bob\n");
  EXPECT_EQ(excel.graph.names, (names{"ann", "bob"}));
  EXPECT_EQ(read("sep=,\n0,1\n1,2\n").graph.edges, (edges{{0, 1}, {1, 2}}));
}

TEST(Table, ArrowsTuplesAndBrackets) {
  for (const std::string sign : {"->", "=>", "--", "-", "=", "<->", ">"}) {
    SCOPED_TRACE(sign);
    const reading g = read("0 " + sign + " 1\n1 " + sign + " 2\n");
    EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_FALSE(g.graph.weighted);
    EXPECT_TRUE(g.notes("column 3"));
    EXPECT_EQ(g.graph.undirected, sign == "--" || sign == "<->");
    EXPECT_EQ(read("0 " + sign + " 1 5\n1 " + sign + " 2 6\n").graph.weights, (weights{5, 6}));
  }
  EXPECT_EQ(read("0 <- 1\n1 <- 2\n").graph.edges, (edges{{1, 0}, {2, 1}}));
  EXPECT_EQ(read("ann pp bob\nbob pd cid\n", {}, "x.sif").graph.names, (names{"ann", "bob", "cid"}));
  for (const std::string text : {"(0,1)\n(1,2)\n", "(0, 1)\n(1, 2)\n", "(0, 1),\n(1, 2),\n", "[0,1]\n[1,2]\n"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(read(text).graph.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_TRUE(read(text).graph.names.empty());
  }
  EXPECT_EQ(read("(ann, bob, 2)\n(bob, cid, 3)\n").graph.weights, (weights{2, 3}));
  // Vertices of NetworkX's grids.
  for (const std::string text : {"(0, 0) (0, 1) {}\n(0, 1) (1, 1) {}\n", "(0, 0) (0, 1)\n(0, 1) (1, 1)\n"}) {
    EXPECT_EQ(read(text).graph.names, (names{"(0, 0)", "(0, 1)", "(1, 1)"}));
  }
}

TEST(Table, Matrices) {
  const reading named = read(",ann,bob,cid\nann,0,1,0\nbob,1,0,2\ncid,0,2,0\n");
  EXPECT_EQ(named.graph.names, (names{"ann", "bob", "cid"}));
  EXPECT_EQ(named.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(named.graph.weights, (weights{1, 2}));
  EXPECT_TRUE(named.graph.undirected);
  EXPECT_TRUE(named.notes("taken as a matrix"));
  const reading directed = read(";a;b;c\na;0;1;0\nb;0;0;1\nc;;;\n");
  EXPECT_FALSE(directed.graph.undirected);
  EXPECT_EQ(directed.graph.edges, (edges{{0, 1}, {1, 2}}));
  const reading plain = read("0 1 0 0\n1 0 1 0\n0 1 0 1\n0 0 1 0\n");
  EXPECT_EQ(plain.graph.edges, (edges{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(plain.graph.vertices, 4u);
  EXPECT_FALSE(read("0 1 0\n1 2 1\n0 2 0\n").notes("matrix"));
  EXPECT_FALSE(read("0 1 2 9\n1 2 1 9\n2 3 5 9\n3 4 1 9\n").notes("matrix"));
  EXPECT_NE(error_of(",a,b,c\na,0,1,0\nb,1,x,2\nc,0,2,0\n").find(":3: expected a number"), std::string::npos);
}

TEST(Table, ColumnsByNameOrNumber) {
  const std::string text = "id,from,to,km,when\n7,a,b,2.5,x\n8,b,c,3,y\n";
  const reading named = read(text, {.columns = {"from", "to", "km"}});
  EXPECT_EQ(named.graph.names, (names{"a", "b", "c"}));
  EXPECT_EQ(named.graph.weights, (weights{2.5, 3}));
  EXPECT_TRUE(named.notes("left out: 'id', 'when'"));
  EXPECT_EQ(read(text, {.columns = {"2", "3", "4"}}).graph, named.graph);
  EXPECT_EQ(read(text, {.columns = {"to", "from"}}).graph.edges, (edges{{1, 0}, {2, 1}}));
  EXPECT_EQ(read("0 1 9\n1 2 8\n", {.weights_column = "none"}).graph.weighted, false);
  EXPECT_EQ(read("9 0 1\n8 1 2\n", {.columns = {"2", "3"}, .weights_column = "1"}).graph.weights, (weights{9, 8}));
  EXPECT_NE(error_of(text, {.columns = {"from", "nowhere"}}).find("none is called 'nowhere'"), std::string::npos);
  EXPECT_NE(error_of("0 1\n", {.columns = {"1", "3"}}).find("has 2 columns"), std::string::npos);
}

TEST(Table, NamesOfAllKinds) {
  const reading g = read("alice bob\nbob carol\n");
  EXPECT_EQ(g.graph.names, (names{"alice", "bob", "carol"}));
  EXPECT_EQ(g.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(g.report.format, file_format::table);
  const reading ids = read("116374117927631468606 101765416973555767821\n");
  EXPECT_EQ(ids.graph.names, (names{"101765416973555767821", "116374117927631468606"}));
  EXPECT_EQ(ids.graph.edges, (edges{{1, 0}}));
  EXPECT_EQ(read("New York\tLos Angeles\nLos Angeles\tOslo\n").graph.names, (names{"Los Angeles", "New York", "Oslo"}));
  EXPECT_EQ(read("\"Doe, John\",\"say \"\"hi\"\"\"\n").graph.names, (names{"Doe, John", "say \"hi\""}));
  EXPECT_EQ(read("-1 5\n").graph.names, (names{"-1", "5"}));
  EXPECT_EQ(read("\xc3\xa9 \xe6\x97\xa5\n").graph.names, (names{"\xc3\xa9", "\xe6\x97\xa5"}));
  // One that is no number makes all names, and is told.
  const reading mixed = read("1 2\n2 x\n");
  EXPECT_EQ(mixed.graph.names, (names{"1", "2", "x"}));
  EXPECT_TRUE(mixed.notes("line 2 has 'x'"));
  EXPECT_EQ(read("007 8\n", {.ids = vertex_ids::names}).graph.names, (names{"007", "8"}));
  EXPECT_EQ(error_of("1 2\n2 x\n", {.ids = vertex_ids::numbers}), "graph:2: expected a vertex number, found 'x'");
  EXPECT_EQ(error_of("ann,\n"), "graph:1: an end of the edge is empty (--skip-bad-lines leaves such lines out)");
  EXPECT_EQ(error_of("ann,bob\nann,\"bob\n"), "graph:2: a quote is not closed in its line");
  EXPECT_EQ(error_of("ann,bob\n\"bob,cid\ncid,dan\n"), "graph:2: a quote is not closed in its line");
}

TEST(Table, WholeRealsAreNumbers) {
  const reading g = read("1.0 2.0\n2.0 4.000\n");
  EXPECT_EQ(g.graph.labels, (std::vector<std::uint64_t>{1, 2, 4}));
  EXPECT_EQ(read("1.0,2.0,0.5\n").graph.weights, (weights{0.5}));
  EXPECT_EQ(read("a,b\n1.0,2.0\n").graph.first_label, 1u);
}

TEST(Table, CommentsOfEveryHabit) {
  for (const std::string comment :
       {"#", "# text", "% text", "// text", "; text", "\"a comment", "\"a comment\"", "  # x"}) {
    SCOPED_TRACE(comment);
    EXPECT_EQ(read(comment + "\n0 1\n" + comment + "\n1 2\n").graph.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_EQ(read(comment + "\nann bob\n" + comment + "\nbob cid\n").graph.edges, (edges{{0, 1}, {1, 2}}));
  }
  EXPECT_EQ(read("0 1 # said later\n1 2 % and again\n2 0\n").graph.edges, (edges{{0, 1}, {1, 2}, {2, 0}}));
}

TEST(Table, ByteOrderMark) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "0 1\n1 2\n")
                .graph.edges,
            (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "source,target\nann,bob\n")
                .graph.names,
            (names{"ann", "bob"}));
}

TEST(Table, TimeStampsAreNoWeights) {
  const reading g = read("1 2 1082008561\n2 3 1082008562\n1 2 1082008999\n");
  EXPECT_FALSE(g.graph.weighted);
  EXPECT_TRUE(g.notes("looks like time stamps"));
  EXPECT_EQ(read("1 2 1082008561\n", {.weights_column = "3"}).graph.weights, (weights{1082008561}));
  EXPECT_FALSE(read("1,2,1082008561000\n").graph.weighted);
  // Seconds since the first mail: a long column that never falls.
  std::string mails;
  for (int i = 0; i < 1500; ++i)
    mails += std::to_string(i % 7) + " " + std::to_string(i % 5 + 7) + " " + std::to_string(60 * i) + "\n";
  EXPECT_FALSE(read(mails).graph.weighted);
  EXPECT_TRUE(read("1 2 100000000000\n2 3 5\n").graph.weighted);
  // Four columns without a header: weight, then time.
  const reading rated = read("6,2,4,1289241911.72836\n6,5,2,1289241941.53378\n");
  EXPECT_EQ(rated.graph.weights, (weights{4, 2}));
  EXPECT_TRUE(rated.notes("left out: column 4"));
  EXPECT_FALSE(read("source,target,timestamp\n1,2,5\n").graph.weighted);
  for (const std::string time : {"1082008561.5", "1082008561123456789", "20040415"}) {
    EXPECT_FALSE(read("1 2 " + time + "\n").graph.weighted) << time;
  }
  EXPECT_TRUE(read("1 2 20041315\n").graph.weighted);
  EXPECT_TRUE(read("1 2 2004\n2 3 2005\n").notes("may hold years"));
  const reading first = read("1082008561 1 2\n1082008562 2 3\n");
  EXPECT_EQ(first.graph.vertices, 3u);
  EXPECT_TRUE(first.notes("column 1 looks like time stamps"));
}

TEST(Table, DirectionOfHeaders) {
  const auto says = [](const std::string& text) {
    const reading g = read(text);
    return !g.report.direction_known ? 'n' : g.graph.undirected ? 'u' : 'd';
  };
  EXPECT_EQ(says("1\t2\n2\t3\n"), 'n');
  EXPECT_EQ(
      says("# Undirected graph: ../../data/output/youtube.ungraph.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n"
           "1\t2\n2\t3\n"),
      'u');
  EXPECT_EQ(says("# Directed graph (each unordered pair of nodes is saved once): x.txt\n1\t2\n"), 'd');
  EXPECT_EQ(says("Source,Target,Type,Weight\n1,2,Undirected,1\n2,3,undirected,2\n"), 'u');
  EXPECT_EQ(says("Source,Target,Type\n1,2,Directed\n"), 'd');
  const reading mixed = read("Source,Target,Type\n1,2,Directed\n2,3,Undirected\n");
  EXPECT_FALSE(mixed.graph.undirected);
  EXPECT_TRUE(mixed.notes("some edges are directed"));
  for (const std::string text : {"not directed", "Non-directed network", "directed: false", "directed=0", "UNDIRECTED",
                                 "un-directed", "directed/undirected: undirected", "\"directed\": false,"}) {
    EXPECT_EQ(says("# " + text + "\n1 2\n"), 'u') << text;
  }
  for (const std::string text : {"not undirected", "directed: 1", "undirected: no", "directed, no weights"}) {
    EXPECT_EQ(says("% " + text + "\n1 2\n"), 'd') << text;
  }
  EXPECT_EQ(says("# redirected from http://x.org/directed/graph\n1 2\n"), 'n');
  EXPECT_EQ(says("//undirected\n1 2\n"), 'u');
  const reading both = read("# a directed and an undirected network\n1 2\n");
  EXPECT_FALSE(both.graph.undirected);
  EXPECT_TRUE(both.notes("say directed, and undirected"));
  EXPECT_TRUE(read("# Directed graph (each unordered pair of nodes is saved once): x.txt\n1\t2\n")
                  .notes("each unordered pair once"));
  EXPECT_FALSE(read("# Undirected graph\n1 2\n", {.directed = true}).graph.undirected);
  EXPECT_TRUE(read("# Directed graph\n1 2\n", {.undirected = true}).graph.undirected);
}

TEST(Table, Konect) {
  const auto konect = [](const std::string& header, const std::string& lines) {
    return read("% " + header + "\n" + lines);
  };
  const reading sym = konect("sym unweighted", "% 3 3 3\n1 2\n2 3\n");
  EXPECT_TRUE(sym.graph.undirected);
  EXPECT_FALSE(sym.graph.weighted);
  EXPECT_TRUE(konect("sym", "1,2,0.5\n2,3,1\n").graph.undirected);
  EXPECT_EQ(konect("sym", "1,2,0.5\n2,3,1\n").graph.weights, (weights{0.5, 1}));
  const reading time = konect("asym positive", "1 2 1 1082008561\n2 3 1 1082008562\n");
  EXPECT_FALSE(time.graph.undirected);
  EXPECT_TRUE(time.report.direction_known);
  EXPECT_EQ(time.graph.weights, (weights{1, 1}));
  EXPECT_EQ(time.graph.vertices, 3u);
  EXPECT_FALSE(konect("asym unweighted", "1 2 1 1082008561\n").graph.weighted);
  EXPECT_EQ(konect("sym signed", "1 2 -1\n2 3 1\n").graph.weights, (weights{-1, 1}));
  EXPECT_EQ(konect("sym posweighted", "1\t2\t0.5\n").graph.weights, (weights{0.5}));
  EXPECT_EQ(konect("sym multiweighted", "1 2 3.5 7\n").graph.weights, (weights{3.5}));
  EXPECT_FALSE(konect("asym dynamic", "1 2 +1 1082008561\n1 2 -1 1082008562\n").graph.weighted);
  const reading bip = konect("bip weighted", "1 1 5\n1 2 4\n2 1 3\n");
  EXPECT_TRUE(bip.graph.undirected);
  EXPECT_EQ(bip.graph.names, (names{"left-1", "left-2", "right-1", "right-2"}));
  EXPECT_EQ(bip.graph.edges, (edges{{0, 2}, {0, 3}, {1, 2}}));
  EXPECT_EQ(bip.graph.weights, (weights{5, 4, 3}));
}

TEST(Table, OtherDialects) {
  // Neo4j
  const reading neo =
      read(":START_ID(Person),:END_ID(Person),:TYPE,since:int\nann,bob,KNOWS,2001\nbob,cid,KNOWS,1999\n");
  EXPECT_EQ(neo.graph.names, (names{"ann", "bob", "cid"}));
  EXPECT_FALSE(neo.graph.weighted);
  // MovieLens keeps users and movies apart.
  const reading movies = read("userId,movieId,rating,timestamp\n1,1,4.0,964982703\n2,1,3.5,964981247\n");
  EXPECT_EQ(movies.graph.vertices, 3u);
  EXPECT_EQ(movies.graph.weights, (weights{4, 3.5}));
  EXPECT_TRUE(movies.graph.undirected);
  EXPECT_EQ(read("1::1::5::978300760\n2::1::3::978302109\n").graph.vertices, 3u);
  EXPECT_EQ(read("1 1\n2 1\n", {.bipartite = true}).graph.vertices, 3u);
  EXPECT_EQ(read(":START_ID(P)|weight:double|:END_ID(P)\n1|0.5|2\n").graph.weights, (weights{0.5}));
  EXPECT_EQ(read("userID\tartistID\tweight\n2\t2\t13883\n").graph.names, (names{"left-2", "right-2"}));
  EXPECT_EQ(read("User-ID;\"ISBN\"\n\"1\";\"1\"\n").graph.vertices, 2u);
  EXPECT_TRUE(read("007 8\n8 9\n").notes("leading zeros"));
  // Lines of old Macintoshes; tables of vertices.
  EXPECT_EQ(read("0 1\r1 2\r").graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(read("\xef\xbb\xbfsource,target\ra,b").graph.names, (names{"a", "b"}));
  EXPECT_NE(error_of("Id,Label\n1,a\n2,b\n").find("is a table of vertices"), std::string::npos);
  EXPECT_NE(error_of("p:ID(P)\tname\n1\ta\n").find("is a table of vertices"), std::string::npos);
  EXPECT_EQ(read("id\tname\n1\ta\n", {.columns = {"id", "name"}}).graph.names, (names{"1", "a"}));
  EXPECT_TRUE(read("0 1\n1 2\n", {.ids = vertex_ids::numbers}).report.notes.empty());
  EXPECT_EQ(read("0\t\t1\n1\t\t2\n").graph.edges, (edges{{0, 1}, {1, 2}}));
  // NetworkX
  EXPECT_EQ(read("0 1 {'weight': np.float64(3.5)}\n").graph.weights, (weights{3.5}));
  EXPECT_EQ(read("0 1 {'weight': '3'}\n").graph.weights, (weights{3}));
  EXPECT_EQ(read("0 1 0 {'weight': 3}\n0 1 1 {'weight': 4}\n").graph.weights, (weights{3, 4}));
  EXPECT_EQ(read("0,1,{'weight': 3}\n").graph.weights, (weights{3}));
  EXPECT_TRUE(read("0 1 {'capacity': 3}\n").notes("hold no 'weight'"));
  const reading plain = read("0 1 {}\n1 2 {}\n");
  EXPECT_EQ(plain.graph.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_FALSE(plain.graph.weighted);
  EXPECT_EQ(read("0 1 {'weight': 3}\n1 2 {'color': 'red', 'weight': 0.5}\n").graph.weights, (weights{3, 0.5}));
  EXPECT_EQ(read("ann bob {'weight': 3}\nbob cid {}\n").graph.weights, (weights{3, 1}));
  // Callisto's own header brings back what the edges do not tell.
  const reading own = read("# Undirected graph, vertices 1 to 5\n1 2\n3 3\n");
  EXPECT_EQ(own.graph.vertices, 5u);
  EXPECT_EQ(own.graph.first_label, 1u);
  EXPECT_EQ(own.graph.edges, (edges{{0, 1}, {2, 2}}));
  EXPECT_TRUE(own.graph.undirected);
}

TEST(Table, RandomNamesAgainstPlainParsing) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    std::string text;
    std::vector<std::pair<std::string, std::string>> expected;
    const int shared = round % 3 == 0 ? 12 : 0;  // bytes that all names have in common
    for (int i = 0; i < 2000; ++i) {
      const auto name = [&] {
        std::string made(static_cast<std::size_t>(shared), 'x');
        made += 'n';
        for (auto k = random() % 12; k != 0; --k) made += static_cast<char>('a' + random() % 3);
        return made;
      };
      expected.emplace_back(name(), name());
      text += expected.back().first + "," + expected.back().second + "\n";
    }
    const reading g = read(text, {.chunk_bytes = 1 + static_cast<std::size_t>(random() % 5000)});
    ASSERT_EQ(g.graph.edges.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(g.graph.names[g.graph.edges[i].first], expected[i].first);
      ASSERT_EQ(g.graph.names[g.graph.edges[i].second], expected[i].second);
    }
    EXPECT_TRUE(std::is_sorted(g.graph.names.begin(), g.graph.names.end()));
  }
}

TEST(Table, UsualAndOtherLinesMixed) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20; ++round) {
    const std::string separator(1, "\t,; |"[random() % 5]);
    const bool weighted = random() % 2 == 0;
    const bool more = random() % 2 == 0;
    std::string text = "from" + separator + "to" + (weighted ? separator + "weight" : "") + "\n";
    if (more) text.insert(text.size() - 1, separator + "note");
    std::size_t lines = 0;
    while (++lines < 800) {
      const auto cell = [&](std::string content) {
        if (random() % 40 == 0) content = '"' + content + '"';
        if (random() % 40 == 0) content += ' ';
        text += content + (random() % 40 == 0 && separator != "\t" ? " " : "");
      };
      const auto name = [&] { return std::string(1 + random() % 30, static_cast<char>('a' + random() % 26)); };
      if (random() % 30 == 0) text += random() % 2 == 0 ? "# a comment\n" : "\n";
      cell(name());
      text += separator;
      cell(name());
      if (weighted) {
        text += separator;
        cell(std::to_string(static_cast<double>(random() % 1000) / 8));
      }
      if (more) text += separator + (random() % 3 == 0 ? "\"further" + separator + "text\"" : "text");
      text += random() % 10 == 0 ? "\r\n" : "\n";
    }
    const reading g = read(text);  // whole, and in chunks that hold no usual lines
    ASSERT_EQ(g.graph.edges.size(), lines - 1) << text;
  }
}

}  // namespace
}  // namespace callisto::graph

// write_graph(): a written file reads back as the same graph, in every format and compression; what is refused.
#include "../fuzz/check_reader.hpp"

#include <callisto/callisto.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/files/read.hpp>
#include <callisto/graph/files/write.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

namespace callisto::graph {
namespace {

class WriteGraph : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }
  bool nothing_left() const { return std::filesystem::is_empty(folder_.path()); }

  std::string written(const any_graph& graph, file_format format) const {
    const std::string path = file("written");
    write_graph(graph, path, format);
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  machine::scratch_folder folder_;
};

any_graph graph_of(const std::string& text, bool undirected, file_format format = file_format::automatic) {
  return build_graph(read_edges(std::as_bytes(std::span(text)), "text", {.format = format, .undirected = undirected}));
}

using arc = std::tuple<std::uint64_t, std::uint64_t, double>;

/// Returns all arcs in the order of the rows, with vertices by number or by label.
std::vector<arc> arcs_of(const any_graph& any, bool by_label) {
  return std::visit(
      [&](const auto& graph) {
        std::vector<arc> arcs;
        for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
          for (std::uint64_t a = graph.out().offsets[v]; a < graph.out().offsets[v + 1]; ++a) {
            const std::uint64_t to = graph.out().targets[a];
            const double weight = graph.weighted() ? graph.out().weights[a] : 1;
            arcs.emplace_back(by_label ? graph.label(v) : v, by_label ? graph.label(to) : to, weight);
          }
        }
        return arcs;
      },
      any);
}

std::string random_text(std::uint64_t seed, bool weighted) {
  std::mt19937_64 random(seed);
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += std::to_string(random() % 500 * 3) + " " + std::to_string(random() % 500 * 3);
    if (weighted) text.append(" ").append(std::to_string(1 + random() % 1000));
    text += "\n";
  }
  return text;
}

TEST_F(WriteGraph, ReadsBackTheSame) {
  for (const bool undirected : {false, true}) {
    for (const bool weighted : {false, true}) {
      const any_graph graph = graph_of(random_text(undirected ? 1 : 2, weighted), undirected);
      for (const char* suffix : {".el", ".wel", ".mtx", ".gr", ".graph", ".sg", ".wsg"}) {
        for (const char* compression : {"", ".gz", ".zst"}) {
          const file_format format = format_from_suffix(suffix);
          if (format == file_format::metis && !undirected) continue;
          if (weighted && (format == file_format::edge_list || format == file_format::gapbs_sg)) continue;
          const std::string path = file(std::string("graph") + suffix + compression);
          write_graph(graph, path, file_format::automatic);
          const any_graph again = build_graph(read_edges(path, {.undirected = undirected}));
          const bool by_label = format == file_format::edge_list || format == file_format::weighted_edge_list;
          EXPECT_EQ(arcs_of(again, by_label), arcs_of(graph, by_label)) << path << " undirected " << undirected;
        }
      }
    }
  }
}

TEST_F(WriteGraph, Texts) {
  const any_graph directed = graph_of("10 20\n20 10\n30 30\n", false);
  EXPECT_EQ(written(directed, file_format::edge_list), "10 20\n20 10\n30 30\n");
  EXPECT_EQ(written(directed, file_format::weighted_edge_list), "10 20 1\n20 10 1\n30 30 1\n");
  EXPECT_EQ(written(directed, file_format::dimacs), "p sp 3 3\na 1 2 1\na 2 1 1\na 3 3 1\n");
  EXPECT_EQ(written(directed, file_format::matrix_market),
            "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 1\n3 3\n");
  const any_graph undirected = graph_of("1 2 5\n2 3 0.5\n3 3 7\n", true);
  EXPECT_EQ(written(undirected, file_format::weighted_edge_list), "# Undirected graph\n1 2 5\n2 3 0.5\n3 3 7\n");
  EXPECT_EQ(written(undirected, file_format::matrix_market),
            "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 5\n3 2 0.5\n3 3 7\n");
  EXPECT_EQ(written(graph_of("1 2\n2 3\n", true), file_format::metis), "3 2\n2\n1 3\n2\n");
  EXPECT_EQ(written(graph_of("1 2 4\n2 3 9\n", true), file_format::metis), "3 2 1\n2 4\n1 4 3 9\n2 9\n");
}

TEST_F(WriteGraph, ManyBlocks) {
  // More rows and arcs than a block holds, and a row that is larger than a block.
  std::string text;
  std::mt19937_64 random(3);
  for (int i = 0; i < 150000; ++i) {
    text.append("0 ").append(std::to_string(i)).append("\n");
    text.append(std::to_string(random() % 150000)).append(" 1\n");
  }
  const any_graph graph = graph_of(text, false);
  for (const char* name : {"x.el", "x.sg", "x.gr.zst"}) {
    write_graph(graph, file(name), file_format::automatic);
    EXPECT_EQ(arcs_of(build_graph(read_edges(file(name))), false), arcs_of(graph, false)) << name;
  }
}

template <class Error>
std::string error_of(const any_graph& graph, const std::string& path, file_format format) {
  try {
    write_graph(graph, path, format);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST_F(WriteGraph, WhatFormatsCannotHold) {
  const any_graph directed = graph_of("1 2 0.5\n", false);
  const any_graph undirected = graph_of("1 2 0.5\n", true);
  EXPECT_EQ(error_of<usage_error>(directed, file("x"), file_format::metis),
            "the graph is directed, but metis holds undirected graphs only");
  for (const file_format format : {file_format::metis, file_format::dimacs, file_format::gapbs_wsg}) {
    EXPECT_EQ(error_of<usage_error>(undirected, file("x"), format), "the graph has an edge of weight 0.5, but " +
                                                                        std::string(name_of(format)) +
                                                                        " holds whole numbers of limited size only");
  }
  EXPECT_EQ(error_of<usage_error>(graph_of("1 2 5000000000\n", true), file("x"), file_format::gapbs_wsg).substr(0, 37),
            "the graph has an edge of weight 5e+09");
  EXPECT_NE(error_of<usage_error>(directed, file("x.unknown"), file_format::automatic), "no error");
  EXPECT_TRUE(nothing_left());
}

TEST_F(WriteGraph, FailuresLeaveNothing) {
  const any_graph graph = graph_of(random_text(5, false), false);
  EXPECT_NE(error_of<output_error>(graph, file("no/such/folder.el"), file_format::edge_list), "no error");
  EXPECT_NE(error_of<output_error>(graph, "/dev/full", file_format::edge_list), "no error");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(write_graph(graph, file("x.el"), file_format::edge_list, {.stop = stop.get_token()}), cancelled);
  EXPECT_TRUE(nothing_left());
}

TEST(FileFormat, NamesAndSuffixes) {
  EXPECT_EQ(format_from_suffix("a/b.mtx.gz"), file_format::matrix_market);
  EXPECT_EQ(format_from_suffix("b.wsg"), file_format::gapbs_wsg);
  EXPECT_EQ(format_from_suffix("graph"), file_format::automatic);
  EXPECT_EQ(format_from_name("metis"), file_format::metis);
  EXPECT_EQ(name_of(file_format::weighted_edge_list), "weighted-edge-list");
  EXPECT_THROW(format_from_name("metiss"), usage_error);
}

}  // namespace
}  // namespace callisto::graph

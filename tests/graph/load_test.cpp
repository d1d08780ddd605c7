// load_graph(): native files are opened, others read and built; both give the graph that the options ask for.
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

namespace fs = std::filesystem;

class load : public testing::Test {
 protected:
  load() {
    std::ofstream(text()) << "# a directed graph with a loop and a repeat\n10 20\n20 10\n20 30\n30 30\n20 30\n";
  }

  std::string text() const { return folder_.file("graph.el"); }
  std::string native() const { return folder_.file("graph.cg"); }

  machine::scratch_folder folder_;
};

using rows = std::vector<std::vector<std::uint32_t>>;

rows rows_of(const adjacency<std::uint32_t>& a) {
  rows all;
  for (std::uint64_t v = 0; v + 1 < a.offsets.size(); ++v) all.emplace_back(a.row(v).begin(), a.row(v).end());
  return all;
}

TEST_F(load, reads_and_builds_text) {
  load_report report;
  const any_graph any = load_graph(text(), {}, {}, &report);
  const auto& g = std::get<0>(any);
  EXPECT_EQ(rows_of(g.out()), (rows{{1}, {0, 2}, {2}}));
  EXPECT_EQ(rows_of(g.in()), (rows{{1}, {0}, {1, 2}}));
  EXPECT_EQ(g.label(2), 30u);
  EXPECT_FALSE(report.native);
  EXPECT_EQ(report.file_bytes, fs::file_size(text()));
  EXPECT_EQ(report.build.lines, 5u);
  EXPECT_EQ(report.build.self_loops, 1u);
  EXPECT_EQ(report.build.repeats, 1u);
  EXPECT_EQ(report.build.arcs, 4u);
}

TEST_F(load, either_option_makes_text_undirected) {
  const rows expected{{1}, {0, 2}, {1, 2}};
  load_options reading;
  reading.read.undirected = true;
  load_options building;
  building.build.undirected = true;
  for (const auto& options : {reading, building}) {
    const any_graph any = load_graph(text(), options);
    EXPECT_FALSE(std::get<0>(any).directed());
    EXPECT_EQ(rows_of(std::get<0>(any).out()), expected);
  }
}

TEST_F(load, opens_native_files_whatever_their_name) {
  write_native(load_graph(text()), native());
  fs::rename(native(), folder_.file("graph.txt"));
  load_report report;
  const any_graph any = load_graph(folder_.file("graph.txt"), {.verify = true}, {}, &report);
  const auto& g = std::get<0>(any);
  EXPECT_TRUE(report.native);
  EXPECT_EQ(report.build.arcs, 4u);
  EXPECT_TRUE(g.directed());
  EXPECT_EQ(rows_of(g.out()), (rows{{1}, {0, 2}, {2}}));
  EXPECT_EQ(rows_of(g.in()), (rows{{1}, {0}, {1, 2}}));
  EXPECT_EQ(g.label(1), 20u);
}

TEST_F(load, converts_native_files_as_asked_for) {
  write_native(load_graph(text(), {.build = {.in_edges = false}}), native());
  {
    const any_graph any = load_graph(native());
    EXPECT_EQ(rows_of(std::get<0>(any).in()), (rows{{1}, {0}, {1, 2}}));
  }
  {
    const any_graph any = load_graph(native(), {.build = {.loops = loops::remove}});
    EXPECT_EQ(rows_of(std::get<0>(any).out()), (rows{{1}, {0, 2}, {}}));
    EXPECT_EQ(rows_of(std::get<0>(any).in()), (rows{{1}, {0}, {1}}));
    EXPECT_EQ(std::get<0>(any).label(2), 30u);
  }
  {
    const any_graph any = load_graph(native(), {.build = {.undirected = true, .loops = loops::remove}});
    EXPECT_FALSE(std::get<0>(any).directed());
    EXPECT_EQ(rows_of(std::get<0>(any).out()), (rows{{1}, {0, 2}, {1}}));
  }
  {
    const any_graph any = load_graph(native(), {.build = {.in_edges = false}});
    EXPECT_TRUE(std::get<0>(any).in().offsets.empty());
  }
}

TEST_F(load, verifies_native_files_only_on_request) {
  write_native(load_graph(text()), native());
  std::fstream file(native(), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(8192);  // the targets of the out-edges
  file.put('\2');
  file.close();
  EXPECT_NO_THROW(load_graph(native()));
  EXPECT_THROW(load_graph(native(), {.verify = true}), input_error);
}

TEST_F(load, what_cannot_be_loaded_is_an_input_error) {
  EXPECT_THROW(load_graph(folder_.file("missing")), input_error);
  EXPECT_THROW(load_graph(folder_.path()), input_error);
  // A truncated native file is not read as text.
  write_native(load_graph(text()), native());
  fs::resize_file(native(), 5000);
  EXPECT_THROW(load_graph(native()), input_error);
}

}  // namespace
}  // namespace callisto::graph

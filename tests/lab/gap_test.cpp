// Checks the GAP benchmark's kernels as the command runs them, and the lines of a peer's programs.
#include <callisto/app/process/child_process.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/experiments/gap_kernels.hpp>
#include <lab/experiments/gap_peer.hpp>
#include <lab/experiments/gap_report.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace callisto::lab {
namespace {

TEST(gap, every_kernel_passes_its_check) {
  graph::kronecker_options k;
  k.scale = 9;
  const graph::any_graph graph = graph::build_graph(graph::generate_kronecker(k));
  const graph::any_graph weighted = graph::with_random_weights(graph::build_graph(graph::generate_kronecker(k)), 1);
  std::vector<std::uint64_t> connected;
  const auto& g = std::get<graph::csr_graph<std::uint32_t>>(graph);
  for (std::uint64_t v = 0; v < g.vertices() && connected.size() < 4; ++v) {
    if (g.out().degree(v) != 0) connected.push_back(v);
  }
  ASSERT_EQ(connected.size(), 4u);
  for (const gap_kernel& kernel : gap_kernels()) {
    const std::vector<std::uint64_t> sources(connected.begin(), connected.begin() + kernel.sources);
    EXPECT_GT(run_gap_kernel(kernel, kernel.wants(false) == gap_kernel::graph_kind::weighted ? weighted : graph,
                             sources, true, {}),
              0)
        << kernel.name;
  }
}

TEST(gap, trial_times_are_read) {
  EXPECT_DOUBLE_EQ(parse_trial_time("Trial Time:          0.01234"), 0.01234);
  EXPECT_DOUBLE_EQ(parse_trial_time("Trial Time: 2"), 2);
  EXPECT_LT(parse_trial_time("Average Time:        0.01234"), 0);
  EXPECT_LT(parse_trial_time(""), 0);
  for (const char* wrong :
       {"Trial Time:", "Trial Time:    ", "Trial Time: soon", "Trial Time: -1", "Trial Time: nan"}) {
    EXPECT_THROW(parse_trial_time(wrong), child_failure) << wrong;
  }
}

TEST(gap, a_folder_without_programs_is_refused) {
  try {
    gap_peer("/nowhere\nat all", 2);
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("--peer: /nowhere at all"), std::string::npos) << e.what();
  }
}

TEST(gap, ratios_are_those_of_each_trial) {
  gap_report report;
  report.peer = "there";
  gap_row even{"bfs", {1, 2, 4}, {}, {2, 4, 8}, {}, {}};
  gap_row odd{"pr", {1, 1, 1}, {}, {8, 8, 8}, {}, {}};
  gap_row failed{"cc", {}, "why not", {}, {}, {}};
  report.graphs.push_back({"g", {4, 8, false, false}, 0.5, 0, {even, odd, failed}});
  const json object = to_json(report);
  const json& kernels = object["graphs"][0]["kernels"];
  EXPECT_DOUBLE_EQ(kernels[0]["ratio"]["median"].number(), 2);
  EXPECT_DOUBLE_EQ(kernels[0]["callisto"]["median"].number(), 2);
  EXPECT_DOUBLE_EQ(kernels[0]["peer"]["most"].number(), 8);
  EXPECT_TRUE(kernels[2]["callisto"].is_null());
  EXPECT_EQ(kernels[2]["failure"], "why not");
  EXPECT_DOUBLE_EQ(object["geometric_mean"].number(), 4);
  const std::string words = to_words(report);
  EXPECT_NE(words.find("cc: why not"), std::string::npos) << words;
  EXPECT_NE(words.find("Geometric mean over all: 4.00"), std::string::npos) << words;
}

}  // namespace
}  // namespace callisto::lab

// Texts that ranks read in parts against the same texts in one process; ranks are threads of this process.
#include "../sanitizers.hpp"

#include <callisto/cluster/bfs.hpp>
#include <callisto/cluster/components.hpp>
#include <callisto/cluster/deal.hpp>
#include <callisto/cluster/kcore.hpp>
#include <callisto/cluster/load_parts.hpp>
#include <callisto/cluster/sssp.hpp>
#include <callisto/cluster/triangles.hpp>
#include <callisto/cluster/vertex_numbers.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/statistics_among.hpp>
#include <callisto/graph/files/compress.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/pagerank/pagerank_among.hpp>
#include <callisto/graph/sssp/paths_among.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

namespace callisto::cluster {
namespace {

using graph::any_graph;

/// A file for the time of a test.
class text_file {
 public:
  text_file(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("callisto_parts_" + std::to_string(::getpid()) + name)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  ~text_file() { std::filesystem::remove(path_); }

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct named_text {
  std::string name;
  std::string text;
};

template <class Line>
std::string lines(int count, const Line& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::string(line(i)) + "\n";
  return text;
}

std::vector<named_text> texts() {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t n) { return std::to_string(random() % n); };
  const auto pair = [&](std::uint64_t n) { return below(n) + " " + below(n); };
  return {
      {"random.txt", lines(3000, [&](int) { return pair(700); })},
      {"repeats.txt", lines(3000, [&](int) { return pair(60); })},
      {"twice.txt", lines(300, [](int i) { return std::to_string(i / 2) + " " + std::to_string(i / 2 + 1); })},
      {"weighted.txt", lines(3000, [&](int) { return pair(60) + " " + below(100); })},
      {"fractions.txt", lines(3000, [&](int) { return pair(60) + " 0." + below(1000); })},
      {"heavy.txt", lines(300, [&](int) { return pair(90) + " 60000"; })},
      {"mixed.txt", lines(900, [&](int i) { return pair(60) + (i < 700 ? " 3" : " 0.5"); })},
      {"sparse.txt", lines(900, [&](int) { return below(90) + "987654321 " + below(90) + "123456789012"; })},
      {"names.txt", lines(900, [&](int) { return "ann" + below(200) + " bob" + below(200); })},
      {"names.csv", "from,to,weight\n" + lines(900, [&](int) { return "n" + below(99) + ",n" + below(99) + ",2"; })},
      {"late.txt", lines(900, [](int i) { return std::to_string(i < 880 ? 1 : i) + " 2"; })},
      {"star.txt", lines(1500, [](int i) { return "0 " + std::to_string(i + 1); })},
      {"path.txt", lines(900, [](int i) { return std::to_string(i) + " " + std::to_string(i + 1); })},
      {"one.txt", "5 5\n"},
      {"three.txt", "2 4\n4 7"},
      {"loops.txt", lines(40, [](int i) { return std::to_string(i % 7) + " " + std::to_string(i % 7); })},
      {"comments.txt",
       lines(90, [](int) { return "# words"; }) + "1 2\n2 3\n" + lines(90, [](int) { return "# more"; })},
      {"line_ends.txt", lines(90, [&](int) { return pair(30) + "\r"; })},
      {"blank.txt", lines(90, [&](int i) { return i % 3 == 0 ? pair(30) : std::string(); })},
      {"counts.txt", "30 60\n" + lines(60, [&](int) { return pair(30); })},
      {"both_ways.txt",
       lines(90, [](int i) { return i % 2 == 0 ? "1 " + std::to_string(i) : std::to_string(i - 1) + " 1"; })},
      {"symmetric.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% words\n90 90 80\n" +
                            lines(80, [&](int i) { return std::to_string(i + 2) + " " + std::to_string(i / 2 + 1); })},
      {"general.mtx",
       "%%MatrixMarket matrix coordinate real general\n90 90 80\n" +
           lines(80, [&](int i) { return std::to_string(i + 2) + " " + std::to_string(i / 2 + 1) + " 1.5"; })},
  };
}

std::vector<graph::load_options> ways() {
  std::vector<graph::load_options> all(1);
  all.emplace_back().build.undirected = true;
  for (const graph::repeats how : {graph::repeats::sum, graph::repeats::keep, graph::repeats::first,
                                   graph::repeats::heaviest, graph::repeats::sum_weights}) {
    all.emplace_back().build.repeats = how;
    all.emplace_back(all.back()).build.undirected = true;
  }
  all.emplace_back().build.loops = graph::loops::remove;
  return all;
}

/// Calls f(rank, what load_parts() returns, the report) at each rank.
void over_ranks(int ranks, const std::string& path, const graph::load_options& how,
                const std::function<void(int, const std::optional<parted_graph>&, const graph::load_report&)>& f) {
  global::in_process_job job;
  job.net.ranks = ranks;
  global::run_in_process(job, [&](global::session& s) {
    graph::load_report report;
    const std::optional<parted_graph> found = load_parts(path, how, {}, report);
    f(s.rank(), found, report);
  });
}

class LoadParts : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, LoadParts,
                         testing::ValuesIn(tests::sanitized ? std::vector<int>{3} : std::vector<int>{2, 7}));

template <class Vertex>
void expect_equal_rows(const graph::adjacency<Vertex>& found, const graph::adjacency<Vertex>& expected,
                       const std::vector<std::uint64_t>& bounds, int rank, const std::string& what) {
  ASSERT_EQ(found.offsets.size(), expected.offsets.size()) << what;
  EXPECT_TRUE(std::equal(found.offsets.begin(), found.offsets.end(), expected.offsets.begin())) << what;
  ASSERT_EQ(found.targets.size(), expected.targets.size()) << what;
  ASSERT_EQ(found.weights.size(), expected.weights.size()) << what;
  EXPECT_EQ(found.weights.is_short(), expected.weights.is_short()) << what;
  const auto first = expected.offsets[bounds[static_cast<std::size_t>(rank)]];
  const auto last = expected.offsets[bounds[static_cast<std::size_t>(rank) + 1]];
  for (std::uint64_t a = first; a != last; ++a) {
    ASSERT_EQ(found.targets[a], expected.targets[a]) << what << ", arc " << a;
    if (!expected.weights.empty()) {
      ASSERT_EQ(found.weights[a], expected.weights[a]) << what << ", arc " << a;
    }
  }
}

void expect_equal(const parted_graph& found, const any_graph& whole, int rank, const std::string& what) {
  std::visit(
      [&]<class Vertex>(const graph::csr_graph<Vertex>& expected) {
        const auto* const own = std::get_if<graph::csr_graph<Vertex>>(&found.graph);
        ASSERT_NE(own, nullptr) << what;
        EXPECT_EQ(own->directed(), expected.directed()) << what;
        EXPECT_EQ(own->has_in(), expected.has_in()) << what;
        expect_equal_rows(own->out(), expected.out(), found.bounds, rank, what);
        if (expected.directed()) expect_equal_rows(own->in(), expected.in(), found.bounds, rank, what + ", in");
        if (rank != 0) return;
        ASSERT_EQ(own->names() != nullptr, expected.names() != nullptr) << what;
        for (std::uint64_t v = 0; v != expected.vertices(); ++v) {
          std::array<std::string, 2> names;
          own->append_name(names[0], v);
          expected.append_name(names[1], v);
          ASSERT_EQ(names[0], names[1]) << what << ", vertex " << v;
        }
      },
      whole);
}

TEST_P(LoadParts, IsTheGraphOfOneProcess) {
  std::size_t number = 0;
  for (const named_text& text : texts()) {
    const text_file file(text.name, text.text);
    // Of the ways, each text goes one, and all texts together go all; two that matter most go all.
    const bool all = text.name == "repeats.txt" || text.name == "fractions.txt";
    const std::vector<graph::load_options> some = ways();
    const std::size_t chosen = number++ % some.size();
    for (std::size_t i = 0; i != some.size(); ++i) {
      if (i != 0 && i != chosen && !all) continue;
      const graph::load_options& how = some[i];
      graph::load_report alone;
      const any_graph whole = graph::load_graph(file.path(), how, {}, &alone);
      const std::string what = text.name + ", repeats " + std::to_string(static_cast<int>(how.build.repeats)) +
                               (how.build.undirected ? ", undirected" : "");
      over_ranks(GetParam(), file.path(), how,
                 [&](int rank, const std::optional<parted_graph>& found, const graph::load_report& report) {
                   ASSERT_TRUE(found) << what;
                   expect_equal(*found, whole, rank, what);
                   if (rank != 0) return;
                   EXPECT_EQ(report.notes, alone.notes) << what;
                   EXPECT_EQ(report.format, alone.format) << what;
                   EXPECT_EQ(report.build.lines, alone.build.lines) << what;
                   EXPECT_EQ(report.build.self_loops, alone.build.self_loops) << what;
                   EXPECT_EQ(report.build.repeats, alone.build.repeats) << what;
                   EXPECT_EQ(report.build.arcs, alone.build.arcs) << what;
                   EXPECT_EQ(report.weights_listed, alone.weights_listed) << what;
                   EXPECT_EQ(report.direction_known, alone.direction_known) << what;
                 });
    }
  }
}

// Kernels read their own rows only: other ones are not there.
TEST_P(LoadParts, IsEnoughForTheKernels) {
  for (const named_text& text : texts()) {
    if (!std::set<std::string>{"random.txt", "star.txt", "three.txt", "fractions.txt", "path.txt"}.contains(text.name))
      continue;
    const text_file file(text.name, text.text);
    const any_graph any = graph::load_graph(file.path());
    const auto& whole = std::get<graph::csr_graph<std::uint32_t>>(any);
    const auto weights = graph::with_random_weights(graph::load_graph(file.path()), 3);
    const auto& weighted = std::get<graph::csr_graph<std::uint32_t>>(weights);
    over_ranks(GetParam(), file.path(), {},
               [&](int rank, const std::optional<parted_graph>& found, const graph::load_report&) {
                 ASSERT_TRUE(found);
                 rank_partners among(found->bounds);
                 const graph::shared_control control{{}, &among};
                 const auto& own = std::get<graph::csr_graph<std::uint32_t>>(found->graph);
                 const auto ranked = graph::pagerank_among(found->graph, {}, control);
                 const auto searched = cluster::bfs(own, 1, {}, control);
                 const auto cores = cluster::kcore(own, control);
                 const auto triangles = cluster::count_triangles(found->graph, control);
                 const auto statistics = graph::statistics_among(found->graph, control);
                 const auto map = cluster::components(own, control);
                 EXPECT_EQ(statistics.edges, graph::compute_statistics(any).edges) << text.name;
                 EXPECT_EQ(triangles.triangles, graph::count_triangles(any).triangles) << text.name;
                 EXPECT_EQ(searched.reached, graph::bfs(whole, 1).reached) << text.name;
                 EXPECT_EQ(cores.degeneracy, graph::kcore(whole).degeneracy) << text.name;
                 if (rank != 0) return;
                 EXPECT_TRUE(std::ranges::equal(map, graph::components(whole))) << text.name;
                 EXPECT_TRUE(std::ranges::equal(ranked.scores, graph::pagerank(any).scores)) << text.name;
               });
    over_ranks(GetParam(), file.path(), {},
               [&](int rank, const std::optional<parted_graph>& found, const graph::load_report&) {
                 ASSERT_TRUE(found);
                 rank_partners among(found->bounds);
                 const graph::shared_control control{{}, &among};
                 graph::load_report again;
                 auto drawn = load_parts(file.path(), {}, {}, again);
                 const any_graph mine = with_random_weights(std::move(drawn->graph), 3, among, {});
                 const auto& own = std::get<graph::csr_graph<std::uint32_t>>(mine);
                 const auto plan = plan_paths(own, {}, control);
                 const auto paths = cluster::sssp(own, 1, plan, control);
                 const auto parents = graph::shortest_path_parents_among(own, 1, paths.distances, control);
                 const auto expected = graph::sssp(weighted, 1);
                 for (std::uint64_t v = 0; v != own.vertices(); ++v) {
                   ASSERT_EQ(paths.distances[v], expected.distances[v]) << text.name << ", vertex " << v;
                 }
                 if (rank != 0) return;
                 EXPECT_TRUE(std::ranges::equal(parents, graph::shortest_path_parents(weighted, 1, expected.distances)))
                     << text.name;
               });
  }
}

// Arcs without length, which the parents of no nearer vertex explain.
TEST_P(LoadParts, FindsParentsOverArcsWithoutLength) {
  const text_file file("zeros.txt", lines(600, [](int i) {
                         return std::to_string(i * 7 % 300) + " " + std::to_string((i * 11 + 3) % 300) + " " +
                                std::to_string(i % 4 / 3);
                       }));
  const any_graph any = graph::load_graph(file.path());
  const auto& whole = std::get<graph::csr_graph<std::uint32_t>>(any);
  const auto expected = graph::sssp(whole, 0);
  const auto parents = graph::shortest_path_parents(whole, 0, expected.distances);
  over_ranks(GetParam(), file.path(), {},
             [&](int rank, const std::optional<parted_graph>& found, const graph::load_report&) {
               ASSERT_TRUE(found);
               rank_partners among(found->bounds);
               const graph::shared_control control{{}, &among};
               const auto& own = std::get<graph::csr_graph<std::uint32_t>>(found->graph);
               const auto paths = cluster::sssp(own, 0, plan_paths(own, {}, control), control);
               const auto told = graph::shortest_path_parents_among(own, 0, paths.distances, control);
               EXPECT_TRUE(rank != 0 || std::ranges::equal(told, parents));
             });
}

/// Returns the text as a zstd file of about `frames` frames, which end anywhere in lines; with a frame of three bytes,
/// and frames without data before, between and behind them.
std::string in_frames(const std::string& text, std::size_t frames) {
  const std::string skippable = std::string("\x50\x2a\x4d\x18\x05\0\0\0", 8) + "12345";
  std::mt19937_64 random(17);
  std::string file = skippable;
  std::size_t at = 0;
  for (std::size_t i = 0; at != text.size(); ++i) {
    std::size_t size = i == frames / 2 ? 3 : text.size() / frames / 2 + random() % (text.size() / frames);
    size = std::min(size, text.size() - at);
    file += graph::compressed(text.substr(at, size), graph::compression::zstd);
    if (i % 5 == 0) file += skippable;
    at += size;
  }
  return file + skippable;
}

TEST_P(LoadParts, ReadsZstdByItsFrames) {
  // More than the first MiB, which rank 0 reads whatever the frames.
  std::mt19937_64 random(12);
  const std::string text = "# words\n" + lines(90'000, [&](int) {
                             return std::to_string(random() % 90) + "987654321 " + std::to_string(random() % 90) + "1";
                           });
  graph::load_options how;
  how.build.repeats = graph::repeats::sum;
  for (const std::size_t frames : {40, 7}) {
    const text_file file("frames.txt.zst", in_frames(text, frames));
    graph::load_report alone;
    const any_graph whole = graph::load_graph(file.path(), how, {}, &alone);
    over_ranks(GetParam(), file.path(), how,
               [&](int rank, const std::optional<parted_graph>& found, const graph::load_report& report) {
                 ASSERT_TRUE(found);
                 expect_equal(*found, whole, rank, "frames");
                 EXPECT_EQ(report.build.lines, alone.build.lines);
                 EXPECT_EQ(report.build.repeats, alone.build.repeats);
               });
  }
  // Lines longer than frames, and no line behind the head.
  const text_file longest(
      "long.txt.zst",
      in_frames("1 2\n# " + std::string(900'000, 'x') + "\n# " + std::string(900'000, 'y') + "\n3 4\n5 6", 50));
  const any_graph whole = graph::load_graph(longest.path());
  over_ranks(GetParam(), longest.path(), {},
             [&](int rank, const std::optional<parted_graph>& found, const graph::load_report&) {
               ASSERT_TRUE(found);
               expect_equal(*found, whole, rank, "long lines");
             });
}

TEST_P(LoadParts, ReadsZstdOfOneFrameOrDamagedZstdAsAWhole) {
  const std::string text = lines(900, [](int i) { return std::to_string(i) + " " + std::to_string(i + 1); });
  const std::string frames = in_frames(text, 30);
  for (const std::string& content :
       {graph::compressed(text, graph::compression::zstd), frames + "more", frames.substr(0, frames.size() - 20),
        in_frames(std::string(257, 'a') + std::string(9000, '\0'), 20)}) {
    const text_file file("whole.txt.zst", content);
    over_ranks(GetParam(), file.path(), {},
               [&](int, const std::optional<parted_graph>& found, const graph::load_report&) { EXPECT_FALSE(found); });
  }
}

TEST_P(LoadParts, LeavesWhatIsNoListOfEdgesToOneRank) {
  const std::vector<named_text> others{
      {"adjacency.adj", "AdjacencyGraph\n2\n2\n0\n1\n1\n0\n"},
      {"quoted.csv", "from,to\n\"a\nb\",c\n" + lines(90, [](int i) { return "x" + std::to_string(i) + ",y"; })},
      {"encoded.txt", lines(90, [](int i) { return "n\xe9" + std::to_string(i) + " m"; })},
      {"lacking.mtx", "%%MatrixMarket matrix coordinate pattern general\n9 9 8\n1 2\n3 4\n"},
      {"rectangular.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n"},
  };
  for (const named_text& text : others) {
    const text_file file(text.name, text.text);
    over_ranks(GetParam(), file.path(), {},
               [&](int, const std::optional<parted_graph>& found, const graph::load_report&) {
                 EXPECT_FALSE(found) << text.name;
               });
  }
}

TEST_P(LoadParts, TellsTheFirstFaultOfTheTextAtRankZero) {
  const auto wrong_lines = [](int count, const std::vector<int>& wrong) {
    return lines(count, [&](int i) {
      const bool bad = std::ranges::find(wrong, i) != wrong.end();
      return bad ? std::string("7 seven") : std::to_string(i % 900) + " " + std::to_string(i % 900 + 1);
    });
  };
  const std::vector<named_text> texts{{"last.txt", wrong_lines(900, {899})},
                                      {"two.txt", wrong_lines(900, {100, 700})},
                                      {"first.txt", wrong_lines(900, {0, 450})},
                                      {"frames.txt.zst", in_frames(wrong_lines(200'000, {199'000, 199'900}), 30)}};
  for (const named_text& text : texts) {
    const text_file file(text.name, text.text);
    graph::load_options how;
    how.read.ids = graph::vertex_ids::numbers;
    std::string alone;
    try {
      static_cast<void>(graph::load_graph(file.path(), how));
    } catch (const input_error& e) {
      alone = e.what();
    }
    std::string together;
    try {
      over_ranks(GetParam(), file.path(), how,
                 [](int, const std::optional<parted_graph>&, const graph::load_report&) { ADD_FAILURE(); });
    } catch (const std::exception& e) {
      together = e.what();
    }
    EXPECT_NE(alone, "");
    EXPECT_NE(together.find(alone), std::string::npos) << together << ", expected " << alone;
  }
}

TEST_P(LoadParts, EqualKeysOfSeveralRanksAreOneVertex) {
  global::in_process_job job;
  job.net.ranks = GetParam();
  global::run_in_process(job, [](global::session& s) {
    label_keys own;  // rank r has the multiples of r + 1
    for (std::uint64_t k = 0; k < 1000; ++k) {
      if (k % static_cast<std::uint64_t>(s.rank() + 1) == 0) own.add(k * k);
    }
    const auto found = number_together(own);
    EXPECT_EQ(found.vertices, 1000U);
    for (std::size_t i = 0; i != own.size(); ++i) {
      ASSERT_EQ(found.of_own[i], i * static_cast<std::uint64_t>(s.rank() + 1));
    }
    EXPECT_EQ(found.all.size(), s.rank() == 0 ? 1000U : 0U);
    // All keys at one rank, and no key anywhere.
    name_keys names;
    if (s.rank() == 1) names.add("only");
    EXPECT_EQ(number_together(names).vertices, 1U);
    EXPECT_EQ(number_together(name_keys()).vertices, 0U);
  });
}

}  // namespace
}  // namespace callisto::cluster

// read_edges(): every format, the errors of malformed input, and chunks and streams against plain parsing.
#include "../fuzz/check_reader.hpp"

#include <callisto/callisto.hpp>
#include <callisto/graph/files/read.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

namespace callisto::graph {
namespace {

using namespace std::string_literals;
using check::flattened;
using check::outcome;
using edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
using labels = std::vector<std::uint64_t>;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

outcome read_text(const std::string& text, const read_options& options = {}, const std::string& name = "graph") {
  return flattened(read_edges(bytes_of(text), name, options));
}

/// Returns the message of the input_error that reading `text` throws.
std::string error_of(const std::string& text, const read_options& options = {}, const std::string& name = "graph") {
  try {
    read_edges(bytes_of(text), name, options);
  } catch (const input_error& e) {
    return e.what();
  }
  return "no error";
}

std::string gzipped(const std::string& text, int level = 6) {
  const auto bytes = check::gzipped(bytes_of(text), level);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string zstd_frame(const std::string& text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 3));
  return frame;
}

/// A temporary folder for files.
class temporary_directory : public machine::scratch_folder {
 public:
  std::string with(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
};

/// The edges of an edge list, parsed by definition.
outcome parsed_plainly(const std::string& text) {
  outcome result;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  std::set<std::uint64_t> ids;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream columns(line);
    std::uint64_t from;
    std::uint64_t to;
    if (line.empty() || line[0] == '#' || line[0] == '%' || !(columns >> from >> to)) continue;
    found.emplace_back(from, to);
    ids.insert({from, to});
  }
  std::map<std::uint64_t, std::uint64_t> number;
  for (const std::uint64_t id : ids) number.emplace(id, number.size());
  for (const auto& [from, to] : found) result.edges.emplace_back(number[from], number[to]);
  result.vertices = ids.size();
  if (*ids.rbegin() - *ids.begin() + 1 == ids.size()) {
    result.first_label = *ids.begin();
  } else {
    result.labels.assign(ids.begin(), ids.end());
  }
  return result;
}

// ---- edge lists

TEST(EdgeList, SnapWithGapsInIds) {
  const outcome g = read_text("# Directed graph\n# From\tTo\n30\t1412\n30\t3352\n\n% other comment\n3352 30\n");
  EXPECT_EQ(g.vertices, 3u);
  EXPECT_EQ(g.edges, (edges{{0, 1}, {0, 2}, {2, 0}}));
  EXPECT_EQ(g.labels, (labels{30, 1412, 3352}));
  EXPECT_FALSE(g.undirected);
  EXPECT_FALSE(g.weighted);
}

TEST(EdgeList, DenseIdsNeedNoLabels) {
  const outcome g = read_text("7 5\n6 5\n", {.undirected = true});
  EXPECT_EQ(g.edges, (edges{{2, 0}, {1, 0}}));
  EXPECT_TRUE(g.labels.empty());
  EXPECT_EQ(g.first_label, 5u);
  EXPECT_TRUE(g.undirected);
}

TEST(EdgeList, BlanksAndLineEndsOfAllKinds) {
  const edges expected{{0, 1}, {1, 2}};
  for (const char* text : {"0 1\n1 2\n", "0\t1\n1\t2", "0 1\r\n1 2\r\n", "  0 \t 1  \n\n\t1 2 \r\n \r\n", "0 1\r\n1 2",
                           "\n\n0 1\n1 2\n\n", "0 1\n1 2 \n# end"}) {
    EXPECT_EQ(read_text(text).edges, expected) << text;
  }
}

TEST(EdgeList, LargestIds) {
  const outcome g = read_text("18446744073709551615 0\n4294967295 4294967296\n000000000000000000000000000012 0\n");
  EXPECT_EQ(g.labels, (labels{0, 12, 4294967295u, 4294967296u, 18446744073709551615u}));
  EXPECT_EQ(g.edges, (edges{{4, 0}, {2, 3}, {1, 0}}));
}

TEST(EdgeList, DigitsOfEveryLength) {
  std::string text;
  labels expected;
  std::uint64_t id = 0;
  for (std::uint64_t digit = 1; digit <= 20; ++digit) {
    id = id * 10 + digit % 10;
    if (digit == 20) id = 12345678901234567890u;
    expected.push_back(id);
    text += std::to_string(id) + "\t" + std::to_string(id) + "\n";
  }
  EXPECT_EQ(read_text(text).labels, expected);
}

TEST(EdgeList, LargeButDenseIds) {
  const outcome g = read_text("10000000000001 10000000000003\n10000000000002 10000000000001\n");
  EXPECT_EQ(g.edges, (edges{{0, 2}, {1, 0}}));
  EXPECT_EQ(g.first_label, 10000000000001u);
  EXPECT_TRUE(g.labels.empty());
}

TEST(EdgeList, RandomTextAgainstPlainParsing) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 15; ++round) {
    // Spread 0: ids are dense; spread 60: they are anywhere in 64 bits.
    const unsigned spread = static_cast<unsigned>(random() % 61);
    const std::uint64_t vertices = 1 + random() % 300;
    const auto id = [&] { return (random() % vertices) << (spread % 50) ^ (spread > 50 ? ~std::uint64_t{0} : 0); };
    std::string text;
    for (std::uint64_t i = 0, lines = 1 + random() % 200; i < lines; ++i) {
      if (random() % 20 == 0) text += random() % 2 == 0 ? "# comment 1 2\n" : "\n";
      text += std::to_string(id()) + (random() % 2 == 0 ? " " : "\t") + std::to_string(id()) +
              (random() % 10 == 0 ? " \r\n" : "\n");
    }
    if (random() % 2 == 0) text.pop_back();
    const outcome expected = parsed_plainly(text);
    for (const std::size_t chunk : {0u, 1u, 3u, 16u, 100u}) {
      EXPECT_EQ(read_text(text, {.chunk_bytes = chunk}), expected) << "round " << round << " chunk " << chunk;
    }
    EXPECT_EQ(read_text(gzipped(text), {.chunk_bytes = 16}), expected) << "round " << round;
    EXPECT_EQ(read_text(zstd_frame(text), {.chunk_bytes = 64}), expected) << "round " << round;
  }
}

TEST(EdgeList, RandomWeightsOfAllForms) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    const char* const end = round % 2 == 0 ? "\n" : "\r\n";
    std::string text;
    std::vector<double> expected;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t whole = random() >> (random() % 64);
      std::string weight = std::to_string(whole);
      if (random() % 4 == 0) weight += "." + std::to_string(random() % 1000);
      if (random() % 8 == 0) weight += "e-3";
      if (random() % 8 == 0) weight = "-" + weight;
      expected.push_back(std::strtod(weight.c_str(), nullptr));
      text += std::to_string(i) + " " + std::to_string(i + 1) + (random() % 2 == 0 ? " " : "\t") + weight +
              (random() % 16 == 0 ? " " : "") + end;
    }
    const outcome g = read_text(text, {.format = file_format::weighted_edge_list});
    EXPECT_EQ(g.weights, expected);
    EXPECT_EQ(g.edges.size(), expected.size());
  }
}

TEST(EdgeList, ManySparseLabels) {
  // Enough ids for several parts of the merge, repeated in several blocks.
  std::mt19937_64 random(2);
  std::string text;
  std::vector<std::uint64_t> ids(60000);
  for (auto& id : ids) id = random() >> (random() % 40);
  for (std::size_t i = 0; i < 150000; ++i) {
    text += std::to_string(ids[random() % ids.size()]) + " " + std::to_string(ids[random() % ids.size()]) + "\n";
  }
  EXPECT_EQ(read_text(text, {.chunk_bytes = 1 << 18}), parsed_plainly(text));
}

TEST(EdgeList, Weights) {
  const outcome g = read_text("1 2 0.5\n2 3 -7\n3 1 1e3\n1 1 +2\n1 3 9007199254740993 \n");
  EXPECT_TRUE(g.weighted);
  EXPECT_EQ(g.edges.size(), 5u);
  EXPECT_EQ(g.weights, (std::vector<double>{0.5, -7, 1000, 2, 9007199254740992.}));
  EXPECT_EQ(g.first_label, 1u);
  // Because of large ids the block is parsed again.
  const outcome wide = read_text("1 2 4\n1 5000000000 6\n");
  EXPECT_EQ(wide.weights, (std::vector<double>{4, 6}));
  EXPECT_EQ(wide.labels, (labels{1, 2, 5000000000u}));
}

TEST(EdgeList, WrongColumns) {
  EXPECT_EQ(error_of("0 1\n1 2 3\n"), "graph:2: 3 columns where 2 are expected");
  EXPECT_EQ(error_of("0 1 2\n1\n"), "graph:2: 1 column where 3 are expected");
  EXPECT_EQ(error_of("a b {}\nc d\n"), "graph:2: 2 columns where 3 are expected");
  EXPECT_EQ(error_of("0 1\n", {.format = file_format::weighted_edge_list}), "graph:1: 2 columns where 3 are expected");
  EXPECT_EQ(error_of("0 1 2\n", {.format = file_format::edge_list}), "graph:1: 3 columns where 2 are expected");
  EXPECT_EQ(error_of("# c\n\n4\n"), "graph:3: expected two or more columns, found one: '4'");
  EXPECT_EQ(error_of("1 2 3 4 5 6 7 8 9 10\n", {.format = file_format::edge_list}),
            "graph:1: 10 columns where 2 are expected");
}

TEST(EdgeList, WrongTokens) {
  constexpr const char* range = ": vertex numbers are 0 to 18446744073709551615";
  const auto error_of = [](const std::string& text) { return graph::error_of(text, {.ids = vertex_ids::numbers}); };
  EXPECT_EQ(error_of("0 1\nabc 2\n"), "graph:2: expected a vertex number, found 'abc'");
  EXPECT_EQ(error_of("0 1\n1 -2\n"), "graph:2: '-2' is negative"s + range);
  EXPECT_EQ(error_of("18446744073709551616 1\n"), "graph:1: '18446744073709551616' is out of range"s + range);
  EXPECT_EQ(error_of("1 99999999999999999999999\n"), "graph:1: '99999999999999999999999' is out of range"s + range);
  EXPECT_EQ(error_of("1 2\n1 2.5\n"), "graph:2: expected a vertex number, found '2.5'");
  EXPECT_EQ(error_of("1 2\n1 \x80\x07\n"), "graph:2: expected a vertex number, found '\\x80\\x07'");
  EXPECT_EQ(error_of("1 2\n1 \0002\n"s),
            "graph:2: expected text, found '1 \\x002' (a NUL byte: is this a binary file?)");
  EXPECT_EQ(error_of("1 2 inf\n"), "graph:1: expected a finite number as weight, found 'inf'");
  EXPECT_EQ(error_of("1 2 3\n1 2 x\n"), "graph:2: expected a finite number as weight, found 'x'");
  EXPECT_EQ(error_of("1 " + std::string(100, 'z')),
            "graph:1: expected a vertex number, found '" + std::string(40, 'z') + "...'");
}

TEST(EdgeList, FirstFaultyLineWhateverTheChunks) {
  std::string text;
  for (int i = 1; i <= 300; ++i) text += i == 77 || i == 150 || i == 299 ? "bad\n" : std::to_string(i) + " 1\n";
  for (const std::size_t chunk : {0u, 1u, 7u, 64u, 500u}) {
    const read_options options{.format = file_format::edge_list, .chunk_bytes = chunk};
    EXPECT_EQ(error_of(text, options), "graph:77: expected a vertex number, found 'bad'") << chunk;
    EXPECT_EQ(error_of(gzipped(text), options), "graph:77: expected a vertex number, found 'bad'");
  }
}

TEST(EdgeList, OverlongLines) {
  const std::string text = "1 2\n# " + std::string(3 << 20, 'x') + "\n3 4\n";
  const std::string expected = "graph:2: the line is longer than 1048576 bytes";
  EXPECT_EQ(error_of(text), expected);
  EXPECT_EQ(error_of(text, {.chunk_bytes = 64 << 10}), expected);
  EXPECT_EQ(error_of(gzipped(text)), expected);
  EXPECT_EQ(error_of(gzipped(text.substr(0, text.size() - 5)), {.chunk_bytes = 64 << 10}), expected);
  EXPECT_EQ(error_of(text, {.chunk_bytes = 16 << 20}), expected);
  // The longest line that is allowed.
  const std::string comment = "#" + std::string((1 << 20) - 1, 'x') + "\n";
  EXPECT_EQ(read_text("1 2\n" + comment + "3 1\n").edges.size(), 2u);
  EXPECT_EQ(read_text(gzipped("1 2\n" + comment + "3 1\n"), {.chunk_bytes = 64 << 10}).edges.size(), 2u);
}

TEST(Unreadable, EmptyOrNotText) {
  EXPECT_EQ(error_of(""), "graph: no edges: the file is empty");
  EXPECT_EQ(error_of("# only\n% comments\n\n"), "graph: no edges: the file holds nothing but comments");
  EXPECT_EQ(error_of(gzipped("")), "graph: no edges: the file is empty");
  EXPECT_EQ(error_of("\xff\xfe"
                     "1\0 \0"s),
            "graph:1: expected two or more columns, found one: '1'");
  EXPECT_NE(error_of("PK\x03\x04 zip").find("graph: cannot be unpacked: "), std::string::npos);
  EXPECT_EQ(error_of("\0\0\0"s), "graph: is a binary file of a kind that is not known here, or damaged");
}

// ---- files and streams

TEST(Files, MissingForbiddenOrDirectory) {
  const temporary_directory directory;
  const auto error = [](const std::string& path) {
    try {
      read_edges(path);
    } catch (const input_error& e) {
      return std::string(e.what());
    }
    return "no error"s;
  };
  const std::string missing = directory.file("missing");
  EXPECT_EQ(error(missing), missing + ": cannot be opened: No such file or directory");
  const std::string folder = directory.file("folder");
  std::filesystem::create_directory(folder);
  EXPECT_EQ(error(folder), folder + ": is a directory, expected a file");
  const std::string empty = directory.with("empty.txt", "");
  EXPECT_EQ(error(empty), empty + ": no edges: the file is empty");
  const std::string secret = directory.with("secret", "1 2\n");
  chmod(secret.c_str(), 0);
  if (geteuid() != 0) {
    EXPECT_EQ(error(secret), secret + ": cannot be opened: Permission denied");
  }
}

TEST(Files, PlainAndCompressed) {
  const temporary_directory directory;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7 % 1000) + " " + std::to_string(i) + "\n";
  const outcome expected = read_text(text);
  EXPECT_EQ(flattened(read_edges(directory.with("a.txt", text), {.chunk_bytes = 100})), expected);
  EXPECT_EQ(flattened(read_edges(directory.with("b", gzipped(text)), {.chunk_bytes = 100})), expected);
  EXPECT_EQ(flattened(read_edges(directory.with("c", zstd_frame(text)), {.chunk_bytes = 100})), expected);
}

TEST(Files, Pipe) {
  const temporary_directory directory;
  const std::string path = directory.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path) << "1 2\n2 3\n" << std::flush; });
  EXPECT_EQ(flattened(read_edges(path)).edges, (edges{{0, 1}, {1, 2}}));
}

TEST(Files, SilentPipeCanBeCancelled) {
  const temporary_directory directory;
  const std::string path = directory.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_THROW(read_edges(path, {}, {.stop = stop.get_token()}), cancelled);
}

TEST(Files, ReadError) {
  // /proc/self/mem is a file with a first page that cannot be read.
  const std::string path = "/proc/self/mem";
  try {
    read_edges(path);
    FAIL() << "read " << path;
  } catch (const input_error& e) {
    EXPECT_EQ(e.what(), path + ": reading failed: Input/output error");
  }
}

TEST(Compressed, MembersAndFramesFollowEachOther) {
  const edges expected{{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(read_text(gzipped("1 2\n2 ") + gzipped("") + gzipped("3\n3 4\n")).edges, expected);
  EXPECT_EQ(read_text(zstd_frame("1 2\n2 ") + zstd_frame("3\n3 4")).edges, expected);
  EXPECT_EQ(read_text("\x50\x2a\x4d\x18\x03\0\0\0abc"s + zstd_frame("1 2\n2 3\n3 4")).edges, expected);
}

TEST(Compressed, TruncatedAnywhere) {
  const std::string text = "1 2\n2 3\n3 4\n4 5\n5 6\n100 200\n";
  for (const std::string& whole : {gzipped(text), gzipped(text) + gzipped("7 8\n"), zstd_frame(text)}) {
    const std::size_t first_member = whole.size() > gzipped(text).size() ? gzipped(text).size() : whole.size();
    for (std::size_t size = 4; size < whole.size(); ++size) {
      if (size == first_member) continue;  // a complete, shorter file
      const std::string error = error_of(whole.substr(0, size));
      EXPECT_TRUE(error.starts_with("graph: truncated: the file ends inside its ")) << size << ": " << error;
    }
    EXPECT_EQ(error_of(whole), "no error");
  }
}

TEST(Compressed, TruncationWinsOverWhatItCauses) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n";
  const std::string whole = gzipped(text);
  EXPECT_EQ(error_of(whole.substr(0, whole.size() - 4)), "graph: truncated: the file ends inside its gzip data");
}

TEST(Compressed, CorruptOrFollowedByGarbage) {
  std::string wrong_sum = gzipped("1 2\n2 3\n");
  wrong_sum[wrong_sum.size() - 6] = static_cast<char>(wrong_sum[wrong_sum.size() - 6] ^ 1);
  EXPECT_EQ(error_of(wrong_sum), "graph: corrupt gzip data: incorrect data check");
  EXPECT_EQ(error_of(gzipped("1 2\n") + "garbage"), "graph: there is something behind the gzip data that is not gzip");
  EXPECT_TRUE(error_of(zstd_frame("1 2\n") + "garbage").starts_with("graph: corrupt zstd data: "));
}

TEST(Compressed, LargerThanAllBuffers) {
  std::string text;
  while (text.size() < (std::size_t{6} << 20)) text += std::to_string(text.size() % 77777) + " 5\n";
  EXPECT_EQ(read_text(gzipped(text, 1)), read_text(text));
}

// ---- the other formats

TEST(MatrixMarket, Kinds) {
  const outcome pattern = read_text("%%MatrixMarket matrix coordinate pattern symmetric\n% c\n3 3 2\n2 1\n3 2\n");
  EXPECT_EQ(pattern.vertices, 3u);
  EXPECT_TRUE(pattern.undirected);
  EXPECT_FALSE(pattern.weighted);
  EXPECT_EQ(pattern.first_label, 1u);
  EXPECT_EQ(pattern.edges, (edges{{1, 0}, {2, 1}}));
  const outcome real = read_text("%%matrixmarket MATRIX coordinate Real general\n%\n\n4 4 2\n1 4 0.25\n4 1 -1e2\n");
  EXPECT_FALSE(real.undirected);
  EXPECT_EQ(real.edges, (edges{{0, 3}, {3, 0}}));
  EXPECT_EQ(real.weights, (std::vector<double>{0.25, -100}));
  EXPECT_EQ(read_text("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 -5\n").weights,
            (std::vector<double>{-5}));
  EXPECT_EQ(read_text("%%MatrixMarket matrix coordinate pattern general\n5 5 0\n").vertices, 5u);
}

TEST(MatrixMarket, Malformed) {
  const auto error = [](const std::string& banner, const std::string& rest) {
    return error_of("%%MatrixMarket matrix " + banner + "\n" + rest, {.chunk_bytes = 8});
  };
  EXPECT_EQ(error("coordinate pattern general", "3 3 5\n2 1\n"),
            "graph:2: the header declares 5 entries, the file holds 1");
  EXPECT_EQ(error("coordinate pattern general", "% c\n3 3 1\n2 1\n1 3\n"),
            "graph:3: the header declares 1 entries, the file holds 2");
  EXPECT_EQ(error("coordinate pattern general", "3 3 2\n2 1\n1 4\n"),
            "graph:4: '4' is out of range: vertex numbers are 1 to 3");
  EXPECT_EQ(error("coordinate pattern general", "3 3 1\n0 1\n"),
            "graph:3: '0' is out of range: vertex numbers are 1 to 3");
  EXPECT_EQ(error("coordinate pattern general", "3 3 1\n1 2 3\n"), "graph:3: 3 columns where 2 are expected");
  EXPECT_EQ(error("coordinate real general", "3 3 1\n1 2\n"), "graph:3: 2 columns where 3 are expected");
  EXPECT_EQ(error("coordinate integer general", "3 3 1\n1 2 0.5\n"),
            "graph:3: expected a whole number as weight, found '0.5'");
  EXPECT_EQ(error("coordinate pattern symmetric", "3 4 1\n1 2\n"),
            "graph:2: the matrix has 3 rows and 4 columns; a symmetric one is square");
  EXPECT_EQ(error("coordinate pattern general", "% c\n"),
            "graph:2: truncated: the line with the sizes of the matrix is missing");
  EXPECT_EQ(error("coordinate pattern general", "0 0 0\n"), "graph:2: the graph has no vertices");
  EXPECT_EQ(error("coordinate pattern general", "3 3\n"), "graph:2: expected 'ROWS COLUMNS ENTRIES', found 2 columns");
  EXPECT_EQ(error("coordinate pattern general", "3 3 -1\n"),
            "graph:2: '-1' is negative: sizes are 0 to 18446744073709551615");
  for (const std::string word : {"quaternion general", "pattern skew-symmetric", "real triangular"}) {
    EXPECT_NE(error("coordinate " + word, "1 1 0\n").find("graph:1: '"), std::string::npos) << word;
  }
  EXPECT_EQ(error("coordinate complex general", "2 2 1\n1 2 3\n"), "graph:3: 3 columns where 4 are expected");
  EXPECT_NE(error("array real general", "1 1\n1\n").find("'array'"), std::string::npos);
}

TEST(Dimacs, Arcs) {
  const outcome g = read_text("c comment\nc\np sp 4 3\na 1 2 5\nc in between\na 2 3 7\n\na  3\t1 -1 \r\n");
  EXPECT_EQ(g.vertices, 4u);
  EXPECT_EQ(g.edges, (edges{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(g.weights, (std::vector<double>{5, 7, -1}));
  EXPECT_EQ(g.first_label, 1u);
  EXPECT_FALSE(g.undirected);
}

TEST(Dimacs, Malformed) {
  EXPECT_EQ(error_of("p sp 3 2\na 1 2 5\n"), "graph:1: the header declares 2 arcs, the file holds 1");
  EXPECT_EQ(error_of("c\np sp 3 1\na 1 2 5\na 2 1 5\n"), "graph:2: the header declares 1 arcs, the file holds 2");
  EXPECT_EQ(error_of("p sp 3 1\na 1 4 5\n"), "graph:2: '4' is out of range: vertex numbers are 1 to 3");
  EXPECT_EQ(error_of("p sp 3 1\na 1 2\n"), "graph:2: 3 columns where 4 are expected");
  EXPECT_EQ(error_of("p sp 3 1\n1 2 3\n"), "graph:2: expected a line that begins with 'a', found '1'");
  EXPECT_EQ(error_of("p sp 3 1\np sp 3 1\n"), "graph:2: expected a line that begins with 'a', found 'p'");
  const read_options dimacs{.format = file_format::dimacs};
  EXPECT_EQ(error_of("c\na 1 2 3\n", dimacs),
            "graph:2: expected a line 'p sp VERTICES ARCS' before any arc, found 'a'");
  EXPECT_EQ(error_of("a 1 2 3\n", {}, "x.gr"),
            "x.gr:1: expected a line 'p sp VERTICES ARCS' before any arc, found 'a'");
  EXPECT_EQ(error_of("p min 3 1\n", dimacs),
            "graph:1: expected 'p sp VERTICES ARCS' or another kind of graph, found 'p min 3 1'");
  EXPECT_EQ(error_of("c only\n", dimacs), "graph:1: truncated: the line 'p sp VERTICES ARCS' is missing");
}

TEST(Metis, Rows) {
  for (const std::size_t chunk : {0u, 1u, 5u}) {
    const outcome g = read_text("% c\n5 3\n2 3\n1\n% c\n1 4\n3\n\n", {.chunk_bytes = chunk});
    EXPECT_EQ(g.vertices, 5u);
    EXPECT_TRUE(g.undirected);
    EXPECT_EQ(g.edges, (edges{{0, 1}, {0, 2}, {2, 3}}));
    EXPECT_EQ(g.first_label, 1u);
    EXPECT_FALSE(g.weighted);
  }
}

TEST(Metis, WeightsOfAllKinds) {
  const outcome edge_weights = read_text("3 2 1\n2 7\n1 7 3 2\n2 2\n");
  EXPECT_EQ(edge_weights.weights, (std::vector<double>{7, 2}));
  const outcome all = read_text("3 2 111 2\n1 5 5 2 7\n1 5 5 1 7 3 2\n1 9 9 2 2\n");
  EXPECT_EQ(all.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(all.weights, (std::vector<double>{7, 2}));
  const outcome vertex_weights = read_text("3 2 010\n4 2\n4 1 3\n4 2\n");
  EXPECT_EQ(vertex_weights.edges, (edges{{0, 1}, {1, 2}}));
  EXPECT_FALSE(vertex_weights.weighted);
}

TEST(Metis, SuffixDecidesWhereAnEdgeListFitsToo) {
  const std::string cycle = "3 3\n2 3\n1 3\n1 2\n";
  EXPECT_EQ(read_text(cycle).edges.size(), 4u);
  EXPECT_EQ(read_text(cycle, {}, "cycle.graph").edges.size(), 3u);
  EXPECT_EQ(read_text(cycle, {.format = file_format::metis}).edges.size(), 3u);
}

TEST(Metis, Malformed) {
  const auto error = [](const std::string& text) {
    const std::string small = error_of(text, {.format = file_format::metis, .chunk_bytes = 3});
    EXPECT_EQ(error_of(text, {.format = file_format::metis}), small);
    return small;
  };
  EXPECT_EQ(error("3 2\n2\n1 3\n"), "graph:1: the header declares 3 vertices, the file holds 2 rows");
  EXPECT_EQ(error("2 1\n2\n1\n1\n"), "graph:1: the header declares 2 vertices, the file holds 3 rows");
  EXPECT_EQ(error("2 1\n2\n3\n"), "graph:3: '3' is out of range: vertex numbers are 1 to 2");
  EXPECT_EQ(error("2 1\n2\nx\n"), "graph:3: expected a vertex number, found 'x'");
  EXPECT_EQ(error("% c\n2 1 1\n2 5\n1\n"), "graph:4: the last neighbour has no weight");
  EXPECT_EQ(error("2 2\n2\n1\n"),
            "graph:1: the header declares 2 edges, the rows hold 2 neighbours where 4 are "
            "expected (each edge in the rows of both ends)");
  EXPECT_EQ(error("4 2\n2\n3\n4\n1\n").substr(0, 40), "graph:1: the header declares 2 edges, th"s.substr(0, 40));
  EXPECT_EQ(error("3 1 1\n2 5\n1 6\n\n"),
            "graph: an edge stands in the row of one of its ends only, or with different weights");
  EXPECT_EQ(error("a b\n"), "graph:1: expected 'VERTICES EDGES [FORMAT [WEIGHTS]]', found 'a b'");
  EXPECT_EQ(error("2 1 7\n"), "graph:1: expected 'VERTICES EDGES [FORMAT [WEIGHTS]]', found '2 1 7'");
}

/// Returns the bytes of a file as GAPBS writes it.
std::string gapbs_file(bool directed, std::uint64_t arcs, const std::vector<std::uint64_t>& offsets,
                       const std::vector<std::int32_t>& records) {
  std::string bytes(1, directed ? '\1' : '\0');
  const auto append = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  append(arcs);
  append(std::uint64_t{offsets.size() - 1});
  for (const std::uint64_t offset : offsets) append(offset);
  for (const std::int32_t record : records) append(record);
  return bytes;
}

TEST(Gapbs, UndirectedEdgesOnce) {
  const std::string bytes = gapbs_file(false, 4, {0, 2, 3, 4, 4}, {1, 2, 0, 0});
  const outcome g = read_text(bytes);
  EXPECT_EQ(g.vertices, 4u);
  EXPECT_TRUE(g.undirected);
  EXPECT_EQ(g.edges, (edges{{0, 1}, {0, 2}}));
  EXPECT_EQ(g.first_label, 0u);
  EXPECT_EQ(read_text(gzipped(bytes), {}, "x.sg.gz"), g);
}

TEST(Gapbs, WeightsAndDirection) {
  // The in-edges at the end of a directed file are not needed.
  const std::string side = gapbs_file(true, 2, {0, 1, 2}, {1, 3, 0, -4});
  const std::string bytes = side + side.substr(17);
  const outcome g = read_text(bytes);
  EXPECT_FALSE(g.undirected);
  EXPECT_EQ(g.edges, (edges{{0, 1}, {1, 0}}));
  EXPECT_EQ(g.weights, (std::vector<double>{3, -4}));
  EXPECT_EQ(read_text(gzipped(bytes), {.format = file_format::gapbs_wsg}), g);
}

TEST(Gapbs, Malformed) {
  const std::string good = gapbs_file(false, 2, {0, 1, 2}, {1, 0});
  const auto error = [](const std::string& bytes, const std::string& name) { return error_of(bytes, {}, name); };
  EXPECT_EQ(error(good.substr(0, good.size() - 1), "x.sg"),
            "x.sg: has 48 bytes where its header means 49: it is truncated");
  EXPECT_EQ(error(good + "x", "x.sg"), "x.sg: has 50 bytes where its header means 49");
  EXPECT_EQ(error(gzipped(good.substr(0, good.size() - 1)), "x.sg.gz"),
            "x.sg.gz: truncated: it ends before what its header means");
  constexpr std::uint64_t promised = std::uint64_t{1} << 58;
  EXPECT_EQ(error(gzipped(gapbs_file(true, promised, {0, promised}, {0})), "x.sg.gz"),
            "x.sg.gz: truncated: it ends before what its header means");
  EXPECT_EQ(error(gzipped(good + "x"), "x.sg.gz"), "x.sg.gz: has more bytes than the 49 that its header means");
  EXPECT_EQ(error(good + "x", "x"), "x: begins like a GAPBS graph but has the size of neither .sg nor .wsg");
  EXPECT_EQ(error(gapbs_file(false, 2, {0, 3, 2}, {1, 0}), "x.sg"),
            "x.sg: damaged: the offsets of its rows do not ascend from 0 to the number of arcs");
  EXPECT_EQ(error(gapbs_file(false, 2, {0, 1, 2}, {1, 2}), "x.sg"),
            "x.sg: damaged: vertex 1 has the neighbour 2 in a graph of 2 vertices");
  EXPECT_EQ(error(gapbs_file(false, 2, {0, 1, 2}, {1, -1}), "x.sg").substr(0, 14), "x.sg: damaged:");
  EXPECT_EQ(error(gapbs_file(false, 2, {0, 2, 2}, {1, 1}), "x.sg"),
            "x.sg: damaged: an edge of the undirected graph stands in one of its two rows only");
  EXPECT_EQ(error_of("\0x"s, {.format = file_format::gapbs_sg}),
            "graph: truncated: a GAPBS graph begins with a header of 17 bytes");
}

// ---- all together

TEST(Reading, ReportsBytesAndCancels) {
  struct counter final : progress {
    std::uint64_t total = 0;
    std::atomic<std::uint64_t> done{0};
    void begin(std::string_view stage, std::uint64_t bytes, std::string_view unit) override {
      EXPECT_EQ(stage, "reading");
      EXPECT_EQ(unit, "bytes");
      total = bytes;
    }
    void advance(std::uint64_t bytes) override { done += bytes; }
  };
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i) + " 7\n";
  for (const std::string& input : {text, gzipped(text)}) {
    counter counted;
    read_edges(bytes_of(input), "graph", {.chunk_bytes = 64}, {.report = &counted, .stop = {}});
    EXPECT_EQ(counted.total, input.size());
    EXPECT_EQ(counted.done, input.size());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(read_edges(bytes_of(input), "graph", {.chunk_bytes = 64}, {.stop = stop.get_token()}), cancelled);
  }
}

TEST(Reading, FromInsideALoopAndFromSeveralThreads) {
  const std::string text = "1 2\n2 3\n";
  const std::string zipped = gzipped(text);
  const auto read_both = [&] {
    EXPECT_EQ(read_text(text, {.chunk_bytes = 2}).edges.size(), 2u);
    EXPECT_EQ(read_text(zipped, {.chunk_bytes = 2}).edges.size(), 2u);
  };
  parallel_for(0, 8, [&](int) { read_both(); });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { read_both(); });
}

TEST(Reading, KeptFuzzInputs) {
  const std::filesystem::path corpus = std::filesystem::path(CALLISTO_SOURCE_DIR) / "tests/fuzz/corpus";
  for (const check::fuzz_target& target : check::fuzz_targets) {
    std::size_t inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus / target.name)) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string content((std::istreambuf_iterator<char>(in)), {});
      SCOPED_TRACE(entry.path());
      check::check_reader(bytes_of(content), target.format);
      ++inputs;
    }
    EXPECT_GT(inputs, 0u) << target.name;
  }
}

TEST(Reading, PublishedGraphs) {
  const char* const given = std::getenv("CALLISTO_DATA");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::path(CALLISTO_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(folder / "README.md")) GTEST_SKIP() << "no graphs in " << folder;
  struct published {
    const char* file;
    std::uint64_t vertices;
    std::uint64_t lines;
  };
  // Vertices and edge lines as its README lists them.
  for (const published& graph : std::initializer_list<published>{{"as-caida20071105.txt.gz", 26475, 53381},
                                                                 {"ca-GrQc.txt.gz", 5242, 28980},
                                                                 {"facebook_combined.txt.gz", 4039, 88234},
                                                                 {"karate.txt.gz", 34, 78},
                                                                 {"luxembourg_osm.mtx.gz", 114599, 119666},
                                                                 {"p2p-Gnutella31.txt.gz", 62586, 147892},
                                                                 {"rome99.gr.gz", 3353, 8870},
                                                                 {"usa-roads.txt.gz", 87575, 121961},
                                                                 {"wiki-Vote.txt.gz", 7115, 103689},
                                                                 {"ca-AstroPh.txt.gz", 18772, 198110},
                                                                 {"blogcatalog.txt.gz", 10312, 333983}}) {
    std::visit(
        [&](const auto& list) {
          EXPECT_EQ(list.vertices, graph.vertices) << graph.file;
          EXPECT_EQ(list.edges(), graph.lines) << graph.file;
        },
        read_edges((folder / graph.file).string()));
  }
}

}  // namespace
}  // namespace callisto::graph

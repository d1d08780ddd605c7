// The native format: a written graph reads back, and every kind of damage is found.
#include "naive.hpp"

#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace callisto::graph {
namespace {

namespace fs = std::filesystem;

class native_file : public testing::Test {
 protected:
  std::string path(const char* name = "graph.cg") const { return folder_.file(name); }

  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void set_content(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ptrdiff_t(bytes.size()));
  }

  /// Inverts bits of one byte of the file.
  static void flip(const std::string& path, std::uint64_t at, char bits) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(std::streamoff(at));
    const char found = char(file.get());
    file.seekp(std::streamoff(at));
    file.put(char(found ^ bits));
  }

  /// Returns the message of the input_error of opening `path`, "" if it opens.
  static std::string refusal(const std::string& path, native_check check) {
    try {
      open_native(path, check);
      return "";
    } catch (const input_error& e) {
      EXPECT_EQ(e.file(), path);
      EXPECT_EQ(e.line(), 0u);
      const std::string what = e.what();
      EXPECT_EQ(what.rfind(path + ": ", 0), 0u) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos);
      return what.substr(path.size() + 2);
    }
  }

  /// Replaces sizeof(T) bytes of the header and corrects its checksum.
  template <class T>
  static std::string with_header_field(std::string bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    const std::uint64_t sum = XXH3_64bits(bytes.data(), 4088);
    std::memcpy(bytes.data() + 4088, &sum, sizeof sum);
    return bytes;
  }

  machine::scratch_folder folder_;
};

template <class Vertex>
void expect_same(const adjacency<Vertex>& a, const adjacency<Vertex>& b) {
  EXPECT_TRUE(std::ranges::equal(a.offsets, b.offsets));
  EXPECT_TRUE(std::ranges::equal(a.targets, b.targets));
  EXPECT_EQ(a.weights.is_short(), b.weights.is_short());
  EXPECT_EQ(naive::values_of(a.weights), naive::values_of(b.weights));
}

void expect_same(const any_graph& a, const any_graph& b) {
  ASSERT_EQ(a.index(), b.index());
  std::visit(
      [&](const auto& x) {
        const auto& y = std::get<std::remove_cvref_t<decltype(x)>>(b);
        EXPECT_EQ(x.vertices(), y.vertices());
        EXPECT_EQ(x.directed(), y.directed());
        EXPECT_EQ(x.first_label(), y.first_label());
        EXPECT_TRUE(std::ranges::equal(x.labels(), y.labels()));
        expect_same(x.out(), y.out());
        expect_same(x.in(), y.in());
      },
      a);
}

/// Returns a random graph with these parts; `wide`: 64-bit vertices. Weights have fractions unless they are short.
any_graph sample(bool directed, bool wide, bool weighted, bool labelled, bool in_edges = true,
                 bool short_ones = false) {
  uniform_options u{{.meaning = directed ? direction::directed : direction::undirected, .wide = wide}, 1000, 5000};
  any_edge_list any = generate_uniform(u);
  std::visit(
      [&](auto& list) {
        list.weighted = weighted;
        list.first_label = 5;
        for (auto& block : list.blocks) {
          block.weights = weight_array(weighted ? block.edges.size() : 0);
          for (std::size_t i = 0; i < block.weights.size(); ++i) {
            block.weights.set(i, short_ones ? double(i * 7919 % 65'536) : double(i) / 3);
          }
        }
        list.labels = machine::page_array<std::uint64_t>(labelled ? list.vertices : 0);
        for (std::uint64_t v = 0; v < list.labels.size(); ++v) list.labels[v] = 7 * v;
      },
      any);
  return build_graph(std::move(any), {.in_edges = in_edges});
}

TEST_F(native_file, holds_every_kind_of_graph) {
  for (unsigned kind = 0; kind < 64; ++kind) {
    const bool weighted = (kind & 4) != 0;
    const bool short_ones = (kind & 32) != 0;
    const any_graph g =
        sample((kind & 1) != 0, (kind & 2) != 0, weighted, (kind & 8) != 0, (kind & 16) != 0, short_ones);
    std::visit([&](const auto& graph) { EXPECT_EQ(graph.has_short_weights(), short_ones || !weighted); }, g);
    write_native(g, path());
    EXPECT_TRUE(is_native(path()));
    expect_same(g, open_native(path()));
    expect_same(g, open_native(path(), native_check::content));
  }
}

TEST_F(native_file, holds_graphs_without_edges_and_without_vertices) {
  for (const std::uint64_t vertices : std::vector<std::uint64_t>{0, 1, 10'000}) {
    edge_list<std::uint32_t> list;
    list.vertices = vertices;
    const any_graph g = build_graph(std::move(list));
    write_native(g, path());
    expect_same(g, open_native(path(), native_check::content));
  }
  write_native(csr_graph<std::uint32_t>(), path());
  EXPECT_EQ(std::get<0>(open_native(path(), native_check::content)).vertices(), 0u);
}

TEST_F(native_file, remembers_what_is_known_of_weights) {
  const auto weighted = [](const std::vector<double>& weights, bool known) {
    weight_array::wide_form values(2);
    std::ranges::copy(weights, values.begin());
    adjacency<std::uint32_t> rows{machine::page_array<std::uint64_t>(4), machine::page_array<std::uint32_t>(2),
                                  std::move(values)};
    rows.offsets[1] = rows.offsets[2] = rows.offsets[3] = 2;
    rows.targets[1] = 2;
    csr_graph<std::uint32_t> graph(true, std::move(rows), {}, {}, 0);
    return known ? surveyed(std::move(graph), {}) : std::move(graph);
  };
  const auto version = [&] { return int{content(path())[8]}; };
  for (const std::vector<double>& weights : {std::vector<double>{1, 3},
                                             {0, 65'535},
                                             {0.5, 7},
                                             {-1, 2},
                                             {0, 0},
                                             {-0.0, 0},
                                             {1, 65'536},
                                             {1, std::numeric_limits<double>::infinity()}}) {
    const any_graph made = weighted(weights, true);
    const auto& graph = std::get<0>(made);
    write_native(made, path());
    EXPECT_EQ(version(), are_short(weights) ? 4 : 3);
    const any_graph read = open_native(path(), native_check::content);
    EXPECT_EQ(std::get<0>(read).known_weights(), graph.known_weights());
    EXPECT_TRUE(graph.known_weights().has_value());
    EXPECT_EQ(naive::values_of(std::get<0>(read).out().weights), weights);
  }
  // Weights without a survey are surveyed when they are written, and keep their form.
  write_native(weighted({1, 3}, false), path());
  EXPECT_EQ(version(), 3);
  const any_graph wide = open_native(path(), native_check::content);
  EXPECT_FALSE(std::get<0>(wide).has_short_weights());
  EXPECT_EQ(std::get<0>(wide).known_weights(), (weight_survey{.most = 3}));
  // Files of version 1 have no survey.
  auto oldest = with_header_field(content(path()), 8, std::uint32_t{1});
  oldest = with_header_field(with_header_field(std::move(oldest), 48, std::uint32_t{1}), 320, 0.0);
  set_content(path(), oldest);
  EXPECT_FALSE(std::get<0>(open_native(path(), native_check::content)).known_weights());
  EXPECT_EQ(naive::values_of(std::get<0>(open_native(path())).out().weights), (std::vector<double>{1, 3}));
  // A header with a false survey.
  write_native(weighted({1, 3}, true), path());
  const std::string right = content(path());
  set_content(path(), with_header_field(right, 320, 2.0));
  EXPECT_EQ(refusal(path(), native_check::header), "");
  EXPECT_NE(refusal(path(), native_check::content).find("the weights are not as the header tells"), std::string::npos);
  // A survey that contradicts short weights: negative, with fractions, or too large; and weights of fewer bytes than
  // the version says.
  for (const auto& changed :
       {with_header_field(right, 48, std::uint32_t{1 | 2 | 4 | 8}), with_header_field(right, 48, std::uint32_t{1 | 2}),
        with_header_field(right, 320, 65'536.0), with_header_field(right, 320, std::nan(""))}) {
    set_content(path(), changed);
    EXPECT_NE(refusal(path(), native_check::header).find("what it tells of weights"), std::string::npos);
  }
  set_content(path(), with_header_field(right, 8, std::uint32_t{3}));
  EXPECT_NE(refusal(path(), native_check::header).find("4 bytes of out-edge weights with 2 bytes each"),
            std::string::npos);
}

TEST_F(native_file, stays_open_when_it_is_replaced_or_removed) {
  const any_graph g = sample(true, false, false, false);
  write_native(g, path());
  const any_graph opened = open_native(path());
  write_native(sample(false, true, true, true), path());
  expect_same(g, opened);
  fs::remove(path());
  expect_same(g, opened);
}

TEST_F(native_file, has_the_documented_layout) {
  write_native(sample(true, false, true, true), path());
  const std::string bytes = content(path());
  const auto field = [&](std::size_t at) {
    std::uint64_t value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  EXPECT_EQ(bytes.substr(0, 8),
            "\x89"
            "CGR\r\n\x1a\n");
  EXPECT_EQ(field(8) & 0xffffffff, 3u);
  EXPECT_EQ(field(8) >> 32, 0x01020304u);
  EXPECT_EQ(field(16), bytes.size());
  EXPECT_EQ(field(24), 1000u);
  EXPECT_EQ(field(40), 5u);
  EXPECT_EQ(field(48), std::uint64_t{4} << 32 | 1 | 2);  // directed, weights known: not all whole
  double heaviest;
  std::memcpy(&heaviest, bytes.data() + 320, sizeof heaviest);
  const any_graph opened = open_native(path());
  EXPECT_EQ(heaviest, std::ranges::max(naive::values_of(std::get<0>(opened).out().weights)));
  EXPECT_EQ(field(56), 7u);
  for (std::size_t s = 0; s < 7; ++s) {
    const std::size_t entry = 64 + 32 * s;
    EXPECT_EQ(field(entry) & 0xffffffff, s + 1);
    EXPECT_EQ(field(entry + 8) % 4096, 0u);
    // One block a section, because the file is small.
    const std::uint64_t block = XXH3_64bits(bytes.data() + field(entry + 8), field(entry + 16));
    EXPECT_EQ(field(entry + 24), XXH3_64bits(&block, sizeof block));
  }
  EXPECT_EQ(field(4088), XXH3_64bits(bytes.data(), 4088));
}

TEST_F(native_file, checksums_sections_of_several_blocks) {
  const std::uint64_t vertices = 600'000;  // 4.8 MB of offsets
  const any_graph g = build_graph(generate_uniform({{}, vertices, 1000}));
  write_native(g, path());
  expect_same(g, open_native(path(), native_check::content));
  flip(path(), 4096 + 8 * (vertices - 1), 1);
  EXPECT_NE(
      refusal(path(), native_check::content).find("damaged native graph: the checksum of the out-edge offsets is"),
      std::string::npos);
}

TEST_F(native_file, cut_short_anywhere_is_noticed) {
  write_native(sample(true, false, false, false), path());
  const std::string bytes = content(path());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{4095},
                                 std::size_t{4096}, bytes.size() / 2, bytes.size() - 1}) {
    set_content(path(), bytes.substr(0, size));
    const std::string message = refusal(path(), native_check::header);
    EXPECT_NE(message.find(size < 8 ? "is not a native graph" : "truncated native graph"), std::string::npos)
        << message;
  }
  set_content(path(), bytes + "x");
  EXPECT_NE(refusal(path(), native_check::header).find("expected " + std::to_string(bytes.size())), std::string::npos);
}

TEST_F(native_file, any_changed_byte_is_noticed) {
  write_native(sample(true, false, true, true, true, true), path());
  const std::string bytes = content(path());
  // Every byte of the header is checked at open. The other bytes, but the padding, are checked with the content.
  for (std::size_t at = 0; at < 4096; at += at < 300 ? 1 : 97) {
    flip(path(), at, 0x20);
    EXPECT_NE(refusal(path(), native_check::header), "") << at;
    flip(path(), at, 0x20);
  }
  for (std::size_t s = 0; s < 7; ++s) {
    std::uint64_t position;
    std::uint64_t length;
    std::memcpy(&position, bytes.data() + 64 + 32 * s + 8, 8);
    std::memcpy(&length, bytes.data() + 64 + 32 * s + 16, 8);
    for (const std::uint64_t at : {position + 8, position + length / 2, position + length - 9}) {
      flip(path(), at, 1);
      EXPECT_EQ(refusal(path(), native_check::header), "") << at;
      EXPECT_NE(refusal(path(), native_check::content).find("damaged"), std::string::npos) << at;
      flip(path(), at, 1);
    }
  }
  EXPECT_EQ(content(path()), bytes);
}

TEST_F(native_file, headers_that_contradict_themselves_are_refused) {
  write_native(sample(true, false, true, true), path());
  const std::string bytes = content(path());
  const std::size_t targets = 64 + 32;
  const std::vector<std::pair<std::string, std::string>> cases{
      {with_header_field(bytes, 8, std::uint32_t{8}), "version 8, this Callisto reads versions 1 to 7"},
      {with_header_field(bytes, 8, std::uint32_t{7}), "section of route places missing"},
      {with_header_field(bytes, 48, std::uint32_t{1 + 2 + 32}), "no routes that they could be for"},
      {with_header_field(bytes, 8, std::uint32_t{5}), "section of name offsets missing"},
      {with_header_field(bytes, 8, std::uint32_t{1}), "what it tells of weights"},
      {with_header_field(bytes, 8, std::uint32_t{4}), "out-edge weights with 8 bytes each, expected"},
      {with_header_field(bytes, 48, std::uint32_t{1}), "what it tells of weights"},
      {with_header_field(bytes, 12, std::uint32_t{0x04030201}), "byte order mark 04030201, expected 01020304"},
      {with_header_field(bytes, 52, std::uint32_t{2}), "vertex numbers of 2 bytes"},
      {with_header_field(bytes, 52, std::uint32_t{8}), "expected"},
      {with_header_field(bytes, 24, std::uint64_t{999}), "out-edge offsets"},
      {with_header_field(bytes, 24, ~std::uint64_t{0}), "18446744073709551615 vertices"},
      {with_header_field(bytes, 32, ~std::uint64_t{0} / 8 + 1), "arcs"},
      {with_header_field(bytes, 56, std::uint64_t{18}), "18 sections"},
      {with_header_field(bytes, 56, std::uint64_t{1}), "section of out-edge targets missing"},
      {with_header_field(bytes, 56, std::uint64_t{4}), "section of in-edge targets missing"},
      {with_header_field(bytes, 56, std::uint64_t{5}), "section of in-edge weights missing"},
      {with_header_field(bytes, targets, std::uint32_t{18}), "section of kind 18"},
      {with_header_field(bytes, targets, std::uint32_t{1}), "two sections of out-edge offsets"},
      {with_header_field(bytes, targets + 4, std::uint32_t{3}), "with 3 bytes each"},
      {with_header_field(bytes, targets + 8, std::uint64_t{4097}), "at 4097"},
      {with_header_field(bytes, targets + 8, std::uint64_t{0}), "at 0"},
      {with_header_field(bytes, targets + 8, std::uint64_t{1} << 40), "at 1099511627776"},
      {with_header_field(bytes, targets + 8, ~std::uint64_t{0} - 4095), "out-edge targets at"},
      {with_header_field(bytes, targets + 16, std::uint64_t{8}), "8 bytes of out-edge targets"},
      {with_header_field(bytes, 64 + 8, std::uint64_t{8192 + 4096}), "expected 0 to"},
  };
  for (const auto& [changed, message] : cases) {
    set_content(path(), changed);
    const std::string found = refusal(path(), native_check::header);
    EXPECT_NE(found.find(message), std::string::npos) << "expected " << message << ", found " << found;
  }
}

/// A faulty writer: the checksums are right, the rows are wrong.
TEST_F(native_file, rows_and_labels_that_are_none_are_refused) {
  const auto array = [](std::vector<std::uint64_t> values) {
    machine::page_array<std::uint64_t> a(values.size());
    std::ranges::copy(values, a.begin());
    return a;
  };
  const auto written = [&](std::vector<std::uint64_t> offsets, std::vector<std::uint64_t> targets,
                           std::vector<std::uint64_t> labels, bool directed = false) {
    const std::vector<std::uint64_t> good_offsets{0, 2, 2, 2};
    adjacency<std::uint64_t> bad{array(offsets), array(targets), {}};
    adjacency<std::uint64_t> good{array(good_offsets), array({0, 1}), {}};
    write_native(directed ? csr_graph<std::uint64_t>(true, std::move(good), std::move(bad), array(labels), 0)
                          : csr_graph<std::uint64_t>(false, std::move(bad), {}, array(labels), 0),
                 path());
    EXPECT_EQ(refusal(path(), native_check::header), "");
    return refusal(path(), native_check::content);
  };
  EXPECT_EQ(written({0, 2, 2, 2}, {0, 1}, {}), "");
  EXPECT_EQ(written({0, 2, 2, 2}, {1, 1}, {}), "") << "repeats are allowed";
  EXPECT_NE(written({0, 2, 1, 2}, {0, 1}, {}).find("the out-edges of vertex 1 are numbers 2 to 1 of 2"),
            std::string::npos);
  EXPECT_NE(written({0, 3, 2, 2}, {0, 1}, {}).find("the out-edges of vertex 0"), std::string::npos);
  EXPECT_NE(written({0, 2, 2, 2}, {0, 3}, {}).find("have target 3, expected ascending ones below 3"),
            std::string::npos);
  EXPECT_NE(written({0, 2, 2, 2}, {1, 0}, {}).find("have target 0"), std::string::npos);
  EXPECT_NE(written({0, 2, 2, 2}, {1, 0}, {}, true).find("the in-edges of vertex 0"), std::string::npos);
  EXPECT_NE(written({0, 2, 2, 2}, {0, 1}, {1, 1, 2}).find("labels do not ascend"), std::string::npos);
}

TEST_F(native_file, names_that_do_not_fit_their_labels_are_refused) {
  const auto written = [&](std::vector<std::uint64_t> labels, std::uint64_t first_label, const std::string& letters) {
    adjacency<std::uint32_t> rows{machine::page_array<std::uint64_t>(4), {}, {}};
    machine::page_array<std::uint64_t> numbers(labels.size());
    std::ranges::copy(labels, numbers.begin());
    machine::page_array<std::uint64_t> offsets(4);
    machine::page_array<char> bytes(3);
    for (std::size_t i = 0; i < 3; ++i) {
      offsets[i + 1] = i + 1;
      bytes[i] = letters[i];
    }
    write_native(csr_graph<std::uint32_t>(false, std::move(rows), {}, std::move(numbers), first_label)
                     .with_names(std::make_shared<const vertex_names>(std::move(offsets), std::move(bytes))),
                 path());
    return refusal(path(), native_check::content);
  };
  EXPECT_EQ(written({}, 0, "abc"), "");
  EXPECT_EQ(written({0, 1, 2}, 0, "abc"), "");
  EXPECT_NE(written({}, 0, "acb").find("names do not ascend"), std::string::npos);
  EXPECT_NE(written({}, 1, "abc").find("labels with names are not 0 to the last vertex"), std::string::npos);
  EXPECT_NE(written({0, 1, 3}, 0, "abc").find("labels with names are not 0 to the last vertex"), std::string::npos);
}

TEST_F(native_file, other_files_are_not_native) {
  set_content(path(), "# Nodes: 2\n0 1\n");
  EXPECT_FALSE(is_native(path()));
  EXPECT_EQ(refusal(path(), native_check::header), "is not a native graph: its first bytes are others");
  EXPECT_FALSE(is_native(folder_.path()));
  EXPECT_EQ(refusal(folder_.path(), native_check::header), "is not a regular file, expected a native graph");
  EXPECT_FALSE(is_native(path("missing")));
  EXPECT_EQ(refusal(path("missing"), native_check::header), "cannot be opened: No such file or directory");
}

TEST_F(native_file, nothing_is_left_of_a_file_that_cannot_be_written) {
  const any_graph g = sample(true, false, false, false);
  EXPECT_THROW(write_native(g, path("no/such/directory.cg")), output_error);
  EXPECT_THROW(write_native(g, "/dev/full"), output_error);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(write_native(g, path(), {nullptr, stop.get_token()}), cancelled);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace callisto::graph

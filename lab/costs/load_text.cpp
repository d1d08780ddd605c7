// Measures how fast a text edge list is read and built into a graph, and how much memory that takes at its peak.
//
//   load_text [--quick] [--peer CONVERTER] [FILE]
//
// With --peer, GAPBS's program `converter` loads the file in turns with Callisto. Both use the same number of threads,
// and make the graph undirected without self-loops. The numbers of edges are compared. Weights are read if the name
// ends in .wel.
//
// Without FILE, the text of a Kronecker graph of scale 20 (16 with --quick) is kept in $XDG_CACHE_HOME/callisto, or
// ~/.cache/callisto. It has every edge in both directions, like the files of other suites. Each load runs in a process
// of its own, since the peak of memory is counted per process.
//
// Exit code 1 if the peak is above what Callisto promises, or if Callisto is less than four times as fast as the peer.
#include <lab/costs/compare.hpp>

#include <callisto/callisto.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/files/write.hpp>

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace callisto;

std::filesystem::path cache_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::filesystem::path(cache) / "callisto";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/tmp") / ".cache" / "callisto";
}

template <class Vertex>
machine::page_array<Vertex> view_of(const machine::page_array<Vertex>& values) {
  return machine::page_array<Vertex>::view(values, nullptr);
}

/// Returns the path of the Kronecker graph's text. Makes the file if it does not exist.
std::string kronecker_text(unsigned scale) {
  const std::filesystem::path path = cache_directory() / fmt::format("kronecker-{}.el", scale);
  if (std::filesystem::exists(path)) return path.string();
  std::filesystem::create_directories(path.parent_path());
  graph::kronecker_options kronecker;
  kronecker.scale = scale;
  const graph::any_graph undirected = graph::build_graph(graph::generate_kronecker(kronecker));
  std::visit(
      [&](const auto& g) {
        // A directed view makes two arcs, and so two lines, of each edge.
        using graph_type = std::remove_cvref_t<decltype(g)>;
        graph::adjacency<typename graph_type::vertex_type> rows{view_of(g.out().offsets), view_of(g.out().targets), {}};
        graph::write_graph(graph_type(true, std::move(rows), {}, {}, 0), path.string(), graph::file_format::edge_list);
      },
      undirected);
  return path.string();
}

/// The measurements of one load, passed between processes as a line of text.
struct measurement {
  double read_seconds = 0;
  double build_seconds = 0;
  double file_bytes = 0;
  double csr_bytes = 0;
  double peak_bytes = 0;
  double vertices = 0;
  double arcs = 0;

  double seconds() const noexcept { return read_seconds + build_seconds; }
};

void load_and_print(const std::string& path, bool undirected) {
  graph::load_report report;
  graph::load_options options;
  options.build.undirected = undirected;
  if (undirected) options.build.loops = graph::loops::remove;
  const graph::any_graph graph = graph::load_graph(path, options, {}, &report);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::visit(
      [&](const auto& g) {
        fmt::print("{} {} {} {} {} {} {}\n", report.read_seconds, report.build_seconds, report.file_bytes,
                   graph::csr_bytes(graph), std::uint64_t{1024} * static_cast<std::uint64_t>(usage.ru_maxrss),
                   g.vertices(), g.arcs());
      },
      graph);
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Returns what a command writes to standard output.
std::string output_of(const std::string& command) {
  std::FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("cannot start a process");
  std::string text;
  for (int c; (c = std::fgetc(output)) != EOF;) text += static_cast<char>(c);
  if (pclose(output) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

measurement load_in_child(const std::string& path, bool undirected) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string text =
      output_of(fmt::format("{} {} {}", quoted(self), undirected ? "--undirected-child" : "--child", quoted(path)));
  measurement m;
  const int found = std::sscanf(text.c_str(), "%lf %lf %lf %lf %lf %lf %lf", &m.read_seconds, &m.build_seconds,
                                &m.file_bytes, &m.csr_bytes, &m.peak_bytes, &m.vertices, &m.arcs);
  if (found != 7) throw std::runtime_error("loading " + path + " failed");
  return m;
}

/// Loads the text with GAPBS's program. Returns the times, vertices and arcs that it reports.
measurement load_by_peer(const std::string& converter, const std::string& path) {
  const std::string text = output_of(fmt::format("OMP_NUM_THREADS={} {} -f {} -s{} -b /dev/null", callisto::threads(),
                                                 quoted(converter), quoted(path), path.ends_with(".wel") ? " -w" : ""));
  const auto behind = [&](const char* words) {
    const std::size_t at = text.find(words);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("{}: no line with '{}'", converter, words));
    return std::strtod(text.c_str() + at + std::string_view(words).size(), nullptr);
  };
  measurement m;
  m.read_seconds = behind("Read Time:");
  m.build_seconds = behind("Build Time:");
  m.vertices = behind("Graph has ");
  m.arcs = 2 * behind("nodes and ");
  return m;
}

int run(bool quick, const std::string& peer, std::string path) {
  if (path.empty()) path = kronecker_text(quick ? 16 : 20);
  const unsigned rounds = 5;
  const bool undirected = !peer.empty();
  static_cast<void>(load_in_child(path, undirected));  // brings the file into the page cache
  std::vector<measurement> all;
  std::vector<measurement> peers;
  std::vector<double> ratios;
  for (unsigned i = 0; i < rounds; ++i) {
    all.push_back(load_in_child(path, undirected));
    if (peer.empty()) continue;
    peers.push_back(load_by_peer(peer, path));
    if (peers.back().arcs != all.back().arcs) {
      throw std::runtime_error(
          fmt::format("{} edges, but the peer finds {}", all.back().arcs / 2, peers.back().arcs / 2));
    }
    ratios.push_back(peers.back().seconds() / all.back().seconds());
  }
  const auto median_of = [](const std::vector<measurement>& of, auto value) {
    std::vector<double> values;
    for (const measurement& m : of) values.push_back(value(m));
    return app::median_of(std::move(values));
  };
  const double peak = median_of(all, [](const measurement& m) { return m.peak_bytes; });
  const double size = all[0].file_bytes;

  fmt::print("{}: {:.1f} MB, {:.0f} vertices, {:.0f} arcs; {} threads, medians of {}\n\n", path, size / 1e6,
             all[0].vertices, all[0].arcs, callisto::threads(), rounds);
  std::vector<std::vector<std::string>> rows{{"", "read", "build", "both", "MB/s of text"}};
  const auto add_row = [&](const char* name, const std::vector<measurement>& of) {
    const double total = median_of(of, [](const measurement& m) { return m.seconds(); });
    rows.push_back({name, fmt::format("{:.3f} s", median_of(of, [](const measurement& m) { return m.read_seconds; })),
                    fmt::format("{:.3f} s", median_of(of, [](const measurement& m) { return m.build_seconds; })),
                    fmt::format("{:.3f} s", total), fmt::format("{:.0f}", size / 1e6 / total)});
  };
  add_row("Callisto", all);
  if (!peer.empty()) add_row("GAPBS", peers);
  lab::print_table(rows);
  fmt::print("\npeak memory {:.0f} MB, graph {:.0f} MB\n", peak / 1e6, all[0].csr_bytes / 1e6);
  lab::limits limits;
  limits.at_most("peak memory by the graph's", peak / all[0].csr_bytes, 3);
  if (!peer.empty()) limits.at_least("GAPBS's time by Callisto's", app::median_of(ratios), 4);
  return limits.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bool quick = false;
    std::string peer;
    std::string path;
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if ((argument == "--child" || argument == "--undirected-child") && i + 2 == argc) {
        load_and_print(argv[i + 1], argument != "--child");
        return 0;
      }
      if (argument == "--quick") {
        quick = true;
      } else if (argument == "--peer" && i + 1 < argc) {
        peer = argv[++i];
      } else if (path.empty() && !argument.starts_with('-')) {
        path = argument;
      } else {
        fmt::print(stderr, "usage: load_text [--quick] [--peer CONVERTER] [FILE]\n");
        return 2;
      }
    }
    return run(quick, peer, path);
  } catch (const std::exception& fault) {
    fmt::print(stderr, "load_text: {}\n", fault.what());
    return 1;
  }
}

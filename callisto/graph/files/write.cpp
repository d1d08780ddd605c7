// Writing graphs: many threads format and compress blocks of rows; the caller appends the blocks in order.
#include <callisto/graph/files/write.hpp>
#include <callisto/graph/order/reorder.hpp>

#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>
#include <zstd.h>

namespace callisto::graph {
namespace {

enum class compression { none, gzip, zstd };

compression compression_of(std::string_view path) noexcept {
  if (path.ends_with(".gz")) return compression::gzip;
  return path.ends_with(".zst") ? compression::zstd : compression::none;
}

/// Returns `text` as a gzip member. A file may hold several members in sequence.
std::string as_gzip(const std::string& text) {
  z_stream state{};
  constexpr int largest_window_gzip = 15 + 16;
  constexpr int usual_memory = 8;
  if (deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window_gzip, usual_memory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, void (*)(z_stream*)> end(&state, [](z_stream* s) { deflateEnd(s); });
  std::string result(deflateBound(&state, static_cast<uLong>(text.size())), '\0');
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  std::size_t read = 0;
  std::size_t written = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const std::size_t in = std::min(most, text.size() - read);
    const std::size_t out = std::min(most, result.size() - written);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + read));
    state.avail_in = static_cast<uInt>(in);
    state.next_out = reinterpret_cast<Bytef*>(result.data() + written);
    state.avail_out = static_cast<uInt>(out);
    status = deflate(&state, read + in == text.size() ? Z_FINISH : Z_NO_FLUSH);
    read += in - state.avail_in;
    written += out - state.avail_out;
  }
  result.resize(written);
  return result;
}

/// Returns `text` as a zstd frame. A file may hold several frames in sequence.
std::string as_zstd(const std::string& text) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (state == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(state.get(), ZSTD_c_checksumFlag, 1);
  std::string result(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress2(state.get(), result.data(), result.size(), text.data(), text.size());
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // with enough room, nothing else can fail
  result.resize(size);
  return result;
}

void append_number(std::string& to, std::uint64_t value) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_weight(std::string& to, double value) {
  char digits[32];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Returns a weight as a whole number in [lowest, highest]; throws usage_error if it is none.
std::int64_t whole_weight(double weight, double lowest, double highest, file_format format) {
  if (weight == std::floor(weight) && weight >= lowest && weight <= highest) return static_cast<std::int64_t>(weight);
  std::string number;
  append_weight(number, weight);
  throw usage_error("the graph has an edge of weight " + number + ", but " + std::string(name_of(format)) +
                    " holds whole numbers of limited size only");
}

template <class T>
void append_bytes(std::string& to, T value) {
  static_assert(std::endian::native == std::endian::little, "binary formats are little-endian");
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Vertex>
class graph_writer {
 public:
  graph_writer(const csr_graph<Vertex>& graph, const std::string& path, file_format format, const run_control& control)
      : graph_(graph), format_(format), control_(control), method_(compression_of(path)) {
    check();
    file_ = std::make_unique<machine::output_file>(path);
  }

  void run() {
    const bool binary = format_ == file_format::gapbs_sg || format_ == file_format::gapbs_wsg;
    if (control_.report != nullptr) {
      const std::uint64_t sections = binary && graph_.directed() ? 2 : 1;
      control_.report->begin("writing", sections * graph_.arcs(), "arcs");
    }
    if (binary) {
      write_gapbs();
    } else {
      write_text();
    }
    if (control_.stop.stop_requested()) throw cancelled();
    file_->commit();
  }

 private:
  void check() const {
    const std::string name(name_of(format_));
    if (format_ == file_format::metis && graph_.directed()) {
      throw usage_error("the graph is directed, but " + name + " holds undirected graphs only");
    }
    if (format_ != file_format::gapbs_sg && format_ != file_format::gapbs_wsg) return;
    if (graph_.vertices() > std::uint64_t{1} << 31) {
      throw usage_error("the graph has " + std::to_string(graph_.vertices()) + " vertices, but " + name +
                        " holds 2^31 at most");
    }
    if (graph_.directed() && graph_.in().targets.size() != graph_.arcs()) {
      throw usage_error("the graph lacks its in-edges, which " + name + " holds");
    }
  }

  /// Appends the text that format(i, text) makes for each i in [0, count), in order. Formats four blocks a thread at a
  /// time.
  void append_blocks(std::uint64_t count, const std::function<void(std::uint64_t, std::string&)>& format) {
    const std::uint64_t wave = 4 * std::uint64_t{workers::loop_team_here().where.threads()};
    std::vector<std::string> texts(wave);
    for (std::uint64_t first = 0; first < count; first += wave) {
      const std::uint64_t last = std::min(count, first + wave);
      const bool completed = parallel_for(first, last,
                                          [&](std::uint64_t i) {
                                            std::string& text = texts[i - first];
                                            text.clear();
                                            format(i, text);
                                            if (text.empty()) return;
                                            if (method_ == compression::gzip) text = as_gzip(text);
                                            if (method_ == compression::zstd) text = as_zstd(text);
                                          },
                                          {.batch = 1, .stop = control_.stop});
      if (!completed) throw cancelled();
      for (std::uint64_t i = first; i < last; ++i) file_->append(texts[i - first]);
    }
  }

  void advance(std::uint64_t arcs) const {
    if (control_.report != nullptr) control_.report->advance(arcs);
  }

  /// Returns the ends of blocks of rows of about `arcs_a_block` arcs each.
  std::vector<std::uint64_t> row_blocks() const {
    std::vector<std::uint64_t> ends;
    const auto& offsets = graph_.out().offsets;
    for (std::uint64_t v = 0; v < graph_.vertices();) {
      const std::uint64_t most_rows = std::min(graph_.vertices(), v + arcs_a_block);
      const auto* const end =
          std::upper_bound(offsets.begin() + v + 1, offsets.begin() + most_rows + 1, offsets[v] + arcs_a_block);
      v = std::max(v + 1, static_cast<std::uint64_t>(end - offsets.begin()) - 1);
      ends.push_back(v);
    }
    return ends;
  }

  /// Returns the number of edges of an undirected graph: entries of its rows that lead to no larger vertex.
  std::uint64_t undirected_edges() const {
    return parallel_reduce(std::uint64_t{0}, graph_.vertices(), std::uint64_t{0}, [&](std::uint64_t v) {
      const auto row = graph_.out().row(v);
      return static_cast<std::uint64_t>(std::upper_bound(row.begin(), row.end(), v) - row.begin());
    });
  }

  std::string header() const {
    const std::string n = std::to_string(graph_.vertices());
    if (format_ == file_format::dimacs) return "p sp " + n + " " + std::to_string(graph_.arcs()) + "\n";
    if (format_ == file_format::metis) {
      return n + " " + std::to_string(undirected_edges()) + (graph_.weighted() ? " 1\n" : "\n");
    }
    if (format_ == file_format::matrix_market) {
      const std::uint64_t entries = graph_.directed() ? graph_.arcs() : undirected_edges();
      return std::string("%%MatrixMarket matrix coordinate ") + (graph_.weighted() ? "real " : "pattern ") +
             (graph_.directed() ? "general\n" : "symmetric\n") + n + " " + n + " " + std::to_string(entries) + "\n";
    }
    return {};
  }

  void write_text() {
    append_blocks(1, [&](std::uint64_t, std::string& text) { text = header(); });
    const std::vector<std::uint64_t> ends = row_blocks();
    append_blocks(ends.size(), [&](std::uint64_t i, std::string& text) {
      const std::uint64_t first = i == 0 ? 0 : ends[i - 1];
      for (std::uint64_t v = first; v < ends[i]; ++v) append_row(text, v);
      advance(graph_.out().offsets[ends[i]] - graph_.out().offsets[first]);
    });
  }

  void append_row(std::string& text, std::uint64_t v) const {
    const adjacency<Vertex>& out = graph_.out();
    const bool once = !graph_.directed();
    for (std::uint64_t a = out.offsets[v]; a < out.offsets[v + 1]; ++a) {
      const std::uint64_t to = out.targets[a];
      const double weight = graph_.weighted() ? out.weights[a] : 1;
      switch (format_) {
        case file_format::edge_list:
        case file_format::weighted_edge_list:
          if (once && to < v) break;
          append_number(text, graph_.label(v));
          text += ' ';
          append_number(text, graph_.label(to));
          if (format_ == file_format::weighted_edge_list) {
            text += ' ';
            append_weight(text, weight);
          }
          text += '\n';
          break;
        case file_format::matrix_market:
          if (once && to > v) break;  // a symmetric matrix is its lower triangle
          append_number(text, v + 1);
          text += ' ';
          append_number(text, to + 1);
          if (graph_.weighted()) {
            text += ' ';
            append_weight(text, weight);
          }
          text += '\n';
          break;
        case file_format::dimacs:
          text += "a ";
          append_number(text, v + 1);
          text += ' ';
          append_number(text, to + 1);
          text += ' ';
          text += std::to_string(whole_weight(weight, -exact, exact, format_));
          text += '\n';
          break;
        case file_format::metis:
          if (a != out.offsets[v]) text += ' ';
          append_number(text, to + 1);
          if (graph_.weighted()) {
            text += ' ';
            text += std::to_string(whole_weight(weight, 1, exact, format_));
          }
          break;
        case file_format::gapbs_sg:
        case file_format::gapbs_wsg:
        case file_format::automatic:
          break;  // binary
      }
    }
    if (format_ == file_format::metis) text += '\n';
  }

  void write_gapbs() {
    append_blocks(1, [&](std::uint64_t, std::string& text) {
      text += graph_.directed() ? '\1' : '\0';
      append_bytes(text, graph_.arcs());
      append_bytes(text, graph_.vertices());
    });
    append_adjacency(graph_.out());
    if (graph_.directed()) append_adjacency(graph_.in());
  }

  void append_adjacency(const adjacency<Vertex>& rows) {
    const auto blocks = [](std::uint64_t count) { return (count + arcs_a_block - 1) / arcs_a_block; };
    append_blocks(blocks(rows.offsets.size()), [&](std::uint64_t i, std::string& text) {
      const std::uint64_t first = i * arcs_a_block;
      const std::uint64_t count = std::min<std::uint64_t>(arcs_a_block, rows.offsets.size() - first);
      text.append(reinterpret_cast<const char*>(rows.offsets.data() + first), count * sizeof(std::uint64_t));
    });
    append_blocks(blocks(rows.targets.size()), [&](std::uint64_t i, std::string& text) {
      const std::uint64_t first = i * arcs_a_block;
      const std::uint64_t last = std::min<std::uint64_t>(first + arcs_a_block, rows.targets.size());
      for (std::uint64_t a = first; a < last; ++a) {
        append_bytes(text, static_cast<std::uint32_t>(rows.targets[a]));
        if (format_ != file_format::gapbs_wsg) continue;
        constexpr double low = std::numeric_limits<std::int32_t>::min();
        constexpr double high = std::numeric_limits<std::int32_t>::max();
        const double weight = rows.weights.empty() ? 1 : rows.weights[a];
        append_bytes(text, static_cast<std::int32_t>(whole_weight(weight, low, high, format_)));
      }
      advance(last - first);
    });
  }

  static constexpr std::uint64_t arcs_a_block = std::uint64_t{1} << 16;
  static constexpr double exact = 9007199254740992;  // 2^53: doubles hold all whole numbers up to here

  const csr_graph<Vertex>& graph_;
  file_format format_;
  const run_control& control_;
  compression method_;
  std::unique_ptr<machine::output_file> file_;
};

}  // namespace

void write_graph(const any_graph& graph, const std::string& path, file_format format, const run_control& control) {
  if (format == file_format::automatic) format = format_from_suffix(path);
  if (format == file_format::automatic) {
    throw usage_error("the name '" + path + "' does not tell which format to write; use a suffix such as .el or .mtx");
  }
  std::visit(
      [&]<class Vertex>(const csr_graph<Vertex>& g) {
        // Most formats know vertices by number only: number them in the user's order.
        if (!g.by_label().empty()) return write_graph(in_label_order(graph, control), path, format, control);
        graph_writer<Vertex>(g, path, format, control).run();
      },
      graph);
}

}  // namespace callisto::graph

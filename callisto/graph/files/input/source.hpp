// The content of an input file, cut into pieces for many threads.
//
// A plain file (or memory) is read by position: each thread reads the piece that it claims into its own buffer. The
// file is not mapped, because mapped pages would count as memory of the process. A compressed file or a pipe has one
// thread that reads, decompresses and cuts, ahead of the parsing threads by a bounded number of buffers.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/input/content_part.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::input {

/// Whole lines of a file.
struct text_chunk {
  std::uint64_t index;    ///< chunks are numbered from 0, in the order of the file
  std::string_view text;  ///< ends with '\n' unless empty; `readable_behind` (input/text.hpp) more bytes can be read
  bool overlong;          ///< the line behind `text` is longer than the limit; it is not delivered
};

/// The longest line, in bytes, unless a format allows more: each line must fit a buffer.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// How a text is cut.
struct text_cut {
  std::uint64_t skip = 0;             ///< bytes at the front that are not delivered; they are whole lines
  std::size_t chunk_bytes = 1 << 20;  ///< a chunk has this many bytes, plus or minus a line
  /// The longest line allowed, in bytes. Only lines that end or begin a chunk are measured.
  std::size_t line_limit = longest_line;
};

/// Handles one chunk; returns false if the chunks behind it are not wanted. Called by several threads at the same time.
using on_chunk = std::function<bool(const text_chunk&)>;

/// Handles bytes at `position` of the content.
using on_bytes = std::function<void(std::uint64_t position, std::span<const char> bytes)>;

/// The decompressed content of one input. Thread-safety: only the thread that reads the graph calls members; it leads
/// the loops in them. Members throw input_error if the file cannot be read, and cancelled.
class source {
 public:
  virtual ~source() = default;

  /// Returns the name of the file, as the user gave it.
  const std::string& name() const noexcept { return name_; }

  /// Returns the first bytes, at most head_limit; `readable_behind` bytes behind them can be read.
  std::string_view head() const noexcept { return std::string_view(head_).substr(0, head_size_); }
  /// True if head() is the whole content.
  bool head_is_all() const noexcept { return head_is_all_; }

  /// Returns the size of the content in bytes, if it is known beforehand.
  virtual std::optional<std::uint64_t> size() const noexcept = 0;

  /// Returns lines about how the content was found, such as the member of an archive that was chosen.
  const std::vector<std::string>& notes() const noexcept { return notes_; }
  void add_note(std::string line) { notes_.push_back(std::move(line)); }

  /// Delivers all bytes in order, on the calling thread, in pieces of `piece_bytes`; the last may be shorter. Not after
  /// another delivery.
  virtual void for_each_piece(std::size_t piece_bytes, const std::function<void(std::string_view)>& handle) = 0;

  /// Delivers the lines behind cut.skip (which lies in the head); of a part, those that begin there. A '\n' is added to
  /// the last line if it has none.
  virtual void for_each_chunk(const text_cut& cut, const on_chunk& handle) = 0;

  /// Returns the number of lines in front of the first one that for_each_chunk() delivers. Reads them.
  virtual std::uint64_t lines_before(const text_cut& cut) const;
  /// Returns which part of the content chunks are of. The head is that of the whole.
  const content_part& part() const noexcept { return part_; }

  /// Delivers the bytes [first, last) in blocks of block_bytes from `first` on; the last block may be shorter. If
  /// size() is known, blocks come in any order and on several threads, else in order. `first` is not before the `last`
  /// of an earlier call.
  virtual void for_each_block(std::uint64_t first, std::uint64_t last, std::size_t block_bytes,
                              const on_bytes& handle) = 0;

  /// Throws input_error unless the content ends at `position`, the end of the last for_each_block().
  virtual void expect_end(std::uint64_t position) = 0;

  static constexpr std::size_t head_limit = std::size_t{1} << 20;

 protected:
  source(std::string name, const run_control& control) : name_(std::move(name)), control_(control) {}

  void set_part(const content_part& part) noexcept { part_ = part; }
  std::vector<std::string>& new_notes() noexcept { return notes_; }
  std::string& name_of_content() noexcept { return name_; }
  const run_control& asked() const noexcept { return control_; }
  void advance(std::uint64_t bytes) const {
    if (control_.report != nullptr) control_.report->advance(bytes);
  }
  /// Takes the head: the first `size` bytes of a buffer that has `readable_behind` more.
  void set_head(std::string buffer, std::size_t size, bool all) {
    head_ = std::move(buffer);
    head_size_ = size;
    head_is_all_ = all;
  }

 private:
  std::string name_;
  run_control control_;
  content_part part_;
  std::vector<std::string> notes_;
  std::string head_;
  std::size_t head_size_ = 0;
  bool head_is_all_ = false;
};

/// Opens a file, or standard input if the path is "-". Begins the progress stage "reading". Throws input_error.
/// `member` is the one to read of an archive; empty: the first that is no documentation. Throws read_as_whole for a
/// part of anything else than a plain file, or a zstd file of at least as many frames as parts.
std::unique_ptr<source> open_source(const std::string& path, const run_control& control, const std::string& member = {},
                                    const content_part& part = {});

/// Opens content in memory, which must stay valid while the source lives; messages name it `name`.
std::unique_ptr<source> open_source(std::span<const std::byte> bytes, const std::string& name,
                                    const run_control& control, const std::string& member = {});

/// Returns all bytes of `from`, of which nothing has been delivered yet.
std::string read_all(source& from);

}  // namespace callisto::graph::input

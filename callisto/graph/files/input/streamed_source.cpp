#include <callisto/graph/files/input/streamed_source.hpp>

#include <callisto/graph/files/input/archive.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/graph/files/input/text_buffer.hpp>
#include <callisto/graph/files/input/zstd_frames.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace callisto::graph::input {
namespace {

/// Lines of a stream on the way from the reader to a parser.
struct text_piece {
  text_buffer buffer;
  std::size_t size = 0;     ///< bytes of whole lines
  std::uint64_t index = 0;  ///< pieces are numbered from 0 in the order of the stream
  bool overlong = false;    ///< see text_chunk
};

/// A compressed file or a pipe: one thread reads and decompresses it, the threads of the loop parse.
class streamed_source final : public source {
 public:
  streamed_source(const stream_opener& open, std::string name, const std::string& member, const run_control& control)
      : source(std::move(name), control),
        pass_on_(asked().stop, [this] { halt_.request_stop(); }),
        stream_(unwrapped(open(halt_.get_token(), [this](std::uint64_t bytes) { advance(bytes); }), name_of_content(),
                          member, new_notes())) {
    std::string head;
    std::size_t count = 0;
    std::size_t room = std::size_t{1} << 16;  // enough for most files
    for (;; room *= 4) {
      head.resize(room + readable_behind);
      count += stream_->read(head.data() + count, room - count);
      if (count < room || room >= head_limit) break;
    }
    set_head(std::move(head), count, count < room);
    stream_ = prepend(std::string(source::head()), std::move(stream_));
  }

  /// A part of the lines in the frames of a zstd file.
  streamed_source(const range_opener& open, std::vector<std::uint64_t> frames, std::string name,
                  const run_control& control, const content_part& of)
      : source(std::move(name), control), pass_on_(asked().stop, [this] { halt_.request_stop(); }) {
    set_part(of);
    const auto lines = [open, stop = halt_.get_token(), of_file = source::name()](std::uint64_t from, std::uint64_t to,
                                                                                  on_read report) {
      return decompress(compression::zstd, open(from, to, stop, std::move(report)), of_file);
    };
    std::string head(head_limit + readable_behind, '\0');
    std::size_t count = 0;
    std::size_t of_head = 0;  // frames
    while (of_head + 1 != frames.size() && count != head_limit) {
      count += lines(frames[of_head], frames[of_head + 1], [](std::uint64_t) {
               })->read(head.data() + count, head_limit - count);
      ++of_head;
    }
    const std::string_view first(head.data(), count);
    if (wrapping_of(first.substr(0, telling_bytes), source::name()) != wrapping::none ||
        first.starts_with("\xef\xbb\xbf") || first.find('\n') == first.npos) {
      throw read_as_whole();
    }
    set_head(std::move(head), count, count != head_limit);
    const std::uint64_t end = frames.back();
    const auto bound = [&](std::uint64_t number) {
      if (number == 0 || number == of.count) return number == 0 ? std::uint64_t{0} : end;
      const content_part next{number, of.count};
      return *std::lower_bound(frames.begin() + static_cast<std::ptrdiff_t>(of_head), frames.end(), next.begin(end));
    };
    const std::uint64_t begin = bound(of.number);
    const std::uint64_t own_end = bound(of.number + 1);
    stream_ = lines_of_part(of.number == 0, lines(begin, own_end, [this](std::uint64_t bytes) { advance(bytes); }),
                            [lines, own_end, end] { return lines(own_end, end, [](std::uint64_t) {}); });
    if (of.number == 0) return;
    position_ = behind_the_front;
    count_before_ = [open, begin, stop = asked().stop, of_file = source::name()] {
      std::vector<char> piece(head_limit);
      // Not by halt_: a chunk with a fault has ended the other stream.
      const auto before = decompress(compression::zstd, open(0, begin, stop, [](std::uint64_t) {}), of_file);
      std::uint64_t found = 1;  // the line that ends in this part
      for (std::size_t got = piece.size(); got == piece.size();) {
        got = before->read(piece.data(), piece.size());
        found += static_cast<std::uint64_t>(
            std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got), '\n'));
      }
      return found;
    };
  }

  std::optional<std::uint64_t> size() const noexcept override { return std::nullopt; }

  std::uint64_t lines_before(const text_cut& cut) const override {
    return count_before_ ? count_before_() : source::lines_before(cut);
  }

  void for_each_chunk(const text_cut& cut, const on_chunk& handle) override;

  void for_each_block(std::uint64_t first, std::uint64_t last, std::size_t block_bytes,
                      const on_bytes& handle) override {
    if (!part().is_all()) throw read_as_whole();
    skip_to(first);
    text_buffer buffer;
    while (position_ != last) {
      asked().check();
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, last - position_));
      buffer.reserve(count, 0);
      if (stream_->read(buffer.data(), count) != count) fail_truncated();
      handle(std::exchange(position_, position_ + count), {buffer.data(), count});
    }
  }

  void for_each_piece(std::size_t piece_bytes, const std::function<void(std::string_view)>& handle) override {
    if (!part().is_all()) throw read_as_whole();
    std::string piece(piece_bytes, '\0');
    for (std::size_t got = piece_bytes; got == piece_bytes;) {
      asked().check();
      got = stream_->read(piece.data(), piece_bytes);
      if (got != 0) handle(std::string_view(piece).substr(0, got));
    }
  }

  void expect_end(std::uint64_t position) override {
    skip_to(position);
    char surplus;
    if (stream_->read(&surplus, 1) != 0) {
      throw input_error(name(), 0, "has more bytes than the " + std::to_string(position) + " that its header means");
    }
  }

 private:
  class queue;

  /// Reads the stream and puts its pieces into the queue; run by the reader thread.
  void read_pieces(const text_cut& cut, queue& pieces);
  /// Fills `piece` with `carried` and some `wanted` bytes of the stream, up to the last line break; the text behind it
  /// becomes `carried`. Returns true if this is the last piece: the stream ends, or a line is longer than the limit.
  bool fill(text_piece& piece, std::string& carried, std::size_t wanted, std::size_t line_limit);
  /// Takes pieces from the queue and handles them; run by every parser.
  void parse_pieces(queue& pieces, const on_chunk& handle);
  /// Ends the reader and the parsers: no more pieces are wanted.
  void give_up(queue& pieces);

  void skip_to(std::uint64_t position) {
    if (position_ == position || position_ == behind_the_front) return;
    std::vector<char> ignored(std::size_t{64} << 10);
    while (position_ < position) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(ignored.size(), position - position_));
      if (stream_->read(ignored.data(), count) != count) fail_truncated();
      position_ += count;
    }
  }

  [[noreturn]] void fail_truncated() const {
    throw input_error(name(), 0, "truncated: it ends before what its header means");
  }

  /// The position of a part that begins behind all that is skipped.
  static constexpr std::uint64_t behind_the_front = ~std::uint64_t{0};

  std::stop_source halt_;  ///< ends the stream's waits: the caller stops the reading, or a chunk failed
  std::stop_callback<std::function<void()>> pass_on_;
  std::unique_ptr<byte_stream> stream_;
  std::uint64_t position_ = 0;
  std::function<std::uint64_t()> count_before_;  ///< of a part behind the first: the lines before it
};

/// The pieces between the thread that reads a stream and the parsers: a bounded number, free or full.
class streamed_source::queue {
 public:
  explicit queue(unsigned buffers) {
    for (unsigned i = 0; i < buffers; ++i) free_.push_back(std::make_unique<text_piece>());
  }

  /// For the reader: blocks until a piece is free. Returns null if the queue is closed.
  std::unique_ptr<text_piece> take_free() {
    std::unique_lock lock(mutex_);
    await(lock, [&] { return closed_ || !free_.empty(); });
    if (closed_) return nullptr;
    auto taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  /// For the reader: hands a filled piece to the parsers.
  void put_full(std::unique_ptr<text_piece> filled) {
    const std::lock_guard lock(mutex_);
    full_.push_back(std::move(filled));
    changed_.notify_all();
  }
  /// For the reader: no more pieces follow; `error`, if not null, ended the reading.
  void end(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    error_ = std::move(error);
    changed_.notify_all();
  }

  /// For the parsers: blocks until a piece is full. Returns null at the end of the stream or if the queue is closed.
  std::unique_ptr<text_piece> take_full() {
    std::unique_lock lock(mutex_);
    await(lock, [&] { return closed_ || ended_ || !full_.empty(); });
    if (closed_ || full_.empty()) return nullptr;
    auto taken = std::move(full_.front());
    full_.pop_front();
    return taken;
  }
  /// For the parsers: gives a parsed piece back.
  void put_free(std::unique_ptr<text_piece> used) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(used));
    changed_.notify_all();
  }
  /// Ends all waits: no more pieces are wanted.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  /// Rethrows the error that ended the reader, unless the queue was closed before. Called after the reader has ended.
  void rethrow() const {
    if (error_ != nullptr && !closed_) std::rethrow_exception(error_);
  }

 private:
  /// Waits until a predicate is true. wait() alone needs GLIBCXX_3.4.30, so that a wheel would not fit manylinux_2_34.
  template <class Predicate>
  void await(std::unique_lock<std::mutex>& lock, Predicate true_now) {
    while (!changed_.wait_for(lock, std::chrono::hours(1), true_now)) {
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<text_piece>> free_;
  std::deque<std::unique_ptr<text_piece>> full_;
  bool closed_ = false;
  bool ended_ = false;
  std::exception_ptr error_;
};

bool streamed_source::fill(text_piece& piece, std::string& carried, std::size_t wanted, std::size_t line_limit) {
  piece.size = carried.size();
  piece.buffer.reserve(carried.size() + wanted, 0);
  std::memcpy(piece.buffer.data(), carried.data(), carried.size());
  std::size_t whole_lines = 0;
  bool at_end = false;
  for (;;) {
    const std::size_t searched = piece.size;
    piece.buffer.reserve(piece.size + wanted, piece.size);
    char* const text = piece.buffer.data();
    const std::size_t got = stream_->read(text + piece.size, wanted);
    piece.size += got;
    at_end = got < wanted;
    whole_lines = piece.size;
    while (whole_lines != searched && text[whole_lines - 1] != '\n') --whole_lines;
    if (whole_lines == searched) whole_lines = 0;  // the carried bytes hold no line break
    if (whole_lines != 0 || at_end || piece.size > line_limit) break;
  }
  char* const text = piece.buffer.data();
  if (at_end && whole_lines != piece.size) {
    text[piece.size++] = '\n';
    if (piece.size - whole_lines <= line_limit + 1) whole_lines = piece.size;
  }
  const auto first_break = std::string_view(text, whole_lines).find('\n');
  if (first_break != std::string_view::npos && first_break > line_limit) whole_lines = 0;
  piece.overlong = piece.size - whole_lines > line_limit;
  carried.assign(text + whole_lines, piece.size - whole_lines);
  piece.size = whole_lines;
  return at_end || piece.overlong;
}

void streamed_source::read_pieces(const text_cut& cut, queue& pieces) {
  skip_to(cut.skip);
  std::string carried;
  std::uint64_t index = 0;
  for (bool at_end = false; !at_end; ++index) {
    auto piece = pieces.take_free();
    if (piece == nullptr) return;
    // The length of the stream is unknown: later pieces are larger, which bounds their number.
    constexpr std::uint64_t pieces_of_one_size = 16384;
    constexpr std::uint64_t most_doublings = 6;
    const std::size_t wanted = cut.chunk_bytes << std::min(index / pieces_of_one_size, most_doublings);
    piece->index = index;
    at_end = fill(*piece, carried, wanted, cut.line_limit);
    pieces.put_full(std::move(piece));
  }
}

void streamed_source::parse_pieces(queue& pieces, const on_chunk& handle) {
  while (auto piece = pieces.take_full()) {
    const text_chunk chunk{piece->index, {piece->buffer.data(), piece->size}, piece->overlong};
    bool go_on = false;
    try {
      go_on = handle(chunk);
    } catch (...) {
      give_up(pieces);
      throw;
    }
    if (!go_on) return give_up(pieces);
    pieces.put_free(std::move(piece));
  }
}

void streamed_source::give_up(queue& pieces) {
  pieces.close();
  halt_.request_stop();
}

void streamed_source::for_each_chunk(const text_cut& cut, const on_chunk& handle) {
  const unsigned parsers = workers::loop_team_here().where.threads();
  queue pieces(parsers + 2);
  std::jthread reader([&] {
    std::exception_ptr error;
    try {
      read_pieces(cut, pieces);
    } catch (...) {
      error = std::current_exception();
    }
    pieces.end(error);
  });
  const std::stop_callback wake(asked().stop, [&] { pieces.close(); });
  const auto parse = [&](unsigned) { parse_pieces(pieces, handle); };
  try {
    parallel_for(0u, parsers, parse, {.batch = 1, .stop = {}});
  } catch (...) {
    give_up(pieces);
    throw;
  }
  reader.join();
  asked().check();
  pieces.rethrow();
}

}  // namespace

std::unique_ptr<source> make_streamed_source(const stream_opener& open, std::string name, const std::string& member,
                                             const run_control& control, std::string note) {
  auto made = std::make_unique<streamed_source>(open, std::move(name), member, control);
  if (!note.empty()) made->add_note(std::move(note));
  return made;
}

std::unique_ptr<source> make_framed_source(const range_opener& open, std::vector<std::uint64_t> frames,
                                           std::string name, const run_control& control, const content_part& part) {
  return std::make_unique<streamed_source>(open, std::move(frames), std::move(name), control, part);
}

}  // namespace callisto::graph::input

// Cutting files, memory and streams into chunks of whole lines.
#include <callisto/graph/files/input/source.hpp>

#include <callisto/graph/files/input/archive.hpp>
#include <callisto/graph/files/input/byte_stream.hpp>
#include <callisto/graph/files/input/streamed_source.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/graph/files/input/text_buffer.hpp>
#include <callisto/graph/files/input/zstd_frames.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace callisto::graph::input {
namespace {

[[noreturn]] void fail_reading(const std::string& name, int error) {
  throw input_error(name, 0, "reading failed: " + std::generic_category().message(error));
}

/// Reads by position from a regular file or memory.
class positioned_bytes {
 public:
  positioned_bytes(machine::descriptor fd, std::uint64_t size, std::string name)
      : fd_(std::move(fd)), size_(size), name_(std::move(name)) {}
  positioned_bytes(std::span<const std::byte> memory, std::string name)
      : fd_(-1), memory_(memory.data()), size_(memory.size()), name_(std::move(name)) {}

  /// Leaves out the first `bytes` bytes: positions count from behind them.
  void skip(std::uint64_t bytes) noexcept {
    before_ += bytes;
    size_ -= bytes;
  }

  std::uint64_t size() const noexcept { return size_; }

  /// Copies the bytes [position, position + count), all of which the content has, to `to`.
  void read(std::uint64_t position, char* to, std::size_t count) const {
    position += before_;
    if (memory_ != nullptr) {
      std::memcpy(to, memory_ + position, count);
      return;
    }
    while (count != 0) {
      const ssize_t got = pread(fd_.get(), to, count, static_cast<off_t>(position));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_reading(name_, errno);
      if (got == 0) throw input_error(name_, 0, "became shorter while it was read");
      to += got;
      position += static_cast<std::uint64_t>(got);
      count -= static_cast<std::size_t>(got);
    }
  }

 private:
  machine::descriptor fd_;
  const std::byte* memory_ = nullptr;
  std::uint64_t before_ = 0;
  std::uint64_t size_;
  std::string name_;
};

/// The bytes of a range, in order.
class range_stream final : public byte_stream {
 public:
  range_stream(std::shared_ptr<const positioned_bytes> bytes, std::uint64_t first, std::uint64_t last,
               std::stop_token stop, on_read report)
      : bytes_(std::move(bytes)), at_(first), last_(last), stop_(std::move(stop)), report_(std::move(report)) {}

  std::size_t read(char* to, std::size_t size) override {
    if (stop_.stop_requested()) throw cancelled();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(size, last_ - at_));
    bytes_->read(at_, to, count);
    at_ += count;
    report_(count);
    return count;
  }

 private:
  std::shared_ptr<const positioned_bytes> bytes_;
  std::uint64_t at_;
  std::uint64_t last_;
  std::stop_token stop_;
  on_read report_;
};

/// A plain file or memory: every thread reads its pieces by position.
class positioned_source final : public source {
 public:
  positioned_source(positioned_bytes bytes, std::string name, const run_control& control, const content_part& of = {})
      : source(std::move(name), control), bytes_(std::move(bytes)) {
    set_part(of);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes_.size(), head_limit));
    std::string head(count + readable_behind, '\0');
    bytes_.read(0, head.data(), count);
    set_head(std::move(head), count, count == bytes_.size());
  }

  std::optional<std::uint64_t> size() const noexcept override { return bytes_.size(); }

  void for_each_chunk(const text_cut& cut, const on_chunk& handle) override {
    chunk_loop loop{*this, cut, handle};
    // More chunks than this would only cost memory; a file of more than 64 GiB gets larger ones.
    constexpr std::uint64_t most_chunks = 65536;
    const std::uint64_t length = last_of(cut) - first_of(cut);
    loop.step = std::max<std::uint64_t>(cut.chunk_bytes, length / most_chunks);
    const std::uint64_t chunks = (length + loop.step - 1) / loop.step;
    loop.last_wanted = chunks;
    parallel_for<chunk_loop, text_buffer, std::uint64_t>(loop, 0, chunks, {.batch = 1, .stop = asked().stop});
    asked().check();
  }

  std::uint64_t lines_before(const text_cut& cut) const override {
    std::uint64_t lines = source::lines_before(cut);
    if (part().is_all()) return lines;
    // The first line of the part is the first that begins there: the byte before counts, too.
    const std::uint64_t last = first_of(cut);
    std::string piece;
    std::uint64_t at = cut.skip;
    bool begins = true;
    while (at < bytes_.size() && (at < last || !begins)) {
      piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(head_limit, bytes_.size() - at)));
      bytes_.read(at, piece.data(), piece.size());
      for (std::size_t i = 0; i < piece.size() && (at + i < last || !begins); ++i) {
        begins = piece[i] == '\n';
        lines += begins ? 1 : 0;
      }
      at += piece.size();
    }
    return lines;
  }

  void for_each_block(std::uint64_t first, std::uint64_t last, std::size_t block_bytes,
                      const on_bytes& handle) override {
    if (!part().is_all()) throw read_as_whole();
    block_loop loop{*this, first, last, block_bytes, handle};
    const std::uint64_t blocks = (last - first + block_bytes - 1) / block_bytes;
    parallel_for<block_loop, text_buffer, std::uint64_t>(loop, 0, blocks, {.batch = 1, .stop = asked().stop});
    asked().check();
  }

  void for_each_piece(std::size_t piece_bytes, const std::function<void(std::string_view)>& handle) override {
    if (!part().is_all()) throw read_as_whole();
    std::string piece(piece_bytes, '\0');
    for (std::uint64_t position = 0; position < bytes_.size(); position += piece_bytes) {
      asked().check();
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, bytes_.size() - position));
      bytes_.read(position, piece.data(), count);
      handle(std::string_view(piece).substr(0, count));
      advance(count);
    }
  }

  void expect_end(std::uint64_t position) override {
    if (position == bytes_.size()) return;
    throw input_error(name(), 0,
                      "has " + counted(bytes_.size(), "byte") + " where its header means " + std::to_string(position) +
                          (bytes_.size() < position ? ": it is truncated" : ""));
  }

 private:
  struct chunk_loop {
    positioned_source& from;
    const text_cut& cut;
    const on_chunk& handle;
    std::uint64_t step = 0;
    std::atomic<std::uint64_t> last_wanted{0};

    void fork(text_buffer&) {}
    void join(text_buffer&) {}
    void work(text_buffer& buffer, std::uint64_t index) {
      // relaxed: a stale value only costs a chunk that is parsed in vain.
      if (index > last_wanted.load(std::memory_order_relaxed)) return;
      if (from.deliver(cut, step, index, buffer, handle)) return;
      std::uint64_t known = last_wanted.load(std::memory_order_relaxed);
      while (index < known && !last_wanted.compare_exchange_weak(known, index, std::memory_order_relaxed)) {
      }
    }
  };

  struct block_loop {
    positioned_source& from;
    std::uint64_t first;
    std::uint64_t last;
    std::size_t block_bytes;
    const on_bytes& handle;

    void fork(text_buffer&) {}
    void join(text_buffer&) {}
    void work(text_buffer& buffer, std::uint64_t index) {
      const std::uint64_t position = first + index * block_bytes;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, last - position));
      buffer.reserve(count, 0);
      from.bytes_.read(position, buffer.data(), count);
      handle(position, {buffer.data(), count});
      from.advance(count);
    }
  };

  /// Where the first piece of chunks begins, and where the last one ends.
  std::uint64_t first_of(const text_cut& cut) const noexcept {
    return cut.skip + part().begin(bytes_.size() - cut.skip);
  }
  std::uint64_t last_of(const text_cut& cut) const noexcept { return cut.skip + part().end(bytes_.size() - cut.skip); }

  /// Delivers the lines that begin in piece `index` of the part.
  bool deliver(const text_cut& cut, std::uint64_t step, std::uint64_t index, text_buffer& buffer,
               const on_chunk& handle) {
    const std::uint64_t end = bytes_.size();
    const std::uint64_t begin = first_of(cut) + index * step;
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(step, last_of(cut) - begin));
    // One byte before the piece tells whether a line begins at its front.
    const std::size_t before = begin == cut.skip ? 0 : 1;
    buffer.reserve(before + length + typical_line, 0);
    std::size_t have = before + length;
    bytes_.read(begin - before, buffer.data(), have);

    text_chunk chunk{index, {}, false};
    std::size_t first = 0;
    if (before != 0) {
      // Searches the byte before the piece and all of the piece but its last byte.
      const void* const found = std::memchr(buffer.data(), '\n', length);
      if (found == nullptr) {
        advance(length);
        return true;  // no line begins here
      }
      first = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data()) + 1;
    }
    // The last line goes on behind the piece unless the piece ends with a line break.
    std::size_t last_break = have;
    while (last_break != first && buffer.data()[last_break - 1] != '\n') --last_break;
    const std::size_t last_line = last_break;
    std::size_t searched = have;
    if (last_line != have) {
      for (std::size_t more = typical_line;; more *= 2) {
        const std::uint64_t position = begin - before + have;
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(more, end - position));
        buffer.reserve(have + count, have);
        bytes_.read(position, buffer.data() + have, count);
        have += count;
        const void* const found = std::memchr(buffer.data() + searched, '\n', have - searched);
        searched = have;
        if (found != nullptr) {
          have = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data()) + 1;
        } else if (position + count == end) {
          buffer.data()[have++] = '\n';
        } else if (have - last_line <= cut.line_limit) {
          continue;
        }
        chunk.overlong = have - last_line > cut.line_limit + 1;
        break;
      }
      if (chunk.overlong) have = last_line;
    }
    chunk.text = {buffer.data() + first, have - first};
    const bool go_on = handle(chunk);
    advance(length);
    return go_on;
  }

  static constexpr std::size_t typical_line = 256;

  positioned_bytes bytes_;
};

/// Returns the wrapping of the content, by its first bytes; leaves out a byte order mark of a content that has none.
wrapping look_at(positioned_bytes& bytes, const std::string& name) {
  std::string first(std::min<std::uint64_t>(bytes.size(), telling_bytes), '\0');
  bytes.read(0, first.data(), first.size());
  wrapping kind = wrapping_of(first, name);
  if (kind == wrapping::none && first.find('\n') == first.npos) {
    std::string text(std::min<std::uint64_t>(bytes.size(), telling_text_bytes), '\0');
    bytes.read(0, text.data(), text.size());
    if (has_carriage_returns_only(text)) kind = wrapping::carriage_returns;
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (kind == wrapping::none && first.starts_with(byte_order_mark)) bytes.skip(byte_order_mark.size());
  return kind;
}

/// Returns a wrapped content that can be opened again, so that an archive is looked through for a member first.
std::unique_ptr<source> of_file(const stream_opener& open, wrapping kind, const std::string& name,
                                const std::string& member, const run_control& control) {
  if (kind != wrapping::archive || !member.empty()) {
    return make_streamed_source(open, name, member, control);
  }
  const std::string found = surest_member(open(control.stop, [](std::uint64_t) {}), name);
  return make_streamed_source(
      open, name, found, control,
      found.empty() ? std::string() : "is an archive, of which " + shown(found) + " is read (--member)");
}

}  // namespace

std::uint64_t source::lines_before(const text_cut& cut) const {
  return static_cast<std::uint64_t>(std::ranges::count(head().substr(0, cut.skip), '\n'));
}

std::unique_ptr<source> open_source(const std::string& path, const run_control& control, const std::string& member,
                                    const content_part& part) {
  const auto begin = [&](std::uint64_t total) {
    if (control.report != nullptr) control.report->begin("reading", total, "bytes");
  };
  const auto opened = [&]() -> int {
    if (path == "-") return dup(STDIN_FILENO);
    // O_NONBLOCK: opening a pipe does not wait for its writer. The stream waits with poll(), which can be stopped.
    return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  };
  const std::string name = path == "-" ? "standard input" : path;
  machine::descriptor fd(opened());
  struct stat status{};
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    throw input_error(name, 0, "cannot be opened: " + std::generic_category().message(errno));
  }
  if (S_ISDIR(status.st_mode)) throw input_error(name, 0, "is a directory, expected a file");
  // Files of /proc and /sys have size 0 whatever they hold: they are read as streams.
  if (S_ISREG(status.st_mode) && status.st_size != 0 && path != "-") {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    positioned_bytes bytes(std::move(fd), size, name);
    const wrapping kind = look_at(bytes, name);
    if (kind != wrapping::none && !part.is_all()) {
      if (kind != wrapping::zstd) throw read_as_whole();
      const auto kept = std::make_shared<const positioned_bytes>(std::move(bytes));
      std::vector<std::uint64_t> frames = find_zstd_frames(
          size, [&](std::uint64_t position, char* to, std::size_t count) { kept->read(position, to, count); });
      if (frames.size() <= part.count) throw read_as_whole();
      begin(size / part.count);
      return make_framed_source(
          [kept](std::uint64_t first, std::uint64_t last, std::stop_token stop, on_read report) {
            return std::make_unique<range_stream>(kept, first, last, std::move(stop), std::move(report));
          },
          std::move(frames), name, control, part);
    }
    begin(size / part.count);
    if (kind == wrapping::none) return std::make_unique<positioned_source>(std::move(bytes), name, control, part);
    return of_file(
        [&](std::stop_token stop, on_read report) {
          machine::descriptor again(open(path.c_str(), O_RDONLY | O_CLOEXEC));
          if (again.get() < 0)
            throw input_error(name, 0, "cannot be opened: " + std::generic_category().message(errno));
          return open_descriptor(std::move(again), name, std::move(stop), std::move(report));
        },
        kind, name, member, control);
  }
  if (!part.is_all()) throw read_as_whole();
  begin(0);
  return make_streamed_source(
      [&](std::stop_token stop, on_read report) {
        return open_descriptor(std::move(fd), name, std::move(stop), std::move(report));
      },
      name, member, control);
}

std::unique_ptr<source> open_source(std::span<const std::byte> bytes, const std::string& name,
                                    const run_control& control, const std::string& member) {
  positioned_bytes content(bytes, name);
  const wrapping kind = look_at(content, name);
  if (control.report != nullptr) control.report->begin("reading", bytes.size(), "bytes");
  if (kind == wrapping::none) return std::make_unique<positioned_source>(std::move(content), name, control);
  return of_file([&](const std::stop_token&, on_read report) { return open_memory(bytes, std::move(report)); }, kind,
                 name, member, control);
}

std::string read_all(source& from) {
  std::string text;
  if (const auto size = from.size()) text.reserve(static_cast<std::size_t>(*size));
  constexpr std::size_t piece = std::size_t{1} << 20;
  from.for_each_piece(piece, [&](std::string_view bytes) { text += bytes; });
  return text;
}

}  // namespace callisto::graph::input

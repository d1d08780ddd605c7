// Streams of descriptors and memory, and decompression with zlib and libzstd.
#include <callisto/graph/files/input/byte_stream.hpp>

#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <poll.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

namespace callisto::graph::input {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t compressed_block = std::size_t{256} << 10;

class descriptor_stream final : public byte_stream {
 public:
  descriptor_stream(machine::descriptor fd, std::string name, std::stop_token stop, on_read report)
      : fd_(std::move(fd)), name_(std::move(name)), stop_(std::move(stop)), report_(std::move(report)) {}

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      if (stop_.stop_requested()) throw cancelled();
      pollfd waiting{fd_.get(), POLLIN, 0};
      constexpr int milliseconds = 100;
      const int ready = poll(&waiting, 1, milliseconds);
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      const ssize_t got = ::read(fd_.get(), to + done, size - done);
      if (got == 0) break;
      if (got < 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        throw input_error(name_, 0, "reading failed: " + std::generic_category().message(errno));
      }
      report_(static_cast<std::uint64_t>(got));
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  machine::descriptor fd_;
  std::string name_;
  std::stop_token stop_;
  on_read report_;
};

class memory_stream final : public byte_stream {
 public:
  memory_stream(std::span<const std::byte> bytes, on_read report) : rest_(bytes), report_(std::move(report)) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, rest_.size());
    if (count == 0) return 0;
    std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
    report_(count);
    return count;
  }

 private:
  std::span<const std::byte> rest_;
  on_read report_;
};

class prepended_stream final : public byte_stream {
 public:
  prepended_stream(std::string front, std::unique_ptr<byte_stream> rest)
      : front_(std::move(front)), rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, front_.size() - used_);
    if (count != 0) std::memcpy(to, front_.data() + used_, count);
    used_ += count;
    return count + (count < size ? rest_->read(to + count, size - count) : 0);
  }

 private:
  std::string front_;
  std::size_t used_ = 0;
  std::unique_ptr<byte_stream> rest_;
};

class gzip_stream final : public byte_stream {
 public:
  gzip_stream(std::unique_ptr<byte_stream> inner, std::string name)
      : inner_(std::move(inner)),
        name_(std::move(name)),
        block_(std::make_unique_for_overwrite<char[]>(compressed_block)) {
    constexpr int largest_window_gzip_only = 15 + 16;
    if (inflateInit2(&state_, largest_window_gzip_only) != Z_OK) throw std::bad_alloc();
  }
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;
  ~gzip_stream() override { inflateEnd(&state_); }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      if (state_.avail_in == 0) {
        state_.avail_in = static_cast<uInt>(inner_->read(block_.get(), compressed_block));
        state_.next_in = reinterpret_cast<Bytef*>(block_.get());
        if (state_.avail_in == 0) {
          if (in_member_) throw input_error(name_, 0, "truncated: the file ends inside its gzip data");
          break;
        }
      }
      if (!in_member_) begin_member();
      const auto room = static_cast<uInt>(std::min<std::size_t>(size - done, UINT_MAX));
      state_.next_out = reinterpret_cast<Bytef*>(to + done);
      state_.avail_out = room;
      const int result = inflate(&state_, Z_NO_FLUSH);
      done += room - state_.avail_out;
      if (result == Z_STREAM_END) {
        in_member_ = false;
      } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        const char* const why = state_.msg == nullptr ? "invalid data" : state_.msg;
        throw input_error(name_, 0, std::string("corrupt gzip data: ") + why);
      }
    }
    return done;
  }

 private:
  void begin_member() {
    constexpr Bytef magic = 0x1f;
    if (*state_.next_in != magic) {
      throw input_error(name_, 0, "there is something behind the gzip data that is not gzip");
    }
    inflateReset(&state_);
    in_member_ = true;
  }

  std::unique_ptr<byte_stream> inner_;
  std::string name_;
  std::unique_ptr<char[]> block_;
  z_stream state_{};
  bool in_member_ = false;
};

class zstd_stream final : public byte_stream {
 public:
  zstd_stream(std::unique_ptr<byte_stream> inner, std::string name)
      : inner_(std::move(inner)),
        name_(std::move(name)),
        block_(std::make_unique_for_overwrite<char[]>(compressed_block)),
        state_(ZSTD_createDStream()) {
    if (state_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < out.size) {
      // Inside a frame, libzstd may hold output that needs no more input: decompress before reading on.
      const std::size_t before = out.pos;
      if (input_.pos < input_.size || in_frame_) {
        const std::size_t result = ZSTD_decompressStream(state_.get(), &out, &input_);
        if (ZSTD_isError(result) != 0) {
          throw input_error(name_, 0, std::string("corrupt zstd data: ") + ZSTD_getErrorName(result));
        }
        in_frame_ = result != 0;
      }
      if (out.pos != before || input_.pos < input_.size) continue;
      input_ = {block_.get(), inner_->read(block_.get(), compressed_block), 0};
      if (input_.size == 0) {
        if (in_frame_) throw input_error(name_, 0, "truncated: the file ends inside its zstd data");
        break;
      }
    }
    return out.pos;
  }

 private:
  struct free_state {
    void operator()(ZSTD_DStream* state) const noexcept { ZSTD_freeDStream(state); }
  };

  std::unique_ptr<byte_stream> inner_;
  std::string name_;
  std::unique_ptr<char[]> block_;
  std::unique_ptr<ZSTD_DStream, free_state> state_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<byte_stream> open_descriptor(machine::descriptor fd, std::string name, std::stop_token stop,
                                             on_read report) {
  return std::make_unique<descriptor_stream>(std::move(fd), std::move(name), std::move(stop), std::move(report));
}

std::unique_ptr<byte_stream> open_memory(std::span<const std::byte> bytes, on_read report) {
  return std::make_unique<memory_stream>(bytes, std::move(report));
}

std::unique_ptr<byte_stream> prepend(std::string front, std::unique_ptr<byte_stream> rest) {
  return std::make_unique<prepended_stream>(std::move(front), std::move(rest));
}

std::unique_ptr<byte_stream> decompress(compression method, std::unique_ptr<byte_stream> inner, std::string name) {
  if (method == compression::gzip) return std::make_unique<gzip_stream>(std::move(inner), std::move(name));
  return std::make_unique<zstd_stream>(std::move(inner), std::move(name));
}

}  // namespace callisto::graph::input

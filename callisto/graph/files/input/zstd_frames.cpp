// The layout of zstd files is that of RFC 8878.
#include <callisto/graph/files/input/zstd_frames.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace callisto::graph::input {
namespace {

constexpr std::uint64_t no_frame = 0;

class frame_reader {
 public:
  frame_reader(std::uint64_t size, const read_at& read) : size_(size), read_(read) {}

  bool has(std::uint64_t position, std::uint64_t count) const noexcept {
    return position <= size_ && count <= size_ - position;
  }
  /// Returns `count` bytes as a number, the first byte the lowest.
  std::uint64_t number(std::uint64_t position, std::size_t count) const {
    std::array<char, 4> bytes{};
    read_(position, bytes.data(), count);
    std::uint64_t made = 0;
    for (std::size_t i = count; i-- != 0;) made = made << 8 | static_cast<unsigned char>(bytes[i]);
    return made;
  }

  /// Returns the end of the frame with the first four bytes `magic`; no_frame: it is none, or not whole.
  std::uint64_t end_of(std::uint64_t position, std::uint64_t magic) const {
    constexpr std::uint64_t skippable = 0x184d2a50;
    constexpr std::uint64_t with_data = 0xfd2fb528;
    if ((magic & ~std::uint64_t{15}) == skippable) {
      if (!has(position, 8)) return no_frame;
      const std::uint64_t bytes = 8 + number(position + 4, 4);
      return has(position, bytes) ? position + bytes : no_frame;
    }
    if (magic != with_data || !has(position, 5)) return no_frame;
    const std::uint64_t descriptor = number(position + 4, 1);
    const bool is_single_segment = (descriptor >> 5 & 1) != 0;
    constexpr std::array<std::uint64_t, 4> of_dictionary{0, 1, 2, 4};
    const std::array<std::uint64_t, 4> of_size{is_single_segment ? 1U : 0U, 2, 4, 8};
    position += 5 + (is_single_segment ? 0 : 1) + of_dictionary[descriptor & 3] + of_size[descriptor >> 6];
    for (bool last = false; !last;) {
      if (!has(position, 3)) return no_frame;
      const std::uint64_t block = number(position, 3);
      last = (block & 1) != 0;
      constexpr std::uint64_t repeated_byte = 1;
      constexpr std::uint64_t reserved = 3;
      const std::uint64_t kind = block >> 1 & 3;
      if (kind == reserved) return no_frame;
      position += 3 + (kind == repeated_byte ? 1 : block >> 3);
    }
    const std::uint64_t checksum = (descriptor >> 2 & 1) != 0 ? 4 : 0;
    return has(position, checksum) ? position + checksum : no_frame;
  }

 private:
  std::uint64_t size_;
  const read_at& read_;
};

class part_stream final : public byte_stream {
 public:
  part_stream(bool begins, std::unique_ptr<byte_stream> own, std::function<std::unique_ptr<byte_stream>()> rest)
      : begins_(begins), own_(std::move(own)), open_rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done != size) {
      const std::size_t got = rest_ == nullptr ? read_own(to + done, size - done) : read_rest(to + done, size - done);
      if (got == 0 && ended_) break;
      done += got;
    }
    return done;
  }

 private:
  std::size_t read_own(char* to, std::size_t size) {
    std::size_t got = own_->read(to, size);
    if (got == 0) {
      // A part in which no line begins has none of the line behind it, either.
      ended_ = !begins_;
      if (begins_) rest_ = open_rest_();
      return 0;
    }
    if (begins_) return got;
    const void* const found = std::memchr(to, '\n', got);
    if (found == nullptr) return 0;
    begins_ = true;
    const char* const first = static_cast<const char*>(found) + 1;
    got -= static_cast<std::size_t>(first - to);
    std::memmove(to, first, got);
    return got;
  }

  std::size_t read_rest(char* to, std::size_t size) {
    if (ended_) return 0;
    constexpr std::size_t typical_line = 256;
    const std::size_t got = rest_->read(to, std::min(size, typical_line));
    const void* const found = std::memchr(to, '\n', got);
    ended_ = found != nullptr || got == 0;
    return found == nullptr ? got : static_cast<std::size_t>(static_cast<const char*>(found) + 1 - to);
  }

  bool begins_;  ///< the first line of the part has begun
  std::unique_ptr<byte_stream> own_;
  std::function<std::unique_ptr<byte_stream>()> open_rest_;
  std::unique_ptr<byte_stream> rest_;  ///< null: own_ has more
  bool ended_ = false;
};

}  // namespace

std::vector<std::uint64_t> find_zstd_frames(std::uint64_t size, const read_at& read) {
  const frame_reader file(size, read);
  std::vector<std::uint64_t> frames;
  for (std::uint64_t position = 0; position != size;) {
    if (!file.has(position, 4)) return {size};
    const std::uint64_t magic = file.number(position, 4);
    const std::uint64_t end = file.end_of(position, magic);
    if (end == no_frame) return {size};
    const bool has_data = (magic >> 24) == 0xfd;
    if (has_data) frames.push_back(position);
    position = end;
  }
  frames.push_back(size);
  return frames;
}

std::unique_ptr<byte_stream> lines_of_part(bool begins, std::unique_ptr<byte_stream> own,
                                           std::function<std::unique_ptr<byte_stream>()> rest) {
  return std::make_unique<part_stream>(begins, std::move(own), std::move(rest));
}

}  // namespace callisto::graph::input

// Arrays of numpy in a file or in memory (numpy.save): the header, and elements by their index.
#pragma once

#include <callisto/graph/files/input/source.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::formats {

/// An array as numpy stores it; its elements are numbers, booleans or texts, in the order of the file.
class npy_array {
 public:
  /// Takes the bytes of the array called `what`, which must stay valid. Throws input_error, which names the file.
  npy_array(const input::source& from, const std::string& what, std::string_view bytes);

  std::uint64_t size() const noexcept { return bytes_.size() / width_; }
  /// The lengths of the dimensions; there may be none.
  const std::vector<std::uint64_t>& shape() const noexcept { return shape_; }
  /// True if the first index moves fastest: Fortran's order.
  bool columns_first() const noexcept { return columns_first_; }
  bool is_bool() const noexcept { return kind_ == 'b'; }
  bool is_real() const noexcept { return kind_ == 'f'; }
  bool is_text() const noexcept { return kind_ == 'S' || kind_ == 'U'; }

  /// Returns the place of the element in this row and column of an array of two dimensions.
  std::uint64_t at_place(std::uint64_t row, std::uint64_t column) const noexcept {
    return columns_first_ ? column * shape_[0] + row : row * shape_[1] + column;
  }

  double real(std::uint64_t i) const noexcept {
    if (kind_ == 'f') return width_ == 4 ? static_cast<double>(at<float>(i)) : at<double>(i);
    return kind_ == 'i' ? static_cast<double>(whole(i)) : static_cast<double>(static_cast<std::uint64_t>(whole(i)));
  }

  /// Returns a whole number; of a real one the part before the point, if that fits, else -1.
  std::int64_t whole(std::uint64_t i) const noexcept {
    if (kind_ == 'f') {
      const double value = real(i);
      return value >= 0 && value < 9e15 ? static_cast<std::int64_t>(value) : -1;
    }
    const bool has_sign = kind_ == 'i';
    switch (width_) {
      case 1:
        return has_sign ? at<std::int8_t>(i) : at<std::uint8_t>(i);
      case 2:
        return has_sign ? at<std::int16_t>(i) : at<std::uint16_t>(i);
      case 4:
        return has_sign ? at<std::int32_t>(i) : std::int64_t{at<std::uint32_t>(i)};
      default:
        return at<std::int64_t>(i);
    }
  }

  /// Returns a text of ASCII characters.
  std::string text() const {
    std::string result;
    for (const char c : bytes_) {
      if (c != '\0') result += c;
    }
    return result;
  }

 private:
  template <class T>
  T at(std::uint64_t i) const noexcept {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof value);
    return value;
  }

  std::string_view bytes_;
  char kind_ = 0;
  std::size_t width_ = 1;
  bool columns_first_ = false;
  std::vector<std::uint64_t> shape_;
};

}  // namespace callisto::graph::formats

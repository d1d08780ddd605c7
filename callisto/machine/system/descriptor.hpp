// A file descriptor that is closed with its owner.
#pragma once

#include <utility>

#include <unistd.h>

namespace callisto::machine {

/// Owns a file descriptor; a negative number stands for none.
class descriptor {
 public:
  explicit descriptor(int number = -1) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace callisto::machine

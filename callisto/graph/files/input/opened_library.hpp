// A library that is opened when a file first needs it: most files do not, and Callisto links to nothing of it.
#pragma once

#include <dlfcn.h>

namespace callisto::graph::input {

/// The functions of a library, found by their names. A derived class finds all of them when it is constructed.
class opened_library {
 public:
  /// True if the library is installed and has every function that was looked for.
  bool complete() const noexcept { return complete_; }

 protected:
  explicit opened_library(const char* file) noexcept
      : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)), complete_(handle_ != nullptr) {}

  template <class F>
  void find(F*& function, const char* name) noexcept {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(handle_, name));
    complete_ = complete_ && function != nullptr;
  }

 private:
  void* handle_;
  bool complete_;
};

}  // namespace callisto::graph::input

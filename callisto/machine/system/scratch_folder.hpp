// A temporary folder.
#pragma once

#include <callisto/export.hpp>

#include <string>

namespace callisto::machine {

/// A folder that the constructor makes and the destructor removes with all that is in it. A forked process removes it
/// too, unless it ends by _exit or a signal.
class CALLISTO_API scratch_folder {
 public:
  /// Makes the folder in `parent`, or if that is empty in $TMPDIR or /tmp. Throws output_error.
  explicit scratch_folder(const std::string& parent = {});
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder();

  const std::string& path() const noexcept { return path_; }
  /// Returns the path of `name` in it; the file need not exist.
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

/// Removes all scratch folders, for a thread that ends the process without unwinding. A thread that makes or removes a
/// folder afterwards waits for the end. Once, from any thread, but not in a handler of signals.
CALLISTO_API void remove_scratch_folders() noexcept;

}  // namespace callisto::machine

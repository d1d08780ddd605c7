// A folder of its own for files that are needed for a while.
#pragma once

#include <callisto/machine/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace callisto::machine {

/// Made by the constructor, removed by the destructor with all that is in it. A process that was forked removes it too,
/// unless it ends by _exit or a signal.
class scratch_folder {
 public:
  /// In `parent`, or in $TMPDIR or /tmp if that is empty. Throws output_error.
  explicit scratch_folder(const std::string& parent = {}) {
    std::error_code none;
    std::string path = ((parent.empty() ? std::filesystem::temp_directory_path(none) : std::filesystem::path(parent)) /
                        "callisto-XXXXXX")
                           .string();
    if (::mkdtemp(path.data()) == nullptr) {
      throw output_error(path + ": cannot make a folder: " + std::generic_category().message(errno));
    }
    path_ = path;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;  // what cannot be removed stays
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const noexcept { return path_; }
  /// The path of `name` in it; the file need not exist.
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

}  // namespace callisto::machine

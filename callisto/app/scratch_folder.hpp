// A folder of its own for files that are needed for a while.
#pragma once

#include <callisto/app/text.hpp>
#include <callisto/machine/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace callisto::app {

/// Made by the constructor, removed by the destructor with all that is in it.
class scratch_folder {
 public:
  /// In `parent`, or in $TMPDIR or /tmp if that is empty. Throws output_error.
  explicit scratch_folder(const std::string& parent) {
    std::error_code none;
    std::string path =
        (parent.empty() ? std::filesystem::temp_directory_path(none).string() : parent) + "/callisto-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      throw output_error(
          fmt::format("{}: cannot make a folder: {}", one_line(path), std::generic_category().message(errno)));
    }
    path_ = path;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;  // what cannot be removed stays
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

}  // namespace callisto::app

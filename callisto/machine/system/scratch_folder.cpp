// mkdtemp, and a list of the folders that exist.
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace callisto::machine {
namespace {

struct {
  std::mutex mutex;
  std::vector<std::string> paths;
} scratch_folders;

}  // namespace

scratch_folder::scratch_folder(const std::string& parent) {
  const std::string_view variable = file_variable("TMPDIR");
  const bool by_variable = parent.empty() && !variable.empty();
  const std::string where = !parent.empty() ? parent : by_variable ? std::string(variable) : "/tmp";
  std::string path = where + "/callisto-XXXXXX";
  const std::scoped_lock held(scratch_folders.mutex);
  if (::mkdtemp(path.data()) == nullptr) {
    throw output_error((by_variable ? "TMPDIR=" : "") + where +
                       ": cannot make a folder there: " + std::generic_category().message(errno));
  }
  path_ = path;
  scratch_folders.paths.push_back(path);
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;  // what cannot be removed stays
  std::filesystem::remove_all(path_, ignored);
  const std::scoped_lock held(scratch_folders.mutex);
  std::erase(scratch_folders.paths, path_);
}

void remove_scratch_folders() noexcept {
  scratch_folders.mutex.lock();  // for good: no thread makes another folder
  for (const std::string& path : scratch_folders.paths) {
    std::error_code failed;
    // More than once: programs that were killed a moment ago may still be writing there.
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::filesystem::remove_all(path, failed);
      if (!failed) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}  // namespace callisto::machine

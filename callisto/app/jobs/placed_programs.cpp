// A lock file beside the table, and a look at /proc. The mark is in the environment that the kernel keeps of a
// program's start, so it ends with the program; a program's children have it, too, but with another process number.
#include <callisto/app/jobs/placed_programs.hpp>

#include <callisto/cosched/job.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace callisto::app {
namespace {

constexpr const char* mark_name = "CALLISTO_PLACED";

/// Opens the lock file in the first folder that has, or gets, one of this user's; nothing if there is none.
machine::descriptor open_lock() {
  std::string name;
  try {
    name = cosched::table_name();
  } catch (const error&) {
    return machine::descriptor();
  }
  for (const std::string& folder : machine::shared_folders()) {
    const std::string path = folder + "/" + name + "-places";
    // Closed by exec, which ends the lock: from then on the mark tells what was chosen.
    machine::descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    struct stat is{};
    if (file.get() >= 0 && ::fstat(file.get(), &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == ::geteuid())
      return file;
  }
  return machine::descriptor();
}

bool is_marked(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string mark = std::string(mark_name) + '=' + std::to_string(pid) + '\0';
  return all.starts_with(mark) || all.find('\0' + mark) != std::string::npos;
}

}  // namespace

choosing_places::choosing_places() : lock_(open_lock()) {
  using namespace std::chrono_literals;
  if (lock_.get() < 0) return;
  for (int attempt = 0; ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && attempt < 1000; ++attempt) {
    std::this_thread::sleep_for(1ms);
  }
}

variables placed_mark() { return {{mark_name, std::to_string(::getpid())}}; }

std::map<pid_t, std::vector<unsigned>> placed_programs() {
  std::map<pid_t, std::vector<unsigned>> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    struct stat is{};
    if (bad != std::errc() || end != name.data() + name.size() || pid == ::getpid() ||
        ::stat(entry.path().c_str(), &is) != 0 || is.st_uid != ::geteuid() || !is_marked(pid)) {
      continue;
    }
    found.emplace(pid, machine::affinity_of(pid));
  }
  return found;
}

}  // namespace callisto::app

// A lock file beside the table, and a look at /proc. The mark is in the environment that the kernel keeps of a
// program's start, so it ends with the program; a program's children have it, too, but with another process number.
#include <callisto/app/jobs/placed_programs.hpp>

#include <callisto/cosched/job.hpp>
#include <callisto/cosched/run_message.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

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

/// Returns the value of a variable in the environment with which a program started; empty if there is none.
std::string variable_of(pid_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  const std::string begin = std::string(name) + '=';
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (entry.starts_with(begin)) return entry.substr(begin.size());
  }
  return {};
}

/// Returns the process that `text` begins with; 0 if it begins with none.
pid_t process_in(const std::string& text) {
  pid_t pid = 0;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  return pid;
}

/// Returns this user's other programs for which the variable begins with their own process number. Programs that such a
/// program starts have the variable, too.
std::vector<pid_t> programs_marked(const char* mark) {
  std::vector<pid_t> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
    const pid_t pid = process_in(entry.path().filename().string());
    struct stat is{};
    if (pid != 0 && pid != ::getpid() && ::stat(entry.path().c_str(), &is) == 0 && is.st_uid == ::geteuid() &&
        process_in(variable_of(pid, mark)) == pid) {
      found.push_back(pid);
    }
  }
  return found;
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
  for (const pid_t pid : programs_marked(mark_name)) found.emplace(pid, machine::affinity_of(pid));
  return found;
}

std::map<pid_t, std::string> programs_of_run() {
  std::map<pid_t, std::string> found;
  for (const pid_t pid : programs_marked(cosched::run_variable)) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    if (std::getline(file, name)) found.emplace(pid, name);
  }
  return found;
}

pid_t program_of_run(pid_t pid) { return process_in(variable_of(pid, cosched::run_variable)); }

}  // namespace callisto::app

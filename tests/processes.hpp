// What tests see of other processes: their threads, where those may run, and what their jobs say.
#pragma once

#include <callisto/cosched/table_reader.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/types.h>

namespace callisto::tests {

/// Returns the thread of this name in another process; 0 if there is none.
inline pid_t thread_named(pid_t process, const std::string& name) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string its;
    std::getline(std::ifstream(thread.path() / "comm"), its);
    if (its == name) return static_cast<pid_t>(std::stol(thread.path().filename()));
  }
  return 0;
}

/// Returns how often a thread of a process has left a processor.
inline std::uint64_t switches_of(pid_t process, pid_t thread) {
  std::ifstream status("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/status");
  std::uint64_t all = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.find("voluntary_ctxt_switches:") != std::string::npos) all += std::stoull(line.substr(line.find(':') + 1));
  }
  return all;
}

/// Returns the contexts that a thread may run on, by its number in the kernel.
inline std::vector<unsigned> affinity_of(pid_t thread) {
  cpu_set_t set;
  std::vector<unsigned> found;
  if (sched_getaffinity(thread, sizeof set, &set) != 0) return found;
  for (unsigned c = 0; c < CPU_SETSIZE; ++c) {
    if (CPU_ISSET(c, &set)) found.push_back(c);
  }
  return found;
}

/// Returns the context on which a process's first thread runs, or ran last; -1 if it is gone. This is the 39th word of
/// proc(5)'s stat; the second, in parentheses, may have spaces.
inline int processor_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::istringstream words(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string word;
  for (int field = 3; field <= 39; ++field) words >> word;
  return words ? std::stoi(word) : -1;
}

/// Returns the contexts that the job of a process lists in the table in `folder`; empty if there is no such job.
inline std::vector<unsigned> contexts_of(const std::string& folder, pid_t process) {
  std::string refusal;
  const auto table = cosched::table_reader::visit({folder}, refusal);
  if (table == nullptr) return {};
  for (const cosched::job_picture& job : table->jobs()) {
    if (job.pid == static_cast<std::uint64_t>(process)) return job.contexts;
  }
  return {};
}

}  // namespace callisto::tests

// The name of the process, as the system keeps it.
#pragma once

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace callisto::machine {

/// Returns the process's name, with zeros behind the text: the name of the process's first thread, whichever thread
/// asks. Without /proc the name is the calling thread's.
inline std::array<char, 16> process_name() noexcept {
  std::array<char, 17> text{};  // 15 characters and a line's end
  const int file = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? -1 : read(file, text.data(), text.size() - 1);
  if (file >= 0) close(file);
  std::array<char, 16> name{};
  if (bytes <= 0) {
    prctl(PR_GET_NAME, name.data());
  } else {
    std::copy(text.data(), std::find(text.data(), text.data() + 15, '\n'), name.data());
  }
  return name;
}

}  // namespace callisto::machine

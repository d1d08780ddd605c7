// Counters of the processor by perf_event_open(2).
#include <callisto/machine/host/cache_counters.hpp>

#include <callisto/machine/system/filled.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

// In the order of hardware_counts.
constexpr std::uint64_t events[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                    PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_MISSES};

int open_event(std::uint64_t which) noexcept {
  perf_event_attr wanted{};
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.config = which;
  wanted.disabled = 1;
  wanted.inherit = 1;  // which is why each counter has a separate file: groups are not inherited
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string reason(int fault) {
  std::string text = filled("perf_event_open: {}", std::strerror(fault));
  if (fault == ENOENT || fault == ENODEV || fault == EOPNOTSUPP)
    return text + " (the processor shows no counters here)";
  int paranoid = 0;
  if ((fault == EACCES || fault == EPERM) && std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid) {
    text += filled(" (perf_event_paranoid is {})", paranoid);
  }
  return text;
}

}  // namespace

cache_counters::cache_counters() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    files_[i] = open_event(events[i]);
    if (files_[i] >= 0) continue;
    missing_ = reason(errno);
    close_all();
    return;
  }
}

cache_counters::~cache_counters() { close_all(); }

void cache_counters::start() noexcept {
  for (const int file : files_) {
    if (file < 0) return;
    ioctl(file, PERF_EVENT_IOC_RESET, 0);
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  }
}

hardware_counts cache_counters::stop() noexcept {
  std::array<std::uint64_t, 4> counts{};
  for (const int file : files_) {
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
  }
  for (std::size_t i = 0; i < files_.size() && missing_.empty(); ++i) {
    std::uint64_t values[3];  // the count, and the times for which it was wanted and for which it ran
    if (read(files_[i], values, sizeof(values)) != sizeof(values) || values[2] == 0) {
      missing_ = "perf_event_open: the counters did not run";
      return {};
    }
    counts[i] = static_cast<std::uint64_t>(static_cast<double>(values[0]) * static_cast<double>(values[1]) /
                                           static_cast<double>(values[2]));
  }
  return {counts[0], counts[1], counts[2], counts[3]};
}

void cache_counters::close_all() noexcept {
  for (int& file : files_) {
    if (file >= 0) close(file);
    file = -1;
  }
}

}  // namespace callisto::machine

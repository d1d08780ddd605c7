// Other programs' share, from /proc/stat and getrusage.
#include <callisto/app/process/other_programs.hpp>

#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <sys/resource.h>

namespace callisto::app {
namespace {

const std::vector<unsigned>& usable() {
  static const std::vector<unsigned> contexts = machine::limits::current().cpus;
  return contexts;
}

std::uint64_t busy_time() {
  return machine::busy_time_of(
      [](unsigned context) { return std::binary_search(usable().begin(), usable().end(), context); });
}

std::uint64_t nanoseconds(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_usec) * 1'000;
}

std::uint64_t own_time() {
  std::uint64_t sum = 0;
  for (const auto of : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (::getrusage(of, &used) == 0) sum += nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
  }
  return sum;
}

processor_times processor_times_now() { return {machine::shared_nanoseconds(), busy_time(), own_time()}; }

}  // namespace

std::string busy_machine(const std::optional<double>& used, std::size_t contexts) {
  if (!used || *used <= 0.1 * static_cast<double>(contexts)) return {};
  return fmt::format("The machine was busy: other programs used {:.1f} of {} processors. Do not trust this.\n", *used,
                     contexts);
}

std::optional<double> used_by_others(const processor_times& begin, const processor_times& end) {
  constexpr std::uint64_t least = 50'000'000;  // some ticks of /proc/stat
  if (begin.all == 0 || end.all < begin.all || end.now < begin.now + least) return {};
  const std::uint64_t all = end.all - begin.all;
  const std::uint64_t own = end.own - begin.own;
  return static_cast<double>(all - std::min(all, own)) / static_cast<double>(end.now - begin.now);
}

other_programs::other_programs() : begin_(processor_times_now()) {}

std::optional<double> other_programs::used() const { return used_by_others(begin_, processor_times_now()); }

std::string other_programs::warning() const { return busy_machine(used(), usable().size()); }

}  // namespace callisto::app

// The libFuzzer target of OpenMP's environment variables: any values give settings that the runtime can work with, and
// every message is one line that names a variable or a place.
#include <callisto/openmp/settings/icv.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The variables, set from the lines of the input in this order; further lines are ignored.
constexpr std::array names{"OMP_SCHEDULE",          "OMP_NUM_THREADS", "OMP_PROC_BIND",    "OMP_PLACES",
                           "GOMP_CPU_AFFINITY",     "OMP_STACKSIZE",   "GOMP_SPINCOUNT",   "OMP_WAIT_POLICY",
                           "OMP_MAX_ACTIVE_LEVELS", "OMP_NESTED",      "OMP_THREAD_LIMIT", "OMP_ALLOCATOR",
                           "OMP_MAX_TASK_PRIORITY", "OMP_DYNAMIC"};

void require(bool good) {
  if (!good) std::abort();
}

}  // namespace

// The library takes pthread_create over, so AddressSanitizer does not know the thread by which libFuzzer watches its
// memory, and stops: there is none then.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static std::string no_watch = "-rss_limit_mb=0";
  static std::vector<char*> all(*argv, *argv + *argc);
  all.push_back(no_watch.data());
  all.push_back(nullptr);
  *argv = all.data();
  ++*argc;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace callisto::openmp;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (const char* const name : names) {
    const std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    // "-" leaves it out.
    if (line == "-") {
      unsetenv(name);
    } else {
      setenv(name, line.c_str(), 1);
    }
  }
  // Messages go to a file of this target: it checks them, and the fuzzer's own output stays readable.
  FILE* const terminal = stderr;
  char* said = nullptr;
  std::size_t length = 0;
  stderr = open_memstream(&said, &length);
  const process_icvs read = read_environment();
  display_environment(read, true);
  std::fclose(stderr);
  stderr = terminal;
  require(std::string_view(said, length).find("OPENMP DISPLAY ENVIRONMENT END") != std::string_view::npos);
  std::free(said);

  const task_icvs initial = initial_icvs(read);
  require(initial.threads >= 1 && initial.thread_limit >= 1 && initial.chunk >= 0);
  require(initial.schedule == schedule_kind::fixed || initial.chunk >= 1);
  require(std::ranges::all_of(read.threads_by_level, [](unsigned threads) { return threads >= 1; }));
  require(std::ranges::all_of(read.places, [](const place& p) { return !p.empty() && std::ranges::is_sorted(p); }));
  require(initial.allocator >= 1 && initial.allocator <= 8);
  return 0;
}

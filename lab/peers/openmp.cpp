// Implements the candidates that are OpenMP runtimes: GCC's libgomp, or LLVM's in a release build, each with its own
// compiler's loops. CALLISTO_PEER_NAME says which. Only clang's loops reach LLVM's work-stealing schedule.
#include "peer.hpp"

#include <fstream>
#include <iterator>
#include <string>

// Declared here: omp.h would be the compiler's, not necessarily the runtime's.
extern "C" {
void omp_set_num_threads(int);
void omp_set_dynamic(int);
int omp_get_thread_num();
}

namespace {

using namespace callisto::lab;

class openmp {
 public:
  // The parallel loops are separate functions: in lambdas clang 16 forgets `batch`.
  template <class Body, class Measure>
  void loop(std::uint32_t method, std::uint64_t n, std::uint64_t batch, const Body& body, const Measure& m) const {
    const auto end = static_cast<std::int64_t>(n);
    const auto chunk = static_cast<std::int64_t>(batch);
    if constexpr (!takes_ranges<Body>) {
      switch (method) {
        case 0:
          return m([&] { dynamic(end, chunk, body); });
        case 1:
          return m([&] { guided(end, chunk, body); });
        case 2:
          return m([&] { fixed(end, body); });
        case 3:
          return m([&] { automatic(end, body); });
        case 4:
          return m([&] { stealing(end, chunk, body); });
        default:
          return;
      }
    }
  }

 private:
  // The counter is signed: libgomp has slower functions for unsigned ones.
  template <class Body>
  static void dynamic(std::int64_t n, std::int64_t chunk, const Body& body) {
#pragma omp parallel for schedule(monotonic : dynamic, chunk)
    for (std::int64_t i = 0; i < n; ++i) body(static_cast<std::uint64_t>(i));
  }
  template <class Body>
  static void guided(std::int64_t n, std::int64_t chunk, const Body& body) {
#pragma omp parallel for schedule(guided, chunk)
    for (std::int64_t i = 0; i < n; ++i) body(static_cast<std::uint64_t>(i));
  }
  template <class Body>
  static void fixed(std::int64_t n, const Body& body) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) body(static_cast<std::uint64_t>(i));
  }
  template <class Body>
  static void automatic(std::int64_t n, const Body& body) {
#pragma omp parallel for schedule(auto)
    for (std::int64_t i = 0; i < n; ++i) body(static_cast<std::uint64_t>(i));
  }
  template <class Body>
  static void stealing(std::int64_t n, std::int64_t chunk, const Body& body) {
#pragma omp parallel for schedule(nonmonotonic : dynamic, chunk)
    for (std::int64_t i = 0; i < n; ++i) body(static_cast<std::uint64_t>(i));
  }
};

#if defined(__clang__)
/// Returns the text of a file, or an empty string if it cannot be read.
std::string content_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns what follows `label` in `text`, up to the end of that C string.
std::string behind(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  return at == std::string::npos ? std::string("unknown") : text.c_str() + at + label.size();
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = callisto_peer_threads(argc, argv);
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(threads));
  openmp runtime;
  callisto_peer peer{};
  peer.name = CALLISTO_PEER_NAME;
  peer.library = library_of(reinterpret_cast<const void*>(&omp_get_thread_num));
#if defined(__clang__)
  static constexpr callisto_method methods[] = {{"dynamic", callisto_takes_batches},
                                                {"guided", callisto_takes_batches},
                                                {"static", callisto_chooses_batches},
                                                {"auto", callisto_chooses_batches},
                                                {"nonmonotonic", callisto_takes_batches}};
  const std::string text = content_of(peer.library);
  const std::string version = behind(text, "OMP version: ");
  // This is the format of a message that only builds with KMP_DEBUG can print. They format it at every claim, printed
  // or not.
  if (text.find("__kmp_dispatch_next: T#%d") != std::string::npos) {
    peer.refusal = "a debug build (KMP_DEBUG: 3 to 20 times slower), as Debian's are; give CMake a release build";
  }
  peer.version = version.c_str();
#else
  // In libgomp nonmonotonic equals dynamic.
  static constexpr callisto_method methods[] = {{"dynamic", callisto_takes_batches},
                                                {"guided", callisto_takes_batches},
                                                {"static", callisto_chooses_batches},
                                                {"auto", callisto_chooses_batches}};
  peer.version = "of GCC " __VERSION__;
#endif
  peer.methods = methods;
  peer.method_count = sizeof methods / sizeof methods[0];
  return serve(runtime, peer, threads);
}

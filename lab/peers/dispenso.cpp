// The candidate dispenso.
#include "peer.hpp"

#include <dispenso/parallel_for.h>
#include <dispenso/platform.h>
#include <dispenso/thread_pool.h>

#include <algorithm>

namespace {

using namespace callisto::lab;

class stripes {
 public:
  template <class Body, class Measure>
  void loop(std::uint32_t method, std::uint64_t n, std::uint64_t batch, const Body& body, const Measure& m) {
    const auto work = [body](std::uint64_t first, std::uint64_t last) { run_range(body, first, last); };
    dispenso::ParForOptions options;
    switch (method) {
      case 0:
        options.minItemsPerChunk = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, batch));
        return m([&] {
          dispenso::parallel_for(dispenso::makeChunkedRange(std::uint64_t{0}, n, dispenso::ParForChunking::kAdaptive),
                                 work, options);
        });
      case 1:
        return m(
            [&] { dispenso::parallel_for(dispenso::makeChunkedRange(std::uint64_t{0}, n, batch), work, options); });
      default:
        return m([&] {
          dispenso::parallel_for(dispenso::makeChunkedRange(std::uint64_t{0}, n, dispenso::ParForChunking::kStatic),
                                 work, options);
        });
    }
  }
};

}  // namespace

#define CALLISTO_TEXT_OF(x) #x
#define CALLISTO_TEXT(x) CALLISTO_TEXT_OF(x)

int main(int argc, char** argv) {
  const unsigned threads = callisto_peer_threads(argc, argv);
  dispenso::resizeGlobalThreadPool(threads - 1);  // the calling thread takes part
  stripes runtime;
  static constexpr callisto_method methods[] = {
      {"adaptive", callisto_takes_batches | callisto_chooses_batches | callisto_runs_ranges},
      {"chunked", callisto_takes_batches | callisto_runs_ranges},
      {"static", callisto_chooses_batches | callisto_runs_ranges}};
  callisto_peer peer{};
  peer.name = "dispenso";
  peer.version = CALLISTO_TEXT(DISPENSO_MAJOR_VERSION) "." CALLISTO_TEXT(DISPENSO_MINOR_VERSION) "." CALLISTO_TEXT(
      DISPENSO_PATCH_VERSION);
  peer.library = library_of(reinterpret_cast<const void*>(&dispenso::globalThreadPool));
  peer.methods = methods;
  peer.method_count = 3;
  return serve(runtime, peer, threads);
}

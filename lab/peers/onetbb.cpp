// The candidate oneTBB.
#include "peer.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/version.h>

#include <algorithm>

namespace {

namespace tbb = oneapi::tbb;
using namespace callisto::lab;

class onetbb {
 public:
  template <class Body, class Measure>
  void loop(std::uint32_t method, std::uint64_t n, std::uint64_t batch, const Body& body, const Measure& m) {
    using range = tbb::blocked_range<std::uint64_t>;
    const range all(0, n, std::max<std::uint64_t>(1, batch));
    const auto work = [&body](const range& r) { run_range(body, r.begin(), r.end()); };
    switch (method) {
      case 0:
        return m([&] { tbb::parallel_for(all, work, tbb::auto_partitioner{}); });
      case 1:
        return m([&] { tbb::parallel_for(all, work, tbb::simple_partitioner{}); });
      case 2: {
        tbb::affinity_partitioner partitioner;
        return m([&] { tbb::parallel_for(all, work, partitioner); });
      }
      default:
        return m([&] { tbb::parallel_for(all, work, tbb::static_partitioner{}); });
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = callisto_peer_threads(argc, argv);
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  onetbb runtime;
  static constexpr std::uint32_t both = callisto_takes_batches | callisto_chooses_batches | callisto_runs_ranges;
  static constexpr callisto_method methods[] = {{"auto", both},
                                                {"simple", callisto_takes_batches | callisto_runs_ranges},
                                                {"affinity", callisto_chooses_batches | callisto_runs_ranges},
                                                {"static", callisto_chooses_batches | callisto_runs_ranges}};
  callisto_peer peer{};
  peer.name = "oneTBB";
  peer.version = TBB_runtime_version();
  peer.library = library_of(reinterpret_cast<const void*>(&TBB_runtime_version));
  peer.methods = methods;
  peer.method_count = 4;
  return serve(runtime, peer, threads);
}

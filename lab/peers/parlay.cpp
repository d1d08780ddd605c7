// The candidate ParlayLib.
#include "peer.hpp"

#include <parlay/parallel.h>

#include <cstdlib>
#include <string>

namespace {

using namespace callisto::lab;

class parlay_loops {
 public:
  template <class Body, class Measure>
  void loop(std::uint32_t, std::uint64_t n, std::uint64_t batch, const Body& body, const Measure& m) {
    if constexpr (!takes_ranges<Body>) {
      m([&] { parlay::parallel_for(0, n, body, static_cast<long>(batch)); });
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = callisto_peer_threads(argc, argv);
  ::setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 1);
  parlay_loops runtime;
  static constexpr callisto_method methods[] = {{"granularity", callisto_takes_batches | callisto_chooses_batches}};
  callisto_peer peer{};
  peer.name = "ParlayLib";
  peer.version = CALLISTO_PARLAY_VERSION;
  peer.library = "headers";
  peer.methods = methods;
  peer.method_count = 1;
  return serve(runtime, peer, threads);
}

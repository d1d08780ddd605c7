// Implements the candidate Callisto.
#include <lab/experiments/peer.hpp>

#include <callisto/callisto.hpp>

#include <lab/peers/peer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace callisto::lab {
namespace {

/// Gives each loop of the program a type of its own, like the loops of real programs: Callisto remembers loops by type.
template <std::size_t Site, class Body>
struct at_site {
  Body body;
  void operator()(std::uint64_t i) const { body(i); }
};

class loops {
 public:
  template <class Body, class Measure>
  void loop(std::uint32_t, std::uint64_t n, std::uint64_t batch, const Body& body, const Measure& m) const {
    if constexpr (lab::takes_ranges<Body>) {
      run(n, batch, body, m);
    } else if constexpr (requires { body.w; }) {
      constexpr std::size_t sites = 16;
      [&]<std::size_t... Site>(std::index_sequence<Site...>) {
        ((body.w->site == Site ? run(n, batch, at_site<Site, Body>{body}, m) : void()), ...);
      }(std::make_index_sequence<sites>());
    } else {
      run(n, batch, body, m);
    }
  }

 private:
  template <class Body, class Measure>
  static void run(std::uint64_t n, std::uint64_t batch, const Body& body, const Measure& m) {
    m([&] { parallel_for(std::uint64_t{0}, n, body, {.batch = batch}); });
  }
};

}  // namespace

int serve_as_candidate(unsigned threads) {
  set_threads(threads);
  const schedule how = schedule::from_environment();
  const std::string name = how.automatic() ? std::string("Callisto") : "Callisto " + how.to_string();
  loops runtime;
  static constexpr callisto_method methods[] = {
      {"loops", callisto_takes_batches | callisto_chooses_batches | callisto_runs_ranges}};
  callisto_peer peer{};
  peer.name = name.c_str();
  peer.version = CALLISTO_VERSION;
  peer.library = lab::library_of(reinterpret_cast<const void*>(&callisto::threads));
  peer.methods = methods;
  peer.method_count = 1;
  return lab::serve(runtime, peer, threads);
}

}  // namespace callisto::lab

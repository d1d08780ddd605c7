// Connects a runtime's loop, which is a template, to the protocol's interface. All candidates in C++ share this file.
#pragma once

#include "protocol.hpp"

#include <concepts>
#include <cstdint>

#include <dlfcn.h>

namespace callisto::lab {

/// Bodies of loops. Those called with two arguments run a whole range.
struct nothing {
  void operator()(std::uint64_t i) const noexcept { asm volatile("" : : "r"(i)); }
};
struct marking {
  void operator()(std::uint64_t i) const noexcept { callisto_work_mark(i); }
};
struct iteration {
  const callisto_work* w;
  void operator()(std::uint64_t i) const noexcept { callisto_work_iteration(w, i); }
};
struct whole_range {
  const callisto_work* w;
  void operator()(std::uint64_t first, std::uint64_t last) const noexcept { callisto_work_range(w, first, last); }
};

template <class Body>
concept takes_ranges = std::invocable<const Body&, std::uint64_t, std::uint64_t>;

/// Runs `body` over [first, last), for runtimes that hand out ranges.
template <class Body>
void run_range(const Body& body, std::uint64_t first, std::uint64_t last) {
  if constexpr (takes_ranges<Body>) {
    body(first, last);
  } else {
    for (std::uint64_t i = first; i < last; ++i) body(i);
  }
}

/// Measures a callable that runs a prepared loop once.
class measure {
 public:
  explicit measure(const callisto_measure& m) noexcept : m_(m) {}
  template <class Once>
  void operator()(Once once) const {
    m_.measure(m_.self, [](void* f) { (*static_cast<Once*>(f))(); }, &once);
  }

 private:
  const callisto_measure& m_;
};

/// Returns the file that contains `function`.
inline const char* library_of(const void* function) {
  Dl_info found{};
  return ::dladdr(function, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname : "unknown";
}

/// Serves requests with `runtime`; sets `self` and `run` of `peer`, and the caller sets the rest. Runtime::loop(method,
/// n, batch, body, measure) prepares a loop and calls measure with a callable that runs it.
template <class Runtime>
int serve(Runtime& runtime, callisto_peer peer, unsigned threads) {
  peer.self = &runtime;
  peer.run = [](void* self, std::uint32_t method, std::uint64_t n, std::uint64_t batch, callisto_body body,
                const callisto_work* w, const callisto_measure* m) {
    Runtime& r = *static_cast<Runtime*>(self);
    switch (body) {
      case callisto_nothing:
        return r.loop(method, n, batch, nothing{}, measure(*m));
      case callisto_marking:
        return r.loop(method, n, batch, marking{}, measure(*m));
      case callisto_iteration:
        return r.loop(method, n, batch, iteration{w}, measure(*m));
      case callisto_range:
        return r.loop(method, n, batch, whole_range{w}, measure(*m));
    }
  };
  return callisto_peer_serve(&peer, threads);
}

}  // namespace callisto::lab

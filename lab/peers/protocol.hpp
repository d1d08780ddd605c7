// The protocol of candidates of `callisto-lab bench schedule`. A candidate is a program that reads requests from its
// standard input, runs loops, and answers on its standard output. A request and an answer are a line each.
//
//   describe                                           name N / version V / library L / method M FLAGS ... / end
//   run METHOD BATCH REPEATS WORK                      time SECONDS SUM COUNT
//   sequential REPEATS WORK                            time ... of a plain loop
//   perfect THREADS WORK                               time ... of THREADS plain loops at a time (one thread's share)
//   empty METHOD BATCH N                               time SECONDS 0 0
//   launch METHOD BATCH WAIT COUNT                     launch SECONDS SHARE
//
// WORK is SHAPE REVERSED SITE N HEAVY BLOCKS EXTRA, all numbers (work.hpp). METHOD counts from 0 in the order of
// `describe`; BATCH 0 is the runtime's own choice. WAIT is `none`, `serial` (50 us of computing) or `sleep` (5 ms). If
// a request cannot be carried out, the candidate answers `error TEXT`. FLAGS are the letters b (takes batches), a
// (chooses batches itself), r (can run ranges). If a comparison would be unfair, the candidate answers `describe` with
// `refuse REASON`.
//
// All but the loops themselves, timing included, is in this one object. The interface is C's.
#pragma once

#include "work.hpp"

extern "C" {

enum callisto_method_flags : std::uint32_t {
  callisto_takes_batches = 1,
  callisto_chooses_batches = 2,
  callisto_runs_ranges = 4,
};

struct callisto_method {
  const char* name;
  std::uint32_t flags;
};

/// The bodies of loops.
enum callisto_body : std::uint32_t {
  callisto_nothing,    ///< does nothing, in a way that no compiler may leave out
  callisto_marking,    ///< calls callisto_work_mark()
  callisto_iteration,  ///< calls callisto_work_iteration()
  callisto_range,      ///< calls callisto_work_range()
};

/// The measuring side. `run` calls `measure(self, once, argument)` once; `once(argument)` runs the prepared loop.
/// measure() calls once(argument) any number of times.
struct callisto_measure {
  void* self;
  void (*measure)(void* self, void (*once)(void*), void* argument);
};

struct callisto_peer {
  const char* name;
  const char* version;
  const char* library;  ///< the file with the runtime's code
  const char* refusal;  ///< why a measurement would be unfair; null: it is fair
  const callisto_method* methods;
  std::uint32_t method_count;
  void* self;
  /// Prepares a loop of n iterations of `body`, which gets `w` if it takes one, in batches of `batch` (0: automatic).
  /// Lets `m` measure it.
  void (*run)(void* self, std::uint32_t method, std::uint64_t n, std::uint64_t batch, callisto_body body,
              const callisto_work* w, const callisto_measure* m);
};

/// Serves requests until standard input ends. The loops run on `threads` threads. Returns the exit code for main().
int callisto_peer_serve(const callisto_peer* peer, unsigned threads);

/// Returns the number of threads, which is a candidate's only argument. Ends the program if it is missing.
unsigned callisto_peer_threads(int argc, char** argv);
}

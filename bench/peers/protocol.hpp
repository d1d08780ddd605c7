// What a candidate of `callisto bench schedule` is: a program that takes orders, a line each, on its standard input,
// runs loops and answers, a line each, on its standard output.
//
//   describe                                           name N / version V / library L / method M FLAGS ... / end
//   run METHOD BATCH REPEATS WORK                      time SECONDS SUM COUNT
//   sequential REPEATS WORK                            the same, of a plain loop
//   perfect THREADS WORK                               the same, of THREADS plain loops at a time (one thread's share)
//   empty METHOD BATCH N                               time SECONDS 0 0
//   launch METHOD BATCH WAIT COUNT                     launch SECONDS SHARE
//
// WORK is SHAPE REVERSED SITE N HEAVY BLOCKS EXTRA, all numbers (work.hpp). METHOD counts from 0 in the order of
// `describe`; BATCH 0 is the runtime's own choice. WAIT is `none`, `serial` (50 us of computing) or `sleep` (5 ms). An
// order that cannot be carried out is answered by `error TEXT`. FLAGS are the letters b (takes batches), a (chooses
// batches itself), r (can run ranges); a candidate that is no fair one answers `describe` with `refuse REASON`
// instead.
//
// Everything but the loops themselves, timing included, is in this one object; the interface is C's.
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

/// The body of a loop.
enum callisto_body : std::uint32_t {
  callisto_nothing,    ///< nothing, in a way that no compiler may leave out
  callisto_marking,    ///< callisto_work_mark
  callisto_iteration,  ///< callisto_work_iteration
  callisto_range,      ///< callisto_work_range
};

/// The measuring side. `run` calls `measure(self, once, argument)` a single time, with a `once(argument)` that runs the
/// prepared loop; measure calls once(argument) any number of times.
struct callisto_measure {
  void* self;
  void (*measure)(void* self, void (*once)(void*), void* argument);
};

struct callisto_peer {
  const char* name;
  const char* version;
  const char* library;  ///< the file that the runtime's code comes from
  const char* refusal;  ///< why measuring it would be unfair; null: it is not
  const callisto_method* methods;
  std::uint32_t method_count;
  void* self;
  /// Prepares a loop of n iterations of `body` (on `w`, where it takes one), batches of `batch` (0: automatic), and has
  /// `m` measure it.
  void (*run)(void* self, std::uint32_t method, std::uint64_t n, std::uint64_t batch, callisto_body body,
              const callisto_work* w, const callisto_measure* m);
};

/// Takes orders until standard input ends. `threads`: of its loops. Returns what main() is to return.
int callisto_peer_serve(const callisto_peer* peer, unsigned threads);

/// The number of threads that a candidate is started with, its only argument; ends the program if there is none.
unsigned callisto_peer_threads(int argc, char** argv);
}

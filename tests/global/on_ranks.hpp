// Programs on several ranks in one process, for tests.
#pragma once

#include <callisto/global/session/session.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

namespace callisto::global::test {

/// How the ranks of a test run.
struct ranks_options {
  unsigned threads = 1;                     ///< cores of each rank
  std::chrono::microseconds most_delay{0};  ///< packets take random time up to this, and overtake each other
  std::uint64_t seed = 1;
};

/// Runs body() as main of each of `ranks` ranks. Throws what the lowest rank threw.
template <class Body>
void on_ranks(int ranks, Body body, const ranks_options& how = {}) {
  in_process_job job;
  job.net.ranks = ranks;
  job.net.seed = how.seed;
  job.net.most_delay = how.most_delay;
  job.how.threads = how.threads;
  job.how.seed = how.seed;
  run_in_process(job, [&](session&) { body(); });
}

/// Runs as on_ranks(), and returns the text of the error, or nothing.
template <class Body>
std::string error_on_ranks(int ranks, Body body) {
  try {
    on_ranks(ranks, body);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace callisto::global::test

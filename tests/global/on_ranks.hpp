// Programs on several ranks, for tests: in one process, or on the ranks of a launcher of MPI (mpi_test.sh).
#pragma once

#include <callisto/global/session/session.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

namespace callisto::global::test {

/// How the ranks of a test run.
struct ranks_options {
  unsigned threads = 1;                     ///< cores of each rank
  std::chrono::microseconds most_delay{0};  ///< packets take random time up to this, and overtake each other
  std::uint64_t seed = 1;
};

/// The rank that this process is if a launcher of MPI started the tests, else null. It joins once, for all tests.
inline std::unique_ptr<session> rank_of_launcher;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Joins before the first test, and leaves after the last.
class launched_job final : public testing::Environment {
  void SetUp() override {
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::getenv("PMI_SIZE") == nullptr) return;
    rank_of_launcher = std::make_unique<session>(0, nullptr);
  }
  void TearDown() override { rank_of_launcher.reset(); }
};
inline testing::Environment* const launched = testing::AddGlobalTestEnvironment(new launched_job);

/// Runs body() as main of each of `ranks` ranks. Throws what the lowest rank threw. Under a launcher, this process is
/// one of them, and the launcher's ranks are as many.
template <class Body>
void on_ranks(int ranks, Body body, const ranks_options& how = {}) {
  if (rank_of_launcher != nullptr) {
    ASSERT_EQ(rank_of_launcher->ranks(), ranks) << "the launcher has started another number of ranks";
    body();
    rank_of_launcher->run_phase([] {});
    return;
  }
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

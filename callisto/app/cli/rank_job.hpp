// The job of ranks that a launcher of MPI has started this command as.
#pragma once

#include <callisto/graph/csr/partners.hpp>

#include <memory>
#include <string>

namespace callisto::global {
class session;
}

namespace callisto::app {

/// Lives while the command runs as one of several ranks. Rank 0 tells: it prints, writes files, and shows progress.
class rank_job {
 public:
  /// Joins the job, and gives loops this rank's share of the processors, unless CALLISTO_GLOBAL_THREADS says how many
  /// threads a rank has. Throws usage_error if there is no MPI for the launcher.
  rank_job();
  rank_job(const rank_job&) = delete;
  rank_job& operator=(const rank_job&) = delete;
  /// Waits until all ranks come here.
  ~rank_job();

  /// Ends all ranks with one line and this exit code.
  [[noreturn]] void fail(const std::string& text, int code);

  /// Returns how many ranks run this command together; 1 without a job.
  static int ranks() noexcept;
  /// True unless another rank tells the result.
  static bool tells() noexcept;
  /// Returns the partners that have the rows of the graph; null without a job.
  static graph::partners* among() noexcept;
  /// Takes the partners, once the rows are dealt.
  static void set_among(std::shared_ptr<graph::partners> those);

 private:
  std::unique_ptr<global::session> session_;
};

}  // namespace callisto::app

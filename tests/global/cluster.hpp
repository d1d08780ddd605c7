// Ranks in one process for tests: one thread a rank, each with an engine of its own.
#pragma once

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/transport/in_process.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace callisto::global::test {

/// The engines of all ranks, from which any rank tells that nothing is under way.
class rank_engines {
 public:
  explicit rank_engines(std::size_t ranks) : all_(ranks) {}

  void enter(std::size_t rank, const message_engine& its) {
    const std::scoped_lock guard(lock_);
    all_[rank].engine = &its;
  }
  /// Keeps what the rank has counted: its engine ends.
  void leave(std::size_t rank) {
    const std::scoped_lock guard(lock_);
    all_[rank].counted = all_[rank].engine->counts();
    all_[rank].engine = nullptr;
  }
  /// True if nothing was under way at a moment during the call: all ends are read before all beginnings, now. No body
  /// may run.
  bool are_quiet() {
    const std::scoped_lock guard(lock_);
    std::uint64_t handled = 0;
    std::uint64_t sent = 0;
    for (const of_rank& r : all_) handled += r.now().handled;
    for (const of_rank& r : all_) sent += r.now().sent;
    return sent == handled;
  }

 private:
  struct of_rank {
    const message_engine* engine = nullptr;
    message_counts counted;
    message_counts now() const { return engine != nullptr ? engine->counts() : counted; }
  };
  std::mutex lock_;
  std::vector<of_rank> all_;
};

/// Runs body() as each rank of a cluster, then handles messages until all ranks are done and nothing is under way.
/// Returns the errors by rank; empty texts for ranks that ended well.
template <class Body>
std::vector<std::string> run_ranks(in_process_options options, Body body, message_options messages = {}) {
  const auto ranks = static_cast<std::size_t>(options.ranks);
  in_process_cluster cluster(std::move(options));
  std::vector<std::string> errors(ranks);
  std::atomic<std::size_t> done{0};
  std::atomic<bool> over{false};
  rank_engines engines(ranks);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      rank_context context;
      const auto net = cluster.attach(static_cast<int>(r));
      message_engine engine(context, *net, messages);
      engines.enter(r, engine);
      set_here(&context);
      bool counted = false;
      try {
        body();
        ++done;
        counted = true;
        while (!over) {
          if (!progress()) {
            flush();
            wait(std::chrono::microseconds(100));
          }
          if (done == ranks && engines.are_quiet()) over = true;
        }
      } catch (const std::exception& e) {
        errors[r] = e.what();
        if (!counted) ++done;
      }
      engines.leave(r);
      set_here(nullptr);
    });
  for (std::thread& t : threads) t.join();
  return errors;
}

}  // namespace callisto::global::test

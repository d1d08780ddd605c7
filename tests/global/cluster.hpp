// Ranks in one process for tests: one thread a rank, each with an engine of its own.
#pragma once

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/transport/in_process.hpp>

#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace callisto::global::test {

/// Runs body() as each rank of a cluster, then handles messages until all ranks are done and nothing is under way.
/// Returns the errors by rank; empty texts for ranks that ended well.
template <class Body>
std::vector<std::string> run_ranks(in_process_options options, Body body, message_options messages = {}) {
  const auto ranks = static_cast<std::size_t>(options.ranks);
  in_process_cluster cluster(std::move(options));
  std::vector<std::string> errors(ranks);
  std::atomic<std::size_t> done{0};
  std::vector<std::atomic<std::uint64_t>> sent(ranks);
  std::vector<std::atomic<std::uint64_t>> handled(ranks);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      rank_context context;
      const auto net = cluster.attach(static_cast<int>(r));
      message_engine engine(context, *net, messages);
      set_here(&context);
      bool counted = false;
      try {
        body();
        ++done;
        counted = true;
        // All bodies have ended; two equal rounds of sums over all ranks mean that nothing is under way.
        std::uint64_t last = ~std::uint64_t{0};
        for (;;) {
          if (!progress()) {
            flush();
            wait(std::chrono::microseconds(100));
          }
          const message_counts c = counts();
          sent[r] = c.sent;
          handled[r] = c.handled;
          if (done != ranks) continue;
          std::uint64_t all_handled = 0;
          std::uint64_t all_sent = 0;
          for (const auto& h : handled) all_handled += h;
          for (const auto& s : sent) all_sent += s;
          if (all_sent == all_handled && all_sent == last) break;
          last = all_sent == all_handled ? all_sent : ~std::uint64_t{0};
        }
      } catch (const std::exception& e) {
        errors[r] = e.what();
        if (!counted) ++done;
      }
      set_here(nullptr);
    });
  for (std::thread& t : threads) t.join();
  return errors;
}

}  // namespace callisto::global::test

// Programs on several ranks in one process, for tests.
#pragma once

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/in_process.hpp>

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace callisto::global::test {

struct duties : core_duties {
  std::exception_ptr error;
  bool poll(core&) override { return progress(); }
  bool find_work(core&) override { return false; }
  void sleep(core&, std::chrono::microseconds) override {
    flush();
    wait(std::chrono::microseconds(100));
  }
  void failed(core&, std::exception_ptr e) noexcept override {
    if (!error) error = e;
  }
};

template <class Body>
std::vector<std::string> run_on_ranks(in_process_options options, Body body) {
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
      message_engine engine(context, *net);
      set_here(&context);
      duties d;
      {
        core c(d, {});
        try {
          body();
        } catch (const std::exception& e) {
          errors[r] = e.what();
        }
        ++done;
        try {
          std::uint64_t last = ~std::uint64_t{0};
          for (;;) {
            c.yield();
            if (!progress()) {
              flush();
              wait(std::chrono::microseconds(100));
            }
            const message_counts k = counts();
            sent[r] = k.sent;
            handled[r] = k.handled;
            if (done != ranks) continue;
            std::uint64_t all_handled = 0;
            std::uint64_t all_sent = 0;
            for (const auto& h : handled) all_handled += h;
            for (const auto& s : sent) all_sent += s;
            if (all_sent == all_handled && all_sent == last && !c.has_work()) break;
            last = all_sent == all_handled ? all_sent : ~std::uint64_t{0};
          }
        } catch (const std::exception& e) {
          errors[r] = e.what();
        }
      }
      context.slots.clear();
      set_here(nullptr);
    });
  for (std::thread& t : threads) t.join();
  return errors;
}

/// Runs body() as main of each of `ranks` ranks and expects no error.
template <class Body>
void on_ranks(int ranks, Body body, std::uint64_t seed = 1) {
  in_process_options o;
  o.ranks = ranks;
  o.seed = seed;
  for (const std::string& e : run_on_ranks(o, body)) EXPECT_EQ(e, "");
}

}  // namespace callisto::global::test

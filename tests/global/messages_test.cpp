// Messages on the in-process transport.
#include "../sanitizers.hpp"
#include "cluster.hpp"

#include <callisto/global/messages/unpack.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace callisto::global {
namespace {

using test::run_ranks;

constexpr in_process_options with_ranks(int ranks) {
  in_process_options o;
  o.ranks = ranks;
  return o;
}

void expect_no_errors(const std::vector<std::string>& errors) {
  for (const std::string& e : errors) EXPECT_EQ(e, "");
}

// A message carries a pointer only where all ranks share a process, as here.
class MessagesOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, MessagesOnRanks, testing::Values(1, 2, 7, tests::sanitized ? 16 : 64));

TEST_P(MessagesOnRanks, EachArrivesOnceAtItsRank) {
  const int ranks = GetParam();
  const int each = ranks > 10 ? 300 : 5000;
  std::vector<std::atomic<int>> got(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(each));
  std::atomic<int> wrong{0};
  expect_no_errors(run_ranks(with_ranks(ranks), [&] {
    for (int i = 0; i < each; ++i) {
      const int to = (i * 13 + here().rank) % ranks;
      send(to, [&got, &wrong, to, at = here().rank * each + i] {
        if (here().rank != to || !in_handler()) ++wrong;
        ++got[static_cast<std::size_t>(at)];
      });
    }
  }));
  EXPECT_EQ(wrong, 0);
  for (const auto& g : got) ASSERT_EQ(g, 1);
}

TEST_P(MessagesOnRanks, HandlersAnswer) {
  const int ranks = GetParam();
  const int each = ranks > 10 ? 100 : 3000;
  std::vector<std::atomic<int>> answers(static_cast<std::size_t>(ranks));
  expect_no_errors(run_ranks(with_ranks(ranks), [&] {
    for (int i = 0; i < each; ++i)
      send((i + here().rank) % ranks, [&answers, from = here().rank] {
        send(from, [&answers, from] { ++answers[static_cast<std::size_t>(from)]; });
      });
  }));
  for (const auto& a : answers) EXPECT_EQ(a, each);
}

TEST_P(MessagesOnRanks, PayloadsOfAnyLengthArriveWhole) {
  const int ranks = GetParam();
  std::atomic<int> right{0};
  const std::size_t lengths[] = {0, 1, 7, 8, 9, 100, 5000, most_payload};
  expect_no_errors(run_ranks(with_ranks(ranks), [&] {
    for (const std::size_t n : lengths) {
      std::vector<std::byte> bytes(n);
      for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i * 7 + n);
      for (int to = 0; to < ranks; ++to)
        send(
            to,
            [&right, n](std::span<const std::byte> got) {
              bool same = got.size() == n;
              for (std::size_t i = 0; same && i < n; ++i) same = got[i] == static_cast<std::byte>(i * 7 + n);
              if (same) ++right;
            },
            bytes);
    }
  }));
  EXPECT_EQ(right, static_cast<int>(std::size(lengths)) * ranks * ranks);
}

/// Adds what arrived behind an equal group.
struct adder {
  std::atomic<std::uint64_t>* sum;
  std::atomic<std::uint64_t>* runs;
  std::uint64_t factor;
  void operator()(std::span<const std::uint64_t> all) const {
    ++*runs;
    for (const std::uint64_t x : all) *sum += factor * x;
  }
};

TEST_P(MessagesOnRanks, RecordsOfGroupsArriveWhole) {
  std::atomic<std::uint64_t> sum{0};
  std::atomic<std::uint64_t> runs{0};
  constexpr std::uint64_t records = 3000;
  const auto ranks = static_cast<std::uint64_t>(GetParam());
  expect_no_errors(run_ranks(with_ranks(GetParam()), [&] {
    for (std::uint64_t i = 0; i < records; ++i) {
      const std::uint64_t factor = i < records / 2 ? 1 : 100;
      send_grouped(static_cast<int>((static_cast<std::uint64_t>(here().rank) + i) % ranks), adder{&sum, &runs, factor},
                   i);
    }
  }));
  const std::uint64_t low = (records / 2) * (records / 2 - 1) / 2;
  const std::uint64_t all = records * (records - 1) / 2;
  EXPECT_EQ(sum, ranks * (low + 100 * (all - low)));
  EXPECT_GE(runs, ranks * std::min(ranks, records) * 2);
  EXPECT_LE(runs, ranks * records);
}

TEST(Messages, RandomDelaysAndOvertakingLoseNothing) {
  in_process_options o = with_ranks(5);
  o.most_delay = std::chrono::microseconds(300);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    o.seed = seed;
    std::atomic<std::uint64_t> sum{0};
    expect_no_errors(run_ranks(o, [&] {
      for (std::uint64_t i = 0; i < 3000; ++i)
        send(static_cast<int>((i * seed) % 5), [&sum, i] {
          sum += i;
          if (i % 3 == 0) send(static_cast<int>(i % 5), [&sum] { sum += 1; });
        });
    }));
    EXPECT_EQ(sum, 5 * (3000 * 2999 / 2 + 1000));
  }
}

TEST(Messages, TwoHopsReachEachRank) {
  in_process_options o = with_ranks(12);
  o.ranks_per_node = 3;
  message_options m;
  m.most_hops = 2;
  std::vector<std::atomic<int>> got(12);
  std::atomic<std::uint64_t> forwarded{0};
  expect_no_errors(run_ranks(
      o,
      [&] {
        for (int i = 0; i < 1200; ++i) send(i % 12, [&got] { ++got[static_cast<std::size_t>(here().rank)]; });
        // Ranks pass on messages until all are there.
        while (std::accumulate(got.begin(), got.end(), 0) != 12 * 1200)
          if (!progress()) flush();
        forwarded += here().messages->statistics().forwarded_bytes;
      },
      m));
  for (const auto& g : got) EXPECT_EQ(g, 1200);
  EXPECT_GT(forwarded, 0u);
}

TEST(Messages, WithoutAggregationEachIsAPacket) {
  message_options m;
  m.most_piece = 0;
  std::atomic<int> got{0};
  std::atomic<std::uint64_t> packets{0};
  expect_no_errors(run_ranks(
      with_ranks(2),
      [&] {
        for (int i = 0; i < 1000; ++i) send(1 - here().rank, [&got] { ++got; });
        while (got != 2000)
          if (!progress()) flush();
        packets += here().messages->statistics().packets;
      },
      m));
  EXPECT_EQ(got, 2000);
  EXPECT_GE(packets, 2000u);
}

TEST(Messages, RunsOfOneHandlerTakeSixteenBytesAnUpdate) {
  std::atomic<std::uint64_t> bytes{0};
  static std::atomic<int> got;
  got = 0;
  expect_no_errors(run_ranks(with_ranks(2), [&] {
    struct update {
      std::uint64_t at, value;
      void operator()() const { got += at + value == 7; }
    };
    for (std::uint64_t i = 0; i < 100000; ++i) send(1 - here().rank, update{3, 4});
    while (got != 200000)
      if (!progress()) flush();
    bytes += here().messages->statistics().message_bytes;
  }));
  EXPECT_LT(static_cast<double>(bytes), 200000 * 16.05);
}

TEST(Messages, AFastSenderWaitsForItsWindow) {
  message_options m;
  m.window = std::size_t{512} << 10;
  struct padded {
    std::atomic<int>* count;
    std::byte more[56];
    void operator()() const { ++*count; }
  };
  constexpr int messages = 100000;  // 6.4 MB: a dozen windows
  std::atomic<int> written{0};
  std::atomic<int> got{0};
  std::atomic<int> most_ahead{0};
  expect_no_errors(run_ranks(
      with_ranks(2),
      [&] {
        if (here().rank != 0) return;
        for (int i = 0; i < messages; ++i) {
          send(1, padded{&got, {}});
          most_ahead = std::max(most_ahead.load(), ++written - got.load());
        }
      },
      m));
  EXPECT_EQ(got, messages);
  // The window, the piece that is being filled, and what was handled but not confirmed.
  EXPECT_LT(most_ahead * 64, 512 * 1024 + 2 * 65536);
}

TEST(Messages, ADyingRankEndsTheJobWithOneLine) {
  in_process_options o = with_ranks(4);
  o.failures.push_back({.rank = 2, .after = 50, .way = planned_failure::ways::dies});
  const auto errors = run_ranks(o, [&] {
    for (;;) {
      send((here().rank + 1) % 4, [] {});
      if (!progress()) flush();
    }
  });
  for (const std::string& e : errors) EXPECT_EQ(e, "callisto: rank 2 of 4 at host node2: died");
}

TEST(Messages, AHandlerThatThrowsEndsTheJobWithOneLine) {
  const auto errors = run_ranks(with_ranks(2), [&] {
    if (here().rank == 0) send(1, [] { throw std::runtime_error("no more beans"); });
    for (;;)
      if (!progress()) flush();
  });
  for (const std::string& e : errors)
    EXPECT_EQ(e, "callisto: rank 1 of 2 at host node1: a message handler threw an exception: no more beans");
}

TEST(Messages, ARankThatIsNotThereIsRefused) {
  const auto errors = run_ranks(with_ranks(2), [&] {
    if (here().rank == 0) send(2, [] {});
  });
  EXPECT_EQ(errors[0], "callisto::global::send: to rank 2; expected 0 to 1");
}

TEST(Messages, OutsideOfASessionNothingIsSent) {
  try {
    send(0, [] {});
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "callisto::global: this thread works for no rank; a global::session must be alive in it");
  }
}

// Threads of one rank send beside each other; whichever finds the engine free makes progress.
TEST(Messages, ThreadsOfARankSendBesideEachOther) {
  std::atomic<int> got{0};
  expect_no_errors(run_ranks(with_ranks(2), [&] {
    std::vector<std::thread> threads;
    rank_context* rank = &here();
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, rank] {
        set_here(rank);
        for (int i = 0; i < 5000; ++i) send(i % 2, [&got] { ++got; });
        set_here(nullptr);  // what it has sent leaves when it is overdue
      });
    for (std::thread& t : threads) t.join();
    while (got != 2 * 3 * 5000)
      if (!progress()) flush();
  }));
  EXPECT_EQ(got, 2 * 3 * 5000);
}

TEST(Handlers, NumbersAreThoseOfTheTable) {
  const handler_table& table = handler_table::get();
  ASSERT_GT(table.size(), 5u);
  for (std::size_t i = 0; i < table.size(); ++i) EXPECT_EQ(table[static_cast<handler_id>(i)].id, i);
  EXPECT_EQ(table.hash(), handler_table::get().hash());
}

std::string unpacked(std::vector<std::byte> bytes) {
  return unpack(bytes.data(), bytes.size(), 3, 2, [](const run_header&, const std::byte*) { return true; });
}

TEST(Unpack, SaysWhatIsDamaged) {
  packet_header h;
  h.bytes = 24 + 8 + 16;
  run_header run{.id = 1, .to = 1, .bytes = 16};
  const auto bytes = [&] {
    std::vector<std::byte> b(24 + 8 + 16);
    std::memcpy(b.data(), &h, sizeof h);
    std::memcpy(b.data() + 24, &run, sizeof run);
    return b;
  };
  EXPECT_EQ(unpacked(bytes()), "");
  run.id = 3;
  EXPECT_EQ(unpacked(bytes()), "the run at byte 24 has handler 3");
  run = {.id = 1, .to = 2, .bytes = 16};
  EXPECT_EQ(unpacked(bytes()), "the run at byte 24 goes to rank 2");
  run = {.id = 1, .to = 1, .bytes = 24};
  EXPECT_EQ(unpacked(bytes()), "the run at byte 24 has 24 bytes; 16 are left");
  run.bytes = 12;
  EXPECT_EQ(unpacked(bytes()), "the run at byte 24 has 12 bytes; 16 are left");
  run.bytes = 12;
  h.source = 2;
  EXPECT_EQ(unpacked(bytes()), "it comes from rank 2");
  h.source = 0;
  h.bytes = 47;
  EXPECT_EQ(unpacked(bytes()), "it has 48 bytes; its header says 47");
  h.magic = 1;
  EXPECT_EQ(unpacked(bytes()), "byte 7 is 1; expected 197");
  EXPECT_EQ(unpacked(std::vector<std::byte>(5)), "5 bytes; expected a header of 24");
}

}  // namespace
}  // namespace callisto::global

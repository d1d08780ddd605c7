// The memory model: litmus programs under delays and reordering. Their forbidden outcomes must not appear.
#include "on_ranks.hpp"

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/synchronization/completion_event.hpp>
#include <callisto/global/synchronization/mutex.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace callisto::global {
namespace {

using words = array<std::uint64_t>;

/// Runs test(x, y) as a round at 4 ranks, many times, with packets that overtake each other. x and y lie at ranks 0 and
/// 3, in the middle, or both at rank 1.
template <class Test>
void in_rounds(Test test) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const unsigned threads : {1U, 2U}) {
      test::on_ranks(4,
                     [&] {
                       auto x = make_array<std::uint64_t>(1, symmetric);
                       auto y = make_array<std::uint64_t>(1, symmetric);
                       for (int round = 0; round < 30; ++round) {
                         x.local()[0] = 0;
                         y.local()[0] = 0;
                         barrier();
                         const int at = round % 3;
                         test(x.at(at == 0 ? 0 : 1, 0), y.at(at == 0 ? 3 : at == 1 ? 2 : 1, 0));
                         barrier();
                       }
                     },
                     {.threads = threads, .most_delay = std::chrono::microseconds(100), .seed = seed});
    }
  }
}

TEST(Litmus, MessagePassing) {
  in_rounds([](auto x, auto y) {
    if (here().rank == 0) {
      write(x, 1U);
      write(y, 1U);
    } else {
      const std::uint64_t flag = read(y);
      const std::uint64_t data = read(x);
      EXPECT_FALSE(flag == 1 && data == 0) << "the data are older than the flag";
    }
  });
}

TEST(Litmus, StoreBuffering) {
  in_rounds([](auto x, auto y) {
    std::uint64_t seen = 1;
    if (here().rank == 1) {
      write(x, 1U);
      seen = read(y);
    } else if (here().rank == 2) {
      write(y, 1U);
      seen = read(x);
    }
    EXPECT_GE(reduce_all(seen), 3U) << "one of two writers sees the other's write; ranks 0 and 3 add 2";
  });
}

TEST(Litmus, LoadBuffering) {
  in_rounds([](auto x, auto y) {
    std::uint64_t seen = 0;
    if (here().rank == 0) {
      seen = read(x);
      write(y, 1U);
    } else if (here().rank == 3) {
      seen = read(y);
      write(x, 1U);
    }
    EXPECT_LE(reduce_all(seen), 1U) << "both read what comes later";
  });
}

TEST(Litmus, IndependentReadsOfIndependentWrites) {
  in_rounds([](auto x, auto y) {
    std::uint64_t disagrees = 0;
    if (here().rank == 0) write(x, 1U);
    if (here().rank == 3) write(y, 1U);
    if (here().rank == 1) disagrees = read(x) == 1 && read(y) == 0 ? 1 : 0;
    if (here().rank == 2) disagrees = read(y) == 1 && read(x) == 0 ? 1 : 0;
    EXPECT_LE(reduce_all(disagrees), 1U) << "two readers see the writes in opposite orders";
  });
}

TEST(Litmus, AnEventPublishesWhatWasPosted) {
  in_rounds([](auto x, auto y) {
    if (here().rank == 0) {
      completion_event e;
      for (int i = 0; i < 10; ++i) post_add(e, x, 1U);
      e.wait();
      write(y, 1U);
    } else if (read(y) == 1) {
      EXPECT_EQ(read(x), 10U);
    }
  });
}

}  // namespace
}  // namespace callisto::global

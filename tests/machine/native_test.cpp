// The native machine policy: clock, waiting, parking.
#include <callisto/machine/native.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <unistd.h>

namespace callisto::machine {
namespace {

using namespace std::chrono_literals;

TEST(Native, TicksRunAtTheRateGiven) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t t0 = native::ticks();
  std::this_thread::sleep_for(20ms);
  const std::uint64_t t1 = native::ticks();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const double measured = double(t1 - t0) / double(native::ticks_per_second());
  EXPECT_NEAR(measured / elapsed.count(), 1.0, 0.05);
}

TEST(Native, AWaitEndsWithTheValueThatEndsIt) {
  for (const patience p : {patience::brief, patience::lasting}) {
    native::atomic<std::uint32_t> word(0);
    int written = 0;  // plain: the wait must order it
    std::jthread other([&] {
      written = 7;
      word.store(3, order::release);
    });
    std::uint32_t value = 0;
    do {
      value = native::wait_while(word, [](std::uint32_t v) { return v == 0; }, p);
    } while (value == 0);
    EXPECT_EQ(value, 3u);
    EXPECT_EQ(written, 7);
  }
}

TEST(Native, AVainWaitRunsOutOfPatience) {
  native::atomic<std::uint64_t> word(0);
  for (const patience p : {patience::brief, patience::lasting}) {
    EXPECT_EQ(native::wait_while(word, [](std::uint64_t v) { return v == 0; }, p), 0u);
  }
}

TEST(Native, ParkReturnsAtOnceIfTheLowHalfDiffersAndIgnoresTheHighHalf) {
  native::atomic<std::uint64_t> word((std::uint64_t{9} << 32) | 1);
  native::park(word, 0);  // would hang otherwise
  std::jthread waker([&] {
    std::this_thread::sleep_for(5ms);
    word.fetch_or(2, order::release);
    native::unpark(word, 1);
  });
  while ((word.load(order::acquire) & 2) == 0) native::park(word, 1);
}

TEST(Native, AtomicsDoWhatTheirNamesSay) {
  native::atomic<std::uint32_t> a(5);
  EXPECT_EQ(a.fetch_add(3, order::relaxed), 5u);
  EXPECT_EQ(a.fetch_sub(1, order::acq_rel), 8u);
  EXPECT_EQ(a.fetch_or(8, order::acquire), 7u);
  EXPECT_EQ(a.fetch_and(12, order::release), 15u);
  EXPECT_EQ(a.exchange(1, order::relaxed), 12u);
  std::uint32_t expected = 2;
  EXPECT_FALSE(a.compare_exchange(expected, 9, order::relaxed));
  EXPECT_EQ(expected, 1u);
  while (!a.compare_exchange(expected, 9, order::relaxed)) {
  }
  EXPECT_EQ(a.load(order::relaxed), 9u);
}

TEST(Native, OfTwoThreadsOneSeesTheOthersStoreWhereALightFenceMeetsAHeavyOne) {
  if (!native::has_heavy_fence()) GTEST_SKIP() << "no membarrier here";
  constexpr std::uint32_t rounds = 3000;
  struct alignas(native::line_size) word {
    native::atomic<std::uint32_t> value{0};
  };
  std::array<word, 2> stored;
  std::array<word, 2> done;
  std::array<std::vector<std::uint32_t>, 2> saw;
  const auto live = [&](std::size_t me) {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      stored[me].value.store(round, order::relaxed);
      if (me == 0) {
        native::light_fence();
      } else {
        native::heavy_fence();
      }
      saw[me].push_back(stored[1 - me].value.load(order::relaxed));
      done[me].value.store(round, order::release);
      while (done[1 - me].value.load(order::acquire) < round) std::this_thread::yield();
    }
  };
  {
    std::jthread other(live, 1);
    live(0);
  }
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    EXPECT_TRUE(saw[0][round - 1] == round || saw[1][round - 1] == round) << "round " << round;
  }
}

TEST(Native, GivesAThreadItsRoomAgain) {
  // Allocates as the loops of one leader do, each with several rooms.
  std::set<std::byte*> first;
  std::set<std::byte*> second;
  for (auto* const rooms : {&first, &second}) {
    for (const std::size_t bytes : {5000u, 300u, 70'000u, 5000u}) {
      std::byte* const room = native::take_room(bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % native::line_size, 0u);
      std::memset(room, 1, bytes);
      EXPECT_TRUE(rooms->insert(room).second);
    }
    for (std::byte* const room : *rooms) native::give_room(room);
  }
  EXPECT_EQ(first, second);
  // More rooms than are kept.
  std::vector<std::byte*> many;
  for (std::size_t i = 0; i < 30; ++i) many.push_back(native::take_room(1000 * (1 + i % 7)));
  for (std::byte* const room : many) native::give_room(room);
}

// However much of a spin another thread had the processor: at most its length is taken off.
TEST(Native, SpinningInVainIsNoWork) {
  const auto used = [] { return static_cast<std::int64_t>(processor_time_of(getpid())); };
  const native::atomic<std::uint32_t> never{0};
  const std::int64_t used_before = used();
  const std::int64_t worked_before = native::working_time();
  for (int i = 0; i < 100; ++i) native::wait_while(never, [](std::uint32_t v) { return v == 0; }, patience::lasting);
  const std::int64_t worked = native::working_time() - worked_before;
  EXPECT_LT(worked, used() - used_before - 10'000'000) << "100 spins of some 200 us each";
}

TEST(Native, NamesItsWaitInstruction) { EXPECT_GT(std::strlen(native::wait_instruction()), 0u); }

}  // namespace
}  // namespace callisto::machine

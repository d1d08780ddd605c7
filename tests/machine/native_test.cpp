// The native machine policy: clock, waiting, parking.
#include <callisto/machine/native.hpp>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

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

TEST(Native, NamesItsWaitInstruction) { EXPECT_GT(std::strlen(native::wait_instruction()), 0u); }

}  // namespace
}  // namespace callisto::machine

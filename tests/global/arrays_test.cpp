// Arrays of each distribution, and checkpoints.
#include "../sanitizers.hpp"
#include "on_ranks.hpp"

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/arrays/checkpoint.hpp>
#include <callisto/global/synchronization/completion_event.hpp>
#include <callisto/machine/system/error.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace callisto::global {
namespace {

using test::on_ranks;

class Arrays : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Arrays, testing::Values(1, 2, 4, 7, tests::sanitized ? 16 : 64));

TEST_P(Arrays, EachElementHasOneOwner) {
  on_ranks(GetParam(), [] {
    for (const std::uint64_t n : {0, 1, 5, 63, 64, 65, 1000}) {
      for (const distribution how : {by_block, cyclic(1), cyclic(7)}) {
        auto a = make_array<std::uint64_t>(n, how);
        EXPECT_EQ(a.size(), n);
        std::uint64_t own = 0;
        for (std::uint64_t i = 0; i < n; ++i) {
          ASSERT_EQ(a[i].rank(), a.owner(i));
          if (a.owner(i) != here().rank) continue;
          ++own;
          ASSERT_EQ(*a[i].pointer(), 0U);
          *a[i].pointer() = i + 1;
        }
        ASSERT_EQ(own, a.local().size());
        for (std::uint64_t i = 0; i < own; ++i) {
          ASSERT_EQ(a.local()[i], a.index_of(i) + 1);
          ASSERT_EQ(a[a.index_of(i)], a.at(here().rank, i));
        }
        EXPECT_EQ(reduce_all(own), n);
        free(a);
      }
    }
  });
}

TEST_P(Arrays, SymmetricOnesAreOfEachRank) {
  on_ranks(GetParam(), [] {
    auto a = make_array<int>(10, symmetric);
    EXPECT_EQ(a.local().size(), 10U);
    for (int rank = 0; rank < here().ranks; ++rank) increment(a.at(rank, 3));
    barrier();
    EXPECT_EQ(read(a[3]), here().ranks);
    EXPECT_EQ(a[3].rank(), here().rank);
    barrier();
    free(a);
  });
}

TEST_P(Arrays, HandlesWorkInsideDelegates) {
  on_ranks(GetParam(), [] {
    auto a = make_array<int>(100);
    auto b = make_array<int>(100, cyclic(1));
    completion_event e;
    const completion_ticket t = e.ticket();
    for (std::uint64_t i = 0; i < 100; ++i) {
      post_call(e, a[i], [b, i, t](int& x) {
        ++x;
        post_add(t, b[99 - i], 2);
      });
    }
    e.wait();
    barrier();
    for (const int x : a.local()) EXPECT_EQ(x, here().ranks);
    for (const int x : b.local()) EXPECT_EQ(x, 2 * here().ranks);
    barrier();
  });
}

struct file {
  std::string path =
      (std::filesystem::temp_directory_path() / ("callisto_array_" + std::to_string(::getpid()))).string();
  ~file() {
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".unfinished");
  }
};

TEST_P(Arrays, AreSavedAndRestoredByAnyNumberOfRanks) {
  const file f;
  on_ranks(GetParam(), [&] {
    auto a = make_array<std::uint32_t>(1000, cyclic(3));
    for (std::uint64_t i = 0; i < a.local().size(); ++i) a.local()[i] = static_cast<std::uint32_t>(a.index_of(i) * 7);
    save(a, f.path);
    for (auto& x : a.local()) x = 0;
    save(a, f.path + ".zeros");
    restore(a, f.path);
    for (std::uint64_t i = 0; i < a.local().size(); ++i) ASSERT_EQ(a.local()[i], a.index_of(i) * 7);
  });
  EXPECT_FALSE(std::filesystem::exists(f.path + ".unfinished"));
  std::filesystem::remove(f.path + ".zeros");
  on_ranks(3, [&] {
    auto b = make_array<std::uint32_t>(1000);
    restore(b, f.path);
    for (std::uint64_t i = 0; i < b.local().size(); ++i) ASSERT_EQ(b.local()[i], b.index_of(i) * 7);
    auto c = make_array<std::uint32_t>(999);
    EXPECT_THROW(restore(c, f.path), input_error) << "other size";
    EXPECT_THROW(restore(c, f.path + ".none"), input_error) << "no file";
    EXPECT_THROW(save(c, "/proc/none/x"), output_error) << "no folder";
  });
}

TEST(Checkpoint, SymmetricArraysAndCutFiles) {
  const file f;
  on_ranks(2, [&] {
    auto a = make_array<int>(50, symmetric);
    for (std::uint64_t i = 0; i < 50; ++i) a.local()[i] = here().rank * 1000 + static_cast<int>(i);
    save(a, f.path);
    for (auto& x : a.local()) x = -1;
    restore(a, f.path);
    for (std::uint64_t i = 0; i < 50; ++i) ASSERT_EQ(a.local()[i], here().rank * 1000 + static_cast<int>(i));
    barrier();
    if (here().rank == 0) std::filesystem::resize_file(f.path, 4096 + 50 * 4 + 10);
    barrier();
    std::string text;
    try {
      restore(a, f.path);
    } catch (const input_error& e) {
      text = e.what();
    }
    EXPECT_NE(text.find("rank 1: the file ends early"), std::string::npos) << text;
    barrier();
    if (here().rank == 0) std::ofstream(f.path) << std::string(5000, 'x');
    barrier();
    EXPECT_THROW(restore(a, f.path), input_error) << "another file";
  });
}

TEST(ArrayErrors, IndicesAreToldWithArrayAndPlace) {
  on_ranks(3, [] {
    auto a = make_array<int>(10);
    auto each = make_array<int>(4, symmetric);
    const auto told = [](const auto& f) -> std::string {
      try {
        f();
      } catch (const usage_error& e) {
        return e.what();
      }
      return "";
    };
    std::string text = told([&] { read(a[std::uint64_t{1} << 40]); });
    EXPECT_NE(text.find("index 1099511627776 of array number 0, which has 10 elements; expected 0 to 9"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("arrays_test.cpp:" + std::to_string(__LINE__ - 4)), std::string::npos) << text;
    EXPECT_NE(told([&] { read(a[10]); }), "") << "one past the end";
    EXPECT_NE(told([&] { read(a[-1]); }).find("index -1 of"), std::string::npos);
    EXPECT_NE(told([&] { read(each[4]); }), "");
    EXPECT_NE(told([&] { static_cast<void>(a.at(3, 0)); }).find("the part of rank 3"), std::string::npos);
    EXPECT_NE(told([&] { static_cast<void>(each.at(1, 4)); }).find("index 4 in the part of rank 1"), std::string::npos);
    EXPECT_NE(told([&] { static_cast<void>(a.owner(10)); }), "");
    EXPECT_NE(told([&] { read(global_address<int>()); }).find("null address"), std::string::npos);
    EXPECT_NE(told([&] { read(array<int>()[0]); }), "") << "no array";
    barrier();
  });
}

TEST(ArrayErrors, RanksMustAgree) {
  const std::string text = test::error_on_ranks(2, [] { make_array<int>(here().rank == 0 ? 5 : 6); });
  // Each rank finds the difference, and any of them may be the first to tell.
  EXPECT_TRUE(text.find("an array of 5 elements, rank 1 one of 6") != std::string::npos ||
              text.find("an array of 6 elements, rank 0 one of 5") != std::string::npos)
      << text;
  EXPECT_NE(text.find("arrays_test.cpp"), std::string::npos) << text;
}

}  // namespace
}  // namespace callisto::global

// page_array: zeroed, aligned for huge pages, shrinking, moving, viewing, refusing the impossible; used pages.
#include <callisto/machine/system/page_array.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// True if the page at `address` is mapped.
bool mapped(const void* address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const first = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) / page * page);
  unsigned char resident = 0;
  return mincore(first, 1, &resident) == 0;
}

TEST(page_array, fresh_pages_are_zero_and_writable) {
  page_array<std::uint32_t> a(1000);
  ASSERT_EQ(a.size(), 1000u);
  for (const std::uint32_t x : a) ASSERT_EQ(x, 0u);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint32_t>(i);
  EXPECT_EQ(std::span<const std::uint32_t>(a)[999], 999u);
}

TEST(page_array, large_arrays_are_aligned_for_huge_pages) {
  for (const std::size_t bytes : {huge_page, huge_page + 1, 3 * huge_page - 1}) {
    page_array<char> a(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % huge_page, 0u);
    a[bytes - 1] = 1;
  }
}

TEST(page_array, empty) {
  page_array<int> none;
  page_array<int> zero(0);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(zero.empty());
  EXPECT_EQ(zero.begin(), zero.end());
  zero.shrink(0);
  EXPECT_EQ(zero.size(), 0u);
}

TEST(page_array, shrinking_keeps_the_front_and_unmaps_the_rest) {
  page_array<char> a(4 * huge_page);
  a[0] = 'a';
  a[99] = 'z';
  const char* const begin = a.data();
  a.shrink(5 * huge_page);  // never grows
  EXPECT_EQ(a.size(), 4 * huge_page);
  a.shrink(100);
  EXPECT_EQ(a.size(), 100u);
  EXPECT_EQ(a.data(), begin);
  EXPECT_EQ(a[0], 'a');
  EXPECT_EQ(a[99], 'z');
  EXPECT_TRUE(mapped(begin));
  EXPECT_FALSE(mapped(begin + huge_page));
  a.shrink(0);
  EXPECT_TRUE(a.empty());
  EXPECT_FALSE(mapped(begin));
}

TEST(page_array, moving_leaves_nothing_behind_and_frees_what_it_replaces) {
  page_array<int> a(10);
  a[3] = 7;
  const int* const data = a.data();
  page_array<int> b(std::move(a));
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b[3], 7);
  page_array<int> c(huge_page);
  const int* const replaced = c.data();
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size(), 10u);
  EXPECT_FALSE(mapped(replaced));
}

TEST(page_array, destruction_unmaps) {
  const char* data = nullptr;
  {
    const page_array<char> a(huge_page);
    data = a.data();
    EXPECT_TRUE(mapped(data));
  }
  EXPECT_FALSE(mapped(data));
}

TEST(page_array, used_pages_go_to_the_next_array_of_their_length) {
  const std::size_t length = 3 * huge_page + 12345;
  const char* data = nullptr;
  {
    page_array<char> a(length, page_kind::used);
    data = a.data();
    a[0] = 'a';
    a[length - 1] = 'z';
  }
  EXPECT_TRUE(mapped(data));
  {
    const page_array<char> other(length, page_kind::huge);
    EXPECT_NE(other.data(), data);
    EXPECT_EQ(other[0], 0) << "only who asks for used pages gets them";
    const page_array<char> shorter(length - huge_page, page_kind::used);
    EXPECT_NE(shorter.data(), data);
    page_array<char> same(length, page_kind::used);
    EXPECT_EQ(same.data(), data);
    EXPECT_EQ(same[length - 1], 'z');
    page_array<char> moved;
    moved = std::move(same);  // they stay what they are
    const page_array<char> another(length, page_kind::used);
    EXPECT_NE(another.data(), data);
  }
  const page_array<char> again(length, page_kind::used);
  EXPECT_TRUE(mapped(data));
}

TEST(page_array, no_more_is_kept_than_promised) {
  const std::size_t length = most_kept_pages / 4 + huge_page;
  std::vector<const char*> all;
  {
    std::vector<page_array<char>> arrays;
    for (int i = 0; i < 5; ++i) arrays.emplace_back(length, page_kind::used);
    for (const auto& a : arrays) all.push_back(a.data());
  }
  std::size_t kept = 0;
  for (const char* data : all) kept += mapped(data) ? 1 : 0;
  EXPECT_EQ(kept, 3u);
  const char* data = nullptr;
  {
    const page_array<char> large(most_kept_pages + 1, page_kind::used);
    data = large.data();
  }
  EXPECT_FALSE(mapped(data));
}

TEST(page_array, small_arrays_take_dead_pages_and_read_as_zeros) {
  for (const page_kind kind : {page_kind::huge, page_kind::small}) {
    for (const std::size_t length : {std::size_t{1}, std::size_t{4096}, std::size_t{60'000}}) {
      const char* data = nullptr;
      {
        page_array<char> a(length, kind);
        data = a.data();
        std::ranges::fill(a, 'a');
      }
      const page_array<char> again(length, kind);
      EXPECT_EQ(again.data(), data);
      EXPECT_TRUE(std::ranges::all_of(again, [](char c) { return c == 0; }));
      const page_array<char> other(length, kind);
      EXPECT_NE(other.data(), data);
    }
  }
}

TEST(page_array, no_more_small_arrays_are_kept_than_promised) {
  std::vector<const char*> all;
  {
    std::vector<page_array<char>> arrays;
    for (int i = 0; i < 100; ++i) arrays.emplace_back(std::size_t{60'000}, page_kind::small);
    for (const auto& a : arrays) all.push_back(a.data());
  }
  const auto kept = std::ranges::count_if(all, [](const char* data) { return mapped(data); });
  EXPECT_GT(kept, 0);
  EXPECT_LE(kept, (1 << 20) / 60'000);
}

TEST(page_array, threads_share_used_pages) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 2000; ++i) {
        page_array<int> mine(5000 + static_cast<std::size_t>(i % 3) * 1024, page_kind::used);
        mine[0] = mine[4999] = t;
        std::this_thread::yield();
        ASSERT_EQ(mine[0], t);
        ASSERT_EQ(mine[4999], t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(page_array, a_view_keeps_its_owner_alive) {
  auto owner = std::make_shared<std::vector<int>>(std::vector<int>{1, 2, 3});
  const std::weak_ptr<std::vector<int>> watch = owner;
  {
    page_array<int> a = page_array<int>::view(*owner, owner);
    owner.reset();
    ASSERT_FALSE(watch.expired());
    EXPECT_EQ(a.size(), 3u);
    a.shrink(2);
    EXPECT_EQ(a.size(), 2u);
    EXPECT_EQ(a[1], 2);
    page_array<int> b;
    b = std::move(a);
    EXPECT_EQ(b[0], 1);
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(page_array, impossible_sizes_throw) {
  EXPECT_THROW(page_array<std::uint64_t>(~std::size_t{0}), std::bad_alloc);
  EXPECT_THROW(page_array<std::uint64_t>(~std::size_t{0} / 8), std::bad_alloc);
  EXPECT_THROW(page_array<std::uint64_t>((~std::size_t{0} >> 1) / 8), std::bad_alloc);
  EXPECT_THROW(page_array<char>(std::size_t{1} << 60), std::bad_alloc);
}

}  // namespace
}  // namespace callisto::machine

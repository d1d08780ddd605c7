// The meaning of the environment variables, and that invalid ones count as unset.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/settings/icv.hpp>
#include <callisto/openmp/settings/libgomp_version.hpp>
#include <callisto/openmp/settings/places.hpp>
#include <callisto/openmp/settings/text_reader.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

CALLISTO_OPENMP_ABI void* omp_alloc(std::size_t size, std::uintptr_t allocator);
CALLISTO_OPENMP_ABI void omp_free(void* piece, std::uintptr_t allocator);

namespace callisto::openmp {
namespace {

/// Reads the environment with one more variable. Stores the messages about it in `complaints`.
process_icvs with(const char* name, const char* value, std::string* complaints = nullptr,
                  boolean_words booleans = boolean_words::of_libgomp) {
  setenv(name, value, 1);
  testing::internal::CaptureStderr();
  process_icvs result = read_environment(booleans);
  const std::string said = testing::internal::GetCapturedStderr();
  unsetenv(name);
  if (complaints != nullptr) {
    *complaints = said;
  } else {
    EXPECT_EQ(said, "") << name << "=" << value;
  }
  return result;
}

TEST(TextReader, WordsSignsAndNumbers) {
  text_reader from("  Dynamic , 12 :+3x");
  EXPECT_FALSE(from.word("static"));
  EXPECT_TRUE(from.word("dynamic"));
  EXPECT_TRUE(from.sign(','));
  EXPECT_EQ(from.number<int>(), 12);
  EXPECT_FALSE(from.sign(','));
  EXPECT_TRUE(from.sign(':'));
  EXPECT_EQ(from.number<unsigned>(), 3U);
  EXPECT_EQ(from.number<int>(), std::nullopt);
  EXPECT_FALSE(from.at_end());
  EXPECT_TRUE(from.word("x"));
  EXPECT_TRUE(from.at_end());
  EXPECT_EQ(text_reader("+").number<int>(), std::nullopt);
  EXPECT_EQ(text_reader("+-5").number<int>(), std::nullopt);
  EXPECT_EQ(text_reader("99999999999").number<int>(), std::nullopt);
  EXPECT_EQ(text_reader("-5").number<long>(), -5);
}

TEST(Variables, WordsOfLibomp) {
  const auto nested = [](const char* text, std::string* said = nullptr) {
    return with("OMP_NESTED", text, said, boolean_words::of_libomp).initial.max_active_levels > 1;
  };
  for (const char* const yes : {"true", "1", "Yes", "on", ".T.", ".true.", " 1 "}) EXPECT_TRUE(nested(yes)) << yes;
  for (const char* const no : {"false", "0", "NO", "off", ".f.", ".FALSE."}) EXPECT_FALSE(nested(no)) << no;
  std::string said;
  for (const char* const bad : {"10", "yess", "", "2"}) {
    EXPECT_FALSE(nested(bad, &said)) << bad;
    EXPECT_NE(said, "") << bad;
  }
  // Programs of GCC's.
  for (const char* const word : {"1", "yes", "on"}) {
    EXPECT_FALSE(with("OMP_CANCELLATION", word, &said).cancellation) << word;
    EXPECT_NE(said, "") << word;
  }
}

TEST(Variables, OfLibomp) {
  EXPECT_EQ(with("KMP_BLOCKTIME", "10").spin_count, 3'000'000U);
  EXPECT_EQ(with("KMP_BLOCKTIME", "10").blocktime, 10);
  EXPECT_EQ(with("KMP_BLOCKTIME", "50us").spin_count, 15'000U);
  EXPECT_EQ(with("KMP_BLOCKTIME", "infinite").blocktime, INT_MAX);
  EXPECT_EQ(with("KMP_BLOCKTIME", "infinite").spin_count, 30'000'000'000U);
  EXPECT_EQ(with("OMP_WAIT_POLICY", "active").blocktime, INT_MAX);
  EXPECT_EQ(with("KMP_STACKSIZE", "4m").stack_bytes, std::size_t{4} << 20);
  EXPECT_EQ(with("KMP_STACKSIZE", "1048576").stack_bytes, std::size_t{1} << 20);
  EXPECT_EQ(with("KMP_DEVICE_THREAD_LIMIT", "7").initial.thread_limit, 7U);
  EXPECT_EQ(with("KMP_ALL_THREADS", "6").initial.thread_limit, 6U);
  EXPECT_EQ(with("KMP_TEAMS_THREAD_LIMIT", "5").teams_thread_limit, 5);
  EXPECT_EQ(with("KMP_LIBRARY", "turnaround").library, kmp_library::turnaround);
  EXPECT_EQ(with("KMP_LIBRARY", "serial").initial.threads, 1U);
  for (const char* const ignored : {"KMP_AFFINITY", "KMP_HW_SUBSET", "KMP_SETTINGS", "KMP_DUPLICATE_LIB_OK"})
    with(ignored, "1");
  // The standard's variables come first.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  EXPECT_EQ(with("KMP_BLOCKTIME", "10").spin_count, 0U);
  EXPECT_EQ(with("KMP_BLOCKTIME", "10").blocktime, 0);
  unsetenv("OMP_WAIT_POLICY");
  setenv("OMP_STACKSIZE", "2M", 1);
  EXPECT_EQ(with("KMP_STACKSIZE", "4m").stack_bytes, std::size_t{2} << 20);
  unsetenv("OMP_STACKSIZE");
  std::string complaints;
  EXPECT_EQ(with("KMP_BLOCKTIME", "soon", &complaints).blocktime, 200);
  EXPECT_NE(complaints.find("KMP_BLOCKTIME"), std::string::npos);
}

TEST(Variables, Schedule) {
  const task_icvs dynamic = with("OMP_SCHEDULE", " Dynamic , 5 ").initial;
  EXPECT_EQ(dynamic.schedule, schedule_kind::dynamic);
  EXPECT_EQ(dynamic.chunk, 5);
  EXPECT_FALSE(dynamic.monotonic);
  const task_icvs fixed = with("OMP_SCHEDULE", "static").initial;
  EXPECT_EQ(fixed.schedule, schedule_kind::fixed);
  EXPECT_EQ(fixed.chunk, 0);
  EXPECT_TRUE(fixed.monotonic);
  const task_icvs guided = with("OMP_SCHEDULE", "monotonic:guided").initial;
  EXPECT_EQ(guided.schedule, schedule_kind::guided);
  EXPECT_TRUE(guided.monotonic);
  for (const char* const bad : {"", "dynamic,", "dynamic,-1", "monotonic guided", "dynamic 4", "dynamic,99999999999"}) {
    std::string said;
    const task_icvs none = with("OMP_SCHEDULE", bad, &said).initial;
    EXPECT_NE(said.find("OMP_SCHEDULE"), std::string::npos) << bad;
    EXPECT_EQ(none.schedule, schedule_kind::dynamic) << bad;
    EXPECT_EQ(none.chunk, 1) << bad;
  }
  // Whether the kind survives an invalid rest depends on libgomp's version.
  for (const char* const bad : {"guided,", "guided 4", "monotonic:guided,x"}) {
    std::string said;
    const task_icvs kept = with("OMP_SCHEDULE", bad, &said).initial;
    EXPECT_NE(said.find("OMP_SCHEDULE"), std::string::npos) << bad;
    EXPECT_EQ(kept.schedule, as_gcc_13 ? schedule_kind::dynamic : schedule_kind::guided) << bad;
    EXPECT_EQ(kept.chunk, 1) << bad;
  }
}

TEST(Variables, ListsOfThreads) {
  const process_icvs levels = with("OMP_NUM_THREADS", "4, 3 ,2");
  EXPECT_EQ(levels.initial.threads, 4U);
  EXPECT_EQ(levels.threads_by_level, (std::vector<unsigned>{4, 3, 2}));
  EXPECT_EQ(levels.initial.max_active_levels, supported_active_levels);
  for (const char* const bad : {"0", "-3", "2,", "2 3", "x", "99999999999999999999"}) {
    std::string said;
    EXPECT_TRUE(with("OMP_NUM_THREADS", bad, &said).threads_by_level.empty());
    EXPECT_NE(said.find("OMP_NUM_THREADS"), std::string::npos) << bad;
  }
}

TEST(Variables, SizesAndSpins) {
  EXPECT_EQ(with("OMP_STACKSIZE", "2 M").stack_bytes, 2U << 20);
  EXPECT_EQ(with("OMP_STACKSIZE", "4096").stack_bytes, 4096U << 10);
  EXPECT_EQ(with("GOMP_SPINCOUNT", "infinity").spin_count, UINT64_MAX);
  EXPECT_EQ(with("GOMP_SPINCOUNT", "3k").spin_count, 3000U);
  EXPECT_EQ(with("GOMP_SPINCOUNT", "99999999999999999t").spin_count, UINT64_MAX);
  EXPECT_EQ(with("OMP_WAIT_POLICY", "PASSIVE").spin_count, 0U);
  std::string said;
  EXPECT_EQ(with("OMP_STACKSIZE", "18446744073709551615g", &said).stack_bytes, 0U);
  EXPECT_NE(said, "");
}

TEST(Variables, ForAllDevices) {
  EXPECT_EQ(with("OMP_NUM_THREADS_ALL", "7").initial.threads, 7U);
  EXPECT_EQ(with("OMP_SCHEDULE_ALL", "guided,4").initial.chunk, 4);
  setenv("OMP_NUM_THREADS_ALL", "7", 1);
  EXPECT_EQ(with("OMP_NUM_THREADS", "3").initial.threads, 3U);
  unsetenv("OMP_NUM_THREADS_ALL");
  EXPECT_FALSE(with("OMP_CANCELLATION_ALL", "true").cancellation);
  std::string said;
  with("OMP_PROC_BIND_ALL", "near", &said);
  EXPECT_NE(said.find("OMP_PROC_BIND_ALL"), std::string::npos);
}

TEST(Variables, Allocators) {
  EXPECT_EQ(with("OMP_ALLOCATOR", "omp_pteam_mem_alloc").initial.allocator, 7U);
  EXPECT_EQ(with("OMP_ALLOCATOR", " OMP_const_mem_space ").initial.allocator, 3U);
  // A pool with room for one small piece, with addresses that end with nine zero bits.
  const process_icvs own =
      with("OMP_ALLOCATOR", "omp_default_mem_space:alignment=512,pool_size=1000,fallback=null_fb,pinned=false");
  EXPECT_EQ(own.allocator_text, "omp_default_mem_space:alignment=512,pool_size=1000,fallback=null_fb,pinned=false");
  void* const piece = omp_alloc(16, own.initial.allocator);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 512, 0U);
  EXPECT_EQ(omp_alloc(16, own.initial.allocator), nullptr);
  omp_free(piece, own.initial.allocator);
  omp_destroy_allocator(own.initial.allocator);
  for (const char* const bad :
       {"heap", "omp_default_mem_alloc:pinned=true", "omp_default_mem_space:", "omp_default_mem_space:alignment=",
        "omp_default_mem_space:alignment=0", "omp_default_mem_space:alignment=48", "omp_default_mem_space:pinned=maybe",
        "omp_default_mem_space:pinned=true,", "omp_default_mem_space:fb_data=1", ""}) {
    std::string said;
    EXPECT_EQ(with("OMP_ALLOCATOR", bad, &said).initial.allocator, 1U) << bad;
    EXPECT_NE(said.find("OMP_ALLOCATOR"), std::string::npos) << bad;
  }
}

TEST(Places, Grammar) {
  const place usable{0, 1, 2, 3, 4, 5, 6, 7};
  const auto read = parse_places("{0:2}:3:2", usable);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->places, (place_list{{0, 1}, {2, 3}, {4, 5}}));
  const auto without = parse_places("{0,1,!1},{7}", usable);
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->places, (place_list{{0}, {7}}));
  for (const char* const bad : {"", "{", "{0", "{0}:", "{0}:-1", "{0}:2:-9223372036854775808", "{0:99999999}", "{-1}",
                                "threads(", "threads(0)", "{0},"})
    EXPECT_FALSE(parse_places(bad, usable).has_value()) << bad;
  EXPECT_EQ(parse_cpu_affinity("0 3 1-2 4-8:2"), (place_list{{0}, {3}, {1}, {2}, {4}, {6}, {8}}));
  EXPECT_EQ(parse_cpu_affinity("3-1"), std::nullopt);
  EXPECT_EQ(format_place({0, 1, 2, 3, 6}), "0:4,6");
}

}  // namespace
}  // namespace callisto::openmp

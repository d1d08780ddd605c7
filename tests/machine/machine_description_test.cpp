// Machine descriptions: reading, writing, what is refused and how, which contexts are near.
#include "simulated_machines.hpp"

#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::machine::simulation {
namespace {

const std::string t5(sparc_t5_8);

/// Returns `t5` with the line of `key` replaced by `line`; without it if `line` is empty.
std::string with(std::string_view key, std::string_view line) {
  const auto at = t5.find("\n" + std::string(key) + " ") + 1;
  std::string text = t5;
  return text.replace(at, text.find('\n', at) + 1 - at, line);
}

std::string fault(const std::string& text) {
  try {
    parse_description(text, "m.txt");
  } catch (const input_error& e) {
    return e.what();
  }
  return "none";
}

TEST(MachineDescription, IsRead) {
  const description d = parse_description(t5, "T5-8");
  EXPECT_EQ(d.name, "SPARC T5-8");
  EXPECT_EQ(d.total_contexts(), 1024u);
  EXPECT_EQ(d.clock, 3.6e9);
  EXPECT_EQ(d.line, 64u);
  EXPECT_EQ(d.fetch_add, fetch_add_kind::loop);
  EXPECT_EQ(d.hop[static_cast<unsigned>(distance::other_socket)], 800);
  EXPECT_EQ(d.wait_lasting_limit, description::never);
  EXPECT_EQ(d.sources.at("wait.monitor"), "source: Harris and Kaestle, ATC'15, section 4.1");
}

TEST(MachineDescription, TimesMayBeInNanoseconds) {
  EXPECT_DOUBLE_EQ(parse_description(with("park", "park = 12.5 ns # estimated\n"), "").park, 45);
  // The clock's value makes no difference.
  const std::string late = with("clock", "") + "clock = 1000 MHz # estimated\n";
  EXPECT_DOUBLE_EQ(
      parse_description("# first\n" + late.substr(late.find("sockets")) + "name = x # estimated\n", "").park, 5000);
  std::string text = with("hop.other-socket", "hop.other-socket = 100 ns # estimated\n");
  EXPECT_DOUBLE_EQ(parse_description(text, "").hop[3], 360);
}

TEST(MachineDescription, WhatIsWrittenReadsTheSame) {
  description d = parse_description(t5, "T5-8");
  d.hold = 0.1 + 0.2;
  d.clock = 2595.1234567e6;
  d.wait_brief_limit = 1e6 / 3;
  const std::string text = to_text(d);
  const description again = parse_description(text, "again");
  EXPECT_EQ(again.hold, d.hold);
  EXPECT_EQ(again.clock, d.clock);
  EXPECT_EQ(again.wait_brief_limit, d.wait_brief_limit);
  EXPECT_EQ(again.sources, d.sources);
  EXPECT_EQ(to_text(again), text);
}

TEST(MachineDescription, EveryValueNeedsASource) {
  description d = parse_description(t5, "T5-8");
  d.sources.erase("hold");
  EXPECT_THROW(to_text(d), std::logic_error);
  const std::string expected = "expected where the value comes from: '# source: ...' or '# estimated: ...'";
  EXPECT_EQ(fault(with("name", "name = T5\n")), "m.txt:2: name: found '', " + expected);
  EXPECT_EQ(fault(with("name", "name = T5 # source:\n")), "m.txt:2: name: found 'source:', " + expected);
  EXPECT_EQ(fault(with("name", "name = T5 # because\n")), "m.txt:2: name: found 'because', " + expected);
  EXPECT_EQ(fault(with("name", "name = T5 # estimatedly\n")), "m.txt:2: name: found 'estimatedly', " + expected);
  EXPECT_EQ(fault(with("name", "name = T5 # estimated\n")), "none");
}

TEST(MachineDescription, FaultsNameFileAndLine) {
  EXPECT_EQ(fault(with("name", "name SPARC # estimated\n")),
            "m.txt:2: found 'name SPARC # estimated', expected 'parameter = value  # source: ...'");
  EXPECT_EQ(fault(with("name", "nam = SPARC # estimated\n")), "m.txt:2: no parameter is called 'nam'");
  EXPECT_EQ(fault(with("name", "sockets = 8 # estimated\n")), "m.txt:3: sockets is given twice");
  EXPECT_EQ(fault(with("name", "")), "m.txt: name is missing");
  EXPECT_EQ(fault(with("name", "name = # estimated\n")), "m.txt:2: name: found '', expected a name");
  EXPECT_EQ(fault(with("sockets", "sockets = 8x # estimated\n")),
            "m.txt:3: sockets: found '8x', expected a whole number from 1 to 64");
  EXPECT_EQ(fault(with("sockets", "sockets = 0 # estimated\n")),
            "m.txt:3: sockets: found '0', expected a whole number from 1 to 64");
  EXPECT_EQ(fault(with("clock", "clock = 3.6 # estimated\n")),
            "m.txt:7: clock: found '3.6', expected a clock rate: '3.6 GHz'");
  EXPECT_EQ(fault(with("load", "load = 3 us # estimated\n")),
            "m.txt:9: load: found '3 us', expected a time: '40 cycles' or '12.5 ns'");
  EXPECT_EQ(fault(with("load", "load = nan cycles # estimated\n")),
            "m.txt:9: load: found 'nan cycles', expected a time: '40 cycles' or '12.5 ns'");
  EXPECT_EQ(fault(with("load", "load = -1 cycles # estimated\n")),
            "m.txt:9: load: found '-1 cycles', expected 0 to 1000000000 cycles");
  EXPECT_EQ(fault(with("load", "load = never # estimated\n")),
            "m.txt:9: load: found 'never', expected a time: '40 cycles' or '12.5 ns'");
  EXPECT_EQ(fault(with("fetch-add", "fetch-add = cas # estimated\n")),
            "m.txt:14: fetch-add: found 'cas', expected near, far or loop");
  EXPECT_EQ(fault(with("wait.monitor", "wait.monitor = 0 # estimated\n")),
            "m.txt:25: wait.monitor: found '0', expected yes or no");
  EXPECT_EQ(fault(with("hold", "hold = much # estimated\n")),
            "m.txt:18: hold: found 'much', expected a number from 0 to 100");
  EXPECT_EQ(fault(with("line", "line = 96 bytes # estimated\n")), "m.txt:8: line: found '96', expected a power of two");
  EXPECT_EQ(fault(with("cores", "cores = 1024 # estimated\n")), "none");
  EXPECT_EQ(fault(with("caches", "caches = 256 # estimated\nhop.same-socket = 1 ns # estimated\n")),
            "m.txt:7: found 262144 contexts in all, expected at most 65536");
}

TEST(MachineDescription, WhatDoesNotApplyIsRefused) {
  EXPECT_EQ(fault(with("hop.other-socket", "")), "m.txt: hop.other-socket is missing");
  EXPECT_EQ(fault(t5 + "hop.same-socket = 1 ns # estimated\n"),
            "m.txt:31: hop.same-socket is for machines with caches > 1 only");
  EXPECT_EQ(fault(with("fetch-add", "fetch-add = far # estimated\n")), "m.txt: fetch-add.far is missing");
  EXPECT_EQ(fault(t5 + "fetch-add.far = 1 ns # estimated\n"),
            "m.txt:31: fetch-add.far is for machines with fetch-add = far only");
}

const std::string caches =
    "l2.size = 128 KB # estimated\nl2.ways = 8 # estimated\nl3.size = 8 MB # estimated\nl3.ways = 16 # estimated\n"
    "l3.hit = 60 cycles # estimated\nmemory.near = 150 ns # estimated\nmemory.far = 250 ns # estimated\n"
    "memory.bandwidth = 80 GB/s # estimated\n";

/// Returns the fault of t5 with `caches` if the line of `key` says `value`; without that line if `value` is empty.
std::string cache_fault(std::string_view key, std::string_view value) {
  std::string text = caches;
  const auto at = text.find(key);
  const std::string line = value.empty() ? "" : std::string(key) + " = " + std::string(value) + " # estimated\n";
  return fault(t5 + text.replace(at, text.find('\n', at) + 1 - at, line));
}

TEST(MachineDescription, CachesMayBeLeftOutAllTogether) {
  EXPECT_EQ(parse_description(t5, "").l2_size, 0u);
  const description d = parse_description(t5 + caches, "");
  EXPECT_EQ(d.l2_size, 128u * 1024);
  EXPECT_EQ(d.l3_size, 8u * 1024 * 1024);
  EXPECT_EQ(d.l3_ways, 16u);
  EXPECT_DOUBLE_EQ(d.memory_near, 540);
  EXPECT_DOUBLE_EQ(d.memory_bandwidth, 80e9);
  EXPECT_EQ(to_text(parse_description(to_text(d), "")), to_text(d));
  EXPECT_EQ(cache_fault("l3.hit", ""), "m.txt: l3.hit is missing");
  EXPECT_EQ(cache_fault("memory.far", ""), "m.txt: memory.far is missing");
  EXPECT_EQ(cache_fault("l2.size", ""), "m.txt:31: l2.ways is for machines with l2.size only");
}

TEST(MachineDescription, CachesAreOfWholeSets) {
  EXPECT_EQ(cache_fault("l2.size", "128"), "m.txt:31: l2.size: found '128', expected a size: '128 KB'");
  EXPECT_EQ(cache_fault("l2.size", "0 KB"), "m.txt:31: l2.size: found '0 KB', expected a size: '128 KB'");
  EXPECT_EQ(cache_fault("l2.size", "192 KB"),
            "m.txt:31: l2.size: found 196608 bytes, expected a power of two of sets of 8 lines of 64 bytes");
  EXPECT_EQ(cache_fault("l3.ways", "12"),
            "m.txt:33: l3.size: found 8388608 bytes, expected a power of two of sets of 12 lines of 64 bytes");
  EXPECT_EQ(cache_fault("l3.size", "1 MB"),
            "m.txt:33: l3.size: found 1048576 bytes, expected no less than 16 caches of 131072 bytes have together");
  EXPECT_EQ(cache_fault("memory.bandwidth", "80 MB/s"),
            "m.txt:38: memory.bandwidth: found '80 MB/s', expected a bandwidth: '80 GB/s'");
}

TEST(MachineDescription, AFileThatIsNotThereIsRefused) {
  EXPECT_THROW(read_description("/no/such/machine.txt"), input_error);
  EXPECT_THROW(read_description("/"), input_error);
}

TEST(MachineDescription, KnowsWhichContextsAreNear) {
  const description d = simple_machine();
  EXPECT_EQ(d.between(0, 1), distance::same_core);
  EXPECT_EQ(d.between(0, 2), distance::same_cache);
  EXPECT_EQ(d.between(0, 4), distance::same_socket);
  EXPECT_EQ(d.between(7, 8), distance::other_socket);
}

TEST(MachineDescription, SpreadsThreadsWidely) {
  const description d = parse_description(t5, "T5-8");
  for (const unsigned threads : {1u, 2u, 3u, 8u, 100u, 128u, 256u, 513u, 1024u}) {
    std::set<unsigned> used;
    std::vector<unsigned> in_socket(d.sockets);
    std::vector<unsigned> in_core(d.total_cores());
    for (unsigned t = 0; t < threads; ++t) {
      const unsigned c = d.spread(t, threads);
      ASSERT_LT(c, d.total_contexts());
      ASSERT_TRUE(used.insert(c).second);
      ASSERT_EQ(c, *used.rbegin()) << "neighbours in number stand near each other";
      ++in_socket[d.socket_of(c)];
      ++in_core[d.core_of(c)];
    }
    const auto differ = [](const std::vector<unsigned>& v) {
      return *std::max_element(v.begin(), v.end()) - *std::min_element(v.begin(), v.end());
    };
    EXPECT_LE(differ(in_socket), 1u);
    EXPECT_LE(differ(in_core), 1u) << threads;
  }
}

}  // namespace
}  // namespace callisto::machine::simulation

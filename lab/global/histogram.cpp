// A histogram over all ranks: each rank counts its samples in a distributed array.
#include "program.hpp"

using namespace callisto;

int main(int argc, char** argv) {
  const lab::options o(
      argc, argv,
      {{"buckets", 1'000'000, 1, 1ULL << 40}, {"samples", 20'000'000, 1, 1ULL << 40}, {"runs", 5, 1, 1000}});
  global::session s(argc, argv);
  auto counts = global::make_array<std::uint64_t>(o["buckets"], global::cyclic(1));
  std::vector<double> seconds;
  for (std::uint64_t run = 0; run < o["runs"]; ++run) {
    seconds.push_back(lab::timed([&] {
      global::parallel_for(std::uint64_t{0}, o["samples"], [&](std::uint64_t i) {
        const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15U;
        global::post_increment(counts[(mixed ^ (mixed >> 29)) % o["buckets"]]);
      });
    }));
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t c : counts.local()) sum += c;
  const bool right = global::reduce_all(sum) == o["samples"] * o["runs"];
  return lab::report("histogram", std::to_string(o["buckets"]) + " buckets", "samples", o["samples"], seconds, right);
}

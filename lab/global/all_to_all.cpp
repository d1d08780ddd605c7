// All-to-all: each rank writes a block of its own into every other rank's part of an array, round after round, and a
// round ends everywhere before the next begins.
#include "program.hpp"

#include <numeric>
#include <span>
#include <vector>

using namespace callisto;

int main(int argc, char** argv) {
  const lab::options o(argc, argv,
                       {{"words", 1 << 15, 1, 1ULL << 30}, {"rounds", 200, 1, 1'000'000}, {"runs", 5, 1, 1000}});
  global::session s(argc, argv);
  const std::uint64_t words = o["words"];
  const auto ranks = static_cast<std::uint64_t>(s.ranks());
  const auto me = static_cast<std::uint64_t>(s.rank());
  // Rank r's part has a block for each rank, which that rank writes.
  auto parts = global::make_array<std::uint64_t>(words * ranks * ranks);
  std::vector<std::uint64_t> block(words);
  std::vector<double> seconds;
  bool right = true;
  for (std::uint64_t run = 0; run < o["runs"]; ++run) {
    seconds.push_back(lab::timed([&] {
      for (std::uint64_t round = 0; round < o["rounds"]; ++round) {
        std::iota(block.begin(), block.end(), run + round + me);
        s.run_phase([&] {
          for (std::uint64_t r = 0; r < ranks; ++r) {
            const std::uint64_t to = (me + r) % ranks;
            global::spawn([&block, parts, first = (to * ranks + me) * words] {
              global::scatter<std::uint64_t>(block, parts, first);
            });
          }
        });
      }
    }));
    const std::span<const std::uint64_t> own = parts.local();
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      right = right && own[i] == run + o["rounds"] - 1 + i / words + i % words;
    }
    global::barrier();
  }
  return lab::report("all_to_all", std::to_string(words) + " words a block", "words",
                     words * ranks * ranks * o["rounds"], seconds, right);
}

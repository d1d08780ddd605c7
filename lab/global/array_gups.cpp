// Random updates of a distributed array by HPCC's rules (RandomAccess), as a user writes it: one loop over an array.
//
// The numbers of the sequence select words of the table, which are exclusive-ored with them. A second pass of the same
// updates restores the table, which is compared: no update may be lost (the rules allow one in a hundred).
#include "hpcc_random.hpp"
#include "program.hpp"

using namespace callisto;
using lab::next_random;
using lab::random_at;

int main(int argc, char** argv) {
  const lab::options o(argc, argv, {{"log2-words", 25, 10, 40}, {"updates-per-word", 4, 1, 64}, {"runs", 5, 1, 1000}});
  global::session s(argc, argv);
  const std::uint64_t words = std::uint64_t{1} << o["log2-words"];
  const std::uint64_t updates = words * o["updates-per-word"];

  auto table = global::make_array<std::uint64_t>(words);
  global::parallel_for(table, [](std::uint64_t i, std::uint64_t& word) { word = i; });

  // A batch of the loop is a stretch of the sequence: finding its first number takes about a microsecond.
  constexpr std::uint64_t stretch = 4096;
  std::vector<double> seconds;
  for (std::uint64_t run = 0; run < 2 * o["runs"]; ++run) {
    seconds.push_back(lab::timed([&] {
      global::parallel_for(std::uint64_t{0}, (updates + stretch - 1) / stretch, [&](std::uint64_t part) {
        std::uint64_t r = random_at(part * stretch);
        const std::uint64_t end = std::min(updates, (part + 1) * stretch);
        for (std::uint64_t i = part * stretch; i < end; ++i) {
          r = next_random(r);
          global::post_xor(table[r & (words - 1)], r);
        }
      });
    }));
  }
  bool right = true;
  const std::span<const std::uint64_t> own = table.local();
  for (std::uint64_t i = 0; i < own.size(); ++i) right = right && own[i] == table.index_of(i);
  return lab::report("array_gups", "2^" + std::to_string(o["log2-words"]) + " words", "updates", updates, seconds,
                     right);
}

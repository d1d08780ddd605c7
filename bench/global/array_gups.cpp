// Random updates of a distributed array by HPCC's rules (RandomAccess), as a user writes it: one loop over an array.
//
// The numbers of the sequence select words of the table, which are exclusive-ored with them. A second pass of the same
// updates restores the table, which is compared: no update may be lost (the rules allow one in a hundred).
#include "program.hpp"

namespace {

using namespace callisto;

constexpr std::uint64_t next_random(std::uint64_t r) { return (r << 1) ^ (static_cast<std::int64_t>(r) < 0 ? 7 : 0); }

/// Returns number `n` of HPCC's sequence: 2^n modulo x^64 + x^2 + x + 1.
std::uint64_t random_at(std::uint64_t n) {
  const auto times = [](std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    for (; b != 0; b >>= 1, a = next_random(a)) product ^= (b & 1) != 0 ? a : 0;
    return product;
  };
  std::uint64_t r = 1;
  for (std::uint64_t square = 2; n != 0; n >>= 1, square = times(square, square)) {
    if ((n & 1) != 0) r = times(r, square);
  }
  return r;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::options o(argc, argv,
                         {{"log2-words", 25, 10, 40}, {"updates-per-word", 4, 1, 64}, {"runs", 5, 1, 1000}});
  global::session s(argc, argv);
  const std::uint64_t words = std::uint64_t{1} << o["log2-words"];
  const std::uint64_t updates = words * o["updates-per-word"];

  auto table = global::make_array<std::uint64_t>(words);
  global::parallel_for(table, [](std::uint64_t i, std::uint64_t& word) { word = i; });

  // A batch of the loop is a stretch of the sequence: finding its first number takes about a microsecond.
  constexpr std::uint64_t stretch = 4096;
  std::vector<double> seconds;
  for (std::uint64_t run = 0; run < 2 * o["runs"]; ++run) {
    seconds.push_back(bench::timed([&] {
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
  return bench::report("array_gups", "2^" + std::to_string(o["log2-words"]) + " words", "updates", updates, seconds,
                       right);
}

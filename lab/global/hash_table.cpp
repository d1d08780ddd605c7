// A distributed hash table: keys are claimed by compare-and-swap, with linear probing over the ranks.
#include "program.hpp"

using namespace callisto;

namespace {

/// A set of keys that are not 0.
class hash_set {
 public:
  explicit hash_set(std::uint64_t places) : places_(global::make_array<std::uint64_t>(places, global::cyclic(1))) {}

  /// True if the key was not there.
  bool insert(std::uint64_t key) const {
    for (std::uint64_t at = hash(key);; at = (at + 1) % places_.size()) {
      if (global::compare_and_swap(places_[at], 0U, key)) return true;
      if (global::read(places_[at]) == key) return false;
    }
  }
  bool contains(std::uint64_t key) const {
    for (std::uint64_t at = hash(key);; at = (at + 1) % places_.size()) {
      const std::uint64_t found = global::read(places_[at]);
      if (found == key) return true;
      if (found == 0) return false;
    }
  }

 private:
  std::uint64_t hash(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15U >> 20) % places_.size(); }

  global::array<std::uint64_t> places_;
};

}  // namespace

int main(int argc, char** argv) {
  const lab::options o(argc, argv, {{"keys", 1'000'000, 1, 1ULL << 36}, {"runs", 3, 1, 1000}});
  global::session s(argc, argv);
  const std::uint64_t keys = o["keys"];
  std::vector<double> seconds;
  bool right = true;
  for (std::uint64_t run = 0; run < o["runs"]; ++run) {
    const hash_set set(2 * keys);
    std::uint64_t inserted = 0;
    seconds.push_back(lab::timed([&] {
      // Each key comes twice, and is new once.
      inserted = global::parallel_reduce(std::uint64_t{0}, 2 * keys, std::uint64_t{0},
                                         [&](std::uint64_t i) { return std::uint64_t{set.insert(i % keys + 1)}; });
    }));
    const std::uint64_t found =
        global::parallel_reduce(std::uint64_t{0}, 2 * keys, std::uint64_t{0},
                                [&](std::uint64_t i) { return std::uint64_t{set.contains(i + 1)}; });
    right = right && inserted == keys && found == keys;
  }
  return lab::report("hash_table", std::to_string(keys) + " keys", "inserts", 2 * keys, seconds, right);
}

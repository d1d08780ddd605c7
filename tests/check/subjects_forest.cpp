// Subjects: the forest of connected components, which threads join and compress without locks.
#include "subject.hpp"

#include <callisto/graph/components/disjoint_forest.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

/// A forest's words, as forest_words are plain vertices.
struct checked_forest {
  std::array<atomic<std::uint64_t>, 5>& parents;

  std::uint64_t load(std::uint64_t v) const { return parents[v].load(order::relaxed); }
  void store(std::uint64_t v, std::uint64_t parent) const { parents[v].store(parent, order::relaxed); }
  bool hang(std::uint64_t root, std::uint64_t parent) const {
    std::uint64_t expected = root;
    while (expected == root) {
      if (parents[root].compare_exchange(expected, parent, order::relaxed)) return true;
    }
    return false;
  }
};

/// Threads that hang the same root at once, and compress. Four of five vertices become one set, and every join is
/// needed for it.
template <bool Compress>
class forest {
 public:
  static constexpr unsigned threads = 2;

  forest() {
    for (std::uint64_t v = 0; v < 5; ++v) parents_[v].store(v, order::relaxed);
  }
  void run(unsigned thread) {
    const checked_forest all{parents_};
    graph::join(all, 3, thread == 0 ? 1 : 2);
    if (Compress) graph::compress(all, thread + 2);
    if (thread == 0) graph::join(all, 2, 0);
  }
  void finish() {
    const checked_forest all{parents_};
    for (std::uint64_t v = 0; v < 4; ++v) {
      std::uint64_t root = v;
      for (std::uint64_t up = all.load(root); up != root; up = all.load(root)) {
        require(up < root, "a vertex hangs from a smaller one");
        root = up;
      }
      require(root == 0, "what was joined is one set");
    }
    require(all.load(4) == 4, "what was not is apart");
  }

 private:
  std::array<atomic<std::uint64_t>, 5> parents_;
};

constexpr const char* sets = "sets that were joined stay together, under their smallest vertex";
const registered<forest<false>> forest_join("forest.join", sets, preemptions(3, {0, 1}), exhaustive({0, 1}));
const registered<forest<true>> forest_compress("forest.compress", sets, preemptions(3, {0, 0}), exhaustive({0, 1}));

}  // namespace
}  // namespace callisto::check

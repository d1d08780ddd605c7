// Index gather: each rank reads words of a distributed array at random indices, by blocking reads of many workers. With
// --window N one worker has N reads under way by promises.
#include "program.hpp"

using namespace callisto;

int main(int argc, char** argv) {
  const lab::options o(argc, argv,
                       {{"words", 1 << 22, 1, 1ULL << 40},
                        {"reads", 2'000'000, 1, 1ULL << 40},
                        {"window", 0, 0, 4096},
                        {"runs", 5, 1, 1000}});
  global::session s(argc, argv);
  auto table = global::make_array<std::uint64_t>(o["words"], global::cyclic(1));
  auto target = global::make_array<std::uint64_t>(o["reads"]);
  global::parallel_for(table, [](std::uint64_t i, std::uint64_t& word) { word = i * 3; });
  const std::uint64_t words = o["words"];
  const auto index = [words](std::uint64_t i) {
    const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15U;
    return (mixed ^ (mixed >> 29)) % words;
  };
  std::vector<double> seconds;
  for (std::uint64_t run = 0; run < o["runs"]; ++run) {
    seconds.push_back(lab::timed([&] {
      if (o["window"] == 0) {
        global::parallel_for(target,
                             [&](std::uint64_t i, std::uint64_t& word) { word = global::read(table[index(i)]); });
        return;
      }
      const std::span<std::uint64_t> own = target.local();
      std::vector<global::promise<std::uint64_t>> window(o["window"]);
      for (std::uint64_t i = 0; i < own.size() + window.size(); ++i) {
        auto& place = window[i % window.size()];
        if (i >= window.size() && i - window.size() < own.size()) own[i - window.size()] = place.get();
        if (i < own.size()) global::read_async(place, table[index(target.index_of(i))]);
      }
    }));
  }
  bool right = true;
  for (std::uint64_t i = 0; i < target.local().size(); ++i) {
    right = right && target.local()[i] == index(target.index_of(i)) * 3;
  }
  return lab::report("index_gather", std::to_string(words) + " words", "reads", o["reads"], seconds, right);
}

// Parallel loops: over indices, over a container, in batches; an exception that reaches the caller, and a stop.
//
// A loop needs bounds and a body. Callisto chooses how many iterations a thread takes at a time.
#include <callisto/callisto.hpp>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <stop_token>
#include <vector>

int main() {
  std::vector<double> squares(1'000);

  // Indices: the body gets one index. The call returns when all iterations have ended.
  callisto::parallel_for(0, squares.size(), [&](std::size_t i) { squares[i] = double(i) * double(i); });
  std::printf("index 999: %.0f\n", squares[999]);

  // A container: the body gets a reference to one element.
  callisto::parallel_for(squares, [](double& x) { x += 1; });
  std::printf("element 999: %.0f\n", squares[999]);

  // Batches: the body gets the two ends of each piece that a thread runs in one go.
  std::atomic<std::size_t> covered = 0;
  callisto::parallel_for(0, squares.size(), [&](std::size_t first, std::size_t last) { covered += last - first; });
  std::printf("batches cover %zu\n", covered.load());

  // An exception ends the loop early and reaches the caller of parallel_for.
  try {
    callisto::parallel_for(0, 1'000, [](int i) {
      if (i == 500) throw std::runtime_error("iteration 500");
    });
  } catch (const std::runtime_error& error) {
    std::printf("caught: %s\n", error.what());
  }

  // A stop drops the iterations that have not begun; parallel_for then returns false.
  std::stop_source stop;
  const bool complete =
      callisto::parallel_for(0, 1'000'000'000'000, [&](long) { stop.request_stop(); }, {.stop = stop.get_token()});
  std::printf("complete: %s\n", complete ? "yes" : "no");
}

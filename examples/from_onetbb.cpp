// oneTBB algorithms beside their forms in Callisto. The comment above each statement is the oneTBB call.
#include <callisto/algorithms.hpp>

#include <cstdio>
#include <numeric>
#include <stop_token>
#include <vector>

int main() {
  std::vector<double> v(100'000);

  // tbb::parallel_for(std::size_t(0), v.size(), [&](std::size_t i) { ... });
  callisto::parallel_for(0, v.size(), [&](std::size_t i) { v[i] = double(i % 100); });

  // tbb::parallel_for(tbb::blocked_range<std::size_t>(0, v.size()), [&](auto& r) { ... r.begin(), r.end() ... });
  callisto::parallel_for(0, v.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) v[i] += 1;
  });

  // tbb::parallel_for_each(v.begin(), v.end(), [](double& x) { ... });
  callisto::parallel_for(v.begin(), v.end(), [](double& x) { x *= 2; });

  // tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, v.size()), 0.0, [&](auto& r, double sum) { ... }, plus);
  const double sum =
      callisto::parallel_reduce(0, v.size(), 0.0, [&](std::size_t first, std::size_t last, double so_far) {
        return std::accumulate(&v[first], &v[0] + last, so_far);
      });
  std::printf("parallel_reduce: %.0f\n", sum);

  // tbb::parallel_invoke([&] { left = ...; }, [&] { right = ...; });
  double left = 0;
  double right = 0;
  callisto::parallel_invoke([&] { left = v[0]; }, [&] { right = v[1]; });
  std::printf("parallel_invoke: %.0f %.0f\n", left, right);

  // tbb::task_group group; group.run(...); group.wait();
  double low = 0;
  double high = 0;
  callisto::task_group group;
  group.run([&] { low = std::accumulate(v.begin(), v.begin() + 50'000, 0.0); });
  group.run([&] { high = std::accumulate(v.begin() + 50'000, v.end(), 0.0); });
  group.wait();
  std::printf("task_group: %.0f\n", low + high);

  // tbb::task_group_context context; ... context.cancel_group_execution();
  std::stop_source stop;
  const bool complete =
      callisto::parallel_for(0, 1'000'000'000'000, [&](long) { stop.request_stop(); }, {.stop = stop.get_token()});
  std::printf("cancelled: %s\n", complete ? "no" : "yes");

  // tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  callisto::set_threads(1);
  std::printf("threads: %u\n", callisto::threads());
}

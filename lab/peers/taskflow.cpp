// The candidate Taskflow. It makes a loop's task graph before the measurement.
#include "peer.hpp"

#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

#include <string>

namespace {

using namespace callisto::lab;

class task_graph {
 public:
  explicit task_graph(unsigned threads) : executor_(threads) {}

  template <class Body, class Measure>
  void loop(std::uint32_t method, std::uint64_t n, std::uint64_t batch, const Body& body, const Measure& m) {
    tf::Taskflow graph;
    const auto count = static_cast<std::size_t>(n);
    const auto chunk = static_cast<std::size_t>(batch);
    if constexpr (!takes_ranges<Body>) {
      switch (method) {
        case 0:
          graph.for_each_index(std::size_t{0}, count, std::size_t{1}, body, tf::DynamicPartitioner(chunk));
          break;
        case 1:
          graph.for_each_index(std::size_t{0}, count, std::size_t{1}, body, tf::GuidedPartitioner(chunk));
          break;
        default:
          graph.for_each_index(std::size_t{0}, count, std::size_t{1}, body, tf::StaticPartitioner());
      }
      m([&] { executor_.run(graph).wait(); });
    }
  }

 private:
  tf::Executor executor_;
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = callisto_peer_threads(argc, argv);
  task_graph runtime(threads);
  static constexpr callisto_method methods[] = {{"dynamic", callisto_takes_batches},
                                                {"guided", callisto_takes_batches | callisto_chooses_batches},
                                                {"static", callisto_chooses_batches}};
  callisto_peer peer{};
  peer.name = "Taskflow";
  peer.version = tf::version();
  peer.library = "headers";
  peer.methods = methods;
  peer.method_count = 3;
  return serve(runtime, peer, threads);
}

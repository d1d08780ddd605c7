// The paper's figure 2: a parallel search for a key in a tree that lies over all ranks.
#include "program.hpp"

using namespace callisto;

namespace {

struct vertex {
  std::int64_t key;
  std::int64_t num_children;
  global::global_address<vertex> children;
  std::int64_t unused;  // a vertex divides a block of the global heap
};

void search(global::global_address<vertex> vertex_address, std::int64_t key, global::global_address<vertex> result) {
  // A blocking remote read gets the vertex.
  const vertex v = global::read(vertex_address);
  if (v.key == key) {
    global::write(result, v);  // the key is found
  } else {
    // Other ranks may steal the iterations.
    global::parallel_for(global::stealable, std::int64_t{0}, v.num_children,
                         [=](std::int64_t i) { search(v.children + i, key, result); });
  }
}

/// Makes a tree of `levels` levels with `each` children a vertex, keys in the order of creation.
global::global_address<vertex> make(std::int64_t& next_key, int levels, std::int64_t each) {
  const auto root = global::global_allocate<vertex>(1);
  std::vector<std::pair<global::global_address<vertex>, int>> open{{root, levels}};
  while (!open.empty()) {
    const auto [at, left] = open.back();
    open.pop_back();
    vertex v{next_key++, left > 1 ? each : 0, nullptr, 0};
    if (left > 1) {
      v.children = global::global_allocate<vertex>(static_cast<std::uint64_t>(each));
      for (std::int64_t i = 0; i < each; ++i) open.emplace_back(v.children + i, left - 1);
    }
    global::write(at, v);
  }
  return root;
}

}  // namespace

int main(int argc, char** argv) {
  const lab::options o(argc, argv, {{"levels", 8, 1, 20}, {"children", 5, 1, 100}, {"runs", 3, 1, 1000}});
  global::session s(argc, argv);
  std::int64_t vertices = 0;
  global::global_address<vertex> root;
  global::global_address<vertex> result;
  if (s.rank() == 0) {
    root = make(vertices, static_cast<int>(o["levels"]), static_cast<std::int64_t>(o["children"]));
    result = global::global_allocate<vertex>(1);
  }
  vertices = global::broadcast(vertices);
  std::vector<double> seconds;
  bool right = true;
  for (std::uint64_t run = 0; run < o["runs"]; ++run) {
    const std::int64_t key = vertices - 1 - static_cast<std::int64_t>(run);
    seconds.push_back(lab::timed([&] {
      s.run_phase([&] {
        if (s.rank() == 0) global::spawn([=] { search(root, key, result); });
      });
    }));
    if (s.rank() == 0) right = right && global::read(result).key == key;
  }
  return lab::report("tree_search", std::to_string(vertices) + " vertices", "vertices",
                     static_cast<std::uint64_t>(vertices), seconds, right);
}

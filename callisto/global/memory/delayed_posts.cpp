#include <callisto/global/memory/delayed_posts.hpp>
#include <callisto/global/transport/here.hpp>

namespace callisto::global::detail {

namespace {

struct ring_of_thread {
  delayed_posts posts;
  unsigned batches = 0;
};
ring_of_thread& own_ring() {
  if (of_thread::simulated != nullptr) return rank_local<ring_of_thread>();  // the thread runs many ranks
  static thread_local ring_of_thread ring;
  return ring;
}

}  // namespace

batch_of_posts::batch_of_posts() noexcept {
  ring_of_thread& ring = own_ring();
  ++ring.batches;
  of_thread::posts = &ring.posts;
}

batch_of_posts::~batch_of_posts() {
  ring_of_thread& ring = own_ring();
  ring.posts.finish();
  if (--ring.batches == 0) of_thread::posts = nullptr;
}

}  // namespace callisto::global::detail

#include <callisto/global/memory/delayed_posts.hpp>

namespace callisto::global::detail {

namespace {

struct ring_of_thread {
  delayed_posts posts;
  unsigned batches = 0;
};
ring_of_thread& own_ring() noexcept {
  static thread_local ring_of_thread ring;
  return ring;
}

}  // namespace

batch_of_posts::batch_of_posts() noexcept {
  ring_of_thread& ring = own_ring();
  ++ring.batches;
  posts_of_batch = &ring.posts;
}

batch_of_posts::~batch_of_posts() {
  ring_of_thread& ring = own_ring();
  ring.posts.finish();
  if (--ring.batches == 0) posts_of_batch = nullptr;
}

}  // namespace callisto::global::detail

#include <callisto/global/transport/here.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace callisto::global {

std::size_t rank_slots::next_number() noexcept {
  static std::atomic<std::size_t> numbers{0};
  const std::size_t number = numbers.fetch_add(1, std::memory_order_relaxed);  // relaxed: only uniqueness counts
  if (number >= most) {
    std::fputs("callisto::global: more than 64 types of objects of a rank\n", stderr);
    std::abort();
  }
  return number;
}

void rank_slots::clear() noexcept {
  while (!owned_.empty()) {
    objects_[owned_.back().first].store(nullptr, std::memory_order_relaxed);  // relaxed: no other thread is left
    owned_.pop_back();
  }
}

void set_here(rank_context* rank) noexcept { detail::of_thread::rank = rank; }

detail::thread_of_rank detail::thread_of_rank::of_this_thread() noexcept {
  return {.rank = of_thread::rank,
          .simulated = of_thread::simulated,
          .of_core = of_thread::of_core,
          .pieces = of_thread::pieces,
          .engine = of_thread::engine,
          .posts = of_thread::posts,
          .in_handler = of_thread::in_handler,
          .in_local_delegate = of_thread::in_local_delegate,
          .in_plain_loop = of_thread::in_plain_loop};
}

void detail::thread_of_rank::become_this_threads() const noexcept {
  of_thread::rank = rank;
  of_thread::simulated = simulated;
  of_thread::of_core = of_core;
  of_thread::pieces = pieces;
  of_thread::engine = engine;
  of_thread::posts = posts;
  of_thread::in_handler = in_handler;
  of_thread::in_local_delegate = in_local_delegate;
  of_thread::in_plain_loop = in_plain_loop;
}

void detail::no_session() {
  throw usage_error("callisto::global: this thread works for no rank; a global::session must be alive in it");
}

}  // namespace callisto::global

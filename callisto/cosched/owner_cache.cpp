// Publishes an assignment as one word for each context.
#include <callisto/cosched/owner_cache.hpp>

#include <ctime>
#include <utility>

namespace callisto::cosched {

using machine::order;

void pause_for(std::uint64_t nanoseconds) noexcept {
  const timespec t{.tv_sec = 0, .tv_nsec = static_cast<long>(nanoseconds)};
  nanosleep(&t, nullptr);
}

std::uint64_t owner_word::of(const context_assignment& d, unsigned context, std::uint64_t generation) {
  const time_slices& slices = d.high[context];
  const std::uint64_t tag = generation << 32 | known;
  if (slices.size() > 1) return tag | turns;
  if (slices.empty()) return tag;
  const unsigned owner = slices.holder(0);
  return tag | (d.main[owner] == context ? main : 0) | (owner + 1);
}

std::shared_ptr<const context_assignment> owner_cache::try_assignment(const shared_table& shared) {
  // relaxed load: a waiting thread takes the cache line from no other thread. acquire: pairs with the release below, so
  // this thread sees the assignment that the last thread computed.
  if (looking_.load(order::relaxed) != 0 || looking_.exchange(1, order::acquire) != 0) return nullptr;
  const std::shared_ptr<const context_assignment> d = current_.of(shared);
  const std::uint64_t generation = current_.generation();
  if (std::exchange(published_, generation) != generation) {
    for (unsigned c = 0; c < max_contexts; ++c) {
      owners_[c].store(owner_word::of(*d, c, generation),
                       order::relaxed);  // relaxed: each word says all that it has to
    }
  }
  looking_.store(0, order::release);  // release: publishes the members to the exchange's acquire above
  return d;
}

std::shared_ptr<const context_assignment> owner_cache::assignment(const shared_table& shared) {
  for (unsigned attempt = 1;; ++attempt) {
    if (std::shared_ptr<const context_assignment> d = try_assignment(shared)) return d;
    pause_in_turn(attempt);
  }
}

void owner_cache::pause_in_turn(unsigned attempt) noexcept {
  if (attempt % 64 == 0) {
    pause_for(10'000);
  } else {
    native::relax();
  }
}

}  // namespace callisto::cosched

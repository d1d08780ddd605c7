// Fences: those of C++, and light and heavy ones.
#include <callisto/machine/checked/execution.hpp>

#include <bit>

namespace callisto::machine::checking {

void execution::fence(fence_order o) {
  count_step();
  checked_thread& t = me();
  if (o == fence_order::seq_cst && current_ != outside) {
    t.next = {.what = operation::fence};
    reach();
  }
  if (o != fence_order::release && t.has_pending) t.seen.join(t.pending, width_);
  if (o == fence_order::seq_cst) {
    join_fences(t);
    record_event(operation::fence, nullptr, ++fences_so_far_, 0);
  }
  if (o != fence_order::acquire) {
    t.released.copy(t.seen, width_);
    t.has_released = true;
    ++t.seen[current_];
  }
  if (tracing_) {
    static constexpr const char* names[] = {"acquire", "release", "acq_rel", "seq_cst"};
    log(std::string("fence ") + names[static_cast<unsigned>(o)], nullptr, "", "");
  }
}

/// Places a fence of `t` in the total order of sequentially consistent fences.
void execution::join_fences(checked_thread& t) noexcept {
  t.seen.join_stores(fences_, width_);
  fences_.join_stores(t.seen, width_);
}

void execution::light_fence(const place& where) {
  site_entry& site = sites.find(where, operation::light_fence, order::relaxed);
  ++site.count;
  // The step counts: a thread is suspended after the same operations, with the fence or without.
  count_step();
  if (site.weakened) {
    if (tracing_) log("light_fence", nullptr, "(left out)", shown(where));
    return;
  }
  pass_light_fence(site);
}

void execution::pass_light_fence(site_entry& site) {
  checked_thread& t = me();
  if (current_ != outside && contended.has(contended_set::fences, 0)) {
    t.next = {.what = operation::light_fence, .at = &site};
    reach();
  }
  if (t.reached != 0) t.seen.join_stores(t.owed, width_);
  t.at_light_fence.copy(t.seen, width_);
  record_event(operation::light_fence, nullptr, t.reached, ++t.light_fences);
  t.reached = 0;
  if (tracing_) log("light_fence", nullptr, "", shown(site.where));
}

void execution::heavy_fence(const place& where) {
  checked_thread& t = me();
  site_entry& site = sites.find(where, operation::heavy_fence, order::relaxed);
  ++site.count;
  if (site.weakened) {
    count_step();
    const bool light = options_.weaken->fence == fence_weakening::light;
    if (tracing_) log("heavy_fence", nullptr, light ? "(only a light one)" : "(left out)", shown(where));
    if (light) pass_light_fence(site);
    return;
  }
  // A heavy fence is also an acquire and a release fence of its caller.
  if (t.has_pending) t.seen.join(t.pending, width_);
  if (current_ == outside) return;
  if (!contended.has(contended_set::fences, 0) && !heavy_reported_) {
    heavy_reported_ = true;
    newly_contended_.emplace_back(contended_set::fences, 0);
  }
  thread_set others = ((only(count_) - 1) & ~only(current_));
  bool first = true;
  do {
    count_step();
    // Chooses the thread to reach next. The caller's fence at the beginning of the call coincides with the
    // first moment, the fence at the end with the last. Separate fences would order more, not less.
    unsigned chosen = current_;
    if (others != 0) {
      thread_set s = others;
      for (unsigned pick = value_choice(static_cast<unsigned>(std::popcount(others))); pick > 0; --pick) s &= s - 1;
      chosen = static_cast<unsigned>(std::countr_zero(s));
      if (others != only(chosen)) {
        // The choice is part of both threads' states.
        record_event(operation::heavy_fence, nullptr, 0, 0, symmetric_id(chosen));
        threads_[chosen].past += fingerprint::of(~std::uint64_t{4}, t.events);
      }
      others &= ~only(chosen);
    }
    t.next = {.what = operation::heavy_fence, .at = &site, .of = chosen};
    reach();
    if (first) join_fences(t);
    first = false;
    ++fences_so_far_;
    if (chosen != current_) {
      checked_thread& u = threads_[chosen];
      fences_.join_stores(u.at_light_fence, width_);
      u.owed.join_stores(fences_, width_);
      u.reached = fences_so_far_;
      u.past += fingerprint::of(~std::uint64_t{3}, std::uint64_t{symmetric_id(current_)} << 56 |
                                                       (u.events & 0xffffff) << 24 | (t.events & 0xffffff));
    }
    if (others == 0) join_fences(t);
    record_event(operation::heavy_fence, nullptr, fences_so_far_, threads_[chosen].light_fences, symmetric_id(chosen));
    if (tracing_) log("heavy_fence", nullptr, "for thread " + std::to_string(chosen), shown(where));
  } while (others != 0);
  t.released.copy(t.seen, width_);
  t.has_released = true;
  ++t.seen[current_];
}

}  // namespace callisto::machine::checking

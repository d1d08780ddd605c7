// Records what a loop does while it runs.
#include <callisto/loop/record/recorder.hpp>

#include <callisto/loop/record/site_totals.hpp>
#include <callisto/loop/record/timeline.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>

namespace callisto::loop {

using machine::native;
using machine::order;

constinit native::atomic<unsigned> recording{records_unknown};

void thread_record::entered() noexcept {
  since_ = native::ticks();
  entered_ = since_;
  working_ = false;
  seen_ = {};
  ++visits_;
}

void thread_record::claimed(std::uint64_t first, std::uint64_t last, distributor::claim_counts counts) noexcept {
  const std::uint64_t now = native::ticks();
  claiming_ += now - since_;
  claim_began_ = since_;
  since_ = now;
  working_ = true;
  batch_ = {first, last};
  fetched_ = counts != seen_;
  seen_ = counts;
}

void thread_record::worked() noexcept {
  const std::uint64_t now = native::ticks();
  work_ += now - since_;
  ++batches_;
  iterations_ += batch_.size();
  if (site_ != nullptr) {
    timeline::add({claim_began_, since_, now, batch_.first, batch_.size(), site_,
                   fetched_ ? timeline::kind::fetched_batch : timeline::kind::batch});
  }
  since_ = now;
  working_ = false;
}

void thread_record::left(distributor::claim_counts counts) noexcept {
  left_ = native::ticks();
  (working_ ? work_ : claiming_) += left_ - since_;
  if (working_) {
    ++batches_;
    threw_ = true;
    if (site_ != nullptr) {
      timeline::add({claim_began_, since_, left_, batch_.first, batch_.size(), site_, timeline::kind::broken_batch});
    }
    since_ = left_;
  }
  steals_ += counts.steals;
  given_back_ += counts.given_back;
  taken_back_ += counts.taken_back;
  combined_ += counts.combined;
  if (site_ != nullptr) {
    timeline::add({entered_, since_, left_, 0, 0, site_, leads_ ? timeline::kind::leading : timeline::kind::visit});
  }
}

loop_record::loop_record(site_totals& site, std::uint64_t n, unsigned threads, bool traced)
    : site_(site), n_(n), traced_(traced), parts_(threads) {
  for (thread_record& part : parts_) part.site_ = traced ? &site : nullptr;
  parts_.front().leads_ = true;
  began_ = native::ticks();
}

void loop_record::end() noexcept {
  const std::uint64_t now = native::ticks();
  const std::uint64_t lasted = now - began_;
  if (traced_) timeline::add({began_, parts_.front().left_, now, 0, n_, &site_, timeline::kind::loop});

  const site_registry::hold held;
  loop_statistics_of_site& sums = site_.sums;
  bool threw = false;
  std::uint64_t iterations = 0;
  std::uint64_t work = 0;
  std::uint64_t busiest = 0;
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const thread_record& part = parts_[t];
    // Loops that one thread runs inside loop bodies count for whichever thread that is.
    loop_activity& thread = sums.threads[parts_.size() == 1 ? this_thread() : t];
    const std::uint64_t busy = part.work_ + part.claiming_;
    thread += {.visits = part.visits_,
               .iterations = part.iterations_,
               .batches = part.batches_,
               .steals = part.steals_,
               .given_back = part.given_back_,
               .taken_back = part.taken_back_,
               .combined = part.combined_,
               .work = part.work_,
               .claiming = part.claiming_,
               .idle = lasted - std::min(lasted, busy)};
    threw = threw || part.threw_;
    iterations += part.iterations_;
    work += part.work_;
    busiest = std::max(busiest, part.work_);
  }
  ++sums.loops;
  if (threw) {
    ++sums.threw;
  } else if (iterations != n_) {
    ++sums.stopped;
  }
  sums.duration += lasted;
  sums.busiest += busiest;
  sums.mean += static_cast<double>(work) / static_cast<double>(parts_.size());
}

loop_record* begin_recording(loop_site& site, const std::source_location& where, std::uint64_t n, unsigned threads) {
  settle_recording();
  const unsigned kept = recording.load(order::relaxed);
  if (kept == 0) return nullptr;
  // acquire: pairs with the store below.
  site_totals* totals = site.totals.load(order::acquire);
  {
    const site_registry::hold held;
    if (totals == nullptr) {
      totals = &site_registry::instance().find(where);
      // release: publishes the texts to the acquire above.
      site.totals.store(totals, order::release);
    }
    // Here, where throwing is allowed, so that end() need not allocate.
    auto& by_thread = totals->sums.threads;
    by_thread.resize(std::max<std::size_t>({by_thread.size(), threads, this_thread() + std::size_t{1}}));
  }
  return new loop_record(*totals, n, threads, (kept & records_timeline) != 0);
}

void end_recording(loop_record* record) noexcept {
  record->end();
  delete record;
}

void drop_recording(loop_record* record) noexcept { delete record; }

}  // namespace callisto::loop

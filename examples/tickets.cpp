// A runtime on tickets: 1,000 activations, each of which waits for the one that began after it.
//
// A ticket is a source of parallelism. Workers call run_one() for it, up to 1,000 calls at once, until it is drained.
// Each call is an activation with a stack of its own. An activation that waits is suspended, and its worker starts the
// next one: so 1,000 of them can wait for each other on two workers. Threads would need 1,000 threads for it.
#include <callisto/workers.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>

namespace workers = callisto::workers;

namespace {

constexpr unsigned runners = 1'000;

struct relay {
  workers::worker_threads& set;
  std::atomic<unsigned> begun{0};
  workers::native_latch latch{};
  workers::native_svar finished{latch, 0};  // a word that activations can wait for; written under its latch
  unsigned order[runners] = {};
};

// The up-call: does one part of the work and returns. Workers call it again while the ticket is active.
void run_one(workers::native_activation&, void* data, workers::native_ticket ticket) {
  relay& r = *static_cast<relay*>(data);
  const unsigned mine = r.begun.fetch_add(1);
  if (mine >= runners) return r.set->set_drained(ticket);  // no work is left to begin

  // The last to begin is the first to finish.
  const std::uint64_t place = runners - 1 - mine;
  workers::sync_wait_value(r.finished, [place](std::uint64_t n) { return n == place; });
  r.order[place] = mine;
  const std::scoped_lock held(r.latch);
  r.finished.write(place + 1);
}

}  // namespace

int main() {
  const auto set = workers::create_workers();
  relay r{*set};
  const auto ticket = (*set)->create_ticket(&run_one, &r, runners + 1);
  workers::wait_complete(*set, ticket);
  std::printf("finished: %llu, first to finish: runner %u, last: runner %u\n",
              static_cast<unsigned long long>(r.finished.read()), r.order[0], r.order[runners - 1]);
}

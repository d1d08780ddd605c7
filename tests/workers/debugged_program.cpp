// A program for tests/workers/gdb_test.sh: three activations that are suspended in a function of their own, while
// main() calls a function for gdb to stop at.
#include <callisto/workers/activations/create_workers.hpp>

#include <cstdio>
#include <mutex>

using callisto::workers::native_activation;
using callisto::workers::native_ticket;

namespace {

callisto::workers::native_latch latch;
callisto::workers::native_svar may_end(latch, 0);
callisto::workers::native_svar waiting(latch, 0);

}  // namespace

extern "C" {

[[gnu::noinline]] void activation_waits_here() {
  {
    const std::scoped_lock held(latch);
    waiting.write(waiting.read() + 1);
  }
  callisto::workers::this_activation()->step_aside();
  callisto::workers::sync_wait_value(may_end, [](std::uint64_t v) { return v == 1; });
  asm volatile("" ::: "memory");  // no tail call, so that backtraces have the function
}

[[gnu::noinline]] void gdb_stops_here() { asm volatile("" ::: "memory"); }
}

int main() {
  callisto::workers::set_options<callisto::machine::native> how;
  how.workers = 1;
  const auto workers = callisto::workers::create_workers(how);
  const auto call = [](native_activation&, void* data, native_ticket of) {
    auto& on = *static_cast<callisto::workers::worker_threads*>(data);
    if (waiting.read() == 2) on->set_drained(of);
    activation_waits_here();
  };
  const native_ticket ticket = (*workers)->create_ticket(call, workers.get(), 3);
  callisto::workers::sync_wait_value(waiting, [](std::uint64_t v) { return v == 3; });
  // Until all have stopped for good: the only worker is idle again, and starts another ticket's activation.
  for (int round = 0; round < 3; ++round) {
    const auto nothing = [](native_activation&, void* data, native_ticket of) {
      (*static_cast<callisto::workers::worker_threads*>(data))->set_drained(of);
    };
    wait_complete(*workers, (*workers)->create_ticket(nothing, workers.get(), 1));
  }
  gdb_stops_here();
  {
    const std::scoped_lock held(latch);
    may_end.write(1);
  }
  wait_complete(*workers, ticket);
  std::puts("ended well");
}

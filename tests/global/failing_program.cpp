// A program over several ranks for mpi_test.sh: the last rank fails in the way that the first argument names. With
// "reports" it asks itself for a report, and goes on when the file that the second argument names is there.
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using namespace callisto::global;

#ifdef CALLISTO_OTHER_PROGRAM
// A message that the other binary does not have.
void other(int rank) {
  send(rank, [rank] { std::printf("%d\n", rank); });
}
#endif

std::atomic<long> sum{0};  // of what this rank received
std::atomic<long> all{0};  // at rank 0, of all ranks

void fail(const std::string& how) {
  if (how == "killed") raise(SIGKILL);
  if (how == "stopped") raise(SIGSTOP);
  if (how == "segv") {
    int* volatile none = nullptr;
    *none = 1;
  }
  if (how == "exits") std::exit(0);
  if (how == "throws") throw std::runtime_error("no more beans");
  if (how == "allocates") {
    // More than the address space has.
    std::vector<char> much(std::size_t{1} << 60);
    std::printf("%p\n", static_cast<void*>(much.data()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "well";
  session s(argc, argv);
#ifdef CALLISTO_OTHER_PROGRAM
  other(0);
#endif
  const int ranks = s.ranks();
  for (int phase = 0; phase < 3; ++phase)
    s.run_phase([&] {
      for (int i = 0; i < 10000; ++i) send((i + s.rank()) % ranks, [i] { sum += i; });
    });
  s.run_phase([&] { send(0, [mine = sum.load()] { all += mine; }); });
  if (how == "reports") {
    if (s.rank() == ranks - 1) {
      raise(SIGUSR1);
      while (argc > 2 && access(argv[2], F_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  } else if (how != "well") {
    if (s.rank() == ranks - 1 && how != "handler") fail(how);
    if (how == "handler") {
      if (s.rank() == 0) send(ranks - 1, [] { std::this_thread::sleep_for(std::chrono::hours(1)); });
    }
    // The others wait for a phase that never ends.
    s.run_phase([] {});
    return 3;
  }
  if (s.rank() == 0) std::printf("sum %ld of %d ranks\n", all.load(), ranks);
  return all.load() == (s.rank() == 0 ? 3L * ranks * 10000 * 9999 / 2 : 0) ? 0 : 1;
}

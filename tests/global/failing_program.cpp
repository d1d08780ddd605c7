// A program over several ranks for mpi_test.sh: the last rank fails in the way that the first argument names, or all
// do. With "reports" it asks itself for a report, and goes on when the file that the second argument names is there.
#include <callisto/global.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
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

#ifndef CALLISTO_CONSTANT
#define CALLISTO_CONSTANT 1
#endif
// What a copy that was compiled with another constant has otherwise, and nothing else.
volatile const int constant = CALLISTO_CONSTANT;

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

/// Blocks outside of the library until the file is there.
void await_file(const char* path) {
  while (access(path, F_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}
void make_file(const std::string& path) { std::ofstream(path) << "here"; }

[[gnu::noinline]] int need_stack(int depth) {
  volatile char room[1024];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : need_stack(depth - 1) + room[0];
}

long high_water_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  return -1;
}

/// Mistakes of a program that are told, each with one line. Returns an exit code; -1: `how` is none of them.
int misuse(session& s, const std::string& how, const std::string& file) {
  const int last = s.ranks() - 1;
  const bool is_last = s.rank() == last;
  if (how == "early") {
    if (is_last) return 0;
    for (int i = 0; i < 1000; ++i) parallel_for(0, 100, [](int) {});
    return 0;
  }
  if (how == "one_barrier_more") {
    barrier();
    if (is_last) barrier();
    return 0;
  }
  if (how == "bounds") {
    parallel_for(0, is_last ? 20 : 10, [](int) {});
    return 0;
  }
  if (how == "mutexes") {
    // Each holds one before it takes the other.
    auto m = make_array<mutex>(2);
    const std::uint64_t own = is_last ? 1 : 0;
    if (is_last || s.rank() == 0) lock(m[own]);
    barrier();
    s.run_phase([&] {
      if (is_last || s.rank() == 0) spawn([m, own] { lock(m[1 - own]); });
    });
    return 0;
  }
  if (how == "twice_locked") {
    auto m = make_array<mutex>(1);
    s.run_phase([&] {
      if (is_last)
        spawn([m] {
          lock(m[0]);
          lock(m[0]);
        });
    });
    return 0;
  }
  if (how == "never_full") {
    auto cell = make_array<full_empty<int>>(1);
    if (is_last) take_when_full(cell[0]);
    barrier();
    return 0;
  }
  if (how == "stack") {
    s.run_phase([&] {
      if (is_last) spawn([] { sum += need_stack(1000); });
    });
    return 0;
  }
  if (how == "reference") {
    std::uint64_t x = 0;
    s.run_phase([&] {
      if (is_last)
        spawn([&] {
          std::uint64_t y = 0;
          parallel_for(stealable, 0, 1000, [&](int i) { y += static_cast<std::uint64_t>(i); });
          x = y;
        });
    });
    return 0;
  }
  if (how == "index") {
    auto a = make_array<int>(10);
    if (is_last) return read(a[std::uint64_t{1} << 40]);
    barrier();
    return 0;
  }
  if (how == "unlock") {
    auto m = make_array<mutex>(1);
    s.run_phase([&] {
      if (is_last) spawn([m] { unlock(m[0]); });
    });
    return 0;
  }
  if (how == "call") {
    // The same for each element, wherever it is.
    auto a = make_array<int>(static_cast<std::uint64_t>(s.ranks()));
    for (std::uint64_t i = 0; i < a.size(); ++i) {
      try {
        call(a[i], [](int&) -> int { throw std::out_of_range("no such bean"); });
        return 4;
      } catch (const std::out_of_range& e) {
        if (std::string(e.what()) != "no such bean") return 5;
      }
    }
    barrier();
    if (s.rank() == 0) std::printf("caught\n");
    return 0;
  }
  if (how == "leaves") {
    // What main has sent is there, although main works on outside of the library.
    auto flags = make_array<int>(1, symmetric);
    for (int round = 0; round < 3; ++round) {
      const std::string name = file + std::to_string(round);
      if (round == 0) reduce_all(1);
      if (round == 1) s.run_phase([] {});
      if (round == 2 && s.rank() == 0) post_write(flags.at(last, 0), 1);
      if (s.rank() == 0) await_file(name.c_str());
      if (is_last) {
        while (round == 2 && read(flags[0]) == 0) yield();
        make_file(name);
      }
      barrier();
    }
    if (s.rank() == 0) std::printf("left\n");
    return 0;
  }
  if (how == "saves") {
    auto a = make_array<int>(10'000, cyclic(3));
    for (std::uint64_t i = 0; i < a.local().size(); ++i) a.local()[i] = static_cast<int>(a.index_of(i));
    save(a, file);
    if (access((file + ".restored").c_str(), F_OK) != 0) return 0;
    for (int& x : a.local()) x = -1;
    restore(a, file);
    for (std::uint64_t i = 0; i < a.local().size(); ++i)
      if (a.local()[i] != static_cast<int>(a.index_of(i))) return 8;
    return 0;
  }
  if (how == "copies") {
    const std::uint64_t words = (std::uint64_t{192} << 20) / sizeof(std::uint64_t);
    auto a = make_array<std::uint64_t>(words * static_cast<std::uint64_t>(s.ranks()));
    for (std::uint64_t i = 0; i < a.local().size(); ++i) a.local()[i] = a.index_of(i);
    barrier();
    const long before = high_water_kib();
    if (is_last) {
      const read_only<std::uint64_t> copy(a, 0, words);
      for (std::uint64_t i = 0; i < words; ++i)
        if (copy[i] != i) return 6;
    }
    barrier();
    const long more = high_water_kib() - before;
    if (s.rank() == 0) {
      std::printf("owner grew by %ld KiB\n", more);
      return more < 64 << 10 ? 0 : 7;
    }
    return 0;
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "well";
  static_cast<void>(constant);  // a linker drops what nothing reads
  if (how == "second") {
    {
      const session first(argc, argv);
    }
    const session second(argc, argv);
    return 0;
  }
  session s(argc, argv);
  if (const int code = misuse(s, how, argc > 2 ? argv[2] : ""); code >= 0) return code;
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

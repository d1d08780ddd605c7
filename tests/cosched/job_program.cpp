// A job for tests that look at jobs from outside: it works on every context that it gets, until it is killed.
//
//   job_program [--burst MS] [--runaway] [--spin N]
//     --burst: works for MS milliseconds, then waits for as long, and again
//     --runaway: takes its contexts once and never looks at the table again
//     --spin: N further threads run without any context
//
// Its weight and the table's folder come from the environment. When it has joined, it prints "joined" and its number.
#include <callisto/broker/client.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace callisto;
using clock = std::chrono::steady_clock;

struct options {
  std::chrono::milliseconds burst{0};
  bool runaway = false;
  unsigned spin = 0;
};

void work(cosched::job& me, unsigned context, const options& o) {
  machine::pin_this_thread(context);
  cosched::job::seat here(me, context);
  const auto never = [] { return false; };
  for (;;) {
    here.take(never);
    while (o.runaway) asm volatile("");
    const auto end = clock::now() + o.burst;
    for (auto looked = clock::now(); o.burst.count() == 0 || clock::now() < end;) {
      for (int i = 0; i < 1000; ++i) asm volatile("");
      const bool due = clock::now() - looked > std::chrono::milliseconds(100);  // P_high: for unannounced changes
      if (due) looked = clock::now();
      if ((due || !here.undisturbed()) && !here.keep()) here.take(never);
    }
    here.idle();
    std::this_thread::sleep_for(o.burst);
  }
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--runaway") o.runaway = true;
    if (std::string_view(argv[i]) == "--spin" && i + 1 < argc) o.spin = static_cast<unsigned>(std::atoi(argv[++i]));
    if (std::string_view(argv[i]) == "--burst" && i + 1 < argc)
      o.burst = std::chrono::milliseconds(std::atoi(argv[++i]));
  }
  const std::vector<unsigned> contexts = machine::affinity_at_start();
  std::string refusal;
  const auto me = cosched::job::join({.contexts = contexts,
                                      .main = contexts.front(),
                                      .weight = cosched::weight_from_environment(),
                                      .broker = broker::find},
                                     machine::shared_folders(), refusal);
  if (me == nullptr) {
    std::fprintf(stderr, "job_program: %s\n", refusal.c_str());
    return 1;
  }
  std::printf("joined %u\n", me->number());
  std::fflush(stdout);
  std::vector<std::jthread> threads;
  for (const unsigned c : contexts) threads.emplace_back([&, c] { work(*me, c, o); });
  for (unsigned i = 0; i < o.spin; ++i) {
    threads.emplace_back([] {
      for (;;) asm volatile("");
    });
  }
  return 0;
}

// Measures what a switch between stacks costs, beside ucontext and, if it is installed, Boost.Context; then what
// activations and tickets add. All runs are in one thread or on the workers of one process, in turns. Prints medians.
#include "compare.hpp"

#include <callisto/machine/fibers/fiber.hpp>
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include <ucontext.h>

#if defined(CALLISTO_BENCH_BOOST)
#include <boost/context/detail/fcontext.hpp>
#endif

namespace callisto::lab {
namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10;

/// Contexts that only switch back, one class for each library.
class by_callisto {
 public:
  by_callisto() : own_(stack_bytes, &run, this) {}
  void there_and_back() { machine::fiber::switch_to(home_, own_); }

 private:
  static void run(void* self) {
    auto& me = *static_cast<by_callisto*>(self);
    for (;;) machine::fiber::switch_to(me.own_, me.home_);
  }
  machine::fiber home_;
  machine::fiber own_;
};

class by_ucontext {
 public:
  by_ucontext() : stack_(new std::byte[stack_bytes]) {
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_.get();
    own_.uc_stack.ss_size = stack_bytes;
    own_.uc_link = nullptr;
    current = this;
    makecontext(&own_, &run, 0);
    swapcontext(&home_, &own_);  // runs `current`
  }
  void there_and_back() { swapcontext(&home_, &own_); }

 private:
  static inline by_ucontext* current = nullptr;
  static void run() {
    by_ucontext& me = *current;
    for (;;) swapcontext(&me.own_, &me.home_);
  }
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t home_;
  ucontext_t own_;
};

#if defined(CALLISTO_BENCH_BOOST)
class by_boost {
 public:
  by_boost() : stack_(new std::byte[stack_bytes]) {
    own_ = boost::context::detail::make_fcontext(stack_.get() + stack_bytes, stack_bytes, &run);
  }
  void there_and_back() { own_ = boost::context::detail::jump_fcontext(own_, nullptr).fctx; }

 private:
  static void run(boost::context::detail::transfer_t from) {
    for (;;) from = boost::context::detail::jump_fcontext(from.fctx, nullptr);
  }
  std::unique_ptr<std::byte[]> stack_;
  boost::context::detail::fcontext_t own_;
};
#endif

/// Returns a function that measures the seconds of one switch, there or back, going round `contexts` contexts.
template <class By>
std::function<double()> switches(std::vector<std::unique_ptr<By>>& of, unsigned contexts, unsigned rounds) {
  while (of.size() < contexts) of.push_back(std::make_unique<By>());
  return [&of, contexts, rounds] {
    const double seconds = seconds_of([&] {
      for (unsigned r = 0; r < rounds; ++r)
        for (unsigned c = 0; c < contexts; ++c) of[c]->there_and_back();
    });
    return seconds / rounds / contexts / 2;
  };
}

using workers::create_workers;
using workers::native_activation;
using workers::native_ticket;
using workers::worker_threads;

constexpr unsigned turns_each = 20'000;
constexpr unsigned tickets_in_a_row = 5'000;

/// Returns the seconds that an activation takes to step aside and be resumed. Two activations share one worker.
double steps(worker_threads& on) {
  const auto call = [](native_activation& self, void* data, native_ticket of) {
    (*static_cast<worker_threads*>(data))->set_drained(of);
    for (unsigned t = 0; t < turns_each; ++t) self.step_aside();
  };
  return seconds_of([&] { wait_complete(on, on->create_ticket(call, &on, 1)); }) / turns_each;
}

/// Returns the seconds of a step aside under an identity: each switch writes the thread register.
double steps_as(worker_threads& on, machine::thread_identity& who) {
  struct both {
    worker_threads& on;
    machine::thread_identity& who;
  } b{on, who};
  const auto call = [](native_activation& self, void* data, native_ticket of) {
    const both& mine = *static_cast<both*>(data);
    mine.on->set_drained(of);
    run_as(self, mine.who, [&self] {
      for (unsigned t = 0; t < turns_each; ++t) self.step_aside();
    });
  };
  return seconds_of([&] { wait_complete(on, on->create_ticket(call, &b, 1)); }) / turns_each;
}

/// Returns the seconds from making a ticket to seeing it complete. Its one activation does nothing.
double tickets(worker_threads& on) {
  const auto call = [](native_activation&, void* data, native_ticket of) {
    (*static_cast<worker_threads*>(data))->set_drained(of);
  };
  return seconds_of([&] {
           for (unsigned t = 0; t < tickets_in_a_row; ++t) wait_complete(on, on->create_ticket(call, &on, 1));
         }) /
         tickets_in_a_row;
}

std::string nanoseconds(double seconds) { return fmt::format("{:.1f} ns", seconds * 1e9); }

int run(bool quick) {
  const turns how{.rounds = quick ? 5U : 15U, .warm_up_rounds = 1, .pause = std::chrono::milliseconds(1)};
  limits checked;
  for (const unsigned contexts : {1U, 64U, 1024U}) {
    const unsigned rounds = 1'000'000 / contexts;
    std::vector<std::unique_ptr<by_callisto>> ours;
    std::vector<std::unique_ptr<by_ucontext>> of_libc;
    std::vector<variant> all;
    all.push_back({"Callisto", switches(ours, contexts, rounds)});
    all.push_back({"ucontext", switches(of_libc, contexts, rounds)});
#if defined(CALLISTO_BENCH_BOOST)
    std::vector<std::unique_ptr<by_boost>> of_boost;
    all.push_back({"Boost.Context", switches(of_boost, contexts, rounds)});
#endif
    compare(all, how);
    std::vector<std::vector<std::string>> table{{fmt::format("{} contexts", contexts), "one switch", "of Callisto's"}};
    for (const variant& v : all)
      table.push_back({v.name, nanoseconds(v.median()), fmt::format("{:.2f}", v.median() / all[0].median())});
    print_table(table);
    if (contexts == 1) checked.at_most("one switch in cache", all[0].median() * 1e9, 10, " ns");
  }
#if !defined(CALLISTO_BENCH_BOOST)
  fmt::print("Boost.Context is not installed (libboost-context-dev): not compared\n");
#endif
  workers::set_options<machine::native> one;
  one.workers = 1;
  const auto on = create_workers(one);
  std::vector<variant> all;
  all.push_back({"an activation steps aside and goes on", [&] { return steps(*on); }});
  machine::thread_identity who;
  if (machine::thread_identity::can_be_carried())
    all.push_back({"the same, carrying a thread's identity", [&] { return steps_as(*on, who); }});
  all.push_back({"a ticket, from creation to completion", [&] { return tickets(*on); }});
  compare(all, how);
  std::vector<std::vector<std::string>> table{{"One worker", "each"}};
  for (const variant& v : all) table.push_back({v.name, nanoseconds(v.median())});
  print_table(table);
  return checked.exit_code();
}

}  // namespace
}  // namespace callisto::lab

int main(int argc, char** argv) {
  const bool quick = argc == 2 && std::strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !quick) {
    fmt::print(stderr, "Usage: {} [--quick]\n", argv[0]);
    return 2;
  }
  return callisto::lab::run(quick);
}

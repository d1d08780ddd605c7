// Teams of ordinary threads: they do what a region does, without workers and activations, so that sanitizers see them.
#pragma once

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace callisto::openmp {

/// Calls body(omp_thread&) on `threads` threads that form a team. All its tasks are finished at the end.
template <class Body>
void run_as_team(unsigned threads, Body body) {
  struct member {
    explicit member(contention_group& group) : state(&waits, group) {}
    waiting::plain_thread<native> waits{native::ticks_per_second() / 100'000};
    omp_thread state;
  };
  contention_group group;
  const auto of = std::make_unique<team>();
  of->threads = threads;
  std::vector<std::unique_ptr<member>> members;
  for (unsigned n = 0; n < threads; ++n) {
    members.push_back(std::make_unique<member>(group));
    omp_thread& self = members.back()->state;
    self.at.in = of.get();
    self.at.number = n;
    self.at.share = of->first_share;
    self.implicit.below.begin(&self);
    self.at.current = &self.implicit;
    of->members.push_back(&self);
  }
  of->leader = of->members.front();
  // relaxed: before the threads begin.
  of->first_share->staying.store(threads, order::relaxed);
  std::vector<std::jthread> others;
  const auto live = [&](unsigned n) {
    omp_thread& self = members[n]->state;
    omp_thread* const before = std::exchange(this_thread_or_null, &self);
    body(self);
    of->barrier(self);
    this_thread_or_null = before;
  };
  for (unsigned n = 1; n < threads; ++n) others.emplace_back(live, n);
  live(0);
  others.clear();
  of->first_share = members.front()->state.at.share;
}

}  // namespace callisto::openmp

// Subjects: which threads' runaway timers tick.
#include "subject.hpp"

#include <callisto/workers/preemption/timer_gate.hpp>

#include <array>

namespace callisto::check {
namespace {

using machine::checked;

/// Workers with timers that tick without demand, and a thread, the last, that makes demand. In the end all timers tick.
template <unsigned Workers>
class resters {
 public:
  static constexpr unsigned threads = Workers + 1;

  resters() {
    for (unsigned n = 0; n < Workers; ++n) require(!switch_.arrive(n), "all rest at first");
    switch_.demand(start());
  }

  void run(unsigned thread) {
    if (thread == Workers) {
      demand_.fetch_or(1, order::release);
      switch_.demand(start());
      return;
    }
    if (!has_demand()) {
      switch_.rest(
          thread,
          [this](unsigned n) {
            require(ticks_[n].load(order::relaxed), "a thread stops a timer that ticks");
            ticks_[n].store(false, order::relaxed);
          },
          [this] { return has_demand(); }, start());
    }
    const auto at_rest = [](bool ticks) { return !ticks; };
    while (at_rest(checked::wait_while(ticks_[thread], at_rest, machine::patience::brief))) {
    }
  }

 private:
  auto start() {
    return [this](unsigned n, bool here) {
      require(here, "no thread is elsewhere");
      require(!ticks_[n].load(order::relaxed), "no thread starts a timer that ticks");
      ticks_[n].store(true, order::relaxed);
    };
  }
  bool has_demand() { return demand_.load(order::acquire) != 0; }

  workers::timer_gate<checked> switch_{Workers};
  atomic<unsigned> demand_{0};
  std::array<atomic<bool>, Workers> ticks_{};  ///< the system's timers
};

/// A thread that is elsewhere, with a timer at rest, comes back; another thread makes demand meanwhile. In the end the
/// timer ticks.
class arrivals {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    if (thread == 1) {
      switch_.demand([this](unsigned, bool here) {
        if (here) started_.fetch_add(1, order::relaxed);
      });
    } else if (switch_.arrive(0)) {
      started_.fetch_add(1, order::relaxed);
    }
  }
  void finish() { require(started_.load(order::relaxed) == 1, "one of the two starts the timer"); }

 private:
  workers::timer_gate<checked> switch_{1};
  atomic<unsigned> started_{0};
};

/// A thread with a timer that was to tick while it was elsewhere comes back. If the demand is gone by then, it lets the
/// timer rest; another thread makes demand again.
class late_arrivals {
  auto start() {
    return [this](unsigned, bool here) {
      if (here) started_.fetch_add(1, order::relaxed);
    };
  }

 public:
  static constexpr unsigned threads = 2;

  late_arrivals() { switch_.demand(start()); }

  void run(unsigned thread) {
    if (thread == 1) {
      demand_.store(1, order::release);
      switch_.demand(start());
      return;
    }
    require(switch_.arrive(0), "there was demand while it was elsewhere");
    const auto has_demand = [this] { return demand_.load(order::acquire) != 0; };
    if (has_demand()) {
      started_.fetch_add(1, order::relaxed);
    } else {
      switch_.rest(0, [](unsigned) {}, has_demand, start());
    }
  }
  void finish() { require(started_.load(order::relaxed) == 1, "one of the two starts the timer"); }

 private:
  workers::timer_gate<checked> switch_{1};
  atomic<unsigned> demand_{0};
  atomic<unsigned> started_{0};
};

/// A thread with a timer at rest leaves something behind, and another thread wants that.
class departures {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    const auto take = [this] { taken_.fetch_add(1, order::relaxed); };
    if (thread == 0) {
      left_.store(1, order::relaxed);
      switch_.look_again([this] { return demand_.load(order::relaxed) != 0; }, take);
    } else {
      demand_.store(1, order::relaxed);
      switch_.demand([&](unsigned, bool) {
        if (left_.load(order::relaxed) != 0) take();
      });
    }
  }
  void finish() { require(taken_.load(order::relaxed) != 0, "what was left behind is found by one of the two"); }

 private:
  workers::timer_gate<checked> switch_{1};
  atomic<unsigned> left_{0};
  atomic<unsigned> demand_{0};
  atomic<unsigned> taken_{0};
};

constexpr const char* ticks = "no demand without ticks; each timer is started and stopped in turns";

const registered<resters<1>> rest_1("ticks.rest.1", ticks, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<arrivals> arrive_1("ticks.arrive", ticks, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<late_arrivals> arrive_2("ticks.arrive.late", ticks, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<departures> leave_1("ticks.leave", ticks, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<resters<2>> rest_2("ticks.rest.2", ticks, preemptions(2, {0, 0}), exhaustive({0, 0}));

}  // namespace
}  // namespace callisto::check

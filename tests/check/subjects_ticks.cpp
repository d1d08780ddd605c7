// Subjects: whose runaway timers tick.
#include "subject.hpp"

#include <callisto/workers/tick_switch.hpp>

#include <array>

namespace callisto::check {
namespace {

using machine::checked;

/// Workers whose timers tick for nothing, and a thread, the last, that makes demand for them. In the end all tick.
template <unsigned Workers>
class resters {
 public:
  static constexpr unsigned threads = Workers + 1;

  resters() { switch_.demand(start()); }

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
            require(ticks_[n].load(order::relaxed), "who stops his timer has one that ticks");
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
    return [this](unsigned n) {
      require(!ticks_[n].load(order::relaxed), "nobody starts a timer that ticks");
      ticks_[n].store(true, order::relaxed);
    };
  }
  bool has_demand() { return demand_.load(order::acquire) != 0; }

  workers::tick_switch<checked> switch_{Workers};
  atomic<unsigned> demand_{0};
  std::array<atomic<bool>, Workers> ticks_{};  ///< the system's timers
};

constexpr const char* ticks = "no demand without ticks; each timer is started and stopped in turns";

const registered<resters<1>> rest_1("ticks.rest.1", ticks, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<resters<2>> rest_2("ticks.rest.2", ticks, preemptions(2, {0, 0}), exhaustive({0, 0}));

}  // namespace
}  // namespace callisto::check

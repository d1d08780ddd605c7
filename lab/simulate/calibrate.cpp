// Micro-benchmarks of one context, and of pairs of contexts that play ping-pong, compete, or wake each other.
#include <lab/simulate/calibrate.hpp>

#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/team.hpp>
#include <lab/simulate/native_loop.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

namespace callisto::lab {
namespace {

using machine::native;
using machine::order;
using machine::patience;
using word = native::atomic<std::uint64_t>;

struct alignas(native::line_size) line {
  word value{0};
};

/// Hides `value` from the optimizer, so that the code that computes it stays where it is.
inline void keep(std::uint64_t& value) { asm volatile("" : "+r"(value)); }

double nanoseconds(std::uint64_t ticks) {
  return static_cast<double>(ticks) * 1e9 / static_cast<double>(native::ticks_per_second());
}

void throw_if_stopped(const graph::run_control& context) {
  if (context.stop.stop_requested()) throw graph::cancelled();
}

/// Returns the lower quartile over many trials of `body(n)`, in nanoseconds per one of its n rounds.
template <class Body>
double each(std::uint64_t rounds, Body body) {
  constexpr int trials = 41;
  std::vector<double> times;
  for (int i = 0; i < trials; ++i) {
    const std::uint64_t begin = native::ticks();
    body(rounds);
    times.push_back(nanoseconds(native::ticks() - begin) / static_cast<double>(rounds));
  }
  return quantile(std::move(times), 0.25);
}

double measure_gigahertz() {
  // Each round is eight additions, each of which needs the one before. An addition of a register takes one cycle on
  // every known processor; additions of constants some processors make several at once.
  const double round = each(100'000, [](std::uint64_t n) {
    std::uint64_t x = 0;
    std::uint64_t step = 3;
    keep(step);
    for (; n != 0; --n) {
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        x += step;
        keep(x);
      }
    }
  });
  return 8 / round;
}

double measure_load() {
  // A pointer to itself.
  void* self = &self;
  return each(100'000, [&](std::uint64_t n) {
    auto at = reinterpret_cast<std::uint64_t>(&self);
    for (; n != 0; --n) {
      at = *reinterpret_cast<volatile std::uint64_t*>(at);
      keep(at);
    }
  });
}

double measure_fetch_add() {
  line l;
  return each(20'000, [&](std::uint64_t n) {
    for (; n != 0; --n) {
      std::uint64_t got = l.value.fetch_add(1, order::relaxed);
      keep(got);  // uses the result: otherwise the compiler may choose an addition without one
    }
  });
}

double measure_compare_exchange() {
  line l;
  return each(20'000, [&](std::uint64_t n) {
    std::uint64_t seen = l.value.load(order::relaxed);
    for (; n != 0; --n) {
      if (l.value.compare_exchange(seen, seen + 1, order::relaxed)) ++seen;
    }
  });
}

double measure_clock() {
  return each(20'000, [](std::uint64_t n) {
    for (; n != 0; --n) {
      std::uint64_t t = native::ticks();
      keep(t);
    }
  });
}

using chained_loop = loop::loop_item<native, distributor::distributed_counters<native>>;
constexpr distributor::stage one_counter[] = {{distributor::stage_kind::counter, distributor::level::machine, false}};

/// Returns what a claim adds to each iteration of a loop on one thread with batches of one.
double measure_claim() {
  std::uint64_t chain = 3;
  const double plain = each(20'000, [&chain](std::uint64_t n) { chain = run_iterations(0, n, chain); });
  const double claimed = each(20'000, [](std::uint64_t n) {
    chained_body body;
    const distributor::layout alone = distributor::layout::flat(1);
    const std::stop_token never;
    chained_loop loop(body, n, alone, one_counter, 1, never);
    loop.run(0, nullptr, nullptr);
  });
  return std::max(0.0, claimed - plain);
}

double measure_publish() {
  const auto team = std::make_unique<workers::team<native>>(1);
  chained_body body;
  const distributor::layout alone = distributor::layout::flat(1);
  const std::stop_token never;
  return each(2'000, [&](std::uint64_t n) {
    for (; n != 0; --n) {
      chained_loop loop(body, 1, alone, one_counter, 1, never);
      team->lead(loop);
    }
  });
}

struct polling {
  double period;
  double limit;
};

polling measure_polling(patience grade) {
  word never_written{0};
  std::vector<double> periods;
  std::vector<double> limits;
  for (int i = 0; i < 21; ++i) {
    std::uint64_t looks = 0;
    const auto count = [&looks](std::uint64_t) {
      ++looks;
      return true;
    };
    const std::uint64_t begin = native::ticks();
    native::wait_while(never_written, count, grade);
    limits.push_back(nanoseconds(native::ticks() - begin));
    periods.push_back(limits.back() / static_cast<double>(std::max<std::uint64_t>(1, looks)));
  }
  return {quantile(std::move(periods), 0.25), quantile(std::move(limits), 0.25)};
}

/// Two contexts, by the operating system's numbers.
using cpu_pair = std::pair<unsigned, unsigned>;

/// Runs both functions at the same time, each on its context. Returns when both have ended.
void run_both(cpu_pair cpus, const std::function<void()>& first, const std::function<void()>& second) {
  std::atomic<int> ready{0};
  const auto start = [&ready](unsigned cpu, const std::function<void()>& work) {
    machine::pin_this_thread(cpu);
    ready.fetch_add(1);
    while (ready.load() < 2) native::relax();
    work();
  };
  const std::jthread one(start, cpus.first, std::cref(first));
  const std::jthread two(start, cpus.second, std::cref(second));
}

/// Returns the time of one way of a ping-pong, measured like the core-to-core tables of
/// KCORES/core-to-core-latency-plus.
double measure_volley(cpu_pair cpus, const graph::run_control& context) {
  constexpr int trials = 61;
  constexpr std::uint64_t rounds = 2'000;
  std::vector<double> times;
  for (int i = 0; i < trials; ++i) {
    throw_if_stopped(context);
    line ball;
    const auto play = [&ball](std::uint64_t from) {
      for (std::uint64_t n = rounds; n != 0; --n) {
        std::uint64_t seen = from;
        while (!ball.value.compare_exchange(seen, 1 - from, order::acq_rel)) seen = from;
      }
    };
    run_both(
        cpus,
        [&] {
          const std::uint64_t begin = native::ticks();
          play(0);
          times.push_back(nanoseconds(native::ticks() - begin) / (2 * static_cast<double>(rounds)));
        },
        [&] { play(1); });
  }
  return quantile(std::move(times), 0.25);
}

/// The time of `work(times, mine)` divided by `times`: `together` if two contexts run it at once (`mine` is false),
/// `alone` if one runs it on data of its own (`mine` is true).
struct pair_costs {
  double together;
  double alone;
};

template <class Work>
pair_costs measure_pair(cpu_pair cpus, std::uint64_t times, Work work, const graph::run_control& context) {
  constexpr std::size_t wanted = 41;
  constexpr int most_trials = 200;
  struct stretch {
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
  };
  const auto run = [&](stretch& s, bool mine) {
    s.began = native::ticks();
    work(times, mine);
    s.ended = native::ticks();
  };
  std::vector<double> together;
  std::vector<double> alone;
  for (int i = 0; i < most_trials && together.size() < wanted; ++i) {
    throw_if_stopped(context);
    stretch a;
    stretch b;
    run_both(cpus, [&] { run(a, false); }, [&] { run(b, false); });
    // The two competed only if they ran side by side nearly all the time.
    const std::uint64_t whole = std::max(a.ended, b.ended) - std::min(a.began, b.began);
    const std::uint64_t first_end = std::min(a.ended, b.ended);
    const std::uint64_t last_begin = std::max(a.began, b.began);
    if (i + 1 < most_trials && (first_end < last_begin || 10 * (first_end - last_begin) < 9 * whole)) continue;
    together.push_back(nanoseconds(whole) / static_cast<double>(times));
    run_both(cpus, [&] { run(a, true); }, [] {});
    alone.push_back(nanoseconds(a.ended - a.began) / static_cast<double>(times));
  }
  return {quantile(std::move(together), 0.5), quantile(std::move(alone), 0.5)};
}

/// Returns what a claim from this shared counter costs more if the other context made the claim before.
double measure_hop(cpu_pair cpus, const graph::run_control& context) {
  constexpr std::uint64_t endless = std::uint64_t{1} << 60;
  // About 0.1 us: between two claims the other context surely takes the line away.
  constexpr std::uint64_t iterations_between = 8;
  struct both {
    distributor::shared_counter<native> shared{0, endless};
    distributor::shared_counter<native> own{0, endless};
  };
  const auto counters = std::make_unique<both>();
  const auto claim = [&](std::uint64_t times, bool mine) {
    auto& counter = mine ? counters->own : counters->shared;
    std::uint64_t left = 0;
    std::uint64_t chain = 3;
    for (; times != 0; --times) {
      const distributor::range r = counter.claim(1, left);
      chain = run_iterations(r.first, r.last + iterations_between - 1, chain);
    }
  };
  const pair_costs c = measure_pair(cpus, 2'000, claim, context);
  return std::max(0.0, c.together - c.alone);
}

/// Returns the time per fetch_add while two contexts increment one word as fast as they can.
double measure_contended(cpu_pair cpus, const graph::run_control& context) {
  line shared;
  line own;
  const auto add = [&](std::uint64_t times, bool mine) {
    word& counter = (mine ? own : shared).value;
    for (; times != 0; --times) {
      std::uint64_t got = counter.fetch_add(1, order::relaxed);
      keep(got);
    }
  };
  return measure_pair(cpus, 10'000, add, context).together / 2;
}

struct sleeping {
  double park;
  double unpark;
  double wake;
};

sleeping measure_sleeping(cpu_pair cpus, const graph::run_control& context) {
  constexpr int trials = 41;
  std::vector<double> unparks;
  std::vector<double> wakes;
  for (int i = 0; i < trials; ++i) {
    throw_if_stopped(context);
    line bed;
    std::uint64_t called = 0;
    std::uint64_t back = 0;
    std::uint64_t awake = 0;
    run_both(
        cpus,
        [&] {
          while (bed.value.load(order::acquire) == 0) native::park(bed.value, 0), awake = native::ticks();
        },
        [&] {
          std::this_thread::sleep_for(std::chrono::microseconds(300));  // lets the other thread enter the kernel first
          called = native::ticks();
          bed.value.store(1, order::release);
          native::unpark(bed.value, 1);
          back = native::ticks();
        });
    if (awake < called) continue;  // the other thread did not sleep
    unparks.push_back(nanoseconds(back - called));
    wakes.push_back(nanoseconds(awake - called));
  }
  // A park() that returns at once costs as much as entering and leaving the kernel.
  line changed;
  changed.value.store(1, order::relaxed);
  const double park = each(500, [&](std::uint64_t n) {
    for (; n != 0; --n) native::park(changed.value, 0);
  });
  if (wakes.empty()) return {park, park, park};
  return {park, quantile(std::move(unparks), 0.25), quantile(std::move(wakes), 0.25)};
}

/// Returns up to `most` pairs of usable contexts for each distance, spread over the machine.
std::array<std::vector<cpu_pair>, nearness_kinds> choose_pairs(std::size_t most) {
  const machine::topology& host = machine::topology::host();
  std::vector<machine::context> usable;
  for (const unsigned cpu : machine::limits::current().cpus) {
    if (const machine::context* c = host.find(cpu)) usable.push_back(*c);
  }
  std::array<std::vector<cpu_pair>, nearness_kinds> all;
  // Pairs each context with some later ones, near and far, so that the number of pairs stays small with a thousand
  // contexts.
  for (std::size_t i = 0; i < usable.size(); ++i) {
    for (std::size_t step = 1; step < usable.size(); step = step < 4 ? step + 1 : step * 2) {
      const std::size_t j = (i + step) % usable.size();
      const nearness n = nearness_of(usable[i], usable[j]);
      all[static_cast<std::size_t>(n)].emplace_back(usable[i].os_index, usable[j].os_index);
    }
  }
  for (auto& pairs : all) {
    if (pairs.size() <= most) continue;
    std::vector<cpu_pair> some;
    for (std::size_t k = 0; k < most; ++k) some.push_back(pairs[k * pairs.size() / most]);
    pairs = std::move(some);
  }
  return all;
}

}  // namespace

nearness nearness_of(const machine::context& a, const machine::context& b) noexcept {
  if (a.package != b.package) return nearness::machine;
  if (a.core == b.core) return nearness::core;
  return a.l3 == b.l3 ? nearness::cache : nearness::socket;
}

measured_costs measure_costs(const graph::run_control& context) {
  constexpr std::size_t pairs_a_kind = 5;
  if (context.report != nullptr) context.report->begin("measuring this machine", 0, "trials");
  native::prepare();
  measured_costs m;
  m.gigahertz = measure_gigahertz();
  m.load = measure_load();
  m.fetch_add = measure_fetch_add();
  m.compare_exchange = measure_compare_exchange();
  m.clock = measure_clock();
  m.claim = measure_claim();
  m.call = std::max(0.0, m.claim - m.fetch_add);
  m.publish = measure_publish();
  const polling brief = measure_polling(patience::brief);
  const polling lasting = measure_polling(patience::lasting);
  m.poll_brief = brief.period;
  m.spin_brief = brief.limit;
  m.poll_lasting = lasting.period;
  m.spin_lasting = lasting.limit;

  const auto pairs = choose_pairs(pairs_a_kind);
  std::optional<cpu_pair> farthest;
  for (std::size_t kind = 0; kind < nearness_kinds; ++kind) {
    std::vector<double> volleys;
    std::vector<double> hops;
    std::vector<double> contended;
    for (const cpu_pair& cpus : pairs[kind]) {
      volleys.push_back(measure_volley(cpus, context));
      hops.push_back(m.fetch_add + measure_hop(cpus, context));
      contended.push_back(measure_contended(cpus, context));
      farthest = cpus;
    }
    if (hops.empty()) continue;
    m.volley[kind] = quantile(std::move(volleys), 0.5);
    m.hop[kind] = quantile(std::move(hops), 0.5);
    m.contended[kind] = quantile(std::move(contended), 0.5);
  }
  if (farthest) {
    const sleeping s = measure_sleeping(*farthest, context);
    m.park = s.park;
    m.unpark = s.unpark;
    m.wake = s.wake;
  }
  return m;
}

}  // namespace callisto::lab

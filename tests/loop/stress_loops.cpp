// Loops of every kind under every schedule, under the worst conditions: threads that are delayed in bodies, stopped by
// signals anywhere, and eight to a CPU; several leaders at once; set_threads() while loops run; exceptions, stops,
// loops nested on the levels of the machine. Checks that every iteration runs exactly once (at most once, if a loop is
// cut short). `./x soak` runs ten thousand million iterations; ctest runs it for some seconds, also under the
// sanitizers.
//
//   stress_loops [--iterations N] [--seconds S] [--seed X]
//
// ends after N iterations (10^10) and S seconds (0), whichever comes last. The seed decides which loops there are; the
// timing of threads is up to the machine. Loop bodies contain no locked instructions and no fences, which would hide
// the lack of one in the code under test.
#include <callisto/callisto.hpp>
#include <callisto/machine/host/limits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace callisto;
using steady = std::chrono::steady_clock;

constexpr unsigned leaders = 3;
constexpr unsigned most_contexts_per_machine = 512;  ///< threads: eight times as many at most
constexpr std::size_t most_marked = std::size_t{1} << 22;

/// Sebastiano Vigna's splitmix64: small, and good enough to choose loops by.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Returns a number of [0, limit).
  std::uint64_t below(std::uint64_t limit) noexcept { return next() % limit; }
  bool one_in(std::uint64_t n) noexcept { return below(n) == 0; }
  /// Returns a number from 1 to 2^bits, small ones as often as large ones.
  std::uint64_t sized(unsigned bits) noexcept {
    const std::uint64_t top = std::uint64_t{1} << below(bits + 1);
    return top - below((top + 1) / 2);
  }

 private:
  std::uint64_t state_;
};

/// All schedules that the grammar has.
std::vector<schedule> all_schedules() {
  std::vector<std::string> levels;
  for (unsigned at = 0; at < distributor::levels; ++at) {
    levels.emplace_back(distributor::name_of(static_cast<distributor::level>(at)));
  }
  std::vector<schedule> all{schedule(), schedule::parse("ranges", "stress")};
  const auto add = [&](const std::string& text) {
    try {
      all.push_back(schedule::parse(text, "stress"));
    } catch (const usage_error&) {
      // Levels in an order that makes no sense.
    }
  };
  for (const std::string& counter : levels) {
    add(fmt::format("counter({})", counter));
    for (const std::string& inner : levels) {
      for (const char* async : {"", ",async"}) {
        add(fmt::format("combine({}{})/counter({})", inner, async, counter));
        for (const std::string& outer : levels) {
          add(fmt::format("combine({}{})/combine({})/counter({})", inner, async, outer, counter));
        }
      }
    }
  }
  return all;
}

/// The totals of all leaders.
struct totals {
  std::atomic<std::uint64_t> iterations{0};
  std::atomic<std::uint64_t> loops{0};
  std::atomic<std::uint64_t> exceptions{0};
  std::atomic<std::uint64_t> stops{0};
  std::atomic<std::uint64_t> nested{0};
  std::atomic<std::uint64_t> resized{0};
  std::atomic<std::uint64_t> paused{0};
};
totals done;
std::atomic<bool> ending{false};
std::uint64_t seed = 1;

/// What a leader does at the moment, for reports of failures and hangs.
struct position {
  std::mutex lock;
  std::string text = "nothing yet";
  std::uint64_t rounds = 0;
};
std::array<position, leaders> positions;

[[noreturn]] void fail(const std::string& what) {
  std::string text = fmt::format("stress_loops: seed {}: {}\n", seed, what);
  for (unsigned l = 0; l < leaders; ++l) {
    const std::scoped_lock held(positions[l].lock);
    text += fmt::format("  leader {}, round {}: {}\n", l, positions[l].rounds, positions[l].text);
  }
  std::fputs(text.c_str(), stderr);
  std::_Exit(1);
}

constexpr int pause_signal = SIGUSR1;

/// Delays the thread that receives the signal, at any place.
void pause_for_a_while(int) {
  const int saved = errno;
  const timespec while_{0, 2'000'000};
  nanosleep(&while_, nullptr);
  errno = saved;
}

/// Followers begin with all signals blocked. From its first body on, a thread can be stopped.
void be_stoppable() {
  thread_local bool ready = false;
  if (ready) return;
  ready = true;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, pause_signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void spin(std::chrono::microseconds time) {
  const auto end = steady::now() + time;
  while (steady::now() < end) {
  }
}

void delay(std::uint64_t random) {
  switch (random % 8) {
    case 0:
      std::this_thread::sleep_for(std::chrono::microseconds(random / 8 % 2000));
      break;
    case 1:
    case 2:
    case 3:
      sched_yield();
      break;
    default:
      spin(std::chrono::microseconds(random / 8 % 40));
  }
}

/// What one thread has run of a loop; on lines of its own.
struct alignas(128) tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;  ///< of the indices, modulo 2^64

  void add(std::uint64_t first, std::uint64_t last) {
    count += last - first;
    // first + ... + last - 1: the even one of the two factors is halved.
    const std::uint64_t n = last - first;
    const std::uint64_t ends = first + (last - 1);
    sum += n % 2 == 0 ? n / 2 * ends : (n / 2) * ends + (first + n / 2);
  }
};

/// One leader: what its loops write to, and how it checks that.
class leader {
 public:
  leader(unsigned number, std::span<const schedule> schedules)
      : number_(number),
        schedules_(schedules),
        random_(seed * leaders + number),
        seen_(most_marked),
        tallies_(8 * most_contexts_per_machine + 1) {}

  void run() {
    be_stoppable();
    while (!ending) round();
  }

 private:
  enum class kind { bulk, fine, delayed, throwing, stopping, nested, folded, huge, burst };
  static constexpr std::array names{"bulk",   "fine",   "delayed", "throwing", "stopping",
                                    "nested", "folded", "huge",    "burst"};

  void round() {
    // Most iterations come from bulk loops.
    const std::uint64_t drawn = random_.below(16);
    kind_ = drawn < 8 ? kind::bulk : static_cast<kind>(drawn - 7);
    options_ = {};
    // No structure here that a test could miss: automatic schedules as often as all others.
    options_.schedule = random_.one_in(3) ? schedule() : schedules_[random_.below(schedules_.size())];
    options_.together = random_.one_in(4);
    if (!random_.one_in(2)) options_.batch = random_.sized(kind_ == kind::bulk ? 16 : 8);
    n_ = random_.sized(kind_ == kind::bulk ? 22 : kind_ == kind::huge ? 62 : 14);
    if (kind_ == kind::bulk && options_.batch != 0) n_ = std::min(n_, options_.batch << 14);
    if (kind_ == kind::fine) options_.batch = 1 + random_.below(4);
    if (kind_ == kind::huge && random_.one_in(4)) n_ = random_.next();
    if (kind_ == kind::huge) options_.batch = std::max<std::uint64_t>({1, options_.batch, n_ >> 12});
    n_ = std::max<std::uint64_t>(n_, 1);
    salt_ = random_.next();
    {
      position& here = positions[number_];
      const std::scoped_lock held(here.lock);
      ++here.rounds;
      here.text = fmt::format("{}: {} iterations, batch {}, {}{}", names[static_cast<unsigned>(kind_)], n_,
                              options_.batch, options_.schedule.to_string(), options_.together ? ", together" : "");
    }
    const std::uint64_t before = loops_;
    switch (kind_) {
      case kind::bulk:
        bulk();
        break;
      case kind::fine:
        fine();
        break;
      case kind::delayed:
        delayed();
        break;
      case kind::throwing:
        throwing();
        break;
      case kind::stopping:
        stopping();
        break;
      case kind::nested:
        nested();
        break;
      case kind::folded:
        folded();
        break;
      case kind::huge:
        huge();
        break;
      case kind::burst:
        burst();
        break;
    }
    done.loops += loops_ - before;
  }

  [[noreturn]] static void wrong(const std::string& what) { fail(what); }

  void begin_marks() {
    ++loops_;
    std::fill_n(seen_.begin(), n_, std::uint8_t{0});
    begin_tallies();
  }

  void begin_tallies() { std::fill(tallies_.begin(), tallies_.end(), tally{}); }

  void mark(std::uint64_t first, std::uint64_t last) {
    be_stoppable();
    tallies_[this_thread()].add(first, last);
    for (std::uint64_t i = first; i < last; ++i) seen_[i] = static_cast<std::uint8_t>(seen_[i] + 1);
  }

  /// Marks an iteration of a loop inside another. Threads have numbers in the inner loop alone, which are no index into
  /// the outer loop's tallies.
  void mark_inside(std::uint64_t i) {
    be_stoppable();
    seen_[i] = static_cast<std::uint8_t>(seen_[i] + 1);
  }

  tally all() const {
    tally sum;
    for (const tally& t : tallies_) {
      sum.count += t.count;
      sum.sum += t.sum;
    }
    return sum;
  }

  /// Requires that each of [0, n_) was marked once.
  void expect_all(bool returned) {
    expect_marks(returned);
    expect_tallies();
  }

  void expect_marks(bool returned) {
    if (!returned) wrong("parallel_for says that iterations were dropped");
    std::uint8_t odd = 0;
    for (std::uint64_t i = 0; i < n_; ++i) odd = static_cast<std::uint8_t>(odd | (seen_[i] ^ 1));
    if (odd != 0) wrong("an iteration was not run once: " + first_odd(1));
    done.iterations += n_;
  }

  /// Requires each iteration once, by what only the tallies tell.
  void expect_tallies() {
    tally expected;
    expected.add(0, n_);
    const tally found = all();
    if (found.count != expected.count || found.sum != expected.sum) {
      wrong(fmt::format("ran {} iterations with sum {}, expected {} with {}", found.count, found.sum, expected.count,
                        expected.sum));
    }
  }

  /// Requires that none was marked twice. Returns how many were marked.
  std::uint64_t expect_some() {
    std::uint8_t most = 0;
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < n_; ++i) {
      most = std::max(most, seen_[i]);
      count += seen_[i];
    }
    if (most > 1) wrong("an iteration was run again: " + first_odd(2));
    done.iterations += count;
    return count;
  }

  std::string first_odd(unsigned from) const {
    for (std::uint64_t i = 0; i < n_; ++i) {
      if (from == 1 ? seen_[i] != 1 : seen_[i] >= from) return fmt::format("{}, {} times", i, seen_[i]);
    }
    return "none any more";
  }

  /// True for the indices at which something happens: few, and the same for the same salt.
  bool chosen(std::uint64_t i, std::uint64_t one_in) const { return (i ^ salt_) * 0x9e3779b97f4a7c15 % one_in == 0; }

  void bulk() {
    begin_marks();
    expect_all(parallel_for(std::uint64_t{0}, n_, [&](std::uint64_t b, std::uint64_t e) { mark(b, e); }, options_));
  }

  void fine() {
    begin_marks();
    expect_all(parallel_for(std::uint64_t{0}, n_, [&](std::uint64_t i) { mark(i, i + 1); }, options_));
  }

  /// Runs a loop in which some iterations take a long time, or sleep.
  void delayed() {
    begin_marks();
    n_ = std::min<std::uint64_t>(n_, 1 << 12);
    const std::uint64_t rarity = std::max<std::uint64_t>(1, n_ / 16);
    expect_all(parallel_for(
        std::uint64_t{0}, n_,
        [&](std::uint64_t i) {
          mark(i, i + 1);
          if (chosen(i, rarity)) delay((i ^ salt_) >> 7);
        },
        options_));
  }

  struct thrown {
    std::uint64_t at;
  };

  void throwing() {
    begin_marks();
    const std::uint64_t rarity = 1 + n_ / 2;
    bool caught = false;
    try {
      parallel_for(
          std::uint64_t{0}, n_,
          [&](std::uint64_t i) {
            mark(i, i + 1);
            if (chosen(i, rarity)) throw thrown{i};
          },
          options_);
    } catch (const thrown& e) {
      caught = true;
      if (e.at >= n_ || !chosen(e.at, rarity)) wrong("an exception that was not thrown");
      done.exceptions += 1;
    }
    const std::uint64_t ran = expect_some();
    if (!caught) {
      if (ran != n_) wrong("iterations were dropped without an exception");
      for (std::uint64_t i = 0; i < n_; ++i) {
        if (chosen(i, rarity)) wrong("an exception was lost");
      }
    }
  }

  void stopping() {
    begin_marks();
    std::stop_source stop;
    options_.stop = stop.get_token();
    const std::uint64_t rarity = 1 + n_ / 2;
    const bool complete = parallel_for(
        std::uint64_t{0}, n_,
        [&](std::uint64_t b, std::uint64_t e) {
          mark(b, e);
          for (std::uint64_t i = b; i < e; ++i) {
            if (chosen(i, rarity)) stop.request_stop();
          }
        },
        options_);
    if (complete != (expect_some() == n_)) wrong("the result does not say whether iterations were dropped");
    if (!complete) done.stops += 1;
  }

  /// Runs a loop in which each iteration runs a loop of its own, on any levels; inner loops are seldom cut short.
  void nested() {
    begin_marks();
    const std::uint64_t width = 1 + random_.below(200);
    const std::uint64_t rows = (n_ + width - 1) / width;
    const auto outer_level = static_cast<unsigned>(random_.below(3));
    const auto inner_level = static_cast<unsigned>(random_.below(outer_level + 1));
    loop_options inner = options_;
    inner.schedule = schedules_[random_.below(schedules_.size())];
    const bool throws = random_.one_in(8);
    std::stop_source stop;
    const bool stops = !throws && random_.one_in(8);
    if (stops) inner.stop = options_.stop = stop.get_token();
    bool complete = false;
    try {
      complete = outer_parallel_for(
          outer_level, std::uint64_t{0}, rows,
          [&](std::uint64_t row) {
            const std::uint64_t last = std::min(n_, (row + 1) * width);
            outer_parallel_for(
                inner_level, row * width, last,
                [&](std::uint64_t i) {
                  mark_inside(i);
                  if (throws && chosen(i, n_)) throw thrown{i};
                  if (stops && chosen(i, n_)) stop.request_stop();
                },
                inner);
          },
          options_);
    } catch (const thrown& e) {
      if (!throws || e.at >= n_ || !chosen(e.at, n_)) wrong("an exception that was not thrown");
      done.exceptions += 1;
    }
    done.nested += rows;
    if (!throws && !stops) return expect_marks(complete);
    const std::uint64_t ran = expect_some();
    if (complete && !stop.stop_requested() && ran != n_) wrong("iterations of nested loops were dropped");
    if (complete && throws && ran == n_) {
      for (std::uint64_t i = 0; i < n_; ++i) {
        if (chosen(i, n_)) wrong("an exception of an inner loop was lost");
      }
    }
    if (stop.stop_requested()) done.stops += 1;
  }

  struct folding_loop {
    leader& owner;
    std::mutex lock;
    tally total;
    unsigned forks = 0;
    unsigned joins = 0;

    void fork(tally& mine) {
      mine = {};
      const std::scoped_lock held(lock);
      ++forks;
    }
    void work(tally& mine, std::uint64_t first, std::uint64_t last) {
      owner.mark(first, last);
      mine.add(first, last);
    }
    void join(tally& mine) {
      const std::scoped_lock held(lock);
      ++joins;
      total.count += mine.count;
      total.sum += mine.sum;
    }
  };

  /// Requires that what threads keep for themselves adds up.
  void folded() {
    begin_marks();
    folding_loop loop{*this, {}, {}};
    expect_all(parallel_for<folding_loop, tally, std::uint64_t>(loop, 0, n_, options_));
    tally expected;
    expected.add(0, n_);
    if (loop.total.sum != expected.sum || loop.forks != loop.joins) wrong("what threads kept does not add up");
    ++loops_;
    const std::uint64_t sum = parallel_reduce(
        std::uint64_t{0}, n_, std::uint64_t{0}, [](std::uint64_t i) { return i; }, std::plus<>{}, options_);
    if (sum != expected.sum) wrong(fmt::format("parallel_reduce: {}, expected {}", sum, expected.sum));
    done.iterations += n_;
  }

  /// Runs a loop of more iterations than any machine could run; they are not counted as run.
  void huge() {
    ++loops_;
    begin_tallies();
    const bool complete = parallel_for(
        std::uint64_t{0}, n_,
        [&](std::uint64_t b, std::uint64_t e) {
          be_stoppable();
          if (e <= b || e > n_ || e - b > options_.batch) wrong(fmt::format("batch [{}, {})", b, e));
          tallies_[this_thread()].add(b, e);
        },
        options_);
    if (!complete) wrong("parallel_for says that iterations were dropped");
    expect_tallies();
  }

  void burst() {
    for (int i = 0; i < 200 && !ending; ++i) {
      n_ = random_.below(9);
      begin_marks();
      expect_all(parallel_for(std::uint64_t{0}, n_, [&](std::uint64_t k) { mark(k, k + 1); }, options_));
    }
  }

  const unsigned number_;
  const std::span<const schedule> schedules_;
  random_numbers random_;
  std::vector<std::uint8_t> seen_;
  std::vector<tally> tallies_;  ///< by this_thread()
  kind kind_ = kind::bulk;
  loop_options options_;
  std::uint64_t n_ = 0;
  std::uint64_t salt_ = 0;
  std::uint64_t loops_ = 0;
};

/// Changes, while loops run, the number of threads, from one to eight for each CPU, and the parts of the machine that
/// levels have.
void resize_often(unsigned contexts) {
  random_numbers random(seed ^ 0xabcdef);
  const std::array mappings{nesting::parse("auto", "stress"), nesting::parse("1:core", "stress"),
                            nesting::parse("2:core,1:thread", "stress"), nesting::parse("2:socket,1:core", "stress")};
  while (!ending) {
    constexpr std::array<unsigned, 6> per_eight{4, 8, 8, 16, 32, 64};  // threads for eight contexts
    const unsigned of_all = contexts * per_eight[random.below(per_eight.size())] / 8;
    set_threads(random.one_in(6) ? 1 + static_cast<unsigned>(random.below(3)) : std::max(1u, of_all));
    if (random.one_in(2)) set_levels(mappings[random.below(mappings.size())]);
    done.resized += 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random.below(200)));
  }
}

/// Stops one thread after the other for two milliseconds, at any place.
void pause_often() {
  random_numbers random(seed ^ 0x123456);
  while (!ending) {
    std::vector<pid_t> others;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
      const pid_t thread = std::atoi(entry.path().filename().c_str());
      if (thread != gettid()) others.push_back(thread);
    }
    // It does not matter if the thread has ended meanwhile.
    if (!others.empty() && syscall(SYS_tgkill, getpid(), others[random.below(others.size())], pause_signal) == 0) {
      done.paused += 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + random.below(20)));
  }
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t iterations = 10'000'000'000;
  std::uint64_t seconds = 0;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    std::uint64_t* const place = flag == "--iterations" ? &iterations
                                 : flag == "--seconds"  ? &seconds
                                 : flag == "--seed"     ? &seed
                                                        : nullptr;
    const std::optional<std::uint64_t> value = i + 1 < argc ? number(argv[i + 1]) : std::nullopt;
    if (place == nullptr || !value) {
      std::fputs("usage: stress_loops [--iterations N] [--seconds S] [--seed X], each a whole number\n", stderr);
      return 2;
    }
    *place = *value;
  }

  struct sigaction action = {};
  action.sa_handler = pause_for_a_while;
  sigaction(pause_signal, &action, nullptr);  // without SA_RESTART: system calls are interrupted, too

  const std::vector<schedule> schedules = all_schedules();
  const auto contexts = static_cast<unsigned>(
      std::clamp<std::size_t>(machine::limits::current().cpus.size(), 1, most_contexts_per_machine));
  const auto began = steady::now();
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([contexts] { resize_often(contexts); });
    threads.emplace_back(pause_often);
    for (unsigned l = 0; l < leaders; ++l) {
      threads.emplace_back([l, &schedules] { leader(l, schedules).run(); });
    }
    // A loop that does not end is a failure, too: no leader may spend minutes on one loop.
    std::array<std::uint64_t, leaders> rounds{};
    auto looked = began;
    while (done.iterations < iterations || steady::now() - began < std::chrono::seconds(seconds)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (steady::now() - looked < std::chrono::minutes(2)) continue;
      looked = steady::now();
      for (unsigned l = 0; l < leaders; ++l) {
        std::unique_lock held(positions[l].lock);
        if (positions[l].rounds == std::exchange(rounds[l], positions[l].rounds)) {
          held.unlock();
          fail(fmt::format("leader {} hangs", l));
        }
      }
    }
    ending = true;
  }
  const double took = std::chrono::duration<double>(steady::now() - began).count();
  fmt::print(
      "seed {}: {} iterations in {} loops under {} schedules, {:.1f} s; {} loops ended by exceptions, {} by stops, {} "
      "nested;\nthreads stopped {} times, their number changed {} times (up to {} on {} contexts), {} leaders\n",
      seed, done.iterations.load(), done.loops.load(), schedules.size(), took, done.exceptions.load(),
      done.stops.load(), done.nested.load(), done.paused.load(), done.resized.load(), 8 * contexts, contexts, leaders);
  return 0;
}

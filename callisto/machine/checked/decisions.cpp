// The strategies of exploration: depth-first search, PCT, random walk, replay.
#include <callisto/machine/checked/decisions.hpp>

#include <algorithm>
#include <bit>

namespace callisto::machine::checking {
namespace {

constexpr unsigned count(thread_set s) noexcept { return static_cast<unsigned>(std::popcount(s)); }
constexpr unsigned lowest(thread_set s) noexcept { return static_cast<unsigned>(std::countr_zero(s)); }

unsigned nth(thread_set s, std::uint64_t n) noexcept {
  for (; n > 0; --n) s &= s - 1;
  return lowest(s);
}

/// Returns `current` if `s` has it: staying with one thread costs no switch and shortens traces.
unsigned preferred(thread_set s, unsigned current) noexcept { return (s & only(current)) != 0 ? current : lowest(s); }

thread_set renamed(thread_set s, const state_name& state) noexcept {
  thread_set result = 0;
  for (; s != 0; s &= s - 1) result |= only(state.position[lowest(s)]);
  return result;
}

std::vector<unsigned> parse(const std::string& text) {
  // The text has numbers separated by commas; "0*7" stands for seven zeros.
  std::vector<unsigned> numbers;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t read = 0;
    const auto value = static_cast<unsigned>(std::stoul(text.substr(i), &read));
    i += read;
    std::size_t times = 1;
    if (i < text.size() && text[i] == '*') {
      times = std::stoul(text.substr(i + 1), &read);
      i += 1 + read;
    }
    numbers.insert(numbers.end(), std::min<std::size_t>(times, 1'000'000), value);
    if (i < text.size()) ++i;
  }
  return numbers;
}

}  // namespace

decisions::decisions(const options& o) : how_(o.how), bound_(o.bound), random_(o.seed) {
  if (how_ == strategy::replay) script_ = parse(o.replay);
}

void decisions::clear() {
  forks_.clear();
  cache_.clear();
}

void decisions::begin_execution() {
  position_ = 0;
  asleep_ = 0;
  preemptions_ = 0;
  threads_drawn_ = 0;
  taken_.clear();
  if (how_ == strategy::pct) plan_priorities();
}

bool decisions::next(std::uint64_t steps) {
  if (how_ == strategy::replay) return false;
  if (!searches()) {
    longest_ = std::max(longest_, steps);
    return true;
  }
  forks_.resize(position_);
  while (!forks_.empty()) {
    fork& last = forks_.back();
    if (!last.of_threads) {
      if (last.chosen + 1 < last.options) {
        ++last.chosen;
        return true;
      }
    } else {
      if (how_ == strategy::exhaustive) last.asleep |= only(last.chosen);
      if (last.todo != 0) {
        last.chosen = lowest(last.todo);
        last.todo &= last.todo - 1;
        return true;
      }
    }
    forks_.pop_back();
  }
  return false;
}

unsigned decisions::thread(const crossroads& road, const state_name& state) {
  if (searches()) return search_thread(road, state);
  if (count(road.enabled) == 1) return lowest(road.enabled);
  unsigned chosen = lowest(road.enabled);
  if (how_ != strategy::replay) {
    chosen = draw_thread(road);
  } else if (position_ < script_.size()) {
    chosen = script_[position_++];
    if (chosen >= 32 || (road.enabled & only(chosen)) == 0) return misfit;
  }
  taken_.push_back(chosen);
  return chosen;
}

unsigned decisions::search_thread(const crossroads& road, const state_name& state) {
  // If no thread can run, the outcome depends on every thread: no operation is independent of another.
  if (road.forced) asleep_ = 0;
  const bool goes_on = (road.enabled & ~road.idle & only(road.current)) != 0;
  const bool is_fork = count(road.enabled) > 1;
  unsigned chosen;
  if (position_ < forks_.size()) {
    if (is_fork) {
      const fork& known = forks_[position_++];
      if (!known.of_threads || known.options != road.enabled) return misfit;
      asleep_ = known.asleep;
      chosen = known.chosen;
    } else {
      chosen = lowest(road.enabled);
    }
  } else {
    thread_set todo = road.enabled & ~asleep_;
    if (how_ == strategy::exhaustive) {
      const auto [stored, is_new] = cache_.visit(state.hash, renamed(asleep_, state));
      if (!is_new) {
        thread_set unexplored = 0;
        for (thread_set s = asleep_ | road.enabled; s != 0; s &= s - 1) {
          if ((stored & only(state.position[lowest(s)])) != 0) unexplored |= only(lowest(s));
        }
        todo = road.enabled & unexplored & ~asleep_;
        asleep_ &= unexplored;
        stored = renamed(asleep_, state);
      }
    } else {
      const auto [stored, is_new] = cache_.visit(state.hash, preemptions_);
      if (!is_new) {
        if (stored <= preemptions_) return no_thread;
        stored = preemptions_;
      }
      if (goes_on && preemptions_ >= bound_) todo = only(road.current);
    }
    if (todo == 0) return no_thread;
    chosen = preferred(todo, road.current);
    if (is_fork) {
      forks_.push_back({true, road.enabled, todo & ~only(chosen), asleep_, chosen});
      ++position_;
    }
  }
  if (goes_on && chosen != road.current) ++preemptions_;
  asleep_ &= ~only(chosen);
  if (road.forced) asleep_ = 0;
  return chosen;
}

unsigned decisions::draw_thread(const crossroads& road) {
  // Early returns stay the exception: one draw in eight admits idle threads.
  thread_set from = road.enabled;
  if (!road.forced && road.enabled != road.idle && draw() % 8 != 0) from &= ~road.idle;
  if (how_ == strategy::random) return nth(from, draw() % count(from));
  unsigned chosen = lowest(from);
  for (thread_set s = from; s != 0; s &= s - 1) {
    if (priorities_[lowest(s)] > priorities_[chosen]) chosen = lowest(s);
  }
  const auto change = std::find(changes_.begin(), changes_.end(), threads_drawn_++);
  // The new priority is lower than every initial one.
  if (change != changes_.end()) priorities_[chosen] = static_cast<std::uint64_t>(change - changes_.begin());
  return chosen;
}

unsigned decisions::value(unsigned n) {
  if (n == 1) return 0;
  unsigned chosen = 0;
  if (searches()) {
    if (position_ < forks_.size()) {
      const fork& known = forks_[position_];
      if (known.of_threads || known.options != n) return misfit;
      chosen = known.chosen;
    } else {
      forks_.push_back({false, n, 0, 0, 0});
    }
    ++position_;
    return chosen;
  }
  if (how_ == strategy::replay) {
    if (position_ < script_.size()) chosen = script_[position_++];
    if (chosen >= n) return misfit;
  } else if (draw() % 2 == 0) {
    chosen = static_cast<unsigned>(draw() % n);
  }
  taken_.push_back(chosen);
  return chosen;
}

std::vector<unsigned> decisions::taken() const {
  if (!searches()) return taken_;
  std::vector<unsigned> all;
  for (std::size_t i = 0; i < position_; ++i) all.push_back(forks_[i].chosen);
  return all;
}

std::uint64_t decisions::draw() noexcept {
  // SplitMix64 (Steele, Lea, Flood, OOPSLA'14).
  std::uint64_t x = random_ += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void decisions::plan_priorities() {
  priorities_.resize(max_threads);
  for (auto& p : priorities_) p = 1'000'000 + draw() % (std::uint64_t{1} << 62);
  changes_.resize(bound_ > 0 ? bound_ - 1 : 0);
  for (auto& c : changes_) c = draw() % longest_;
}

}  // namespace callisto::machine::checking

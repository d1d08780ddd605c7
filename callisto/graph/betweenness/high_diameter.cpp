// Searches in graphs of high diameter, and the test for such a graph.
#include <callisto/graph/betweenness/high_diameter.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>

namespace callisto::graph {
namespace {

/// The reciprocals of counts up to this fit a double.
constexpr double largest_count = 0x1p960;

}  // namespace

bool has_high_diameter(const betweenness_core& core, const core_source& source) {
  const std::uint64_t n = core.vertices();
  const std::uint64_t most_arcs = n / 32;  // out of a level
  std::vector<bool> reached(n);
  std::vector<std::uint32_t> list{source.vertex};
  reached[source.vertex] = true;
  std::size_t next = 0;
  for (unsigned level = 0; level < 64 && next != list.size(); ++level) {
    const std::size_t last = list.size();
    std::uint64_t arcs = 0;
    for (std::size_t i = next; i != last; ++i) arcs += core.out.degree(list[i]);
    if (arcs > most_arcs) return false;
    for (; next != last; ++next) {
      for (const std::uint32_t w : core.out.row(list[next])) {
        if (reached[w]) continue;
        reached[w] = true;
        list.push_back(w);
      }
    }
  }
  return next != list.size() && list.size() < n / 8;
}

bool high_diameter_search::suits(const betweenness_core& core) noexcept {
  return !core.directed && core.vertices() < (std::uint64_t{1} << 30) / most_threads - first_place;
}

high_diameter_search::high_diameter_search(const betweenness_core& core, unsigned threads,
                                           const high_diameter_limits& limits)
    : core_(core),
      limits_(limits),
      steps_(std::min(threads, most_threads), piece),
      steps_back_(std::min(threads, most_threads), piece),
      slots_(std::min(threads, most_threads)),
      words_(core.vertices(), machine::page_kind::used),
      entries_(slots() * (core.vertices() + first_place), machine::page_kind::used),
      values_(slots() * (core.vertices() + first_place), machine::page_kind::used) {
  fill(words_, unreached);
  values_[nothing] = 0;
  values_[too_many] = std::numeric_limits<double>::quiet_NaN();
}

template <class T>
void high_diameter_search::fill(machine::page_array<T>& array, T value) {
  if (slots() == 1) {
    std::fill(array.begin(), array.end(), value);
  } else {
    parallel_for(std::uint64_t{0}, std::uint64_t{array.size()}, [&](std::uint64_t first, std::uint64_t last) {
      std::fill(array.begin() + first, array.begin() + last, value);
    });
  }
}

search_end high_diameter_search::run(const core_source& source, const std::stop_token& stop) {
  if (scores.empty()) {
    scores = machine::page_array<double>(core_.vertices(), machine::page_kind::used);
    fill(scores, 0.0);
    if (core_.squares) {
      squares = machine::page_array<double>(core_.vertices(), machine::page_kind::used);
      fill(squares, 0.0);
    }
  }
  begin(source);
  search_end end = forward(stop);
  if (end == search_end::complete) end = backward(source, stop);
  clear();
  return end;
}

void high_diameter_search::begin(const core_source& source) {
  const auto stretch = static_cast<id>(core_.vertices() + first_place);
  begins_.clear();
  units_.clear();
  for (slot& s : slots_) {
    s.end = static_cast<id>(&s - slots_.data()) * stretch + first_place;
    s.most = s.targets = 0;
    begins_.push_back(s.end);
  }
  entries_[slots_[0].end].vertex = source.vertex;
  words_[source.vertex] = slots_[0].end++ << 2 | level_bits(0);
  for (const slot& s : slots_) begins_.push_back(s.end);
}

/// Marks all vertices as unreached.
void high_diameter_search::clear() {
  if (found() > core_.vertices() / 8) {
    fill(words_, unreached);
    return;
  }
  for (std::uint64_t s = 0; s < slots(); ++s) {
    for (id i = begin_of(0, s); i != slots_[s].end; ++i) words_[entries_[i].vertex] = unreached;
  }
}

std::uint64_t high_diameter_search::size_of(std::uint64_t level) const noexcept {
  std::uint64_t size = 0;
  for (std::uint64_t s = 0; s < slots(); ++s) size += size_of(level, s);
  return size;
}

std::uint64_t high_diameter_search::found() const noexcept {
  std::uint64_t size = 0;
  for (std::uint64_t s = 0; s < slots(); ++s) size += slots_[s].end - begin_of(0, s);
  return size;
}

/// Finds all vertices that can be reached and counts their paths, level by level.
search_end high_diameter_search::forward(const std::stop_token& stop) {
  while (const std::uint64_t size = size_of(units_.size())) {
    if (stop.stop_requested()) return search_end::stopped;
    if (size >= loop::supersteps<native>::largest || !fits_units()) return search_end::overflown;
    const bool from_source = last_level() == 0;
    if (slots() == 1 || from_source || size < limits_.alone) {
      follow_alone();
    } else {
      follow_in_supersteps();
    }
    if (from_source) values_[begin_of(0, 0)] = slots_[0].most = 1;
  }
  return search_end::complete;
}

/// Chooses the unit of the level to be followed next. Returns false if counts differ too much, or are too large.
bool high_diameter_search::fits_units() {
  double most = 0;
  for (const slot& s : slots_) most = std::max(most, s.most);
  if (most > largest_count) return false;
  double unit = 1;
  if (most > std::ldexp(1, limits_.most_bits)) {
    unit = std::ldexp(1, limits_.most_bits * 2 / 3 - std::ilogb(most));
    // No later count is less than the least of this level.
    double least = most;
    for (std::uint64_t s = 0; s < slots(); ++s) {
      for (id i = begin_of(last_level(), s); i != begin_of(last_level() + 1, s); ++i) {
        if (values_[i] < least) least = values_[i];  // false for the NaN of a dropped entry
      }
    }
    if (least * unit < std::ldexp(1, limits_.least_bits)) return false;
    for (slot& s : slots_) s.most *= unit;
  }
  units_.push_back(unit);
  return true;
}

/// Follows the last level that was found, on the calling thread.
void high_diameter_search::follow_alone() {
  const std::uint64_t level = last_level();
  for (std::uint64_t s = 0; s < slots(); ++s)
    follow(slots_[0], begin_of(level, s), begin_of(level + 1, s), level, units_[level]);
  for (const slot& s : slots_) begins_.push_back(s.end);
}

/// Follows the last level that was found, and the levels behind it while they are neither small nor very large.
void high_diameter_search::follow_in_supersteps() {
  const std::uint64_t level = last_level();
  steps_.put([&](unsigned s) { return size_of(level, s); });
  steps_.start({.rounds = supersteps_of_loop, .fewest = limits_.alone, .most = loop::supersteps<native>::largest - 1});
  const std::uint64_t first_round = steps_.first_round();
  for (slot& s : slots_) s.begins.fill(unreached);
  parallel_for(0u, steps_.slots(),
               [&](unsigned i) {
                 slot& mine = slots_[i];
                 steps_.run(i, [&](std::uint64_t round, unsigned owner, std::uint64_t first, std::uint64_t last) {
                   const std::uint64_t r = round - first_round;
                   if (mine.begins[r + 1] == unreached) mine.begins[r + 1] = mine.end;
                   const id begin = r == 0 ? begin_of(level, owner) : slots_[owner].begins[r];
                   follow(mine, begin + static_cast<id>(first), begin + static_cast<id>(last), level + r,
                          r == 0 ? units_[level] : 1);
                   return std::uint64_t{mine.end} - mine.begins[r + 1];
                 });
               },
               {.batch = 1});
  const std::uint64_t run = steps_.run_so_far();
  units_.resize(level + run, 1);
  // Fills the rows of begins_ of levels level + 2 to level + run + 1, where the last level found ends.
  begins_.resize((level + run + 2) * slots());
  for (std::uint64_t s = 0; s < slots(); ++s) {
    id next = slots_[s].end;
    for (std::uint64_t r = run + 1; r > 1; --r) {
      if (r <= run && slots_[s].begins[r] != unreached) next = slots_[s].begins[r];
      begins_[(level + r) * slots() + s] = next;
    }
  }
}

/// Follows the arcs of entries [first, last) of a level; appends the vertices found to the slot's list.
void high_diameter_search::follow(slot& mine, id first, id last, std::uint64_t level, double unit) noexcept {
  const auto* const offsets = core_.out.offsets.data();
  const id* const targets = core_.out.targets.data();
  id* const words = words_.data();
  entry* const entries = entries_.data();
  double* const values = values_.data();
  const id here = level_bits(level);
  id end = mine.end;
  double most = mine.most;
  for (id i = first; i != last; ++i) {
    __builtin_prefetch(targets + offsets[entries[std::min(i + 6, last - 1)].vertex]);
    const id v = entries[i].vertex;
    // relaxed, all of them: while words of the next level change, any value read says that the vertex is found, and its
    // level. Which entry has stayed is read a superstep later, and the change of superstep orders that.
    if (std::atomic_ref(words[v]).load(std::memory_order_relaxed) >> 2 != i) {
      values[i] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    double paths = 0;
    std::array<id, 3> behind{nothing, nothing, nothing};
    unsigned size = 0;
    const id* const row_end = targets + offsets[v + 1];
    for (const id* a = targets + offsets[v]; a != row_end; ++a) {
      const id w = *a;
      const std::atomic_ref<id> word(words[w]);
      id seen = word.load(std::memory_order_relaxed);
      if (seen == unreached) {
        seen = end << 2 | level_bits(level + 1);
        word.store(seen, std::memory_order_relaxed);
        entries[end++].vertex = w;
        __builtin_prefetch(offsets + w);  // read one level later
      }
      const id step = (seen - here) & 3;
      if (step == 1) {
        behind = {seen >> 2, behind[0], behind[1]};
        ++size;
      } else if (step == 3) {
        paths += values[seen >> 2];
      }
    }
    if (size > behind.size()) behind[0] = too_many;
    entries[i].behind = behind;
    values[i] = paths * unit;
    most = std::max(most, values[i]);
  }
  mine.end = end;
  mine.most = most;
}

/// Sums the dependencies, last level first.
search_end high_diameter_search::backward(const core_source& source, const std::stop_token& stop) {
  std::uint64_t level = last_level();
  while (level >= 1) {
    if (stop.stop_requested()) return search_end::stopped;
    std::uint64_t rounds = 0;
    if (slots() > 1) {
      while (rounds < std::min(supersteps_of_loop, level) && size_of(level - rounds) >= limits_.alone) ++rounds;
    }
    if (rounds == 0) {
      for (std::uint64_t s = 0; s < slots(); ++s)
        go_back(slots_[0], begin_of(level, s), begin_of(level + 1, s), level, source.weight());
      --level;
      continue;
    }
    const auto size = [&](std::uint64_t round, unsigned s) { return size_of(level - round, s); };
    steps_back_.start(rounds, size);
    parallel_for(0u, steps_back_.slots(),
                 [&](unsigned i) {
                   steps_back_.run(i, size,
                                   [&](std::uint64_t round, unsigned owner, std::uint64_t first, std::uint64_t last) {
                                     const id begin = begin_of(level - round, owner);
                                     go_back(slots_[i], begin + static_cast<id>(first), begin + static_cast<id>(last),
                                             level - round, source.weight());
                                   });
                 },
                 {.batch = 1});
    level -= rounds;
  }
  double targets = 0;
  for (const slot& s : slots_) targets += s.targets;
  count_folded(core_, scores, squares, source, targets);
  return search_end::complete;
}

/// Adds the dependencies on the vertices of entries [first, last) of a level to the scores, and stores their shares.
void high_diameter_search::go_back(slot& mine, id first, id last, std::uint64_t level, double weight) noexcept {
  const entry* const entries = entries_.data();
  double* const values = values_.data();
  const double unit = level == last_level() ? 1 : units_[level + 1];
  double all = mine.targets;
  for (id i = first; i != last; ++i) {
    __builtin_prefetch(scores.data() + entries[std::min(i + 12, last - 1)].vertex, 1);
    const entry& of = entries[i];
    const double paths = values[i];
    if (!(paths > 0)) continue;  // a dropped entry: NaN
    double behind = values[of.behind[0]] + values[of.behind[1]] + values[of.behind[2]];
    if (std::isnan(behind)) [[unlikely]]
      behind = sum_again(of.vertex, level + 1);
    behind *= unit;
    const double targets = core_.targets_of(of.vertex);
    values[i] = targets / paths + behind;
    const double dependency = paths * behind + (targets - 1);
    scores[of.vertex] += weight * dependency;
    if (!squares.empty()) squares[of.vertex] += weight * dependency * dependency;
    all += targets;
  }
  mine.targets = all;
}

/// Returns the sum of the values of v's neighbours on a level.
double high_diameter_search::sum_again(id v, std::uint64_t level) const noexcept {
  double sum = 0;
  for (const id w : core_.out.row(v)) {
    if (((words_[w] - level_bits(level)) & 3) == 0) sum += values_[words_[w] >> 2];
  }
  return sum;
}

}  // namespace callisto::graph

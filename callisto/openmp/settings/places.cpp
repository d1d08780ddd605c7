// The grammars of OMP_PLACES and GOMP_CPU_AFFINITY, and the places that abstract names stand for on this machine.
#include <callisto/machine/host/topology.hpp>
#include <callisto/openmp/settings/places.hpp>
#include <callisto/openmp/settings/text_reader.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace callisto::openmp {
namespace {

constexpr std::size_t most_places = 65536;

using machine::max_cpus;

void add(place& to, unsigned cpu) {
  const auto at = std::ranges::lower_bound(to, cpu);
  if (at == to.end() || *at != cpu) to.insert(at, cpu);
}

bool remove(place& from, unsigned cpu) {
  const auto at = std::ranges::lower_bound(from, cpu);
  if (at == from.end() || *at != cpu) return false;
  from.erase(at);
  return true;
}

/// Returns `cpu` + `distance`, if that is a valid processor number.
std::optional<unsigned> moved(unsigned cpu, long long distance) {
  const long long to = cpu + distance;
  if (to < 0 || to >= static_cast<long long>(max_cpus)) return std::nullopt;
  return static_cast<unsigned>(to);
}

struct interval {
  unsigned long length = 1;
  long stride = 1;
};

/// Reads `[:length[:stride]]`.
std::optional<interval> read_interval(text_reader& from) {
  interval read;
  if (!from.sign(':')) return read;
  const auto length = from.number<unsigned long>();
  if (!length || *length == 0 || *length >= most_places) return std::nullopt;
  read.length = *length;
  if (from.sign(':')) {
    const auto stride = from.number<long>();
    if (!stride || *stride > static_cast<long>(max_cpus) || *stride < -static_cast<long>(max_cpus)) return std::nullopt;
    read.stride = *stride;
  }
  return read;
}

/// Reads the content of braces: `0:4,!2`. Removals apply after all additions, wherever they stand.
std::optional<place> read_resources(text_reader& from) {
  place read;
  std::vector<unsigned> removed;
  do {
    const bool without = from.sign('!');
    const auto cpu = from.number<unsigned>();
    if (!cpu || *cpu >= max_cpus) return std::nullopt;
    if (without) {
      removed.push_back(*cpu);
      continue;
    }
    const auto length = read_interval(from);
    if (!length) return std::nullopt;
    for (unsigned long n = 0; n < length->length; ++n) {
      const auto next = moved(*cpu, static_cast<long long>(n) * length->stride);
      if (!next) return std::nullopt;
      add(read, *next);
    }
  } while (from.sign(','));
  for (const unsigned cpu : removed)
    if (!remove(read, cpu)) return std::nullopt;
  return read;
}

/// Reads an explicit list: places, intervals of places, and places to remove.
std::optional<place_list> read_list(text_reader& from) {
  place_list list;
  do {
    const bool without = from.sign('!');
    place first;
    if (from.sign('{')) {
      auto resources = read_resources(from);
      if (!resources || !from.sign('}')) return std::nullopt;
      first = std::move(*resources);
    } else {
      const auto cpu = from.number<unsigned>();
      if (!cpu || *cpu >= max_cpus) return std::nullopt;
      first = {*cpu};
    }
    if (without) {
      const auto at = std::ranges::find(list, first);
      if (at == list.end()) return std::nullopt;
      list.erase(at);
      continue;
    }
    const auto length = read_interval(from);
    if (!length || list.size() + length->length > most_places) return std::nullopt;
    for (unsigned long n = 0; n < length->length; ++n) {
      place next;
      for (const unsigned cpu : first) {
        const auto to = moved(cpu, static_cast<long long>(n) * length->stride);
        if (!to) return std::nullopt;
        next.push_back(*to);
      }
      list.push_back(std::move(next));
    }
  } while (from.sign(','));
  if (list.empty()) return std::nullopt;
  return list;
}

/// Returns the places of an abstract name: one for each unit of the level, with its usable processors.
place_list places_of_level(unsigned machine::context::* level, const place& usable) {
  std::map<unsigned, place> by_number;
  for (const machine::context& c : machine::topology::host().contexts())
    if (std::ranges::binary_search(usable, c.os_index)) add(by_number[c.*level], c.os_index);
  place_list list;
  for (auto& [number, processors] : by_number) list.push_back(std::move(processors));
  return list;
}

/// Returns the usable part of `list`, and a message if places were dropped.
place_reading limited(place_list list, const place& usable) {
  const std::size_t before = list.size();
  for (place& one : list) std::erase_if(one, [&](unsigned cpu) { return !std::ranges::binary_search(usable, cpu); });
  std::erase_if(list, [](const place& one) { return one.empty(); });
  std::string problem;
  if (list.empty()) {
    problem = "None of the places contain usable logical CPUs";
  } else if (list.size() < before) {
    problem = "Number of places reduced from " + std::to_string(before) + " to " + std::to_string(list.size()) +
              " because some places didn't contain any usable logical CPUs";
  }
  return {.places = std::move(list), .problem = std::move(problem)};
}

}  // namespace

place_list places_of_threads(const place& usable) {
  place_list list;
  for (const machine::context& c : machine::topology::host().contexts())
    if (std::ranges::binary_search(usable, c.os_index)) list.push_back({c.os_index});
  return list;
}

std::optional<place_reading> parse_places(std::string_view text, const place& usable) {
  text_reader from(text);
  // `threads` has one place for each processor, so it needs no unit.
  constexpr std::array<std::pair<std::string_view, unsigned machine::context::*>, 5> levels{
      {{"threads", nullptr},
       {"cores", &machine::context::core},
       {"sockets", &machine::context::package},
       {"ll_caches", &machine::context::l3},
       {"numa_domains", &machine::context::numa}}};
  for (const auto& [name, level] : levels) {
    if (!from.word(name)) continue;
    std::size_t count = most_places;
    if (from.sign('(')) {
      const auto read = from.number<unsigned long>();
      if (!read || *read == 0 || !from.sign(')')) return std::nullopt;
      count = *read;
    }
    if (!from.at_end()) return std::nullopt;
    place_list list = level == nullptr ? places_of_threads(usable) : places_of_level(level, usable);
    if (list.size() > count) list.resize(count);
    return place_reading{.places = std::move(list), .problem = {}};
  }
  auto list = read_list(from);
  if (!list || !from.at_end()) return std::nullopt;
  return limited(std::move(*list), usable);
}

std::optional<place_list> parse_cpu_affinity(std::string_view text) {
  text_reader from(text);
  place_list list;
  do {
    const auto first = from.number<unsigned>();
    if (!first || *first >= max_cpus) return std::nullopt;
    unsigned last = *first;
    unsigned stride = 1;
    if (from.sign('-')) {
      const auto end = from.number<unsigned>();
      if (!end || *end >= max_cpus || *end < *first) return std::nullopt;
      last = *end;
      if (from.sign(':')) {
        const auto step = from.number<unsigned>();
        if (!step || *step == 0 || *step >= max_cpus) return std::nullopt;
        stride = *step;
      }
    }
    for (unsigned cpu = *first; cpu <= last; cpu += stride) list.push_back({cpu});
    from.sign(',');
  } while (!from.at_end());
  return list;
}

std::string format_place(const place& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t end = first + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (first != 0) text += ',';
    text += std::to_string(cpus[first]);
    if (end - first > 1) text += ':' + std::to_string(end - first);
    first = end;
  }
  return text;
}

}  // namespace callisto::openmp

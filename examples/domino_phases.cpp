// Phases: what a phase writes is complete when the next begins.
//
// A rumour spreads over a network, one step a phase. Between two phases, one thread alone counts what the phase did.
#include <callisto/domino.hpp>

#include <cstdint>
#include <cstdio>

namespace domino = callisto::domino;

int main() {
  constexpr std::uint64_t people = 100'000;
  domino::computation c;
  domino::cells<std::uint32_t> heard_on(c, people, 0);  // the day; 0: not yet
  domino::reducer<std::uint64_t> news(c);

  auto& days = c.group();
  auto& tell = c.task(days, people, [&](domino::here& at, std::uint64_t person) {
    news.at(at) += 1;
    const auto today = static_cast<std::uint32_t>(days.phases() + 1);
    for (const std::uint64_t friend_of : {person * 3 % people, (person * 7 + 1) % people}) {
      heard_on.improve(at, friend_of, today,
                       [](std::uint32_t day, std::uint32_t known) { return known == 0 && day > 0; });
    }
  });
  heard_on.on_change(tell, domino::later);
  days.between_phases([&](domino::here&) {
    if (days.phases() <= 5) {
      std::printf("day %llu: %llu people tell it\n", static_cast<unsigned long long>(days.phases()),
                  static_cast<unsigned long long>(news.sum()));
    }
  });

  heard_on.set(c.outside(), 1, 1);
  c.run();
  std::uint64_t all = 0;
  for (std::uint64_t p = 0; p < people; ++p) all += heard_on.get(p) != 0 ? 1 : 0;
  std::printf("in the end %llu people know it\n", static_cast<unsigned long long>(all));
}

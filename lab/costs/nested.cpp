// Measures what nesting costs: an inner loop on a part of the machine with one thread, and starting one on a part with
// two.
//
//   nested [--quick]
//
// Exit code 1 if a limit that Callisto promises is missed.
#include <lab/costs/compare.hpp>

#include <callisto/callisto.hpp>

#include <cstdint>
#include <string_view>

namespace {

using namespace callisto;
using lab::seconds_of;
using lab::variant;

/// Computes for about 50 cycles, by multiplications that need each other.
inline std::uint64_t iteration(std::uint64_t x) {
#pragma GCC unroll 15
  for (int i = 0; i < 15; ++i) {
    x *= x;
    asm volatile("" : "+r"(x));
  }
  return x;
}

/// Batches of one, so that the outer loop does the same in all variants.
const loop_options one_by_one{.batch = 1};

/// Times an outer loop of 16 iterations on parts of one thread each. Each iteration calls run() `rounds` times.
template <class Run>
double nest(unsigned rounds, Run run) {
  return seconds_of([&] {
    outer_parallel_for(
        1, 0, 16,
        [&](int) {
          for (unsigned round = 0; round < rounds; ++round) run();
        },
        one_by_one);
  });
}

/// Prints (a): equal outer loops with plain loops or parallel_for() inside.
void compare_inner(bool quick, lab::limits& limits) {
  set_levels(nesting::parse("1:thread", "nested"));
  std::vector<std::vector<std::string>> table{{"iterations of the inner loop", "plain", "parallel_for", "ratio"}};
  double at_100 = 0;
  for (const unsigned inner : {1u, 10u, 100u, 1000u}) {
    const unsigned rounds = (quick ? 50'000 : 500'000) / inner;
    std::vector<variant> variants{
        {"plain",
         [=] {
           return nest(rounds, [=] {
             for (unsigned i = 0; i < inner; ++i) static_cast<void>(iteration(i));
           });
         }},
        {"parallel_for", [=] {
           return nest(rounds, [=] { parallel_for(0U, inner, [](unsigned i) { static_cast<void>(iteration(i)); }); });
         }}};
    lab::compare(variants, {.rounds = quick ? 9U : 15U});
    const double ratio = lab::ratio(variants[1], variants[0]);
    table.push_back({fmt::format("{}", inner), fmt::format("{:.2f} ms", variants[0].median() * 1e3),
                     fmt::format("{:.2f} ms", variants[1].median() * 1e3), fmt::format("{:.3f}", ratio)});
    at_100 = inner == 100 ? ratio : at_100;
  }
  lab::print_table(table);
  fmt::print("\n");
  limits.at_most("an inner loop of 100 iterations of 50 cycles in a part of one thread, over plain code", at_100, 1.05);
}

/// Prints (b): loops of two empty iterations on both threads, one after the other, inside one iteration of an outer
/// loop. They run with default options, and announced to the other thread although they are brief.
void measure_launch(bool quick, lab::limits& limits) {
  set_threads(2);
  set_levels(nesting::parse("1:machine", "nested"));
  const unsigned loops = quick ? 20'000 : 200'000;
  const auto launches = [=](const schedule& how) {
    return [=] {
      double seconds = 0;
      outer_parallel_for(1, 0, 2, [&](int) {  // the first pass wakes the threads
        seconds = seconds_of([&] {
          for (unsigned i = 0; i < loops; ++i) {
            parallel_for(0, 2, [](int) { asm volatile("" ::: "memory"); }, {.schedule = how});
          }
        });
      });
      return seconds / loops;
    };
  };
  std::vector<variant> variants{{"as it comes", launches({})},
                                {"announced", launches(schedule::parse("ranges", "nested"))}};
  lab::compare(variants, {});
  fmt::print("\nan empty inner loop in a part of two threads\n\n");
  for (const variant& v : variants) fmt::print("{:<12} {:6.0f} ns\n", v.name, v.median() * 1e9);
  fmt::print("\n");
  limits.at_most("empty inner loop in a part of two threads", variants[0].median() * 1e9, 500, " ns");
  limits.at_most("the same, announced", variants[1].median() * 1e9, 500, " ns");
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  if (argc > (quick ? 2 : 1)) {
    fmt::print(stderr, "usage: nested [--quick]\n");
    return 2;
  }
  lab::limits limits;
  compare_inner(quick, limits);
  measure_launch(quick, limits);
  return limits.exit_code();
}

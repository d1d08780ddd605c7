// What `callisto bench pairs` has measured, and the numbers that EuroSys'14 section 4 draws from it.
#pragma once

#include <callisto/app/bench/pairs_runs.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// How two programs share the machine (section 4.2).
enum class sharing_way {
  halves,    ///< half of the contexts for each, by affinity
  plain,     ///< as the operating system has it
  callisto,  ///< as jobs
};
inline constexpr std::array sharing_ways{sharing_way::halves, sharing_way::plain, sharing_way::callisto};
const char* name_of(sharing_way way) noexcept;

/// Where a program ran that was alone.
struct alone_times {
  run_times half;            ///< on half of the contexts, without Callisto: what everything is compared with
  run_times half_callisto;   ///< there, as a job
  run_times whole;           ///< on all contexts, without Callisto
  run_times whole_callisto;  ///< likewise, as a job
};

struct pair_times {
  std::size_t a = 0;
  std::size_t b = 0;  ///< not below a; the same: two of the same program
  sharing_way way = sharing_way::halves;
  run_times of_a;
  run_times of_b;
};

/// A program beside the load of section 4.3.
struct background_times {
  std::size_t program = 0;
  unsigned duty = 0;  ///< percent
  sharing_way way = sharing_way::plain;
  run_times times;
};

struct pairs_results {
  struct program {
    std::string name;
    std::string command;  ///< in full
  };
  std::vector<program> programs;
  std::vector<unsigned> first_half;
  std::vector<unsigned> second_half;
  unsigned rounds = 0;
  bool openmp = false;             ///< OpenMP programs ran on Callisto's library when they were jobs
  std::vector<alone_times> alone;  ///< of each program
  std::vector<pair_times> pairs;
  std::vector<background_times> background;
  std::size_t left_out = 0;  ///< measurements for which there was no time

  const pair_times* find(std::size_t a, std::size_t b, sharing_way way) const noexcept;

  /// Of both programs together, their median times' sum over that of the programs alone on half of the machine: below 1
  /// a gain, above 1 waste. nullopt: not measured.
  std::optional<double> of_pair(std::size_t a, std::size_t b, sharing_way way) const;

  enum class which { median, best, worst };
  /// Of program `a` beside `b`, its time over its median alone on half of the machine. Beside itself: of the two, the
  /// one that did worse.
  std::optional<double> of_job(std::size_t a, std::size_t b, sharing_way way, which of = which::median) const;

  /// All of them, ascending, for distributions.
  std::vector<double> all_pairs(sharing_way way) const;
  std::vector<double> all_jobs(sharing_way way, which of = which::median) const;
  std::vector<double> all_runs(sharing_way way) const;

  /// Geometric mean and the worst, over the programs, of the time alone as a job over that without Callisto, on all
  /// contexts. nullopt: none measured.
  std::optional<std::pair<double, double>> cost_alone() const;
};

}  // namespace callisto::app

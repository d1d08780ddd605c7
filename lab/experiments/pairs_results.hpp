// The measurements of `callisto-lab bench pairs`, and the numbers that EuroSys'14 section 4 derives from them.
#pragma once

#include <lab/experiments/pairs_runs.hpp>
#include <lab/names.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {

/// The ways in which two programs share the machine (section 4.2).
enum class sharing_way {
  halves,    ///< each program has half of the contexts, by affinity
  plain,     ///< the operating system shares the contexts
  callisto,  ///< the programs run as jobs
};
inline constexpr std::array sharing_ways{sharing_way::halves, sharing_way::plain, sharing_way::callisto};
const char* name_of(sharing_way way) noexcept;

/// The times of a program that ran alone, in four ways.
struct alone_times {
  run_times half;            ///< on half of the contexts, without Callisto: the reference for all ratios
  run_times half_callisto;   ///< on half of the contexts, as a job
  run_times whole;           ///< on all contexts, without Callisto
  run_times whole_callisto;  ///< on all contexts, as a job
};

struct pair_times {
  std::size_t a = 0;
  std::size_t b = 0;  ///< at least a; equal: two runs of one program
  sharing_way way = sharing_way::halves;
  run_times of_a;
  run_times of_b;
};

/// The times of a program beside the load of section 4.3.
struct background_times {
  std::size_t program = 0;
  unsigned duty = 0;  ///< share of the time during which the load works, in percent
  sharing_way way = sharing_way::plain;
  run_times times;
};

struct pairs_results {
  struct program {
    std::string name;
    std::string command;  ///< the full command line
  };
  std::vector<program> programs;
  std::vector<unsigned> first_half;
  std::vector<unsigned> second_half;
  unsigned rounds = 0;
  bool openmp = false;             ///< true: OpenMP programs ran on Callisto's library when they were jobs
  std::vector<alone_times> alone;  ///< one per program
  std::vector<pair_times> pairs;
  std::vector<background_times> background;
  std::optional<double> other_programs;  ///< contexts that they used on average; none: unknown
  std::string busy;                      ///< the line for people if that was too much
  std::size_t left_out = 0;              ///< number of measurements for which there was no time

  const pair_times* find(std::size_t a, std::size_t b, sharing_way way) const noexcept;

  /// Returns the sum of both programs' median times, divided by the sum of their medians alone on half of the machine.
  /// Below 1 the pair gains, above 1 it wastes time. Returns nullopt if the pair was not measured.
  std::optional<double> of_pair(std::size_t a, std::size_t b, sharing_way way) const;

  enum class which { median, best, worst };
  /// Returns the time of program `a` beside `b`, divided by the median of `a` alone on half of the machine. If a == b,
  /// it is the slower of the two. Returns nullopt if the pair was not measured.
  std::optional<double> of_job(std::size_t a, std::size_t b, sharing_way way, which of = which::median) const;

  /// Return all ratios of pairs, of jobs, or of single runs, ascending.
  std::vector<double> all_pairs(sharing_way way) const;
  std::vector<double> all_jobs(sharing_way way, which of = which::median) const;
  std::vector<double> all_runs(sharing_way way) const;

  /// Returns the geometric mean and the maximum, over the programs, of the cost of being a job: the time alone on all
  /// contexts as a job, divided by that without Callisto. Returns nullopt if nothing was measured.
  std::optional<std::pair<double, double>> cost_alone() const;
};

}  // namespace callisto::lab

// What the programs of this folder share: options, repeats, and one line of results.
#pragma once

#include <callisto/global.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::lab {

/// The options of a program: --NAME NUMBER each, with defaults. Ends the program with one line if there is another one.
class options {
 public:
  struct option {
    std::string_view name;
    std::uint64_t value;
    std::uint64_t least;
    std::uint64_t most;
  };

  options(int argc, char** argv, std::initializer_list<option> known) : known_(known) {
    for (int i = 1; i < argc; i += 2) {
      const std::string_view flag = argv[i];
      const auto found = std::find_if(known_.begin(), known_.end(), [&](const option& o) {
        return flag.starts_with("--") && flag.substr(2) == o.name;
      });
      if (found == known_.end()) refuse(argv[0], std::string(flag) + ": expected" + names());
      const std::string_view text = i + 1 < argc ? argv[i + 1] : "";
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), found->value);
      if (failure != std::errc() || end != text.data() + text.size() || found->value < found->least ||
          found->value > found->most) {
        refuse(argv[0], std::string(flag) + " " + std::string(text) + ": expected a number from " +
                            std::to_string(found->least) + " to " + std::to_string(found->most));
      }
    }
  }

  std::uint64_t operator[](std::string_view name) const {
    return std::find_if(known_.begin(), known_.end(), [&](const option& o) { return o.name == name; })->value;
  }

 private:
  std::string names() const {
    std::string all;
    for (const option& o : known_) all += " --" + std::string(o.name) + " N";
    return all;
  }
  [[noreturn]] static void refuse(const char* program, const std::string& line) {
    std::fprintf(stderr, "%s: %s\n", program, line.c_str());
    std::exit(2);
  }

  std::vector<option> known_;
};

/// Runs `body` between two barriers; returns the seconds of the slowest rank.
template <class Body>
double timed(Body body) {
  global::barrier();
  const auto begin = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> own = std::chrono::steady_clock::now() - begin;
  return global::reduce_all(own.count(), [](double a, double b) { return std::max(a, b); });
}

/// Prints, at rank 0, the median rate of several runs and whether all results were right. Returns the exit status.
inline int report(const char* program, const std::string& what, const char* unit, std::uint64_t operations,
                  std::vector<double> seconds, bool right) {
  right = global::reduce_all(right ? 1 : 0, [](int a, int b) { return std::min(a, b); }) == 1;
  if (global::here().rank == 0) {
    std::sort(seconds.begin(), seconds.end());
    const double n = static_cast<double>(operations) * 1e-6;
    std::printf("%s: %d ranks x %d, %s: median %.2f M %s/s (%.2f to %.2f in %zu runs), %s\n", program,
                global::here().ranks, global::here().threads, what.c_str(), n / seconds[seconds.size() / 2], unit,
                n / seconds.back(), n / seconds.front(), seconds.size(), right ? "verified" : "WRONG");
  }
  return right ? 0 : 1;
}

}  // namespace callisto::lab

// The program callisto-lab-swept: reads orders from standard input, a line each, and answers each by lines on standard
// output. `callisto-lab limits` starts it.
//   describe              limit NAME VALUE UNIT, workload NAME TABLE[,TABLE]... WHAT, ..., end
//   prepare WORKLOAD SCALE   ready
//   set LIMIT VALUE          ready
//   run                      time SECONDS: of one run of the workload that was prepared last
// An order that fails is answered by "error WHY".
#include <callisto/machine/system/error.hpp>
#include <lab/limits/swept.hpp>
#include <lab/limits/workloads.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

namespace callisto::lab {
namespace {

class program {
 public:
  std::string answer(const std::string& order) {
    std::istringstream words(order);
    std::string verb;
    words >> verb;
    if (verb == "describe") return description();
    if (verb == "prepare") {
      std::string name;
      unsigned scale = 0;
      words >> name >> scale;
      const auto& all = swept_workloads();
      const auto found = std::find_if(all.begin(), all.end(), [&](const swept_workload& w) { return w.name == name; });
      if (!words || found == all.end()) throw usage_error("no workload " + name);
      run_ = found->prepare(scale);
      simulated_ = found->simulated;
      expected_.reset();
      return "ready";
    }
    if (verb == "set") {
      std::string name;
      double value = 0;
      words >> name >> value;
      const auto& all = swept_limits();
      const auto found = std::find_if(all.begin(), all.end(), [&](const swept_limit& l) { return l.name == name; });
      if (!words || found == all.end()) throw usage_error("no limit " + name);
      found->set(value);
      return "ready";
    }
    if (verb == "run" && run_) return run();
    throw usage_error("an order that the program does not know: " + order);
  }

 private:
  static std::string description() {
    std::ostringstream text;
    for (const swept_limit& l : swept_limits()) text << "limit " << l.name << ' ' << l.value << ' ' << l.unit << '\n';
    for (const swept_workload& w : swept_workloads()) {
      text << "workload " << w.name << ' ';
      for (const std::string& table : w.tables) text << (&table == w.tables.data() ? "" : ",") << table;
      text << ' ' << w.what << '\n';
    }
    text << "end";
    return text.str();
  }

  std::string run() {
    const auto begin = std::chrono::steady_clock::now();
    const double result = run_();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!expected_) expected_ = result;
    // Limits change the order in which rounding errors add up.
    if (!simulated_ && std::abs(result - *expected_) > 1e-3 * std::abs(*expected_))
      throw std::runtime_error("the result depends on a limit");
    std::ostringstream text;
    text.precision(9);
    text << "time " << (simulated_ ? result : took.count());
    return text.str();
  }

  std::function<double()> run_;
  bool simulated_ = false;          ///< run_ returns the time
  std::optional<double> expected_;  ///< the first result of the workload
};

}  // namespace
}  // namespace callisto::lab

int main() {
  callisto::lab::program here;
  for (std::string order; std::getline(std::cin, order);) {
    std::string answer;
    try {
      answer = here.answer(order);
    } catch (const std::exception& failed) {
      answer = std::string("error ") + failed.what();
    }
    std::cout << answer << std::endl;
  }
}

// The limits that the program callisto-lab-swept can change while it runs. It is compiled with copies of the tables
// limits.hpp of kernels and schedulers in which each number is a variable that enters itself here (CMakeLists.txt).
#pragma once

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace callisto::lab {

/// A limit of a table: its value as compiled, and the variable that stands for it.
struct swept_limit {
  std::string name;  ///< table and limit, such as bfs.alpha
  std::string unit;
  double value;
  void* variable;
  void (*change)(void* variable, double to);

  void set(double to) const { change(variable, to); }
};

/// Returns the limits of all tables that the program has.
inline std::vector<swept_limit>& swept_limits() {
  static std::vector<swept_limit> all;
  return all;
}

/// A variable of this type, beside that of a limit, enters the limit.
class swept_entry {
 public:
  template <class T>
  swept_entry(const char* name, const char* unit, T& limit) {
    swept_limits().push_back({name, unit, static_cast<double>(limit), &limit, [](void* variable, double to) {
                                auto& of = *static_cast<T*>(variable);
                                if constexpr (std::is_integral_v<T>) {
                                  of = static_cast<T>(std::llround(to));
                                } else {
                                  of = static_cast<T>(to);
                                }
                              }});
  }
};

}  // namespace callisto::lab

// What a call says when it refuses.
#pragma once

#include <callisto/machine/system/error.hpp>

#include <string>

namespace callisto::tests {

/// The message of the error of type E that f() throws; "accepted" if it throws none.
template <class E = usage_error, class Function>
std::string refusal(Function f) {
  try {
    f();
  } catch (const E& fault) {
    return fault.what();
  }
  return "accepted";
}

}  // namespace callisto::tests

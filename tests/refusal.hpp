// The message with which a call refuses its arguments.
#pragma once

#include <callisto/machine/system/error.hpp>

#include <string>

namespace callisto::tests {

/// Returns the message of the error of type E that f() throws; "accepted" if it throws none.
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

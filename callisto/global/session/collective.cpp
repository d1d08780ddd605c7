#include <callisto/global/session/collective.hpp>

namespace callisto::global {

std::string told_collective::text() const {
  std::string name;
  switch (kind) {
    case collective::kinds::leaving:
      return "has ended, after " + std::to_string(number - 1) + " collective operations";
    case collective::kinds::phase:
      name = "run_phase";
      break;
    case collective::kinds::loop:
      // Bounds of a signed type came as two's complement.
      name = "parallel_for over [" + std::to_string(static_cast<std::int64_t>(first)) + ", " +
             std::to_string(static_cast<std::int64_t>(first + count)) + ")";
      break;
    case collective::kinds::array_loop:
      name = "parallel_for over array number " + std::to_string(first) + " of " + std::to_string(count) + " elements";
      break;
    case collective::kinds::reduction:
      name = "a reduction or barrier";
      break;
    case collective::kinds::exchange:
      name = "an exchange";
      break;
  }
  return "calls " + name + " at " + where.text() + ", as its collective operation " + std::to_string(number);
}

}  // namespace callisto::global

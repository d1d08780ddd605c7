// A library that is loaded before a program: the clocks that the program asks for stand still, as under libfaketime.
#include <ctime>

extern "C" int clock_gettime(clockid_t /*clock*/, timespec* now) noexcept {
  *now = {1'600'000'000, 0};
  return 0;
}

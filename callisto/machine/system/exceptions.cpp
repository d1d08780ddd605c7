// Functions that headers for programs without exceptions leave to the library.
#include <callisto/machine/system/exceptions.hpp>

#include <callisto/machine/system/error.hpp>

#include <cstdio>
#include <cstdlib>

namespace callisto::machine {

void throw_usage_error(const char* what) { throw usage_error(what); }

void throw_cancelled() { throw cancelled(); }

void end_for_left_body() noexcept {
  std::fputs(
      "callisto: pthread_exit(), a cancellation of the thread, or another language's exception ended the body of a "
      "loop; expected a return or a C++ exception\n",
      stderr);
  std::abort();
}

}  // namespace callisto::machine

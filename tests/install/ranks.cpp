// The tutorial's first program over ranks, as a user would write it.
#include <callisto/global.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  namespace global = callisto::global;
  global::session s(argc, argv);
  const int sum = global::reduce_all(s.rank() + 1);
  if (s.rank() == 0) std::printf("%d ranks, sum %d\n", s.ranks(), sum);
}

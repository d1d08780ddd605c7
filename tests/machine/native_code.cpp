// What a claim compiles to on the native machine: tests/machine/native_code_test.sh reads the machine code of this.
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>

using counter = callisto::distributor::shared_counter<callisto::machine::native>;

extern "C" std::uint64_t callisto_claim(counter& from, counter::cursor& at, std::uint64_t& last) {
  const callisto::distributor::range r = from.claim(at, 1);
  last = r.last;
  return r.first;
}

// Claims on the native machine: tests/machine/native_code_test.sh reads the machine code of this file.
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>

using callisto::machine::native;
using counter = callisto::distributor::shared_counter<native>;
using ranges = callisto::distributor::splitting_ranges<native>;

extern "C" std::uint64_t callisto_claim(counter& from, std::uint64_t& left, std::uint64_t& last) {
  const callisto::distributor::range r = from.claim(1, left);
  last = r.last;
  return r.first;
}

extern "C" std::uint64_t callisto_piece(ranges& from, ranges::cursor& at, std::uint64_t& last) {
  const callisto::distributor::range r = from.piece(at, 1);
  last = r.last;
  return r.first;
}

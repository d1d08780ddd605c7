// The calls of the policy's atomics and plain data to their execution: machine/checked/machine.hpp calls them,
// objects.cpp passes them on. Values travel as 64-bit words.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <source_location>

namespace callisto::machine::checking {

using place = std::source_location;

enum class operation : std::uint8_t {
  load,
  store,
  exchange,
  compare_exchange,
  fetch_add,
  fetch_sub,
  fetch_and,
  fetch_or,
  wait_while,
  park,
  unpark,
  fence,
  light_fence,
  heavy_fence,
};

/// An object's number within its execution; 0 if it was made outside of any. The object stores the number in its own
/// memory, so an access through a dangling pointer shows a number that does not belong to its address.
using object_number = std::uint32_t;

/// The object that an access names.
struct object {
  object_number number;
  const void* address;
};

class execution;

namespace detail {
inline thread_local execution* current = nullptr;  ///< the execution that runs on this OS thread, or null
}

/// True if the calling code is part of an execution. Otherwise objects behave as ordinary data of one thread.
inline bool running() noexcept { return detail::current != nullptr; }

object_number begin_atomic(const void* address, std::uint64_t value, const place&);
object_number begin_plain(const void* address, const place&);
void end_object(object) noexcept;

/// The predicate of a wait: the wait lasts while keep() returns true for the word.
struct awaited {
  bool (*keep)(const void* context, std::uint64_t word);
  const void* context;
};

std::uint64_t do_load(object, order, const place&);
void do_store(object, std::uint64_t value, order, const place&);
/// Executes a read-modify-write other than compare_exchange and returns the replaced value. `mask` has the bits of the
/// type.
std::uint64_t do_modify(object, operation, std::uint64_t operand, std::uint64_t mask, order, const place&);
bool do_compare_exchange(object, std::uint64_t& expected, std::uint64_t desired, order, const place&);
std::uint64_t do_wait(object, const awaited&, const place&);
void do_park(object, std::uint32_t low, const place&);
void do_unpark(object, unsigned count, const place&);
void do_plain_read(object);
void do_plain_write(object, const place*);
std::uint64_t do_ticks() noexcept;
void do_light_fence(const place&);
void do_heavy_fence(const place&);

}  // namespace callisto::machine::checking

// What the policy's atomics and plain data tell the execution that they are in (machine/checked/machine.hpp calls,
// execution.cpp answers). Values travel as 64-bit words.
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

/// How an object is known within an execution; 0: made outside of any. Objects keep it in their own memory, so that an
/// access through a dangling pointer shows as one whose number and address do not belong together.
using object_number = std::uint32_t;

/// The object of an access.
struct object {
  object_number number;
  const void* address;
};

class execution;

namespace detail {
inline thread_local execution* current = nullptr;  ///< of this OS thread; null while none runs
}

/// Whether the calling code is part of an execution. If not, objects behave as if alone in the world.
inline bool running() noexcept { return detail::current != nullptr; }

object_number begin_atomic(const void* address, std::uint64_t value, const place&);
object_number begin_plain(const void* address, const place&);
void end_object(object) noexcept;

/// A predicate on the word that a thread waits for.
struct awaited {
  bool (*keep)(const void* context, std::uint64_t word);
  const void* context;
};

std::uint64_t do_load(object, order, const place&);
void do_store(object, std::uint64_t value, order, const place&);
/// A read-modify-write other than compare_exchange; `mask` has the bits of the type. Returns the value replaced.
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

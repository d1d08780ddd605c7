// Lists of activations for a debugger: tools/gdb/callisto-gdb.py walks them in a stopped process, also where the
// program has no debug information.
//
// The script knows the layout: a change of it changes the version in debugger.cpp and the script, too. The lists change
// while the process runs; a process that stopped in the middle of a change may show one entry too few.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>

namespace callisto::workers::debugger {

/// The state of an activation.
enum state : std::uint32_t { idle = 0, running = 1, suspended = 2, orphaned = 3 };

struct activation_entry {
  activation_entry* next = nullptr;
  activation_entry* previous = nullptr;
  void* owner = nullptr;
  void* const* stack = nullptr;  ///< its stack pointer while it does not run (machine/fibers/fiber.hpp)
  std::uint64_t number = 0;
  std::uint32_t state = idle;
  std::uint32_t worker = 0;  ///< the worker that it runs on, or ran on last
};

struct set_entry {
  set_entry* next = nullptr;
  activation_entry* first = nullptr;
};

/// Adds a set of workers to the list, and removes it. Thread-safe.
CALLISTO_API void add(set_entry&) noexcept;
CALLISTO_API void remove(set_entry&) noexcept;

}  // namespace callisto::workers::debugger

// The callbacks of a tool, as region/tool.cpp calls them and region/tool_questions.cpp keeps them.
#pragma once

#include <callisto/openmp/region/tool.hpp>

#include <array>

namespace callisto::openmp::tool {

using function = void (*)();

/// Null: none. acquire and release: a tool may set one while other threads run.
extern std::array<atomic<function>, events> callbacks;

template <class... Arguments>
void tell(event what, Arguments... arguments) noexcept {
  const function f = callbacks[static_cast<unsigned>(what)].load(order::acquire);
  if (f != nullptr) reinterpret_cast<void (*)(Arguments...)>(f)(arguments...);
}

/// Returns the tool's word for a task or a region.
inline data* own_of(task& t) { return &part_of(t).own; }
inline data* own_of(team& t) { return &t.told.own; }

}  // namespace callisto::openmp::tool

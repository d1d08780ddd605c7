// How the contexts of a machine are dealt to the attendants of a broker, which both sides of a socket must know.
#pragma once

#include <algorithm>

namespace callisto::broker {

/// A job has a descriptor for each attendant. So on larger machines an attendant serves several contexts.
inline constexpr unsigned most_attendants = 16;

/// Returns the number of attendants of a machine with this many contexts.
constexpr unsigned attendants_of(unsigned contexts) noexcept { return std::min(contexts, most_attendants); }
/// Returns the attendant that serves a context.
constexpr unsigned attendant_of(unsigned context, unsigned contexts) noexcept {
  return context * attendants_of(contexts) / contexts;
}
/// The contexts of a group: [first, last).
struct stretch {
  unsigned first;
  unsigned last;
};
constexpr stretch contexts_of_attendant(unsigned attendant, unsigned contexts) noexcept {
  const unsigned n = attendants_of(contexts);
  return {(attendant * contexts + n - 1) / n, ((attendant + 1) * contexts + n - 1) / n};
}

}  // namespace callisto::broker

// The report of a wrong result.
#pragma once

#include <callisto/graph/csr/called.hpp>
#include <callisto/graph/verify/verify.hpp>

#include <fmt/format.h>

namespace callisto::graph {

/// Throws wrong_result with the message `what`, unless `holds`.
template <class... Parts>
void require(bool holds, fmt::format_string<const Parts&...> what, const Parts&... parts) {
  if (!holds) throw wrong_result("wrong result: " + fmt::format(what, parts...));
}

}  // namespace callisto::graph

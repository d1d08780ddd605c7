// This program as a candidate of `callisto bench schedule`: Callisto's loops, run to order.
#pragma once

namespace callisto::app {

/// Takes the orders of bench/peers/protocol.hpp from standard input until it ends, with loops on `threads` threads that
/// follow CALLISTO_SCHEDULE. Returns what main() is to return.
int serve_as_candidate(unsigned threads);

}  // namespace callisto::app

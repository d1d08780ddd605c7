// Makes this program a candidate of `callisto-lab bench schedule`, which runs Callisto's loops on request.
#pragma once

#include <lab/names.hpp>

namespace callisto::lab {

/// Serves the requests of lab/peers/protocol.hpp from standard input until it ends. The loops run on `threads`
/// threads and follow CALLISTO_SCHEDULE. Returns the exit code for main().
int serve_as_candidate(unsigned threads);

}  // namespace callisto::lab

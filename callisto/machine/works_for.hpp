// The task that the calling thread works for, as native::works_for() says it, for code that each task runs.
#pragma once

namespace callisto::machine {

/// The task around the calling thread's present code, or around the loop that it runs; null: none. initial-exec: each
/// task writes it.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const void* works_for_here;

}  // namespace callisto::machine

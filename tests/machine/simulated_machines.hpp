// Machines that the tests of the simulated machine run on, and how they run things there.
#pragma once

#include <callisto/machine/simulated/machine.hpp>

#include <cstdint>
#include <string_view>

namespace callisto::machine::simulation {

/// The paper's machine, as far as it is known.
inline constexpr std::string_view sparc_t5_8 = R"(# SPARC T5-8
name               = SPARC T5-8    # source: Harris and Kaestle, ATC'15, section 4
sockets            = 8             # source: the same
caches             = 1             # source: the same
cores              = 16            # source: the same
contexts           = 8             # source: the same
clock              = 3.6 GHz       # source: Krishnaswamy et al., the 16-core SPARC T5
line               = 64 bytes      # estimated
load               = 3 cycles      # estimated
store              = 1 cycles      # estimated
atomic             = 40 cycles     # estimated: compare-and-swap is performed in the core's second-level cache
cas.retry          = 20 cycles     # estimated
instructions       = 4 cycles      # estimated
fetch-add          = loop          # source: SPARC has compare-and-swap and swap only
hop.same-core      = 40 cycles     # estimated: SPARC T4's 24 ns
hop.same-cache     = 250 cycles    # estimated: SPARC T4-2's 98 ns (core-to-core-latency)
hop.other-socket   = 800 cycles    # estimated: SPARC T4-2's 356 ns (core-to-core-latency)
hold               = 0.1           # estimated: unknown
store-buffer       = 8             # estimated
pipelines          = 2             # source: Harris and Kaestle, ATC'15, section 4.1
ipc                = 0.34          # source: the same
wait.brief         = 128 cycles    # source: Harris and Kaestle, ATC'15, section 4
wait.lasting       = 4096 cycles   # source: the same
wait.poll          = 10 cycles     # estimated
wait.monitor       = no            # source: Harris and Kaestle, ATC'15, section 4.1
wait.brief.limit   = never         # source: Harris and Kaestle, ATC'15, section 4: active synchronization
wait.lasting.limit = never         # source: the same
park               = 5000 cycles   # estimated
unpark             = 5000 cycles   # estimated
wake               = 20000 cycles  # estimated
)";

/// A machine with numbers that are easy to follow: 2 sockets of 2 caches of 2 cores of 2 contexts, context 0 to 15. A
/// core serves both of its contexts at full speed.
inline description simple_machine() {
  description d = parse_description(sparc_t5_8, "T5-8");
  d.name = "simple";
  d.sockets = d.caches = d.cores = d.contexts = 2;
  d.clock = 1e9;
  d.load = 2;
  d.store = 1;
  d.atomic = 10;
  d.cas_retry = 0;
  d.instructions = 0;
  d.fetch_add = fetch_add_kind::near;
  d.hop[0] = 20;
  d.hop[1] = 100;
  d.hop[2] = 200;
  d.hop[3] = 400;
  d.hold = 0;
  d.store_buffer = 2;
  d.pipelines = 2;
  d.ipc = 1;
  d.wait_brief = 50;
  d.wait_lasting = 1000;
  return d;
}

}  // namespace callisto::machine::simulation

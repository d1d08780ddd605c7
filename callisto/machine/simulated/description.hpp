// The description of a machine to simulate: its parts, and the cost of each operation of its contexts.
//
// The text form: one parameter a line, in any order, each parameter exactly once unless it may be left out. The text
// after `#` gives the value's origin: `source: ...`, or the word `estimated`, if possible with its basis. A parameter
// without an origin is an error. Empty lines and lines that begin with `#` are comments.
//
//   name              = SPARC T5-8     # source: Harris and Kaestle, ATC'15, section 4
//   sockets           = 8              # source: the same
//   hop.other-socket  = 800 cycles     # estimated: SPARC T4-2's 356 ns (core-to-core-latency), scaled
//
// Times are in `cycles` or in `ns`; the clock rate turns `ns` into cycles. The parameters:
//
//   name                 the machine's usual name
//   sockets              number of sockets
//   caches               last-level caches in a socket
//   cores                cores that share a last-level cache
//   contexts             hardware contexts of a core
//   clock                cycles a second: `3.6 GHz` or `800 MHz`
//   line                 bytes of a cache line
//   load                 a load that hits the core's own cache
//   store                a store into the store buffer: the context's part
//   atomic               a read-modify-write of a line that the core owns
//   cas.retry            additional cost of a compare-and-swap that fails (the mispredicted branch)
//   instructions         the ordinary instructions around each access: call, compare, branch
//   fetch-add            `near`: one instruction on the line in the core's cache; `far`: performed at the line's home
//                        unless the core owns the line (Arm LSE); `loop`: a loop of compare-and-swap (SPARC, LL/SC)
//   fetch-add.far        time that one such operation occupies the line's home; only if fetch-add = far
//   hop.same-core        a line last written by another context of the core. Contexts of a core share its cache
//   hop.same-cache       a line moves between cores that share a last-level cache, or comes from that cache
//   hop.same-socket      a line moves between last-level caches of a socket; only if caches > 1
//   hop.other-socket     a line moves between sockets; only if sockets > 1
//                        A hop is one way, as a ping-pong of compare-and-swaps measures it, that operation included.
//   hop.request          fraction of a hop, from 0 to 1, that the request takes to reach the line's holder. The holder
//                        uses the line until then. May be left out: 0
//   hold                 time that a core keeps a line that has just arrived although other cores want it, as a
//                        fraction of the hop that brought it. 0: another core may take it at once
//   store-buffer         stores in a context's buffer, at most
//   pipelines            instructions that a core can issue a cycle, for all of its contexts together
//   ipc                  instructions that one context issues a cycle when it is alone. pipelines / ipc contexts
//                        saturate a core
//   wait.brief           period at which a brief wait polls its line (SPARC: wrpause for 128 cycles)
//   wait.lasting         period at which a lasting wait polls (about 4096 cycles)
//   wait.poll            the part of that period in which the wait uses the pipelines
//   wait.monitor         `yes` if a write of the line wakes a lasting wait (umwait, mwaitx), else `no`
//   wait.brief.limit     time after which a brief wait gives up, so that its caller parks: a time, or `never`
//   wait.lasting.limit   time after which a lasting wait gives up: a time, or `never`
//   park                 going to sleep in the operating system
//   unpark               cost of the system call that wakes sleepers, for each sleeper woken
//   wake                 time from the system call until the sleeper runs
//   l2.size              bytes, in `KB` or `MB`, of the cache that a core's contexts share, for programs with simulated
//                        data (caches.hpp). May be left out; then all parameters below are left out too
//   l2.ways              lines of a set of that cache; the number of sets is a power of two
//   l3.size, l3.ways     size and ways of a last-level cache; no smaller than the L2 caches of its cores together
//   l3.hit               wait of a load that finds its line in the last-level cache. The loop's cost includes L2 hits
//   memory.near          wait of a load that finds its line in the own socket's memory
//   memory.far           wait of a load that finds its line in another socket's memory; only if sockets > 1
//   memory.bandwidth     of each socket's memory, reading and writing together: `80 GB/s`
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace callisto::machine::simulation {

/// How a machine performs fetch_add, fetch_sub, fetch_and and fetch_or.
enum class fetch_add_kind { near, far, loop };

/// The distance between two contexts, which gives the cost of a line's way between them.
enum class distance : unsigned { same_core, same_cache, same_socket, other_socket };
inline constexpr unsigned distances = 4;

/// One machine. Times are in cycles of its clock. This file's first comment explains each parameter.
struct description {
  static constexpr double never = std::numeric_limits<double>::infinity();

  std::string name;
  unsigned sockets = 1;
  unsigned caches = 1;    ///< in a socket
  unsigned cores = 1;     ///< at a last-level cache
  unsigned contexts = 1;  ///< of a core
  double clock = 1e9;     ///< Hz
  unsigned line = 64;

  double load = 0;
  double store = 0;
  double atomic = 0;
  double cas_retry = 0;
  double instructions = 0;
  fetch_add_kind fetch_add = fetch_add_kind::near;
  double fetch_add_far = 0;
  double hop[distances] = {0, 0, 0, 0};  ///< indexed by distance
  double hop_request = 0;
  double hold = 0;
  unsigned store_buffer = 1;
  double pipelines = 1;
  double ipc = 1;

  double wait_brief = 1;
  double wait_lasting = 1;
  double wait_poll = 0;
  bool wait_monitor = false;
  double wait_brief_limit = never;
  double wait_lasting_limit = never;
  double park = 0;
  double unpark = 0;
  double wake = 0;

  unsigned l2_size = 0;  ///< bytes; 0: the sizes of caches and the memory are unknown
  unsigned l2_ways = 1;
  unsigned l3_size = 0;
  unsigned l3_ways = 1;
  double l3_hit = 0;
  double memory_near = 0;
  double memory_far = 0;
  double memory_bandwidth = 1;  ///< bytes a second

  /// The origin of each value, by parameter, as it stands after the `#`: "source: ..." or "estimated...".
  std::map<std::string, std::string, std::less<>> sources;

  unsigned total_cores() const noexcept { return sockets * caches * cores; }
  unsigned total_contexts() const noexcept { return total_cores() * contexts; }

  // Contexts are numbered socket by socket, in these cache by cache, in these core by core.
  unsigned core_of(unsigned context) const noexcept { return context / contexts; }
  unsigned cache_of(unsigned context) const noexcept { return core_of(context) / cores; }
  unsigned socket_of(unsigned context) const noexcept { return cache_of(context) / caches; }
  distance between(unsigned context, unsigned other) const noexcept;

  /// Returns the context of thread `thread` of `threads` if these are spread as widely as possible: over sockets first,
  /// then over last-level caches, then over cores (ATC'15, section 4). Threads with neighbouring numbers stand near
  /// each other. Requires threads <= total_contexts().
  unsigned spread(unsigned thread, unsigned threads) const noexcept;
};

/// Reads a description from `text`. Throws input_error with `file`, the line, the text found and the form expected.
description parse_description(std::string_view text, const std::string& file);

/// Reads the description in `file`. Throws input_error also if the file cannot be read.
description read_description(const std::string& file);

/// Returns the text of `d`, which parses into the same values. Throws std::logic_error if a parameter has no entry in
/// `sources`.
std::string to_text(const description& d);

}  // namespace callisto::machine::simulation

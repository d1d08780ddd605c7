// The description of a machine to simulate: what it is made of, and what each thing that its contexts do costs.
//
// The text form: one parameter a line, in any order, every parameter exactly once unless it says that it may be left
// out. What follows `#` is where the value comes from: `source: ...`, or the word `estimated` and, better, from what.
// A parameter without either is an error. Lines that are empty or begin with `#` are free.
//
//   name              = SPARC T5-8     # source: Harris and Kaestle, ATC'15, section 4
//   sockets           = 8              # source: the same
//   hop.other-socket  = 800 cycles     # estimated: SPARC T4-2's 356 ns (core-to-core-latency), scaled
//
// Times are in `cycles` or in `ns`, which the clock rate turns into cycles. The parameters:
//
//   name                 what people call it
//   sockets              how many
//   caches               last-level caches (with the cores that share one) in a socket
//   cores                cores that share a last-level cache
//   contexts             hardware contexts of a core
//   clock                cycles a second: `3.6 GHz` or `800 MHz`
//   line                 bytes of a cache line
//   load                 a load that hits the own cache
//   store                a store, which goes to the store buffer: what the context pays
//   atomic               a read-modify-write of a line that the core owns
//   cas.retry            what a failed compare-and-swap costs beyond one that succeeds (the mispredicted branch)
//   instructions         the ordinary instructions around each access: call, compare, branch
//   fetch-add            `near`: one instruction on the line in the core's cache; `far`: performed where the line lives
//                        unless the core owns it (Arm LSE); `loop`: a loop of compare-and-swap (SPARC, LL/SC)
//   fetch-add.far        how long the line's home is busy with one such operation; only where fetch-add = far
//   hop.same-core        a line last written by another context of the core. Contexts of a core share its cache
//   hop.same-cache       a line moves between cores that share a last-level cache, or comes from there
//   hop.same-socket      ... between last-level caches of a socket; only where caches > 1
//   hop.other-socket     ... between sockets; only where sockets > 1
//                        A hop is one way, as a ping-pong of compare-and-swaps finds it, that operation included.
//   hop.request          the part of a hop, from 0 to 1, that is the way of the request to who has the line, which goes
//   on
//                        using it until then. May be left out: 0
//   hold                 how long a core keeps a line that has just arrived although others want it, as a share of the
//                        hop that brought it: 0 lets it be snatched at once
//   store-buffer         stores that a context can have on their way
//   pipelines            instructions that a core can issue a cycle, for all of its contexts together
//   ipc                  instructions that one context issues a cycle when it is alone. pipelines / ipc contexts
//                        saturate a core
//   wait.brief           how often a brief wait looks at its line (SPARC: wrpause for 128 cycles)
//   wait.lasting         how often a lasting wait does (about 4096)
//   wait.poll            the part of that period in which it uses the pipelines
//   wait.monitor         `yes` if a lasting wait is woken by the line's being written (umwait, mwaitx), else `no`
//   wait.brief.limit     after how long a brief wait returns in vain, for its caller to park: a time, or `never`
//   wait.lasting.limit   a lasting wait likewise
//   park                 going to sleep in the operating system
//   unpark               what the system call to wake sleepers costs its caller, for each sleeper woken
//   wake                 from then until the sleeper runs
//   l2.size              bytes, in `KB` or `MB`, of the cache that a core's contexts share, for programs whose data is
//                        simulated, too (caches.hpp). May be left out, and then so are all that follow
//   l2.ways              lines of a set of it; there is a power of two of sets
//   l3.size, l3.ways     a last-level cache likewise; no smaller than the L2 caches of its cores together
//   l3.hit               what a load waits that finds its line there. What a hit of l2 costs is part of the loop
//   memory.near          ... in the memory of the own socket
//   memory.far           ... in that of another one; only where sockets > 1
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

/// How far apart two contexts are, and thus what a line's way from one to the other costs.
enum class distance : unsigned { same_core, same_cache, same_socket, other_socket };
inline constexpr unsigned distances = 4;

/// One machine. Times in cycles of its clock. The comment of this file says what each parameter means.
struct description {
  static constexpr double never = std::numeric_limits<double>::infinity();

  std::string name;
  unsigned sockets = 1;
  unsigned caches = 1;    ///< a socket
  unsigned cores = 1;     ///< a cache
  unsigned contexts = 1;  ///< a core
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

  unsigned l2_size = 0;  ///< bytes; 0: nothing is known about caches' sizes and memory
  unsigned l2_ways = 1;
  unsigned l3_size = 0;
  unsigned l3_ways = 1;
  double l3_hit = 0;
  double memory_near = 0;
  double memory_far = 0;
  double memory_bandwidth = 1;  ///< bytes a second

  /// Where each value comes from, by parameter, as it stands after the `#`: "source: ..." or "estimated...".
  std::map<std::string, std::string, std::less<>> sources;

  unsigned total_cores() const noexcept { return sockets * caches * cores; }
  unsigned total_contexts() const noexcept { return total_cores() * contexts; }

  // Contexts are numbered socket by socket, in these cache by cache, in these core by core.
  unsigned core_of(unsigned context) const noexcept { return context / contexts; }
  unsigned cache_of(unsigned context) const noexcept { return core_of(context) / cores; }
  unsigned socket_of(unsigned context) const noexcept { return cache_of(context) / caches; }
  distance between(unsigned context, unsigned other) const noexcept;

  /// The context of thread `thread` of `threads` when these are spread as widely as possible: over sockets first, then
  /// over last-level caches, then over cores (ATC'15, section 4); threads that are neighbours in number stand near
  /// each other. Requires threads <= total_contexts().
  unsigned spread(unsigned thread, unsigned threads) const noexcept;
};

/// Reads a description from `text`. Throws input_error that names `file` and the line, says what was found and
/// expected.
description parse_description(std::string_view text, const std::string& file);

/// Reads the description in `file`. Throws input_error, too, if it cannot be read.
description read_description(const std::string& file);

/// The text of `d`, fit to be parsed again into the same values. Every parameter that is written needs its entry in
/// `sources`; throws std::logic_error if one lacks it.
std::string to_text(const description& d);

}  // namespace callisto::machine::simulation

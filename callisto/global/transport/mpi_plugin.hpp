// Functions of a plugin for one MPI: they bring bytes from rank to rank. The library itself is compiled and linked
// without MPI.
//
// A plugin is a small shared object, compiled with one MPI's header and linked with its library. Types of MPI differ
// between MPIs, so none is seen here: requests are numbered slots that the plugin keeps.
#pragma once

#include <cstdint>

extern "C" {

/// Where a process finds itself in its job.
struct callisto_mpi_place {
  int rank;
  int ranks;
  int node_leader;  ///< the lowest rank that shares memory with this one
};

/// Functions over one MPI. All come from one thread at a time.
struct callisto_mpi_functions {
  std::uint32_t version;
  const char* name;
  /// Initializes MPI. Returns null, or what is wrong.
  const char* (*start)(callisto_mpi_place* place);
  /// Copies `bytes` bytes of each rank into `all`. Collective; blocks.
  void (*gather)(const void* mine, void* all, int bytes);
  void (*send)(int slot, int to, int tag, const void* data, int bytes);
  /// Puts the slots of sends that have ended since into `slots`, which has room for all; returns their number.
  int (*ended_sends)(int* slots);
  void (*receive)(int slot, int tag, void* data, int bytes);
  /// True if the receive of the slot has ended.
  bool (*ended_receive)(int slot, int* source, int* bytes);
  void (*cancel_receive)(int slot);
  void (*finish)();
  void (*abort)(int status);
};

/// Returns the functions; the one symbol of a plugin.
const callisto_mpi_functions* callisto_mpi();

}  // extern "C"

namespace callisto::global {

inline constexpr std::uint32_t mpi_plugin_version = 1;
inline constexpr int mpi_send_slots = 32;
inline constexpr int mpi_receive_slots = 17;  ///< the last one for control messages

}  // namespace callisto::global

// The plugin for one MPI; CMakeLists.txt compiles this file once for each MPI that it finds.
#include <callisto/global/transport/mpi_plugin.hpp>

#include <mpi.h>

namespace {

using callisto::global::mpi_receive_slots;
using callisto::global::mpi_send_slots;

MPI_Comm job;
MPI_Request sends[mpi_send_slots];
MPI_Request receives[mpi_receive_slots];
bool is_ours = true;  // the program itself has not begun MPI

const char* start(callisto_mpi_place* place) {
  for (MPI_Request& r : sends) r = MPI_REQUEST_NULL;
  for (MPI_Request& r : receives) r = MPI_REQUEST_NULL;
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  if (has_ended) return "MPI has ended in this process, and cannot begin again: expected one session in a process";
  int is_running = 0;
  MPI_Initialized(&is_running);
  is_ours = !is_running;
  int level = MPI_THREAD_SERIALIZED;
  if (is_running)
    MPI_Query_thread(&level);
  else if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
    return "MPI_Init_thread failed";
  if (level < MPI_THREAD_SERIALIZED) {
    return is_running ? "the program has started MPI for one thread: expected MPI_THREAD_SERIALIZED or more"
                      : "this MPI has no MPI_THREAD_SERIALIZED";
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &job);
  MPI_Comm_rank(job, &place->rank);
  MPI_Comm_size(job, &place->ranks);
  MPI_Comm node;
  MPI_Comm_split_type(job, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &node);
  place->node_leader = place->rank;
  MPI_Bcast(&place->node_leader, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  return nullptr;
}

void gather(const void* mine, void* all, int bytes) { MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, job); }

void send(int slot, int to, int tag, const void* data, int bytes) {
  MPI_Isend(data, bytes, MPI_BYTE, to, tag, job, &sends[slot]);
}

int ended_sends(int* slots) {
  int count = 0;
  MPI_Testsome(mpi_send_slots, sends, &count, slots, MPI_STATUSES_IGNORE);
  return count == MPI_UNDEFINED ? 0 : count;
}

void receive(int slot, int tag, void* data, int bytes) {
  MPI_Irecv(data, bytes, MPI_BYTE, MPI_ANY_SOURCE, tag, job, &receives[slot]);
}

bool ended_receive(int slot, int* source, int* bytes) {
  int ended = 0;
  MPI_Status status;
  MPI_Test(&receives[slot], &ended, &status);
  if (!ended) return false;
  *source = status.MPI_SOURCE;
  MPI_Get_count(&status, MPI_BYTE, bytes);
  return true;
}

void cancel_receive(int slot) {
  if (receives[slot] == MPI_REQUEST_NULL) return;
  MPI_Cancel(&receives[slot]);
  MPI_Wait(&receives[slot], MPI_STATUS_IGNORE);
}

void finish() {
  MPI_Comm_free(&job);
  if (is_ours) MPI_Finalize();
}

void end_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

constexpr callisto_mpi_functions functions{callisto::global::mpi_plugin_version,
#ifdef OPEN_MPI
                                           "Open MPI",
#else
                                           "MPICH",
#endif
                                           start,
                                           gather,
                                           send,
                                           ended_sends,
                                           receive,
                                           ended_receive,
                                           cancel_receive,
                                           finish,
                                           end_all};

}  // namespace

extern "C" __attribute__((visibility("default"))) const callisto_mpi_functions* callisto_mpi() { return &functions; }

// A worker: a stack and some status (Grappa, section 3.1). It runs one task at a time, and stays on its core.
#pragma once

#include <callisto/machine/fibers/bound_context.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/waiting/wake_inbox.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::global {

class core;

/// The state of a worker.
enum class worker_status : std::uint8_t {
  free,       ///< it waits for a task
  running,    ///< it is the one that its core runs
  ready,      ///< it stands in the ready queue
  suspended,  ///< it waits for wake()
};

/// A stack and some status, on one cache line at the top of the stack. Its core alone reads and writes it, apart from
/// the link that wake() of another thread uses.
class alignas(64) worker : public waiting::inbox_link<machine::native> {
 public:
  worker(core& home, bool has_slot) noexcept : has_slot_(has_slot), home_(&home) {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  core& home() const noexcept { return *home_; }
  worker_status status() const noexcept { return status_; }

 private:
  friend class core;
  friend class ready_queue;
  friend class wait_list;

  worker_status status_ = worker_status::free;
  bool woken_ = false;   ///< a wake came while it ran: its next suspend() returns at once
  const bool has_slot_;  ///< its stack is a slot of the core's slabs
  machine::bound_context context_;
  core* home_;
  worker* next_ = nullptr;  ///< in a wait list or the free list
};
static_assert(sizeof(worker) == 64, "a worker is one line");

}  // namespace callisto::global

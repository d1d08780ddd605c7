// The seam between a job and a broker, a process that divides the contexts of several users (callisto/broker). A job
// with a link has no slot in a table: seats ask the link.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/context_entry.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace callisto::cosched {

/// A job's connection with a broker. All members are thread-safe. Those of contexts are as in job::seat.
class CALLISTO_API broker_link {
 public:
  broker_link() = default;
  broker_link(const broker_link&) = delete;
  virtual ~broker_link() = default;

  virtual const std::string& path() const noexcept = 0;
  virtual unsigned number() const noexcept = 0;
  virtual std::uint64_t generation() const noexcept = 0;
  virtual const machine::native::atomic<std::uint64_t>& generation_word() const noexcept = 0;
  virtual bool alone() const noexcept = 0;
  virtual unsigned main_context() const noexcept = 0;
  virtual double share_of(unsigned context) const noexcept = 0;
  /// True if there is no broker any more, for longer than the grace period: threads then run as if none shared. Tries
  /// each second to find the broker again.
  virtual bool is_lost() = 0;
  /// Looks whether the broker is still there.
  virtual void look_after() = 0;
  /// Tells the broker where the job may run, where its main thread is (1 + context; 0: none), and its weight.
  virtual void tell(const context_set& contexts, std::uint64_t main, unsigned weight) = 0;
  /// Leaves the broker, once.
  virtual void leave() = 0;
  /// Forgets the connection in the child of a fork.
  virtual void abandon() noexcept = 0;

  virtual const machine::native::atomic<std::uint64_t>& word(unsigned context) const noexcept = 0;
  virtual bool keep(unsigned context, lease& mine, bool gives) = 0;
  virtual bool take(unsigned context, lease& mine, const std::function<bool()>& give_up, std::uint64_t longest) = 0;
  virtual void idle(unsigned context) = 0;
  virtual void leave_context(unsigned context) = 0;
  virtual void wake_waiters(unsigned context) = 0;
};

}  // namespace callisto::cosched

// Work tickets (Callisto, EuroSys 2014, section 2.3). A ticket is a source of parallelism: workers make up-calls for
// it, at most a given number at a time, until it is drained. It is complete when the last of them has returned.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/latch.hpp>
#include <callisto/workers/activations/activation.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::workers {

using waiting::latch;
using waiting::svar;

enum class ticket_state : std::uint8_t {
  active,    ///< work is left to be started: workers make up-calls
  drained,   ///< all of it was started: no more up-calls begin
  complete,  ///< all of it is done
};

template <machine::policy M>
class ticket;

/// The up-call of a ticket: does part of the work, and returns because no work is left, or because should_yield().
/// Called again as long as the ticket is active. `self` knows the worker that the call starts on. An exception that
/// leaves it ends the program.
template <machine::policy M>
using activate = void (*)(activation<M>& self, void* data, ticket<M> of);

/// The record of a ticket in a set of workers. A record serves tickets in sequence, and lives as long as the set, so
/// that a late question about a ticket that is long complete is answered.
template <machine::policy M>
struct ticket_record {
  explicit ticket_record(latch<M>& by) noexcept : stage(by, 0) {}

  /// Twice the number of tickets that were completed here, and 1 if the present one is drained.
  svar<M> stage;
  // Guarded by the set's latch:
  machine::plain_of<M, unsigned> bound{0};
  machine::plain_of<M, unsigned> running{0};  ///< up-calls that have not returned, the suspended ones too
  machine::plain_of<M, bool> listed{false};   ///< it is in the list of tickets that may start another activation
  machine::plain_of<M, activate<M>> call{nullptr};
  machine::plain_of<M, void*> data{nullptr};
  machine::plain_of<M, ticket_record*> next{nullptr};
  ticket_record* older = nullptr;  ///< in the list of ticket_records
};

/// Owns the records of a set. A list, so that nothing is allocated under the latch that guards it.
template <machine::policy M>
class ticket_records {
 public:
  ticket_records() = default;
  ~ticket_records() {
    while (newest_ != nullptr) delete std::exchange(newest_, newest_->older);
  }
  ticket_records(const ticket_records&) = delete;
  ticket_records& operator=(const ticket_records&) = delete;

  void add(std::unique_ptr<ticket_record<M>> made) noexcept {
    made->older = newest_;
    newest_ = made.release();
  }

 private:
  ticket_record<M>* newest_ = nullptr;
};

/// The name of a ticket. Copied freely; valid as long as the set of workers lives.
template <machine::policy M>
class ticket {
 public:
  friend bool operator==(const ticket&, const ticket&) = default;

 private:
  friend class activation<M>;
  friend class worker_set<M>;
  /// Names the ticket that the record serves now.
  explicit ticket(ticket_record<M>& record) noexcept : record_(&record), first_stage_(record.stage.read() / 2 * 2) {}

  bool is_drained(std::uint64_t stage) const noexcept { return stage > first_stage_; }
  bool is_complete(std::uint64_t stage) const noexcept { return stage > first_stage_ + 1; }

  ticket_record<M>* record_;
  std::uint64_t first_stage_;
};

}  // namespace callisto::workers

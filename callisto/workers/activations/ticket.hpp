// Work tickets (Callisto, EuroSys 2014, section 2.3): a source of parallelism that workers make up-calls for, at most
// so many at a time, until it is drained; it is complete when the last of them has returned.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/waiting/latch.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::workers {

enum class ticket_state : std::uint8_t {
  active,    ///< work is left to be started: workers make up-calls
  drained,   ///< all of it was started: no more up-calls begin
  complete,  ///< all of it is done
};

template <machine::policy M>
class ticket;

/// What a runtime does for its ticket: part of the work, then it returns, because no work is left, or because
/// should_yield(). It is called again as long as the ticket is active. `self` knows the worker that it starts on. An
/// exception that leaves it ends the program.
template <machine::policy M>
using activate = void (*)(activation<M>& self, void* data, ticket<M> of);

/// What a set of workers keeps of a ticket. Used for one ticket after the other, and never freed before the set, so
/// that whoever asks late for a ticket that is long complete finds out just that.
template <machine::policy M>
struct ticket_record {
  explicit ticket_record(latch<M>& by) noexcept : stage(by, 0) {}

  /// Twice the number of tickets that were completed here, and 1 if the present one is drained.
  svar<M> stage;
  // Under the latch.
  machine::plain_of<M, unsigned> bound{0};
  machine::plain_of<M, unsigned> running{0};  ///< up-calls begun and not returned, the suspended ones too
  machine::plain_of<M, bool> listed{false};   ///< among those that may start another
  machine::plain_of<M, activate<M>> call{nullptr};
  machine::plain_of<M, void*> data{nullptr};
  machine::plain_of<M, ticket_record*> next{nullptr};
  ticket_record* older = nullptr;  ///< of ticket_records
};

/// All records of a set, for its end. A list, so that nothing is allocated under the latch that guards it.
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

/// The name of a ticket. To be copied freely; valid as long as the set of workers is.
template <machine::policy M>
class ticket {
 public:
  friend bool operator==(const ticket&, const ticket&) = default;

 private:
  friend class activation<M>;
  friend class worker_set<M>;
  /// The one that the record is of now.
  explicit ticket(ticket_record<M>& record) noexcept : record_(&record), first_stage_(record.stage.read() / 2 * 2) {}

  bool is_drained(std::uint64_t stage) const noexcept { return stage > first_stage_; }
  bool is_complete(std::uint64_t stage) const noexcept { return stage > first_stage_ + 1; }

  ticket_record<M>* record_;
  std::uint64_t first_stage_;
};

}  // namespace callisto::workers

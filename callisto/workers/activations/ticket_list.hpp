// The tickets of a set: those that may start an activation, in the order of their turns, and records to use again.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/activations/ticket.hpp>

#include <memory>
#include <utility>

namespace callisto::workers {

/// Used with the set's latch held.
template <machine::policy M>
class ticket_list {
  using record = ticket_record<M>;

 public:
  bool empty() const noexcept { return first_ == nullptr; }
  /// Returns the ticket that has its turn; null: there is none.
  record* first() const noexcept { return first_; }

  /// Adds a ticket at the end.
  void list(record& r) noexcept {
    r.listed = true;
    r.next = nullptr;
    if (first_ == nullptr) {
      first_ = &r;
    } else {
      last_->next = &r;
    }
    last_ = &r;
  }

  void unlist(record& r) noexcept {
    r.listed = false;
    record* before = nullptr;
    for (record* other = first_; other != &r; other = other->next) before = other;
    if (before == nullptr) {
      first_ = static_cast<record*>(r.next);
    } else {
      before->next = static_cast<record*>(r.next);
    }
    if (last_ == &r) last_ = before;
  }

  /// Takes a record to use again; null: there is none.
  record* reuse() noexcept {
    record* const r = free_;
    if (r != nullptr) free_ = static_cast<record*>(r->next);
    return r;
  }
  /// Keeps a record, which no ticket uses any more.
  void keep(record& r) noexcept {
    r.next = free_;
    free_ = &r;
  }
  /// Keeps a new record.
  void add(std::unique_ptr<record> made) noexcept {
    keep(*made);
    records_.add(std::move(made));
  }

 private:
  machine::plain_of<M, record*> first_{nullptr};
  machine::plain_of<M, record*> last_{nullptr};
  machine::plain_of<M, record*> free_{nullptr};
  ticket_records<M> records_;
};

}  // namespace callisto::workers

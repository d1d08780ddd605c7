// How much may be under way to one rank: the window of its sender, the credits of its receiver.
//
// 1. *Sender, has a packet:* charges it to the window of its destination. The charge stands while the packet waits to
//    be sent, and until the receiver has handled it.
// 2. *Sender, sends:* a packet leaves while the charge of the packets under way stays within the window, or if none is
//    under way.
// 3. *Receiver, has handled a packet:* owes its charge. The receiver gives the debt back on its next packet, or on an
//    extra packet once it owes a quarter of the window.
// 4. *Tasks:* wait while more than the window is charged. Handlers never wait.
//
// No sender waits for ever: less than a quarter of the window is owed and not given back, and a packet's charge is less
// than the rest.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// The charge of one rank to a destination. Under a lock of the caller, apart from is_over().
template <machine::policy M>
class send_window {
  using order = machine::order;

 public:
  /// Charges a packet that waits to be sent.
  void enqueue(std::uint64_t charge) noexcept {
    queued_ = queued_ + charge;
    set_total();
  }
  /// True if a packet may leave now.
  bool admits(std::uint64_t charge, std::uint64_t window) const noexcept {
    return under_way_ == 0 || under_way_ + charge <= window;
  }
  /// Notes that a packet that waited has left.
  void leave(std::uint64_t charge) noexcept {
    queued_ = queued_ - charge;
    under_way_ = under_way_ + charge;
  }
  /// Ends the charge of a packet that waited, and was handled without a way.
  void drop(std::uint64_t charge) noexcept {
    queued_ = queued_ - charge;
    set_total();
  }
  /// Takes credit back; false, without effect, if it is more than what is under way.
  [[nodiscard]] bool give_back(std::uint64_t credit) noexcept {
    if (credit > under_way_) return false;
    under_way_ = under_way_ - credit;
    set_total();
    return true;
  }

  std::uint64_t queued() const noexcept { return queued_; }
  std::uint64_t under_way() const noexcept { return under_way_; }

  /// True if a task that sends has to wait. Any thread.
  bool is_over(std::uint64_t window) const noexcept {
    return total_.load(order::relaxed) > window;  // relaxed: a limit; what waits looks again
  }

 private:
  void set_total() noexcept { total_.store(queued_ + under_way_, order::relaxed); }  // relaxed: as in is_over()

  machine::plain_of<M, std::uint64_t> queued_{0};
  machine::plain_of<M, std::uint64_t> under_way_{0};
  machine::atomic_of<M, std::uint64_t> total_{0};
};

/// The charge that a rank owes to the sender of packets that it has handled. For the thread that makes progress.
class credit_debt {
 public:
  void add(std::uint32_t charge) noexcept { owed_ += charge; }
  std::uint32_t owed() const noexcept { return owed_; }
  /// True if the sender may wait for it.
  bool is_due(std::uint64_t window) const noexcept { return owed_ != 0 && owed_ >= window / 4; }
  /// Notes that all was given back.
  void clear() noexcept { owed_ = 0; }

 private:
  std::uint32_t owed_ = 0;
};

}  // namespace callisto::global

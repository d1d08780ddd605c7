// Signals for a thread of the application that works as a worker at the moment: activations run on top of it, and would
// be interrupted under their own identities. The thread sends them to itself once it runs its own code again.
//
// A handler may wait for another signal, as collectors' do. While it runs, the mailbox is closed: signals reach the
// handler. So the thread opens the mailbox only when no signal is on its way. One word decides whether a sender puts
// its signal in or marks that it sends one. A thread that finds the mark waits until its senders have sent, and lets
// the signals come.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::workers {

/// Signals 1 to 64, each at most once, as standard signals are.
template <machine::policy M>
class mailbox {
  using order = machine::order;

 public:
  /// Puts the signal in, or calls send(), which sends it to the thread. True: it was put in. From any thread.
  template <class Send>
  bool post(unsigned signal, Send send) noexcept {
    senders_.fetch_add(1, order::relaxed);  // relaxed: put() publishes it
    const bool in = put(signal);
    if (!in) send();
    senders_.fetch_sub(1, order::release);  // release: pairs with open_after_signals()
    return in;
  }

  // By its thread:

  /// False: signals may be on their way to the thread, and the mailbox stays closed.
  bool open() noexcept {
    for (std::uint64_t found = 0; found == 0;) {
      if (word_.compare_exchange(found, opened, order::relaxed)) return true;  // relaxed: publishes nothing
    }
    return false;
  }
  /// Opens it once no signal is on its way. `let_come`: at the end of a call of it, signals that were sent have come.
  template <class LetCome>
  void open_after_signals(LetCome let_come) noexcept {
    while (!open()) {
      word_.exchange(0, order::acquire);  // acquire: pairs with put(), for the count of senders
      const auto is_sending = [](unsigned n) { return n != 0; };
      // Its acquire pairs with post().
      while (is_sending(M::wait_while(senders_, is_sending, machine::patience::lasting))) {
      }
      let_come();
    }
  }
  /// Returns the signals that were put in, signal n as bit n - 1.
  std::uint64_t close() noexcept { return word_.exchange(0, order::acquire) & ~marks; }  // acquire: see put()
  /// True if there are some. From any thread: a hint.
  bool has_mail() const noexcept { return (word_.load(order::relaxed) & ~marks) != 0; }  // relaxed: a hint

 private:
  /// False: it is closed, and marked.
  bool put(unsigned signal) noexcept {
    for (std::uint64_t found = word_.load(order::relaxed);;) {
      const bool in = (found & opened) != 0;
      const std::uint64_t adds = in ? std::uint64_t{1} << (signal - 1) : coming;
      // release: publishes what the sender did before to close(), and the count of senders to open_after_signals().
      if (word_.compare_exchange(found, found | adds, order::release)) return in;
    }
  }

  // In place of signals 32 and 33, the C library's own.
  static constexpr std::uint64_t opened = std::uint64_t{1} << 31;
  static constexpr std::uint64_t coming = std::uint64_t{1} << 32;  ///< the thread has not let signals come since
  static constexpr std::uint64_t marks = opened | coming;

  machine::atomic_of<M, std::uint64_t> word_{0};
  machine::atomic_of<M, unsigned> senders_{0};  ///< in post()
};

}  // namespace callisto::workers

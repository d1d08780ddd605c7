// Subjects: a lender of an identity, which parks and calls what it is told to.
#include "subject.hpp"

#include <callisto/machine/fibers/lender_orders.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::check {
namespace {

/// The words of a lender on the checked machine.
struct checked_words {
  using word = atomic<std::uint64_t>;
  template <class T>
  using plain = check::plain<T>;
  static constexpr auto relaxed = order::relaxed;
  static constexpr auto acquire = order::acquire;
  static constexpr auto release = order::release;
  static void wait(const word& on, std::uint32_t value) { machine::checked::park(on, value); }
  static void wake(word& on) { machine::checked::unpark(on, 1); }
};

/// One thread is a lender; another lets it call twice, each time after the last call has said that it is over.
class lending {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned thread) {
    if (thread == 0) {
      orders_.follow(&stack_);
      require(calls_ == 2, "it ends after all calls");
      return;
    }
    require(orders_.await_parked() == &stack_, "a parked lender says where its stack is free");
    for (std::uint64_t call = 1; call <= 2; ++call) {
      brought_ = call;
      orders_.tell_to_call([](void* self) { static_cast<lending*>(self)->call(); }, this);
      while (over_.load(order::acquire) != call) machine::checked::park(over_, static_cast<std::uint32_t>(call - 1));
      require(calls_ == call, "what the call did is visible");
    }
    orders_.tell(machine::lender_orders<checked_words>::to_end);
  }

 private:
  /// The last act of a call may let another thread tell the lender again.
  void call() {
    const std::uint64_t now = calls_ + 1;
    require(brought_ == now, "what the caller did is visible");
    calls_ = now;
    over_.store(now, order::release);
    machine::checked::unpark(over_, 1);
  }

  machine::lender_orders<checked_words> orders_;
  std::byte stack_{};
  plain<std::uint64_t> brought_{0};
  plain<std::uint64_t> calls_{0};
  atomic<std::uint64_t> over_{0};
};

const registered<lending> orders("lender.orders", "a lender calls what it is told to, each time once",
                                 exhaustive({0, 0}), exhaustive({1, 0}));

}  // namespace
}  // namespace callisto::check

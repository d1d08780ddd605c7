// Subjects: bytes of code that traps change, and change back, while others run into them.
#include "subject.hpp"

#include <callisto/workers/preemption/spin_traps/trap_table.hpp>

#include <cstdint>

namespace callisto::check {
namespace {

constexpr unsigned branches = 2;
constexpr unsigned changed = 0xCC;
constexpr unsigned branch = 0x74;

/// Threads that find spin loops and set traps there: the first two each in a place of its own, and `Again` of them then
/// in the second place. Each thread runs by another's place, and takes out the trap that it meets.
template <unsigned Threads, unsigned Again>
class putters {
 public:
  static constexpr unsigned threads = Threads;

  void run(unsigned thread) {
    if (thread < 2) put(thread);
    look();
    pass_by((thread + 1) % branches);
    if (thread < Again) put(1);
  }

  void finish() {
    for (unsigned n = 0; n < branches; ++n) {
      const auto* const t = at(n);
      require(code(n).load(order::relaxed) == (t != nullptr && table_.is_set(*t) ? changed : branch),
              "a trap is set where the code is changed");
    }
  }

 private:
  using table = workers::trap_table<machine::checked, unsigned, branches>;

  static std::uintptr_t address(unsigned n) { return 100 + n; }
  atomic<unsigned>& code(unsigned n) { return n == 0 ? first_ : second_; }
  table::trap* at(unsigned n) {
    return table_.find([n](std::uintptr_t where, unsigned) { return where == address(n); });
  }

  void put(unsigned n) {
    table_.alone([&] {
      auto* const t = table_.claim(address(n), [n] { return n; });
      require(t != nullptr, "there is room for each branch once");
      // Release and acquire stand for what x86 keeps: stores in order, and an instruction fetched before the loads of
      // its trap's handler.
      return table_.set(*t, [&] {
        require(code(n).load(order::relaxed) == branch, "a trap changes the branch");
        code(n).store(changed, order::release);
        return true;
      });
    });
  }

  /// Searches for a trap, as a thread does that has found a spin loop.
  void look() {
    table_.find([](std::uintptr_t where, unsigned what) {
      require(where == address(what), "a thread that finds a trap finds all that its maker wrote");
      return false;
    });
  }

  void pass_by(unsigned n) {
    if (code(n).load(order::acquire) != changed) return;
    auto* const t = at(n);
    require(t != nullptr, "a thread that meets a changed byte finds its trap");
    table_.alone([&] {
      return table_.take_out(*t, [&] {
        code(n).store(branch, order::relaxed);
        return true;
      });
    });
  }

  table table_;
  atomic<unsigned> first_{branch};
  atomic<unsigned> second_{branch};
};

constexpr const char* meets = "a thread that meets a changed byte finds its trap; the code is as the table says";

const registered<putters<2, 0>> once("traps.2", meets, exhaustive({0, 0}), exhaustive({0, 0}));
const registered<putters<2, 1>> again("traps.again.2", meets, preemptions(3, {0, 0}), exhaustive({0, 0}));
const registered<putters<3, 0>> three("traps.3", meets, preemptions(2, {0, 0}), preemptions(4, {0, 0}));

}  // namespace
}  // namespace callisto::check

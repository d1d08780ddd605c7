// Passes what atomics, plain data and subjects do on to the execution that runs on this OS thread.
#include <callisto/machine/checked/execution.hpp>
#include <callisto/machine/checked/explore.hpp>
#include <callisto/machine/checked/objects.hpp>

#include <stdexcept>

namespace callisto::machine::checking {

object_number begin_atomic(const void* address, std::uint64_t value, const place& where) {
  return detail::current->begin(address, true, value, where);
}
object_number begin_plain(const void* address, const place& where) {
  return detail::current->begin(address, false, 0, where);
}
void end_object(object o) noexcept { detail::current->end(o); }
std::uint64_t do_load(object o, order r, const place& where) { return detail::current->load(o, r, where); }
void do_store(object o, std::uint64_t value, order r, const place& where) {
  detail::current->store(o, value, r, where);
}
std::uint64_t do_modify(object o, operation what, std::uint64_t operand, std::uint64_t mask, order r,
                        const place& where) {
  return detail::current->modify(o, what, operand, mask, r, where);
}
bool do_compare_exchange(object o, std::uint64_t& expected, std::uint64_t desired, order r, const place& where) {
  return detail::current->compare_exchange(o, expected, desired, r, where);
}
std::uint64_t do_wait(object o, const awaited& until, const place& where) {
  return detail::current->wait(o, until, where);
}
void do_park(object o, std::uint32_t low, const place& where) { detail::current->park(o, low, where); }
void do_unpark(object o, unsigned count, const place& where) { detail::current->unpark(o, count, where); }
void do_light_fence(const place& where) { detail::current->light_fence(where); }
void do_heavy_fence(const place& where) { detail::current->heavy_fence(where); }
void do_plain_read(object o) { detail::current->plain_read(o); }
void do_plain_write(object o, const place* where) { detail::current->plain_write(o, where); }

std::uint64_t do_ticks() noexcept {
  static thread_local std::uint64_t alone = 0;
  return running() ? detail::current->ticks() : ++alone * 1000;
}

void fence(fence_order o) {
  if (running()) detail::current->fence(o);
}

bool has_ended(unsigned thread) noexcept { return !running() || detail::current->has_ended(thread); }

void require(bool condition, const char* what) {
  if (condition) return;
  if (!running()) throw std::logic_error(what);
  detail::current->fail(kind::assertion, what);
}

}  // namespace callisto::machine::checking

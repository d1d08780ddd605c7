#include <callisto/global/memory/answer.hpp>
#include <callisto/global/session/failure.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <exception>
#include <span>
#include <string>

namespace callisto::global {

namespace {

struct set_flag {
  arrival_address flag;
  void operator()() const { flag.pointer()->set(); }
};

}  // namespace

namespace detail {

std::string place_of_call(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": ";
}

void blocks_in_delegate(const std::source_location& where) {
  throw usage_error(place_of_call(where) +
                    "this operation would block inside a delegate; expected operations on memory of the delegate's "
                    "rank, or ones that do not wait (post_...)");
}

void blocks_without_worker(const std::source_location& where) {
  throw usage_error(place_of_call(where) +
                    "this operation would block on a thread without workers; expected main or a task of a session, "
                    "or a loop with loop_options::workers");
}

void null_address(const std::source_location& where) {
  throw usage_error(place_of_call(where) + "an operation on the null address; expected the address of an object");
}

std::exception_ptr failure_of_delegate(int rank) {
  try {
    throw;
  } catch (const job_failed&) {
    return std::current_exception();
  } catch (...) {
    phase_failure failure = phase_failure::of(rank, std::current_exception());
    if (failure.kind != 0) return failure.original;
    failure.original = nullptr;
    return failure.made();
  }
}

void reply_failure(int rank, answer_or_failure* to) {
  constexpr std::size_t most_text = 2000;
  const int me = here().rank;
  phase_failure failure = phase_failure::of(me, std::current_exception());
  if (failure.text.size() > most_text) failure.text.resize(most_text);
  send(
      rank,
      [to, me, kind = failure.kind](std::span<const std::byte> text) {
        const phase_failure thrown{.rank = me,
                                   .kind = kind,
                                   .text = {reinterpret_cast<const char*>(text.data()), text.size()},
                                   .original = nullptr};
        to->failure = thrown.made();
        to->set();
      },
      std::as_bytes(std::span(failure.text)));
}

void note_failure_of_post() { session::note_failure(std::current_exception()); }

}  // namespace detail

void set_arrival(arrival_address flag) {
  if (flag.rank() == here().rank) {
    flag.pointer()->set();
  } else {
    send(flag.rank(), set_flag{flag});
  }
}

}  // namespace callisto::global

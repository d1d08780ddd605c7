#include <callisto/global/memory/answer.hpp>
#include <callisto/machine/system/error.hpp>

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

}  // namespace detail

void set_arrival(arrival_address flag) {
  if (flag.rank() == here().rank) {
    flag.pointer()->set();
  } else {
    send(flag.rank(), set_flag{flag});
  }
}

}  // namespace callisto::global

// epoll, with times of a nanosecond's resolution.
#include <callisto/broker/event_queue.hpp>

#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include <poll.h>
#include <sys/epoll.h>

namespace callisto::broker {
namespace {

epoll_event event_of(int key, bool heard) noexcept {
  epoll_event e{};
  e.events = heard ? std::uint32_t{EPOLLIN} : 0;
  e.data.fd = key;
  return e;
}

}  // namespace

event_queue::event_queue() : queue_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (queue_.get() < 0) throw error(std::string("epoll: ") + std::strerror(errno));
}

bool event_queue::add(int fd, int key) noexcept {
  epoll_event e = event_of(key, true);
  return ::epoll_ctl(queue_.get(), EPOLL_CTL_ADD, fd, &e) == 0;
}

void event_queue::set(int fd, int key, bool heard) noexcept {
  epoll_event e = event_of(key, heard);
  ::epoll_ctl(queue_.get(), EPOLL_CTL_MOD, fd, &e);
}

std::span<const int> event_queue::wait(std::uint64_t due) noexcept {
  constexpr std::uint64_t second = 1'000'000'000;
  const std::uint64_t now = machine::shared_nanoseconds();
  const std::uint64_t ns = due <= now ? 0 : std::min(due - now, 3600 * second);
  const timespec t{.tv_sec = static_cast<time_t>(ns / second), .tv_nsec = static_cast<long>(ns % second)};
  // epoll_wait() counts in milliseconds.
  pollfd p{queue_.get(), POLLIN, 0};
  ::ppoll(&p, 1, &t, nullptr);
  std::array<epoll_event, 64> events{};
  static_assert(events.size() == std::tuple_size_v<decltype(keys_)>);
  const int n = ::epoll_wait(queue_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < n; ++i) keys_[static_cast<std::size_t>(i)] = events[static_cast<std::size_t>(i)].data.fd;
  return std::span(keys_).first(static_cast<std::size_t>(std::max(n, 0)));
}

}  // namespace callisto::broker

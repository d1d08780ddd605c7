#include <callisto/app/graph/line_stream.hpp>

#include <callisto/graph/files/compress.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace callisto::app {
namespace {

std::string message_of(int number) { return std::generic_category().message(number); }

}  // namespace

line_stream::line_stream(const std::string& path, std::stop_token stop)
    : name_(path == "-" ? "standard input" : path),
      stop_(std::move(stop)),
      from_(STDIN_FILENO),
      wake_(::eventfd(0, EFD_CLOEXEC)) {
  if (wake_.get() < 0) throw error("eventfd: " + message_of(errno));
  if (path == "-") return;
  if (graph::compression_of(path) != graph::compression::none)
    throw input_error(path, 0, "the stream is compressed: unpack it and pipe it into '--stream -'");
  file_ = machine::descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file_.get() < 0) throw input_error(path, 0, "cannot be opened for reading: " + message_of(errno));
  from_ = file_.get();
}

bool line_stream::read_more() {
  constexpr std::size_t at_once = 65'536;
  const std::stop_callback wake(stop_, [this] { ::eventfd_write(wake_.get(), 1); });
  for (;;) {
    // A pipe that has no writer yet is not ready; read() would take it for the end.
    pollfd ready[] = {{.fd = from_, .events = POLLIN, .revents = 0},
                      {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR) throw input_error(name_, 0, "cannot be read: " + message_of(errno));
    if (stop_.stop_requested()) return false;
    if (ready[0].revents == 0) continue;
    text_.erase(0, next_);
    next_ = 0;
    const std::size_t before = text_.size();
    text_.resize(before + at_once);
    const ssize_t count = ::read(from_, text_.data() + before, at_once);
    const int failed = errno;
    text_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count >= 0) {
      ended_ = count == 0;
      return true;
    }
    if (failed != EINTR && failed != EAGAIN) throw input_error(name_, 0, "cannot be read: " + message_of(failed));
  }
}

bool line_stream::next(std::string& line) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::size_t end;
  for (std::size_t seen = next_; (end = text_.find('\n', seen)) == std::string::npos;) {
    if (ended_) {
      if (next_ == text_.size()) return false;
      end = text_.size();
      break;
    }
    if (text_.size() - next_ > longest)
      throw input_error(name_, number_ + 1, fmt::format("expected a line of at most {} bytes", longest));
    const std::size_t begin = text_.size() - next_;
    if (!read_more()) return false;
    seen = begin;
  }
  if (stop_.stop_requested()) return false;
  line.assign(text_, next_, end - next_);
  next_ = std::min(end + 1, text_.size());
  if (number_++ == 0 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  if (line.ends_with('\r')) line.pop_back();
  if (!machine::is_utf8(line)) line = machine::from_windows_1252(line);
  return true;
}

}  // namespace callisto::app

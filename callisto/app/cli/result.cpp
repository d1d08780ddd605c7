// Writing results with every failure noticed.
#include <callisto/app/cli/result.hpp>

#include <callisto/machine/system/error.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace callisto::app {

namespace {

bool taken = false;  // only the thread that runs the command reads and writes it

void write_to(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw reader_gone();
    } else if (errno != EINTR) {
      throw output_error((fd == STDOUT_FILENO ? "standard output: cannot write: " : "standard error: cannot write: ") +
                         std::generic_category().message(errno));
    }
  }
}

}  // namespace

bool is_standard_output(const std::string& path) {
  if (path == "-") return true;
  struct stat named{};
  struct stat own{};
  if (::stat(path.c_str(), &named) != 0 || ::fstat(STDOUT_FILENO, &own) != 0) return false;
  const bool null = S_ISCHR(named.st_mode) && named.st_rdev == makedev(1, 3);
  return !null && named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

void take_standard_output(std::string_view flag) {
  if (std::exchange(taken, true))
    throw usage_error(std::string(flag) + ": standard output is taken by another file of this command; name a file");
}

void print(std::string_view text) { write_to(taken ? STDERR_FILENO : STDOUT_FILENO, text); }

result::result(const std::string& path, std::string_view flag) {
  if (path.empty()) return;
  if (is_standard_output(path)) {
    take_standard_output(flag);
    takes_standard_output_ = true;
    return;
  }
  file_.emplace(path);
  method_ = graph::compression_of(path);
}

void result::write(std::string_view text) {
  if (takes_standard_output_) return write_to(STDOUT_FILENO, text);
  if (!file_) return print(text);
  if (method_ == graph::compression::none) return file_->append(text);
  constexpr std::size_t enough = std::size_t{1} << 22;
  untold_ += text;
  if (untold_.size() >= enough) append_compressed();
}

void result::append_compressed() { file_->append(graph::compressed(std::exchange(untold_, {}), method_)); }

void result::commit() {
  if (!file_) return;
  if (method_ != graph::compression::none) append_compressed();  // an empty text, too, has a header
  file_->commit();
}

}  // namespace callisto::app

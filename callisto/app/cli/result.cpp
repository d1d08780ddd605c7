// Writing results with every failure noticed.
#include <callisto/app/cli/result.hpp>

#include <callisto/machine/system/error.hpp>

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace callisto::app {

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw reader_gone();
    } else if (errno != EINTR) {
      throw output_error("standard output: cannot write: " + std::generic_category().message(errno));
    }
  }
}

result::result(const std::string& path) {
  if (!path.empty() && path != "-") file_.emplace(path);
}

void result::write(std::string_view text) {
  if (file_) {
    file_->append(text);
  } else {
    print(text);
  }
}

void result::commit() {
  if (file_) file_->commit();
}

}  // namespace callisto::app

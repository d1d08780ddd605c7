// Writing results with every failure noticed.
#include <callisto/app/cli/result.hpp>

#include <callisto/machine/system/error.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

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
  if (path.empty() || path == "-") return;
  file_.emplace(path);
  method_ = graph::compression_of(path);
}

void result::write(std::string_view text) {
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

// Compresses by zlib and zstd.
#include <callisto/graph/files/compress.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>

#include <zlib.h>
#include <zstd.h>

namespace callisto::graph {
namespace {

std::string as_gzip(const std::string& text) {
  z_stream state{};
  constexpr int largest_window_gzip = 15 + 16;
  constexpr int usual_memory = 8;
  if (deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window_gzip, usual_memory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, void (*)(z_stream*)> end(&state, [](z_stream* s) { deflateEnd(s); });
  std::string result(deflateBound(&state, static_cast<uLong>(text.size())), '\0');
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  std::size_t read = 0;
  std::size_t written = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const std::size_t in = std::min(most, text.size() - read);
    const std::size_t out = std::min(most, result.size() - written);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + read));
    state.avail_in = static_cast<uInt>(in);
    state.next_out = reinterpret_cast<Bytef*>(result.data() + written);
    state.avail_out = static_cast<uInt>(out);
    status = deflate(&state, read + in == text.size() ? Z_FINISH : Z_NO_FLUSH);
    read += in - state.avail_in;
    written += out - state.avail_out;
  }
  result.resize(written);
  return result;
}

std::string as_zstd(const std::string& text) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (state == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(state.get(), ZSTD_c_checksumFlag, 1);
  std::string result(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress2(state.get(), result.data(), result.size(), text.data(), text.size());
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // with enough room, nothing else can fail
  result.resize(size);
  return result;
}

}  // namespace

compression compression_of(std::string_view path) noexcept {
  if (path.ends_with(".gz")) return compression::gzip;
  return path.ends_with(".zst") ? compression::zstd : compression::none;
}

std::string_view without_compression(std::string_view path) noexcept {
  if (path.ends_with(".gz")) return path.substr(0, path.size() - 3);
  return path.ends_with(".zst") ? path.substr(0, path.size() - 4) : path;
}

std::string compressed(std::string text, compression method) {
  if (method == compression::gzip) return as_gzip(text);
  if (method == compression::zstd) return as_zstd(text);
  return text;
}

}  // namespace callisto::graph

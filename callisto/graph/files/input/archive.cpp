// Opens libarchive and reads through it.
#include <callisto/graph/files/input/archive.hpp>

#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/files/input/opened_library.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include <archive.h>
#include <archive_entry.h>

namespace callisto::graph::input {
namespace {

using namespace std::string_view_literals;

/// The functions of libarchive that are called here.
struct library : opened_library {
  library() noexcept : opened_library(CALLISTO_ARCHIVE_LIBRARY) {
    find(read_new, "archive_read_new");
    find(read_free, "archive_read_free");
    find(filter_bzip2, "archive_read_support_filter_bzip2");
    find(filter_xz, "archive_read_support_filter_xz");
    find(filter_lzma, "archive_read_support_filter_lzma");
    find(filter_lzip, "archive_read_support_filter_lzip");
    find(filter_lz4, "archive_read_support_filter_lz4");
    find(format_raw, "archive_read_support_format_raw");
    find(format_empty, "archive_read_support_format_empty");
    find(format_tar, "archive_read_support_format_tar");
    find(format_zip, "archive_read_support_format_zip_streamable");
    find(read_open, "archive_read_open");
    find(next_header, "archive_read_next_header");
    find(read_data, "archive_read_data");
    find(error_string, "archive_error_string");
    find(set_error, "archive_set_error");
    find(pathname, "archive_entry_pathname");
    find(filetype, "archive_entry_filetype");
  }

  /// Throws input_error, which names the file, if the library is not installed.
  static const library& get(const std::string& file) {
    static const library opened;
    if (!opened.complete()) {
      throw input_error(file, 0, "needs " CALLISTO_ARCHIVE_LIBRARY " to be unpacked, which is not installed");
    }
    return opened;
  }

  decltype(archive_read_new)* read_new;
  decltype(archive_read_free)* read_free;
  decltype(archive_read_support_filter_bzip2)* filter_bzip2;
  decltype(archive_read_support_filter_xz)* filter_xz;
  decltype(archive_read_support_filter_lzma)* filter_lzma;
  decltype(archive_read_support_filter_lzip)* filter_lzip;
  decltype(archive_read_support_filter_lz4)* filter_lz4;
  decltype(archive_read_support_format_raw)* format_raw;
  decltype(archive_read_support_format_empty)* format_empty;
  decltype(archive_read_support_format_tar)* format_tar;
  decltype(archive_read_support_format_zip_streamable)* format_zip;
  decltype(archive_read_open)* read_open;
  decltype(archive_read_next_header)* next_header;
  decltype(archive_read_data)* read_data;
  decltype(archive_error_string)* error_string;
  decltype(archive_set_error)* set_error;
  decltype(archive_entry_pathname)* pathname;
  decltype(archive_entry_filetype)* filetype;
};

/// The content of the current member of what libarchive reads.
class archive_stream final : public byte_stream {
 public:
  archive_stream(std::unique_ptr<byte_stream> inner, std::string name, wrapping kind)
      : library_(library::get(name)),
        inner_(std::move(inner)),
        name_(std::move(name)),
        block_(std::make_unique_for_overwrite<char[]>(block_bytes)),
        reader_(library_.read_new(), library_.read_free) {
    if (reader_ == nullptr) throw std::bad_alloc();
    if (kind == wrapping::archive) {
      library_.format_tar(reader_.get());
      library_.format_zip(reader_.get());
    } else {
      library_.filter_bzip2(reader_.get());
      library_.filter_xz(reader_.get());
      library_.filter_lzma(reader_.get());
      library_.filter_lzip(reader_.get());
      library_.filter_lz4(reader_.get());
      library_.format_raw(reader_.get());
      library_.format_empty(reader_.get());
    }
    check(library_.read_open(reader_.get(), this, nullptr, pass, nullptr));
  }
  archive_stream(const archive_stream&) = delete;
  archive_stream& operator=(const archive_stream&) = delete;

  /// Moves to the next member that is a file. Returns false if there is none.
  bool next_file(std::string& path) {
    archive_entry* entry = nullptr;
    for (;;) {
      const int result = library_.next_header(reader_.get(), &entry);
      if (result == ARCHIVE_EOF) return false;
      check(result);
      const char* const found = library_.pathname(entry);
      path = found == nullptr ? "" : found;
      // 0: format_raw tells no type.
      if (library_.filetype(entry) == AE_IFREG || library_.filetype(entry) == 0) return true;
    }
  }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const la_ssize_t got = library_.read_data(reader_.get(), to + done, size - done);
      if (got == 0) break;
      if (got == ARCHIVE_RETRY) continue;
      if (got < 0) check(static_cast<int>(got));
      if (got > 0) done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{256} << 10;

  /// Passes bytes on to libarchive. No exception may pass through it: check() throws what was met here.
  static la_ssize_t pass(archive* reader, void* self, const void** bytes) noexcept {
    auto& mine = *static_cast<archive_stream*>(self);
    try {
      *bytes = mine.block_.get();
      return static_cast<la_ssize_t>(mine.inner_->read(mine.block_.get(), block_bytes));
    } catch (...) {
      mine.met_ = std::current_exception();
      mine.library_.set_error(reader, 0, "reading failed");
      return ARCHIVE_FATAL;
    }
  }

  void check(int result) {
    if (met_ != nullptr) std::rethrow_exception(std::exchange(met_, nullptr));
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;
    const char* const why = library_.error_string(reader_.get());
    throw input_error(name_, 0, std::string("cannot be unpacked: ") + (why == nullptr ? "invalid data" : why));
  }

  const library& library_;
  std::unique_ptr<byte_stream> inner_;
  std::string name_;
  std::unique_ptr<char[]> block_;
  std::exception_ptr met_;
  std::unique_ptr<archive, int (*)(archive*)> reader_;
};

/// The bytes of a stream with newlines in place of carriage returns.
class line_ends_stream final : public byte_stream {
 public:
  explicit line_ends_stream(std::unique_ptr<byte_stream> inner) : inner_(std::move(inner)) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = inner_->read(to, size);
    std::replace(to, to + got, '\r', '\n');
    return got;
  }

 private:
  std::unique_ptr<byte_stream> inner_;
};

/// True for a tar header: the sum of its bytes, the bytes of the sum itself taken as blanks, stands in it in octal
/// digits.
bool is_tar(std::string_view first) noexcept {
  constexpr std::size_t sum_at = 148;
  constexpr std::size_t sum_bytes = 8;
  if (first.size() < telling_bytes || first[0] == '\0') return false;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < telling_bytes; ++i) {
    sum += i >= sum_at && i < sum_at + sum_bytes ? ' ' : static_cast<unsigned char>(first[i]);
  }
  std::uint64_t stated = 0;
  bool digits = false;
  for (const char c : first.substr(sum_at, sum_bytes)) {
    if (c >= '0' && c <= '7') {
      stated = stated * 8 + static_cast<std::uint64_t>(c - '0');
      digits = true;
    } else if (digits) {
      break;
    }
  }
  return digits && stated == sum;
}

/// True for a zip file with an array of numpy as its first member.
bool is_npz(std::string_view first) noexcept {
  constexpr std::size_t name_bytes_at = 26;
  constexpr std::size_t name_at = 30;
  if (first.size() < name_at) return false;
  const std::size_t size = static_cast<unsigned char>(first[name_bytes_at]);
  return first.size() >= name_at + size && first.substr(name_at, size).ends_with(".npy"sv);
}

/// True for members that describe a graph rather than hold it.
bool is_documentation(std::string_view path) {
  if (path.find("__MACOSX/"sv) != path.npos) return true;
  const std::size_t slash = path.rfind('/');
  const std::string base = lower_case(slash == path.npos ? path : path.substr(slash + 1));
  // README and LICENSE; KONECT's meta. and ent.; attributes of MovieLens and OGB; SuiteSparse's second matrices.
  constexpr std::array fronts{"."sv,          "readme"sv,     "license"sv, "copying"sv,  "meta."sv,  "ent."sv,
                              "movies.csv"sv, "movies.dat"sv, "links."sv,  "tags."sv,    "genome"sv, "node"sv,
                              "num-"sv,       "users."sv,     "citing"sv,  "citation"sv, "gprops"sv};
  // Texts, pictures, programs, other data; Pajek's partitions, vectors, descriptions and genealogies.
  constexpr std::array backs{
      ".md"sv,  ".pdf"sv, ".html"sv, ".htm"sv,   ".json"sv,  ".bib"sv,       ".png"sv,   ".jpg"sv,         ".gif"sv,
      ".svg"sv, ".eps"sv, ".ps"sv,   ".doc"sv,   ".docx"sv,  ".xls"sv,       ".xlsx"sv,  ".rtf"sv,         ".tex"sv,
      ".py"sv,  ".r"sv,   ".m"sv,    ".c"sv,     ".h"sv,     ".cpp"sv,       ".java"sv,  ".exe"sv,         ".dpr"sv,
      ".mdb"sv, ".log"sv, ".err"sv,  ".clu"sv,   ".vec"sv,   ".per"sv,       ".nam"sv,   ".des"sv,         ".ged"sv,
      ".ini"sv, ".lst"sv, "~"sv,     "_b.mtx"sv, "_x.mtx"sv, "_coord.mtx"sv, "_c.mtx"sv, "_nodename.mtx"sv};
  return std::ranges::any_of(fronts, [&](std::string_view front) { return base.starts_with(front); }) ||
         std::ranges::any_of(backs, [&](std::string_view back) { return base.ends_with(back); });
}

/// True for members with a suffix that only graphs have.
bool is_surely_graph(std::string_view path) {
  const std::string name = lower_case(path);
  constexpr std::array backs{".net"sv, ".paj"sv, ".graphml"sv, ".gml"sv, ".gexf"sv, ".mtx"sv, ".edges"sv, ".wel"sv};
  return !is_documentation(path) &&
         std::ranges::any_of(backs, [&](std::string_view back) { return name.ends_with(back); });
}

bool is_called(std::string_view path, std::string_view wanted) {
  return path == wanted || (path.ends_with(wanted) && path[path.size() - wanted.size() - 1] == '/');
}

/// Returns the content of a member, of which the path joins `name`.
std::unique_ptr<byte_stream> member_of(std::unique_ptr<byte_stream> inner, std::string& name, const std::string& wanted,
                                       std::vector<std::string>& notes) {
  auto archive = std::make_unique<archive_stream>(std::move(inner), name, wrapping::archive);
  std::string passed;
  std::string path;
  while (archive->next_file(path)) {
    if (wanted.empty() && path == "[Content_Types].xml") {
      throw input_error(name, 0, "is an Excel workbook or the like, which is not read; save the sheet as CSV");
    }
    if (wanted.empty() ? !is_documentation(path) : is_called(path, wanted)) {
      if (wanted.empty()) notes.push_back("is an archive, of which " + shown(path) + " is read (--member)");
      name += "/" + path;
      return archive;
    }
    passed += (passed.empty() ? "" : ", ") + shown(path);
  }
  throw input_error(name, 0,
                    (wanted.empty() ? std::string("is an archive without a graph")
                                    : "is an archive without a member " + shown(wanted)) +
                        (passed.empty() ? "" : "; it holds " + passed));
}

}  // namespace

wrapping wrapping_of(std::string_view first, const std::string& name) {
  if (first.starts_with("\x1f\x8b"sv)) return wrapping::gzip;
  if (first.starts_with("\x28\xb5\x2f\xfd"sv)) return wrapping::zstd;
  // A skippable frame may precede the first frame with data.
  if (first.size() >= 4 && (first[0] & '\xf0') == '\x50' && first.substr(1, 3) == "\x2a\x4d\x18"sv) {
    return wrapping::zstd;
  }
  const std::string_view behind = first.size() > 4 ? first.substr(4) : std::string_view();
  for (const std::string_view magic : {"BZh"sv,
                                       "\xfd"
                                       "7zXZ"sv,
                                       "\x04\x22\x4d\x18"sv, "LZIP"sv}) {
    // A list of names may begin with BZh; bzip2 goes on with a digit and the digits of pi.
    if (first.starts_with(magic) && (magic != "BZh"sv || behind.starts_with("1A"sv) || behind.starts_with('\x17'))) {
      return wrapping::other_compression;
    }
  }
  if (first.starts_with("PK\x03\x04"sv)) return is_npz(first) ? wrapping::none : wrapping::archive;
  if (is_tar(first)) return wrapping::archive;
  for (const auto& [magic, what] : {std::pair("7z\xbc\xaf\x27\x1c"sv, "7z"), std::pair("Rar!\x1a"sv, "RAR"),
                                    std::pair("\x1f\x9d"sv, "compress (.Z)")}) {
    if (first.starts_with(magic)) {
      throw input_error(
          name, 0, std::string("is packed with ") + what + "; gzip, zstd, bzip2, xz, lzip, lz4, zip and tar are read");
    }
  }
  return wrapping::none;
}

bool has_carriage_returns_only(std::string_view first) noexcept {
  // Behind a carriage return at the very end may come a newline.
  return first.find('\r') < first.size() - 1 && first.find('\n') == first.npos && first.find('\0') == first.npos;
}

std::unique_ptr<byte_stream> unwrapped(std::unique_ptr<byte_stream> inner, std::string& name, const std::string& member,
                                       std::vector<std::string>& notes) {
  constexpr int deepest = 4;
  for (int depth = 0;; ++depth) {
    std::string first(telling_bytes, '\0');
    first.resize(inner->read(first.data(), first.size()));
    const wrapping kind = wrapping_of(first, name);
    if (kind == wrapping::none) {
      const std::size_t told = first.size();
      first.resize(telling_text_bytes);
      first.resize(told + inner->read(first.data() + told, first.size() - told));
      constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
      if (first.starts_with(byte_order_mark)) first.erase(0, byte_order_mark.size());
      const bool returns = has_carriage_returns_only(first);
      inner = prepend(std::move(first), std::move(inner));
      return returns ? std::make_unique<line_ends_stream>(std::move(inner)) : std::move(inner);
    }
    if (depth == deepest) throw input_error(name, 0, "is packed more than four times");
    inner = prepend(std::move(first), std::move(inner));
    switch (kind) {
      case wrapping::none:
      case wrapping::carriage_returns:
        break;
      case wrapping::gzip:
        inner = decompress(compression::gzip, std::move(inner), name);
        break;
      case wrapping::zstd:
        inner = decompress(compression::zstd, std::move(inner), name);
        break;
      case wrapping::other_compression: {
        auto stream = std::make_unique<archive_stream>(std::move(inner), name, kind);
        std::string path;
        if (!stream->next_file(path)) throw input_error(name, 0, "no edges: the file is empty");
        inner = std::move(stream);
        break;
      }
      case wrapping::archive:
        inner = member_of(std::move(inner), name, member, notes);
        break;
    }
  }
}

std::string surest_member(std::unique_ptr<byte_stream> inner, const std::string& name) {
  archive_stream archive(std::move(inner), name, wrapping::archive);
  std::string path;
  while (archive.next_file(path)) {
    if (is_surely_graph(path)) return path;
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> members_of(std::string_view bytes, const std::string& name) {
  archive_stream archive(open_memory(std::as_bytes(std::span(bytes)), [](std::uint64_t) {}), name, wrapping::archive);
  std::vector<std::pair<std::string, std::string>> members;
  std::string path;
  while (archive.next_file(path)) {
    constexpr std::size_t step = std::size_t{1} << 20;
    std::string content;
    for (std::size_t got = step; got == step;) {
      content.resize(content.size() + step);
      got = archive.read(content.data() + content.size() - step, step);
      content.resize(content.size() - step + got);
    }
    members.emplace_back(path, std::move(content));
  }
  return members;
}

}  // namespace callisto::graph::input

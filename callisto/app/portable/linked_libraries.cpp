// Linked libraries of the portable command, a static program that runs on any Linux: functions that the other builds
// look for in shared libraries are linked in, and no library is ever opened.
//
// A static program that opens a library would need the very C library that it was linked with. So dlopen() and dlsym()
// here take the place of the C library's, for everything in the program.
#include <archive.h>
#include <archive_entry.h>
#include <expat.h>

#include <dlfcn.h>

#include <string_view>
#include <utility>

namespace callisto::app {

/// The features that --version lists; this text takes the place of cli/features.cpp.
extern const char* const build_features;
const char* const build_features = "archives, XML, the demo beside OpenMP, jobs that share; static: without libraries";

namespace {

using entry = std::pair<std::string_view, void*>;

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

#define CALLISTO_LINKED(name) \
  entry { #name, address(name) }

void* linked(std::string_view name) {
  static const entry functions[] = {
      CALLISTO_LINKED(XML_ParserCreate),
      CALLISTO_LINKED(XML_ParserFree),
      CALLISTO_LINKED(XML_SetUserData),
      CALLISTO_LINKED(XML_SetElementHandler),
      CALLISTO_LINKED(XML_SetCharacterDataHandler),
      CALLISTO_LINKED(XML_Parse),
      CALLISTO_LINKED(XML_StopParser),
      CALLISTO_LINKED(XML_GetErrorCode),
      CALLISTO_LINKED(XML_ErrorString),
      CALLISTO_LINKED(XML_GetCurrentLineNumber),
      CALLISTO_LINKED(XML_SetUnknownEncodingHandler),
      CALLISTO_LINKED(archive_read_new),
      CALLISTO_LINKED(archive_read_free),
      CALLISTO_LINKED(archive_read_support_filter_bzip2),
      CALLISTO_LINKED(archive_read_support_filter_xz),
      CALLISTO_LINKED(archive_read_support_filter_lzma),
      CALLISTO_LINKED(archive_read_support_filter_lzip),
      CALLISTO_LINKED(archive_read_support_filter_lz4),
      CALLISTO_LINKED(archive_read_support_format_raw),
      CALLISTO_LINKED(archive_read_support_format_empty),
      CALLISTO_LINKED(archive_read_support_format_tar),
      CALLISTO_LINKED(archive_read_support_format_zip_streamable),
      CALLISTO_LINKED(archive_read_open),
      CALLISTO_LINKED(archive_read_next_header),
      CALLISTO_LINKED(archive_read_data),
      CALLISTO_LINKED(archive_error_string),
      CALLISTO_LINKED(archive_set_error),
      CALLISTO_LINKED(archive_entry_pathname),
      CALLISTO_LINKED(archive_entry_filetype),
  };
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return nullptr;
}

#undef CALLISTO_LINKED

}  // namespace
}  // namespace callisto::app

extern "C" {

/// Returns a handle for libraries that are linked in; null for any other library, such as hwloc or Arrow.
void* dlopen(const char* file, int) {
  static char libraries;
  const std::string_view name = file == nullptr ? "" : file;
  return name.starts_with("libexpat.so") || name.starts_with("libarchive.so") ? &libraries : nullptr;
}

void* dlsym(void* of, const char* name) { return of == nullptr ? nullptr : callisto::app::linked(name); }
}

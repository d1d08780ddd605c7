// Opens expat and runs its parser.
#include <callisto/graph/files/formats/xml.hpp>

#include <callisto/graph/files/input/opened_library.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <expat.h>
#include <iconv.h>

namespace callisto::graph::formats {
namespace {

/// The functions of expat that are called here.
struct library : input::opened_library {
  library() noexcept : opened_library(CALLISTO_EXPAT_LIBRARY) {
    find(create, "XML_ParserCreate");
    find(free, "XML_ParserFree");
    find(set_data, "XML_SetUserData");
    find(set_elements, "XML_SetElementHandler");
    find(set_text, "XML_SetCharacterDataHandler");
    find(parse, "XML_Parse");
    find(stop, "XML_StopParser");
    find(error, "XML_GetErrorCode");
    find(words, "XML_ErrorString");
    find(line, "XML_GetCurrentLineNumber");
    find(set_encoding, "XML_SetUnknownEncodingHandler");
  }

  /// Throws input_error, which names the file, if expat is not installed.
  static const library& get(const std::string& file) {
    static const library opened;
    if (!opened.complete()) {
      throw input_error(file, 0, "is XML, which needs " CALLISTO_EXPAT_LIBRARY " to be read; it is not installed");
    }
    return opened;
  }

  decltype(XML_ParserCreate)* create;
  decltype(XML_ParserFree)* free;
  decltype(XML_SetUserData)* set_data;
  decltype(XML_SetElementHandler)* set_elements;
  decltype(XML_SetCharacterDataHandler)* set_text;
  decltype(XML_Parse)* parse;
  decltype(XML_StopParser)* stop;
  decltype(XML_GetErrorCode)* error;
  decltype(XML_ErrorString)* words;
  decltype(XML_GetCurrentLineNumber)* line;
  decltype(XML_SetUnknownEncodingHandler)* set_encoding;
};

/// State that the callbacks of one parser share.
struct parse_state {
  const library& expat;
  const xml_handler& handler;
  XML_Parser parser;
  std::exception_ptr met;  ///< the handler's exception; no exception may pass through expat

  template <class F>
  void guarded(const F& f) noexcept {
    if (met != nullptr) return;
    try {
      f();
    } catch (...) {
      met = std::current_exception();
      expat.stop(parser, XML_FALSE);
    }
  }
};

/// Tells expat the characters of an encoding of one byte a character. The names are names of families that hold no
/// other encodings: a file must not choose which code of the C library reads it.
int on_encoding(void*, const XML_Char* name, XML_Encoding* info) {
  const std::string small = input::lower_case(name);
  bool known = false;
  for (const std::string_view family : {"iso-8859-", "windows-125", "cp125", "koi8-", "macintosh"}) {
    known = known || small.starts_with(family);
  }
  if (!known) return XML_STATUS_ERROR;
  const iconv_t convert = iconv_open("UTF-32LE", name);
  if (convert == reinterpret_cast<iconv_t>(-1)) return XML_STATUS_ERROR;
  for (int i = 0; i < 256; ++i) {
    char byte = static_cast<char>(i);
    std::uint32_t code = 0;
    char* from = &byte;
    char* to = reinterpret_cast<char*>(&code);
    std::size_t from_bytes = 1;
    std::size_t to_bytes = sizeof code;
    const bool whole = iconv(convert, &from, &from_bytes, &to, &to_bytes) == 0 && to_bytes == 0;
    info->map[i] = whole ? static_cast<int>(code) : -1;
  }
  iconv_close(convert);
  info->data = nullptr;
  info->convert = nullptr;
  info->release = nullptr;
  return XML_STATUS_OK;
}

std::string_view without_prefix(std::string_view name) noexcept { return name.substr(name.rfind(':') + 1); }

void on_begin(void* state, const XML_Char* name, const XML_Char** attributes) {
  auto& s = *static_cast<parse_state*>(state);
  s.guarded([&] { s.handler.begin(without_prefix(name), xml_attributes(attributes)); });
}

void on_end(void* state, const XML_Char* name) {
  auto& s = *static_cast<parse_state*>(state);
  s.guarded([&] { s.handler.end(without_prefix(name)); });
}

void on_text(void* state, const XML_Char* text, int size) {
  auto& s = *static_cast<parse_state*>(state);
  s.guarded([&] { s.handler.text({text, static_cast<std::size_t>(size)}); });
}

}  // namespace

void parse_xml(input::source& from, const xml_handler& handler) {
  const library& expat = library::get(from.name());
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> parser(expat.create(nullptr),
                                                                                        expat.free);
  if (parser == nullptr) throw std::bad_alloc();
  parse_state state{expat, handler, parser.get(), nullptr};
  expat.set_data(parser.get(), &state);
  expat.set_elements(parser.get(), on_begin, on_end);
  expat.set_text(parser.get(), on_text);
  expat.set_encoding(parser.get(), on_encoding, nullptr);
  const auto parse = [&](std::string_view bytes, bool last) {
    const auto status = expat.parse(parser.get(), bytes.data(), static_cast<int>(bytes.size()), last ? 1 : 0);
    if (state.met != nullptr) {
      try {
        std::rethrow_exception(state.met);
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const input_error&) {
        throw;
      } catch (const usage_error& e) {
        throw input_error(from.name(), expat.line(parser.get()), e.what());
      }
    }
    if (status == XML_STATUS_OK) return;
    throw input_error(from.name(), expat.line(parser.get()),
                      std::string("invalid XML: ") + expat.words(expat.error(parser.get())));
  };
  constexpr std::size_t piece = std::size_t{1} << 18;
  from.for_each_piece(piece, [&](std::string_view bytes) { parse(bytes, false); });
  parse({}, true);
}

}  // namespace callisto::graph::formats

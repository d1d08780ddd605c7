// Opens the module that reads Parquet files.
#include <callisto/graph/files/parquet/parquet_table.hpp>

#include <callisto/graph/files/input/opened_library.hpp>
#include <callisto/graph/files/parquet/module.hpp>
#include <callisto/machine/system/error.hpp>

#include <array>
#include <type_traits>

namespace callisto::graph {
namespace {

class parquet_module final : public input::opened_library {
 public:
  explicit parquet_module(const char* file) noexcept : opened_library(file) { find(read, "callisto_read_parquet"); }
  std::remove_pointer_t<callisto_read_parquet_function>* read;
};

[[maybe_unused]] void append_to(void* text, const char* piece, std::size_t size) {
  static_cast<std::string*>(text)->append(piece, size);
}

}  // namespace

std::string parquet_as_csv(const std::string& path) {
#ifdef CALLISTO_PARQUET_MODULES
  for (const char* file : {CALLISTO_PARQUET_MODULES}) {
    const parquet_module module(file);
    if (!module.complete()) continue;
    std::string text;
    std::array<char, 400> message{};
    if (module.read(path.c_str(), &text, append_to, message.data(), message.size()) == 0) return text;
    throw input_error(path, 0, message.data());
  }
#endif
  throw input_error(
      path, 0,
      "is a Parquet file, which this build does not read (no Apache Arrow); write it as CSV, or read it in "
      "Python: callisto takes the columns of a data frame");
}

}  // namespace callisto::graph

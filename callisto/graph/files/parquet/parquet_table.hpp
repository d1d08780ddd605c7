// Parquet files as tables of text.
#pragma once

#include <string>
#include <string_view>

namespace callisto::graph {

/// True for the first bytes of a Parquet file.
inline bool is_parquet(std::string_view head) noexcept { return head.starts_with("PAR1"); }

/// Returns the flat columns of a Parquet file as CSV with a header. Throws input_error if the file cannot be read, or
/// if this build has no module for it.
std::string parquet_as_csv(const std::string& path);

}  // namespace callisto::graph

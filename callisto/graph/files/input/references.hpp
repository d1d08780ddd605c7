// References to characters, as GML, Pajek and XML write them: "&#228;", "&auml;".
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace callisto::graph::input {

/// Returns `text` with the characters that references stand for: "&#228;" and "&#xe4;". With `names` also "&quot;",
/// "&amp;", "&lt;", "&gt;", "&apos;" and the names of Latin-1's characters, such as "&auml;" (HTML 4, section 24.2).
/// Text that is no reference stays. Adds to `looked_at` the bytes that were looked at for the ends of references: no
/// more than the text has.
CALLISTO_API std::string without_references(std::string_view text, bool names, std::size_t* looked_at = nullptr);

}  // namespace callisto::graph::input

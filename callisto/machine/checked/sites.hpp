// The source places at which a subject executes operations. One of them may run with a weakened order
// (options::weaken).
#pragma once

#include <callisto/machine/checked/explore.hpp>
#include <callisto/machine/checked/objects.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace callisto::machine::checking {

const char* name_of(operation) noexcept;
const char* name_of(order) noexcept;

/// Returns a file's name, relative to the source tree if the file is in it.
std::string shown_file(const char* file);
/// Returns file and line, such as "callisto/waiting/entry_gate.hpp:57".
std::string shown(const place&);

/// A source place and operation, with the order stated there and the order that it runs with.
struct site_entry {
  place where;
  operation what;
  order stated;
  order used;
  bool weakened = false;  ///< options::weaken names it
  std::uint64_t count = 0;
};

class site_table {
 public:
  explicit site_table(const std::optional<site_weakening>& w) : weaken_(w), slots_(64) {}

  /// Returns the entry of a place and operation, which it adds if necessary. References stay valid.
  site_entry& find(const place&, operation, order stated);
  std::vector<site> all() const;

 private:
  void add_slot(site_entry* e);

  const std::optional<site_weakening>& weaken_;
  std::deque<site_entry> entries_;
  std::vector<site_entry*> slots_;  ///< hash table, keyed by the file name's address, line, column and operation
};

}  // namespace callisto::machine::checking

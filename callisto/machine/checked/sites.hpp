// The places in the source at which a subject does something, as they are met; and the order that one of them has
// instead of its own.
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

/// A file's name, relative to the source tree if it is within it.
std::string shown_file(const char* file);
/// "callisto/workers/waiting/entry_gate.hpp:57".
std::string shown(const place&);

struct site_entry {
  place where;
  operation what;
  order stated;
  order used;
  std::uint64_t count = 0;
};

class site_table {
 public:
  explicit site_table(const std::optional<site_weakening>& w) : weaken_(w), slots_(64) {}

  /// Entries stay where they are.
  site_entry& find(const place&, operation, order stated);
  std::vector<site> all() const;

 private:
  void add_slot(site_entry* e);

  const std::optional<site_weakening>& weaken_;
  std::deque<site_entry> entries_;
  std::vector<site_entry*> slots_;  ///< hashed by the address of the file's name, the line, the column, the operation
};

}  // namespace callisto::machine::checking

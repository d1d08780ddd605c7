// The account of a user number: an account has subordinate numbers (subuid(5)), which count as the account itself.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace callisto::broker {

class CALLISTO_API accounts {
 public:
  accounts() = default;
  /// Reads the texts of /etc/subuid and /etc/passwd. Lines that are damaged are left out.
  accounts(std::string_view subuid, std::string_view passwd);

  /// Returns the user number of the account that `user` belongs to: of the first line that has it, or `user` itself.
  std::uint64_t of(std::uint64_t user) const noexcept;

 private:
  struct range {
    std::uint64_t first, count, account;
  };
  std::vector<range> ranges_;
};

}  // namespace callisto::broker

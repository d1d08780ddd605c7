// Reads subuid(5) and passwd(5).
#include <callisto/broker/accounts.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

namespace callisto::broker {
namespace {

std::optional<std::uint64_t> number(std::string_view text) noexcept {
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

/// Calls f(fields) for each line, with the first three fields between colons.
template <class F>
void for_each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::array<std::string_view, 3> fields;
    for (std::string_view& field : fields) {
      const std::size_t colon = std::min(line.find(':'), line.size());
      field = line.substr(0, colon);
      line.remove_prefix(std::min(colon + 1, line.size()));
    }
    f(fields);
  }
}

}  // namespace

accounts::accounts(std::string_view subuid, std::string_view passwd) {
  for_each_line(subuid, [&](const auto& fields) {
    std::optional<std::uint64_t> account = number(fields[0]);
    if (!account) {
      for_each_line(passwd, [&](const auto& entry) {
        if (!account && !fields[0].empty() && entry[0] == fields[0]) account = number(entry[2]);
      });
    }
    const auto first = number(fields[1]);
    const auto count = number(fields[2]);
    if (account && first && count) ranges_.push_back({*first, *count, *account});
  });
}

std::uint64_t accounts::of(std::uint64_t user) const noexcept {
  for (const range& r : ranges_) {
    if (user >= r.first && user - r.first < r.count) return r.account;
  }
  return user;
}

}  // namespace callisto::broker

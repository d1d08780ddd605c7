// The grammar of OMP_AFFINITY_FORMAT: `%[[0].][width]type`, where type is a letter or a {long_name}.
#include <callisto/machine/host/topology.hpp>
#include <callisto/openmp/settings/affinity_format.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace callisto::openmp {
namespace {

/// Removes the type from the front of `rest` and returns its letter.
char read_type(std::string_view& rest) {
  constexpr std::array<std::pair<std::string_view, char>, 10> long_names{{{"team_num", 't'},
                                                                          {"num_teams", 'T'},
                                                                          {"nesting_level", 'L'},
                                                                          {"thread_num", 'n'},
                                                                          {"num_threads", 'N'},
                                                                          {"ancestor_tnum", 'a'},
                                                                          {"host", 'H'},
                                                                          {"process_id", 'P'},
                                                                          {"native_thread_id", 'i'},
                                                                          {"thread_affinity", 'A'}}};
  if (rest.empty()) report_and_exit("the affinity format ends within a field");
  if (rest.front() != '{') {
    const char letter = rest.front();
    rest.remove_prefix(1);
    return letter;
  }
  const std::size_t end = rest.find('}');
  if (end == std::string_view::npos)
    report_and_exit("unterminated long type name '%s' in affinity format", rest.substr(1).data());
  const std::string_view name = rest.substr(1, end - 1);
  for (const auto& [long_name, letter] : long_names) {
    if (name != long_name) continue;
    rest.remove_prefix(end + 1);
    return letter;
  }
  report_and_exit("unsupported long type name '%.*s' in affinity format", static_cast<int>(name.size()), name.data());
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits;
  return "0x" + std::string(digits.begin(), std::to_chars(digits.begin(), digits.end(), number, 16).ptr);
}

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "node";
}

std::string value_of(char type, const thread_description& of) {
  switch (type) {
    case 't':
      return std::to_string(of.team_number);
    case 'T':
      return std::to_string(of.teams);
    case 'L':
      return std::to_string(of.level);
    case 'n':
      return std::to_string(of.number);
    case 'N':
      return std::to_string(of.threads);
    case 'a':
      return std::to_string(of.ancestor);
    case 'H':
      return host_name();
    case 'P':
      return std::to_string(getpid());
    case 'i':
      return hexadecimal(of.native_id);
    case 'A':
      // As in libgomp, two neighbours are already a range.
      return machine::format_cpu_list(of.affinity, '-');
    default:
      report_and_exit("unsupported type %c in affinity format", type);
  }
}

/// Returns `value`, padded to `width`. Zeros are inserted after a sign or 0x, and only before numbers.
std::string padded(std::string value, std::size_t width, bool right, bool zeros, bool is_number) {
  if (value.size() >= width) return value;
  const std::size_t missing = width - value.size();
  if (!right) return value + std::string(missing, ' ');
  if (!zeros || !is_number) return std::string(missing, ' ') + value;
  const std::size_t prefix = value.starts_with('-') ? 1 : value.starts_with("0x") ? 2 : 0;
  return value.insert(prefix, missing, '0');
}

}  // namespace

std::string format_affinity(std::string_view format, const thread_description& of) {
  std::string text;
  for (std::string_view rest = format; !rest.empty();) {
    const std::size_t field = rest.find('%');
    text += rest.substr(0, field);
    if (field == std::string_view::npos) break;
    rest.remove_prefix(field + 1);
    if (rest.starts_with('%')) {
      text += '%';
      rest.remove_prefix(1);
      continue;
    }
    const bool zeros = rest.starts_with('0');
    if (zeros) {
      rest.remove_prefix(1);
      if (!rest.starts_with('.')) report_and_exit("leading zero not followed by dot in affinity format");
    }
    const bool right = rest.starts_with('.');
    if (right) rest.remove_prefix(1);
    std::size_t width = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), width);
    if (fault == std::errc{}) {
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    } else if (right) {
      report_and_exit("leading zero or right justification in affinity format requires size");
    }
    const char type = read_type(rest);
    text += padded(value_of(type, of), width, right, zeros, type != 'H' && type != 'A');
  }
  return text;
}

}  // namespace callisto::openmp
